import { type Hunk, hunkSide } from './hunks.ts'
import { foldText } from './characters.ts'
import { type FileLines, withoutCr } from './file-lines.ts'
import { addedAgainWarning, type Fit, findLinesInsideNew, type Splice, applySplices } from './fit.ts'
import { findFitsByLevel, type Matching } from './matcher.ts'
import { indentOf } from './reindent.ts'
import { removeDamage } from './undamage.ts'

/** A hunk and the one place it belongs. */
export interface PlacedHunk {
  readonly hunk: Hunk
  readonly fit: Fit & { readonly splices: readonly Splice[] }
  readonly warnings: readonly string[]
}

export type LocatedHunk =
  | PlacedHunk
  | { readonly problem: 'absent' }
  | { readonly problem: 'ambiguous'; readonly fits: readonly Fit[] }
  /** It fits, and the file does not tell how its new lines must be written there. */
  | { readonly problem: 'unclear'; readonly fits: readonly Fit[] }
  /** It only adds, and nothing says where. */
  | { readonly problem: 'no-context' }

/**
 * The place of a hunk in a file. The first level of `matcher.ts` that finds any decides, and it must find one place.
 * A place that does not end the file is ignored when the hunk says that it does, nor is what is above the line that the header
 * names. Of several places that are left, the first of these that fits exactly one decides:
 *
 * - it begins on exactly the line whose number the header states. Numbers count in the file as it was, for later
 *   hunks too, so no distance is made up for;
 * - it is in the block, by indentation, of the line that the header names;
 * - it is in the block of the heading after the numbers;
 * - it ends the file, and the hunk says that the old side has no final newline;
 * - it is as written and the first after the hunk before this one, unless the hunk must fit one place only.
 */
export function locateHunk(
  hunk: Hunk,
  file: FileLines,
  matching: Matching,
  before: PlacedHunk | undefined,
): LocatedHunk {
  if (hunkSide(hunk, 'old').length === 0) return locateAddition(hunk, file)
  // Hunks that must fit one place only are made of two texts.
  const marks = hunk.unique ? undefined : 'written'
  for (const found of findFitsByLevel(hunk.lines, file, { ...matching, marks })) {
    const { fits, warnings } = hunkCandidates(hunk, file, found, before)
    const [fit] = fits
    if (fit === undefined) continue
    const isCopied = hunk.unique && fits.length === matching.copies
    if (fits.length > 1 && !isCopied && !leadToSameText(fits, file)) return { problem: 'ambiguous', fits }
    const { splices } = fit
    const again = matching.levels === 'all' ? findLinesInsideNew(fit, file) : undefined
    if (again?.isSure === true) return { problem: 'absent' }
    if (splices === undefined) return { problem: 'unclear', fits }
    const twice = again === undefined ? [] : [`hunk ${hunk.number}: ${addedAgainWarning(again.first + 1)}`]
    return { hunk, fit: { ...fit, splices }, warnings: [...warnings, ...twice] }
  }
  return { problem: 'absent' }
}

/** Of two equal lines in a row one goes: whichever it is, the file is the same. */
function leadToSameText(fits: readonly Fit[], file: FileLines): boolean {
  if (fits.length > MOST_COMPARED || file.text.length > LONGEST_COMPARED) return false
  const texts = new Set(fits.map(({ splices }) => splices && applySplices(file, splices)))
  return texts.size === 1 && !texts.has(undefined)
}

const MOST_COMPARED = 20
const LONGEST_COMPARED = 1_000_000

interface HunkCandidates {
  readonly fits: readonly Fit[]
  readonly warnings: readonly string[]
}

