import { Source } from '../core/source.ts'
import { findOccurrences, replaceSpans, type Span } from './edit.ts'
import { FileLines } from './file-lines.ts'
import {
  type Fit,
  addedAgainWarning,
  findLinesInsideNew,
  isLong,
  repairWarning,
  type MatchLevel,
  type Shifted,
  findShift,
  type Splice,
  applySplices,
} from './fit.ts'
import { adaptNewLines } from './adapt.ts'
import type { HunkLine } from './hunks.ts'
import { splitBlock } from './lines.ts'
import { findFitsByLevel, makeHunkLines, isShifted, type Matching } from './matcher.ts'
import { findOnlyReading } from './undamage-edit.ts'
import { damageWarning } from './undamage.ts'

/** How an edit by text may be read. */
export interface Tolerance {
  /** `tolerant`: all levels. `exact`: only as written, or through paste damage. */
  readonly matching: 'tolerant' | 'exact'
  /** `off`: nothing is repaired. */
  readonly readings: 'allowed' | 'off'
  readonly damage: Matching['damage']
}

/** How often the text must be there. */
export type WantedCount = number | 'all'

export type TextEdited =
  | {
      readonly kind: 'done'
      readonly text: string
      readonly count: number
      readonly level: MatchLevel
      readonly warnings: readonly string[]
      readonly shifted?: Shifted | undefined
    }
  /** The first level that found any place found another number of them, or does not tell what to write there. */
  | { readonly kind: 'count' | 'unclear'; readonly level: MatchLevel; readonly spans: readonly Span[] }
  | { readonly kind: 'absent' }

/**
 * A text with `old` replaced by `fresh` in a place that is not there as written: levels 2 to 6 of `matcher.ts`, and
 * parts of lines through paste damage. `what` is what the text is called in warnings.
 */
export function editTolerantly(
  text: string,
  old: string,
  fresh: string,
  wanted: WantedCount,
  tolerance: Tolerance,
  what = 'old_text',
): TextEdited {
  if (tolerance.readings === 'off') return { kind: 'absent' }
  const read = (): TextEdited => throughDamage(text, old, fresh, wanted, tolerance, what)
  if (tolerance.matching === 'exact') return read()
  const [oldLines, newLines] = editLines(old, fresh)
  const file = new FileLines(new Source(text))
  const lines = makeHunkLines(oldLines, newLines)
  const [fits] = findFitsByLevel(lines, file, { levels: 'all', damage: tolerance.damage })
  if (fits === undefined) return read()
  // Parts of lines are found through damage only, on the level for that.
  const level = fits[0]?.level ?? 'exact'
  const part = beforeParts.includes(level) ? undefined : read()
  return part === undefined || part.kind === 'absent' ? editedAt(fits, file, wanted, what) : part
}

const beforeParts: readonly MatchLevel[] = ['exact', 'trailing-space', 'indentation']

/**
 * The place where the new text is already, around the one place of the old text: the edit was probably applied before.
 * A short text may be there by chance, so it is not sure.
 */
export function findTextInsideNew(
  text: string,
  span: Span,
  old: string,
  fresh: string,
): (Span & { isSure: boolean }) | undefined {
  if (fresh.length <= old.length || !fresh.includes(old)) return undefined
  const around = findOccurrences(text, fresh, { max: 100 }).find(
    ({ start, end }) => start <= span.start && span.end <= end,
  )
  return around && { ...around, isSure: isLong(fresh.split('\n')) }
}

/**
 * A text with the lines from `beginning` to `end` replaced, which are there once each but for whitespace at line ends,
 * indentation or characters: levels 2 to 4 of `matcher.ts`.
 */
