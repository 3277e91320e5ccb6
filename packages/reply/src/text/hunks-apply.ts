import { runGuarded } from '../core/guard.ts'
import { Source } from '../core/source.ts'
import { dominantEol } from './lines.ts'
import type { Span } from './edit.ts'
import { type Hunk, hunkSide } from './hunks.ts'
import { locateHunk, type PlacedHunk } from './hunks-locate.ts'
import { FileLines } from './file-lines.ts'
import { type Fit, repairWarning, type MatchLevel, type Shifted, findShift, type Splice, applySplices } from './fit.ts'
import type { Matching } from './matcher.ts'
import { findAppliedLine } from './nearest.ts'

export interface AppliedHunk {
  readonly number: number
  /** The lines it was found on, from 1. */
  readonly line: number
  readonly endLine: number
  readonly level: MatchLevel
}

export interface HunkFailure {
  readonly hunk: Hunk
  readonly reason: 'absent' | 'ambiguous' | 'unclear' | 'overlap' | 'no-context'
  /** All places of an ambiguous one. */
  readonly spans: readonly Span[]
  /** The line on which the new side is already, from 1. */
  readonly applied?: number
  /** The hunk it overlaps. */
  readonly other?: number
}

export interface AppliedHunks {
  /** Whether all hunks fit. */
  readonly ok: boolean
  /** With those applied that fit. */
  readonly text: string
  readonly applied: readonly AppliedHunk[]
  readonly warnings: readonly string[]
  readonly shifted?: Shifted | undefined
  readonly failures: readonly HunkFailure[]
}

/**
 * A text with hunks applied, and why some cannot be. All are found in the text as it was. They may share lines of
 * context, but not lines that change. Bytes that no hunk changes stay; new lines end as the lines they replace do.
 */
export const applyHunks = (text: string, hunks: readonly Hunk[], matching: Matching = tolerant): AppliedHunks =>
  runGuarded(() => {
    const done = applyAtOnce(text, hunks, matching)
    return done.ok ? done : (applyOneByOne(text, hunks, matching, done.failures) ?? done)
  })

/** Blocks that are written one after another may look for what an earlier one has written: exactly, and nothing else. */
function applyOneByOne(
  text: string,
  hunks: readonly Hunk[],
  matching: Matching,
  failures: readonly HunkFailure[],
): AppliedHunks | undefined {
  const isLater = ({ hunk, reason }: HunkFailure): boolean => reason === 'absent' && hunk.unique && hunk !== hunks[0]
  if (!failures.every(isLater)) return undefined
  const late = new Set(failures.map(({ hunk }) => hunk))
  let all: AppliedHunks = { ok: true, text, applied: [], warnings: [], failures: [] }
  for (const hunk of hunks) {
    const done = applyAtOnce(all.text, [hunk], matching)
    const isExact = done.applied[0]?.level === 'exact'
    if (!done.ok || done.shifted !== undefined || (late.has(hunk) && !isExact)) return undefined
    const note = late.has(hunk) ? [`hunk ${hunk.number} was found only in what the hunks before it have written`] : []
    all = {
      ...done,
      applied: [...all.applied, ...done.applied],
      warnings: [...all.warnings, ...done.warnings, ...note],
    }
  }
  return all
}

function applyAtOnce(text: string, hunks: readonly Hunk[], matching: Matching): AppliedHunks {
  const file = new FileLines(new Source(text, matching.breaks))
  const placed: PlacedHunk[] = []
  const failures: HunkFailure[] = []
  const ambiguous = new Map<Hunk, readonly Fit[]>()
  for (const hunk of hunks) {
    const before = placed.at(-1)
    const found = locateHunk(hunk, file, matching, before?.hunk.number === hunk.number - 1 ? before : undefined)
    if ('fit' in found) placed.push(found)
    else failures.push(failureOf(hunk, file, found))
    if ('fits' in found && found.problem === 'ambiguous' && hunk.unique) ambiguous.set(hunk, found.fits)
  }
  placeIdentical(placed, failures, ambiguous)
  const changes = placed.flatMap((one) => hunkChange(one) ?? [])
  changes.sort((a, b) => a.from - b.from || a.to - b.to)
  const overlapping = overlaps(changes)
  failures.push(...overlapping)
  const bad = new Set(failures.map(({ hunk }) => hunk))
  const good = placed.filter(({ hunk }) => !bad.has(hunk))
  return {
    ok: failures.length === 0,
    text: spliceChanges(
      file,
      changes.filter(({ placed: { hunk } }) => !bad.has(hunk)),
      matching.breaks,
    ),
    applied: good.map(({ hunk, fit: { first, height, level } }) => ({
      number: hunk.number,
      line: first + 1,
      endLine: first + Math.max(1, height),
      level,
    })),
    warnings: good.flatMap((one) => [...one.warnings, ...warnOfRepair(one, file), ...newlineNote(one, file)]),
    shifted: findShift(good.map(({ fit }) => fit).sort((a, b) => a.first - b.first)),
    failures: failures.sort((a, b) => a.hunk.number - b.hunk.number),
  }
}

