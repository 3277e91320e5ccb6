import { setTimeout as delay } from 'node:timers/promises'
import { ProblemError } from './problem.ts'
import { stopCause } from './time-limit.ts'

/**
 * Waits for code of the caller no longer than the signal allows: a question, a stream or an action of theirs may never end,
 * and the project is locked meanwhile. What such code does later is ignored. @throws ProblemError
 */
export function untilAborted<T>(signal: AbortSignal | undefined, work: () => T | Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(new ProblemError({ kind: 'stopped', reason: stopCause(signal).reason }))
    if (signal?.aborted) return stop()
    signal?.addEventListener('abort', stop, { once: true })
    Promise.resolve()
      .then(work)
      .then(resolve, reject)
      .finally(() => signal?.removeEventListener('abort', stop))
  })
}

/** The texts that arrive before the signal is aborted. @throws ProblemError when it is */
export async function* textsUntilAborted(
  signal: AbortSignal | undefined,
  texts: AsyncIterable<string>,
): AsyncIterable<string> {
  const iterator = texts[Symbol.asyncIterator]()
  try {
    for (;;) {
      const { done, value } = await untilAborted(signal, () => iterator.next())
      if (done === true) return
      yield value
    }
  } finally {
    // A program that writes the texts is ended in this time, with everything that it started.
    const ended = Promise.resolve(iterator.return?.()).catch(() => undefined)
    await (signal?.aborted ? Promise.race([ended, delay(longestEndMs, undefined, { ref: false })]) : ended)
  }
}

const longestEndMs = 2000
