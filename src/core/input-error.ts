import type { Code } from './result.ts'

/** A text that cannot be read to its end. The blocks before were run. */
export class InputError extends Error {
  override readonly name = 'InputError'
  readonly code: Code

  constructor(message: string, code: Code) {
    super(message)
    this.code = code
  }
}
