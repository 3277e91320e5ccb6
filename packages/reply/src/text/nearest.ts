import { Source } from '../core/source.ts'
import { runGuarded } from '../core/guard.ts'
import type { NearPlace } from '../core/place.ts'
import { alignLines, makeComparedLine } from './align-lines.ts'
import { explainDifference, findLongestPart, searchVariants } from './explain-difference.ts'
import { findOccurrences } from './edit.ts'
import { FileLines } from './file-lines.ts'
import { splitLines, withoutOuterBlankLines } from './lines.ts'
import { findBestWindows, lineEndsBetween, readLinesNear, readRegionAround, widenToLines } from './nearest-regions.ts'
import { spend, type Cell, type TextHit, LIMITS, surveyText, type NearestSurvey, type Work } from './nearest-survey.ts'
import { collapse, isShortWord } from './characters.ts'
import { locateSpans } from './places.ts'
import { withoutPrefixes } from './hunks.ts'
import { removeDamage } from './undamage.ts'

/**
 * For text that was not found: the places most like it, and what differs there.
 *
 * Bound on work: at most 200 windows are compared and 2·10⁷ character steps done in all (`nearest-survey.ts`), for
 * a file of up to 10 MB. One step is a character of the content read in the one pass that finds windows,
 * or read again for a window, or a cell of a comparison. Windows with most votes come first; when the
 * steps are used up, the best found so far are given.
 */

interface NearestOptions {
  /** What the text is called in the reasons given. */
  param?: string
  /** Tells, afterwards, what was done. */
  work?: Work
}

/** Up to three places, the nearest first. */
export async function findNearestPlaces(
  content: string,
  wanted: string,
  options: NearestOptions = {},
): Promise<NearPlace[]> {
  const { param = 'old_text', work = { steps: 0, windows: 0 } } = options
  if (content === '' || wanted.trim() === '' || !spend(work, wanted.length)) return []
  const found = runGuarded(() => nearestCandidates(content, wanted, work))
  if (found.length === 0) return []

  // Loaded only now, because few runs need it.
  const { renderSmallDiff } = await import('./shown-diff.ts')
  const asked = withoutOuterBlankLines(wanted)
  let [lines, characters] = [0, 0]
  const placeOf = ({ line, endLine, similarity, rank, text }: Candidate, nth: number): NearPlace => {
    const why = explainDifference(wanted, text, param)
    const isMeant = rank > (found[0]?.rank ?? 0) - CLEARLY
    const isWhole = isMeant && characters + text.length <= MOST_TEXT && lines + endLine - line < MOST_WHOLE
    if (isWhole) [lines, characters] = [lines + endLine - line + 1, characters + text.length]
    return {
      line,
      endLine,
      similarity,
      diff: renderSmallDiff(asked, text, MAX_LINES),
      text: isWhole ? text.replaceAll('\r\n', '\n') : undefined,
      tied: isMeant && nth > 0 ? true : undefined,
      why,
    }
  }
  return runGuarded(() => found.map(placeOf))
}

/** The line where `newText` already is; undefined also when it is too short to tell anything. */
export function findAppliedText(content: string, newText: string): number | undefined {
  if (newText.replace(/\s+/g, '').length < 4) return undefined
  const given = findOccurrences(content, newText, { max: 1 })
  // A newline too many at either end says nothing about what is in between.
  const spans = given.length > 0 ? given : findOccurrences(content, withoutOuterBlankLines(newText), { max: 1 })
  return locateSpans(content, spans, { max: 1 })[0]?.line ?? findAppliedLine(splitLines(newText), content)
}

/** The same of several lines through damage: another indentation, other characters, prefixes. */
export function findAppliedLine(lines: readonly string[], content: string): number | undefined {
  if (lines.filter((line) => line.trim() !== '').length < 2) return undefined
  const file = new FileLines(new Source(content))
  const given = lines.map((text) => ({ mark: ' ', text }) as const)
  for (const read of [lines, ...withoutPrefixes(given).map(({ fresh }) => fresh)]) {
    for (const text of [read.join('\n'), removeDamage(read.join('\n'), ['entities'])]) {
      const [line] = file.find(withoutOuterBlankLines(text).split('\n'), 'characters')
      if (line !== undefined) return line + 1
    }
  }
  return undefined
}

