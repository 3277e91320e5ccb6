import type { ActionResult, ExecutionResult, FileChange } from '../core/result.ts'

/** The source of a text. */
export type Origin = 'file' | 'clipboard' | 'terminal'

/** The events of a listener, in order. */
export type ListenerEvent =
  /** It is ready: from now on nothing is missed. */
  | { readonly kind: 'watching'; readonly file: string; readonly output: string; readonly created: boolean }
  /** Blocks that were there at the start and run only on request. */
  | { readonly kind: 'held'; readonly blocks: number; readonly why: 'first-look' | 'interrupted' }
  | { readonly kind: 'begin'; readonly origin: Origin; readonly blocks: number; readonly before: number }
  /** An action is done, with what it did to files; large ones are left out. */
  | { readonly kind: 'action'; readonly result: ActionResult; readonly changes: readonly FileChange[] }
  /** What a program writes, as it comes. */
  | { readonly kind: 'program'; readonly task: string; readonly chunk: Buffer }
  | ({ readonly kind: 'done' } & Done)
  /** A text without new blocks. */
  | { readonly kind: 'nothing-new'; readonly origin: Origin; readonly blocks: number }
  /** The file is not one that can be watched, as long as it is so; empty when it is again. */
  | { readonly kind: 'trouble'; readonly why: string }
  /** Two texts could not be brought together; this one is kept here. */
  | { readonly kind: 'saved-aside'; readonly file: string }

/** The results of one execution of the listener. */
export interface Done {
  readonly origin: Origin
  readonly result: ExecutionResult
  /** The whole report, as in the output file. */
  readonly report: string
  readonly copied: boolean | undefined
  /** Number of result lines at the top of the file, before the text that lines are counted in. */
  readonly above: number
  readonly durationMs: number
}
