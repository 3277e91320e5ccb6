/**
 * Finds, in one pass over the content, where a text may be that is not there to the letter.
 *
 * Every run of two to four characters of the wanted text, blanks left out, votes for the lines that have
 * it; runs that are rare in the content (by a sample of it) weigh more. Long lines are cut into cells, so
 * that a file on one line has places too. The same pass finds the text as it is but for blanks and quotes.
 */
import { behindLineEnd, splitLines } from './lines.ts'
import { plainCode, squeezedCodes } from './plain.ts'
import { afford, type Work } from './work.ts'

/** A piece of a line that shares something with the wanted text. */
export interface Cell {
  line: number
  start: number
  votes: number
  /** The wanted line it is probably from; -1 when several may be. */
  lead: number
}

/** Where the wanted text is but for blanks and quotes. */
export interface Hit {
  line: number
  endLine: number
  start: number
  end: number
}

export interface Survey {
  cells: Cell[]
  hits: Hit[]
}

export const CELL = 512
const MAX_HITS = 50

/** `readings` are the ways to read what is wanted; hits are looked for with the first. */
export function survey(content: string, readings: readonly string[], work: Work): Survey {
  const codes = squeezedCodes(readings[0] ?? '')
  const size = Math.min(content.length, MAX_CONTENT)
  if (codes.length < MIN_CODES || !afford(work, size)) return { cells: [], hits: [] }
  const grams = gramsOf(content, readings, codes.length, work)
  const roll = rollingHash(codes)
  const cells: Cell[] = []
  const hits: Hit[] = []
  const seen = new Int32Array(SLOTS)
  const { weights, leads, mask, length } = grams

  let line = 1
  let start = 0
  let stamp = 1
  let votes = 0
  let lead = -1
  let heaviest = 0
  let gram = 0
  let run = 0
  const close = () => {
    if (votes > 0) cells.push({ line, start, votes, lead })
    stamp++
    votes = 0
    lead = -1
    heaviest = 0
  }

  for (let at = 0; at < size; at++) {
    const raw = content.charCodeAt(at)
    if (raw === 10 || raw === 13) {
      at = (behindLineEnd(content, at) ?? at + 1) - 1
      close()
      line++
      start = at + 1
      run = 0
      continue
    }
    const code = raw > 0x20 && raw < 0x7f ? raw : plainCode(raw)
    if (code === 0) continue
    if (roll(code) && hits.length < MAX_HITS) {
      const hit = hitBefore(content, at + 1, line, codes, work)
      if (hit !== undefined) hits.push(hit)
    }
    gram = (gram << 8) | ((code & 0xff) ^ (code >> 8))
    if (++run < length) continue
    const slot = slotOf(gram & mask)
    const weight = weights[slot] ?? 0
    if (weight > 0 && seen[slot] !== stamp) {
      seen[slot] = stamp
      votes += weight
      if (weight > heaviest && leads[slot] !== SEVERAL) {
        heaviest = weight
        lead = leads[slot] ?? -1
      }
    }
    if (at - start >= CELL) {
      close()
      start = at + 1
    }
  }
  close()
  return { cells, hits }
}

const MIN_CODES = 3
const MAX_CONTENT = 12_000_000
const SLOT_BITS = 18
const SLOTS = 1 << SLOT_BITS
const SEVERAL = -1

function slotOf(gram: number): number {
  return Math.imul(gram, 0x9e3779b1) >>> (32 - SLOT_BITS)
}

interface Grams {
  length: number
  mask: number
  weights: Uint8Array
  leads: Int32Array
}

function gramsOf(content: string, readings: readonly string[], codes: number, work: Work): Grams {
  let length = 4
  if (codes < 24) length = 3
  if (codes < 10) length = 2
  const mask = length === 4 ? -1 : (1 << (8 * length)) - 1
  const weights = new Uint8Array(SLOTS)
  const leads = new Int32Array(SLOTS)
  for (const reading of readings) {
    let offset = 0
    for (const [index, line] of splitLines(reading).entries()) {
      offset += line.length + 1
      // Of a very long text its ends are enough to find it by.
      if (offset > MAX_END && offset < reading.length - MAX_END) continue
      eachGram(line.slice(0, MAX_END), length, mask, (slot) => {
        leads[slot] = weights[slot] === 0 || leads[slot] === index ? index : SEVERAL
        weights[slot] = 1
      })
    }
    afford(work, reading.length)
  }

  const counts = new Uint32Array(SLOTS)
  let sampled = 0
  const stride = Math.max(SAMPLE, Math.floor(content.length / SAMPLES))
  for (let at = 0; at < content.length; at += stride) {
    const part = content.slice(at, at + SAMPLE)
    sampled += part.length
    eachGram(part, length, mask, (slot) => {
      counts[slot] = (counts[slot] ?? 0) + 1
    })
  }
  afford(work, sampled)
  const slots: number[] = []
  for (const [slot, weight] of weights.entries()) if (weight > 0) slots.push(slot)
  for (const slot of slots) {
    const rarity = Math.log2((sampled + 2) / ((counts[slot] ?? 0) + 1))
    weights[slot] = Math.min(255, Math.max(1, Math.round((rarity * rarity) / 1.5)))
  }
  // Much text has most runs that are common in any text; with those every place looks alike.
  const least = slots.map((slot) => weights[slot] ?? 0).toSorted((a, b) => b - a)[MAX_GRAMS] ?? 0
  for (const slot of slots) if ((weights[slot] ?? 0) < least) weights[slot] = 0
  return { length, mask, weights, leads }
}

const MAX_GRAMS = 500
const SAMPLE = 4096
const SAMPLES = 64
const MAX_END = 16_384

function eachGram(text: string, length: number, mask: number, visit: (slot: number) => void): void {
  let gram = 0
  let run = 0
  for (let at = 0; at < text.length; at++) {
    const code = plainCode(text.charCodeAt(at))
    if (code === 0) continue
    gram = (gram << 8) | ((code & 0xff) ^ (code >> 8))
    if (++run >= length) visit(slotOf(gram & mask))
  }
}

/** By Karp and Rabin: fed the content's codes one by one, answers true when the last ones hash as `codes` do. */
function rollingHash(codes: Uint16Array): (code: number) => boolean {
  let target = 0
  let leaving = 1
  for (const code of codes) {
    target = (Math.imul(target, BASE) + code) | 0
    leaving = Math.imul(leaving, BASE)
  }
  const size = codes.length
  const ring = new Uint16Array(size)
  let at = 0
  let fed = 0
  let hash = 0
  return (code) => {
    hash = (Math.imul(hash, BASE) + code - Math.imul(ring[at] ?? 0, leaving)) | 0
    ring[at] = code
    at = at + 1 === size ? 0 : at + 1
    if (fed < size) fed++
    return hash === target && fed === size
  }
}

const BASE = 0x01000193

/** The hit that ends before `end`, if there is one and not only an equal hash. */
function hitBefore(content: string, end: number, endLine: number, codes: Uint16Array, work: Work): Hit | undefined {
  let left = codes.length
  let line = endLine
  let at = end
  while (left > 0) {
    at--
    if (!afford(work, 1) || at < 0) return undefined
    const raw = content.charCodeAt(at)
    if (raw === 10 || (raw === 13 && content.charCodeAt(at + 1) !== 10)) line--
    const code = plainCode(raw)
    if (code === 0) continue
    if (code !== codes[left - 1]) return undefined
    left--
  }
  return { line, endLine, start: at, end }
}

export interface Window {
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
    // Neighbouring windows are much the same: one of a block stands for all.
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
