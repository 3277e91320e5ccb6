import { SEVERAL, type Cell } from './nearest-survey.ts'

interface Window {
  /** Where the first wanted line should be; may be before the file's first line. */
  line: number
  votes: number
  /** A cell in the window, to find its lines by. */
  cell: Cell
}

/** The windows of `height` lines with most votes, best first, at most `max`. */
export function bestWindows(all: readonly Cell[], height: number, max: number): Window[] {
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
  return best.sorted().map(({ score, item }) => placed(cells, item, score))
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
function placed(cells: readonly Cell[], { from, to }: { from: number; to: number }, votes: number): Window {
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
