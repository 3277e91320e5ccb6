import type { Source } from '../core/source.ts'
import { fenceAt, linesWith, type ReadMarker, rowAt } from './foreign-text.ts'
import { MarkList } from './mark-list.ts'

interface Mark {
  readonly line: number
  readonly kind: 'begin' | 'end' | 'section'
  readonly indent: string
  readonly isDamaged: boolean
  readonly row: string
}

export type Patch =
  /** An end that nothing began. */
  | { readonly kind: 'stray' }
  /** A section outside of a patch. */
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
  readonly #plain: ReadMarker
  #found: MarkList<Mark> | undefined

  constructor(source: Source, plain: ReadMarker) {
    this.#source = source
    this.#plain = plain
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
    const mark = marks[next]
    const closed = mark?.kind === 'end'
    const limit = mark?.line ?? this.#source.lineCount + 1
    const last = closed ? limit - 1 : this.#fenceFrom(line + 1, limit, begin.indent) - 1
    const damaged = begin.isDamaged ? [begin.line] : []
    if (closed && mark.isDamaged) damaged.push(mark.line)
    const shells = [begin.row, ...(closed ? [mark.row] : [])]
    return { kind: 'patch', indent: begin.indent, last, closed, damaged, shells }
  }

  /** The first line before `limit` that is a fence. One that is deeper is a line of context with its blank. */
  #fenceFrom(line: number, limit: number, indent: string): number {
    for (let at = line; at < limit; at++) {
      const fence = fenceAt(this.#source, at)
      if (fence !== undefined && fence.indent.length <= indent.length) return at
    }
    return limit
  }

  get #all(): MarkList<Mark> {
    return (this.#found ??= new MarkList(findMarks(this.#source, this.#plain)))
  }
}

const MARK = /^(\s*)\*\*\* ?(Begin|End) Patch(?: \*{3})?\s*$/
const SECTION = /^(\s*)\*\*\* ?(?:Add|Delete|Update) File:/

function findMarks(source: Source, plain: ReadMarker): Mark[] {
  const marks: Mark[] = []
  // The blank behind these words may be another one by now.
  for (const word of ['Begin', 'End', 'Add File:', 'Delete File:', 'Update File:']) {
    for (const line of linesWith(source, word)) {
      const mark = markOn(source, line, plain)
      if (mark !== undefined) marks.push(mark)
    }
  }
  return withoutInner(marks.sort((a, b) => a.line - b.line))
}

/** Sections count only where no patch is open, and there the first of several, with an end that follows them. */
function withoutInner(marks: readonly Mark[]): Mark[] {
  const kept: Mark[] = []
  let open: Mark | undefined
  for (const mark of marks) {
    const isOutside = open === undefined && kept.at(-1)?.kind === 'section'
    if (mark.kind === 'begin') open = mark
    else if (mark.kind === 'section' ? open !== undefined || isOutside : isOutside) continue
    else if (mark.kind === 'end' && mark.indent === open?.indent) open = undefined
    kept.push(mark)
  }
  return kept
}

function markOn(source: Source, line: number, read: ReadMarker): Mark | undefined {
  const row = rowAt(source, line)
  // What most of them look like; the rest takes longer.
  if (row === '*** Begin Patch') return { line, kind: 'begin', indent: '', isDamaged: false, row }
  if (row === '*** End Patch') return { line, kind: 'end', indent: '', isDamaged: false, row }
  const plain = read(row)
  const section = SECTION.exec(plain)?.[1]
  if (section !== undefined) return { line, kind: 'section', indent: section, isDamaged: plain !== row, row }
  const [, indent, name] = MARK.exec(plain) ?? []
  if (indent === undefined) return undefined
  return { line, kind: name === 'Begin' ? 'begin' : 'end', indent, isDamaged: plain !== row, row }
}
