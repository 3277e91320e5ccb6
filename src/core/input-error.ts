import type { Code } from './result.ts'

/** A text that cannot be read on. What stood before was carried out. */
export class InputError extends Error {
  override readonly name = 'InputError'
  readonly code: Code

  constructor(message: string, code: Code) {
    super(message)
    this.code = code
  }
}
