import type { Finding } from '../../core/diagnostic.ts'
import { type Source, textFrom } from '../../core/source.ts'
import { markerWarning, eachLineWith, isLine, MarkList, type ReadMarker, Rows } from '../foreign/foreign.ts'
import { frameAt, lineWithoutBom } from '../../regions/fences.ts'

/** One head with what belongs to it. */
export interface SearchReplaceEdit {
  readonly line: number
  /** Its old lines and its new ones, each with an LF. */
  readonly search: string
  readonly replace: string
  /** The line the old text begins on, where the block says so. */
  readonly stated?: number
  readonly endLine: number | null
  readonly lastLine: number
  readonly findings: readonly Finding[]
  readonly warnings: readonly string[]
  /** Its markers, where one of them is not written as usual. */
  readonly markup?: readonly string[]
  readonly next: number
  /** The head inside it, if that and all below it are whole: then this one was cut off, and written again. */
  readonly cutBy?: number | undefined
}

/** Reads what opens on a line: a head, or a tail that nothing opened. */
export function readEdit(source: Source, marks: SearchReplaceMarks, line: number, name = ''): SearchReplaceEdit {
  const { head, inner, dividers, end } = withTail(source, outlineEdit(marks, line))
  if (head === undefined) return unreadableEdit(line, line, line + 1, { line, code: 'search-stray' })
  if (end === undefined) return unreadableEdit(line, null, source.lineCount + 1, { code: 'search-open', line })
  if (inner !== undefined) {
    const finding = { code: 'search-inside', data: { first: line, last: end.line } } as const
    const edit = unreadableEdit(line, end.line, end.line + 1, { ...finding, line: inner.line })
    return marks.areWholeFrom(inner.line) ? { ...edit, cutBy: inner.line } : edit
  }
  const divider = findDivider(source, head, dividers, {
    end,
    mayUnderline: /\.(?:md|mdx|markdown|rst|adoc|txt)$/i.test(name),
  })
  if ('code' in divider) return unreadableEdit(line, end.line, end.line + 1, divider)
  return editOf(source, head, end, divider)
}

function editOf(source: Source, head: SearchReplaceMark, end: SearchReplaceMark, divider: Divided): SearchReplaceEdit {
  const { line } = head
  const { rest: word } = head.form
  const [written, replace] = bothSides(source, divider)
  const { stated, search } = startLineOf(written)
  const edit: { -readonly [key in keyof SearchReplaceEdit]: SearchReplaceEdit[key] } = {
    line,
    search,
    replace,
    endLine: end.line,
    lastLine: end.line,
    findings: none,
    warnings: warnOfDividers(head, end, divider, search === replace && search !== ''),
    next: end.line + 1,
  }
  if (stated !== undefined) edit.stated = stated
  if (word !== undefined) {
    const column = lineWithoutBom(source, line).indexOf(word) + 1
    edit.findings = [{ line, column, length: word.length, code: 'search-after-head' }]
  }
  const markup = editMarkup(head, divider.mark, end)
  if (markup !== undefined) edit.markup = markup
  return edit
}

const none: readonly never[] = []

interface MarkOutline {
  /** Missing where a line begins with a tail. */
  readonly head?: SearchReplaceMark
  /** A head that comes before the end. */
  readonly inner?: SearchReplaceMark
  readonly dividers: readonly SearchReplaceMark[]
  /** The tail; missing when none follows. */
  readonly end?: SearchReplaceMark
}

function outlineEdit(marks: SearchReplaceMarks, line: number): MarkOutline {
  let head: SearchReplaceMark | undefined
  let inner: SearchReplaceMark | undefined
  /** The first tail of another size; a head of another size before it has the better claim to it. */
  let other: { tail: SearchReplaceMark; dividers: readonly SearchReplaceMark[] } | 'claimed' | undefined
  const dividers: SearchReplaceMark[] = []
  const all = marks.from(line)
  for (let at = all.first; at < all.marks.length; at++) {
    const mark = all.marks[at]
    if (mark === undefined) break
    const { kind, size, isOther } = mark.form
    if (head === undefined) {
      if (kind === 'tail') return { dividers }
      head = mark
    } else if (kind === 'divider') {
      dividers.push(mark)
    } else if (isOther !== head.form.isOther) {
      continue
    } else if (size === head.form.size) {
      if (kind === 'tail') return { head, dividers, end: mark, inner }
      if (other !== undefined && other !== 'claimed') break
      inner ??= mark
      other ??= 'claimed'
    } else {
      other ??= kind === 'head' ? 'claimed' : { tail: mark, dividers: [...dividers] }
    }
  }
  if (head === undefined) return { dividers }
  return other === undefined || other === 'claimed'
    ? { head, dividers, inner }
    : { head, dividers: other.dividers, end: other.tail }
}

