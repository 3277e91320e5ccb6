import { LF, CR } from '../core/character-codes.ts'
/** The lines without their ends. A final line end is followed by one more line, which is empty. */
export function splitLines(text: string): string[] {
  return text.split(/\r\n|\n|\r/)
}

/** The lines with their ends. Only LF ends a line here, as in git: a CR belongs to the line's text. */
export function splitKeepingEnds(text: string): string[] {
  const lines: string[] = []
  let from = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', from)) {
    lines.push(text.slice(from, at + 1))
    from = at + 1
  }
  if (from < text.length) lines.push(text.slice(from))
  return lines
}

/** The lines of a text that replaces or is replaced as whole lines: LF or CRLF between them, none after the last. */
export const splitBlock = (text: string): string[] =>
  text === '' ? [] : text.replaceAll('\r\n', '\n').replace(/\n$/, '').split('\n')

/** Offset after the line end that starts at `at`, or undefined when none does. CRLF is one line end. */
export function afterLineEnd(text: string, at: number): number | undefined {
  const code = text.charCodeAt(at)
  if (code === LF) return at + 1
  if (code !== CR) return undefined
  return text.charCodeAt(at + 1) === LF ? at + 2 : at + 1
}

/** Without the blank lines at both ends, and without the line end of what is then last. Linear, as `/\n+$/` is not. */
export function withoutOuterBlankLines(text: string): string {
  const lines = text.split('\n')
  const first = lines.findIndex((line) => line.trim() !== '')
  const last = lines.findLastIndex((line) => line.trim() !== '')
  return first === -1 ? '' : lines.slice(first, last + 1).join('\n')
}

export type Eol = '\n' | '\r\n'

/** The line end most lines have; LF when there is none or as many of each. A lone CR is not counted. */
export function dominantEol(text: string): Eol {
  let crlf = 0
  let lf = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    if (text.charCodeAt(at - 1) === 13) crlf++
    else lf++
  }
  return crlf > lf ? '\r\n' : '\n'
}

/** Whether a line has more than white space. */
export const hasText = (line: string): boolean => line.trim() !== ''

/** Every LF and CRLF as `eol`; a lone CR stays. */
export function toEol(text: string, eol: Eol): string {
  return text.replace(/\r?\n/g, eol)
}

/** A text that was written without a thought of line ends, with those of a file. */
export const withLineEndsOf = (file: string, text: string): string =>
  dominantEol(file) === '\r\n' && !text.includes('\r') ? toEol(text, '\r\n') : text

/** What is left of a text that does not fit: lines at its beginning and at its end, whole where that is possible. */
export interface CutLines {
  readonly head: string
  readonly tail: string
  /** The first and the last line between them, from 1. */
  readonly first: number
  readonly last: number
  readonly total: number
}

/** Undefined where the text fits. */
export function cutLines(text: string, room: number): CutLines | undefined {
  if (text.length <= room) return undefined
  const half = Math.max(0, Math.floor(room / 2))
  const headEnd = cutBefore(text, half)
  const tailStart = cutAfter(text, text.length - half)
  const head = text.slice(0, headEnd)
  const tail = text.slice(tailStart)
  const total = countLines(text)
  // A line that is cut itself counts as not shown.
  const wholeHead = text[headEnd] === '\n' ? countLines(head) : countLines(head) - 1
  const wholeTail = tail === '' ? 0 : text[tailStart - 1] === '\n' ? countLines(tail) : countLines(tail) - 1
  const first = Math.max(0, wholeHead) + 1
  return { head, tail, first, last: Math.max(first, total - wholeTail), total }
}

const countLines = (text: string): number => text.split('\n').length - (text.endsWith('\n') ? 1 : 0)

/** Never inside a character, and rather at a line break than inside a line. */
function cutBefore(text: string, at: number): number {
  const lf = text.lastIndexOf('\n', at)
  if (lf > at * 0.5) return lf
  return isLowSurrogate(text, at) ? at - 1 : at
}

function cutAfter(text: string, at: number): number {
  const lf = text.indexOf('\n', at)
  if (lf !== -1 && text.length - lf > (text.length - at) * 0.5) return lf + 1
  return isLowSurrogate(text, at) ? at + 1 : at
}