const MAX_PLACES = 3
const MAX_LINES = 12
/** A place that is less alike by this much is not meant. */
const CLEARLY = 0.1
/** Of the nearest place, and of others that are as near, all lines are given, so that they can be copied. */
const MOST_WHOLE = 60
const MOST_TEXT = 6000

interface Candidate {
  line: number
  endLine: number
  similarity: number
  /** The similarity, and the share of the wanted lines that are there. */
  rank: number
  text: string
}

function nearestCandidates(content: string, wanted: string, work: Work): Candidate[] {
  const readings = searchVariants(wanted).toSorted((a, b) => Number(b.certain) - Number(a.certain))
  const given = readings[0]?.certain === true ? [readings[0].text, wanted] : [wanted]
  const texts = [...new Set([...given, ...readings.map(({ text }) => text)].map(withoutOuterBlankLines))]
  const seen = surveyText(content, texts, work)

  const sure = chooseBest(seen.hits.flatMap((hit) => hitPlace(content, hit, texts[0] ?? '') ?? []))
  if (sure.length > 0) return sure
  const max = Math.floor(LIMITS.windows / texts.length)
  const near = chooseBest(texts.flatMap((text) => compareLines(content, text, seen, max, work)))
  if (near.length > 0) return near
  const part = findLongestPart(wanted)
  return part === undefined ? [] : chooseBest(compareLines(content, part.text, seen, max, work))
}

/** The best, without those that overlap a better one or are much worse than the best. */
function chooseBest(places: readonly Candidate[]): Candidate[] {
  const chosen: Candidate[] = []
  for (const place of places.toSorted((a, b) => b.rank - a.rank || a.line - b.line)) {
    const poor = place.similarity < FAR_BEHIND * (chosen[0]?.similarity ?? 0)
    if (poor || chosen.length === MAX_PLACES) break
    if (!chosen.some((other) => place.line <= other.endLine && place.endLine >= other.line)) chosen.push(place)
  }
  return chosen
}

const FAR_BEHIND = 0.65

function hitPlace(content: string, { line, endLine, start, end }: TextHit, wanted: string): Candidate | undefined {
  const size = end - start
  if (isShortWord(wanted) && size > wanted.length) return undefined
  const similarity = 1 - Math.abs(size - wanted.length) / Math.max(size, wanted.length)
  const alike = Math.max(0.9, roundSimilarity(similarity))
  return { line, endLine, similarity: alike, rank: alike, text: widenToLines(content, start, end) }
}

function compareLines(content: string, wanted: string, { cells }: NearestSurvey, max: number, work: Work): Candidate[] {
  const lines = splitLines(wanted).slice(0, MAX_HEIGHT)
  if (lines.length === 1) return similarParts(content, wanted, cells, max, work)
  const found = similarLines(content, lines, cells, max, work)
  if (found.some(({ similarity }) => similarity > 0.6)) return found
  // Perhaps the file has these lines broken elsewhere.
  return [...found, ...similarParts(content, wanted, cells, FEW, work)]
}

/** Of longer text only so many lines are compared; they are enough to find it. */
const MAX_HEIGHT = 2000
const FEW = 5
const HOPELESS = 0.3

