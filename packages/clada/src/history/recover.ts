import { fieldOf } from '@clada/reply/core/is-record.ts'
import { unlessEmpty } from '@clada/reply/core/optional.ts'
import fs from 'node:fs'
import path from 'node:path'
import type { PathJudge } from '../core/effects.ts'
import { ProblemError } from '../core/problem.ts'
import type { Inspect } from '../core/recorder.ts'
import type { Settings } from '../core/settings.ts'
import type { ContentStore } from '../store/content-store.ts'
import { Log, readLog } from '../store/log.ts'
import { isAlive, ownerFrom } from '../state/own-files.ts'
import {
  type ActionRecord,
  contentsOfHistory,
  conversationIn,
  dirOf,
  executionKinds,
  type ExecutionRecord,
  type FurtherRoot,
  isFurtherRoot,
  isolatedDir,
  isSameMode,
  isSameState,
  journalFile,
  newestIn,
  type PathRecord,
  type PlannedMove,
  plannedMoveIn,
  readRecord,
  readSigned,
  seenAt,
  type State,
  stateOf,
} from '../store/record.ts'
import {
  changedSinceProgram,
  interruptedMessage,
  lostMessage,
  type UnfinishedProgram,
  describeInterruptedProgram,
  unsavedMessage,
} from './programs.ts'
import { headPosition, nearestRepository } from '../git/find-repository.ts'
import { releaseKept } from '../git/kept.ts'
import type { SnapshotOptions } from '../git/snapshot.ts'
import { summaryOf } from '../store/summary.ts'
import { openWorkspace } from '../workspace/open.ts'
import { findState, signerOf } from '../state/project-state.ts'

/**
 * Records an interrupted execution as far as its journal goes, so that it can be undone like any other. Returns the
 * messages about it.
 */
export async function recover(
  history: string,
  number: number,
  place: Omit<SnapshotOptions, 'dir'>,
  inspect: Inspect,
): Promise<string[]> {
  const dir = dirOf(history, number)
  const { root } = place
  if (isGoingOn(dir, 'elsewhere')) return []
  const wasSaving = fs.existsSync(path.join(dir, isolatedDir)) && entriesInLog(dir).some((line) => 'mode' in line)
  await releaseGit(root)
  fs.rmSync(path.join(dir, isolatedDir), { recursive: true, force: true })
  const contents = contentsOfHistory(history, number)
  contents.sweep()
  const written = readRecord(history, number)
  // The mode is recorded once git has saved the execution.
  if (written !== undefined) return wasSaving && written.mode === 'off' ? [unsavedMessage(written)] : []
  const { record: known, planned } = interruptedRecord(history, number, root, inspect)
  for (const { top } of known.further ?? []) if (top !== undefined) await releaseGit(top)
  if (known.ended === 'lost') return [lostMessage(number)]
  const program = programIn(dir)
  const changed = program && (await changedSinceProgram(program, dir, place, known))
  const whole =
    planned === undefined ? completeUndo(known, history, root, inspect) : await completeMove(known, planned, root)
  const record = whole ?? { ...known, paths: changed ?? known.paths }
  const messages = [
    whole === undefined ? interruptedMessage(record) : unsavedMessage(whole),
    ...(program === undefined ? [] : [describeInterruptedProgram(number, program, changed)]),
  ]
  if (record.paths.length === 0 && whole === undefined) {
    contents.forgetOwn()
    fs.rmSync(dir, { recursive: true })
    await releaseKept(root, place.stateDir, [number])
    return program === undefined ? [] : messages
  }
  if (whole?.kind === 'forward') await releaseReverted(whole, history, root)
  for (const { before } of record.paths) if (before.type === 'file') contents.unlink(before.digest)
  contents.syncNow()
  const log = Log.continue(path.join(dir, journalFile), signerOf(path.dirname(history)))
  log.addRecord(record)
  log.syncNow()
  log.close()
  return messages
}

/**
 * All executions, or the newest ones, oldest first. Those that were interrupted without a record are read from their
 * journal.
 */
export function readTimeline(history: string, root: string, inspect: Inspect, newest = Infinity): ExecutionRecord[] {
  const read = newestIn(history, newest).flatMap((number) => {
    const signed = readSigned(history, number)
    if (signed !== undefined) return signed
    if (isGoingOn(dirOf(history, number), 'here')) return []
    return { ...interruptedRecord(history, number, root, inspect), mac: undefined }
  })
  return read.map(({ record, mac }, at) => {
    const next = read[at + 1]?.record
    const follows = mac === undefined || next?.previous === undefined || next.number !== record.number + 1
    // The one after it followed another one: this one was put in its place.
    return follows || next.previous === mac ? record : { ...record, ended: 'lost' as const, paths: [], summary: 'lost' }
  })
}

/** The executions of a project, where their files are, and a reader of paths as they are now. */
export interface RecordedHistory {
  readonly records: readonly ExecutionRecord[]
  readonly history: string
  readonly inspect: Inspect
  /** Whether the content of a file must not be shown. */
  readonly isBlocked: (absolute: string) => boolean
}

