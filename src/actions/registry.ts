import type { ActionSpec } from '../core/action.ts'
import { contextAdd } from './context-add.ts'
import { contextClear } from './context-clear.ts'
import { contextList } from './context-list.ts'
import { contextPrune } from './context-prune.ts'
import { contextRemove } from './context-remove.ts'
import { dirCreate } from './dir-create.ts'
import { dirDelete } from './dir-delete.ts'
import { exec } from './exec.ts'
import { fileAppend } from './file-append.ts'
import { fileCommentLines, fileUncommentLines } from './comment-lines.ts'
import { fileCopy } from './file-copy.ts'
import { fileCreate } from './file-create.ts'
import { fileDelete } from './file-delete.ts'
import { fileDeleteLines } from './file-delete-lines.ts'
import { fileEdit } from './file-edit.ts'
import { fileInsertLines } from './file-insert-lines.ts'
import { fileMove } from './file-move.ts'
import { filePatch } from './file-patch.ts'
import { fileRead } from './file-read.ts'
import { fileReadNumbered } from './file-read-numbered.ts'
import { fileReplaceAllText } from './file-replace-all-text.ts'
import { fileReplaceLines } from './file-replace-lines.ts'
import { fileReplaceText } from './file-replace-text.ts'
import { fileReplaceTextRange } from './file-replace-text-range.ts'
import { filesRead, filesReadNumbered } from './files-read.ts'
import { filesReplaceAllText } from './files-replace-all-text.ts'
import { fileWrite } from './file-write.ts'
import { gitSquash } from './git-squash.ts'
import { gitStepBack, gitStepForward } from './git-step.ts'
import { glob } from './glob.ts'
import { grep } from './grep.ts'
import { ls } from './ls.ts'
import { projectMap } from './project-map.ts'
import { run } from './run.ts'
import { undo } from './undo.ts'
import { listStructures } from './list-structures.ts'
import { readStructure } from './read-structure.ts'
import { replaceStructure } from './replace-structure.ts'
import { deleteStructure } from './delete-structure.ts'
import { replaceTextInStructure } from './replace-text-in-structure.ts'
import { replaceAllTextInStructure } from './replace-all-text-in-structure.ts'
import { insertAfterStructure, insertBeforeStructure } from './insert-structure.ts'
import {
  moveStructureToAfter,
  moveStructureToBefore,
  moveStructureToFileEnd,
  moveStructureToFileStart,
} from './move-structure.ts'

/** Every action, in the order in which they are listed to people and models. */
export const actions: readonly ActionSpec[] = [
  fileWrite,
  fileCreate,
  fileAppend,
  fileReplaceText,
  fileReplaceAllText,
  fileEdit,
  fileReplaceTextRange,
  filesReplaceAllText,
  fileReplaceLines,
  filePatch,
  fileDeleteLines,
  fileInsertLines,
  fileCommentLines,
  fileUncommentLines,
  fileDelete,
  fileMove,
  fileCopy,
  fileRead,
  fileReadNumbered,
  filesRead,
  filesReadNumbered,
  dirCreate,
  dirDelete,
  ls,
  grep,
  glob,
  projectMap,
  listStructures,
  readStructure,
  replaceStructure,
  deleteStructure,
  replaceTextInStructure,
  replaceAllTextInStructure,
  insertBeforeStructure,
  insertAfterStructure,
  moveStructureToBefore,
  moveStructureToAfter,
  moveStructureToFileStart,
  moveStructureToFileEnd,
  exec,
  run,
  contextAdd,
  contextRemove,
  contextList,
  contextPrune,
  contextClear,
  undo,
  gitStepBack,
  gitStepForward,
  gitSquash,
]

/** What models are offered. */
export const modelActions: readonly ActionSpec[] = actions.filter(({ access }) => access.includes('llm'))

export type Registry = ReadonlyMap<string, ActionSpec>

/** By name and by alias. */
export function registryOf(specs: readonly ActionSpec[]): Registry {
  return new Map(specs.flatMap((spec) => [spec.name, ...spec.aliases].map((name) => [name, spec] as const)))
}

export const registry: Registry = registryOf(actions)
