/**
 * How an edit finds its place: the levels, from the strictest to the loosest. The first level that finds any place decides.
 *
 *   exact           the lines are there as written
 *   trailing-space  but for whitespace at line ends
 *   indentation     but for the same shift of every line, or tabs for spaces
 *   characters      but for typographic punctuation, Unicode forms, entities, odd spaces (`undamage.ts`)
 *   prefix          but for line numbers, `> `, bullets or a code fence that every line has (`hunks.ts`, `withoutPrefixes`)
 *   context         but for blank lines (`by-blank-lines.ts`), or by the lines that change; the others are the file's
 *                   (`by-context.ts`)
 *
 * Each level also forgives what those above it forgive, because damages come together. Two readings that lead to the
 * same lines are one.
 */
import type { DamageKind } from '../core/diagnostic.ts'
import { adaptNewLines, chooseFrame, plainIndent } from './adapt.ts'
import { findBlankLineFits } from './by-blank-lines.ts'
import { findContextFits } from './by-context.ts'
import { type FileLines, type ViewName, views, withoutCr } from './file-lines.ts'
import { type Fit, type MatchLevel, makeSplices } from './fit.ts'
import { type HunkLine, withoutPrefixes } from './hunks.ts'
import { findCommonPairs } from './line-diff.ts'
import { indentOf, isOneShift } from './reindent.ts'
import { dashes, findEscaped, hasOtherMarks, showsDamage, removeDamage, damageWords } from './undamage.ts'

export interface Matching {
  /** `exact`: the first level only. */
  readonly levels: 'all' | 'exact'
  /** Damage that the markers of the block show: then its texts are not taken as they are. */
  readonly damage: readonly DamageKind[]
  /** `exact`: the file must have the indentation of the edit. */
  readonly indentation?: 'exact' | undefined
  /** `any`: a lone CR ends a line of the file too, and new lines end as its first line does: Codex reads files so. */
  readonly breaks?: 'any' | undefined
  /** How many places a hunk that must fit only one may have: the reply has as many copies of it, and this is the first. */
  readonly copies?: number | undefined
  /** `written`: the lines are those of a diff, not of two texts that were compared. */
  readonly marks?: 'written' | undefined
}

/** The places of an edit, level by level; levels without any are left out. */
export function* findFitsByLevel(lines: readonly HunkLine[], file: FileLines, matching: Matching): Generator<Fit[]> {
  for (const found of fitsByLevel(lines, file, matching)) {
    const fits = matching.marks === 'written' ? found.map((fit) => withForgottenMarks(lines, fit, file)) : found
    yield* some(matching.indentation === 'exact' ? fits.filter((fit) => isIndentedLikeFile(lines, fit, file)) : fits)
  }
}

/**
 * Models forget the space before lines of context; indented ones then lack one space of their indentation, and new lines,
 * whose mark nobody forgets, lack none. Codex's own parser reads it so too.
 */
function withForgottenMarks(lines: readonly HunkLine[], fit: Fit, file: FileLines): Fit {
  const old = oldOf(lines).map((line) => plainIndent(removeDamage(line, ['entities'])))
  const isTelling = old.some((line) => line.trim() !== '') && fit.height === old.length
  if (!isTelling || lines.some(({ mark }) => mark === '-')) return fit
  const isShort = (line: string, at: number): boolean =>
    line.trim() === '' || indentOf(plainIndent(file.line(fit.first + at))) === ` ${indentOf(line)}`
  if (!old.every(isShort)) return fit
  // New lines that are damaged as well would have to be repaired by what is known of the old ones.
  if (fit.level !== 'indentation') return { ...fit, splices: undefined }
  const added = lines.flatMap(({ mark, text }) => (mark === '+' ? [withoutCr(text)] : []))
  const { edit: _, ...place } = fit
  return { ...place, splices: makeSplices(lines, from(fit.first), added) }
}

function isIndentedLikeFile(lines: readonly HunkLine[], { first, height }: Fit, file: FileLines): boolean {
  const old = oldOf(lines).map((line) => removeDamage(line, ['entities']))
  const isAlike = (line: string, at: number): boolean =>
    line.trim() === '' || indentOf(plainIndent(line)) === indentOf(plainIndent(file.line(first + at)))
  return height === old.length && old.every(isAlike)
}

