import type { ServerResponse } from 'node:http'

/** The tabs that listen. What is sent goes to all of them, as server-sent events. */
export class Listeners {
  readonly #open = new Set<ServerResponse>()
  readonly #onCount: (count: number) => void

  constructor(onCount: (count: number) => void) {
    this.#onCount = onCount
  }

  get count(): number {
    return this.#open.size
  }

  add(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
    // So that a tab notices when the server is gone without a word.
    const beat = setInterval(() => response.write(': here\n\n'), 15_000)
    beat.unref()
    this.#open.add(response)
    this.#onCount(this.count)
    response.on('close', () => {
      clearInterval(beat)
      this.#open.delete(response)
      this.#onCount(this.count)
    })
  }

  send(event: string, data: unknown): void {
    for (const response of this.#open) sendTo(response, event, data)
  }

  close(): void {
    for (const response of this.#open) response.end()
    this.#open.clear()
  }
}

/** JSON has no line breaks, so one event is one line of data. */
export function sendTo(response: ServerResponse, event: string, data: unknown): void {
  response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
}
