import { afterLineEnd } from './lines.ts'
import { CELL, type Cell } from './nearest-survey.ts'
import { plainCode } from './plain.ts'
import { afford, type Work } from './work.ts'

interface Lines {
  /** Number of the first of them. */
  first: number
  lines: string[]
}

/**
 * The lines from `first` to `last`, as far as there are such, read from a place in or near them. A very long
 * line bounds them like the end of the file; undefined when the place is in one or there is not the work left.
 */
export function linesNear(
  content: string,
  place: { line: number; start: number },
  first: number,
  last: number,
  work: Work,
): Lines | undefined {
  let line = place.line
  let from = lineStart(content, place.start)
  if (from === undefined) return undefined
  while (line > first && from > 0) {
    const before = lineStart(content, beforeLineEnd(content, from))
    if (before === undefined) break
    from = before
    line--
  }

  const firstLine = Math.max(first, line)
  const lines: string[] = []
  let start = from
  let at = from
  while (line <= last && at - start <= LONG) {
    const next = at < content.length ? afterLineEnd(content, at) : at
    if (next === undefined) {
      at++
      continue
    }
    if (line >= first) lines.push(content.slice(start, at))
    if (at === content.length) break
    line++
    start = next
    at = next
  }
  if (!afford(work, 2 * (at - from) + Math.max(0, place.start - from))) return undefined
  return { first: firstLine, lines }
}

const LONG = 5000

/** A stretch of the content around a cell in one line, with the offset that each of its characters is from. */
interface Region {
  text: string
  offsets: number[]
}

/**
 * The line of the cell, or as much of it as may matter for a text of `size` characters; with lines around
 * it when it is shorter than that, because the text may have been one line where the file has several.
 */
export function regionAround(content: string, cell: Cell, size: number, work: Work): Region | undefined {
  const reach = size + MARGIN
  const lowest = Math.max(0, cell.start - reach)
  const highest = Math.min(content.length, cell.start + CELL + reach)
  let from = cell.start
  let to = cell.start
  while (from > lowest && !isLineEnd(content, from - 1)) from--
  while (to < highest && !isLineEnd(content, to)) to++
  if (to - from < size) {
    from = Math.max(lowest, from - size)
    to = Math.min(highest, to + size)
  }
  if (!afford(work, 2 * (to - from))) return undefined

  const codes: string[] = []
  const offsets: number[] = []
  for (let at = from; at < to; at++) {
    const code = plainCode(content.charCodeAt(at))
    if (code === 0 && (codes.length === 0 || codes.at(-1) === ' ')) continue
    codes.push(code === 0 ? ' ' : String.fromCharCode(code))
    offsets.push(at)
  }
  return { text: codes.join(''), offsets }
}

const MARGIN = 40

/** How many line ends start in `content` from `from` on and before `to`. */
export function lineEndsBetween(content: string, from: number, to: number): number {
  let count = 0
  for (let at = from; at < to; at++) {
    const next = afterLineEnd(content, at)
    if (next === undefined) continue
    count++
    at = next - 1
  }
  return count
}

/** The lines from `start` to `end`; of very long ones what is near. */
export function withLines(content: string, start: number, end: number): string {
  const lowest = Math.max(0, start - ASIDE)
  const highest = Math.min(content.length, end + ASIDE)
  let from = start
  let to = end
  while (from > lowest && !isLineEnd(content, from - 1)) from--
  while (to < highest && !isLineEnd(content, to)) to++
  const before = from > 0 && !isLineEnd(content, from - 1) ? '…' : ''
  const after = to < content.length && !isLineEnd(content, to) ? '…' : ''
  return before + content.slice(from, to) + after
}

const ASIDE = 60

function lineStart(content: string, from: number): number | undefined {
  let at = from
  while (at > 0 && !isLineEnd(content, at - 1)) {
    at--
    if (from - at > LONG) return undefined
  }
  return at
}

function beforeLineEnd(content: string, next: number): number {
  return content.charCodeAt(next - 1) === 10 && content.charCodeAt(next - 2) === 13 ? next - 2 : next - 1
}

function isLineEnd(content: string, at: number): boolean {
  const code = content.charCodeAt(at)
  return code === 10 || code === 13
}