function similarLines(
  content: string,
  lines: readonly string[],
  cells: readonly Cell[],
  max: number,
  work: Work,
): Candidate[] {
  const wanted = lines.map(makeComparedLine)
  const slack = Math.min(20, Math.max(2, Math.ceil(lines.length / 2)))
  const found: Candidate[] = []
  let top = 0
  for (const { line, votes, cell } of findBestWindows(cells, lines.length, max)) {
    top = Math.max(top, votes)
    if (votes < HOPELESS * top || work.windows >= LIMITS.windows) break
    work.windows++
    const there = readLinesNear(content, cell, line - slack, line + lines.length - 1 + slack, work)
    if (there === undefined) continue
    const aligned = alignLines(wanted, there.lines.map(makeComparedLine), line - there.first, slack, work)
    if (aligned === undefined || aligned.similarity + aligned.same < WORTH_SHOWING) continue
    const { first, last, similarity, same } = aligned
    found.push({
      line: there.first + first,
      endLine: there.first + last,
      similarity: roundSimilarity(similarity),
      rank: similarity + same,
      text: there.lines.slice(first, last + 1).join('\n'),
    })
  }
  return found
}

const WORTH_SHOWING = 0.4
/** Short text finds something a little like it in any line. */
const WORTH_SHOWING_PART = 0.55
const MAX_PATTERN = 1000

function similarParts(content: string, wanted: string, cells: readonly Cell[], max: number, work: Work): Candidate[] {
  const pattern = collapse(wanted).slice(0, MAX_PATTERN)
  const found: Candidate[] = []
  let top = 0
  for (const { votes, cell } of findBestWindows(cells, 1, max)) {
    top = Math.max(top, votes)
    if (votes < HOPELESS * top || work.windows >= LIMITS.windows) break
    work.windows++
    const region = readRegionAround(content, cell, pattern.length, work)
    if (region === undefined) break
    const part = findBestPart(pattern, region.text, work)
    if (part === undefined) break
    const similarity = 1 - part.distance / pattern.length
    if (similarity < WORTH_SHOWING_PART) continue
    const start = region.offsets[part.start] ?? cell.start
    const end = (region.offsets[part.end - 1] ?? start) + 1
    const line = cell.line + lineEndsBetween(content, cell.start, start) - lineEndsBetween(content, start, cell.start)
    const endLine = line + lineEndsBetween(content, start, end)
    found.push({
      line,
      endLine,
      similarity: roundSimilarity(similarity),
      rank: similarity,
      text: widenToLines(content, start, end),
    })
  }
  return found
}

/** What is not there to the letter is never quite the same. */
function roundSimilarity(similarity: number): number {
  return Math.min(0.99, Math.round(similarity * 100) / 100)
}

interface ScoredRange {
  start: number
  end: number
  /** Letters to change, add or remove. */
  distance: number
}

/** The part of `text` most like `pattern`, by Sellers; undefined when there is not the work left to find it. */
export function findBestPart(pattern: string, text: string, work: Work): ScoredRange | undefined {
  const height = pattern.length
  if (!spend(work, height * text.length)) return undefined
  // Column by column over the text: the distance of each prefix of the pattern, and where its match starts.
  let costs = Uint32Array.from({ length: height + 1 }, (_, index) => index)
  let starts = new Uint32Array(height + 1)
  let nextCosts = new Uint32Array(height + 1)
  let nextStarts = new Uint32Array(height + 1)
  let best: ScoredRange = { start: 0, end: 0, distance: height }
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    nextCosts[0] = 0
    nextStarts[0] = at + 1
    for (let i = 1; i <= height; i++) {
      let cost = (costs[i - 1] ?? 0) + (pattern.charCodeAt(i - 1) === code ? 0 : 1)
      let start = starts[i - 1] ?? 0
      const longer = (costs[i] ?? 0) + 1
      if (longer < cost) {
        cost = longer
        start = starts[i] ?? 0
      }
      const shorter = (nextCosts[i - 1] ?? 0) + 1
      if (shorter < cost) {
        cost = shorter
        start = nextStarts[i - 1] ?? 0
      }
      nextCosts[i] = cost
      nextStarts[i] = start
    }
    ;[costs, nextCosts] = [nextCosts, costs]
    ;[starts, nextStarts] = [nextStarts, starts]
    const distance = costs[height] ?? height
    if (distance < best.distance) best = { start: starts[height] ?? 0, end: at + 1, distance }
  }
  return best
}
