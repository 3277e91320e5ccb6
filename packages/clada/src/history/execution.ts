import { unlessEmpty } from '@clada/reply/core/optional.ts'
import fs from 'node:fs'
import path from 'node:path'
import { ProblemError } from '../core/problem.ts'
import type { Inspect, PlannedCommit } from '../core/recorder.ts'
import { defaultLimits, type HistorySettings } from '../core/settings.ts'
import { isInside, pathFrom } from '../core/paths.ts'
import { ownDir, ownOwner } from '../state/own-files.ts'
import type { Checkpoints, Saved } from '../git/checkpoints.ts'
import { gitError } from '../git/git-program.ts'
import { releaseKept } from '../git/kept.ts'
import type { ProjectFiles } from '../git/snapshot.ts'
import { Journal } from '../store/journal.ts'
import {
  type ActionRecord,
  contentsOfHistory,
  dirOf,
  type ExecutionRecord,
  type FurtherRoot,
  isolatedDir,
  type HeadMove,
  noteLast,
  type PlannedMove,
  readSigned,
  numbersIn,
  readRecord,
  seenAt,
  sweepIsolated,
  replyFilesIn,
} from '../store/record.ts'
import { isOsError } from '../core/errors.ts'
import { noteElsewhere } from './executions-elsewhere.ts'
import { type OpenFurther, withoutGitAdvice } from './further-roots.ts'
import { takeOverOldState } from './take-over.ts'
import type { ActionResult } from '../core/result.ts'
import { summaryOf, targetOfParams } from '../store/summary.ts'
import { heldBacks, isMove, newestMoves } from '../store/timeline.ts'
import { formatCount } from '@clada/reply/core/words.ts'

/** The options of an execution, and the facts for its record. */
export interface HistoryOptions {
  readonly root: string
  readonly settings: HistorySettings
  readonly kind: ExecutionRecord['kind']
  /** The subject of an undo or redo, which is known only after it has begun. */
  readonly about?: () => ExecutionFacts
  /** Directories besides the root that actions may write to. */
  readonly allowedRoots: readonly string[]
  /** Whether a path must not be committed. Paths are relative to the root. */
  readonly isBlocked: (relative: string) => boolean
  readonly inspect: Inspect
  /** Files that git ignores are read before a program runs. */
  readonly files: ProjectFiles
  /** Brings the names of changed files to the disk: a record that came there first could name states that a power cut took back. */
  readonly settle: () => Promise<void>
  /** Called before the commit in the project's repository. Returns warnings. */
  readonly beforeCommit?: ((commit: PlannedCommit) => Promise<readonly string[]>) | undefined
}

export interface ExecutionFacts {
  /** Reverting an undo is a redo. */
  readonly kind?: ExecutionRecord['kind']
  readonly of?: number
  readonly ofActions?: readonly number[]
  /** It was not completed. */
  readonly ended?: 'interrupted'
}

/** An execution that has begun. */
export interface Open {
  readonly stateDir: string
  readonly history: string
  readonly number: number
  readonly journal: Journal
  /** The MAC with which the execution before ends. */
  readonly previous: string | undefined
  readonly checkpoints: Checkpoints | undefined
  /** The roots besides the first that were written to so far. */
  readonly further: OpenFurther[]
}

/**
 * Begins an execution, under the lock of the project: recovers interrupted executions, opens the journal and saves the
 * state before. If one of them fails, nothing is begun; warnings are passed to `warn` in any case.
 */
export async function openExecution(
  stateDir: string,
  options: HistoryOptions,
  warn: (lines: readonly string[]) => void,
): Promise<Open> {
  const { root, settings, kind } = options
  warn(await takeOverOldState(options.root, stateDir))
  const history = ownDir(stateDir, 'history')
  sweepIsolated(stateDir)
  const tidied = await tidyHistory(history, options, warn)
  if (kind !== 'back' && kind !== 'forward') refuseWhileBack(tidied.moves)
  const number = tidied.last + 1
  let journal: Journal | undefined
  try {
    const previous = readSigned(history, tidied.last)?.mac
    journal = new Journal(history, number, root, {
      execution: number,
      previous,
      kind,
      conversation: settings.conversation,
      ...ownOwner(),
    })
    noteLast(history, number)
    const place = { stateDir, history, number, journal }
    const checkpoints = await openAllCheckpoints(place, options, warn).catch(withoutGitAdvice)
    return { ...place, previous, checkpoints, further: [] }
  } catch (error) {
    journal?.close()
    journal?.forget()
    throw error
  }
}

