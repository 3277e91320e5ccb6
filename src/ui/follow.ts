import fs from 'node:fs'

/** Looks after one file, and hands out its text when it is another. */
export class FollowedFile {
  readonly file: string
  readonly #limit: number
  readonly #hear: (text: string) => void
  #last: string | undefined
  #on = false

  constructor(file: string, limit: number, hear: (text: string) => void) {
    this.file = file
    this.#limit = limit
    this.#hear = hear
  }

  get on(): boolean {
    return this.#on
  }

  get isThere(): boolean {
    return fs.existsSync(this.file)
  }

  start(): void {
    if (this.#on) return
    this.#on = true
    this.#last = undefined
    // Watching the file itself would lose it when an editor saves by renaming.
    fs.watchFile(this.file, { interval: 250, persistent: false }, this.#look)
    this.#look()
  }

  stop(): void {
    this.#on = false
    fs.unwatchFile(this.file, this.#look)
  }

  readonly #look = (): void => {
    const text = this.#read()
    if (text === undefined || text === this.#last) return
    this.#last = text
    this.#hear(text)
  }

  #read(): string | undefined {
    try {
      const stat = fs.statSync(this.file)
      return stat.isFile() && stat.size <= this.#limit ? fs.readFileSync(this.file, 'utf8') : undefined
    } catch {
      return undefined
    }
  }
}
