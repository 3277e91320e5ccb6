/** Text in lines. A line break that an element implies is written when something follows it. */
export class LineBuilder {
  readonly #parts: string[] = []
  /** Its last two characters. Asking one long string for them after every change took seconds for a megabyte. */
  #end = ''
  #owed = false

  text(): string {
    return this.#parts.join('')
  }

  get isEmpty(): boolean {
    return this.#end === ''
  }

  get atStart(): boolean {
    return this.#owed || this.isEmpty || this.#end.endsWith('\n')
  }

  /** Text that is exactly as it is written. A line break of its own is the one that was owed. */
  exact(text: string): void {
    if (text === '') return
    if (this.#owed && !text.startsWith('\n')) this.#add('\n')
    this.#owed = false
    this.#add(text)
  }

  /** Text whose white space is for the source of the page only. */
  flowing(text: string): void {
    const one = text.replaceAll(/[ \t\n\r\f]+/g, ' ')
    const bare = this.atStart || this.#end.endsWith(' ') ? one.trimStart() : one
    if (bare !== '') this.exact(bare)
  }

  /** The beginning of something that has lines of its own. */
  open(): void {
    if (this.#owed || !this.atStart) this.#add('\n')
    this.#owed = false
  }

  close(): void {
    this.#owed = true
  }

  /** An empty line before what follows. */
  gap(): void {
    if (this.isEmpty) return
    this.open()
    if (this.#end !== '\n\n') this.#add('\n')
  }

  #add(text: string): void {
    this.#parts.push(text)
    this.#end = (this.#end + text.slice(-2)).slice(-2)
  }
}
