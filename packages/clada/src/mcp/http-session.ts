import type http from 'node:http'
import { isRecord } from '@clada/reply/core/is-record.ts'
import { EventStream } from './event-stream.ts'
import { requestIdIn, type RpcMessage, type RequestId, type Transport } from './protocol.ts'

/**
 * The streams of one client of an older revision: one for the answers to each POST, and one that it opens with GET for
 * everything else. A client that lost a stream asks for what it has missed by the id of the last event that it has.
 */
export class HttpSession implements Transport {
  onmessage: Transport['onmessage']
  onclose: Transport['onclose']
  onerror: Transport['onerror']
  readonly #headers: Readonly<Record<string, string>>
  readonly #streams = new Map<string, Stream>()
  readonly #streamOf = new Map<RequestId, Stream>()
  readonly #general: Stream = { name: '0', waiting: new Set() }
  readonly #events = new Map<string, SentEvent>()
  #eventsSize = 0
  #opened = 0
  #sent = 0

  constructor(id: string) {
    this.#headers = { 'mcp-session-id': id }
    this.#streams.set(this.#general.name, this.#general)
  }

  async start(): Promise<void> {}

  close(): void {
    for (const { events } of this.#streams.values()) events?.end()
    this.onclose?.()
  }

  /** Takes one message, or a list of them as 2025-03-26 allows. */
  post(response: http.ServerResponse, body: unknown): void {
    const messages: readonly unknown[] = Array.isArray(body) ? body : [body]
    const ids = messages.flatMap((message) => requestIdOf(message) ?? [])
    if (ids.length === 0) response.writeHead(202, this.#headers).end()
    else {
      const stream: Stream = { name: `${++this.#opened}`, waiting: new Set(ids) }
      this.#streams.set(stream.name, stream)
      for (const id of ids) this.#streamOf.set(id, stream)
      this.#attach(stream, response)
    }
    for (const message of messages) this.onmessage?.(message)
  }

  /** Opens the general stream, or goes on with one that was lost. False where it is open already. */
  listen(response: http.ServerResponse, lastEvent: string | undefined): boolean {
    const last = lastEvent === undefined ? undefined : this.#events.get(lastEvent)
    if (last === undefined && this.#general.events?.isOpen) return false
    const stream = last === undefined ? this.#general : this.#streams.get(last.stream)
    const events = stream === undefined ? new EventStream(response, this.#headers) : this.#attach(stream, response)
    events.open()
    if (lastEvent !== undefined && last !== undefined)
      for (const [id, { stream: name, message }] of this.#events)
        if (name === last.stream && Number(id) > Number(lastEvent)) events.send(message, id)
    // All that was to come has come.
    if (stream === undefined) events.end()
    return true
  }

  async send(message: RpcMessage, relatedTo?: RequestId): Promise<void> {
    const stream = (relatedTo === undefined ? undefined : this.#streamOf.get(relatedTo)) ?? this.#general
    const id = `${++this.#sent}`
    this.#keep(id, { stream: stream.name, message, size: JSON.stringify(message).length })
    stream.events?.send(message, id)
    if (relatedTo === undefined || message['method'] !== undefined) return
    this.#streamOf.delete(relatedTo)
    stream.waiting.delete(relatedTo)
    if (stream.waiting.size > 0 || stream === this.#general) return
    this.#streams.delete(stream.name)
    stream.events?.end()
  }

  /** For a client that lost its stream. The oldest go first; one that is larger than all may be together is not kept. */
  #keep(id: string, event: SentEvent): void {
    this.#events.set(id, event)
    this.#eventsSize += event.size
    for (const [oldest, { size }] of this.#events) {
      if (this.#events.size <= keptEvents && this.#eventsSize <= keptCharacters) return
      this.#events.delete(oldest)
      this.#eventsSize -= size
    }
  }

  #attach(stream: Stream, response: http.ServerResponse): EventStream {
    const events = new EventStream(response, this.#headers)
    stream.events = events
    events.open()
    return events
  }
}

interface Stream {
  readonly name: string
  /** The response that it is sent on, as long as the client reads it. */
  events?: EventStream
  /** Requests without an answer yet. */
  readonly waiting: Set<RequestId>
}

function requestIdOf(message: unknown): RequestId | undefined {
  if (!isRecord(message) || message['method'] === undefined) return undefined
  return requestIdIn(message['id'])
}

interface SentEvent {
  readonly stream: string
  readonly message: RpcMessage
  /** In characters, as it is sent. */
  readonly size: number
}

const keptEvents = 256
const keptCharacters = 16 * 1024 * 1024