function* fitsByLevel(lines: readonly HunkLine[], file: FileLines, matching: Matching): Generator<Fit[]> {
  const given: HunkReading = { lines }
  if (matching.damage.length > 0 && matching.levels === 'all') {
    yield* damagedFits(given, file, matching.damage)
    return
  }
  const exact = exactFits(lines, file)
  if (exact.length > 0) yield exact
  if (matching.levels === 'exact') return
  for (const view of ['trailing-space', 'indentation'] as const) yield* some(viewFits(given, file, view, view))
  const { readings, bare } = hunkReadings(given)
  yield* some(
    mergeByPlace([...viewFits(given, file, 'characters', 'characters'), ...readingFits(readings, file, 'characters')]),
  )
  yield* some(mergeByPlace(readingFits(bare, file, 'prefix')))
  yield* some(findBlankLineFits(lines, file))
  yield* some(byContext([given, ...readings, ...bare], file))
}

/** All ways to read the lines of an edit, as they are first. */
export function listHunkVariants(lines: readonly HunkLine[]): (readonly HunkLine[])[] {
  const { readings, bare } = hunkReadings({ lines })
  return [lines, ...[...readings, ...bare].map((reading) => reading.lines)]
}

const hunkReadings = (
  given: HunkReading,
): { readonly readings: readonly HunkReading[]; readonly bare: readonly HunkReading[] } => ({
  readings: [...escapeReadings(given)],
  bare: bareReadings(given).flatMap((reading) => [reading, ...escapeReadings(reading)]),
})

/** The places by context, of the readings that find most of their lines in one. */
function byContext(readings: readonly HunkReading[], file: FileLines): Fit[] {
  let most = 0
  let best: Fit[] = []
  for (const { lines, through } of readings) {
    const fits = findContextFits(lines, file)
    const matched = Math.max(0, ...fits.map((fit) => fit.matched))
    if (matched > most) best = []
    if (matched >= most) best.push(...fits.map((fit) => ({ ...fit, through: through || fit.through })))
    most = Math.max(most, matched)
  }
  return mergeByPlace(best)
}

/** The lines of two texts as those of a hunk. */
export function makeHunkLines(old: readonly string[], fresh: readonly string[]): HunkLine[] {
  const lines: HunkLine[] = []
  let from = 0
  let to = 0
  for (const [oldAt, newAt] of [...findCommonPairs(old, fresh), [old.length, fresh.length] as const]) {
    while (from < oldAt) lines.push({ mark: '-', text: old[from++] ?? '' })
    while (to < newAt) lines.push({ mark: '+', text: fresh[to++] ?? '' })
    const text = old[from++]
    to++
    if (text !== undefined) lines.push({ mark: ' ', text })
  }
  return lines
}

interface HunkReading {
  readonly lines: readonly HunkLine[]
  readonly through?: string | undefined
}

function* some(fits: Fit[]): Generator<Fit[]> {
  if (fits.length > 0) yield fits
}

const oldOf = (lines: readonly HunkLine[]): string[] => lines.flatMap(({ mark, text }) => (mark === '+' ? [] : [text]))
const newOf = (lines: readonly HunkLine[]): string[] => lines.flatMap(({ mark, text }) => (mark === '-' ? [] : [text]))

function exactFits(lines: readonly HunkLine[], file: FileLines): Fit[] {
  const old = oldOf(lines)
  const carriesCr = lines.some(({ text }) => text.endsWith('\r'))
  const toTheLetter = carriesCr ? file.find(old, 'letter') : []
  const added = lines.flatMap(({ mark, text }) => (mark === '+' ? [text] : []))
  const base = { level: 'exact', height: old.length } as const
  if (toTheLetter.length > 0) {
    return toTheLetter.map((first) => ({
      ...base,
      first,
      splices: makeSplices(lines, from(first), added),
      lineEnds: 'edit',
    }))
  }
  const plain = added.map(withoutCr)
  return file.find(old, 'exact').map((first) => ({ ...base, first, splices: makeSplices(lines, from(first), plain) }))
}

const from =
  (first: number) =>
  (at: number): number =>
    first + at

