import type { Document } from '@clada/reply/core/block.ts'
import { InputError, Source } from '@clada/reply/core/source.ts'
import { findBlocks } from '@clada/reply/syntax/find-blocks.ts'
import { ProblemError } from './problem.ts'
import { runBounded, withTimeLimit } from './time-limit.ts'

/**
 * The blocks of a reply. Readers are linear in the text; should a text be found for which one is not, it costs no more than an
 * action may.
 *
 * @throws InputError
 */
export const readReply = (text: string, reading: Parameters<typeof findBlocks>[1], ms: number): Document =>
  withinReadingTime(ms, () => findBlocks(new Source(text), reading))

/** Runs a reader. @throws InputError */
export function withinReadingTime<T>(ms: number, read: () => T): T {
  try {
    return withTimeLimit(ms, () => runBounded(read))
  } catch (error) {
    if (!(error instanceof ProblemError) || error.problem.kind !== 'too-complex') throw error
    const why = error.problem.over === 'time' ? `not within ${ms / 1000} s` : 'it is nested too deeply'
    throw new InputError(
      `input_too_large: the document could not be read (${why}). Split it into several documents.`,
      'input_too_large',
    )
  }
}