/** Calls `use` with the timeline of a project. Its reader of paths works until that returns. */
export async function withTimeline<T>(
  settings: Settings,
  judge: PathJudge,
  use: (timeline: RecordedHistory) => T,
  newest?: number,
): Promise<T> {
  const stateDir = findState(settings.root)
  if (stateDir === undefined)
    return use({ records: [], history: '', inspect: () => ({ type: 'absent' }), isBlocked: () => true })
  const history = path.join(stateDir, 'history')
  const workspace = openWorkspace(settings, judge, 'disk')
  const inspect: Inspect = (absolute) => workspace.inspect(absolute)
  try {
    const isBlocked = (absolute: string): boolean => workspace.isBlocked(absolute)
    return use({ records: readTimeline(history, settings.root, inspect, newest), history, inspect, isBlocked })
  } finally {
    await workspace.close()
  }
}

/** Of an execution, by its directory. */
const logIn = (dir: string) => readLog(path.join(dir, journalFile), signerOf(path.dirname(path.dirname(dir))))
const entriesInLog = (dir: string): object[] => logIn(dir).entries

/** The program that was running when the execution was interrupted. */
function programIn(dir: string): UnfinishedProgram | undefined {
  let found: UnfinishedProgram | undefined
  for (const line of entriesInLog(dir)) {
    if ('program' in line) {
      const tree =
        'tree' in line && typeof line.tree === 'string' && /^[0-9a-f]+$/.test(line.tree) ? line.tree : undefined
      found = { action: Number(line.program), tree }
    }
    if ('done' in line && line.done === found?.action) found = undefined
  }
  return found
}

/** Whatever mode the next execution has: the user's own git waits for these locks too. */
async function releaseGit(root: string): Promise<void> {
  const { releaseLocks } = await import('../git/index-file.ts')
  try {
    const repository = nearestRepository(root)
    if (repository !== undefined) await releaseLocks(repository)
  } catch (error) {
    // A repository that cannot be used keeps its locks: with --no-git this execution does without it.
    if (!(error instanceof ProblemError)) throw error
  }
}

/** Whether the execution of this journal is running; under the lock only one of another process can be. */
function isGoingOn(dir: string, where: 'here' | 'elsewhere'): boolean {
  const [header] = entriesInLog(dir)
  const owner = ownerFrom(header)
  if (owner === undefined) return false
  return (where === 'here' || owner.pid !== process.pid) && isAlive(owner)
}

interface Interrupted {
  readonly record: ExecutionRecord
  /** The move of HEAD that it announced. */
  readonly planned: PlannedMove | undefined
}

/** The record that a journal without an end gives. */
function interruptedRecord(history: string, number: number, root: string, inspect: Inspect): Interrupted {
  const dir = dirOf(history, number)
  const { entries, damaged } = logIn(dir)
  const contents = contentsOfHistory(history, number)
  const [header, ...lines] = entries
  const owner = ownerFrom(header)
  const conversation = conversationIn(fieldOf(header, 'conversation'))
  const actions: ActionRecord[] = []
  let about: Pick<ExecutionRecord, 'of' | 'ofActions'> = {}
  const paths = new Map<string, RecordedPath>()
  const further: FurtherRoot[] = []
  let planned: PlannedMove | undefined
  for (const line of lines) {
    planned = plannedMoveIn(line) ?? planned
    if ('further' in line && isFurtherRoot(line.further)) further.push(line.further)
    if ('about' in line) about = aboutIn(line.about)
    if ('done' in line) actions.push(actionInLog(line))
    if (!('path' in line) || typeof line.path !== 'string' || !('to' in line)) continue
    const known = paths.get(line.path)
    // Announced again: the first change did not happen.
    const found: RecordedPath | undefined =
      known === undefined || 'again' in line ? (startRecordedPath(line) ?? known) : known
    if (found === undefined) continue
    paths.set(line.path, found)
    found.to.push(String(line.to))
    found.by.push('by' in line ? Number(line.by) : 0)
  }
  const record: ExecutionRecord = {
    version: 1,
    number,
    time: owner?.time ?? new Date().toISOString(),
    kind: executionKind(header),
    conversation,
    ...about,
    further: unlessEmpty(further),
    moved: planned?.moved,
    uncommitted: planned?.uncommitted,
    unchanged: planned?.unchanged,
    ended: damaged ? 'lost' : 'interrupted',
    mode: 'off',
    summary: damaged ? 'lost' : 'interrupted',
    actions: actions.sort((a, b) => a.seq - b.seq),
    paths: [...paths].flatMap(([short, found]) =>
      pathRecordsOf(contents, short, found, stateOf(seenAt(inspect, path.resolve(root, short)))),
    ),
  }
  return { record, planned }
}

interface RecordedPath {
  readonly before: State
  /** The announced states, in order. */
  readonly to: string[]
  readonly by: number[]
  readonly ignored?: true
}