function viewFits({ lines, through }: HunkReading, file: FileLines, view: ViewName, level: MatchLevel): Fit[] {
  const plain = lines.map(({ mark, text }) => ({ mark, text: withoutCr(text) }))
  const old = oldOf(plain)
  // Lines of nothing but whitespace are everywhere once it is ignored.
  if (old.every((line) => line.trim() === '')) return []
  return file.find(old, view).flatMap((first): Fit[] => {
    const there = old.map((_, at) => file.line(first + at))
    // New lines that are indented like the file are compared with it: what they share with old lines is by chance.
    const isFiles = view === 'indentation' && chooseFrame(plain, there) === 'file'
    const isMixed = view === 'characters' && chooseFrame(plain, there) === 'file'
    const own = isFiles ? makeHunkLines(there, newOf(plain)) : plain
    const fresh = isMixed
      ? undefined
      : shiftFits(old, there, view)
        ? adaptNewLines(own, there, file.text)
        : adaptedAroundStrings(own, there, file.text)
    const splices = fresh && makeSplices(own, from(first), fresh)
    // Only lines whose indentation differs tell whether strings were shifted too.
    const edit = {
      old: old.map((line, at) => (indentOf(line) === indentOf(there[at] ?? '') ? '' : line)),
      added: own.flatMap(({ mark, text }) => (mark === '+' ? [text] : [])),
    }
    return [{ level, first, height: old.length, splices, edit, through: through || undefined }]
  })
}

/**
 * The new lines where only the lines around strings of several lines are indented otherwise: those inside are content,
 * and both texts have them as written.
 */
function adaptedAroundStrings(
  lines: readonly HunkLine[],
  there: readonly string[],
  text: string,
): readonly string[] | undefined {
  const inside = linesInsideStrings(lines)
  if (inside === undefined || inside.size === 0) return undefined
  let at = 0
  const around: HunkLine[] = []
  const fileLines: string[] = []
  for (const line of lines) {
    const file = line.mark === '+' ? undefined : there[at++]
    if (!inside.has(line)) {
      around.push(line)
      if (file !== undefined) fileLines.push(file)
    } else if (file !== undefined && file.trimEnd() !== line.text.trimEnd()) return undefined
  }
  if (!isShifted(oldOf(around), fileLines)) return undefined
  const added = adaptNewLines(around, fileLines, text)
  if (added === undefined) return undefined
  let taken = 0
  return lines.flatMap((line) =>
    line.mark !== '+' ? [] : [inside.has(line) ? line.text : (added[taken++] ?? line.text)],
  )
}

