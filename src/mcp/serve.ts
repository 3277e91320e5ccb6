import { setTimeout as delay } from 'node:timers/promises'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { makeServer } from './server.ts'
import type { McpOptions } from './session.ts'
import { longestMessage, protocolStreams, type Streams } from './streams.ts'

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
