import type { ListenerEvent } from './events.ts'
import type { Place } from './place.ts'
import { partsOf, withSection } from './section.ts'
import { type LateWriter, rewrite } from './watched-file.ts'

/**
 * Puts results on top of a file that its user may be writing to in this very moment. Only our own section is replaced,
 * in whatever stands there by then; and the file that was displaced is held for a while, in case somebody still has
 * it open and goes on writing there.
 */
export class ResultsWriter {
  readonly #place: Place
  readonly #tell: (event: ListenerEvent) => void
  #late: LateWriter | undefined
  #section = ''
  #written: Buffer = Buffer.alloc(0)
  #looks: NodeJS.Timeout[] = []
  #going: Promise<unknown> = Promise.resolve()

  constructor(place: Place, tell: (event: ListenerEvent) => void) {
    this.#place = place
    this.#tell = tell
  }

  async put(section: string): Promise<void> {
    await this.#inTurn(() => this.#rewrite(section, (bytes) => withSection(bytes, section)))
  }

  async close(): Promise<void> {
    await this.#inTurn(() => this.#rescue())
    this.#letGo()
  }

  async #rewrite(section: string, change: (bytes: Buffer) => Buffer | undefined): Promise<boolean> {
    const { file } = this.#place
    // An empty file is one that is being written: nobody watches an empty one.
    const done = await rewrite(file, change, (bytes) => partsOf(bytes).own.length > 0)
    if (done === undefined) return false
    this.#letGo()
    this.#late = done.late
    this.#section = section
    this.#written = done.bytes
    this.#looks = lookAgainMs.map((ms) => setTimeout(() => this.#inTurn(() => this.#rescue()).catch(() => {}), ms))
    return true
  }

  /** Brings back what somebody wrote to the displaced file. */
  async #rescue(): Promise<void> {
    const late = this.#late?.text()
    if (late === undefined || late.length === 0) return
    const written = this.#written
    const brought = await this.#rewrite(this.#section, (bytes) =>
      bytes.equals(written) ? withSection(late, this.#section) : undefined,
    )
    // A newer version is there already, and both cannot be.
    if (!brought) this.#tell({ kind: 'saved-aside', file: this.#place.scratch.saveConflict('input.md', late) })
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#going.then(work)
    this.#going = next.catch(() => {})
    return next
  }

  #letGo(): void {
    for (const timer of this.#looks) clearTimeout(timer)
    this.#looks = []
    this.#late?.close()
    this.#late = undefined
  }
}

const lookAgainMs = [30, 150, 600, 2000]