function hunkCandidates(
  hunk: Hunk,
  file: FileLines,
  found: readonly Fit[],
  before: PlacedHunk | undefined,
): HunkCandidates {
  const endsFile = ({ first, height }: Fit): boolean => first + height === file.count
  const ending = hunk.atEnd ? found.filter(endsFile) : found
  const above = ending.length === 0 ? undefined : lineAbove(hunk.above, file)
  const fits = above === undefined ? ending : ending.filter(({ first }) => first >= above)
  const warnings =
    hunk.above.length > 0 && above === undefined && ending.length > 0
      ? [`hunk ${hunk.number}: no line is '${hunk.above.join(' / ')}'; it was placed by its own lines alone`]
      : []
  if (fits.length < 2) return { fits, warnings }

  const heading = hunk.heading === undefined ? undefined : lineAbove([hunk.heading], file)
  const narrowed = [
    fits.filter(({ first }) => first + 1 === hunk.stated?.line),
    above === undefined ? [] : inBlock(file, above, fits),
    heading === undefined ? [] : inBlock(file, heading, fits),
    hunk.bare.old ? fits.filter(endsFile) : [],
  ]
  const only = narrowed.find(({ length }) => length === 1)
  if (only !== undefined) return { fits: only, warnings }
  const next = hunk.unique ? undefined : before && firstAfter(before, fits)
  if (next === undefined) return { fits, warnings }
  const others = fits.filter((fit) => fit !== next).map(({ first }) => first + 1)
  const warning = `hunk ${hunk.number} was applied on line ${next.first + 1}, the first place after hunk ${before?.hunk.number}; it fits line ${others.join(', ')} too`
  return { fits: [next], warnings: [...warnings, warning] }
}

const firstAfter = (before: PlacedHunk, fits: readonly Fit[]): Fit | undefined =>
  fits.find(({ first, level }) => level === 'exact' && first >= hunkEnd(before))

const hunkEnd = ({ fit }: PlacedHunk): number => Math.max(fit.first + 1, ...fit.splices.map(({ to }) => to))

function locateAddition(hunk: Hunk, file: FileLines): LocatedHunk {
  const added = hunk.lines.map(({ text }) => withoutCr(text))
  const at = (first: number, warnings: readonly string[] = []): PlacedHunk => {
    const splices = [{ from: first, to: first, added }]
    return { hunk, fit: { level: 'exact', first, height: 0, splices }, warnings }
  }
  if (file.count === 0) return at(0)
  if (hunk.atEnd) return at(file.count)
  if (hunk.above.length > 0) {
    const lines = linesNamed(hunk.above, file)
    const [first] = lines
    if (first === undefined) return { problem: 'absent' }
    if (lines.length > 1) {
      return {
        problem: 'ambiguous',
        fits: lines.map((line) => ({ level: 'exact', first: line, height: 1, splices: undefined })),
      }
    }
    return at(first + 1, [`hunk ${hunk.number} has no context of its own; it was put directly after line ${first + 1}`])
  }
  const { stated } = hunk
  // What is after line 0 is as likely the whole of a file that was thought to be new.
  const isStated = stated?.count === 0 && stated.line > 0 && stated.line <= file.count
  return isStated ? at(stated.line) : { problem: 'no-context' }
}

/** The first line that is the last of the named ones, each found after the one before. */
function lineAbove(named: readonly string[], file: FileLines): number | undefined {
  return (
    linesNamed(named, file)[0] ??
    linesNamed(
      named.map((line) => removeDamage(line, ['entities', 'escapes'])),
      file,
    )[0]
  )
}

/** All such lines. A line is named by its text, whitespace aside; where none is, by how it begins. */
function linesNamed(named: readonly string[], file: FileLines): number[] {
  let from = -1
  let lines: number[] = []
  for (const name of named) {
    lines = linesStartingLike(name, file).filter((line) => line > from)
    const [first] = lines
    if (first === undefined) return []
    from = first
  }
  return lines
}

function linesStartingLike(name: string, file: FileLines): number[] {
  const same = file.find([name], 'indentation')
  if (same.length > 0) return same
  const plain = file.find([name], 'characters')
  if (plain.length > 0) return plain
  const start = foldText(name).trim()
  const found: number[] = []
  for (let at = 0; at < file.count; at++) {
    const line = foldText(file.line(at)).trimStart()
    // Not in the middle of a word: `def add` does not name `def add_all`.
    if (line.startsWith(start) && !/^\w\w$/.test(line.slice(start.length - 1, start.length + 1))) found.push(at)
  }
  return found
}

/** Those of the places that are in the block a line opens: down to the next that is not deeper, empty ones aside. */
function inBlock(file: FileLines, opener: number, fits: readonly Fit[]): Fit[] {
  const depth = indentOf(file.line(opener)).length
  let end = opener + 1
  for (; end < file.count; end++) {
    const text = file.line(end)
    if (text.trim() !== '' && indentOf(text).length <= depth) break
  }
  return fits.filter(({ first }) => first >= opener && first < end)
}
