import type { CladaOptions } from '../config/settings.ts'
import type { Document, NotExecuted } from '@clada/reply/core/block.ts'
import type { Problem } from '../core/problem.ts'
import type { ActionResult, ExecutionResult, FileChange, ParseError, ReviewNote } from '../core/result.ts'
import type { ReviewChoices, ReviewedBlock } from '../core/review.ts'
import type { Change, ExpectedFile } from '../workspace/open.ts'
import type { HistorySettings, Settings } from '../core/settings.ts'

/** The block whose program writes. */
export interface OutputBlock {
  readonly syntax: string
  /** The line that it starts on. */
  readonly line: number
  /** Whether it is applied only together with others, whose results come with its own. */
  readonly atomic: boolean
}

/** Options of one execution. */
export interface ExecuteOptions {
  /**
   * Receives the output of a program as it arrives, with the number of its task, after the results of all earlier tasks.
   * Not for a block with `return_output="false"`.
   */
  onOutput?: (task: string, chunk: Buffer, block: OutputBlock) => void
  /** Receives a command, or `exec` and a language, before it runs, or before the user is asked whether it may. */
  onProgram?: (what: string) => void
  /** Receives the result of each action, in order. Those that are applied together or not at all come together. */
  onAction?: (result: ActionResult) => void
  /** Receives the errors of a block that cannot be read. Blocks of a text that is still arriving come in order. */
  onUnreadable?: (errors: readonly ParseError[]) => void
  /** Receives what looks like an edit and does not run. */
  onNotExecuted?: (one: NotExecuted) => void
  /**
   * Receives the changes of files right before `onAction`: the full texts, whatever form of edit the block used. Files
   * above 1 MB are left out. Without it nothing is kept.
   */
  onChanges?: (result: ActionResult, changes: readonly FileChange[]) => void
  /** When aborted, the remaining actions are skipped and reported as such. */
  signal?: AbortSignal
  /** Milliseconds for the whole run: no action begins later. */
  timeLimit?: number
  /** Selects among the blocks of a text; the others are ignored. */
  select?: (document: Document) => Document
  /**
   * With `alreadyDone: 'skip'`: whether a block runs again although it already ran, for callers that know that it was
   * removed in between. Without it a block counts as done only if the previous execution had it.
   */
  again?: (block: string) => boolean
  /** The decisions of a review. With `shown` in them nothing is applied unless it is what was reviewed. */
  review?: ReviewChoices
  /** Only these blocks of the document, by their `task` numbers. */
  only?: readonly string[]
}

/** Options of one preview. */
export interface PreviewOptions extends ExecuteOptions {
  /**
   * `try`: code, and commands with a plain approval, are run in the sandbox on a layer that is thrown away, so that the
   * diff has their changes. Where there are no layers, and without it, programs are only named, and an action that would
   * fail after one is `unknown`.
   */
  programs?: 'name' | 'try'
  /** Texts that an editor has not saved yet, by path: the preview is of these instead of the files on the disk. */
  unsaved?: Readonly<Record<string, string>> | undefined
}

/** One execution: its project, its caller, and what the caller asks for. */
export interface RunOptions {
  readonly options: CladaOptions
  /** The same as `options`, checked and complete. */
  readonly settings: Settings
  readonly history: HistorySettings
  /** A model's document, or the person at the keyboard. */
  readonly origin: 'document' | 'user'
  /** `land`: the changes of each action are written at once. `together`: all at the end or none. `show`: none. */
  readonly effect: 'land' | 'together' | 'show'
  readonly request: PreviewOptions
  /** Files that actions must find as they were reviewed, by task number. */
  readonly expected?: ReadonlyMap<string, ExpectedFile>
}

/** The result of one execution. */
export interface RunResult {
  readonly result: ExecutionResult
  /** With `show`: all changes. */
  readonly changes: readonly Change[]
  /** With `show`: the changes of each action, by its number. */
  readonly changesBy: ReadonlyMap<number, readonly Change[]>
  /** With `show` and a review: every action with its hunks. */
  readonly reviewed: readonly ReviewedBlock[]
}

export const nothingRun = (result: ExecutionResult): RunResult => ({
  result,
  changes: [],
  changesBy: new Map(),
  reviewed: [],
})

/** The decision about the changes of one action. */
export interface ChangesVerdict {
  /** The changes that stay. */
  readonly changes: readonly Change[]
  readonly problem?: Problem
  readonly note?: ReviewNote
  readonly warnings?: readonly string[]
}

/** Whether changes may land: the reason why not, and what else there is to say about them. */
export interface LandingDecision {
  readonly problem?: Problem
  readonly warnings: readonly string[]
}

export type Confirm = (changes: readonly Change[]) => Promise<LandingDecision>
