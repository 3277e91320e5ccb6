/** The first and the last part of what a program writes, so that a flood costs no memory. */
export class KeptOutput {
  readonly #half: number
  readonly #head: Buffer[] = []
  readonly #tail: Buffer[] = []
  #headBytes = 0
  #tailBytes = 0
  #left = 0
  /** Line breaks, of all that was written. */
  #breaks = 0
  /** Of what is left out. */
  #lastByte: number | undefined

  constructor(limit: number) {
    this.#half = Math.max(1, Math.floor(limit / 2))
  }

  get truncated(): boolean {
    return this.#left > 0
  }

  add(chunk: Buffer): void {
    this.#breaks += breaksIn(chunk)
    const room = this.#half - this.#headBytes
    if (room > 0) {
      const first = chunk.subarray(0, room)
      this.#head.push(first)
      this.#headBytes += first.length
    }
    const rest = chunk.subarray(room)
    if (rest.length === 0) return
    this.#tail.push(rest)
    this.#tailBytes += rest.length
    // Whole chunks go first; what is left over is cut when the text is asked for.
    while (this.#tailBytes - (this.#tail[0]?.length ?? 0) >= this.#half) {
      const gone = this.#tail.shift()
      this.#tailBytes -= gone?.length ?? 0
      this.#left += gone?.length ?? 0
      this.#lastByte = gone?.at(-1)
    }
  }

  /** As text; bytes that are no UTF-8 are replaced. */
  text(): string {
    const head = Buffer.concat(this.#head)
    let tail = Buffer.concat(this.#tail)
    if (tail.length > this.#half) {
      this.#left += tail.length - this.#half
      this.#lastByte = tail.at(tail.length - this.#half - 1)
      tail = tail.subarray(tail.length - this.#half)
      this.#tail.splice(0, this.#tail.length, tail)
      this.#tailBytes = tail.length
    }
    if (this.#left === 0) return Buffer.concat([head, tail]).toString('utf8')
    // Rather at a line break than inside a line.
    const headBreak = head.lastIndexOf(lineFeed)
    const headEnd = headBreak > head.length / 2 ? headBreak : wholeEnd(head)
    const tailBreak = this.#lastByte === lineFeed ? 0 : tail.indexOf(lineFeed) + 1
    const tailStart =
      tailBreak <= tail.length / 2 && (tailBreak > 0 || this.#lastByte === lineFeed) ? tailBreak : undefined
    const from = head.subarray(0, headEnd)
    const to = tail.subarray(tailStart ?? wholeStart(tail))
    const unended = tail.at(-1) === lineFeed ? 0 : 1
    const total = this.#breaks + unended
    const first = breaksIn(from) + (headEnd === headBreak ? 2 : 1)
    const last = Math.max(first, total - breaksIn(to) - unended + (tailStart === undefined ? 1 : 0))
    const mark = `[output truncated] lines ${first}-${last} of ${total} not shown`
    return `${from.toString('utf8')}\n${mark}\n${to.toString('utf8')}`
  }
}

const lineFeed = 10

function breaksIn(bytes: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf(lineFeed); at !== -1; at = bytes.indexOf(lineFeed, at + 1)) count++
  return count
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80

/** Where the last whole character ends. */
function wholeEnd(bytes: Buffer): number {
  let at = bytes.length
  while (at > 0 && bytes.length - at < 3 && isContinuation(bytes[at - 1])) at--
  const lead = bytes[at - 1] ?? 0
  const needed = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1
  return bytes.length - at + 1 >= needed ? bytes.length : at - 1
}

function wholeStart(bytes: Buffer): number {
  let at = 0
  while (at < 3 && isContinuation(bytes[at])) at++
  return at
}