/** @throws ProblemError if the project is not at its newest commit, as the newest executions say */
export function refuseWhileBack(moves: readonly ExecutionRecord[]): void {
  const backs = heldBacks(moves)
  const [first] = backs
  if (first === undefined) return
  refuseInterrupted(backs)
  const { branch, commit } = first.moved.before
  const steps = `${formatCount(backs.length, 'step')} back from ${branch?.replace('refs/heads/', '') ?? commit.slice(0, 8)}`
  throw gitError(
    `the project is at an older commit since clada back: ${steps}`,
    'Return to the newest commit with clada forward first.',
  )
}

/** Before another step back too: files are those of two commits. @throws ProblemError */
export function refuseInterrupted(backs: readonly ExecutionRecord[]): void {
  if (backs.at(-1)?.ended === 'interrupted')
    throw gitError('the last clada back was interrupted', 'Revert it with clada forward first.')
}

interface Tidied {
  /** The last number. */
  readonly last: number
  /** See `newestMoves`. */
  readonly moves: readonly ExecutionRecord[]
}

/** Records interrupted executions, and removes very old ones. */
async function tidyHistory(
  history: string,
  { root, settings, isBlocked, inspect, files }: HistoryOptions,
  warn: (lines: readonly string[]) => void,
): Promise<Tidied> {
  const numbers = numbersIn(history)
  const last = numbers.at(-1)
  if (last === undefined) return { last: 0, moves: [] }
  const names = fs.readdirSync(dirOf(history, last))
  let left = numbers
  if (readRecord(history, last) === undefined || names.includes(isolatedDir)) {
    const { recover } = await import('./recover.ts')
    const place = { root, stateDir: path.dirname(history), settings, isBlocked, files }
    warn(await recover(history, last, place, inspect))
    // One that changed nothing was removed by its recovery.
    left = numbersIn(history)
  }
  const moves = newestMoves(history, left)
  const limit = settings.historyBytes ?? defaultLimits.historyBytes
  const gone = prune(history, left, { limit, held: new Set(heldBacks(moves).map(({ number }) => number)) })
  if (gone.length > 0) await releaseKept(root, path.dirname(history), gone)
  const which = gone.length === 1 ? `execution ${gone[0]} was` : `executions ${gone[0]} to ${gone.at(-1)} were`
  const removed = `${which} removed from the history to save space and can no longer be undone (see limits.history_bytes)`
  warn(gone.length === 0 ? [] : [removed])
  return { last, moves }
}

interface PruneOptions {
  /** In bytes, of all contents that can go. */
  readonly limit: number
  /** The steps back in effect, which only have what was uncommitted: they stay, and all after them. */
  readonly held: ReadonlySet<number>
}

/**
 * Removes the oldest executions when there are too many, or their contents take too much space; they cannot be undone any
 * more. Some more than necessary go, so that it is rarely reported. Returns their numbers.
 */
function prune(history: string, numbers: readonly number[], { limit, held }: PruneOptions): readonly number[] {
  const last = numbers.at(-1)
  if (last === undefined) return []
  const contents = contentsOfHistory(history)
  const digestsOf = (number: number): ReadonlySet<string> => digestsIn(history, number, held)
  let keep = numbers.length > mostExecutions ? keptExecutions : numbers.length
  let isFull = false
  const own = held.has(last) ? 0 : contents.packSize(last) + sumOf(digestsOf(last), (one) => contents.largeSizeOf(one))
  // All of them are measured now and then, and after one that took much.
  if (last % measuredEvery === 0 || own > limit / measuredEvery) {
    const large = contents.largeSizes()
    isFull = sumOf(large.values(), (size) => size) + sumOf(numbers, (number) => contents.packSize(number)) > limit
    const counted = new Set<string>()
    const added = (number: number): number => {
      if (held.has(number)) return 0
      const fresh = [...digestsOf(number)].filter((digest) => !counted.has(digest))
      for (const digest of fresh) counted.add(digest)
      return contents.packSize(number) + sumOf(fresh, (digest) => large.get(digest) ?? 0)
    }
    if (isFull) keep = Math.min(keep, countFitting(numbers, limit, added))
  }
  const [first = Infinity] = held
  const gone = numbers.slice(0, numbers.length - keep).filter((number) => number < first)
  if (gone.length === 0 && !isFull) return []
  for (const old of gone) fs.rmSync(dirOf(history, old), { recursive: true, force: true })
  const needed = numbers.slice(gone.length).map((number) => [number, digestsOf(number)] as const)
  contents.keepOnly(
    new Set(needed.flatMap(([number, digests]) => (digests.size === 0 ? [] : [number]))),
    new Set(needed.flatMap(([, digests]) => [...digests])),
  )
  return gone
}

