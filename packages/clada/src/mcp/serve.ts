import type { Readable, Writable } from 'node:stream'
import { now } from '../core/time-limit.ts'
import { codes, errorMessage, messageIn, protocolError, type Transport } from './protocol.ts'
import { makePeer } from './server.ts'
import type { McpOptions } from './session.ts'
import { messageOf } from '../core/errors.ts'

/** Serves the client on standard input and output until it goes; then everything is ended properly. */
export async function serveMcp(given: McpOptions): Promise<void> {
  const gone = new AbortController()
  const { peer, session } = makePeer(given, gone.signal)
  const streams = protocolStreams()
  const leaving = departure(streams, peer)
  let heard = now()
  streams.stdin.on('data', () => (heard = now()))
  await peer.connect(new LineTransport(streams))
  const left = await leaving

  // A client that pipes in some calls and closes still wants their answers.
  const grace = heard + graceMs - now()
  if (left === 'closed' && grace > 0) await Promise.race([session.turns.idle(), passTime(grace)])
  gone.abort(new Error('the client has disconnected'))
  await Promise.race([session.turns.idle(), passTime(endingMs)])
  await Promise.race([flushOutput(streams), passTime(graceMs)])
}

/** How long the last calls may take when the client has already closed its side. */
const graceMs = 400

/** What is being written down when the client goes is finished, unless that takes all too long. */
const endingMs = 8000

const passTime = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms).unref())

/** When the client closes its side, or cannot be reached any more, or this process is stopped. */
function departure({ stdin, stdout }: Streams, peer: { onclose: () => void }): Promise<'closed' | 'lost'> {
  return new Promise((resolve) => {
    const lost = (): void => resolve('lost')
    stdin.once('end', () => resolve('closed'))
    stdin.once('error', lost)
    stdout.on('error', lost)
    peer.onclose = lost
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, lost)
  })
}

async function flushOutput({ stdout, write }: Streams): Promise<void> {
  // An answer is sent right after its call is over.
  await new Promise((resolve) => setImmediate(resolve))
  await new Promise<void>((resolve) => (stdout.destroyed ? resolve() : write('', () => resolve())))
}

interface Streams {
  readonly stdin: Readable
  readonly stdout: Writable
  readonly write: (text: string, done: (error?: Error | null) => void) => unknown
}

/** Reserves standard output for the protocol: other output goes to standard error. */
function protocolStreams(): Streams {
  const { stdin, stdout, stderr } = process
  const write: Streams['write'] = stdout.write.bind(stdout)
  stdout.write = stderr.write.bind(stderr)
  // A log without a reader is no reason to fail.
  stderr.on('error', () => undefined)
  return { stdin, stdout, write }
}

/** A document of the largest size, as JSON that escapes every second character. */
export const longestMessage = 128 * 1024 * 1024

/** Messages as JSON, one in each line. */
export class LineTransport implements Transport {
  onmessage: Transport['onmessage']
  onclose: Transport['onclose']
  onerror: Transport['onerror']
  readonly #streams: Pick<Streams, 'stdin' | 'write'>
  readonly #longest: number
  #parts: Buffer[] = []
  #size = 0

  constructor(streams: Pick<Streams, 'stdin' | 'write'>, longest = longestMessage) {
    this.#streams = streams
    this.#longest = longest
  }

  async start(): Promise<void> {
    this.#streams.stdin.on('data', (chunk: Buffer) => this.#take(chunk))
  }

  send(message: unknown): Promise<void> {
    return new Promise((resolve, reject) =>
      this.#streams.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve())),
    )
  }

  #take(chunk: Buffer): void {
    for (let from = 0, end = 0; end !== -1; from = end + 1) {
      end = chunk.indexOf(10, from)
      const part = chunk.subarray(from, end === -1 ? undefined : end)
      this.#parts.push(part)
      this.#size += part.length
      if (this.#size > this.#longest) return this.#refuse()
      if (end !== -1) this.#read()
    }
  }

  #read(): void {
    const line = Buffer.concat(this.#parts)
    this.#parts = []
    this.#size = 0
    if (isBlank(line)) return
    const message = messageIn(line)
    if ('value' in message) return this.onmessage?.(message.value)
    this.onerror?.(new Error(`a line is not a message: it is ${message.reason}`))
    const refusal = errorMessage(null, protocolError(codes.parse, `This line is ${message.reason}.`))
    this.send(refusal).catch((failed: unknown) => this.onerror?.(new Error(messageOf(failed))))
  }

  /** No message after it can be found. */
  #refuse(): void {
    this.#parts = []
    this.#streams.stdin.pause()
    this.onerror?.(new Error(`a message has at most ${this.#longest} bytes`))
    this.onclose?.()
  }
}

const isBlank = (line: Buffer): boolean => line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d)
