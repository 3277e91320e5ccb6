import { type Readable, Transform, Writable } from 'node:stream'

/** The two streams of the protocol. */
export interface Streams {
  readonly stdin: Readable
  readonly stdout: Writable
}

/** Takes standard output for the protocol alone: whatever else would write there goes to standard error. */
export function protocolStreams(): Streams {
  const { stdin, stdout, stderr } = process
  const write = stdout.write.bind(stdout)
  stdout.write = stderr.write.bind(stderr)
  const protocol = new Writable({ write: (chunk: Buffer, _, done) => void write(chunk, done) })
  // Many answers may wait for a slow reader.
  protocol.setMaxListeners(0)
  stdout.on('error', (error) => protocol.destroy(error))
  // A log without a reader is no reason to fail.
  stderr.on('error', () => undefined)
  return { stdin: stdin.pipe(wholeLines()), stdout: protocol }
}

/** A document of the largest size, as JSON that escapes every second character. */
export const longestMessage = 128 * 1024 * 1024

/**
 * Hands on whole lines. The SDK looks for the end of a line anew with every chunk and copies what it has, which for a
 * long message costs the square of its length. A line that is too long is handed on as it is, for the SDK to refuse.
 */
export function wholeLines(longest = longestMessage): Transform {
  let parts: Buffer[] = []
  let size = 0
  return new Transform({
    transform(chunk: Buffer, _, done) {
      const end = size > longest ? chunk.length : chunk.lastIndexOf(10) + 1
      if (end > 0) {
        this.push(Buffer.concat([...parts, chunk.subarray(0, end)]))
        parts = []
        size = 0
      }
      if (end < chunk.length) parts.push(chunk.subarray(end))
      size += chunk.length - end
      done()
    },
  })
}
