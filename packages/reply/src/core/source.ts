import { BOM, CR, LF } from './character-codes.ts'
import type { Code } from './codes.ts'

/**
 * A text and where its lines begin. Every syntax reads through this table, so that a line number
 * costs one look-up and no syntax splits the text a second time.
 *
 * A line ends at LF or CRLF; a lone CR is an ordinary character unless `breaks` is `any`. Lines are numbered from 1.
 */
export class Source {
  readonly text: string
  readonly lineCount: number
  /** Whether any line may end in CRLF. */
  readonly hasCr: boolean
  readonly #starts: Uint32Array
  readonly #initials: Uint16Array
  /** Where a line was found last. */
  #near = 0

  constructor(text: string, breaks: 'lf' | 'any' = 'lf') {
    this.text = text
    // As long as the text, so that the offsets of both are the same.
    const { starts, initials, count } = indexLines(breaks === 'lf' ? text : text.replace(/\r(?!\n)/g, '\n'))
    this.#starts = starts
    this.#initials = initials
    this.lineCount = count
    this.hasCr = text.includes('\r')
  }

  /** Offset of the first character of a line. One past the last line gives the end of the text. */
  startOf(line: number): number {
    return line > this.lineCount ? this.text.length : (this.#starts[line - 1] ?? this.text.length)
  }

  /** The code of the first character of a line: of its line break where it is empty, 0 at the end of the text. */
  initial(line: number): number {
    return line > this.lineCount ? 0 : (this.#initials[line - 1] ?? 0)
  }

  /** Offset just after the last character of a line, without its line break. */
  endOf(line: number): number {
    if (line >= this.lineCount) return this.text.length
    const lf = this.startOf(line + 1) - 1
    if (this.hasCr && this.text.charCodeAt(lf) === CR) return lf
    return this.hasCr && lf > this.startOf(line) && this.text.charCodeAt(lf - 1) === CR ? lf - 1 : lf
  }

  /** A line without its line break. */
  line(line: number): string {
    return this.text.slice(this.startOf(line), this.endOf(line))
  }

  /** The number of lines as a person counts them: a line break at the end begins none. */
  get lastLine(): number {
    return this.text.endsWith('\n') ? this.lineCount - 1 : this.lineCount
  }

  /** Lines `first` to `last`, both included, joined with LF whatever they were joined with before. */
  lines(first: number, last: number): string {
    if (last < first) return ''
    return this.withLf(this.startOf(first), this.endOf(last))
  }

  /** The text between two offsets, with LF for CRLF. */
  withLf(start: number, end: number): string {
    return this.asLf(this.text.slice(start, end))
  }

  /** A part of this text with LF for CRLF. */
  asLf(part: string): string {
    return this.hasCr ? part.replace(/\r\n/g, '\n') : part
  }

  /** The line that holds an offset. */
  lineAt(offset: number): number {
    let low = (this.#starts[this.#near] ?? 0) <= offset ? this.#near : 0
    let high = this.lineCount - 1
    // Readers go on from where they were: the next marker is a few lines below.
    for (let step = 1; low + step < high; step *= 2) {
      if ((this.#starts[low + step] ?? 0) > offset) high = low + step
      else low += step
    }
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.#starts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    this.#near = low
    return low + 1
  }
}

/** The first characters beside the offsets: most questions about a line are answered by it, without a look at the text. */
function indexLines(text: string): { starts: Uint32Array; initials: Uint16Array; count: number } {
  let starts = new Uint32Array(Math.max(16, text.length >> 5))
  let initials = new Uint16Array(starts.length)
  initials[0] = text.charCodeAt(0)
  let count = 1
  for (let lf = text.indexOf('\n'); lf !== -1; lf = text.indexOf('\n', lf + 1)) {
    if (count === starts.length) {
      const [fewerStarts, fewerInitials] = [starts, initials]
      starts = new Uint32Array(count * 2)
      starts.set(fewerStarts)
      initials = new Uint16Array(count * 2)
      initials.set(fewerInitials)
    }
    initials[count] = text.charCodeAt(lf + 1)
    starts[count++] = lf + 1
  }
  return { starts, initials, count }
}

/** Lines of a text, both included. */
export interface LineRange {
  readonly first: number
  readonly last: number
}

/** Finds the item that a line belongs to, among items that are in order and do not overlap. */
export function rangeFinder<Item>(
  items: readonly Item[],
  rangeOf: (item: Item) => LineRange,
): (line: number) => Item | undefined {
  return (line) => {
    let low = 0
    let high = items.length
    while (low < high) {
      const middle = (low + high) >> 1
      const item = items[middle]
      if (item !== undefined && rangeOf(item).last < line) low = middle + 1
      else high = middle
    }
    const found = items[low]
    return found !== undefined && rangeOf(found).first <= line ? found : undefined
  }
}

/** A text with spaces for some of its lines, every other character where it was. */
export function blankOut(source: Source, ranges: readonly LineRange[]): Source {
  if (ranges.length === 0) return source
  let text = ''
  let end = 0
  for (const { first, last } of ranges) {
    text += source.text.slice(end, source.startOf(first))
    end = source.endOf(last)
    text += source.text.slice(source.startOf(first), end).replace(/[^\r\n]/g, ' ')
  }
  return new Source(text + source.text.slice(end))
}

/** Characters that `trim` removes, a byte order mark included. */
export const isSpace = (c: number): boolean =>
  c === 32 || (c >= 9 && c <= 13) || (c > 127 && /\s/.test(String.fromCharCode(c)))

/** Where the text of a line begins, after white space; -1 where there is nothing else. */
export function textFrom(source: Source, line: number): number {
  const end = source.endOf(line)
  let at = source.startOf(line)
  while (at < end && isSpace(source.text.charCodeAt(at))) at++
  return at < end ? at : -1
}

/** Whether a line may hold a character after which a pattern finds another beginning of a line: a CR or a separator. */
export const mayBreakInside = ({ text, hasCr }: Source): boolean =>
  hasCr || text.includes('\u2028') || text.includes('\u2029')

/** Whether only white space precedes `at` on its line. */
export function startsLine(text: string, at: number): boolean {
  for (let i = at - 1; i >= 0; i--) {
    const c = text.charCodeAt(i)
    if (c === LF) return true
    if (!isSpace(c)) return false
  }
  return true
}

/** Whether only white space follows on the line of `at`. */
export function endsLine(text: string, at: number): boolean {
  let i = at
  while (text.charCodeAt(i) !== LF && isSpace(text.charCodeAt(i))) i++
  return i >= text.length || text.charCodeAt(i) === LF
}

/** A text without the byte order mark that it may begin with. */
export const withoutBom = (text: string): string => (text.charCodeAt(0) === BOM ? text.slice(1) : text)

/** Some programs copy a text with a carriage return alone at the end of each line: as it is, it would be one line. */
export const withLineFeeds = (text: string): string =>
  text.includes('\r') && !text.includes('\n') ? text.replaceAll('\r', '\n') : text

/** A text that cannot be read to its end. The blocks before were run. */
export class InputError extends Error {
  override readonly name = 'InputError'
  readonly code: Code

  constructor(message: string, code: Code) {
    super(message)
    this.code = code
  }
}
