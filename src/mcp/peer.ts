import { askApprovalSocket, firstAnswer, hasApprovalSocket } from '../approvals/socket.ts'
import type { ApprovalAnswer, ApprovalRequest, Ask } from '../core/commands.ts'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { RequestId, Result } from '@modelcontextprotocol/sdk/types.js'
import { isRecord } from '../core/platform.ts'

export type Params = Readonly<Record<string, unknown>>

/** What a handler may use besides the parameters. */
export interface Extra {
  /** Aborted when the client cancels the request. */
  readonly signal: AbortSignal
  /** Sends a notification that belongs to the request. */
  readonly notify: (method: string, params: Params) => void
}

export type Handler = (params: Params, extra: Extra) => Result | Promise<Result>

/** What the server says about itself. */
export interface About {
  readonly serverInfo: { readonly name: string; readonly version: string }
  readonly capabilities: Params
  readonly instructions: string
}

/** Newest first. */
const versions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07']

const questionMs = 60_000

/**
 * The server's side of a connection. It is here because the SDK's builds and applies a schema for every message of the
 * protocol, which takes longer than everything else at a start, and answers in the words of its schema library.
 */
export class Peer {
  onclose: () => void = () => undefined
  onerror: (error: Error) => void = () => undefined
  /** By method, what a notification of the client does. */
  heard: Readonly<Record<string, () => void>> = {}
  handlers: Readonly<Record<string, Handler>> = {}
  /** What the client can do; undefined before it has sent initialize. */
  client: Params | undefined
  readonly #about: About
  #transport: Transport | undefined
  #asked = 0
  readonly #waiting = new Map<unknown, (answer: Params | Error) => void>()
  readonly #running = new Map<unknown, AbortController>()

  constructor(about: About) {
    this.#about = about
  }

  async connect(transport: Transport): Promise<void> {
    this.#transport = transport
    transport.onmessage = (message: unknown) => this.#receive(message)
    transport.onerror = (error) => this.onerror(error)
    transport.onclose = () => {
      this.#transport = undefined
      for (const controller of this.#running.values()) controller.abort()
      for (const answered of this.#waiting.values()) answered(new Error('the connection was closed'))
      this.onclose()
    }
    await transport.start()
  }

  notify(method: string, params: Params = {}, relatedRequestId?: RequestId): void {
    this.#send({ jsonrpc: '2.0', method, params }, relatedRequestId)
  }

  /** Asks the client. @throws when it answers with an error, not in time, or not at all, and when `signal` is aborted */
  request(
    method: string,
    params: Params,
    { timeout = questionMs, signal }: { timeout?: number; signal?: AbortSignal } = {},
  ): Promise<Params> {
    const id = this.#asked++
    return new Promise((resolve, reject) => {
      const end = (answer: Params | Error): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', stop)
        this.#waiting.delete(id)
        if (answer instanceof Error) reject(answer)
        else resolve(answer)
      }
      const withdraw = (reason: string): void => {
        this.notify('notifications/cancelled', { requestId: id, reason })
        end(new Error(reason))
      }
      const stop = (): void => withdraw('it is no longer needed')
      const timer = setTimeout(() => withdraw('there was no answer in time'), timeout)
      this.#waiting.set(id, end)
      this.#send({ jsonrpc: '2.0', id, method, params })
      if (signal?.aborted === true) stop()
      else signal?.addEventListener('abort', stop)
    })
  }

  #receive(message: unknown): void {
    if (!isRecord(message)) return this.onerror(new Error(`a message is ${kindOf(message)}`))
    const { id, method, params = {}, result, error } = message
    const known = typeof id === 'string' || typeof id === 'number' ? id : undefined
    if (method === undefined && (result !== undefined || error !== undefined)) this.#answered(id, result, error)
    else if (typeof method !== 'string' || !isRecord(params) || (id !== undefined && known === undefined)) {
      this.onerror(new Error('a message is neither a request nor a notification nor an answer'))
      if (known !== undefined) this.#fail(known, protocolError(invalidRequest, 'This is not a request.'))
    } else if (known === undefined) this.#hear(method, params)
    else void this.#answer(known, method, params)
  }