/** A model that means every place writes the same block once for each: then there are as many places as blocks. */
function placeIdentical(
  placed: PlacedHunk[],
  failures: HunkFailure[],
  ambiguous: ReadonlyMap<Hunk, readonly Fit[]>,
): void {
  const groups = new Map<string, Hunk[]>()
  for (const hunk of ambiguous.keys()) {
    const key = JSON.stringify(hunk.lines)
    groups.set(key, [...(groups.get(key) ?? []), hunk])
  }
  for (const group of groups.values()) {
    const [first] = group
    const fits = (first && ambiguous.get(first)) ?? []
    if (fits.length !== group.length) continue
    const here = group.flatMap((hunk, nth): PlacedHunk[] => {
      const fit = fits[nth]
      return fit?.splices === undefined ? [] : [{ hunk, fit: { ...fit, splices: fit.splices }, warnings: [] }]
    })
    if (here.length !== group.length) continue
    placed.push(...here)
    const others = failures.filter(({ hunk }) => !group.includes(hunk))
    failures.splice(0, failures.length, ...others)
  }
}

const tolerant: Matching = { levels: 'all', damage: [] }

const warnOfRepair = ({ hunk, fit }: PlacedHunk, file: FileLines): string[] => {
  const warning = repairWarning(`hunk ${hunk.number}`, [fit], file)
  return warning === undefined ? [] : [warning]
}

/** Only the last line of a file can be without a newline. */
function newlineNote({ hunk, fit: { first, height } }: PlacedHunk, file: FileLines): string[] {
  if ((!hunk.bare.old && !hunk.bare.new) || first + height === file.count) return []
  return [`hunk ${hunk.number} says 'No newline at end of file' but is not at its end; the note was ignored`]
}

function failureOf(
  hunk: Hunk,
  file: FileLines,
  found: Exclude<ReturnType<typeof locateHunk>, PlacedHunk>,
): HunkFailure {
  const fits = 'fits' in found ? found.fits : []
  // Similar places are ignored where the hunk is already applied.
  const isLike = found.problem === 'absent' || fits[0]?.level === 'context'
  const applied = isLike ? lineOfNewSide(hunk, file) : undefined
  if (applied !== undefined) return { hunk, reason: 'absent', spans: [], applied }
  const spans = fits.map(({ first, height }) => spanOf(file, first, Math.max(1, height)))
  return { hunk, reason: found.problem, spans }
}

const spanOf = (file: FileLines, line: number, height: number): Span => ({
  start: file.startOf(line),
  end: file.startOf(line + height),
})

/** The line on which the new side is; undefined also when it is too little to tell anything. */
function lineOfNewSide(hunk: Hunk, file: FileLines): number | undefined {
  const lines = hunkSide(hunk, 'new').map(({ text }) => text)
  if (lines.join('').replace(/\s+/g, '').length < 4) return undefined
  const [line] = file.find(lines, 'trailing-space')
  return line === undefined ? findAppliedLine(lines, file.text) : line + 1
}

interface HunkChange {
  readonly placed: PlacedHunk
  readonly from: number
  readonly to: number
  readonly splices: readonly Splice[]
}

function hunkChange(placed: PlacedHunk): HunkChange | undefined {
  const { splices } = placed.fit
  const [first] = splices
  return first && { placed, from: first.from, to: splices.at(-1)?.to ?? first.to, splices }
}

function overlaps(changes: readonly HunkChange[]): HunkFailure[] {
  const failures: HunkFailure[] = []
  let previous: HunkChange | undefined
  for (const change of changes) {
    const before = previous
    if (
      before !== undefined &&
      (change.from < before.to || (onlyAdds(before) && onlyAdds(change) && meet(before, change)))
    ) {
      failures.push({
        hunk: change.placed.hunk,
        reason: 'overlap',
        spans: [],
        other: before.placed.hunk.number,
      })
    }
    if (before === undefined || change.to >= before.to) previous = change
  }
  return failures
}

/** Two that add at one point: which comes first is unknown. */
const meet = (a: HunkChange, b: HunkChange): boolean => a.to === b.from
const onlyAdds = ({ splices }: HunkChange): boolean => splices.every(({ from, to }) => from === to)

function spliceChanges(file: FileLines, changes: readonly HunkChange[], breaks: Matching['breaks']): string {
  const splices = changes.flatMap(({ placed, splices: own }) =>
    own.map((splice) => ({ ...splice, lineEnds: placed.fit.lineEnds })),
  )
  if (breaks === 'any') return applySplices(file, splices, file.eolOf(0) || '\n')
  const text = applySplices(file, splices)
  const last = changes.at(-1)
  return last === undefined || last.to < file.count ? text : withStatedNewline(text, file, last)
}

/** A text whose last line was changed, with a final newline or without: as the hunk says, or else as it was. */
function withStatedNewline(text: string, file: FileLines, { placed, splices }: HunkChange): string {
  const { bare } = placed.hunk
  const kept = file.text === '' || file.text.endsWith('\n')
  const newline = bare.old || bare.new ? !bare.new : kept
  if (newline) return text === '' || text.endsWith('\n') ? text : text + dominantEol(file.text)
  // A CR that the patch wrote belongs to the line.
  const own = placed.fit.lineEnds === 'edit' && (splices.at(-1)?.added.length ?? 0) > 0
  return own ? text.replace(/\n$/, '') : text.replace(/\r?\n$/, '')
}