/** A second divider is the tail where there is no other and nothing of the block follows; Aider reads it so too. */
function withTail(source: Source, whole: MarkOutline): MarkOutline {
  const { head, inner, dividers, end } = whole
  if (head === undefined || (end !== undefined && inner === undefined)) return whole
  const own = dividers.filter(({ form, line }) => form.size === head.form.size && line < (inner?.line ?? Infinity))
  const [divider, tail, more] = own
  if (divider === undefined || tail === undefined || more !== undefined) return whole
  return isEditOver(source, tail.line, inner?.line) ? { head, dividers: [divider], end: tail } : whole
}

/** Whether what follows a line is the end of the fence or of the text, or the next block. */
function isEditOver(source: Source, line: number, inner: number | undefined): boolean {
  let next = line + 1
  while (next <= source.lineCount && lineWithoutBom(source, next).trim() === '') next++
  return next > source.lineCount ? line < source.lineCount : next === inner || closesFrame(source, next)
}

const closesFrame = (source: Source, line: number): boolean => {
  const frame = frameAt(source, line)
  return frame !== undefined && frame.info === '' && !frame.opens
}

/** Where the old lines end and the new ones begin and end. */
interface Divided {
  readonly head: number
  readonly mark: SearchReplaceMark
  readonly from: number
  readonly to: number
  /** What there is to say of a second divider. */
  readonly doubled: readonly string[]
}

function bothSides(source: Source, { head, mark, from, to }: Divided): [search: string, replace: string] {
  const isFlush = textFrom(source, head) === source.startOf(head)
  const indent = isFlush ? '' : (/^\s*/.exec(lineWithoutBom(source, head))?.[0] ?? '')
  const rows = new Rows(source, head + 1, to, indent, mark.line)
  return [rows.text(head + 1, mark.line - 1), rows.text(from, to)]
}

/** Some write `:start_line:12` and a line of hyphens above the old text. */
function startLineOf(search: string): { readonly stated?: number; readonly search: string } {
  if (!search.startsWith(':start_line:')) return { search }
  const rows = search.split('\n')
  const stated = /^:start_line:\s*(\d{1,9})\s*$/.exec(rows[0] ?? '')?.[1]
  if (stated === undefined) return { search }
  const above = /^:end_line:\s*\d+\s*$/.test(rows[1] ?? '') ? 2 : 1
  const rest = rows.slice(/^-{5,9}\s*$/.test(rows[above] ?? '') ? above + 1 : above)
  return { stated: Number(stated), search: rest.join('\n') }
}

function warnOfDividers(
  head: SearchReplaceMark,
  end: SearchReplaceMark,
  { mark, doubled }: Divided,
  isSame: boolean,
): readonly string[] {
  if (!head.form.isDamaged && !mark.form.isDamaged && !end.form.isDamaged && !isSame) return doubled
  const warnings: string[] = []
  for (const { form, line } of [head, mark, end]) if (form.isDamaged) warnings.push(markerWarning(line))
  if (isSame) warnings.push(`SEARCH and REPLACE on line ${head.line} are the same; nothing changes there`)
  return [...warnings, ...doubled]
}

const editMarkup = (
  head: SearchReplaceMark,
  divider: SearchReplaceMark,
  tail: SearchReplaceMark,
): readonly string[] | undefined =>
  head.form === usual.head && divider.form === usual.divider && tail.form === usual.tail
    ? undefined
    : [head.form.row, divider.form.row, tail.form.row]

const dividerAt = (head: SearchReplaceMark, mark: SearchReplaceMark, end: SearchReplaceMark): Divided => ({
  head: head.line,
  mark,
  from: mark.line + 1,
  to: end.line - 1,
  doubled: none,
})

function findDivider(
  source: Source,
  head: SearchReplaceMark,
  dividers: readonly SearchReplaceMark[],
  { end, mayUnderline }: { readonly end: SearchReplaceMark; readonly mayUnderline: boolean },
): Divided | Finding {
  const own = dividers.filter(({ form }) => form.size === head.form.size)
  const [divider, second, third] = own.length > 0 ? own : dividers
  if (divider === undefined) return { line: head.line, code: 'search-no-divider' }
  const divided = dividerAt(head, divider, end)
  if (second === undefined || second === end) return divided
  const doubled = [`the divider on line ${second.line} is one too many; it was ignored`]
  // Written twice, or once more before the tail. In a text it may underline a heading.
  if ((third === undefined || third === end) && !mayUnderline) {
    if (second.line === divider.line + 1) return { ...divided, from: second.line + 1, doubled }
    if (isBlankBetween(source, second.line, end.line)) return { ...divided, to: second.line - 1, doubled }
  }
  return { line: second.line, code: 'search-two-dividers', data: { line: divider.line } }
}

function isBlankBetween(source: Source, first: number, last: number): boolean {
  for (let line = first + 1; line < last; line++) if (lineWithoutBom(source, line).trim() !== '') return false
  return true
}

function unreadableEdit(line: number, endLine: number | null, next: number, finding: Finding): SearchReplaceEdit {
  return { line, search: '', replace: '', endLine, lastLine: next - 1, findings: [finding], warnings: none, next }
}

