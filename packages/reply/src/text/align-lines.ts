/**
 * Lines of a text against lines of a file: which correspond, how alike the two are. Every wanted line may
 * be up to `slack` lines from where it should be; pairs cost their characters only when they may be alike.
 */
import { collapse, squeeze } from './characters.ts'
import { spend, type Work } from './nearest-survey.ts'

interface ComparedLine {
  raw: string
  plain: string
  bare: string
  /** Which pairs of neighbouring letters occur, folded to 32 bits. */
  sign: number
  weight: number
}

export function makeComparedLine(raw: string): ComparedLine {
  const plain = collapse(raw.slice(0, MAX_LINE))
  const bare = squeeze(plain)
  let sign = 0
  for (let at = 1; at < bare.length; at++) {
    sign |= 1 << ((Math.imul(bare.charCodeAt(at - 1), 31) + bare.charCodeAt(at)) & 31)
  }
  return { raw, plain, bare, sign, weight: bare.length + 1 }
}

const MAX_LINE = 2000

interface Alignment {
  /** Indexes of the first and last line in `there` that correspond to wanted ones, or are where those should be. */
  first: number
  last: number
  similarity: number
  /** The share of the wanted text whose lines are there, but for whitespace. */
  same: number
}

/** `expected` is the index in `there` where the first wanted line should be; undefined when nothing corresponds. */
export function alignLines(
  wanted: readonly ComparedLine[],
  there: readonly ComparedLine[],
  expected: number,
  slack: number,
  work: Work,
): Alignment | undefined {
  const band = 2 * slack + 1
  if (!spend(work, (wanted.length + 1) * band)) return undefined
  const shift = expected - slack
  const moves = new Uint8Array((wanted.length + 1) * band)
  const alike = new Float32Array(wanted.length * band)
  let row = new Float64Array(band)
  for (let i = 0; i <= wanted.length; i++) {
    const next = new Float64Array(band).fill(-1)
    const nextMoves = (i + 1) * band
    for (let d = 0; d < band; d++) {
      // A line that only the file has: free before the first wanted line and after the last.
      const left =
        (row[d - 1] ?? -1) - (i === 0 || i === wanted.length ? 0 : GAP * (there[i + d - 1 + shift]?.weight ?? 0))
      if (d > 0 && i > 0 && left > (row[d] ?? -1)) {
        row[d] = left
        moves[i * band + d] = SKIP_THERE
      }
      const score = row[d] ?? -1
      const mine = wanted[i]
      if (mine === undefined || score < 0) continue
      if (d > 0 && score > (next[d - 1] ?? -1)) {
        next[d - 1] = score
        moves[nextMoves + d - 1] = SKIP_WANTED
      }
      const other = there[i + d + shift]
      if (other === undefined) continue
      const edge = { first: i === 0, last: i === wanted.length - 1 }
      const similarity = lineSimilarity(mine, other, edge, work)
      alike[i * band + d] = similarity
      const matched = score + similarity * mine.weight
      if (matched > (next[d] ?? -1)) {
        next[d] = matched
        moves[nextMoves + d] = MATCH
      }
    }
    if (i < wanted.length) row = next
  }
  return traceAlignment(wanted, there, shift, band, moves, alike, row)
}

const GAP = 0.3
const MATCH = 1
const SKIP_WANTED = 2
const SKIP_THERE = 3

function traceAlignment(
  wanted: readonly ComparedLine[],
  there: readonly ComparedLine[],
  shift: number,
  band: number,
  moves: Uint8Array,
  alike: Float32Array,
  ends: Float64Array,
): Alignment | undefined {
  let d = 0
  for (const [index, score] of ends.entries()) if (score > (ends[d] ?? -1)) d = index
  let i = wanted.length
  let first = -1
  let last = -1
  let [top, bottom] = [0, 0]
  let common = 0
  let partial = 0
  let same = 0
  while (i > 0) {
    const move = moves[i * band + d]
    if (move === SKIP_THERE) d--
    else if (move === SKIP_WANTED) {
      i--
      d++
    } else if (move === MATCH) {
      i--
      const similarity = alike[i * band + d] ?? 0
      if (similarity === 0) continue
      first = i + d + shift
      top = i
      if (last === -1) [last, bottom] = [first, wanted.length - 1 - i]
      const mine = wanted[i]?.weight ?? 0
      const other = there[first]?.weight ?? 0
      // At either end the wanted text may be part of a line; the rest of that line is no difference.
      const rest = i === 0 || i === wanted.length - 1 ? Math.max(0, other - mine) : 0
      partial += rest
      if (similarity >= SAME) same += mine
      common += similarity * (mine + other - rest)
    } else break
  }
  if (first === -1) return undefined

  let asked = 0
  for (const line of wanted) asked += line.weight
  let total = asked - partial
  for (const line of there.slice(first, last + 1)) total += line.weight
  return {
    first: Math.max(0, first - top),
    last: Math.min(there.length - 1, last + bottom),
    similarity: Math.min(1, common / total),
    same: same / asked,
  }
}

const ENOUGH = 0.4
/** Of lines that differ in whitespace only. */
const SAME = 0.97

function lineSimilarity(a: ComparedLine, b: ComparedLine, edge: { first: boolean; last: boolean }, work: Work): number {
  if (a.raw === b.raw) return 1
  if (a.bare === b.bare) return a.bare === '' ? 1 : SAME
  if (a.bare === '' || b.bare === '') return 0
  if (edge.first && b.bare.endsWith(a.bare)) return SAME
  if (edge.last && b.bare.startsWith(a.bare)) return SAME
  const [short, long] = a.plain.length < b.plain.length ? [a.plain, b.plain] : [b.plain, a.plain]
  if (short.length < ENOUGH * long.length) return 0
  const signs = countBits(a.sign) + countBits(b.sign)
  if (signs > 0 && (2 * countBits(a.sign & b.sign)) / signs < ENOUGH) return 0
  const similarity = editSimilarity(short, long, work)
  return similarity < ENOUGH ? 0 : similarity
}

function countBits(value: number): number {
  let left = value - ((value >>> 1) & 0x55555555)
  left = (left & 0x33333333) + ((left >>> 2) & 0x33333333)
  return Math.imul((left + (left >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

/** One less the share of letters to change; 0 for lines that would be too much work. */
function editSimilarity(short: string, long: string, work: Work): number {
  let head = 0
  while (head < short.length && short.charCodeAt(head) === long.charCodeAt(head)) head++
  let tail = 0
  while (
    tail < short.length - head &&
    short.charCodeAt(short.length - 1 - tail) === long.charCodeAt(long.length - 1 - tail)
  ) {
    tail++
  }
  const a = short.slice(head, short.length - tail)
  const b = long.slice(head, long.length - tail)
  if (!spend(work, head + tail + (a.length + 1) * b.length)) return 0

  let last = Uint16Array.from({ length: a.length + 1 }, (_, index) => index)
  let row = new Uint16Array(a.length + 1)
  for (let j = 1; j <= b.length; j++) {
    row[0] = j
    const code = b.charCodeAt(j - 1)
    for (let i = 1; i <= a.length; i++) {
      const changed = (last[i - 1] ?? 0) + (a.charCodeAt(i - 1) === code ? 0 : 1)
      row[i] = Math.min(changed, (last[i] ?? 0) + 1, (row[i - 1] ?? 0) + 1)
    }
    ;[last, row] = [row, last]
  }
  return 1 - (last[a.length] ?? 0) / long.length
}
