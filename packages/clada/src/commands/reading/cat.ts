import { forEachOperand, type ReadingRun } from './reading-run.ts'

/** cat: `-n` and `-b` number lines, `-s` leaves out repeated blank ones, `-A` shows what cannot be seen. */
export async function runCat(reader: ReadingRun): Promise<void> {
  const isPlain = !reader.has('-n', '-b', '-s', '-A')
  const lines = new LinePrinter(reader)
  await forEachOperand(reader, async (operand) => {
    for await (const chunk of reader.chunks(operand)) {
      if (isPlain) reader.print(chunk)
      else lines.add(chunk)
    }
  })
}

const LF = 10

/** Goes on from file to file: a line may end in the next one. */
class LinePrinter {
  readonly #reader: ReadingRun
  #number = 0
  #isLineStart = true
  #blankLines = 0

  constructor(reader: ReadingRun) {
    this.#reader = reader
  }

  add(chunk: Buffer): void {
    const out: string[] = []
    for (const byte of chunk) {
      const isBlank = byte === LF && this.#isLineStart
      this.#blankLines = isBlank ? this.#blankLines + 1 : byte === LF || this.#isLineStart ? 0 : this.#blankLines
      if (isBlank && this.#blankLines > 1 && this.#reader.has('-s')) continue
      if (this.#isLineStart && this.#reader.has('-n', '-b') && !(isBlank && this.#reader.has('-b')))
        out.push(`${String(++this.#number).padStart(6)}\t`)
      out.push(this.#reader.has('-A') ? (visible[byte] ?? '') : (verbatim[byte] ?? ''))
      this.#isLineStart = byte === LF
    }
    this.#reader.print(Buffer.from(out.join(''), 'latin1'))
  }
}

const verbatim = Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte))

/** `^A` for control characters, `M-a` for bytes beyond ASCII, `$` before the end of a line. */
const visible = verbatim.map((_, byte) => {
  if (byte === LF) return '$\n'
  const low = byte & 127
  const name = low < 32 ? `^${String.fromCharCode(low + 64)}` : low === 127 ? '^?' : String.fromCharCode(low)
  return byte < 128 ? name : `M-${name}`
})
