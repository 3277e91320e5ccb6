/**
 * The last level: the edit is the difference between old and new lines, and the lines that both share belong to the file.
 * A place is taken only when
 *
 *   - the old lines have at least four with content;
 *   - every line that goes is there exactly as written, paste damage aside, and lines that go together are together there;
 *   - a line next to those that go is next to them there, and on both sides where they hold next to nothing, unless one
 *     of them is nowhere else in the file;
 *   - new lines between two old ones have both of them, next to each other, exactly as written;
 *   - new lines are not there already;
 *   - of the lines with content at least 60 % are there, in order;
 *   - one of them is nowhere else in the file; where lines are only added, one of their neighbours, two others or a long one;
 *   - the lines that the file has between the old ones leave no other place for one of these changes;
 *   - no other place of the file is more than 40 % alike, by the characters of the lines that are the same.
 */
import { hasText } from './lines.ts'
import { adaptNewLines } from './adapt.ts'
import { foldText } from './characters.ts'
import { type FileLines, comparisonKey, withoutCr } from './file-lines.ts'
import { type Fit, isLong, makeSplices } from './fit.ts'
import type { HunkLine } from './hunks.ts'

const LEAST_ALIKE = 0.6
const MOST_ALIKE_ELSEWHERE = 0.4
/** Fewer characters than this, spaces aside, are anywhere. */
const LITTLE = 4
/** A line with fewer characters does not tell places apart, even where it is the only one, unless several do. */
const LEAST_TELLING = 6
const SEVERAL = 3
/** One that has as many tells as much as two. */
const MUCH_TELLING = 20
const NEAR = 4
const MOST_LINES = 500
const MOST_PLACES = 50
/** Pairs of lines that are compared, for all places together: about 10 ms. */
const MOST_COMPARED = 1_000_000

export interface ContextFit extends Fit {
  /** How many of the old lines the file has there. */
  readonly matched: number
}

export function findContextFits(lines: readonly HunkLine[], file: FileLines): ContextFit[] {
  const old = lines.flatMap(({ mark, text }) => (mark === '+' ? [] : [text]))
  if (!isLong(old) || old.length > MOST_LINES) return []
  const groups = lineGroups(lines, old)
  return groups === undefined ? [] : contextFits(lines, old, groups, file)
}

/** Old lines, by their index, that must be there as written and next to each other. */
interface LineGroup {
  readonly lines: readonly number[]
  /** Lines of context next to them, of which one must be next to them in the file, or all. */
  readonly beside: readonly number[]
  readonly needs: 'one' | 'all'
  /** New lines go between two lines that stay. */
  readonly isInsertion: boolean
}

/** Undefined where new lines have no neighbour. */
function lineGroups(lines: readonly HunkLine[], old: readonly string[]): LineGroup[] | undefined {
  const runs: number[][] = []
  const insertions = new Set<number[]>()
  let at = 0
  let open: number[] | undefined
  for (const [index, { mark }] of lines.entries()) {
    if (mark === ' ') open = undefined
    else if (open === undefined) runs.push((open = []))
    if (mark === '-') open?.push(at)
    const next = lines[index + 1]?.mark ?? ' '
    if (mark === '+' && next === ' ' && open?.length === 0) {
      if (at === 0 || at >= old.length) return undefined
      open.push(at - 1, at)
      insertions.add(open)
    }
    if (mark !== '+') at++
  }
  if (runs.length === 0) return undefined
  return runs.map((run) => {
    const beside = [(run[0] ?? 0) - 1, (run.at(-1) ?? 0) + 1].filter((index) => index >= 0 && index < old.length)
    const isLittle = countContent(run.map((index) => old[index] ?? '')) < LITTLE
    return { lines: run, beside, needs: isLittle ? 'all' : 'one', isInsertion: insertions.has(run) }
  })
}

/** How many characters lines have, spaces aside. */
const countContent = (lines: readonly string[]): number => lines.join('').replace(/\s+/g, '').length

