import type { ContentKind } from '@clada/reply/syntax/content-kind.ts'
import type { EmptyGroup, NotExecuted } from '@clada/reply/core/block.ts'
import type { Code } from '@clada/reply/core/codes.ts'
import type { SearchHit } from './files.ts'
import type { HunkVerdict, Problem, StructureFacts } from './problem.ts'
import type { NearPlace, Place } from '@clada/reply/core/place.ts'
import type { Proposal } from '@clada/reply/core/proposal.ts'

/** What `execute` answers. Fields that the seeds of the language name mean what they meant there. */
export interface ExecutionResult {
  /** False if any action failed or any block could not be read. What the user left out in a review has not failed. */
  success: boolean
  totalBlocks: number
  executedActions: number
  results: ActionResult[]
  parseErrors: ParseError[]
  gitCommit?: string
  /** The run as a whole could not be done. */
  fatalError?: string
  /** The code that belongs to `fatalError`. */
  fatalCode?: Code
  /** Hooks that failed, each as `command: reason`. */
  hookErrors?: { before?: string[]; after?: string[] }
  warnings?: string[]
  /** What looks like an edit or an action and did not run, with the reason. */
  notExecuted?: NotExecuted[]
  /** The lines of groups without tasks. */
  emptyGroups?: EmptyGroup[]
  /** What the reply has, where no block was found in it. */
  contentKind?: ContentKind
  /** The syntax that the project expects blocks in, where nothing was found and it names one. */
  taught?: string
  /** The project, absolute; reports show paths relative to it. */
  root?: string
  /** Whole files in the reply that wait for a yes, or got one. */
  proposals?: Proposal[]
  /** The changes of the user to the whole reply before it was applied, as a short diff. */
  editedReply?: string
}

/** A run that did nothing. */
export const nothingDone: ExecutionResult = {
  success: false,
  totalBlocks: 0,
  executedActions: 0,
  results: [],
  parseErrors: [],
}

/** A call that cannot be made out, reported like any other wrong parameter. */
export const refusedCall = (action: string, error: Omit<ParseError, 'blockId' | 'action'>): ExecutionResult => ({
  ...nothingDone,
  parseErrors: [{ blockId: 'call', action, ...error }],
})

export const fatalResult = (fatalError: string, fatalCode?: Code): ExecutionResult => ({
  ...nothingDone,
  fatalError,
  fatalCode,
})

/** The result of one action. */
export interface ActionResult {
  /** Order of execution, from 1. */
  seq: number
  blockId: string
  /** As the block spelled it. */
  action: string
  params: Record<string, unknown>
  success: boolean
  error?: string
  code?: Code
  details?: Details
  /** `error` in parts, for reports; left out of those for programs. */
  failure?: Failure
  data?: unknown
  /**
   * In a preview: the error that it would have if the programs before it, which are not run, changed nothing. Whether it
   * has is not known, so it has not failed.
   */
  unknown?: string
  /** What it did to files, if the caller asked for evidence. */
  changes?: Evidence[]
  /** Of long files that were read whole, if the caller asked for evidence; left out of reports for programs. */
  outlines?: Outlines
  /** The lines that a command found, so that reports need not repeat the names of files; asked for and left out alike. */
  hits?: readonly SearchHit[]
  /** The paths that a command listed; asked for and left out alike. */
  paths?: readonly string[]
  warnings?: string[]
  /** What the user left out or changed in a review. */
  review?: ReviewNote
  /** `3`, or `3.2` inside a group. */
  task?: string
  syntax?: string
  durationMs?: number
  /** The line of the document the block starts on. */
  line?: number
  /** What the block's own syntax calls the operation. */
  label?: string
  /** The line its group starts on, if it is in one. */
  group?: number
  /** Why the model did it, in its own words. */
  explanation?: string
}

/** What long files declare, by path. Without declarations where their language is not known. */
export type Outlines = Readonly<Record<string, readonly OutlineRow[]>>

/** A declaration of a file. */
export interface OutlineRow {
  readonly header: string
  /** From 1, both included. */
  readonly lines: readonly [number, number]
  /** 1 for the outermost. */
  readonly depth: number
}

/** The parts of an error message. `report/failure.ts` puts together those that a reader needs. */
export interface Failure {
  readonly kind: Problem['kind']
  /** Replaces the name of the action at the beginning, as `ENOENT` does; empty where neither is wanted. */
  readonly head?: string
  /** A code before the sentence, such as `git_operation_failed`. */
  readonly label?: string
  /** The sentence up to its subject, or all of it. Line breaks in it belong to a text that it quotes. */
  readonly what: string
  /** The path or command that it is about. */
  readonly subject?: string
  /** The sentence after its subject. */
  readonly rest?: string
  /** A code after the sentence, such as `ENOENT`. */
  readonly tag?: string
  /** Further lines. */
  readonly below?: string
  /** All of it for reports, where the language fixes other words for `error`. */
  readonly plain?: string
  /** The few words for a list of actions, where the sentence is too long for it. */
  readonly brief?: string
  /** The sentence and the advice for the user, where a model reads others. */
  readonly user?: { readonly sentence?: string; readonly advice?: string }
  /** Where it was noticed in clada's own code. */
  readonly stack?: string
}

