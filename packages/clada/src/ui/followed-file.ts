import { isUtf8 } from 'node:buffer'
import fs from 'node:fs'

/** Polls one file, and reports its text when it has changed. */
export class FollowedFile {
  readonly file: string
  readonly #limit: number
  readonly #hear: (text: string) => void
  #last: string | undefined
  /** Tells one version of the file from another without reading it. */
  #stamp = ''
  #timer: NodeJS.Timeout | undefined

  constructor(file: string, limit: number, hear: (text: string) => void) {
    this.file = file
    this.#limit = limit
    this.#hear = hear
  }

  get on(): boolean {
    return this.#timer !== undefined
  }

  get isThere(): boolean {
    return fs.existsSync(this.file)
  }

  start(): void {
    if (this.on) return
    this.#last = undefined
    this.#stamp = ''
    // Polling is more reliable than events: editors save by renaming, and some file systems send none.
    this.#timer = setInterval(() => this.#look(), 250).unref()
    this.#look()
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #look(): void {
    const text = this.#read()
    if (text === undefined || text === this.#last) return
    this.#last = text
    this.#hear(text)
  }

  #read(): string | undefined {
    try {
      const stat = fs.statSync(this.file, { bigint: true })
      const stamp = `${stat.ino}:${stat.size}:${stat.mtimeNs}:${stat.ctimeNs}`
      if (stamp === this.#stamp || !stat.isFile() || stat.size > this.#limit) return undefined
      this.#stamp = stamp
      const bytes = fs.readFileSync(this.file)
      // Other bytes would become other characters in the files that the reply writes.
      return isUtf8(bytes) ? bytes.toString('utf8') : undefined
    } catch {
      return undefined
    }
  }
}