function contextFits(
  lines: readonly HunkLine[],
  old: readonly string[],
  groups: readonly LineGroup[],
  file: FileLines,
): ContextFit[] {
  let anchor: { index: number; places: readonly number[] } | undefined
  const bound = groups.flatMap((group) => group.lines)
  const seen = new Set<string>()
  for (const index of bound) {
    const own = asWritten(old[index] ?? '')
    // Once is enough: in a file of lines that are all the same, each is in every place.
    if (seen.has(own)) continue
    seen.add(own)
    const places = file.places(own, 'context').filter((place) => asWritten(file.line(place)) === own)
    if (anchor === undefined || places.length < anchor.places.length) anchor = { index, places }
  }
  if (anchor === undefined || anchor.places.length > MOST_PLACES) return []
  if (anchor.places.length * old.length * old.length > MOST_COMPARED) return []
  const { index } = anchor
  const keys = old.map((line) => comparisonKey(line, 'context'))
  const telling = tellingOf(old, file)
  const fits: ContextFit[] = []
  let placed: readonly number[] = []
  for (const place of anchor.places) {
    const at = alignAround(keys, index, place, file)
    if (!groups.every((group) => areTogether(group, at, telling)) || alikeness(old, at) < LEAST_ALIKE) continue
    const there = at.map((line) => (line === -1 ? undefined : file.line(line)))
    if (!bound.every((nth) => asWritten(old[nth] ?? '') === asWritten(there[nth] ?? ''))) continue
    const found = at.filter((line, nth) => line !== -1 && (hasText(old[nth] ?? '') || bound.includes(nth)))
    const first = found[0] ?? place
    const fresh = adaptNewLines(lines, there, file.text)
    const splices = fresh && makeSplices(lines, (nth) => fileLineOf(at, nth), fresh)
    const height = (found.at(-1) ?? place) - first + 1
    const fit = { level: 'context', first, height, splices, matched: found.length } as const
    if (isApplied(lines, at, fit, file)) continue
    fits.push(fit)
    placed = at
  }
  if (fits.length === 1 && !isDistinct(groups, old, telling, placed)) return []
  const [only] = fits
  const other =
    fits.length === 1 && only !== undefined
      ? (placeWithin(groups, old, placed, file) ?? placeElsewhere(old, only, file))
      : undefined
  return other === undefined ? fits : [...fits, other].sort((a, b) => a.first - b.first)
}

/** A line without what a chat program does to characters: spaces before and after it count. */
const asWritten = (line: string): string => foldText(withoutCr(line))

/** The old lines that are once in the file: they tell places apart. Short ones do so together. */
function tellingOf(old: readonly string[], file: FileLines): number[] {
  const only = old.flatMap((line, nth) =>
    countContent([line]) >= LITTLE && file.countOf(asWritten(line), 'context') === 1 ? [nth] : [],
  )
  return only.length < SEVERAL ? only.filter((nth) => countContent([old[nth] ?? '']) >= LEAST_TELLING) : only
}

/** Lists and tables have the same lines in many places: there, lines that are alike do not say which place is meant. */
function isDistinct(
  groups: readonly LineGroup[],
  old: readonly string[],
  telling: readonly number[],
  at: readonly number[],
): boolean {
  const there = telling.filter((nth) => at[nth] !== -1)
  const isMuch = there.length > 1 || there.some((nth) => countContent([old[nth] ?? '']) >= MUCH_TELLING)
  return groups.every(
    ({ lines, isInsertion }) => (isInsertion ? isMuch : there.length > 0) || lines.some((line) => there.includes(line)),
  )
}

function areTogether(
  { lines, beside, needs, isInsertion }: LineGroup,
  at: readonly number[],
  telling: readonly number[],
): boolean {
  const [first = 0] = lines
  const isNext = (index: number): boolean => at[index] !== -1 && at[index] === (at[first] ?? 0) + index - first
  if (at[first] === -1 || !lines.every(isNext)) return false
  if (!isInsertion && lines.some((line) => telling.includes(line))) return true
  return beside.length === 0 || (needs === 'all' ? beside.every(isNext) : beside.some(isNext))
}

