import { afterLineEnd } from './lines.ts'
import { spend, CELL, type Cell, SEVERAL, type Work } from './nearest-survey.ts'
import { plainCode } from './characters.ts'

interface LineWindow {
  /** Number of the first of them. */
  first: number
  lines: string[]
}

/**
 * The lines from `first` to `last`, as far as there are such, read from a place in or near them. A very long
 * line bounds them like the end of the file; undefined when the place is in one or there is not the work left.
 */
export function readLinesNear(
  content: string,
  place: { line: number; start: number },
  first: number,
  last: number,
  work: Work,
): LineWindow | undefined {
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
  if (!spend(work, 2 * (at - from) + Math.max(0, place.start - from))) return undefined
  return { first: firstLine, lines }
}

const LONG = 5000

/** A stretch of the content around a cell in one line, with the offset that each of its characters is from. */
interface ContentRegion {
  text: string
  offsets: number[]
}

/**
 * The line of the cell, or as much of it as may matter for a text of `size` characters; with lines around
 * it when it is shorter than that, because the text may have been one line where the file has several.
 */
export function readRegionAround(content: string, cell: Cell, size: number, work: Work): ContentRegion | undefined {
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
  if (!spend(work, 2 * (to - from))) return undefined

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

/**
 * The lines from `start` to `end`; of very long ones what is near, without a mark where it is cut: it is for copying, and a
 * part of a line is found where a mark is not.
 */
export function widenToLines(content: string, start: number, end: number): string {
  const [from, to] = lineBounds(content, start, end, WHOLE)
  const isWhole = from.isEnd && to.isEnd
  const [first, last] = isWhole ? [from, to] : lineBounds(content, start, end, ASIDE)
  return content.slice(first.at, last.at)
}

interface LineBound {
  readonly at: number
  /** Whether the line ends there. */
  readonly isEnd: boolean
}

/** Where the lines around a part begin and end, or how far was looked. */
function lineBounds(content: string, start: number, end: number, reach: number): [LineBound, LineBound] {
  const lowest = Math.max(0, start - reach)
  const highest = Math.min(content.length, end + reach)
  let from = start
  let to = end
  while (from > lowest && !isLineEnd(content, from - 1)) from--
  while (to < highest && !isLineEnd(content, to)) to++
  return [
    { at: from, isEnd: from === 0 || isLineEnd(content, from - 1) },
    { at: to, isEnd: to === content.length || isLineEnd(content, to) },
  ]
}

const WHOLE = 1000
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

interface Window {
  /** Where the first wanted line should be; may be before the file's first line. */
  line: number
  votes: number
  /** A cell in the window, to find its lines by. */
  cell: Cell
}

/** The windows of `height` lines with most votes, best first, at most `max`. */
export function findBestWindows(all: readonly Cell[], height: number, max: number): Window[] {
  const cells = height > 1 ? onePerLine(all) : all
  const best = new Best<{ from: number; to: number }>(max)
  const block = Math.max(1, height >> 1)
  let to = 0
  let sum = 0
  let top = { score: 0, from: 0, to: 0, block: -1 }
  for (const [from, cell] of cells.entries()) {
    while (to < cells.length && (to === from || (height > 1 && (cells[to]?.line ?? 0) < cell.line + height))) {
      sum += cells[to++]?.votes ?? 0
    }
    // Neighbouring windows are much the same: one of a block represents all.
    const nth = height > 1 ? Math.floor(cell.line / block) : from
    if (nth !== top.block) {
      best.add(top.score, top)
      top = { score: 0, from, to, block: nth }
    }
    if (sum > top.score) top = { score: sum, from, to, block: nth }
    sum -= cell.votes
  }
  best.add(top.score, top)
  return best.sorted().map(({ score, item }) => windowAround(cells, item, score))
}

/** The best cell of each line, or a very long line would outvote any number of others. */
function onePerLine(cells: readonly Cell[]): Cell[] {
  const kept: Cell[] = []
  for (const cell of cells) {
    const last = kept.at(-1)
    if (last?.line !== cell.line) kept.push(cell)
    else if (cell.votes > last.votes) kept[kept.length - 1] = cell
  }
  return kept
}

/** Most votes decide where the first wanted line should be. */
function windowAround(cells: readonly Cell[], { from, to }: { from: number; to: number }, votes: number): Window {
  const tally = new Map<number, number>()
  let cell: Cell = { line: 1, start: 0, votes: 0, lead: -1 }
  for (const other of cells.slice(from, to)) {
    if (other.votes > cell.votes) cell = other
    if (other.lead === SEVERAL) continue
    const line = other.line - other.lead
    tally.set(line, (tally.get(line) ?? 0) + other.votes)
  }
  let line = cells[from]?.line ?? 1
  let most = 0
  for (const [candidate, count] of tally) {
    if (count > most) [line, most] = [candidate, count]
  }
  return { line, votes, cell }
}

/** Keeps the `max` items with the highest scores; earlier ones win over equal later ones. */
class Best<T> {
  #items: { score: number; item: T }[] = []
  #floor = 0
  readonly #max: number

  constructor(max: number) {
    this.#max = max
  }

  add(score: number, item: T): void {
    if (score <= this.#floor) return
    this.#items.push({ score, item })
    if (this.#items.length < 2 * this.#max) return
    this.#items = this.sorted()
    this.#floor = this.#items.at(-1)?.score ?? 0
  }

  sorted(): { score: number; item: T }[] {
    return this.#items.toSorted((a, b) => b.score - a.score).slice(0, this.#max)
  }
}