  #answered(id: unknown, result: unknown, error: unknown): void {
    const waiting = this.#waiting.get(id)
    if (waiting === undefined) this.onerror(new Error('an answer without a request'))
    else if (isRecord(result)) waiting(result)
    else waiting(new Error(isRecord(error) ? String(error['message']) : 'the answer is not an object'))
  }

  #hear(method: string, { requestId }: Params): void {
    if (method === 'notifications/cancelled') this.#running.get(requestId)?.abort()
    else if (Object.hasOwn(this.heard, method)) this.heard[method]?.()
  }

  async #answer(id: RequestId, method: string, params: Params): Promise<void> {
    const controller = new AbortController()
    const { signal } = controller
    try {
      // At once: whatever else the client has sent already counts on it.
      if (method === 'initialize') return this.#send({ jsonrpc: '2.0', id, result: this.#begin(params) })
      const handler = Object.hasOwn(this.handlers, method) ? this.handlers[method] : undefined
      if (method !== 'ping' && handler === undefined) throw protocolError(methodNotFound, `Method not found: ${method}`)
      this.#running.set(id, controller)
      const notify: Extra['notify'] = (name, given) => signal.aborted || this.notify(name, given, id)
      const result = (await handler?.(params, { signal, notify })) ?? {}
      if (!signal.aborted) this.#send({ jsonrpc: '2.0', id, result })
    } catch (error) {
      if (!signal.aborted) this.#fail(id, error instanceof Error ? error : new Error(String(error)))
    } finally {
      this.#running.delete(id)
    }
  }

  #begin(params: Params): Result {
    const { capabilities } = params
    const asked = textIn(params, 'protocolVersion')
    if (!isRecord(capabilities))
      throw protocolError(invalidParams, `capabilities must be an object; it is ${kindOf(capabilities)}`)
    this.client = capabilities
    return { protocolVersion: versions.includes(asked) ? asked : versions[0], ...this.#about }
  }

  #fail(id: RequestId, error: Error): void {
    const code = 'code' in error && Number.isSafeInteger(error.code) ? Number(error.code) : internalError
    this.#send({ jsonrpc: '2.0', id, error: { code, message: error.message } })
  }

  #send(message: Parameters<Transport['send']>[0], relatedRequestId?: RequestId): void {
    this.#transport
      ?.send(message, { relatedRequestId })
      .catch((error: unknown) => this.onerror(new Error(String(error))))
  }
}

/** @throws an error of the protocol */
export function textIn(params: Params, name: string): string {
  const value = params[name]
  if (typeof value === 'string') return value
  throw protocolError(invalidParams, `${name} must be a text; it is ${kindOf(value)}`)
}

/** Undefined where it is not given. @throws an error of the protocol */
export const optionalTextIn = (params: Params, name: string): string | undefined =>
  params[name] === undefined || params[name] === null ? undefined : textIn(params, name)

/** What a value is, in a message. */
export function kindOf(value: unknown): string {
  if (value === undefined) return 'missing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'string' ? 'a text' : typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

export const protocolError = (code: number, message: string): Error => Object.assign(new Error(message), { code })

export const invalidRequest = -32600

const methodNotFound = -32601

export const invalidParams = -32602

const internalError = -32603

export const resourceNotFound = -32002

/** The request for an approval as a person must see it. */
export type Question = (request: ApprovalRequest) => string

/** Asks in the client, where it can ask, and on an open page. The first answer counts, the other question is withdrawn. */
export function askThrough(peer: Peer, question: Question, stopped: AbortSignal): Ask {
  return (request) =>
    firstAnswer(
      stopped,
      (signal) => askApprovalSocket(request, signal),
      (signal) => askClient(peer, request, question(request), signal),
    )
}

export const canAsk = (peer: Peer, root: string): boolean => hasForms(peer) || hasApprovalSocket(root)

/** Clients from before there were other ways to ask name no way. */
function hasForms({ client }: Peer): boolean {
  const ways = client?.['elicitation']
  return isRecord(ways) && (ways['form'] !== undefined || Object.keys(ways).length === 0)
}

/** A person may be away for a while. */
const patienceMs = 10 * 60 * 1000

const toAllow = {
  title: 'Allow it?',
  description: 'once: now; always: now and from now on in this project; no: not at all',
}
const toKeep = {
  title: 'Keep the result?',
  description:
    'once: its changes stay; always: they stay, and the command may run from now on in this project; no: nothing stays',
}

const toWrite = {
  title: 'Write it?',
  description: 'once: this file; always: this file and the others of this reply; no: not this file',
}

const choices = ['once', 'always', 'no'] as const satisfies readonly ApprovalAnswer[]

async function askClient(
  peer: Peer,
  { about }: ApprovalRequest,
  message: string,
  signal: AbortSignal,
): Promise<ApprovalAnswer | undefined> {
  if (!hasForms(peer)) return undefined
  const answer = {
    type: 'string',
    ...(about === 'tried' ? toKeep : about === 'proposal' ? toWrite : toAllow),
    enum: [...choices],
  }
  const params = {
    mode: 'form',
    message,
    requestedSchema: { type: 'object', properties: { answer }, required: ['answer'] },
  }
  try {
    const { action, content } = await peer.request('elicitation/create', params, { signal, timeout: patienceMs })
    if (action === 'decline') return 'no'
    if (action !== 'accept') return undefined
    return choices.find((choice) => isRecord(content) && choice === content['answer']) ?? 'no'
  } catch {
    // The client failed or has gone.
    return undefined
  }
}