/** Whether new lines are next to where they would go. */
function isApplied(
  lines: readonly HunkLine[],
  at: readonly number[],
  { first, height }: Fit,
  file: FileLines,
): boolean {
  const old = new Set(at)
  const runs: string[][] = []
  for (const [index, { mark, text }] of lines.entries()) {
    if (mark !== '+') continue
    if (lines[index - 1]?.mark !== '+') runs.push([])
    runs.at(-1)?.push(text)
  }
  return runs.some((run) => {
    if (countContent(run) < 2 * LITTLE) return false
    const isNear = (line: number): boolean => line > first - run.length - NEAR && line < first + height + NEAR
    return file.find(run, 'characters').some((line) => isNear(line) && run.some((_, nth) => !old.has(line + nth)))
  })
}

/** The line of an old line, or of the one above it that the file has. */
function fileLineOf(at: readonly number[], index: number): number {
  for (let nth = index; nth >= 0; nth--) {
    const line = at[nth] ?? -1
    if (line !== -1) return line
  }
  return (at.find((line) => line !== -1) ?? 0) - 1
}

function alikeness(old: readonly string[], at: readonly number[]): number {
  const content = old.flatMap((line, nth) => (hasText(line) ? [at[nth] !== -1] : []))
  return content.filter(Boolean).length / content.length
}

/** The line of the file for each old line when one of them is given; -1 where there is none. */
function alignAround(keys: readonly string[], index: number, place: number, file: FileLines): number[] {
  const slack = Math.min(20, Math.max(4, Math.ceil(keys.length / 3)))
  const below: string[] = []
  for (let line = place + 1; line < Math.min(file.count, place + keys.length - index + slack); line++) {
    below.push(comparisonKey(file.line(line), 'context'))
  }
  const above: string[] = []
  for (let line = place - 1; line >= Math.max(0, place - index - slack); line--)
    above.push(comparisonKey(file.line(line), 'context'))
  const up = chainLines(keys.slice(0, index).reverse(), above).reverse()
  const down = chainLines(keys.slice(index + 1), below)
  return [
    ...up.map((at) => (at === -1 ? -1 : place - 1 - at)),
    place,
    ...down.map((at) => (at === -1 ? -1 : place + 1 + at)),
  ]
}

/** Which of `there` corresponds to each of `wanted`: as many as possible, in order, next to each other where possible. */
function chainLines(wanted: readonly string[], there: readonly string[]): number[] {
  const row = there.length + 1
  const best = new Float64Array((wanted.length + 1) * row)
  const match = new Float64Array((wanted.length + 1) * row).fill(-1)
  for (let i = 1; i <= wanted.length; i++) {
    const weight = wanted[i - 1] === '' ? 0.1 : 1
    for (let j = 1; j <= there.length; j++) {
      const cell = i * row + j
      best[cell] = Math.max(best[cell - row] ?? 0, best[cell - 1] ?? 0)
      if (wanted[i - 1] !== there[j - 1]) continue
      const diagonal = cell - row - 1
      const before = match[diagonal] ?? -1
      const next = (i === 1 && j === 1) || before >= 0 ? NEXT_TO : 0
      match[cell] = weight + Math.max(best[diagonal] ?? 0, Math.max(0, before) + next)
      best[cell] = Math.max(best[cell] ?? 0, match[cell] ?? 0)
    }
  }
  const found = Array.from(wanted, () => -1)
  let [i, j] = [wanted.length, there.length]
  let forced = false
  while (i > 0 && j > 0) {
    const cell = i * row + j
    if (!forced && best[cell] === best[cell - row]) i--
    else if (!forced && best[cell] === best[cell - 1]) j--
    else {
      found[i - 1] = j - 1
      const diagonal = cell - row - 1
      const weight = wanted[i - 1] === '' ? 0.1 : 1
      const before = match[diagonal] ?? -1
      forced =
        before >= 0 && (match[cell] ?? 0) - weight === before + NEXT_TO && before + NEXT_TO > (best[diagonal] ?? 0)
      i--
      j--
    }
  }
  return found
}

