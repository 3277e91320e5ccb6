import type { Source } from '../core/source.ts'
import type { Slip } from './foreign-block.ts'
import { damageWarning, rowAt, Rows } from './foreign-text.ts'
import { type Mark, type SearchReplaceMarks, usual } from './search-replace-marks.ts'

/** One head with what belongs to it. */
export interface Edit {
  readonly line: number
  readonly search: readonly string[]
  readonly replace: readonly string[]
  /** The line the old text begins on, where the block says so. */
  readonly stated?: number
  readonly endLine: number | null
  readonly lastLine: number
  readonly slips: readonly Slip[]
  readonly warnings: readonly string[]
  /** Its markers, where one of them is not written as usual. */
  readonly shells?: readonly string[]
  readonly next: number
}

/** Reads what opens on a line: a head, or a tail that nothing opened. */
export function readEdit(source: Source, marks: SearchReplaceMarks, line: number): Edit {
  const { head, inner, dividers, end } = outline(marks, line)
  if (head === undefined) return broken(line, line, line + 1, stray(line))
  if (end === undefined) return broken(line, null, source.lineCount + 1, unclosed(line))
  if (inner !== undefined) return broken(line, end.line, end.line + 1, headInside(inner.line, line, end.line))
  const divider = dividerOf(head, dividers)
  if ('message' in divider) return broken(line, end.line, end.line + 1, divider)

  const [written, replace] = contents(source, [line, divider.line, end.line])
  const { stated, search } = startLineOf(written)
  const word = head.behind
  return {
    line,
    search,
    replace,
    ...(stated === undefined ? {} : { stated }),
    endLine: end.line,
    lastLine: end.line,
    slips: word === undefined ? [] : [behindHead(line, rowAt(source, line).indexOf(word) + 1, word)],
    warnings: warningsOf([head, divider, end], search, replace),
    ...shellsOf([head, divider, end]),
    next: end.line + 1,
  }
}

interface Outline {
  /** Missing where a line begins with a tail. */
  readonly head?: Mark
  /** A head that comes before the end. */
  readonly inner?: Mark
  readonly dividers: readonly Mark[]
  /** The tail; missing when none follows. */
  readonly end?: Mark
}

function outline(marks: SearchReplaceMarks, line: number): Outline {
  let head: Mark | undefined
  let inner: Mark | undefined
  /** The first tail of another size; a head of another size before it has the better claim to it. */
  let other: { tail: Mark; dividers: readonly Mark[] } | 'claimed' | undefined
  const dividers: Mark[] = []
  const all = marks.from(line)
  for (let at = all.first; at < all.marks.length; at++) {
    const mark = all.marks[at]
    if (mark === undefined) break
    if (head === undefined) {
      if (mark.kind === 'tail') return { dividers }
      head = mark
    } else if (mark.kind === 'divider') {
      dividers.push(mark)
    } else if (mark.size === head.size) {
      if (mark.kind === 'tail') return { head, dividers, end: mark, ...(inner && { inner }) }
      if (other !== undefined && other !== 'claimed') break
      inner ??= mark
      other ??= 'claimed'
    } else {
      other ??= mark.kind === 'head' ? 'claimed' : { tail: mark, dividers: [...dividers] }
    }
  }
  if (head === undefined) return { dividers }
  return other === undefined || other === 'claimed'
    ? { head, dividers }
    : { head, dividers: other.dividers, end: other.tail }
}

type Lines = readonly [head: number, divider: number, tail: number]

function contents(source: Source, [head, divider, tail]: Lines): [readonly string[], readonly string[]] {
  const indent = /^\s*/.exec(rowAt(source, head))?.[0] ?? ''
  const rows = new Rows(source, head + 1, tail - 1, indent, divider)
  const search: string[] = []
  const replace: string[] = []
  for (let line = head + 1; line < divider; line++) search.push(rows.row(line))
  for (let line = divider + 1; line < tail; line++) replace.push(rows.row(line))
  return [search, replace]
}

/** Some write `:start_line:12` and a line of hyphens above the old text. */
function startLineOf(search: readonly string[]): { readonly stated?: number; readonly search: readonly string[] } {
  const stated = /^:start_line:\s*(\d{1,9})\s*$/.exec(search[0] ?? '')?.[1]
  if (stated === undefined) return { search }
  const above = /^:end_line:\s*\d+\s*$/.test(search[1] ?? '') ? 2 : 1
  return { stated: Number(stated), search: search.slice(/^-{5,9}\s*$/.test(search[above] ?? '') ? above + 1 : above) }
}

function warningsOf(marks: readonly Mark[], search: readonly string[], replace: readonly string[]): string[] {
  const warnings: string[] = []
  for (const { isDamaged, line } of marks) if (isDamaged) warnings.push(damageWarning(line))
  if (search.length > 0 && areSame(search, replace)) {
    warnings.push(`SEARCH and REPLACE on line ${marks[0]?.line} are the same; nothing changes there`)
  }
  return warnings
}

const shellsOf = (marks: readonly Mark[]): Pick<Edit, 'shells'> =>
  marks.every(({ unusual }) => unusual === undefined)
    ? {}
    : { shells: marks.map(({ kind, unusual }) => unusual ?? usual[kind]) }

const areSame = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((row, at) => row === others[at])

function dividerOf(head: Mark, dividers: readonly Mark[]): Mark | Slip {
  const own = dividers.filter(({ size }) => size === head.size)
  const [divider, second] = own.length > 0 ? own : dividers
  if (divider === undefined) {
    return {
      line: head.line,
      message: 'SEARCH without =======',
      hint: 'Put ======= on a line of its own between the old text and the new.',
    }
  }
  if (second === undefined) return divider
  return {
    line: second.line,
    message: `A second divider: the first is on line ${divider.line}, and either may be content`,
    hint: 'Write all three markers of the block with a number of marks, from 5 to 9, that no line of the content has.',
  }
}

function broken(line: number, endLine: number | null, next: number, slip: Slip): Edit {
  return { line, search: [], replace: [], endLine, lastLine: next - 1, slips: [slip], warnings: [], next }
}

const stray = (line: number): Slip => ({
  line,
  message: 'REPLACE without SEARCH',
  hint: 'Begin the block with <<<<<<< SEARCH, the old text and =======.',
})

const unclosed = (line: number): Slip => ({
  code: 'truncated',
  line,
  message: 'Block not closed: the text ends before >>>>>>> REPLACE',
  hint: `End the block with >>>>>>> REPLACE. Nothing from line ${line} on was executed: send it again, whole.`,
})

const headInside = (line: number, first: number, last: number): Slip => ({
  line,
  message: `SEARCH inside the block of line ${first}`,
  hint: `Close the block of line ${first} with >>>>>>> REPLACE before another begins; where such lines are content, write its own markers with more marks. Nothing from line ${first} to ${last} was executed.`,
})

const behindHead = (line: number, column: number, word: string): Slip => ({
  line,
  column,
  length: word.length,
  message: 'Text behind SEARCH',
  hint: 'The file name stands on the line before the marker, the old text on the lines below it.',
})