interface SearchReplaceMark {
  readonly line: number
  readonly form: SearchReplaceForm
}

/** Nearly all markers have one of three forms, which they share. */
interface SearchReplaceForm {
  readonly kind: 'head' | 'divider' | 'tail'
  /** How many marks it is written with. */
  readonly size: number
  readonly isDamaged: boolean
  /** As it is written. */
  readonly row: string
  /** Whether its word is ORIGINAL or UPDATED: these belong to each other. */
  readonly isOther: boolean
  /** A word after a head, which does not belong there. */
  readonly rest: string | undefined
}

const HEAD = /^\s*(<{5,9}|-{5,9})\s*(?:SEARCH|ORIGINAL)(?:\s*[>:]|\s+(\S+))?\s*$/
const TAIL = /^\s*(>{5,9}|\+{5,9})\s*(?:REPLACE|UPDATED)\s*$/
const DIVIDER = /^\s*(={5,9})\s*$/

/** Where every marker is, found in one pass, so that unclosed blocks cost no more than closed ones. */
export class SearchReplaceMarks {
  readonly #all: MarkList<SearchReplaceMark>

  constructor(source: Source, plain: ReadMarker) {
    this.#all = new MarkList(() => findSearchReplaceMarks(source, plain))
  }

  /** The first head, or tail without a head, at or after a line. */
  seek(line: number): number {
    const { marks } = this.#all
    let at = this.#all.indexFrom(line)
    while (marks[at]?.form.kind === 'divider') at++
    return marks[at]?.line ?? Infinity
  }

  isHead(line: number): boolean {
    const mark = this.#all.marks[this.#all.indexFrom(line)]
    return mark?.line === line && mark.form.kind === 'head'
  }

  /** Whether the markers from a line on are those of whole blocks, one after another. */
  areWholeFrom(line: number): boolean {
    const { marks } = this.#all
    const first = this.#all.indexFrom(line)
    for (let at = first; at < marks.length; at++) if (marks[at]?.form.kind !== IN_ORDER[(at - first) % 3]) return false
    return (marks.length - first) % 3 === 0
  }

  /** All markers in order, and the index of the first at or after a line. */
  from(line: number): { readonly marks: readonly SearchReplaceMark[]; readonly first: number } {
    return { marks: this.#all.marks, first: this.#all.indexFrom(line) }
  }
}

const IN_ORDER: readonly SearchReplaceForm['kind'][] = ['head', 'divider', 'tail']

function findSearchReplaceMarks(source: Source, plain: ReadMarker): SearchReplaceMark[] {
  const marks: SearchReplaceMark[] = []
  eachLineWith(source, ['SEARCH', 'ORIGINAL', 'REPLACE', 'UPDATED'], (line, word) => {
    const form = searchReplaceFormOn(source, line, word === 'SEARCH' || word === 'ORIGINAL' ? 'head' : 'tail', plain)
    if (form !== undefined) marks.push({ line, form })
  })
  // Dividers mean nothing without a head, and some texts are full of them.
  if (marks.length > 0) addDividers(marks, source, plain)
  return marks.sort((a, b) => a.line - b.line)
}

function addDividers(marks: SearchReplaceMark[], source: Source, plain: ReadMarker): void {
  const { text } = source
  let rest = 0
  for (let at = text.indexOf('====='); at !== -1; at = text.indexOf('=====', rest)) {
    const line = source.lineAt(at)
    rest = Math.max(at + 5, source.startOf(line + 1))
    // A marker is short; a long line is never one.
    if (source.endOf(line) - source.startOf(line) > 200) continue
    const form = searchReplaceFormOn(source, line, 'divider', plain)
    if (form !== undefined) marks.push({ line, form })
  }
}

const asUsual = { size: 7, isDamaged: false, isOther: false, rest: undefined }

/** What most markers look like; the rest takes longer. */
const usual = {
  head: { kind: 'head', row: '<<<<<<< SEARCH', ...asUsual },
  divider: { kind: 'divider', row: '=======', ...asUsual },
  tail: { kind: 'tail', row: '>>>>>>> REPLACE', ...asUsual },
} as const satisfies Record<string, SearchReplaceForm>

const patterns = { head: HEAD, divider: DIVIDER, tail: TAIL }

function searchReplaceFormOn(
  source: Source,
  line: number,
  kind: SearchReplaceForm['kind'],
  read: ReadMarker,
): SearchReplaceForm | undefined {
  if (isLine(source, line, usual[kind].row)) return usual[kind]
  const row = lineWithoutBom(source, line)
  const plain = read(row)
  const found = patterns[kind].exec(plain)
  if (found === null) return undefined
  const isOther = /ORIGINAL|UPDATED/.test(plain)
  return { kind, size: found[1]?.length ?? 0, isDamaged: plain !== row, row, isOther, rest: found[2] }
}
