import type { Source } from '../../core/source.ts'
import { bulletOf } from '../damage.ts'
import { fenceAt, isLine, linesWith, MarkList, type ReadMarker, rowAt } from '../foreign/foreign.ts'

interface Mark {
  readonly line: number
  readonly kind: 'begin' | 'end' | 'section'
  readonly indent: string
  readonly isDamaged: boolean
  readonly row: string
  /** Set where it is an item of a list. */
  readonly isItem?: true
}

export type Patch =
  /** An end that nothing began. */
  | { readonly kind: 'stray' }
  /** A section outside a patch. */
  | { readonly kind: 'outside' }
  /** `last` is the last line that is neither marker. */
  | {
      readonly kind: 'patch'
      readonly indent: string
      readonly last: number
      readonly closed: boolean
      /** The lines of its markers that are damaged. */
      readonly damaged: readonly number[]
      /** Its markers as they are written. */
      readonly shells: readonly string[]
    }

/** Where patches begin and end, found in one pass over the text. */
export class ApplyPatchMarks {
  readonly #source: Source
  readonly #all: MarkList<Mark>

  constructor(source: Source, plain: ReadMarker) {
    this.#source = source
    this.#all = new MarkList(() => findMarks(source, plain))
  }

  /** The first beginning, or end without one, at or after a line. */
  seek(line: number): number {
    return this.#all.marks[this.#all.indexFrom(line)]?.line ?? Infinity
  }

  patchFrom(line: number): Patch {
    const { marks } = this.#all
    const at = this.#all.indexFrom(line)
    const begin = marks[at]
    if (begin?.kind === 'section') return { kind: 'outside' }
    if (begin?.kind !== 'begin') return { kind: 'stray' }
    let next = at + 1
    while (next < marks.length && marks[next]?.indent !== begin.indent) next++
    if (marks[next]?.kind !== 'end') next = this.#lastEnd(at + 1, next)
    const mark = marks[next]
    const closed = mark?.kind === 'end'
    const limit = mark?.line ?? this.#source.lineCount + 1
    const last = closed ? limit - 1 : this.#fenceFrom(line + 1, limit, begin.indent) - 1
    const damaged = begin.isDamaged ? [begin.line] : []
    if (closed && mark.isDamaged) damaged.push(mark.line)
    const isUsual = closed && begin.row === usualShells[0] && mark.row === usualShells[1]
    const shells = isUsual ? usualShells : closed ? [begin.row, mark.row] : [begin.row]
    return { kind: 'patch', indent: begin.indent, last, closed, damaged, shells }
  }

  /** The last end of any indentation before another patch begins; `found` where there is none. */
  #lastEnd(from: number, found: number): number {
    const { marks } = this.#all
    let last = found
    for (let at = from; at < found && marks[at]?.kind !== 'begin'; at++) if (marks[at]?.kind === 'end') last = at
    return last
  }

  /** The first line before `limit` that is a fence. One that is deeper is a line of context with its space. */
  #fenceFrom(line: number, limit: number, indent: string): number {
    for (let at = line; at < limit; at++) {
      const fence = fenceAt(this.#source, at)
      if (fence !== undefined && fence.indent.length <= indent.length) return at
    }
    return limit
  }
}

/** The markers around a patch as nearly all are written. */
export const usualShells = ['*** Begin Patch', '*** End Patch'] as const

const MARK = /^(\s*)\*\*\* ?(Begin|End) Patch(?: \*{3})?\s*$/
const SECTION = /^(\s*)\*\*\* ?(?:Add|Delete|Update) File:/

function findMarks(source: Source, plain: ReadMarker): Mark[] {
  const marks: Mark[] = []
  // The space after these words may be another one by now.
  for (const word of ['Begin', 'End']) {
    for (const line of linesWith(source, word)) {
      const mark = markOn(source, line, plain)
      if (mark !== undefined) marks.push(mark)
    }
  }
  marks.sort((a, b) => a.line - b.line)
  return withSections(
    source,
    plain,
    marks.filter((mark, at) => mark.isItem !== true || isClosed(marks, at)),
  )
}

/** An item of a list may as well tell of patches. */
function isClosed(marks: readonly Mark[], at: number): boolean {
  const next = marks.slice(at + 1).find(({ indent }) => indent === marks[at]?.indent)
  return next?.kind === 'end'
}

/** Sections count only where no patch is open, and there the first of several, with an end that follows them. */
function withSections(source: Source, plain: ReadMarker, marks: readonly Mark[]): Mark[] {
  const sections = new Sections(source, plain)
  const kept: Mark[] = []
  let open: Mark | undefined
  let from = 1
  const lookUntil = (line: number): void => {
    if (open !== undefined || kept.at(-1)?.kind === 'section') return
    const section = sections.first(from, line)
    if (section !== undefined) kept.push(section)
  }
  for (const mark of marks) {
    lookUntil(mark.line)
    from = mark.line + 1
    if (mark.kind === 'begin') open = mark
    else if (open === undefined && kept.at(-1)?.kind === 'section') continue
    else if (mark.indent === open?.indent) open = undefined
    kept.push(mark)
  }
  lookUntil(source.lineCount + 1)
  return kept
}

/** Looks for headers of sections, further and further down. */
class Sections {
  readonly #source: Source
  readonly #plain: ReadMarker
  /** Where each word is next. What is inside patches is never looked at. */
  readonly #words = ['Add File:', 'Delete File:', 'Update File:'].map((word) => ({ word, next: -1 }))

  constructor(source: Source, plain: ReadMarker) {
    this.#source = source
    this.#plain = plain
  }

  /** The first on a line from `from` on, and before `limit`. */
  first(from: number, limit: number): Mark | undefined {
    let first: Mark | undefined
    const begin = this.#source.startOf(from)
    const end = this.#source.startOf(limit)
    for (const word of this.#words) {
      const found = this.#firstWith(word, begin, end)
      if (found !== undefined && found.line < (first?.line ?? Infinity)) first = found
    }
    return first
  }

  #firstWith(search: { readonly word: string; next: number }, begin: number, end: number): Mark | undefined {
    const { text } = this.#source
    if (search.next < begin) search.next = placeOf(text, search.word, begin)
    while (search.next < end) {
      const mark = markOn(this.#source, this.#source.lineAt(search.next), this.#plain)
      if (mark !== undefined) return mark
      search.next = placeOf(text, search.word, search.next + 1)
    }
    return undefined
  }
}

function placeOf(text: string, word: string, from: number): number {
  const at = text.indexOf(word, from)
  return at === -1 ? Infinity : at
}

function markOn(source: Source, line: number, read: ReadMarker): Mark | undefined {
  // What most of them look like; the rest takes longer.
  const [begin, end] = usualShells
  if (isLine(source, line, begin)) return { line, kind: 'begin', indent: '', isDamaged: false, row: begin }
  if (isLine(source, line, end)) return { line, kind: 'end', indent: '', isDamaged: false, row: end }
  const row = rowAt(source, line)
  const plain = read(row)
  const section = SECTION.exec(plain)?.[1]
  if (section !== undefined) return { line, kind: 'section', indent: section, isDamaged: plain !== row, row }
  const [, indent, name] = MARK.exec(plain) ?? []
  if (indent !== undefined)
    return { line, kind: name === 'Begin' ? 'begin' : 'end', indent, isDamaged: plain !== row, row }
  const bullet = bulletOf(plain)
  if (bullet === '' || MARK.exec(plain.slice(bullet.length))?.[2] !== 'Begin') return undefined
  return { line, kind: 'begin', indent: ' '.repeat(bullet.length), isDamaged: true, row, isItem: true }
}