const NEXT_TO = 0.25

/**
 * Another line between those of the hunk where one of its changes fits as well: the file has lines there that the hunk
 * lacks, and among them one that is the same as its neighbour.
 */
function placeWithin(
  groups: readonly LineGroup[],
  old: readonly string[],
  at: readonly number[],
  file: FileLines,
): ContextFit | undefined {
  const found = at.flatMap((line, nth) => (line === -1 || !hasText(old[nth] ?? '') ? [] : [{ nth, line }]))
  const [top, bottom] = [found[0]?.line ?? 0, found.at(-1)?.line ?? 0]
  // Without lines between, there is no other place.
  if (bottom - top + 1 === (found.at(-1)?.nth ?? 0) - (found[0]?.nth ?? 0) + 1) return undefined
  const isAt = (nth: number, line: number): boolean => asWritten(old[nth] ?? '') === asWritten(file.line(line))
  const fitsAbove = (last: number, end: number): boolean => {
    let line = top
    for (const { nth } of found) {
      if (nth > last) break
      while (line < end && !isAt(nth, line)) line++
      if (line++ >= end) return false
    }
    return true
  }
  const fitsBelow = (first: number, start: number): boolean => {
    let line = bottom
    for (const { nth } of found.toReversed()) {
      if (nth < first) break
      while (line >= start && !isAt(nth, line)) line--
      if (line-- < start) return false
    }
    return true
  }
  for (const { lines, isInsertion } of groups) {
    const [first = 0, last = first] = [lines[0], lines.at(-1)]
    if (!lines.some((nth) => hasText(old[nth] ?? ''))) continue
    for (let line = top; line <= bottom; line++) {
      const isOther = isInsertion
        ? (line < (at[first] ?? 0) && hasText(old[first] ?? '') && isAt(first, line) && fitsAbove(first - 1, line)) ||
          (line > (at[last] ?? 0) && hasText(old[last] ?? '') && isAt(last, line) && fitsBelow(last + 1, line + 1))
        : line !== at[first] &&
          lines.every((nth) => isAt(nth, line + nth - first)) &&
          fitsAbove(first - 1, line) &&
          fitsBelow(last + 1, line + lines.length)
      if (isOther)
        return { level: 'context', first: line, height: lines.length, splices: undefined, matched: found.length }
    }
  }
  return undefined
}

/** Another place that is too much like the old lines: they may be meant for it. */
function placeElsewhere(
  old: readonly string[],
  { first, height, matched }: ContextFit,
  file: FileLines,
): ContextFit | undefined {
  const wanted = new Map<string, { left: number; weight: number }>()
  let total = 0
  for (const line of old) {
    const key = comparisonKey(line, 'characters')
    const weight = key.replace(/\s+/g, '').length
    if (weight === 0) continue
    const known = wanted.get(key)
    wanted.set(key, { left: (known?.left ?? 0) + 1, weight })
    total += weight
  }
  const size = old.length + 2
  let sum = 0
  const window: string[] = []
  for (let line = 0; line < file.count; line++) {
    if (line >= first && line < first + height) {
      for (const key of window.splice(0)) giveBack(key)
      continue
    }
    const key = comparisonKey(file.line(line), 'characters')
    window.push(key)
    take(key)
    if (window.length > size) giveBack(window.shift() ?? '')
    if (sum <= MOST_ALIKE_ELSEWHERE * total) continue
    return { level: 'context', first: line - window.length + 1, height: window.length, splices: undefined, matched }
  }
  return undefined

  function take(key: string): void {
    const known = wanted.get(key)
    if (known !== undefined && known.left-- > 0) sum += known.weight
  }
  function giveBack(key: string): void {
    const known = wanted.get(key)
    if (known !== undefined && known.left++ >= 0) sum -= known.weight
  }
}
