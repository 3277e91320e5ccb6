/**
 * Finds, in one pass over the content, where a text may be that is not there to the letter.
 *
 * Every run of two to four characters of the wanted text, whitespace left out, votes for the lines that have
 * it; runs that are rare in the content (by a sample of it) weigh more. Long lines are cut into cells, so
 * that a file on one line has places too. The same pass finds the text apart from whitespace and quotes.
 */
import { afterLineEnd, splitLines } from './lines.ts'
import { plainCode, squeezedCodes } from './characters.ts'

/** A piece of a line that shares something with the wanted text. */
export interface Cell {
  line: number
  start: number
  votes: number
  /** The wanted line it is probably from, or `SEVERAL`. */
  lead: number
}

/** Where the wanted text is, apart from whitespace and quotes. */
export interface TextHit {
  line: number
  endLine: number
  start: number
  end: number
}

export interface NearestSurvey {
  cells: Cell[]
  hits: TextHit[]
}

export const CELL = 512
const MAX_HITS = 50

/** `readings` are the ways to read what is wanted; hits are looked for with the first. */
export function surveyText(content: string, readings: readonly string[], work: Work): NearestSurvey {
  const codes = squeezedCodes(readings[0] ?? '')
  const size = Math.min(content.length, MAX_CONTENT)
  if (codes.length < MIN_CODES || !spend(work, size)) return { cells: [], hits: [] }
  const grams = gramsOf(content, readings, codes.length, work)
  const roll = rollingHash(codes)
  const cells: Cell[] = []
  const hits: TextHit[] = []
  const { weights, leads, mask, length, shift } = grams
  const seen = new Int32Array(weights.length)

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
      at = (afterLineEnd(content, at) ?? at + 1) - 1
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
    const slot = slotOf(gram & mask, shift)
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
export const SEVERAL = -1

function slotOf(gram: number, shift: number): number {
  return Math.imul(gram, 0x9e3779b1) >>> shift
}

/** The runs of the wanted text, by slots of a table with room enough that few share one. */
interface Grams {
  length: number
  mask: number
  shift: number
  weights: Uint8Array
  leads: Int32Array
}

function gramsOf(content: string, readings: readonly string[], codes: number, work: Work): Grams {
  let length = 4
  if (codes < 24) length = 3
  if (codes < 10) length = 2
  const mask = length === 4 ? -1 : (1 << (8 * length)) - 1
  const shift = 32 - Math.min(18, Math.max(15, Math.ceil(Math.log2(codes)) + 6))
  const room = 2 ** (32 - shift)
  const weights = new Uint8Array(room)
  const leads = new Int32Array(room)
  const slots: number[] = []
  for (const reading of readings) {
    let offset = 0
    for (const [index, line] of splitLines(reading).entries()) {
      offset += line.length + 1
      // Of a very long text its ends are enough to find it by.
      if (offset > MAX_END && offset < reading.length - MAX_END) continue
      eachGram(line.slice(0, MAX_END), length, (gram) => {
        const slot = slotOf(gram & mask, shift)
        if (weights[slot] === 0) slots.push(slot)
        leads[slot] = weights[slot] === 0 || leads[slot] === index ? index : SEVERAL
        weights[slot] = 1
      })
    }
    spend(work, reading.length)
  }

  const counts = new Uint32Array(room)
  let sampled = 0
  const stride = Math.max(SAMPLE, Math.floor(content.length / SAMPLES))
  for (let at = 0; at < content.length; at += stride) {
    const part = content.slice(at, at + SAMPLE)
    sampled += part.length
    eachGram(part, length, (gram) => {
      const slot = slotOf(gram & mask, shift)
      counts[slot] = (counts[slot] ?? 0) + 1
    })
  }
  spend(work, sampled)
  for (const slot of slots) {
    const rarity = Math.log2((sampled + 2) / ((counts[slot] ?? 0) + 1))
    weights[slot] = Math.min(255, Math.max(1, Math.round((rarity * rarity) / 1.5)))
  }
  // Much text has most runs that are common in any text; with those every place looks alike.
  const least = slots.map((slot) => weights[slot] ?? 0).toSorted((a, b) => b - a)[MAX_GRAMS] ?? 0
  for (const slot of slots) if ((weights[slot] ?? 0) < least) weights[slot] = 0
  return { length, mask, shift, weights, leads }
}

const MAX_GRAMS = 500
const SAMPLE = 4096
const SAMPLES = 64
const MAX_END = 16_384

function eachGram(text: string, length: number, visit: (gram: number) => void): void {
  let gram = 0
  let run = 0
  for (let at = 0; at < text.length; at++) {
    const code = plainCode(text.charCodeAt(at))
    if (code === 0) continue
    gram = (gram << 8) | ((code & 0xff) ^ (code >> 8))
    if (++run >= length) visit(gram)
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
function hitBefore(content: string, end: number, endLine: number, codes: Uint16Array, work: Work): TextHit | undefined {
  let left = codes.length
  let line = endLine
  let at = end
  while (left > 0) {
    at--
    if (!spend(work, 1) || at < 0) return undefined
    const raw = content.charCodeAt(at)
    if (raw === 10 || (raw === 13 && content.charCodeAt(at + 1) !== 10)) line--
    const code = plainCode(raw)
    if (code === 0) continue
    if (code !== codes[left - 1]) return undefined
    left--
  }
  return { line, endLine, start: at, end }
}

/** What a search for near places has done so far. */
export interface Work {
  /** Characters looked at and cells filled. */
  steps: number
  windows: number
}

export const LIMITS = { steps: 20_000_000, windows: 200 } as const

/** Books `steps` and answers true, or false when they are more than what is left. */
export function spend(work: Work, steps: number): boolean {
  if (work.steps + steps > LIMITS.steps) return false
  work.steps += steps
  return true
}
