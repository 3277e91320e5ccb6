import type { ActionSpec, Registry } from '../core/action.ts'
import { SettingsError } from '../core/settings.ts'
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

/** Every action, in the order in which they are listed to people and models. A small run loads only the ones that it uses. */
const table: Readonly<Record<string, () => ActionSpec>> = {
  file_write: () => fileWrite,
  file_create: () => fileCreate,
  file_append: () => fileAppend,
  file_replace_text: () => fileReplaceText,
  file_replace_all_text: () => fileReplaceAllText,
  file_edit: () => fileEdit,
  file_replace_text_range: () => fileReplaceTextRange,
  files_replace_all_text: () => filesReplaceAllText,
  file_replace_lines: () => fileReplaceLines,
  file_patch: () => filePatch,
  file_delete_lines: () => fileDeleteLines,
  file_insert_lines: () => fileInsertLines,
  file_comment_lines: () => fileCommentLines,
  file_uncomment_lines: () => fileUncommentLines,
  file_delete: () => fileDelete,
  file_move: () => fileMove,
  file_copy: () => fileCopy,
  file_read: () => fileRead,
  file_read_numbered: () => fileReadNumbered,
  files_read: () => filesRead,
  files_read_numbered: () => filesReadNumbered,
  dir_create: () => dirCreate,
  dir_delete: () => dirDelete,
  ls: () => ls,
  grep: () => grep,
  glob: () => glob,
  project_map: () => projectMap,
  list_structures: () => listStructures,
  read_structure: () => readStructure,
  replace_structure: () => replaceStructure,
  delete_structure: () => deleteStructure,
  replace_text_in_structure: () => replaceTextInStructure,
  replace_all_text_in_structure: () => replaceAllTextInStructure,
  insert_before_structure: () => insertBeforeStructure,
  insert_after_structure: () => insertAfterStructure,
  move_structure_to_before: () => moveStructureToBefore,
  move_structure_to_after: () => moveStructureToAfter,
  move_structure_to_file_start: () => moveStructureToFileStart,
  move_structure_to_file_end: () => moveStructureToFileEnd,
  exec: () => exec,
  run: () => run,
  context_add: () => contextAdd,
  context_remove: () => contextRemove,
  context_list: () => contextList,
  context_prune: () => contextPrune,
  context_clear: () => contextClear,
  undo: () => undo,
  git_step_back: () => gitStepBack,
  git_step_forward: () => gitStepForward,
  git_squash: () => gitSquash,
}

export const actionNames: readonly string[] = Object.keys(table)

let all: readonly ActionSpec[] | undefined
export const allActions = (): readonly ActionSpec[] => (all ??= Object.values(table).map((load) => load()))

/** What models are offered. */
export const modelActions = (): readonly ActionSpec[] => allActions().filter(({ access }) => access.includes('llm'))

let aliased: ReadonlyMap<string, ActionSpec> | undefined
const byAnyName = (): ReadonlyMap<string, ActionSpec> =>
  (aliased ??= new Map(
    allActions().flatMap((spec) => [spec.name, ...spec.aliases].map((name) => [name, spec] as const)),
  ))

/** Those that were asked for by their names. */
const loaded = new Map<string, ActionSpec>()

function byName(name: string): ActionSpec | undefined {
  const spec = Object.hasOwn(table, name) ? table[name]?.() : byAnyName().get(name)
  if (spec !== undefined) loaded.set(name, spec)
  return spec
}

/** By name and by alias. */
export const registry: Registry = {
  get: (name) => loaded.get(name) ?? byName(name),
  has: (name) => registry.get(name) !== undefined,
  keys: () => byAnyName().keys(),
  values: () => byAnyName().values(),
  entries: () => byAnyName().entries(),
}

/** The same with actions of the program that uses clada. @throws SettingsError */
export function registryWith(own: readonly ActionSpec[]): Registry {
  if (own.length === 0) return registry
  const all = new Map(byAnyName())
  for (const spec of own) {
    // Who adds an action wants models to know it.
    const taught: ActionSpec = { ...spec, everyday: true }
    for (const name of [spec.name, ...spec.aliases]) {
      if (!/^[a-z][a-z0-9_]*$/.test(name))
        throw new SettingsError(`The name of an action has lower case letters, digits and _; '${name}' does not.`)
      if (all.has(name)) throw new SettingsError(`There is an action '${name}' already. Give yours another name.`)
      all.set(name, taught)
    }
  }
  return all
}
