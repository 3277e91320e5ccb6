import type { ServerResponse } from 'node:http'

/** The tabs that listen. What is sent goes to all of them, as server-sent events. */
export class Listeners {
  readonly #open = new Set<ServerResponse>()
  #waiting = ''
  #timer: NodeJS.Timeout | undefined
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

  /** The events of the same moment are sent at once: a run of a thousand actions would else wake every tab a thousand times. */
  send(event: string, data: unknown): void {
    if (this.#open.size === 0) return
    this.#waiting += textOf(event, data)
    if (event === 'state') this.#flush()
    else this.#timer ??= setTimeout(() => this.#flush(), 20)
  }

  #flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (const response of this.#open) response.write(this.#waiting)
    this.#waiting = ''
  }

  close(): void {
    this.#flush()
    for (const response of this.#open) response.end()
    this.#open.clear()
  }
}

export function sendTo(response: ServerResponse, event: string, data: unknown): void {
  response.write(textOf(event, data))
}

/** JSON has no line breaks, so one event is one line of data. */
const textOf = (event: string, data: unknown): string => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
