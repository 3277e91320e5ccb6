import { splitKeepingEnds } from '@clada/reply/text/lines.ts'
import type { ReviewHunk } from '../../../clada/src/core/review.ts'
import { diffLines } from '@clada/reply/text/line-diff.ts'

/** One row of a diff. Numbers count lines from 0; a side without one is empty there. */
export interface DiffRow {
  readonly kind: 'same' | 'change' | 'fold' | 'hunk'
  readonly left: number | null
  readonly right: number | null
  /** Lines that are not shown. */
  readonly count?: number
  /** The line on the other side that it took the place of, to show what in it is different. */
  readonly beside?: number
  /** The hunk that it begins, or is a part of, where hunks can be chosen. */
  readonly hunk?: ReviewHunk
}

/** How much of a fold was opened, from above and from below. */
export type OpenedFolds = ReadonlyMap<number, { readonly above: number; readonly below: number }>

/** Two texts by lines, and the stretches in which they are alike or not. */
export interface TextComparison {
  readonly left: readonly string[]
  readonly right: readonly string[]
  readonly stretches: readonly Stretch[]
}

interface Stretch {
  readonly kind: 'same' | 'change'
  readonly left: number
  readonly leftCount: number
  readonly right: number
  readonly rightCount: number
}

export function compareTexts(
  before: string | null,
  after: string | null,
  space: 'counts' | 'ignored' = 'counts',
): TextComparison {
  const left = splitKeepingEnds(before ?? '')
  const right = splitKeepingEnds(after ?? '')
  const stretches: Stretch[] = []
  let at = { left: 0, right: 0 }
  const compared = (lines: readonly string[]): readonly string[] =>
    space === 'counts' ? lines : lines.map((line) => line.replace(/\s+/g, ''))
  for (const { kind, count } of diffLines(compared(left), compared(right))) {
    const last = stretches.at(-1)
    const size = { leftCount: kind === 'new' ? 0 : count, rightCount: kind === 'old' ? 0 : count }
    if (kind !== 'same' && last?.kind === 'change') {
      stretches[stretches.length - 1] = {
        ...last,
        leftCount: last.leftCount + size.leftCount,
        rightCount: last.rightCount + size.rightCount,
      }
    } else stretches.push({ kind: kind === 'same' ? 'same' : 'change', ...at, ...size })
    at = { left: at.left + size.leftCount, right: at.right + size.rightCount }
  }
  return { left, right, stretches }
}

/** The end of every line of a file that stays one with CRLF: it is then nothing to look at. */
export const lineEndOf = ({ left, right }: TextComparison): '\r\n' | '\n' =>
  left.length > 0 &&
  [...left, ...right].every((line) => line.endsWith('\r\n') || !/[\r\n]$/.test(line)) &&
  left.some((line) => line.endsWith('\r\n'))
    ? '\r\n'
    : '\n'

/** The rows to show. What is alike is folded, but for a few lines around changes and what was opened. */
export function makeRows(
  { stretches }: TextComparison,
  mode: 'split' | 'unified',
  opened: OpenedFolds,
  hunks: readonly ReviewHunk[] = [],
): DiffRow[] {
  const rows: DiffRow[] = []
  let before: ReviewHunk | undefined
  for (const [index, stretch] of stretches.entries()) {
    if (stretch.kind === 'change') {
      const hunk = hunks.find((one) => isInHunk(stretch, one))
      if (hunk === undefined) rows.push(...changeRows(stretch, mode))
      else {
        if (hunk !== before) rows.push({ kind: 'hunk', left: null, right: null, hunk })
        rows.push(...changeRows(stretch, mode).map((row) => ({ ...row, hunk })))
        before = hunk
      }
    } else rows.push(...sameRows(stretch, { first: index === 0, last: index === stretches.length - 1 }, opened))
  }
  return rows
}

/** A stretch is the hunk, or a part of it where white space does not count. */
const isInHunk = (stretch: Stretch, { kind, oldStart, oldEnd, newStart, newEnd }: ReviewHunk): boolean =>
  kind === 'lines' &&
  stretch.left >= oldStart &&
  stretch.left + stretch.leftCount <= oldEnd &&
  stretch.right >= newStart &&
  stretch.right + stretch.rightCount <= newEnd

