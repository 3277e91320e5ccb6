import type { Source } from '../core/source.ts'
import { bare, looksLikeHeader } from './sham-line.ts'

/**
 * Where every heredoc delimiter and every end marker stands, found in one pass over the text. A heredoc that is
 * never closed would otherwise be searched for to the end of the text, and a hundred thousand of them a hundred
 * thousand times.
 */
export class ShamMarks {
  /** Lines by marker, growing. A line that opens a delimiter instead of closing it is negative. */
  readonly #lines = new Map<string, number | number[]>()

  constructor(source: Source) {
    this.#findDelimiters(source)
    this.#findEnds(source)
  }

  /** The first line behind `line` that is this marker, and whether it opens it. */
  next(marker: string, line: number): { line: number; opens: boolean } | undefined {
    const lines = this.#lines.get(marker) ?? []
    const found = typeof lines === 'number' ? lines : lines[firstBehind(lines, line)]
    if (found === undefined || Math.abs(found) <= line) return undefined
    return { line: Math.abs(found), opens: found < 0 }
  }

  #findDelimiters(source: Source): void {
    const { text } = source
    for (let at = text.indexOf('EOT_'); at !== -1; at = text.indexOf('EOT_', at + 4)) {
      const behindQuote = text.charCodeAt(at - 1) === APOSTROPHE
      if (!behindQuote && !startsLine(text, at)) continue
      const number = source.lineAt(at)
      const line = source.line(number)
      if (!behindQuote) {
        const marker = bare(line)
        if (/^\S+$/.test(marker)) this.#add(marker, number)
      }
      // The last opener on its line ends the line, so a line is matched as a whole once at most.
      else if (endsLine(text, at)) {
        const opened = opener.exec(line)?.[1]
        if (opened !== undefined) this.#add(opened, -number)
      }
    }
  }

  #findEnds(source: Source): void {
    const { text } = source
    for (let at = text.indexOf('#!'); at !== -1; at = text.indexOf('#!', at + 2)) {
      if (!text.startsWith('END_', at + 2) && !text.startsWith('end_', at + 2)) continue
      if (!startsLine(text, at)) continue
      const number = source.lineAt(at)
      this.#add(bare(source.line(number)), number)
    }
  }

  #add(marker: string, line: number): void {
    const lines = this.#lines.get(marker)
    // Most markers stand in a text once, and an array for each would weigh more than the block.
    if (lines === undefined) this.#lines.set(marker, line)
    else if (typeof lines === 'number') this.#lines.set(marker, [lines, line])
    else lines.push(line)
  }
}

/** The first line at or after `line` that looks like a header. Jumps from marker to marker instead of from line to line. */
export function seekHeader(source: Source, line: number): number {
  const { text } = source
  for (let at = text.indexOf('#!', source.startOf(line)); at !== -1; at = text.indexOf('#!', at + 2)) {
    const initial = text.charCodeAt(at + 2) & UPPER
    if ((initial !== S && initial !== N) || !startsLine(text, at)) continue
    const found = source.lineAt(at)
    if (looksLikeHeader(text.slice(at, source.endOf(found)))) return found
  }
  return Infinity
}

const UPPER = 0xdf
const S = 83
const N = 78

function firstBehind(lines: readonly number[], line: number): number {
  let low = 0
  let high = lines.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (Math.abs(lines[middle] ?? 0) > line) high = middle
    else low = middle + 1
  }
  return low
}

/** A key of one word: prose that quotes an opener does not open anything. */
const opener = /^\s*[^\s="'<]+\s*:?=\s*<<'([^']+)'\s*$/

/** Whether nothing but white space stands before `at` on its line. */
function startsLine(text: string, at: number): boolean {
  for (let i = at - 1; i >= 0; i--) {
    const c = text.charCodeAt(i)
    if (c === LF) return true
    if (!isBlank(c)) return false
  }
  return true
}

/** Whether nothing but white space follows the quote that closes the word at `at`. */
function endsLine(text: string, at: number): boolean {
  const quote = text.indexOf("'", at)
  if (quote === -1) return false
  for (let i = quote + 1; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (c === LF) return true
    if (!isBlank(c)) return false
  }
  return true
}

const LF = 10
const APOSTROPHE = 39

/** What `trim` takes away, a byte order mark included. */
const isBlank = (c: number): boolean =>
  c === 32 || (c >= 9 && c <= 13) || (c > 127 && /\s/.test(String.fromCharCode(c)))
