import { SPACE, PLUS, MINUS, BACKSLASH, AT } from '../../core/character-codes.ts'
import type { Source } from '../../core/source.ts'
import { lineWithoutBom } from '../../regions/fences.ts'

/** What a diff says about one file, names as written. */
export interface FileSection {
  readonly line: number
  /** The last line that says something. */
  lastLine: number
  /** The line after it. */
  next: number
  git?: string
  old?: WrittenName
  new?: WrittenName
  /** Extended headers by their first words, such as `rename from`. */
  extended: ReadonlyMap<string, WrittenName>
  binary?: number
  /** The text of its hunks, `@@` included; undefined where it has none. */
  patch: string | undefined
  /** Whether any line goes or comes. */
  changes: boolean
  /** Whether its last hunk has all the lines that its header says, or nothing else can follow. */
  satisfied: boolean
  /** Whether the counts of its last hunk announce more that comes or goes, and it ends with a change or takes more than it gives. */
  lacksChanges: boolean
  readonly warnings: string[]
  /** Whether a line without a mark was read as context. */
  hasUnmarked?: true
}

export interface WrittenName {
  readonly text: string
  readonly line: number
}

export const EXTENDED =
  /^(old mode|new mode|new file mode|deleted file mode|rename from|rename to|copy from|copy to|similarity index|dissimilarity index|index) (.*)$/

const GIT = 'diff --git '

const nothing: ReadonlyMap<string, WrittenName> = new Map()

const isMark = (c: number): boolean => c === SPACE || c === PLUS || c === MINUS || c === BACKSLASH

/** Of a row without anything. */
const EMPTY = -1

/** Reads sections one after the other, until something else comes. */
export class UdiffWalk {
  readonly #region: DiffRegion
  readonly #place: 'fenced' | 'open'
  /** The empty lines that were passed last. */
  #emptyRun = { first: 0, rest: 0 }

  constructor(region: DiffRegion, place: 'fenced' | 'open') {
    this.#region = region
    this.#place = place
  }

  read(line: number): { sections: FileSection[]; next: number } {
    const sections: FileSection[] = []
    let at = line
    for (;;) {
      const start = this.#sectionFrom(at)
      if (start === undefined) break
      const section = this.#section(start)
      sections.push(section)
      at = section.next
    }
    return { sections, next: at }
  }

  /** Where a section starts: in a fence the next one at all, elsewhere only blank lines may be between. */
  #sectionFrom(line: number): number | undefined {
    for (let at = line; at <= this.#region.last; at++) {
      if (this.#region.begins(at, GIT) || this.#isNames(at)) return at
      if (this.#place === 'open' && this.#region.row(at).trim() !== '') return undefined
    }
    return undefined
  }

  #isNames(line: number): boolean {
    return this.#region.begins(line, '--- ') && this.#region.begins(line + 1, '+++ ')
  }

  #section(line: number): FileSection {
    const section: FileSection = {
      line,
      lastLine: line,
      next: line + 1,
      extended: nothing,
      patch: undefined,
      changes: false,
      satisfied: true,
      lacksChanges: false,
      warnings: [],
    }
    let at = line
    if (this.#region.begins(at, GIT)) {
      section.git = this.#region.row(at).slice(GIT.length)
      at = this.#extended(section, at + 1)
    }
    if (this.#region.begins(at, '--- ')) {
      section.old = { text: this.#region.row(at).slice(4), line: at }
      at++
      if (this.#region.begins(at, '+++ ')) {
        section.new = { text: this.#region.row(at).slice(4), line: at }
        at++
      }
    }
    section.lastLine = at - 1
    return this.#hunks(section, at)
  }

  #extended(section: FileSection, line: number): number {
    const extended = new Map<string, WrittenName>()
    section.extended = extended
    let at = line
    for (; at <= this.#region.last; at++) {
      const row = this.#region.row(at)
      const [, name, value] = EXTENDED.exec(row) ?? []
      if (name !== undefined && value !== undefined) extended.set(name, { text: value, line: at })
      else if (/^(?:GIT binary patch|Binary files .* differ)\s*$/.test(row)) {
        section.binary = at
        return row.startsWith('GIT') ? this.#afterBinary(at) : at + 1
      } else break
    }
    return at
  }

  /** A binary patch has lines of letters, and blank ones between its parts. */
  #afterBinary(line: number): number {
    let at = line + 1
    while (at <= this.#region.last && /^(?:\S+|(?:literal|delta) \d+|)\s*$/.test(this.#region.row(at))) at++
    return at
  }

