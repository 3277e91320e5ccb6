import type http from 'node:http'
import type { RpcMessage } from './protocol.ts'

/** Messages as server-sent events on the response to one request. Its headers are sent with the first of them. */
export class EventStream {
  readonly #response: http.ServerResponse
  readonly #headers: Readonly<Record<string, string>>
  #beating: NodeJS.Timeout | undefined

  constructor(response: http.ServerResponse, headers: Readonly<Record<string, string>> = {}) {
    this.#response = response
    this.#headers = headers
    response.on('close', () => clearInterval(this.#beating))
  }

  get isOpen(): boolean {
    return this.#response.headersSent && !this.#response.writableEnded && !this.#response.destroyed
  }

  open(): void {
    if (this.#response.headersSent || this.#response.destroyed) return
    this.#response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      // A proxy that collects the events would hold back questions.
      'x-accel-buffering': 'no',
      ...this.#headers,
    })
    this.#response.flushHeaders()
    // Clients and proxies close streams that are silent for minutes.
    this.#beating = setInterval(() => this.isOpen && this.#response.write(':\n\n'), 30_000).unref()
  }

  send(message: RpcMessage, id?: string): void {
    this.open()
    const named = id === undefined ? '' : `id: ${id}\n`
    if (this.isOpen) this.#response.write(`event: message\n${named}data: ${JSON.stringify(message)}\n\n`)
  }

  end(last?: RpcMessage): void {
    if (last !== undefined) this.send(last)
    clearInterval(this.#beating)
    this.#response.end()
  }
}

export const takesEvents = ({ headers }: http.IncomingMessage): boolean =>
  /\btext\/event-stream\b|\*\/\*/.test(headers.accept ?? '')
