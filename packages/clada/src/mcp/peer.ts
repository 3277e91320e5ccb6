import { describeValue } from '../core/describe-value.ts'
import { isRecord } from '@clada/reply/core/is-record.ts'
import {
  answerModern,
  codes,
  errorMessage,
  type Extra,
  legacyVersions,
  type RpcMessage,
  methodNamed,
  type Methods,
  type RpcParams,
  protocolError,
  type RequestId,
  requestIdIn,
  type RpcResult,
  textIn,
  type Transport,
  versionIn,
} from './protocol.ts'

const questionMs = 60_000

/**
 * The server's side of a connection. Each request tells its era: one with the metadata of 2026-07-28 is answered by itself,
 * any other one belongs to the session that `initialize` begins.
 */
export class Peer {
  onclose: () => void = () => undefined
  onerror: (error: Error) => void = () => undefined
  /** By method, what a notification of the client does. */
  onNotification: Readonly<Record<string, () => void>> = {}
  /** What the client can do; undefined before it has sent initialize. */
  client: RpcParams | undefined
  readonly #methods: Methods
  #transport: Transport | undefined
  #asked = 0
  readonly #waiting = new Map<unknown, (answer: RpcParams | Error) => void>()
  readonly #running = new Map<unknown, AbortController>()

  constructor(methods: Methods) {
    this.#methods = methods
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

  notify(method: string, params: RpcParams = {}, relatedTo?: RequestId): void {
    this.#send({ jsonrpc: '2.0', method, params }, relatedTo)
  }

  /** Asks a client of an older revision. @throws when it answers with an error, not in time, or not at all, or `signal` is aborted */
  request(
    method: string,
    params: RpcParams,
    {
      timeout = questionMs,
      signal,
      relatedTo,
    }: { timeout?: number; signal?: AbortSignal; relatedTo?: RequestId | undefined } = {},
  ): Promise<RpcParams> {
    const id = this.#asked++
    return new Promise((resolve, reject) => {
      const end = (answer: RpcParams | Error): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', stop)
        this.#waiting.delete(id)
        if (answer instanceof Error) reject(answer)
        else resolve(answer)
      }
      const withdraw = (reason: string): void => {
        this.notify('notifications/cancelled', { requestId: id, reason }, relatedTo)
        end(new Error(reason))
      }
      const stop = (): void => withdraw('it is no longer needed')
      const timer = setTimeout(() => withdraw('there was no answer in time'), timeout)
      this.#waiting.set(id, end)
      this.#send({ jsonrpc: '2.0', id, method, params }, relatedTo)
      if (signal?.aborted === true) stop()
      else signal?.addEventListener('abort', stop)
    })
  }

  #receive(message: unknown): void {
    if (!isRecord(message)) return this.#refuse(null, `a message is ${describeValue(message)}`)
    const { id, method, params = {}, result, error } = message
    const known = requestIdIn(id)
    if (method === undefined && (result !== undefined || error !== undefined)) this.#answered(id, result, error)
    else if (typeof method !== 'string' || !isRecord(params) || (id !== undefined && known === undefined)) {
      this.#refuse(known ?? null, 'a message is neither a request nor a notification nor an answer')
    } else if (known === undefined) this.#hear(method, params)
    else void this.#answer(known, method, params)
  }

  #refuse(id: RequestId | null, why: string): void {
    this.onerror(new Error(why))
    this.#send(errorMessage(id, protocolError(codes.invalidRequest, 'This is not a request.')))
  }

  #answered(id: unknown, result: unknown, error: unknown): void {
    const waiting = this.#waiting.get(id)
    if (waiting === undefined) this.onerror(new Error('an answer without a request'))
    else if (isRecord(result)) waiting(result)
    else waiting(new Error(isRecord(error) ? String(error['message']) : 'the answer is not an object'))
  }

  #hear(method: string, { requestId }: RpcParams): void {
    if (method === 'notifications/cancelled') this.#running.get(requestId)?.abort()
    else if (Object.hasOwn(this.onNotification, method)) this.onNotification[method]?.()
  }

  async #answer(id: RequestId, method: string, params: RpcParams): Promise<void> {
    const controller = new AbortController()
    const { signal } = controller
    this.#running.set(id, controller)
    try {
      const notify: Extra['notify'] = (name, given) => signal.aborted || this.notify(name, given, id)
      const result =
        versionIn(params) === undefined
          ? await this.#answerLegacy(method, params, { id, signal, notify })
          : await answerModern(this.#methods, { method, params }, { id, signal, notify })
      if (!signal.aborted) this.#send({ jsonrpc: '2.0', id, result })
    } catch (error) {
      if (!signal.aborted) this.#send(errorMessage(id, error))
    } finally {
      this.#running.delete(id)
    }
  }

  /** Not async: whatever else the client has sent already counts on the answer to initialize. */
  #answerLegacy(method: string, params: RpcParams, extra: Omit<Extra, 'caller'>): RpcResult | Promise<RpcResult> {
    if (method === 'initialize') return this.#begin(params)
    if (method === 'ping') return {}
    // A client of 2026-07-28 that left out what every request must have is told so.
    if (this.#methods.table[method]?.era === 'modern') return answerModern(this.#methods, { method, params }, extra)
    const { answer } = methodNamed(this.#methods, method, 'legacy')
    if (this.client === undefined) throw tooEarly()
    return answer(params, { ...extra, caller: { era: 'legacy', capabilities: this.client } })
  }

  #begin(params: RpcParams): RpcResult {
    const { capabilities } = params
    const asked = textIn(params, 'protocolVersion')
    if (!isRecord(capabilities))
      throw protocolError(codes.invalidParams, `capabilities must be an object; it is ${describeValue(capabilities)}`)
    this.client = capabilities
    return {
      protocolVersion: legacyVersions.includes(asked) ? asked : legacyVersions[0],
      ...this.#methods.about,
    }
  }

  #send(message: RpcMessage, relatedTo?: RequestId): void {
    const related = relatedTo ?? (message['method'] === undefined ? requestIdIn(message['id']) : undefined)
    this.#transport?.send(message, related).catch((error: unknown) => this.onerror(new Error(String(error))))
  }
}

export const tooEarly = (): Error =>
  protocolError(codes.invalidRequest, 'Too early: first initialize, then notifications/initialized, then this.')
