import { LF } from '../core/character-codes.ts'
import type { Source } from '../core/source.ts'
import { foldText } from './characters.ts'
import { numberSequence, overlappingMatches } from './search.ts'

/** The ways in which a line of an edit may be the same as a line of a file; each forgives what those before it forgive. */
export const views = ['exact', 'trailing-space', 'indentation', 'characters'] as const
export type ViewName = (typeof views)[number]

/** `letter` is `exact` with the CR of a CRLF; `context` is `characters` with the indentation, and one space for several. */
type LineComparison = ViewName | 'letter' | 'context'

/** What is left of a line when it is compared. */
const keys: Readonly<Record<LineComparison, (line: string) => string>> = {
  letter: (line) => line,
  context: (line) =>
    foldText(line)
      .trimEnd()
      .replace(/(?<=\S)[ \t]{2,}/g, ' '),
  exact: withoutCr,
  'trailing-space': (line) => line.trimEnd(),
  indentation: (line) => line.trimEnd().replace(/^[ \t]+/, ''),
  characters: (line) => foldText(line).trim(),
}

export const comparisonKey = (line: string, view: LineComparison): string => keys[view](line)

export function withoutCr(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line
}

/** The lines of a file, without the empty one after a final newline. Numbered from 0. */
export class FileLines {
  readonly text: string
  readonly count: number
  readonly #source: Source
  readonly #indexes = new Map<LineComparison, LineIndex>()

  constructor(source: Source) {
    this.#source = source
    this.text = source.text
    // Nothing is on the last line of a text that ends with a line break.
    this.count = source.startOf(source.lineCount) === this.text.length ? source.lineCount - 1 : source.lineCount
  }

  line(at: number): string {
    return this.#source.line(at + 1)
  }

  /** Offset of a line; after the last, the end of the text. */
  startOf(at: number): number {
    return at >= this.count ? this.text.length : this.#source.startOf(at + 1)
  }

  /** The line end of a line; empty after the last line of a text that has none there. */
  eolOf(at: number): '' | '\n' | '\r\n' | '\r' {
    if (at < 0 || at >= this.count) return ''
    const end = this.startOf(at + 1)
    switch (end - this.#source.endOf(at + 1)) {
      case 0:
        return ''
      case 1:
        return this.text.charCodeAt(end - 1) === LF ? '\n' : '\r'
      default:
        return '\r\n'
    }
  }

  /** How many lines are the same as a line in a view. */
  countOf(line: string, view: LineComparison): number {
    const { counts, numbers } = this.#index(view)
    return counts[numbers.get(keys[view](line)) ?? -1] ?? 0
  }

  /** Where they are. */
  places(line: string, view: LineComparison): number[] {
    const { ids, numbers } = this.#index(view)
    const id = numbers.get(keys[view](line))
    const found: number[] = []
    if (id !== undefined) for (let at = ids.indexOf(id); at !== -1; at = ids.indexOf(id, at + 1)) found.push(at)
    return found
  }

  /** Every line from which the wanted ones follow one another, overlaps included. */
  find(wanted: readonly string[], view: LineComparison): number[] {
    const { ids, numbers } = this.#index(view)
    const key = keys[view]
    const pattern: number[] = []
    for (const line of wanted) {
      const id = numbers.get(key(line))
      if (id === undefined) return []
      pattern.push(id)
    }
    return [
      ...overlappingMatches(numberSequence(ids), numberSequence(pattern), Math.max(0, ids.indexOf(pattern[0] ?? -1))),
    ]
  }

  #index(view: LineComparison): LineIndex {
    const known = this.#indexes.get(view)
    if (known !== undefined) return known
    const key = keys[view]
    const ids = new Int32Array(this.count)
    const numbers = new Map<string, number>()
    const counts: number[] = []
    for (let at = 0; at < this.count; at++) {
      const line = key(view === 'letter' ? this.#withCr(at) : this.line(at))
      let id = numbers.get(line)
      if (id === undefined) numbers.set(line, (id = numbers.size))
      ids[at] = id
      counts[id] = (counts[id] ?? 0) + 1
    }
    const index = { ids, numbers, counts }
    this.#indexes.set(view, index)
    return index
  }

  #withCr(at: number): string {
    const end = this.startOf(at + 1)
    return this.text.slice(this.startOf(at), this.text.charCodeAt(end - 1) === LF ? end - 1 : end)
  }
}

/** Equal lines have equal numbers, so that a line is compared as a text only once. */
interface LineIndex {
  readonly ids: Int32Array
  readonly numbers: ReadonlyMap<string, number>
  /** How often each number is there. */
  readonly counts: readonly number[]
}
