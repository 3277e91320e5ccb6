/** The first and the last part of what a program writes, so that a flood costs no memory. */
export class KeptOutput {
  readonly #half: number
  readonly #head: Buffer[] = []
  readonly #tail: Buffer[] = []
  #headBytes = 0
  #tailBytes = 0
  #left = 0

  constructor(limit: number) {
    this.#half = Math.max(1, Math.floor(limit / 2))
  }

  get truncated(): boolean {
    return this.#left > 0
  }

  add(chunk: Buffer): void {
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
      const gone = this.#tail.shift()?.length ?? 0
      this.#tailBytes -= gone
      this.#left += gone
    }
  }

  /** As text; bytes that are no UTF-8 are replaced. */
  text(): string {
    const head = Buffer.concat(this.#head)
    let tail = Buffer.concat(this.#tail)
    if (tail.length > this.#half) {
      this.#left += tail.length - this.#half
      tail = tail.subarray(tail.length - this.#half)
      this.#tail.splice(0, this.#tail.length, tail)
      this.#tailBytes = tail.length
    }
    if (this.#left === 0) return Buffer.concat([head, tail]).toString('utf8')
    return `${head.subarray(0, wholeEnd(head)).toString('utf8')}\n[output truncated]\n${tail.subarray(wholeStart(tail)).toString('utf8')}`
  }
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
