import { setTimeout as delay } from 'node:timers/promises'
import { type Readable, Transform, Writable } from 'node:stream'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { makeServer } from './server.ts'
import type { McpOptions } from './session.ts'

/** Serves the client on standard input and output until it goes; then everything is ended properly. */
export async function serveMcp(given: McpOptions): Promise<void> {
  const gone = new AbortController()
  const { server, session } = makeServer(given, gone.signal)
  const streams = protocolStreams()
  const leaving = departure(streams, server)
  await server.connect(new StdioServerTransport(streams.stdin, streams.stdout, { maxBufferSize: longestMessage }))
  let heard = performance.now()
  streams.stdin.on('data', () => (heard = performance.now()))
  const left = await leaving

  // A client that pipes in some calls and closes still wants their answers.
  const grace = heard + graceMs - performance.now()
  if (left === 'closed' && grace > 0) await Promise.race([session.turns.idle(), pause(grace)])
  gone.abort(new Error('the client has gone'))
  await Promise.race([session.turns.idle(), pause(endingMs)])
  await Promise.race([written(streams), pause(graceMs)])
}

/** How long the last calls may take when the client has already closed its side. */
const graceMs = 400

/** What is being written down when the client goes is finished, unless that takes all too long. */
const endingMs = 8000

const pause = (ms: number): Promise<void> => delay(ms, undefined, { ref: false })

/** When the client closes its side, or cannot be reached any more, or this process is stopped. */
function departure(
  { stdin, stdout }: Streams,
  server: { onclose?: (() => void) | undefined },
): Promise<'closed' | 'lost'> {
  return new Promise((resolve) => {
    const lost = (): void => resolve('lost')
    stdin.once('end', () => resolve('closed'))
    stdin.once('error', lost)
    stdout.once('error', lost)
    server.onclose = lost
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, lost)
  })
}

/** When the last answers are out. */
async function written({ stdout }: Streams): Promise<void> {
  // An answer is sent right after its call is over.
  await delay(0)
  await new Promise<void>((resolve) => (stdout.destroyed ? resolve() : stdout.end(resolve)))
}

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
