import type { Source } from '../core/source.ts'
import { linesWith, plainMarker, rowAt } from './foreign-text.ts'

export interface Mark {
  readonly line: number
  readonly kind: 'head' | 'divider' | 'tail'
  /** How many marks it is written with. */
  readonly size: number
}

const HEAD = /^\s*(<{5,9})\s*SEARCH(?:\s*[>:]|\s+(\S+))?\s*$/
const TAIL = /^\s*(>{5,9})\s*REPLACE\s*$/
const DIVIDER = /^\s*(={5,9})\s*$/

/** The word behind a head that does not belong there; undefined when there is none. */
export function wordBehindHead(line: string): string | undefined {
  return HEAD.exec(plainMarker(line))?.[2]
}

/** Where every marker stands, found in one pass, so that unclosed blocks cost no more than closed ones. */
export class SearchReplaceMarks {
  readonly #source: Source
  #marks: readonly Mark[] | undefined

  constructor(source: Source) {
    this.#source = source
  }

  /** The first head, or tail without a head, at or after a line. */
  seek(line: number): number {
    const marks = this.#all()
    let at = this.#indexFrom(line)
    while (marks[at]?.kind === 'divider') at++
    return marks[at]?.line ?? Infinity
  }

  isHead(line: number): boolean {
    const mark = this.#all()[this.#indexFrom(line)]
    return mark?.line === line && mark.kind === 'head'
  }

  /** All markers in order, and the index of the first at or after a line. */
  from(line: number): { readonly marks: readonly Mark[]; readonly first: number } {
    return { marks: this.#all(), first: this.#indexFrom(line) }
  }

  #indexFrom(line: number): number {
    const marks = this.#all()
    let low = 0
    let high = marks.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((marks[middle]?.line ?? Infinity) < line) low = middle + 1
      else high = middle
    }
    return low
  }

  #all(): readonly Mark[] {
    return (this.#marks ??= findMarks(this.#source))
  }
}

function findMarks(source: Source): Mark[] {
  const marks: Mark[] = []
  const collect = (word: string, kind: Mark['kind'], pattern: RegExp): void => {
    for (const line of linesWith(source, word)) {
      const size = pattern.exec(plainMarker(rowAt(source, line)))?.[1]?.length
      if (size !== undefined) marks.push({ line, kind, size })
    }
  }
  collect('SEARCH', 'head', HEAD)
  collect('REPLACE', 'tail', TAIL)
  // Dividers mean nothing without a head, and some texts are full of them.
  if (marks.length > 0) for (const mark of dividers(source)) marks.push(mark)
  return marks.sort((a, b) => a.line - b.line)
}

function* dividers(source: Source): Generator<Mark> {
  const { text } = source
  let behind = 0
  for (let at = text.indexOf('====='); at !== -1; at = text.indexOf('=====', behind)) {
    const line = source.lineAt(at)
    behind = Math.max(at + 5, source.startOf(line + 1))
    // A marker is short; a long line is none, whatever is in it.
    if (source.endOf(line) - source.startOf(line) > 200) continue
    const size = DIVIDER.exec(plainMarker(rowAt(source, line)))?.[1]?.length
    if (size !== undefined) yield { line, kind: 'divider', size }
  }
}