function startRecordedPath(line: object): RecordedPath | undefined {
  const before = beforeIn(line)
  return before && { before, to: [], by: [], ignored: 'ignored' in line && line.ignored === true ? true : undefined }
}

function beforeIn(line: object): State | undefined {
  if (!('before' in line) || typeof line.before !== 'object' || line.before === null) return undefined
  const { before } = line
  const type: unknown = Reflect.get(before, 'type')
  const mode: unknown = Reflect.get(before, 'mode')
  const target: unknown = Reflect.get(before, 'target')
  const digest: unknown = Reflect.get(before, 'digest')
  if (type === 'absent' || type === 'other') return { type }
  if (type === 'directory') return { type, mode: typeof mode === 'number' ? mode : undefined }
  if (type === 'symlink' && typeof target === 'string') return { type, target }
  if (type !== 'file') return undefined
  return typeof digest === 'string' ? { type, mode: typeof mode === 'number' ? mode : 0o644, digest } : undefined
}

/** Empty if the change was announced and did not happen. */
function pathRecordsOf(
  contents: ContentStore,
  short: string,
  { before, to, by, ignored }: RecordedPath,
  now: State,
): PathRecord[] {
  // A damaged content was kept, and undo reports it.
  if (before.type === 'file' && !contents.has(before.digest)) return []
  if (isSameMode(now, before) && isSameState(now, before)) return []
  // A content that no action announced was written by another process since, so undo must not revert it.
  const ours = now.type !== 'file' || to.includes(now.digest) || to.includes('moved') || to.includes('file')
  const after: State = ours ? now : { type: 'file', mode: now.mode, digest: to.at(-1) ?? '' }
  const steps = by.map((seq) => ({ by: seq }))
  return [{ path: short, before, after, steps, ignored }]
}

function actionInLog(line: object): ActionRecord {
  const field = (name: string): unknown => Reflect.get(line, name)
  const block = field('block')
  return {
    seq: Number(field('done')),
    action: String(field('action')),
    target: String(field('target')),
    success: field('success') === true,
    left: field('left') === true ? true : undefined,
    block: typeof block === 'string' ? block : undefined,
  }
}

function executionKind(header: unknown): ExecutionRecord['kind'] {
  const kind = fieldOf(header, 'kind')
  return executionKinds.find((one) => one === kind) ?? 'run'
}

function aboutIn(about: unknown): Pick<ExecutionRecord, 'of' | 'ofActions'> {
  if (typeof about !== 'object' || about === null) return {}
  const of: unknown = Reflect.get(about, 'of')
  const actions: unknown = Reflect.get(about, 'ofActions')
  const ofActions = Array.isArray(actions) ? actions.map(Number) : undefined
  return typeof of === 'number' ? { of, ofActions } : {}
}

/** HEAD moves last: if it has, everything else was done. */
async function completeMove(
  died: ExecutionRecord,
  { moved: { after }, summary }: PlannedMove,
  root: string,
): Promise<ExecutionRecord | undefined> {
  const now = await headPosition(root)
  if (now?.commit !== after.commit || now.branch !== after.branch) return undefined
  const { kind, of, paths } = died
  return { ...died, ended: 'whole', summary: summary ?? summaryOf({ kind, of, paths, explanations: [] }) }
}

/** What a step back put aside is not needed any more, unless the step forward could not restore it. */
async function releaseReverted({ of }: ExecutionRecord, history: string, root: string): Promise<void> {
  const back = of === undefined ? undefined : readRecord(history, of)
  if (back === undefined) return
  const contents = contentsOfHistory(history, back.number)
  const states = [...back.paths.map(({ before }) => before), ...(back.unchanged ?? []).map(({ state }) => state)]
  if (states.every((state) => state.type !== 'file' || contents.isWhole(state.digest)))
    await releaseKept(root, path.dirname(history), [back.number])
}

/** An interrupted undo or redo that restored everything counts as complete. */
function completeUndo(
  died: ExecutionRecord,
  history: string,
  root: string,
  inspect: Inspect,
): ExecutionRecord | undefined {
  const { kind, of, ofActions, paths } = died
  if (!['undo', 'redo'].includes(kind) || of === undefined) return undefined
  if (ofActions !== undefined || paths.length === 0) return undefined
  const about = readRecord(history, of)
  if (about === undefined) return undefined
  const isThere = (entry: PathRecord): boolean => {
    const [then, other] = kind === 'undo' ? [entry.before, entry.after] : [entry.after, entry.before]
    // A directory that is to go may be in use by now, and stays then. One in whose place a file belongs is no such case:
    // an undo that was killed between its removal and the file counted as complete, and the file was missing.
    if (then.type === 'absent' && other.type === 'directory') return true
    const now = seenAt(inspect, path.resolve(root, entry.path))
    return isSameMode(now, then) && isSameState(now, then)
  }
  if (!about.paths.every(isThere)) return undefined
  return { ...died, ended: 'whole', summary: summaryOf({ kind, of, paths, explanations: [] }) }
}
