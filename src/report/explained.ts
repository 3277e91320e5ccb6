import type { Code, Details } from '../core/result.ts'

/** A problem as a report tells it. */
export interface Explained {
  /** The first line is fixed by the language; whoever compares it may. */
  readonly error: string
  readonly code: Code
  readonly details?: Details
}
