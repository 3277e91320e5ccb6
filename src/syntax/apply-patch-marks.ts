import type { Source } from '../core/source.ts'
import { fenceAt, linesWith, plainMarker, rowAt } from './foreign-text.ts'

interface Mark {
  readonly line: number
  readonly kind: 'begin' | 'end'
  readonly indent: string
}

export type Patch =
  /** An end that nothing began. */
  | { readonly kind: 'stray' }
  /** `last` is the last line that is neither marker. */
  | { readonly kind: 'patch'; readonly last: number; readonly closed: boolean }

/** Where patches begin and end, found in one pass over the text. */
export class ApplyPatchMarks {
  readonly #source: Source
  #marks: readonly Mark[] | undefined

  constructor(source: Source) {
    this.#source = source
  }

  /** The first beginning, or end without one, at or after a line. */
  seek(line: number): number {
    return this.#all()[this.#indexFrom(line)]?.line ?? Infinity
  }

  patchFrom(line: number): Patch {
    const marks = this.#all()
    const at = this.#indexFrom(line)
    const begin = marks[at]
    if (begin?.kind !== 'begin') return { kind: 'stray' }
    let next = at + 1
    while (next < marks.length && marks[next]?.indent !== begin.indent) next++
    const mark = marks[next]
    if (mark?.kind === 'end') return { kind: 'patch', last: mark.line - 1, closed: true }
    const limit = mark?.line ?? this.#source.lineCount + 1
    return { kind: 'patch', last: this.#fenceFrom(line + 1, limit, begin.indent) - 1, closed: false }
  }

  /** The first line before `limit` that is a fence. One that is deeper is a line of context with its blank. */
  #fenceFrom(line: number, limit: number, indent: string): number {
    for (let at = line; at < limit; at++) {
      const fence = fenceAt(this.#source, at)
      if (fence !== undefined && fence.indent.length <= indent.length) return at
    }
    return limit
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

const MARK = /^(\s*)\*\*\* (Begin|End) Patch\s*$/

function findMarks(source: Source): Mark[] {
  const marks: Mark[] = []
  for (const word of ['Begin Patch', 'End Patch']) {
    for (const line of linesWith(source, word)) {
      const [, indent, name] = MARK.exec(plainMarker(rowAt(source, line))) ?? []
      if (indent !== undefined) marks.push({ line, kind: name === 'Begin' ? 'begin' : 'end', indent })
    }
  }
  return marks.sort((a, b) => a.line - b.line)
}