/** The lines that begin inside a string; undefined where that is not the same in the old and in the new text. */
function linesInsideStrings(lines: readonly HunkLine[]): ReadonlySet<HunkLine> | undefined {
  const [old, fresh] = (['-', '+'] as const).map((own) => {
    const inside = new Set<HunkLine>()
    let open: string | undefined
    for (const line of lines.filter(({ mark }) => mark === ' ' || mark === own)) {
      if (open !== undefined) inside.add(line)
      for (const [mark] of line.text.matchAll(/(?<!\\)(?:`|"""|''')/g))
        open = open === undefined ? mark : open === mark ? undefined : open
    }
    return open === undefined ? inside : undefined
  })
  if (old === undefined || fresh === undefined) return undefined
  const agrees = lines.every((line) => line.mark !== ' ' || old.has(line) === fresh.has(line))
  return agrees ? new Set([...old, ...fresh]) : undefined
}

const shiftFits = (old: readonly string[], there: readonly string[], view: ViewName): boolean =>
  view === 'exact' || view === 'trailing-space' || isShifted(old, there)

/** Whether all lines of an edit are indented in the file by one rule. */
export const isShifted = (old: readonly string[], there: readonly string[]): boolean =>
  isOneShift(old.map((line, at) => [plainIndent(line), plainIndent(there[at] ?? '')] as const))

/** The places of other readings, in the strictest way that finds any. */
function readingFits(readings: readonly HunkReading[], file: FileLines, level: MatchLevel): Fit[] {
  for (const view of views) {
    const fits = readings.flatMap((reading) => viewFits(reading, file, view, level))
    if (fits.length > 0) return fits
  }
  return []
}

/** Places that several readings found, once each; with nothing to write where the readings differ in it. */
function mergeByPlace(fits: readonly Fit[]): Fit[] {
  const byPlace = new Map<string, Fit>()
  for (const fit of fits) {
    const key = `${fit.first} ${fit.height}`
    const known = byPlace.get(key)
    const differs = known !== undefined && JSON.stringify(known.splices) !== JSON.stringify(fit.splices)
    if (known === undefined) byPlace.set(key, fit)
    // A reading that cannot say what to write does not speak against one that can.
    else if (known.splices === undefined) byPlace.set(key, fit)
    else if (differs && fit.splices !== undefined) byPlace.set(key, { ...fit, splices: undefined })
  }
  return [...byPlace.values()].sort((a, b) => a.first - b.first)
}

const bareReadings = ({ lines, through }: HunkReading): HunkReading[] =>
  withoutPrefixes(lines).map(({ old, fresh, words }) => ({
    lines: makeHunkLines(old, fresh),
    through: through === undefined ? words : `${through} and ${words}`,
  }))

/** Entities, backslashes of markdown and long dashes undone, where the old lines have them. */
function* escapeReadings({ lines, through }: HunkReading): Generator<HunkReading> {
  const text = lines.map((line) => line.text).join('\n')
  const old = oldOf(lines).join('\n')
  const kinds = (['entities', 'escapes'] as const).filter((kind) => showsDamage(old, kind))
  const sets: (readonly DamageKind[])[] =
    kinds.length === 2 ? [...kinds.map((kind) => [kind]), kinds] : kinds.map((kind) => [kind])
  for (const set of sets) if (isEscapedAlike(text, set)) yield* undoDamage(set, lines, through)
  if (/[\u2012-\u2015]/.test(old))
    for (const set of [[], ...sets])
      if (!hasOtherMarks(newOf(lines).join(''), old)) yield* undoDamage([...set, 'punctuation'], lines, through)
}

function* undoDamage(
  kinds: readonly DamageKind[],
  lines: readonly HunkLine[],
  through?: string,
): Generator<HunkReading> {
  const words = [...(through === undefined ? [] : [through]), damageWords(kinds)].join(' and ')
  const seen = new Set<string>()
  for (const dash of dashes) {
    const read = lines.map(({ mark, text }) => ({ mark, text: removeDamage(text, kinds, dash) }))
    const key = JSON.stringify(read)
    if (!seen.has(key)) yield { lines: read, through: words }
    seen.add(key)
  }
}

/** A program that escapes a character escapes it everywhere: what is there both ways was not escaped by one. */
function isEscapedAlike(text: string, kinds: readonly DamageKind[]): boolean {
  return kinds.every((kind) => {
    const { escaped, plain } = findEscaped(text, [kind])
    return ![...escaped].some((char) => plain.has(char))
  })
}

/** An edit whose markers are damaged: with that undone, then as any other. */
function* damagedFits({ lines }: HunkReading, file: FileLines, damage: readonly DamageKind[]): Generator<Fit[]> {
  const shown = damage.filter(
    (kind) => showsDamage(oldOf(lines).join('\n'), kind) || showsDamage(newOf(lines).join('\n'), kind),
  )
  const undoneIn = [...undoDamage(shown, lines)].filter(({ lines: read }) => isVouched(lines, read, file.text, shown))
  // Where the file has such characters of its own, the old lines say which of them are damage.
  const old = oldOf(lines).join('\n')
  const telling = shown.every((kind) => kind !== 'entities' && kind !== 'escapes' && showsDamage(old, kind))
  const isTold = undoneIn.length === 0 && telling && exactFits(lines, file).length === 0
  const readings: readonly HunkReading[] = isTold ? [{ lines, through: damageWords(shown) }] : undoneIn
  for (const view of views)
    yield* some(mergeByPlace(readings.flatMap((reading) => viewFits(reading, file, view, 'characters'))))
  const bare = readings.flatMap(bareReadings)
  yield* some(mergeByPlace(readingFits(bare, file, 'prefix')))
  yield* some(byContext([...readings, ...bare], file))
}

/** Whether new lines say after the repair what they said before the damage: the file has none of what was undone. */
function isVouched(
  lines: readonly HunkLine[],
  read: readonly HunkLine[],
  text: string,
  kinds: readonly DamageKind[],
): boolean {
  return kinds.every((kind) => {
    if (kind === 'entities' || kind === 'escapes')
      return isEscapedAlike(lines.map((line) => line.text).join('\n'), [kind])
    if (kind === 'breaks') return true
    const changed = lines.filter(({ mark, text: own }, at) => mark === '+' && own !== read[at]?.text)
    return !changed.some(({ text: own }) => [...own].some((char) => showsDamage(char, kind) && text.includes(char)))
  })
}