const keptExecutions = 1000
const mostExecutions = 1100
const measuredEvery = 16

/** How many of the newest executions can stay; at least one. */
function countFitting(numbers: readonly number[], limit: number, sizeAddedBy: (number: number) => number): number {
  let total = 0
  for (const [at, number] of numbers.toReversed().entries()) {
    total += sizeAddedBy(number)
    if (total > limit * 0.8) return Math.max(1, at)
  }
  return numbers.length
}

function sumOf<T>(items: Iterable<T>, sizeOf: (item: T) => number): number {
  let sum = 0
  for (const item of items) sum += sizeOf(item)
  return sum
}

/** The contents that an execution needs. A step back needs them until it is reverted, and then git has what it needs. */
function digestsIn(history: string, number: number, held: ReadonlySet<number>): ReadonlySet<string> {
  const record = readRecord(history, number)
  if (record === undefined || (isMove(record) && !held.has(number))) return new Set()
  const states = record.paths.flatMap(({ before, after, steps }) => [before, after, ...steps])
  const unchanged = (record.unchanged ?? []).map(({ state }) => state)
  const index = record.moved?.before.index
  const kept = [...states, ...unchanged, ...(index === undefined ? [] : [index])]
  return new Set(kept.flatMap((state) => ('digest' in state && state.digest !== undefined ? [state.digest] : [])))
}

async function openAllCheckpoints(
  { stateDir, history, number, journal }: Pick<Open, 'stateDir' | 'history' | 'number' | 'journal'>,
  { root, allowedRoots, settings, isBlocked, kind, beforeCommit }: HistoryOptions,
  warn: (lines: readonly string[]) => void,
): Promise<Checkpoints | undefined> {
  if (settings.git === 'off') return undefined
  const { openCheckpoints } = await import('../git/checkpoints.ts')
  const begun = await openCheckpoints({
    root,
    allowedRoots,
    stateDir,
    settings,
    isBlocked,
    saves: kind === 'run' ? 'everything' : 'own changes',
    dir: dirOf(history, number),
    number,
    beforeCommit,
  })
  if (begun === undefined) return undefined
  warn(begun.warnings)
  journal.note({ mode: begun.checkpoints.mode })
  return begun.checkpoints
}

/** The end of an execution, for its report. */
export interface Ended {
  readonly record?: ExecutionRecord
  readonly commit?: string
  readonly warnings: readonly string[]
  readonly failure?: ProblemError
}

/** The results of an execution, for its record. */
export interface ExecutionEnd {
  readonly results: readonly ActionResult[]
  /** By action: the digest of its block. */
  readonly blocks: ReadonlyMap<number, string>
  /** Digest of the document. */
  readonly document: string | undefined
  readonly explanations: readonly string[]
  /** How HEAD or its branch moved. */
  readonly moved: HeadMove | undefined
  /** The move that was to be made. */
  readonly planned: PlannedMove | undefined
  /** Paths with conflicts for the user to resolve: they are not committed. */
  readonly left: ReadonlySet<string>
  /** Paths that programs have changed. */
  readonly byPrograms: ReadonlySet<string>
}

/** Ends an execution: first the record, which undo needs, then the checkpoint. Does not release the lock. */
export async function closeExecution(
  { stateDir, history, number, journal, previous, checkpoints, further }: Open,
  options: HistoryOptions,
  done: ExecutionEnd,
): Promise<Ended> {
  let isEmpty = false
  try {
    await options.settle()
    const record = {
      ...recordOfExecution({ number, journal, history }, options, done),
      further: unlessEmpty(further.map(({ noted }) => noted)),
      previous,
    }
    // An undo without changes is recorded too.
    isEmpty =
      record.paths.length === 0 &&
      done.moved === undefined &&
      (record.of === undefined || record.ended === 'interrupted')
    if (isEmpty) return { warnings: [] }
    journal.end(record)
    const saving = [checkpoints, ...further.map((one) => one.checkpoints)].some((one) => one !== undefined)
    if (!saving) await journal.sync()
    const ended = saving
      ? await makeCheckpoints({ checkpoints, further, journal }, record, options, done)
      : { record, warnings: [] }
    noteElsewhere(options.root, number, record)
    if (number % packedEvery === 0) await checkpoints?.pack()
    return ended
  } finally {
    journal.close()
    if (isEmpty) journal.forget()
    if (isEmpty && done.planned !== undefined) await releaseKept(options.root, stateDir, [number])
  }
}

/** Executions from one look at the number of loose objects to the next. */
const packedEvery = 32

interface Attempt {
  readonly saved?: Saved | undefined
  readonly failure?: ProblemError | undefined
}