const isLowSurrogate = (text: string, at: number): boolean => (text.charCodeAt(at) & 0xfc00) === 0xdc00

/** Gives each of several texts its share of the room: short ones all they need, the others equal parts of the rest. */
export function divideRoom(lengths: readonly number[], room: number): number[] {
  const shares = lengths.map(() => 0)
  const order = [...lengths.keys()].sort((a, b) => (lengths[a] ?? 0) - (lengths[b] ?? 0))
  let left = room
  for (const [done, index] of order.entries()) {
    const share = Math.min(lengths[index] ?? 0, Math.floor(left / (order.length - done)))
    shares[index] = share
    left -= share
  }
  return shares
}

/** Characters of a token, wherever a budget is given in tokens. */
export const tokenLength = 4

export const estimateTokens = (text: string): number => Math.ceil(text.length / tokenLength)

/** A line in its text: where it starts, where it ends, and where the next one starts. */
export interface LineSpan {
  readonly start: number
  readonly end: number
  readonly next: number
}

/** The lines of a text as an editor counts them: a final line break does not begin another line. */
export function lineSpans(content: string): LineSpan[] {
  const spans: LineSpan[] = []
  let start = 0
  for (let at = 0; at < content.length; at++) {
    const next = afterLineEnd(content, at)
    if (next === undefined) continue
    spans.push({ start, end: at, next })
    start = next
    at = next - 1
  }
  if (start < content.length) spans.push({ start, end: content.length, next: content.length })
  return spans
}

/** The result of `extractNumberedLines`. */
export interface NumberedLines {
  result: string
  lineCount: number
  /** Set when lines were asked for that the content does not have; `result` then holds those it has. */
  outOfRange?: { requested: string; actual: number }
}

/**
 * Lines after their numbers, right-aligned. No `lineSpec` means all lines.
 * @throws for a `lineSpec` that names no lines, unless the content is empty.
 */
export function extractNumberedLines(
  content: string,
  lineSpec: string | undefined,
  delimiter: string = ': ',
): NumberedLines {
  if (content === '') return { result: '', lineCount: 0 }

  const lines = splitLines(content)
  const lineCount = lines.length
  const range = lineSpec ? parseLineSpec(lineSpec) : { first: 1, last: lineCount }
  if ('error' in range) {
    throw new Error(
      range.error === 'form'
        ? `Invalid line specification '${lineSpec}'`
        : `Invalid line range '${lineSpec}' (start must be <= end)`,
    )
  }

  const last = Math.min(range.last, lineCount)
  const width = String(last).length
  const result = lines
    .slice(range.first - 1, last)
    .map((line, index) => `${String(range.first + index).padStart(width)}${delimiter}${line}`)
    .join('\n')
  if (range.last <= lineCount) return { result, lineCount }
  return { result, lineCount, outOfRange: { requested: lineSpec ?? '', actual: lineCount } }
}

/** `4` or `23-43`, counted from 1. Spaces around the numbers are accepted, anything else is not. */
export function parseLineSpec(spec: string): { first: number; last: number } | { error: 'form' | 'order' } {
  const [, from, to = from] = /^\s*(\d+)(?:\s*-\s*(\d+))?\s*$/.exec(spec) ?? []
  const first = Number(from)
  const last = Number(to)
  if (!(first >= 1 && last >= 1)) return { error: 'form' }
  return first > last ? { error: 'order' } : { first, last }
}

/** How many elements are alike at the beginning and, after those, at the end. */
export function countCommonEnds(before: readonly string[], after: readonly string[]): { head: number; tail: number } {
  const shorter = Math.min(before.length, after.length)
  let head = 0
  while (head < shorter && before[head] === after[head]) head++
  let tail = 0
  while (tail < shorter - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++
  return { head, tail }
}

/** How many items at the start of an ordered list are before a place, by halves. */
export function partitionPoint<Item>(items: ArrayLike<Item>, isBefore: (item: Item) => boolean): number {
  let low = 0
  let high = items.length
  while (low < high) {
    const middle = (low + high) >> 1
    const item = items[middle]
    if (item !== undefined && isBefore(item)) low = middle + 1
    else high = middle
  }
  return low
}