export function editRangeTolerantly(
  text: string,
  beginning: string,
  end: string,
  fresh: string,
  { matching, readings }: Tolerance,
): TextEdited {
  if (readings === 'off' || matching === 'exact') return { kind: 'absent' }
  const file = new FileLines(new Source(text))
  const [first, last] = [splitBlock(beginning), splitBlock(end)]
  const old = [...first, ...last]
  const lines: HunkLine[] = [
    ...old.map((row) => ({ mark: '-', text: row }) as const),
    ...splitBlock(fresh).map((row) => ({ mark: '+', text: row }) as const),
  ]
  for (const level of ['trailing-space', 'indentation', 'characters'] as const) {
    const starts = file.find(first, level)
    const [start] = starts
    if (start === undefined) continue
    const ends = file.find(last, level).filter((at) => at >= start + first.length)
    const [stop] = ends
    if (stop === undefined) continue
    const to = stop + last.length
    const span = { start: file.startOf(start), end: file.startOf(to) }
    if (starts.length > 1 || ends.length > 1) return { kind: 'count', level, spans: [span] }
    const there = old.map((_, nth) => file.line(nth < first.length ? start + nth : stop + nth - first.length))
    const added = isShifted(old, there) ? adaptNewLines(lines, there, text) : undefined
    if (added === undefined) return { kind: 'unclear', level, spans: [span] }
    const fit: Fit = { level, first: start, height: to - start, splices: [{ from: start, to, added }] }
    return editedAt([fit], file, 1, 'the passage')
  }
  return { kind: 'absent' }
}

function editedAt(fits: readonly Fit[], file: FileLines, wanted: WantedCount, what: string): TextEdited {
  const apart: Fit[] = []
  for (const fit of fits) {
    const last = apart.at(-1)
    if (last === undefined || fit.first >= last.first + last.height) apart.push(fit)
  }
  const level = apart[0]?.level ?? 'exact'
  const spans = apart.map(({ first, height }) => ({ start: file.startOf(first), end: file.startOf(first + height) }))
  if (wanted !== 'all' && apart.length !== wanted) return { kind: 'count', level, spans }
  const again = apart.flatMap((fit) => findLinesInsideNew(fit, file) ?? [])
  if (again.some(({ isSure }) => isSure)) return { kind: 'absent' }
  const splices: Splice[] = []
  for (const fit of apart) {
    if (fit.splices === undefined) return { kind: 'unclear', level, spans }
    splices.push(...fit.splices)
  }
  const changed = applySplices(file, splices)
  // What was without a final newline stays so.
  const text = file.text.endsWith('\n') ? changed : changed.replace(/\r?\n$/, '')
  const warning = repairWarning(what, apart, file) ?? `${what} was found only without its last line break`
  return {
    kind: 'done',
    text,
    count: apart.length,
    level,
    warnings: [warning, ...again.map(({ first }) => addedAgainWarning(first + 1))],
    shifted: findShift(apart),
  }
}

/** The lines of both texts. Line breaks that both begin with belong to the line above. */
export function editLines(old: string, fresh: string): [string[], string[]] {
  let from = old.replaceAll('\r\n', '\n')
  let to = fresh.replaceAll('\r\n', '\n')
  while (from.startsWith('\n') && to.startsWith('\n') && from.length > 1) [from, to] = [from.slice(1), to.slice(1)]
  // Spaces after the last line break of one text are nothing where the other one ends there.
  if (from.endsWith('\n')) to = to.replace(/\n[ \t]+$/, '\n')
  if (!from.endsWith('\n')) return [from.split('\n'), to.split('\n')]
  if (to.endsWith('\n')) to = to.slice(0, -1)
  else if (to === '') return [from.slice(0, -1).split('\n'), []]
  return [from.slice(0, -1).split('\n'), to.split('\n')]
}

function throughDamage(
  text: string,
  old: string,
  fresh: string,
  wanted: WantedCount,
  { damage }: Tolerance,
  what: string,
): TextEdited {
  const edit = { wanted: [old], replacement: fresh }
  const reading = findOnlyReading(edit, text, damage, ([one = '']) => findOccurrences(text, one))
  if (reading === undefined || reading.found.length !== (wanted === 'all' ? 1 : wanted)) return { kind: 'absent' }
  const [read = old] = reading.wanted
  return {
    kind: 'done',
    text: replaceSpans(text, reading.found, read, reading.replacement),
    count: reading.found.length,
    level: 'characters',
    warnings: [damageWarning(what, reading.kinds)],
  }
}
