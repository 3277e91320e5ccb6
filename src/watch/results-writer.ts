import type { Document } from '../core/block.ts'
import type { ListenerEvent } from './events.ts'
import type { Place } from './place.ts'
import { type Parts, partsOf, withoutOld, withSection } from './section.ts'
import { type LateWriter, rewrite } from './watched-file.ts'

/**
 * Writes results at the top of a file that its user may be editing. Only our own section is replaced, in the current
 * content; the replaced file is held open for a while, in case an editor still writes to it.
 */
export class ResultsWriter {
  readonly #place: Place
  readonly #tell: (event: ListenerEvent) => void
  readonly #read: (text: string) => Document
  #held: { readonly late: LateWriter; until: number }[] = []
  #section = ''
  #written: Buffer = Buffer.alloc(0)
  #timer: NodeJS.Timeout | undefined
  #going: Promise<unknown> = Promise.resolve()

  constructor(place: Place, tell: (event: ListenerEvent) => void, read: (text: string) => Document) {
    this.#place = place
    this.#tell = tell
    this.#read = read
  }

  /** Whether it is there now: not where the file is gone. */
  put(section: string): Promise<boolean> {
    return this.#inTurn(() => this.#rewrite(section, (bytes) => withSection(this.partsOf(bytes), section)))
  }

  get hasWritten(): boolean {
    return this.#section !== ''
  }

  /** What is ours and what is the user's, wherever they have put it. */
  partsOf(bytes: Buffer): Parts {
    const parts = partsOf(bytes)
    let blocks: Document['blocks'] | undefined
    return withoutOld(parts, this.#section, (line) => {
      blocks ??= this.#read(parts.own.toString('utf8')).blocks
      return blocks.some(({ startLine, endLine }) => startLine <= line && line <= (endLine ?? Infinity))
    })
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#inTurn(() => this.#rescue())
    clearTimeout(this.#timer)
    for (const { late } of this.#held) late.close()
    this.#held = []
  }

  async #rewrite(section: string, change: (bytes: Buffer) => Buffer | undefined): Promise<boolean> {
    // An empty file is one that is being written.
    const done = await rewrite(this.#place.file, change, (bytes) => partsOf(bytes).own.length > 0)
    if (done === undefined) return false
    this.#held.push({ late: done.late, until: performance.now() + holdMs })
    this.#section = section
    this.#written = done.bytes
    this.#lookLater()
    return true
  }

  #lookLater(): void {
    clearTimeout(this.#timer)
    if (this.#held.length > 0)
      this.#timer = setTimeout(() => this.#inTurn(() => this.#rescue()).catch(() => {}), lookEveryMs)
  }

  /** Restores text that was written to a replaced file. */
  async #rescue(): Promise<void> {
    for (const one of this.#held) {
      const text = one.late.text()
      if (text === undefined) continue
      one.until = performance.now() + holdMs
      if (text.length > 0) await this.#bringBack(text)
    }
    const now = performance.now()
    for (const { late, until } of this.#held) if (until < now) late.close()
    this.#held = this.#held.filter(({ until }) => until >= now)
    this.#lookLater()
  }

  async #bringBack(text: Buffer): Promise<void> {
    const written = this.#written
    const brought = await this.#rewrite(this.#section, (bytes) =>
      bytes.equals(written) ? withSection(this.partsOf(text), this.#section) : undefined,
    )
    // A newer version is there already, and both cannot be.
    if (!brought) this.#tell({ kind: 'saved-aside', file: this.#place.scratch.saveConflict('input.md', text) })
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#going.then(work)
    this.#going = next.catch(() => {})
    return next
  }
}

/** After this time without a write, the editor has closed the file. */
const holdMs = 2000
const lookEveryMs = 50
