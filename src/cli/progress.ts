import fs from 'node:fs'
import { now } from '../core/clock.ts'
import type { ActionResult } from '../core/result.ts'
import { printable } from '../report/printable.ts'
import { isTerminal } from './terminal.ts'

/** Says on stderr how far a long run is. A short one says nothing. */
export class Progress {
  readonly #live = isTerminal(2)
  #next = now() + 1000
  #shown = false

  step({ seq, action, params }: ActionResult): void {
    const time = now()
    if (time < this.#next) return
    // A terminal has one line that changes; a log should not fill up.
    this.#next = time + (this.#live ? 100 : 10_000)
    const target = typeof params['path'] === 'string' ? ` ${params['path']}` : ''
    const done = seq === 1 ? '1 action' : `${seq} actions`
    const line = printable(`${done} done, ${action}${target}`).slice(0, 100)
    fs.writeSync(2, this.#live ? `\r\u001b[K${line}` : `clada: ${line}\n`)
    this.#shown = true
  }

  end(): void {
    if (this.#shown && this.#live) fs.writeSync(2, '\r\u001b[K')
  }
}
