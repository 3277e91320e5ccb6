import { isRecord, fieldOf } from '@clada/reply/core/is-record.ts'
import { hasCode } from '../core/errors.ts'
import { startMarked } from '../process/marked.ts'

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

/** Whatever answers a conversation. */
export interface Model {
  readonly name: string
  /** The reply as it arrives. @throws ModelError */
  reply(messages: readonly ChatMessage[], signal: AbortSignal): AsyncIterable<string>
}

/** Why there is no reply, or only a part of it. */
export class ModelError extends Error {
  override readonly name = 'ModelError'
  /** Set when the same request may succeed later; with the time that the model asks for. */
  readonly retry: { readonly afterMs?: number | undefined } | undefined

  constructor(message: string, retry?: { readonly afterMs?: number | undefined }) {
    super(message)
    this.retry = retry
  }
}

/** A program that reads the conversation as one text on stdin and writes the reply to stdout. */
export function programModel(command: readonly string[]): Model {
  const [program = '', ...args] = command
  return { name: command.join(' '), reply: (messages, signal) => programReply(program, args, asText(messages), signal) }
}

async function* programReply(
  program: string,
  args: readonly string[],
  input: string,
  signal: AbortSignal,
): AsyncIterable<string> {
  const started = startMarked(program, args)
  if (started === undefined) throw new ModelError(`${program} was not found in PATH`)
  const { child, tree } = started
  let last = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (last = (last + text).slice(-2000)))
  // A program that does not read its input is not at fault.
  child.stdin?.on('error', () => undefined).end(input)
  const ended = new Promise<string | undefined>((resolve) => {
    child.once('error', (error) =>
      resolve(hasCode(error, 'ENOENT') ? 'was not found in PATH' : `could not be started: ${error.message}`),
    )
    child.once('exit', (code, by) =>
      resolve(code === 0 ? undefined : `ended with ${code === null ? by : `exit code ${code}`}`),
    )
  })
  // What it left running is ended with it: it could hold the output open, and would outlive the loop.
  const over = ended.then(async (failure) => {
    await tree.terminated()
    return failure
  })
  const stop = (): void => {
    // Later its number may be that of another process.
    if (child.exitCode === null && child.signalCode === null) tree.stop()
  }
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  try {
    if (child.stdout !== null) for await (const text of child.stdout.setEncoding('utf8')) yield String(text)
    const failure = await over
    signal.throwIfAborted()
    if (failure !== undefined) throw new ModelError(`${program} ${failure}${last === '' ? '' : `:\n${last.trimEnd()}`}`)
  } finally {
    signal.removeEventListener('abort', stop)
    stop()
    await over
    for (const pipe of child.stdio) pipe?.destroy()
  }
}

/** The conversation for a program without one. */
const asText = (messages: readonly ChatMessage[]): string =>
  messages
    .map(({ role, content }, at) => {
      const round = Math.ceil(at / 2)
      if (role === 'system') return content
      return role === 'assistant'
        ? `=== YOUR REPLY ${round} ===\n${content}`
        : at < 2
          ? content
          : `=== REPORT ${round} ===\n${content}`
    })
    .join('\n\n')

export interface Api {
  /** Up to and with the version, such as http://127.0.0.1:11434/v1. */
  readonly url: string
  readonly model: string
  readonly key?: string | undefined
}

/** Anything that speaks the chat completions protocol of OpenAI, with streaming. */
export function apiModel(api: Api): Model {
  return { name: api.model, reply: (messages, signal) => withoutKeyInError(api.key, apiReply(api, messages, signal)) }
}

async function* apiReply(
  { url, model, key }: Api,
  messages: readonly ChatMessage[],
  signal: AbortSignal,
): AsyncIterable<string> {
  const headers = new Headers({ 'content-type': 'application/json' })
  if (key !== undefined) headers.set('authorization', `Bearer ${key}`)
  const body = JSON.stringify({ model, messages, stream: true })
  const response = await fetch(`${url.replace(/\/+$/, '')}/chat/completions`, {
    method: 'POST',
    headers,
    body,
    signal,
    // A key must not follow a redirect.
    redirect: 'error',
  }).catch((error: unknown) => {
    signal.throwIfAborted()
    throw new ModelError(`${url} cannot be reached: ${connectionReason(error)}`, {})
  })
  if (!response.ok) throw await modelRefusal(response, key)
  if (response.body === null) throw new ModelError('the answer has no body', {})
  // `fetch` may forget the signal once its request was collected as garbage, and the connection would hold the process.
  const reader = response.body.getReader()
  const close = (): void => void reader.cancel().catch(() => undefined)
  signal.addEventListener('abort', close, { once: true })
  if (signal.aborted) close()
  let finish: string | undefined
  try {
    for await (const data of events(reader)) {
      if (data === '[DONE]') return
      const { text, end } = chunkOf(data, key)
      if (text !== '') yield text
      finish = end ?? finish
      if (end === 'length') throw new ModelError('the reply reached the longest length that the model gives')
    }
  } catch (error) {
    signal.throwIfAborted()
    throw error instanceof ModelError ? error : new ModelError(`the connection broke: ${connectionReason(error)}`, {})
  } finally {
    signal.removeEventListener('abort', close)
    close()
  }
  signal.throwIfAborted()
  if (finish === undefined) throw new ModelError('the connection ended in the middle of the reply', {})
}