/** Each repository gets its commit. One that fails does not keep the others from theirs. */
async function makeCheckpoints(
  { checkpoints, further, journal }: Pick<Open, 'checkpoints' | 'further' | 'journal'>,
  record: ExecutionRecord,
  options: HistoryOptions,
  { explanations, left, byPrograms }: ExecutionEnd,
): Promise<Ended> {
  const save = async (one: Checkpoints | undefined): Promise<Attempt> => {
    const part = recordPart(record, one?.top, options.root, explanations)
    const saved = await one?.after(part, explanations, options.inspect, left).catch(asGitError)
    return saved instanceof ProblemError ? { failure: saved } : { saved }
  }
  const [own] = await Promise.all([save(checkpoints), journal.sync()])
  const others: Attempt[] = []
  for (const one of further) others.push(await save(one.checkpoints))
  const all = [own, ...others]
  const whole = all.flatMap(({ saved }) => saved ?? [])
  const warnings = whole.flatMap((one) => one.warnings)
  const ignored = new Set(whole.flatMap((one) => [...one.ignored]))
  const failure = all.find((one) => one.failure !== undefined)?.failure
  const commits = own.saved?.commits
  const noted: ExecutionRecord = {
    ...record,
    mode: (commits && checkpoints?.mode) ?? record.mode,
    commits: (checkpoints && commits) ?? record.commits,
    further: unlessEmpty(
      further.map((one, at): FurtherRoot => {
        const made = others[at]?.saved?.commits
        const mode = one.checkpoints?.mode
        return mode === undefined || made === undefined ? one.noted : { ...one.noted, mode, commits: made }
      }),
    ),
    paths: record.paths.map((entry) =>
      ignored.has(entry.path) && byPrograms.has(entry.path) ? { ...entry, ignored: true as const } : entry,
    ),
  }
  if (whole.length > 0) {
    journal.end(noted)
    await journal.sync()
  }
  const commit = noted.mode === 'commit' ? commits?.after : undefined
  return {
    record: noted,
    warnings,
    failure,
    commit,
  }
}

/** An execution as the commit of one repository tells it, where it changed files of several. */
function recordPart(
  record: ExecutionRecord,
  top: string | undefined,
  root: string,
  explanations: readonly string[],
): ExecutionRecord {
  if (record.further === undefined || record.ended !== 'whole' || top === undefined) return record
  const paths = record.paths.flatMap((entry) => {
    const absolute = path.resolve(root, entry.path)
    const base = isInside(root, top) ? root : top
    return isInside(absolute, top) ? [{ ...entry, path: pathFrom(base, absolute) }] : []
  })
  const { kind, of, ofActions } = record
  return { ...record, summary: summaryOf({ kind, of, ofActions, paths, explanations }) }
}

/** Failures of git and of the disk are reported in the same way: the commit is missing. */
function asGitError(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error
  if (!isOsError(error)) throw error
  return new ProblemError({ kind: 'git', reason: error.message })
}

function recordOfExecution(
  { number, journal, history }: Pick<Open, 'number' | 'journal' | 'history'>,
  options: HistoryOptions,
  done: ExecutionEnd,
): ExecutionRecord {
  const { inspect, about, settings } = options
  const { conversation, replyFiles } = settings
  const replies = replyFilesIn(history, options.root, replyFiles)
  const { kind = options.kind, of, ofActions, ended = 'whole' } = about?.() ?? {}
  const { results, blocks, document, explanations, planned, moved = planned?.moved, byPrograms } = done
  const paths = journal.finish((absolute) => seenAt(inspect, absolute))
  return {
    version: 1,
    number,
    time: new Date().toISOString(),
    kind,
    of,
    ofActions,
    ended,
    mode: 'off',
    moved,
    uncommitted: planned?.uncommitted,
    unchanged: planned?.unchanged,
    summary:
      ended === 'whole'
        ? (planned?.summary ?? summaryOf({ kind, of, ofActions, paths, byPrograms, moved, explanations }))
        : 'interrupted',
    conversation,
    document,
    actions: results.map((result) => recordOfAction(result, blocks.get(result.seq))),
    paths,
    replies: unlessEmpty(replies),
  }
}

function recordOfAction(
  { seq, action, params, success, error, failure, details, review }: ActionResult,
  block: string | undefined,
): ActionRecord {
  // People read it, so it has no codes of the system where the message has words for them.
  const [line] = (failure?.user?.sentence ?? failure?.plain ?? error)?.split('\n') ?? []
  return {
    seq,
    action,
    target: targetOfParams(params),
    success,
    left: review?.leftOut ? true : undefined,
    block,
    already: details?.already_done,
    error: line?.slice(0, 200),
  }
}
