/**
 * The edit that was probably meant where it may not be applied: its lines as the file has them at the nearest place. It
 * is only shown, for the model to send again. Undefined where the nearest place leaves more than one way to read it.
 */
import { Source } from '../core/source.ts'
import type { NearPlace } from '../core/place.ts'
import { adaptNewLines } from './adapt.ts'
import { foldText } from './characters.ts'
import { FileLines, comparisonKey } from './file-lines.ts'
import type { Fit } from './fit.ts'
import type { Hunk, HunkLine } from './hunks.ts'
import type { AppliedHunk, HunkFailure } from './hunks-apply.ts'
import { findFitsByLevel, listHunkVariants } from './matcher.ts'
import { findCommonPairs } from './line-diff.ts'

export function suggestEdit(
  text: string,
  lines: readonly HunkLine[],
  nearest: readonly NearPlace[],
): HunkLine[] | undefined {
  const file = new FileLines(new Source(text))
  for (const [fit, ...others] of findFitsByLevel(lines, file, { levels: 'all', damage: [] })) {
    if (fit === undefined || others.length > 0) return undefined
    if (fit.splices !== undefined) return atFit(fit, fit.splices, file)
    break
  }
  const [place, second] = nearest
  if (place?.text === undefined || place.similarity < LEAST_ALIKE) return undefined
  if (second?.tied === true) return undefined
  const there = place.text.split('\n')
  for (const reading of listHunkVariants(lines)) {
    const meant = atPlace(reading, there, file)
    if (meant !== undefined) return meant
  }
  return undefined
}

/** The line of the nearest place where an edit was applied: with the lines of the file it would change nothing. */
export function findAppliedPlace(
  text: string,
  lines: readonly HunkLine[],
  nearest: readonly NearPlace[],
): number | undefined {
  const [place] = nearest
  if (place === undefined) return undefined
  if (hasOnlyNew(lines, place)) return place.line
  const meant = suggestEdit(text, lines, nearest)
  return meant !== undefined && sideText(meant, '-') === sideText(meant, '+') ? place.line : undefined
}

/** One side of an edit as a text. */
export const sideText = (lines: readonly HunkLine[], mark: '-' | '+'): string =>
  lines.flatMap((line) => (line.mark === ' ' || line.mark === mark ? [line.text] : [])).join('\n')

/** Whether a place has the lines that come and none of those that go. */
function hasOnlyNew(lines: readonly HunkLine[], { text }: NearPlace): boolean {
  const keysOf = (mark: '-' | '+'): string[] =>
    lines
      .filter((line) => line.mark === mark && line.text.trim() !== '')
      .map((line) => comparisonKey(line.text, 'characters'))
  const there = new Set(text?.split('\n').map((line) => comparisonKey(line, 'characters')))
  const [removed, added] = [keysOf('-'), keysOf('+')]
  return (
    added.join('').length > LITTLE &&
    added.every((line) => there.has(line)) &&
    removed.every((line) => added.includes(line) || !there.has(line))
  )
}

/** Fewer characters are in a place by chance. */
const LITTLE = 8
const LEAST_ALIKE = 0.6

/** With all lines of the place, so that it is found again. */
function atFit({ first, height }: Fit, splices: NonNullable<Fit['splices']>, file: FileLines): HunkLine[] {
  const lines: HunkLine[] = []
  for (let at = first; at <= first + height; at++) {
    for (const { from, added } of splices)
      if (from === at) lines.push(...added.map((text): HunkLine => ({ mark: '+', text })))
    if (at === first + height) break
    const goes = splices.some(({ from, to }) => from <= at && at < to)
    lines.push({ mark: goes ? '-' : ' ', text: file.line(at) })
  }
  return lines
}

/** The old lines paired with those of the place: the same ones first, then those between them, one by one. */
function atPlace(given: readonly HunkLine[], there: readonly string[], file: FileLines): HunkLine[] | undefined {
  const isMore = ({ mark, text }: HunkLine): boolean => mark !== ' ' || text.trim() !== ''
  const lines = given.slice(given.findIndex(isMore), given.findLastIndex(isMore) + 1)
  const old = lines.filter(({ mark }) => mark !== '+')
  const key = (line: string): string => comparisonKey(line, 'characters')
  const anchors = findCommonPairs(
    old.map(({ text }) => key(text)),
    there.map(key),
  )
  const content = old.filter(({ text }) => text.trim() !== '').length
  const known = anchors.filter(([own]) => old[own]?.text.trim() !== '')
  if (!reachesEdges(old, there, anchors) || (content > 1 && known.length * 2 < content)) return undefined
  // Lines that are in many places do not say which of these is meant.
  if (!known.some(([own]) => file.countOf(old[own]?.text ?? '', 'characters') === 1) && content > 1) return undefined
  const same = new Map(anchors)
  const alike = old.map((_, own) => there[same.get(own) ?? -1])
  const fresh = adaptNewLines(lines, alike, file.text)
  if (fresh === undefined) return undefined
  // For each old line the lines of the file that are in its place.
  const standing: (readonly HunkLine[])[] = []
  let [own, at] = [0, 0]
  for (const [nextOwn, nextAt] of [...anchors, [old.length, there.length] as const]) {
    const between = inPlaceOf(old.slice(own, nextOwn), there.slice(at, nextAt))
    if (between === undefined) return undefined
    standing.push(...between, [{ mark: old[nextOwn]?.mark ?? ' ', text: there[nextAt] ?? '' }])
    ;[own, at] = [nextOwn + 1, nextAt + 1]
  }
  const meant: HunkLine[] = []
  let taken = 0
  let added = 0
  for (const { mark } of lines) {
    if (mark === '+') meant.push({ mark, text: fresh[added++] ?? '' })
    else meant.push(...(standing[taken++] ?? []))
  }
  return meant
}