/** Lines that are shown around a change. */
const margin = 3

function sameRows(
  { left, right, leftCount }: Stretch,
  { first, last }: { first: boolean; last: boolean },
  opened: OpenedFolds,
): DiffRow[] {
  const row = (offset: number): DiffRow => ({ kind: 'same', left: left + offset, right: right + offset })
  const { above, below } = opened.get(left) ?? { above: 0, below: 0 }
  const from = (first ? 0 : margin) + above
  const to = leftCount - (last ? 0 : margin) - below
  const hidden = to - from
  if (hidden < 4) return Array.from({ length: leftCount }, (_, offset) => row(offset))
  return [
    ...Array.from({ length: from }, (_, offset) => row(offset)),
    { kind: 'fold', left, right, count: hidden },
    ...Array.from({ length: leftCount - to }, (_, offset) => row(to + offset)),
  ]
}

function changeRows({ left, right, leftCount, rightCount }: Stretch, mode: 'split' | 'unified'): DiffRow[] {
  if (mode === 'split') {
    return Array.from({ length: Math.max(leftCount, rightCount) }, (_, offset) => ({
      kind: 'change',
      left: offset < leftCount ? left + offset : null,
      right: offset < rightCount ? right + offset : null,
    }))
  }
  const beside = (offset: number, start: number, count: number): { beside?: number } =>
    offset < count ? { beside: start + offset } : {}
  return [
    ...Array.from({ length: leftCount }, (_, offset): DiffRow => {
      return { kind: 'change', left: left + offset, right: null, ...beside(offset, right, rightCount) }
    }),
    ...Array.from({ length: rightCount }, (_, offset): DiffRow => {
      return { kind: 'change', left: null, right: right + offset, ...beside(offset, left, leftCount) }
    }),
  ]
}

/** The part of a line that differs from another, between their common beginning and end; nothing if little is alike. */
export function findDifference(line: string, other: string): { from: number; to: number } | undefined {
  const shorter = Math.min(line.length, other.length)
  let head = 0
  while (head < shorter && line[head] === other[head]) head++
  let tail = 0
  while (tail < shorter - head && line[line.length - 1 - tail] === other[other.length - 1 - tail]) tail++
  const alike = line.slice(0, head).trim().length + line.slice(line.length - tail).trim().length
  if (alike * 3 < line.trim().length || head === line.length) return undefined
  return { from: head, to: line.length - tail }
}

/**
 * How many screen lines a line takes, with so many columns. As browsers do, it breaks after white space, and within a
 * word that is longer than a line.
 */
export function countScreenLines(line: string, columns: number, longest = longestLine): number {
  // No character is wider than two columns, but for tabs.
  if (line.length * 2 <= columns && !line.includes('\t')) return 1
  let height = 1
  let width = 0
  /** Where the word began that moves to the next line when it does not fit. */
  let word = 0
  for (let at = 0; at < line.length && at < longest; at++) {
    const code = line.charCodeAt(at)
    if (code === 10) continue
    const wide = code >= 0x1100 && isWideCharacter(code)
    if (wide) word = width
    const own = code === 9 ? tabSize - (width % tabSize) : wide ? 2 : 1
    if (width + own > columns) {
      height++
      width = word === 0 ? 0 : width - word
      word = 0
    }
    width += own
    if (wide || code === 9 || code === 32) word = width
  }
  return height
}

export const tabSize = 4

/** Longer diffs are cut, with a line that says so. */
export const longestLine = 4000

const isWideCharacter = (code: number): boolean =>
  code <= 0x115f ||
  (code >= 0x2e80 && code <= 0xa4cf) ||
  (code >= 0xac00 && code <= 0xd7a3) ||
  (code >= 0xf900 && code <= 0xfaff) ||
  (code >= 0xfe30 && code <= 0xfe6f) ||
  (code >= 0xff00 && code <= 0xff60)
