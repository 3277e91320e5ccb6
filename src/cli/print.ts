import fs from 'node:fs'

/** The answer did not get to where it was to go. What was done is done. */
export class OutputError extends Error {
  override readonly name = 'OutputError'

  constructor(cause: unknown) {
    super(`the report could not be written to stdout: ${cause instanceof Error ? cause.message : cause}`)
  }
}

/**
 * Writes to standard output before the process ends. The stream would lose what is in flight when a pipe is slow
 * and the process exits; and it costs start-up time.
 */
export function print(text: string, end: 'line' | 'as it is' = 'line'): void {
  const open = end === 'line' && text !== '' && !text.endsWith('\n')
  const bytes = Buffer.from(open ? `${text}\n` : text)
  for (let at = 0; at < bytes.length;) {
    try {
      at += fs.writeSync(1, bytes, at)
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined
      // The reader has gone.
      if (code === 'EPIPE') return
      if (code !== 'EAGAIN') throw new OutputError(error)
      Atomics.wait(pause, 0, 0, 5)
    }
  }
}

const pause = new Int32Array(new SharedArrayBuffer(4))