  #hunks(section: FileSection, line: number): FileSection {
    let at = line
    for (;;) {
      const start = this.#hunkFrom(at, section.patch === undefined)
      if (start === undefined) break
      at = this.#hunk(section, start)
    }
    section.next = Math.max(at, section.lastLine + 1)
    if (section.patch === undefined) section.satisfied = needsNoHunks(section)
    return section
  }

  /** The first hunk in a fence may go without its header. */
  #hunkFrom(line: number, isFirst: boolean): number | undefined {
    const at = this.#afterEmpty(line)
    if (this.#region.begins(at, '@@')) return at
    const c = this.#region.code(at)
    const isHunk = isFirst && at === line && (c === SPACE || c === PLUS || c === MINUS) && !this.#isNames(at)
    return isHunk ? at : undefined
  }

  #hunk(section: FileSection, line: number): number {
    const header = this.#region.row(line)
    const counts = new HunkCounts(header)
    const hasHeader = header.startsWith('@@')
    if (hasHeader) section.lastLine = line
    let unmarked: number | undefined
    let last = EMPTY
    let at = hasHeader ? line + 1 : line
    for (; at <= this.#region.last; at++) {
      const c = this.#region.code(at)
      if (c !== SPACE && c !== PLUS && (c !== MINUS || this.#region.begins(at, '--')) && this.#endsHunk(at, counts))
        break
      counts.take(c)
      if (c !== BACKSLASH) last = c
      if (c === EMPTY) continue
      section.lastLine = at
      if (!isMark(c)) unmarked ??= at
      else section.changes ||= c === PLUS || c === MINUS
    }
    const text = this.#text(section, line, unmarked !== undefined)
    const hunk = hasHeader ? text : `@@\n${text}`
    section.patch = section.patch === undefined ? hunk : `${section.patch}\n${hunk}`
    section.satisfied = !counts.areShort
    section.lacksChanges = counts.lackChanges && (last === PLUS || last === MINUS || counts.loseLines)
    if (unmarked !== undefined) {
      section.hasUnmarked = true
      section.warnings.push(`line ${unmarked} does not start with ' ', '-' or '+'; it was read as a context line`)
    }
    if (counts.areReached && this.#place === 'open') this.#warnOfRest(section, at)
    return at
  }

  /** The lines of a hunk up to the last that says something, each with a mark. */
  #text(section: FileSection, first: number, hasUnmarked: boolean): string {
    // In a text with LF, a CR belongs to the line of the file that it ends.
    const keepsCr = this.#region.mayHaveCr && !this.#region.hasCr(section.line)
    if (!hasUnmarked && !keepsCr) return this.#region.text(first, section.lastLine)
    const rows: string[] = []
    for (let line = first; line <= section.lastLine; line++) {
      const row = this.#region.row(line)
      const marked = row === '' || isMark(row.charCodeAt(0)) || row.startsWith('@@') ? row : ` ${row}`
      rows.push(keepsCr && line > first && this.#region.hasCr(line) ? `${marked}\r` : marked)
    }
    return rows.join('\n')
  }

  /** Asked for lines that are neither context nor added: nothing else ends one. */
  #endsHunk(line: number, counts: HunkCounts): boolean {
    const row = this.#region.row(line)
    const mark = row[0]
    if (row.startsWith('@@') || row.startsWith(GIT)) return true
    if (mark === '-') return this.#endsAtMinus(line, row, counts)
    if (this.#place === 'fenced' || mark === '\\') return false
    return row !== '' || !this.#goesOn(line) || (counts.areReached && this.#isList(line))
  }

  /** The names of the next file and the signature of a mail begin like a line that goes. */
  #endsAtMinus(line: number, row: string, counts: HunkCounts): boolean {
    if (!row.startsWith('--')) return false
    if (counts.areReached && /^-- ?$/.test(row)) return true
    if (!this.#isNames(line)) return false
    const isBeforeHunk = this.#region.row(line + 2).startsWith('@@')
    // Models count one line of context too many, which is one of each side.
    if (counts.lacksOneEach) return isBeforeHunk && this.#nameOneFile(line)
    return counts.areReached || isBeforeHunk
  }

  /** Whether two names are those of one file, or of one that comes or goes. */
  #nameOneFile(line: number): boolean {
    const [old = '', fresh = ''] = [line, line + 1].map((at) => this.#region.row(at).slice(4).split('\t', 1)[0]?.trim())
    return [old, fresh].includes('/dev/null') || old.replace(/^a\//, '') === fresh.replace(/^b\//, '')
  }

  /** Whether the next line that is not empty belongs to the hunk. */
  #goesOn(line: number): boolean {
    const at = this.#afterEmpty(line)
    return isMark(this.#region.code(at)) && !this.#isNames(at)
  }

  /** Whether the next line that is not empty is an item of a list. */
  #isList(line: number): boolean {
    return /^[-+] \S/.test(this.#region.row(this.#afterEmpty(line)))
  }

  /** The first line that is not empty. Many empty ones are passed once, however often they are asked for. */
  #afterEmpty(line: number): number {
    const { first, rest } = this.#emptyRun
    if (line >= first && line <= rest) return rest
    let at = line
    while (at <= this.#region.last && this.#region.code(at) === EMPTY) at++
    if (at > line) this.#emptyRun = { first: line, rest: at }
    return at
  }

  #warnOfRest(section: FileSection, line: number): void {
    if (this.#region.row(line) !== '' || !this.#isList(line)) return
    const at = this.#afterEmpty(line)
    section.warnings.push(`line ${at} is after the end of the hunk, by its counts, and was left out`)
  }
}

/** Without a hunk, only git's own words say that none is to come: an empty file, or one that stays as it is. */
function needsNoHunks({ extended, binary }: FileSection): boolean {
  const isEmpty = /\be69de29/.test(extended.get('index')?.text ?? '')
  return (
    isEmpty ||
    extended.get('similarity index')?.text.trim() === '100%' ||
    extended.has('new mode') ||
    binary !== undefined
  )
}

/** How many lines of each side a hunk still has, by its header. */
class HunkCounts {
  #old: number | undefined
  #new: number | undefined
  /** Lines that came, without those that went. */
  #balance = 0

  constructor(header: string) {
    const found = header.charCodeAt(0) === AT ? COUNTS.exec(header) : null
    if (found === null) return
    this.#old = Number(found[1] ?? 1)
    this.#new = Number(found[2] ?? 1)
  }

  get areReached(): boolean {
    return this.#old === 0 && this.#new === 0
  }

  /** Whether lines are missing, as far as known: without numbers they may be. */
  get areShort(): boolean {
    return (this.#old ?? 1) > 0 || (this.#new ?? 1) > 0
  }

  /** Whether more lines went than came, and more were to come than to go. */
  get loseLines(): boolean {
    return this.#balance < 0 && (this.#new ?? 0) > (this.#old ?? 0)
  }

  /**
   * Whether more lines of one side are missing than of the other, so that not only context is. Where a side has more than it should,
   * the counts are wrong.
   */
  get lackChanges(): boolean {
    const [old = 0, added = 0] = [this.#old, this.#new]
    return old >= 0 && added >= 0 && old !== added
  }

  get lacksOneEach(): boolean {
    return this.#old === 1 && this.#new === 1
  }

  /** A line of the hunk, by its mark. */
  take(c: number): void {
    if (this.#old === undefined || this.#new === undefined || c === BACKSLASH) return
    if (c !== PLUS) this.#old--
    if (c !== MINUS) this.#new--
    this.#balance += Number(c === PLUS) - Number(c === MINUS)
  }
}

const COUNTS = /^@@+\s*-\d+(?:,(\d{1,9}))?\s+\+\d+(?:,(\d{1,9}))?\s*@@/

/** The lines a diff may take, without the indentation of the place it is in. */
export class DiffRegion {
  readonly first: number
  readonly last: number
  readonly #source: Source
  readonly #indent: string

  constructor(source: Source, indent: string, { first, last }: { first: number; last: number }) {
    this.#source = source
    this.#indent = indent
    this.first = first
    this.last = last
  }

  get mayHaveCr(): boolean {
    return this.#source.hasCr
  }

  /** Empty after the end. */
  row(line: number): string {
    if (line > this.last) return ''
    const row = lineWithoutBom(this.#source, line)
    return this.#indent !== '' && row.startsWith(this.#indent) ? row.slice(this.#indent.length) : row
  }

  /** The code of the first character of a row; `EMPTY` where there is none. Most rows are not needed whole. */
  code(line: number): number {
    if (line <= this.last && this.#indent === '' && line > 1) {
      const c = this.#source.initial(line)
      if (c >= SPACE) return c
    }
    const row = this.row(line)
    return row === '' ? EMPTY : row.charCodeAt(0)
  }

  /** Whether a row begins with some text. */
  begins(line: number, text: string): boolean {
    if (line > this.last || this.#indent !== '' || line === 1) return this.row(line).startsWith(text)
    return this.#source.text.startsWith(text, this.#source.startOf(line))
  }

  /** Lines `first` to `last` as one text. */
  text(first: number, last: number): string {
    if (this.#indent === '' && first > 1) return this.#source.lines(first, last)
    const rows: string[] = []
    for (let line = first; line <= last; line++) rows.push(this.row(line))
    return rows.join('\n')
  }

  /** Whether a line ends in CRLF. */
  hasCr(line: number): boolean {
    if (!this.mayHaveCr || line >= this.#source.lineCount) return false
    return this.#source.startOf(line + 1) - this.#source.endOf(line) === 2
  }

  /** Whether a row before a line matches a pattern, which says by the first character whether it may. */
  hasRow(end: number, mayMatch: (c: number) => boolean, pattern: RegExp): boolean {
    for (let line = this.first; line <= this.last && line < end; line++) {
      if (mayMatch(this.code(line)) && pattern.test(this.row(line))) return true
    }
    return false
  }
}
