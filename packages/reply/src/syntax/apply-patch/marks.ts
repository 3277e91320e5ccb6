import type { Source } from '../../core/source.ts'
import { matchBullet } from '../damage.ts'
import { eachLineWith, isLine, MarkList, type ReadMarker } from '../foreign/foreign.ts'
import { fenceAt, lineWithoutBom } from '../../regions/fences.ts'

interface PatchMark {
  readonly line: number
  readonly form: PatchMarkForm
}

/** Nearly all markers have one of two forms, which they share. */
interface PatchMarkForm {
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
      readonly markup: readonly string[]
    }

/** Where patches begin and end, found in one pass over the text. */
export class ApplyPatchMarks {
  readonly #source: Source
  readonly #all: MarkList<PatchMark>

  constructor(source: Source, plain: ReadMarker) {
    this.#source = source
    this.#all = new MarkList(() => findPatchMarks(source, plain))
  }

  /** The first beginning, or end without one, at or after a line. */
  seek(line: number): number {
    return this.#all.marks[this.#all.indexFrom(line)]?.line ?? Infinity
  }

  patchFrom(line: number): Patch {
    const { marks } = this.#all
    const at = this.#all.indexFrom(line)
    const begin = marks[at]
    if (begin?.form.kind === 'section') return { kind: 'outside' }
    if (begin?.form.kind !== 'begin') return { kind: 'stray' }
    const { indent } = begin.form
    let next = at + 1
    while (next < marks.length && marks[next]?.form.indent !== indent) next++
    if (marks[next]?.form.kind !== 'end') next = this.#lastEnd(at + 1, next)
    const mark = marks[next]
    const closed = mark?.form.kind === 'end'
    const limit = mark?.line ?? this.#source.lineCount + 1
    const last = closed ? limit - 1 : this.#fenceFrom(line + 1, limit, indent) - 1
    if (begin.form === BEGIN && mark?.form === END)
      return { kind: 'patch', indent, last, closed, damaged: none, markup: usualMarkup }
    const own = closed ? [begin, mark] : [begin]
    const damaged = own.filter(({ form }) => form.isDamaged).map((one) => one.line)
    return { kind: 'patch', indent, last, closed, damaged, markup: own.map(({ form }) => form.row) }
  }

  /** The last end of any indentation before another patch begins; `found` where there is none. */
  #lastEnd(from: number, found: number): number {
    const { marks } = this.#all
    let last = found
    for (let at = from; at < found && marks[at]?.form.kind !== 'begin'; at++)
      if (marks[at]?.form.kind === 'end') last = at
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

const none: readonly never[] = []

/** The markers around a patch as nearly all are written. */
const BEGIN: PatchMarkForm = { kind: 'begin', indent: '', isDamaged: false, row: '*** Begin Patch' }
const END: PatchMarkForm = { kind: 'end', indent: '', isDamaged: false, row: '*** End Patch' }
export const usualMarkup: readonly string[] = [BEGIN.row, END.row]

const MARK = /^(\s*)\*\*\* ?(Begin|End) Patch(?: \*{3})?\s*$/
const SECTION = /^(\s*)\*\*\* ?(?:Add|Delete|Update) File:/

function findPatchMarks(source: Source, plain: ReadMarker): PatchMark[] {
  const marks: PatchMark[] = []
  // The space after these words may be another one by now.
  eachLineWith(source, ['Begin', 'End'], (line) => {
    const form = patchFormOn(source, line, plain)
    if (form !== undefined) marks.push({ line, form })
  })
  const hasItems = marks.some(({ form }) => form.isItem)
  const meant = hasItems ? marks.filter(({ form }, at) => form.isItem !== true || isPatchClosed(marks, at)) : marks
  return withSections(source, plain, meant)
}

/** An item of a list may as well tell of patches. */
function isPatchClosed(marks: readonly PatchMark[], at: number): boolean {
  const next = marks.slice(at + 1).find(({ form }) => form.indent === marks[at]?.form.indent)
  return next?.form.kind === 'end'
}

/** Sections count only where no patch is open, and there the first of several, with an end that follows them. */
function withSections(source: Source, plain: ReadMarker, marks: readonly PatchMark[]): PatchMark[] {
  const sections = new Sections(source, plain)
  const kept: PatchMark[] = []
  let open: PatchMarkForm | undefined
  let from = 1
  const lookUntil = (line: number): void => {
    if (open !== undefined || kept.at(-1)?.form.kind === 'section') return
    const section = sections.first(from, line)
    if (section !== undefined) kept.push(section)
  }
  for (const mark of marks) {
    lookUntil(mark.line)
    from = mark.line + 1
    if (mark.form.kind === 'begin') open = mark.form
    else if (open === undefined && kept.at(-1)?.form.kind === 'section') continue
    else if (mark.form.indent === open?.indent) open = undefined
    kept.push(mark)
  }
  lookUntil(source.lineCount + 1)
  return kept
}

/** Looks for headers of sections, further and further down. What is inside patches is never looked at. */
class Sections {
  readonly #source: Source
  readonly #plain: ReadMarker
  #next = -1

  constructor(source: Source, plain: ReadMarker) {
    this.#source = source
    this.#plain = plain
  }

  /** The first on a line from `from` on, and before `limit`. */
  first(from: number, limit: number): PatchMark | undefined {
    const begin = this.#source.startOf(from)
    const end = this.#source.startOf(limit)
    if (this.#next < begin) this.#next = fileFrom(this.#source.text, begin)
    while (this.#next < end) {
      const line = this.#source.lineAt(this.#next)
      const form = patchFormOn(this.#source, line, this.#plain)
      if (form !== undefined) return { line, form }
      this.#next = fileFrom(this.#source.text, this.#next + 1)
    }
    return undefined
  }
}

/** Where the words of a header are next. */
function fileFrom(text: string, from: number): number {
  for (let at = text.indexOf('File:', from); at !== -1; at = text.indexOf('File:', at + 1)) {
    if (text.startsWith('Add ', at - 4) || text.startsWith('Delete ', at - 7) || text.startsWith('Update ', at - 7))
      return at
  }
  return Infinity
}

function patchFormOn(source: Source, line: number, read: ReadMarker): PatchMarkForm | undefined {
  // What most of them look like; the rest takes longer.
  if (isLine(source, line, BEGIN.row)) return BEGIN
  if (isLine(source, line, END.row)) return END
  const row = lineWithoutBom(source, line)
  const plain = read(row)
  const section = SECTION.exec(plain)?.[1]
  if (section !== undefined) return { kind: 'section', indent: section, isDamaged: plain !== row, row }
  const [, indent, name] = MARK.exec(plain) ?? []
  if (indent !== undefined) return { kind: name === 'Begin' ? 'begin' : 'end', indent, isDamaged: plain !== row, row }
  const bullet = matchBullet(plain)
  if (bullet === '' || MARK.exec(plain.slice(bullet.length))?.[2] !== 'Begin') return undefined
  return { kind: 'begin', indent: ' '.repeat(bullet.length), isDamaged: true, row, isItem: true }
}