/** A block that could not be read or bound to an action. It does not run. */
export interface ParseError {
  blockId: string
  action?: string
  errorType: 'syntax' | 'validation' | 'type'
  message: string
  code?: string
  line?: number
  column?: number
  blockStartLine?: number
  shamContent?: string
  /** What to write instead. */
  hint?: string
  /** The block as it was meant, ready to be sent again, where exactly one reading exists. */
  corrected?: string
  /** The actions in `corrected`, each with its path or command. */
  meant?: string[]
  /** The number of the block among all of the document; missing when no block could be made out. */
  task?: string
  /** The line its group starts on, if it is in one. */
  group?: number
  /** What the block's own syntax calls the operation. */
  label?: string
  syntax?: string
}

/** What helps to repair a failure. Everything here may be shown to a model. */
export interface Details extends StructureFacts {
  /** What to do next, in one sentence. */
  advice?: string
  /** The block as it was probably meant, in its own syntax, for the model to check and send again. */
  corrected?: string
  /** Every hunk of a patch, with what became or would become of it. */
  hunks?: HunkVerdict[]
  /** The replacements that failed, of several that belong together. */
  edits?: EditFailure[]
  /** The parameter whose text is not there, when there are several. */
  missing?: string
  /** The action that took the text away, or the undo or redo; without an execution it is one of the same document. */
  changed_by?: { execution?: number; action: number; kind?: 'undo' | 'redo'; of?: number }
  /** Files that blocked an undo or a step. */
  conflicts?: string[]
  /** It was skipped, because an earlier execution did exactly this and it still holds. */
  already_done?: { execution: number; action: number; time: string }
  places?: { line: number; before?: string; text: string; after?: string }[]
  size?: number
  rule?: string
  failures?: { path: string; error: string; code: Code }[]
  saved?: string
  /** A command that waits for approval. */
  command?: string
  stack?: string
}

/** One of several replacements that could not be made. The places of the first are in the details themselves. */
export interface EditFailure {
  /** From 1. */
  edit: number
  error: string
  code: Code
  nearest?: NearPlace
  places?: Place[]
}

/** What an action did to one file: where and how much. */
export interface Evidence {
  /** Relative to the root, if it is inside. */
  path: string
  change: 'create' | 'modify' | 'delete' | 'move'
  /** The new path after a move. */
  to?: string
  /** Lines that came and went. */
  added: number
  removed: number
  /** The places: ranges of lines that changed, as the file was before; of lines that only came, as it is now. */
  lines?: string[]
  /** Bytes of a file that is not text. */
  binary?: number
  /** The lines of a small change, or a few of a larger one, each with its mark. */
  diff?: string[]
}

/** The changes of one file as a diff. */
export interface FileDiff {
  /** Relative to the root, if it is inside. */
  path: string
  change: 'create' | 'modify' | 'delete'
  /** Unified, as git writes it. Empty for a file that is no text; `binary` then says so. */
  diff: string
  binary: boolean
}

/** A file before and after; null where it is not there. */
export interface FileChange extends Pick<FileDiff, 'path' | 'change' | 'binary'> {
  /** Both are empty for a file that is no text. */
  before: string | null
  after: string | null
}

/** What a result says about a review. */
export interface ReviewNote {
  /** Nothing of it was applied, because the user said so. */
  readonly leftOut?: true
  readonly reason?: string | undefined
  /** Hunks that were left out. */
  readonly hunks?: readonly LeftHunk[]
  /** The changes of the user to what the model wrote, each as a short diff. */
  readonly edited?: readonly { readonly what: string; readonly diff: string }[]
  /** The lines that the user chose, where the edit did not have a place of its own. */
  readonly place?: PlaceChoice
}

export interface LeftHunk {
  readonly path: string
  /** As the file was before: `12` or `12-14`; missing for a whole file. */
  readonly lines?: string
  /** A few lines of it, with their marks. */
  readonly diff: readonly string[]
  readonly reason?: string
}

/** Whether an action changed nothing because the user left it out: that is no failure of its group. */
export const isLeftOut = ({ review }: { readonly review?: ReviewNote }): boolean => review?.leftOut === true

/** Lines of a file, from 1; `hunk`: the hunk of a patch that goes there. */
export interface PlaceChoice {
  readonly line: number
  readonly endLine: number
  readonly hunk?: number
}

/** The changes that an execution would make. */
export interface Preview {
  /** What the execution would answer. */
  result: ExecutionResult
  diffs: FileDiff[]
  /** All of them as one text, which `git apply` takes. */
  diff: string
  /** What one action would change, given what those before it did. Actions are named by their `seq`. */
  changesBy(seq: number): FileChange[]
}

/** A result with further warnings after its own. */
export function withWarnings<T extends { readonly warnings?: readonly string[] }>(
  result: T,
  more: readonly string[],
): T {
  return more.length === 0 ? result : { ...result, warnings: [...(result.warnings ?? []), ...more] }
}

/** The number of a task, as reports show it. */
export const taskNumberOf = ({ task, seq }: ActionResult): string => task ?? String(seq)
