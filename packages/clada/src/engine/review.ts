import type { Decoded } from '../actions/decode.ts'
import type { Files } from '../core/files.ts'
import { shortDigestOf } from '../core/digest.ts'
import { pathFrom } from '../core/paths.ts'
import { platform } from '../core/platform.ts'
import { type Problem, ProblemError } from '../core/problem.ts'
import type { LeftHunk, ReviewNote } from '../core/result.ts'
import type { BlockChoice, ChangedPlace, ReviewedFile, ReviewHunk, ReviewPlace } from '../core/review.ts'
import { parseHunks, hunkSide } from '@clada/reply/text/hunks.ts'
import { diffLines } from '@clada/reply/text/line-diff.ts'
import { splitLines, withLineEndsOf } from '@clada/reply/text/lines.ts'
import { clipLine, renderDiff } from '@clada/reply/text/shown-diff.ts'
import { splitKeepingEnds } from '@clada/reply/text/lines.ts'
import type { Change, FileState, StagedChange } from '../workspace/open.ts'
import { pathIn } from './action-runner.ts'
import { isText } from './evidence.ts'
import { isUnset, unlessEmpty } from '@clada/reply/core/optional.ts'

/** The changes of an action under a choice of the user. */
export interface Taken {
  readonly files: readonly ReviewedFile[]
  /** What has to be written instead of everything the action did; undefined where that is the same. */
  readonly instead: readonly StagedChange[] | undefined
  /** Hunks and files of the choice that there are not. */
  readonly stale: readonly string[]
  readonly note: ReviewNote | undefined
}

/** Names the changes of an action: the same name means the same files before and after. */
export const digestOfChanges = (changes: readonly Change[], root: string): string =>
  shortDigestOf(
    JSON.stringify(
      changes.map(({ at, before, after }) => [pathFrom(root, at.absolute), stateName(before), stateName(after)]).sort(),
    ),
  )

/** Windows has no modes: a file that a preview makes has another one than the same file on the disk. */
const stateName = (state: FileState | null): string | null =>
  state === null ? null : `${platform.modes ? state.mode : ''} ${shortDigestOf(state.bytes)}`

/** Splits the changes of an action into hunks and takes those that the user has not left out. */
export function takeChoice(changes: readonly Change[], choice: BlockChoice, root: string): Taken {
  const left = new Map((choice.leave ?? []).map(({ hunk, reason }) => [hunk, reason]))
  const all = reviewedChangesOf(changes).map((file) => new FileReview(file, choice, left, root))
  const files = all.map((one) => one.reviewed)
  const known = new Set(files.flatMap(({ hunks }) => hunks.map(({ id }) => id)))
  const kept = all.flatMap((one) => one.kept ?? [])
  const isWhole = all.every((one) => one.isWhole)
  return {
    files,
    instead: isWhole ? undefined : kept,
    stale: [
      ...[...left.keys()].filter((id) => !known.has(id)),
      ...Object.keys(choice.texts ?? {}).filter((path) => !all.some((one) => one.takes(path))),
    ],
    note: noteOf(all, kept.length === 0 && changes.length > 0),
  }
}

function noteOf(all: readonly FileReview[], nothing: boolean): ReviewNote | undefined {
  const hunks = all.flatMap((one) => one.hunksLeftOut())
  const edited = all.flatMap((one) => one.edits())
  const reasons = [...new Set(hunks.flatMap(({ reason }) => reason ?? []))]
  if (nothing) return { leftOut: true, reason: reasons.length > 0 ? reasons.join('; ') : undefined }
  const note: ReviewNote = {
    hunks: unlessEmpty(hunks),
    edited: unlessEmpty(edited),
  }
  return isUnset(note) ? undefined : note
}

/** One file of an action: where it was and is. */
interface ReviewedChange extends Change {
  /** The place before, if the file is moved. */
  readonly from?: Change['at']
  /** Set where several files are taken or left out together: one without the others would lose a text. */
  readonly bound?: string
}

function reviewedChangesOf(changes: readonly Change[]): ReviewedChange[] {
  const [gone, ...moreGone] = changes.filter(({ after }) => after === null)
  const [other, ...others] = changes.filter(({ after }) => after !== null)
  if (gone === undefined || other === undefined) return [...changes]
  if (moreGone.length + others.length === 0 && other.before === null)
    return [{ at: other.at, from: gone.at, before: gone.before, after: other.after }]
  const bound = shortDigestOf(changes.map(({ at, after }) => `${at.absolute} ${stateName(after)}`).join('\n'))
  return changes.map((change) => ({ ...change, bound }))
}

