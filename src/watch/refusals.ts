import type { ExecutionResult } from '../core/result.ts'

/** Results of runs that never were. */
const fatal = (fatalError: string): ExecutionResult => ({
  success: false,
  totalBlocks: 0,
  executedActions: 0,
  results: [],
  parseErrors: [],
  fatalError,
})

export const tooLarge = (size: number, limit: number): ExecutionResult => ({
  ...fatal(`input_too_large: the file has ${size} bytes, the limit is ${limit}. Remove what is done, or split it.`),
  fatalCode: 'input_too_large',
})

export const notUtf8: ExecutionResult = {
  ...fatal('not_utf8: the file is not valid UTF-8, so nothing of it was executed. Save it as UTF-8.'),
  fatalCode: 'not_utf8',
}

export const interrupted = fatal(
  'The last run was interrupted: clada was ended in the middle of it. Its blocks are left alone now, because some of ' +
    'them may be done. clada history shows what was changed, and clada undo takes it back; to run the blocks again, ' +
    'press f in clada watch, or start it with --again.',
)