function inPlaceOf(old: readonly HunkLine[], there: readonly string[]): (readonly HunkLine[])[] | undefined {
  if (there.length === 0) return old.map(() => [])
  if (old.length === there.length) return old.map(({ mark }, at) => [{ mark, text: there[at] ?? '' }])
  const [first] = old
  // Lines of one kind share what is there: all of it goes, or all of it stays.
  if (first === undefined || !old.every(({ mark }) => mark === first.mark)) return undefined
  // Empty lines around it that the edit does not name stay.
  const isContent = (text: string): boolean => text.trim() !== ''
  const namesEmpty = old.some(({ text }) => !isContent(text))
  const from = namesEmpty ? 0 : there.findIndex(isContent)
  const to = namesEmpty ? there.length : there.findLastIndex(isContent)
  if (from === -1) return undefined
  const lines = there.map((text, at): HunkLine => ({ mark: at < from || at > to ? ' ' : first.mark, text }))
  return [lines, ...old.slice(1).map(() => [])]
}

/** Whether the old text begins and ends where lines do: of a part of a line the rest would be lost. */
function reachesEdges(
  old: readonly HunkLine[],
  there: readonly string[],
  anchors: readonly (readonly [number, number])[],
): boolean {
  const isAnchor = (own: number, at: number): boolean => anchors.some(([a, b]) => a === own && b === at)
  const words = (line: string | undefined): string[] =>
    foldText(line ?? '').match(/[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? []
  const first = words(old[0]?.text)
  const last = words(old.at(-1)?.text)
  return (
    (isAnchor(0, 0) || first[0] === words(there[0])[0]) &&
    (isAnchor(old.length - 1, there.length - 1) || last.at(-1) === words(there.at(-1)).at(-1))
  )
}

interface JudgedHunks {
  readonly applied: readonly AppliedHunk[]
  readonly failures: readonly HunkFailure[]
  /** The places nearest to a hunk, by its number. */
  readonly near: ReadonlyMap<number, readonly NearPlace[]>
  /** `failed`: the others are applied. */
  readonly sent: 'all' | 'failed'
}

/** A patch with the lines of the file in those of its hunks that are not there as written, and without those that are applied. */
export function suggestPatch(
  text: string,
  hunks: readonly Hunk[],
  { applied, failures, near, sent }: JudgedHunks,
): string | undefined {
  const written: string[] = []
  for (const hunk of hunks) {
    const failure = failures.find((one) => one.hunk.number === hunk.number)
    if (failure?.applied !== undefined || (failure === undefined && sent === 'failed')) continue
    const fits = applied.find(({ number }) => number === hunk.number)
    const places = near.get(hunk.number) ?? []
    const isKnown = fits !== undefined || places.length > 0
    const lines =
      fits?.level === 'exact'
        ? hunk.lines
        : isKnown
          ? suggestEdit(text, (failure ?? { hunk }).hunk.lines, places)
          : undefined
    if (lines === undefined || hunk.atEnd || hunk.bare.old || hunk.bare.new) return undefined
    written.push(hunkHeader(hunk, lines, (fits ?? places[0])?.line), ...lines.map((line) => line.mark + line.text))
  }
  return written.length === 0 ? undefined : written.join('\n')
}

function hunkHeader({ stated, above, heading, unique }: Hunk, lines: readonly HunkLine[], line = stated?.line): string {
  const mark = unique ? '@@!' : '@@'
  if (stated === undefined || line === undefined)
    return [...above.map((words) => `${mark} ${words}`), ...(above.length === 0 ? [mark] : [])].join('\n')
  const count = (side: '-' | '+'): number => lines.filter(({ mark: own }) => own === ' ' || own === side).length
  return `${mark} -${line},${count('-')} +${line},${count('+')} @@${heading === undefined ? '' : ` ${heading}`}`
}
