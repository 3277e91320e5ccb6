/** The execution to undo, or a part of it. */
export interface UndoRequest {
  /** Its number; without it the last one that is not undone. */
  readonly execution: number | undefined
  /** Only this action. */
  readonly action: number | undefined
  /** Merges files that changed since instead of refusing. */
  readonly force: boolean
}

/** The commits to combine into one. */
export interface SquashRequest {
  readonly mode: SquashMode
  /** Only the run that begins at the newest commit. */
  readonly contiguous: boolean
  readonly hours: number | undefined
  readonly days: number | undefined
  readonly containing: string | undefined
  readonly message: string | undefined
  /** Also commits that were pushed or that other branches or tags contain. */
  readonly force: boolean
  readonly dryRun: boolean
}

export const squashModes = ['auto_ai', 'ai_messages', 'hours', 'days', 'msg_contains'] as const
type SquashMode = (typeof squashModes)[number]
