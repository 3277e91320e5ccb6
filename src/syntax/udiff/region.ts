import type { Source } from '../../core/source.ts'
import { rowAt } from '../foreign/foreign.ts'

/** The lines a diff may take, without the indentation of the place it is in. */
export class Region {
  readonly first: number
  readonly last: number
  readonly #source: Source
  readonly #indent: string
  readonly mayHaveCr: boolean

  constructor(source: Source, indent: string, { first, last }: { first: number; last: number }) {
    this.#source = source
    this.#indent = indent
    this.mayHaveCr = carriesCr(source)
    this.first = first
    this.last = last
  }

  /** Empty after the end. */
  row(line: number): string {
    if (line > this.last) return ''
    const row = rowAt(this.#source, line)
    return this.#indent !== '' && row.startsWith(this.#indent) ? row.slice(this.#indent.length) : row
  }

  /** The first character of a row; empty where there is none. Most rows are not needed whole. */
  markAt(line: number): string {
    if (line > this.last || this.#indent !== '' || line === 1) return this.row(line).charAt(0)
    const start = this.#source.startOf(line)
    return start < this.#source.endOf(line) ? this.#source.text.charAt(start) : ''
  }

  /** Lines `first` to `last` as one text. */
  text(first: number, last: number): string {
    if (this.#indent === '' && first > 1) return this.#source.lines(first, last)
    const rows: string[] = []
    for (let line = first; line <= last; line++) rows.push(this.row(line))
    return rows.join('\n')
  }

  /** Whether a line ends in CRLF. */
  hasCr(line: number): boolean {
    if (!this.mayHaveCr || line >= this.#source.lineCount) return false
    return this.#source.startOf(line + 1) - this.#source.endOf(line) === 2
  }

  someBefore(end: number, test: (row: string) => boolean): boolean {
    for (let line = this.first; line <= this.last && line < end; line++) if (test(this.row(line))) return true
    return false
  }

  /** Whether any of the words is in it anywhere. */
  mentions(...words: readonly string[]): boolean {
    const text = this.#source.text.slice(this.#source.startOf(this.first), this.#source.startOf(this.last + 1))
    return words.some((word) => text.includes(word))
  }
}

/** Asked once for a text, because it may be long and hold many diffs. */
const withCr = new WeakMap<Source, boolean>()

function carriesCr(source: Source): boolean {
  const known = withCr.get(source)
  if (known !== undefined) return known
  const found = source.text.includes('\r')
  withCr.set(source, found)
  return found
}
