import type { Source } from '../core/source.ts'
import { rowAt } from './foreign-text.ts'

/** The lines a diff may take, without the indentation of the place it stands in. */
export class Region {
  readonly first: number
  readonly last: number
  readonly #source: Source
  readonly #indent: string
  readonly #mayHaveCr: boolean

  constructor(source: Source, indent: string, { first, last }: { first: number; last: number }) {
    this.#source = source
    this.#indent = indent
    this.#mayHaveCr = carriesCr(source)
    this.first = first
    this.last = last
  }

  /** Empty behind the end. */
  row(line: number): string {
    if (line > this.last) return ''
    const row = rowAt(this.#source, line)
    return this.#indent !== '' && row.startsWith(this.#indent) ? row.slice(this.#indent.length) : row
  }

  /** Whether a line ends in CRLF. */
  hasCr(line: number): boolean {
    if (!this.#mayHaveCr || line >= this.#source.lineCount) return false
    return this.#source.startOf(line + 1) - this.#source.endOf(line) === 2
  }

  some(test: (row: string, line: number) => boolean): boolean {
    for (let line = this.first; line <= this.last; line++) if (test(this.row(line), line)) return true
    return false
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