class FileReview {
  readonly #file: ReviewedChange
  readonly #hunks: readonly ReviewHunk[]
  /** The path after the change. */
  readonly #path: string
  /** Undefined where the file is not taken by lines. */
  readonly #texts: { readonly old: readonly string[]; readonly now: readonly string[] } | undefined
  /** As the model wrote it. */
  readonly #given: string | null
  readonly #edited: boolean
  readonly #root: string
  readonly #after: FileState | null

  constructor(file: ReviewedChange, choice: BlockChoice, left: ReadonlyMap<string, string | undefined>, root: string) {
    this.#file = file
    this.#root = root
    this.#path = pathFrom(root, file.at.absolute)
    const byLines = isByLines(file)
    this.#given = byLines ? stateText(file.after) : null
    const own = byLines ? choice.texts?.[this.#path] : undefined
    const edited = own === undefined ? undefined : withLineEndsOf(stateText(file.before) ?? this.#given ?? '', own)
    this.#edited = edited !== undefined && edited !== this.#given
    this.#after =
      this.#edited && edited !== undefined
        ? { bytes: Buffer.from(edited), mode: (file.after ?? file.before)?.mode ?? newMode }
        : file.after
    this.#texts = byLines
      ? { old: splitKeepingEnds(stateText(file.before) ?? ''), now: splitKeepingEnds(stateText(this.#after) ?? '') }
      : undefined
    this.#hunks = this.#units().map((unit) => {
      const reason = left.get(unit.id)
      return { ...unit, taken: !left.has(unit.id), reason }
    })
  }

  /** Whether the user may give the text of a file. */
  takes(path: string): boolean {
    return path === this.#path && this.#texts !== undefined
  }

  get isWhole(): boolean {
    return !this.#edited && this.#hunks.every(({ taken }) => taken)
  }

  get reviewed(): ReviewedFile {
    const { from, before } = this.#file
    const after = this.#after
    const binary = !isTextState(before) || !isTextState(after)
    const shown = (state: FileState | null): string | null => (binary ? state && '' : stateText(state))
    return {
      path: this.#path,
      change: before === null ? 'create' : after === null ? 'delete' : 'modify',
      binary,
      before: shown(before),
      after: shown(after),
      from: from === undefined ? undefined : pathFrom(this.#root, from.absolute),
      hunks: this.#hunks,
      result: shown(this.#result()),
      edited: this.#edited,
    }
  }

  /** The new text of the file; undefined where it is not changed. */
  get kept(): StagedChange | undefined {
    const { at, from, before } = this.#file
    if (!this.#hunks.some(({ taken }) => taken)) return undefined
    const after = this.#result()
    const stays = from !== undefined && this.#hunks.some(({ kind, taken }) => kind === 'move' && !taken)
    if (stays) return { change: { at: from, before, after } }
    return { change: { at, before, after }, from }
  }

  hunksLeftOut(): LeftHunk[] {
    return this.#hunks
      .filter(({ taken }) => !taken)
      .map(({ kind, oldStart, oldEnd, newStart, newEnd, reason }) => {
        const { old, now } = this.#texts ?? { old: [], now: [] }
        const rows = [
          ...old.slice(oldStart, oldEnd).map((line) => `-${shortLine(line)}`),
          ...now.slice(newStart, newEnd).map((line) => `+${shortLine(line)}`),
        ]
        const isPart = kind === 'lines' && this.#file.before !== null && this.#after !== null
        return {
          path: kind === 'move' ? `${this.reviewed.from ?? ''} → ${this.#path}` : this.#path,
          lines: isPart ? hunkRange(oldStart, oldEnd) : undefined,
          diff:
            rows.length <= mostRows
              ? rows
              : [...rows.slice(0, mostRows - 1), `… ${rows.length - mostRows + 1} more lines`],
          reason,
        }
      })
  }

  edits(): { what: string; diff: string }[] {
    if (!this.#edited) return []
    return [{ what: this.#path, diff: shortDiff(this.#given ?? '', stateText(this.#after) ?? '') }]
  }

  /** The file with the hunks that are taken. */
  #result(): FileState | null {
    const { before } = this.#file
    const lines = this.#hunks.filter(({ kind }) => kind !== 'move')
    if (lines.length > 0 && lines.every(({ taken }) => taken)) return this.#after
    if (lines.length === 0 || !lines.some(({ taken }) => taken)) return lines.length === 0 ? this.#after : before
    const { old, now } = this.#texts ?? { old: [], now: [] }
    const parts: string[] = []
    let at = 0
    for (const { oldStart, oldEnd, newStart, newEnd, taken } of lines) {
      if (!taken) continue
      parts.push(...old.slice(at, oldStart), ...now.slice(newStart, newEnd))
      at = oldEnd
    }
    parts.push(...old.slice(at))
    return { bytes: Buffer.from(parts.join('')), mode: (this.#after ?? before)?.mode ?? newMode }
  }

  #units(): Omit<ReviewHunk, 'taken'>[] {
    const { from, before, bound } = this.#file
    const after = this.#after
    const none = { oldStart: 0, oldEnd: 0, newStart: 0, newEnd: 0 }
    if (this.#texts === undefined)
      return [
        {
          id: bound ?? shortDigestOf([this.#path, stateName(before), stateName(after)].join('\n')),
          // Of a file that is no text and only moves, nothing but the path can be decided.
          kind: from !== undefined && stateName(before) === stateName(after) ? 'move' : 'whole',
          ...none,
        },
      ]
    const { old, now } = this.#texts
    const id = idsFor(this.#path)
    const moved = from === undefined ? [] : [{ id: id('move', from.absolute), kind: 'move' as const, ...none }]
    if (before === null || after === null)
      return [
        {
          id: id(old.join(''), now.join('')),
          kind: 'lines',
          oldStart: 0,
          oldEnd: old.length,
          newStart: 0,
          newEnd: now.length,
        },
      ]
    return [
      ...moved,
      ...changedPlaces(old, now).map((place) => ({
        id: id(old.slice(place.oldStart, place.oldEnd).join(''), now.slice(place.newStart, place.newEnd).join('')),
        kind: 'lines' as const,
        ...place,
      })),
    ]
  }
}

const newMode = 0o100644
/** Lines of a hunk that was left out, and of the changes of the user, in a report. */
const mostRows = 8
const mostEdited = 24

/** The changes of the user to a text. */
export const shortDiff = (before: string, after: string): string =>
  renderDiff(before, after, { context: 1, maxLines: mostEdited, width: 160 }).join('\n')

const shortLine = (line: string): string => clipLine(line.replace(/\r?\n$/, ''))

const hunkRange = (start: number, end: number): string =>
  end - start > 1 ? `${start + 1}-${end}` : `${Math.max(start + 1, end)}`

/** The same content has the same id, wherever it is; several in one file are numbered. */
function idsFor(path: string): (old: string, now: string) => string {
  const seen = new Map<string, number>()
  return (old, now) => {
    const id = shortDigestOf(`${path}\n${old.length}\n${old}${now}`)
    const nth = (seen.get(id) ?? 0) + 1
    seen.set(id, nth)
    return nth === 1 ? id : `${id}.${nth}`
  }
}

/** Adjacent lines that differ, each place as small as it can be. */
function changedPlaces(old: readonly string[], now: readonly string[]): ChangedPlace[] {
  const places: ChangedPlace[] = []
  let [oldAt, newAt] = [0, 0]
  let open = false
  for (const { kind, count } of diffLines(old, now)) {
    if (kind !== 'same' && !open) places.push({ oldStart: oldAt, oldEnd: oldAt, newStart: newAt, newEnd: newAt })
    open = kind !== 'same'
    if (kind !== 'new') oldAt += count
    if (kind !== 'old') newAt += count
    const last = places.at(-1)
    if (open && last !== undefined) Object.assign(last, { oldEnd: oldAt, newEnd: newAt })
  }
  return places
}

/** Only regular text files whose mode stays are taken by lines. */
const isByLines = ({ before, after, bound }: ReviewedChange): boolean =>
  bound === undefined &&
  isTextState(before) &&
  isTextState(after) &&
  [before, after].every((state) => state === null || (state.mode & 0o170000) !== 0o120000) &&
  (before === null || after === null || before.mode === after.mode)

const isTextState = (state: FileState | null): boolean => state === null || isText(state.bytes)

const stateText = (state: FileState | null): string | null => state && state.bytes.toString('utf8')

/** The changes of the user to the parameters of a block. */
export const describeEditedParams = (
  written: Readonly<Record<string, unknown>>,
  now: Readonly<Record<string, unknown>>,
): { what: string; diff: string }[] =>
  Object.keys(now).flatMap((what) => {
    const { [what]: before = '' } = written
    const { [what]: text = '' } = now
    return before === text ? [] : [{ what, diff: shortDiff(String(before), String(text)) }]
  })

/** The places where an edit could go that failed for having none, or several. */
export async function findPlaces(
  problem: Problem,
  { args, params }: Decoded & { ok: true },
  files: Files,
): Promise<ReviewPlace[]> {
  const path = pathIn(args)
  const placesIn = finderFor(problem, params)
  if (path === undefined || placesIn === undefined) return []
  try {
    const lines = splitKeepingEnds((await files.read(path)).text)
    return placesIn(lines).map(({ line, endLine, ...rest }) => ({
      path: path.given,
      line,
      endLine,
      text: lines.slice(line - 1, endLine).join(''),
      ...rest,
    }))
  } catch (error) {
    if (error instanceof ProblemError) return []
    throw error
  }
}

type FoundPlace = Omit<ReviewPlace, 'path' | 'text'>
type BlockParams = Readonly<Record<string, unknown>>

/** Finds the places in the lines of the file; undefined for a problem that no place can solve. */
function finderFor(problem: Problem, params: BlockParams): ((lines: readonly string[]) => FoundPlace[]) | undefined {
  const { old_text: old, patch } = params
  if (problem.kind === 'structure') return () => placesOfMatches({ ...problem.details })
  if (problem.kind === 'lines-differ') return (lines) => rangesOf(problem.expected, lines)
  if (problem.kind === 'hunk-failed') {
    if (typeof patch !== 'string') return undefined
    const { hunk } = problem
    return (lines) => nearAndExact(problem, hunkHeight(patch, hunk), lines).map((place) => ({ ...place, hunk }))
  }
  const isText = problem.kind === 'text-absent' || problem.kind === 'text-ambiguous' || problem.kind === 'count-differs'
  if (!isText) return undefined
  if (typeof old === 'string') return (lines) => nearAndExact(problem, countTextLines(old), lines)
  const { [problem.kind === 'count-differs' ? '' : problem.param]: mark } = params
  if (problem.kind === 'count-differs' || typeof mark !== 'string') return undefined
  return (lines) =>
    nearAndExact(problem, countTextLines(mark), lines).flatMap((place) => markAt(place, problem.param, lines))
}

const countTextLines = (text: string): number => splitLines(text.replace(/\n$/, '')).length

function nearAndExact(
  problem: Problem & { readonly kind: 'text-absent' | 'text-ambiguous' | 'count-differs' | 'hunk-failed' },
  height: number,
  lines: readonly string[],
): FoundPlace[] {
  const nearest = 'nearest' in problem ? problem.nearest : []
  const exact = 'places' in problem ? problem.places : []
  return [
    ...nearest.map(({ line, endLine, similarity, diff, why }) => ({
      line,
      endLine,
      similarity,
      diff,
      why,
    })),
    ...exact.map(({ line }) => ({ line, endLine: Math.min(lines.length, line + height - 1) })),
  ]
}

/** The beginning or end of a passage as the file has it there, with as many more lines as make it unique. */
function markAt(place: FoundPlace, param: string, lines: readonly string[]): FoundPlace[] {
  const whole = lines.join('')
  for (let more = 0; more < 10; more++) {
    const isEnd = param.endsWith('_end')
    const [line, endLine] = [place.line - (isEnd ? more : 0), place.endLine + (isEnd ? 0 : more)]
    if (line < 1 || endLine > lines.length) return []
    const text = lines
      .slice(line - 1, endLine)
      .join('')
      .replace(/\r?\n$/, '')
    if (whole.split(text).length === 2) return [{ ...place, line, endLine, params: { [param]: text } }]
  }
  return []
}

/** The structures that a target may mean, each by its own name and lines. */
function placesOfMatches({ matches, suggestions }: BlockParams): FoundPlace[] {
  const found: unknown = matches ?? suggestions
  return (Array.isArray(found) ? found : []).flatMap((match: unknown) => {
    const { path, lines } = Object(match)
    if (!Array.isArray(path) || !Array.isArray(lines)) return []
    const [line, endLine] = lines.map(Number)
    if (line === undefined || endLine === undefined) return []
    return [{ line, endLine, params: { target: `${path.join('\n')} [${line}-${endLine}]` } }]
  })
}

/** Where the lines are now that an action expects elsewhere. */
function rangesOf(expected: string, lines: readonly string[]): FoundPlace[] {
  const wanted = splitLines(expected.replace(/\r?\n$/, ''))
  const isAt = (line: number): boolean => wanted.every((one, at) => lines[line - 1 + at]?.replace(/\r?\n$/, '') === one)
  return lines
    .map((_, index) => index + 1)
    .filter(isAt)
    .slice(0, mostRanges)
    .map((line) => ({
      line,
      endLine: line + wanted.length - 1,
      params: { lines: `${line}-${line + wanted.length - 1}` },
    }))
}

const mostRanges = 10

function hunkHeight(patch: string, number: number): number {
  const parsed = parseHunks(patch)
  const hunk = 'hunks' in parsed ? parsed.hunks[number - 1] : undefined
  return hunk === undefined ? 1 : Math.max(1, hunkSide(hunk, 'old').length)
}