/** Servers quote the key in their errors, and some models repeat it; terminal, transcript and files would keep it. */
async function* withoutKeyInError(key: string | undefined, texts: AsyncIterable<string>): AsyncIterable<string> {
  if (key === undefined || key.length < shortestKey) return yield* texts
  const hide = (text: string): string => maskKey(key, text)
  let rest = ''
  try {
    for await (const text of texts) {
      const whole = isRandom(key) ? hide(rest + text) : text
      // The key may come in pieces: its beginning waits for what follows.
      const held = isRandom(key) ? beginningOf(key, whole) : 0
      rest = whole.slice(whole.length - held)
      if (whole.length > held) yield whole.slice(0, whole.length - held)
    }
  } catch (error) {
    throw error instanceof ModelError ? new ModelError(hide(error.message), error.retry) : error
  }
  if (rest !== '') yield rest
}

/** Shorter ones are part of many words. */
const shortestKey = 4

const maskKey = (key: string | undefined, text: string): string =>
  key === undefined || key.length < shortestKey ? text : text.replaceAll(key, '[key]')

/** The beginning of what a server says. A cut through the key would leave a part of it that nothing recognizes. */
const beginning = (text: string, length: number, key: string | undefined): string => maskKey(key, text).slice(0, length)

/** Local servers take anything as a key, such as "ollama" or "sk-no-key-required", which a reply may well contain. */
const isRandom = (key: string): boolean => key.length >= 16 && key.replaceAll(/\D/g, '').length >= 4

/** The length of the longest end of a text that the key begins with. */
function beginningOf(key: string, text: string): number {
  for (let length = Math.min(key.length - 1, text.length); length > 0; length--)
    if (text.endsWith(key.slice(0, length))) return length
  return 0
}

const connectionReason = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message : error.message
}

/** Too many requests, and failures of the server, pass. */
async function modelRefusal(response: Response, key: string | undefined): Promise<ModelError> {
  const text = await firstBytes(response.body)
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  const passes = response.status === 429 || response.status === 408 || response.status >= 500
  const afterMs = Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), 120) * 1000 : undefined
  return new ModelError(
    `the model answered with ${response.status}: ${beginning(errorMessageIn(text), 500, key)}`,
    passes ? { afterMs } : undefined,
  )
}

/** OpenAI and most others answer `{"error":{"message":"…"}}`, Ollama `{"error":"…"}`. */
function errorMessageIn(text: string): string {
  try {
    const answer: unknown = JSON.parse(text)
    const error = isRecord(answer) ? answer['error'] : undefined
    const message = isRecord(error) ? error['message'] : error
    return typeof message === 'string' && message !== '' ? message : text
  } catch {
    return text
  }
}

/** The beginning of an error, which may have no end: a few seconds and a few bytes are enough to say what is wrong. */
async function firstBytes(body: ReadableStream<Uint8Array> | null): Promise<string> {
  if (body === null) return ''
  const reader = body.getReader()
  const late = setTimeout(() => void reader.cancel().catch(() => undefined), 2000)
  const parts: Uint8Array[] = []
  let size = 0
  try {
    while (size < mostErrorBytes) {
      const { done, value } = await reader.read()
      if (done) break
      parts.push(value.subarray(0, mostErrorBytes))
      size += value.length
    }
  } catch {
    // What came before is shown.
  } finally {
    clearTimeout(late)
    await reader.cancel().catch(() => undefined)
  }
  return Buffer.concat(parts).toString('utf8')
}

const mostErrorBytes = 4096

/** The data of server-sent events. */
async function* events(reader: ReadableStreamDefaultReader<Uint8Array>): AsyncIterable<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    rest += decoder.decode(value, { stream: true })
    if (rest.length > longestEvent) throw new ModelError('the answer is not a stream of events')
    const lines = rest.split(/\r?\n/)
    rest = lines.pop() ?? ''
    for (const line of lines) if (line.startsWith('data:')) yield line.slice(5).trim()
  }
  if (rest.startsWith('data:')) yield rest.slice(5).trim()
}

const longestEvent = 1024 * 1024

/** What one event adds. Servers differ in what else they send, so everything else is ignored. */
function chunkOf(data: string, key: string | undefined): { readonly text: string; readonly end: string | undefined } {
  let value: unknown
  try {
    value = JSON.parse(data)
  } catch {
    throw new ModelError(`the model sent an event that is not JSON: ${beginning(data, 200, key)}`)
  }
  const failure = fieldOf(value, 'error')
  if (failure !== undefined && failure !== null)
    throw new ModelError(`the model reports an error: ${beginning(JSON.stringify(failure), 500, key)}`, {})
  const choices = fieldOf(value, 'choices')
  const [choice] = Array.isArray(choices) ? choices : []
  const text = fieldOf(fieldOf(choice, 'delta'), 'content')
  const end = fieldOf(choice, 'finish_reason')
  return { text: typeof text === 'string' ? text : '', end: typeof end === 'string' ? end : undefined }
}

/** Milliseconds before the next attempt, more each time. */
export const pauseBefore = (attempt: number, { afterMs }: { readonly afterMs?: number | undefined }): number =>
  afterMs ?? Math.min(1000 * 2 ** attempt, 30_000)
