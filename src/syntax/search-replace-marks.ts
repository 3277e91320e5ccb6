import type { Source } from '../core/source.ts'
import { linesWith, type ReadMarker, rowAt } from './foreign-text.ts'
import { MarkList } from './mark-list.ts'

export interface Mark {
  readonly line: number
  readonly kind: 'head' | 'divider' | 'tail'
  /** How many marks it is written with. */
  readonly size: number
  readonly isDamaged: boolean
  /** As it is written, where that is not the usual way. */
  readonly unusual: string | undefined
  /** A word behind a head, which does not belong there. */
  readonly behind: string | undefined
}

const HEAD = /^\s*(<{5,9}|-{5,9})\s*SEARCH(?:\s*[>:]|\s+(\S+))?\s*$/
const TAIL = /^\s*(>{5,9}|\+{5,9})\s*REPLACE\s*$/
const DIVIDER = /^\s*(={5,9})\s*$/

/** Where every marker stands, found in one pass, so that unclosed blocks cost no more than closed ones. */
export class SearchReplaceMarks {
  readonly #source: Source
  readonly #plain: ReadMarker
  #found: MarkList<Mark> | undefined

  constructor(source: Source, plain: ReadMarker) {
    this.#source = source
    this.#plain = plain
  }

  /** The first head, or tail without a head, at or after a line. */
  seek(line: number): number {
    const { marks } = this.#all
    let at = this.#all.indexFrom(line)
    while (marks[at]?.kind === 'divider') at++
    return marks[at]?.line ?? Infinity
  }

  isHead(line: number): boolean {
    const mark = this.#all.marks[this.#all.indexFrom(line)]
    return mark?.line === line && mark.kind === 'head'
  }

  /** All markers in order, and the index of the first at or after a line. */
  from(line: number): { readonly marks: readonly Mark[]; readonly first: number } {
    return { marks: this.#all.marks, first: this.#all.indexFrom(line) }
  }

  get #all(): MarkList<Mark> {
    return (this.#found ??= new MarkList(findMarks(this.#source, this.#plain)))
  }
}

function findMarks(source: Source, plain: ReadMarker): Mark[] {
  const marks: Mark[] = []
  const collect = (word: string, kind: Mark['kind'], pattern: RegExp): void => {
    for (const line of linesWith(source, word)) {
      const mark = markOn(source, line, kind, pattern, plain)
      if (mark !== undefined) marks.push(mark)
    }
  }
  collect('SEARCH', 'head', HEAD)
  collect('REPLACE', 'tail', TAIL)
  // Dividers mean nothing without a head, and some texts are full of them.
  if (marks.length > 0) for (const mark of dividers(source, plain)) marks.push(mark)
  return marks.sort((a, b) => a.line - b.line)
}

function* dividers(source: Source, plain: ReadMarker): Generator<Mark> {
  const { text } = source
  let behind = 0
  for (let at = text.indexOf('====='); at !== -1; at = text.indexOf('=====', behind)) {
    const line = source.lineAt(at)
    behind = Math.max(at + 5, source.startOf(line + 1))
    // A marker is short; a long line is none, whatever is in it.
    if (source.endOf(line) - source.startOf(line) > 200) continue
    const mark = markOn(source, line, 'divider', DIVIDER, plain)
    if (mark !== undefined) yield mark
  }
}

/** What most markers look like; the rest takes longer. */
export const usual = { head: '<<<<<<< SEARCH', divider: '=======', tail: '>>>>>>> REPLACE' }

function markOn(source: Source, line: number, kind: Mark['kind'], pattern: RegExp, read: ReadMarker): Mark | undefined {
  const row = rowAt(source, line)
  if (row === usual[kind]) return { line, kind, size: 7, isDamaged: false, unusual: undefined, behind: undefined }
  const plain = read(row)
  const found = pattern.exec(plain)
  if (found === null) return undefined
  return { line, kind, size: found[1]?.length ?? 0, isDamaged: plain !== row, unusual: row, behind: found[2] }
}
