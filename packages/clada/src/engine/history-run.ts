import { unlessEmpty } from '@clada/reply/core/optional.ts'
import path from 'node:path'
import { digestOf } from '../core/digest.ts'
import { pathFrom } from '../core/paths.ts'
import type { FileState, Inspect, Inspected } from '../core/recorder.ts'
import type { FileChange, FileDiff } from '../core/result.ts'
import type { Conversation, Settings } from '../core/settings.ts'
import type { ContentStore } from '../store/content-store.ts'
import { type RecordedHistory, withTimeline } from '../history/recover.ts'
import {
  type EarlierAction,
  doneIn,
  type Executed,
  heldUndos,
  lastRunOf,
  heldBacks,
  lostBy,
  type LostBy,
} from '../store/timeline.ts'
import {
  contentsOfHistory,
  type ExecutionKind,
  type ExecutionRecord,
  isSameState,
  type PathRecord,
  seenAt,
  type State,
} from '../store/record.ts'
import { makePathJudge, pathPolicyOf } from '../policy/paths.ts'
import { changeOf, diffOf } from './preview.ts'
import type { Change } from '../workspace/open.ts'

/** One execution in the list of all. */
export interface HistoryEntry {
  number: number
  time: string
  kind: ExecutionKind
  /** The execution that an undo or redo is about, or the step back that a step forward reverts. */
  of?: number
  summary: string
  /** Undone, and not redone since; of a step back: reverted by a step forward. */
  undone: boolean
  /** Its actions that were undone alone, and not redone since. */
  undoneActions?: number[]
  interrupted: boolean
  done: number
  failed: number
  /** Actions that the user left out in a review. */
  leftOut?: number
  paths: string[]
  /** Those that were changed by others between clada's last change and this one. */
  meanwhile?: string[]
  /** The conversation that it is part of. */
  conversation?: Conversation
  mode: 'commit' | 'shadow' | 'off'
  commit?: string
}

/** One execution with its diffs. */
export interface ExecutionDetail extends HistoryEntry {
  actions: ExecutedAction[]
  diffs: FileDiff[]
}

/** One action of an execution. */
export interface ExecutedAction {
  seq: number
  action: string
  target: string
  success: boolean
  /** The user left it out in a review. */
  left?: true
  /** Undone alone, and not redone since. */
  undone?: true
  error?: string
}

/** Files before and after an execution, as texts. */
export interface ExecutionChanges {
  changes: FileChange[]
  /** Changes by others between clada's last change and this one. */
  meanwhile: FileChange[]
}

/** Options of `history`. */
export interface HistoryQuery {
  /** Only this many of the newest executions; others are not read, and `meanwhile` knows nothing of them. */
  limit?: number
}

/** Executions, oldest first. */
export function listHistory(settings: Settings, { limit }: HistoryQuery = {}): Promise<HistoryEntry[]> {
  // Whether one is undone depends on later ones only.
  return readProjectTimeline(
    settings,
    ({ records, history }) => {
      const undone = findUndone(records)
      const known: LastStates = new Map()
      const contents = contentsOfHistory(history)
      return records.map((record) => {
        const meanwhile = meanwhileIn(record, known, contents).map(({ path }) => path)
        return { ...historyEntry(record, undone), meanwhile: unlessEmpty(meanwhile) }
      })
    },
    limit,
  )
}

/** The changes of one execution, and those of others before it; undefined when the number is unknown. */
export function readChanges(settings: Settings, number: number): Promise<ExecutionChanges | undefined> {
  return readProjectTimeline(settings, ({ records, history, inspect }) => {
    const record = records.find((one) => one.number === number)
    if (record === undefined) return undefined
    const known: LastStates = new Map()
    const contents = contentsOfHistory(history, number)
    for (const one of records) if (one.number < number) meanwhileIn(one, known, contents)
    const turns = meanwhileIn(record, known, contents)
    return {
      changes: record.paths.flatMap((entry) => {
        const sides = sidesOf(entry, contents, settings.root, inspect)
        if (sides !== undefined) return changeFrom(settings.root, entry.path, ...sides)
        return { path: entry.path, change: changeVerb(entry), binary: true, before: '', after: '' }
      }),
      meanwhile: turns.flatMap(({ path: name, from, to }) => changeFrom(settings.root, name, from, to)),
    }
  })
}

/** Changes by others since, in files that clada changed. */
export function changesByOthers(settings: Settings): Promise<FileChange[]> {
  return readProjectTimeline(settings, ({ records, history, inspect, isBlocked }) => {
    const known: LastStates = new Map()
    const contents = contentsOfHistory(history)
    for (const record of records) meanwhileIn(record, known, contents)
    return [...known].flatMap(([name, { state }]) => {
      const absolute = path.resolve(settings.root, name)
      const found = inspect(absolute)
      const now = found.type === 'file' ? shownState(found) : found.type === 'symlink' ? linkState(found.target) : null
      if (isSameState(state, found)) return []
      if (now === undefined || (found.type === 'file' && isBlocked(absolute)))
        return { path: name, change: 'modify', binary: true, before: '', after: '' } as const
      return changeFrom(settings.root, name, keptState(state, contents), now)
    })
  })
}

/** One execution with its diffs; undefined when the number is unknown. */
export function readExecution(settings: Settings, number: number): Promise<ExecutionDetail | undefined> {
  return readProjectTimeline(settings, ({ records, history, inspect }) => {
    const record = records.find((one) => one.number === number)
    if (record === undefined) return undefined
    const undone = findUndone(records)
    const contents = contentsOfHistory(history, number)
    const diffs = record.paths.flatMap((entry) => {
      const sides = sidesOf(entry, contents, settings.root, inspect)
      if (sides === undefined) {
        const [path, change] = [entry.path, changeVerb(entry)]
        return { path, change, binary: true, diff: `Its new content was not kept: ${path} (${change})\n` }
      }
      const change = changeAt(settings.root, entry.path, ...sides)
      return change === undefined ? [] : [diffOf(change, settings.root)]
    })
    const entry = historyEntry(record, undone)
    const actions = record.actions.map(({ seq, action, target, success, left, error }): ExecutedAction => ({
      seq,
      action,
      target,
      success,
      left,
      undone: entry.undoneActions?.includes(seq) ? true : undefined,
      error,
    }))
    return { ...entry, actions, diffs }
  })
}

/** The last run of a block, by its text. */
export function findLastRun(settings: Settings, block: string): Promise<Executed | undefined> {
  return readProjectTimeline(settings, ({ records }) => {
    return lastRunOf(digestOf(block), records)
  })
}

/** Older executions are ignored: a block that ran so long ago is meant to run again. */
const rememberedExecutions = 100

/** Answers for the blocks of a document, in order, whether they already ran. */
export function openDoneLookup(
  settings: Settings,
  again: ((block: string) => boolean) | undefined,
): Promise<(block: string) => EarlierAction | undefined> {
  return readProjectTimeline(
    settings,
    ({ records }) => {
      const done = doneIn(records, again)
      return (block) => done(block, digestOf(block))
    },
    rememberedExecutions,
  )
}

/**
 * The same for blocks of the previous execution that changed files, if these are still as it left them: a document that
 * is sent again goes on where it stopped. The files are compared before the first block runs.
 */
export function openStandingLookup(settings: Settings): Promise<(block: string) => EarlierAction | undefined> {
  return readProjectTimeline(
    settings,
    ({ records, inspect }) => {
      const done = doneIn(records)
      const newest = new Map(
        records.flatMap(({ paths }) => paths.map(({ path: name, after }) => [name, after] as const)),
      )
      const isAsLeft = (name: string): boolean => {
        const after = newest.get(name)
        return after !== undefined && isSameState(after, seenAt(inspect, path.resolve(settings.root, name)))
      }
      const last = records.findLast(({ kind }) => kind === 'run')
      const involved = new Set(last?.actions.map(({ already }) => already?.execution ?? last.number))
      const standing = new Map<string, boolean>()
      for (const { number, paths } of records.filter((record) => involved.has(record.number)))
        for (const { path: name, steps } of paths) {
          const asLeft = isAsLeft(name)
          for (const { by } of steps)
            standing.set(`${number} ${by}`, asLeft && standing.get(`${number} ${by}`) !== false)
        }
      return (block) => {
        const found = done(block, digestOf(block))
        return found && standing.get(`${found.execution} ${found.action}`) === true ? found : undefined
      }
    },
    rememberedExecutions,
  )
}

/** The action that removed a text from a file. */
export function textLostBy(settings: Settings, absolute: string, text: string): Promise<LostBy | undefined> {
  return readProjectTimeline(settings, ({ records, history }) => {
    return lostBy(records, history, pathFrom(settings.root, absolute), text)
  })
}

const readProjectTimeline = <T>(
  settings: Settings,
  use: (timeline: RecordedHistory) => T,
  newest?: number,
): Promise<T> => withTimeline(settings, makePathJudge(pathPolicyOf(settings)), use, newest)

function historyEntry(record: ExecutionRecord, { whole, parts }: UndoneExecutions): HistoryEntry {
  const { number, time, kind, of, summary, conversation, actions, paths, mode, commits } = record
  const done = actions.filter(({ success }) => success).length
  const left = actions.filter((action) => action.left).length
  const undoneActions = parts.get(number)
  return {
    number,
    time,
    kind,
    of,
    summary,
    undone: whole.has(number),
    undoneActions,
    interrupted: record.ended === 'interrupted',
    done,
    failed: actions.length - done - left,
    leftOut: left === 0 ? undefined : left,
    paths: paths.map(({ path }) => path),
    conversation,
    mode,
    commit: commits?.after,
  }
}

interface UndoneExecutions {
  /** Executions that are undone. */
  readonly whole: ReadonlySet<number>
  /** The actions of others that are undone. */
  readonly parts: ReadonlyMap<number, number[]>
}

function findUndone(records: readonly ExecutionRecord[]): UndoneExecutions {
  const parts = new Map<number, number[]>()
  for (const { of, ofActions } of heldUndos(records))
    if (of !== undefined && ofActions !== undefined) parts.set(of, [...(parts.get(of) ?? []), ...ofActions])
  const undone = heldUndos(records).flatMap(({ of, ofActions }) => (ofActions === undefined ? (of ?? []) : []))
  const held = new Set(heldBacks(records).map(({ number }) => number))
  const reverted = records.flatMap(({ kind, number }) => (kind === 'back' && !held.has(number) ? [number] : []))
  return { whole: new Set([...undone, ...reverted]), parts }
}

/** The state in which clada left each path, and the execution. */
type LastStates = Map<string, { readonly state: State; readonly number: number }>

interface PathRevert {
  readonly path: string
  readonly from: FileState | null
  readonly to: FileState | null
}

/** Paths that an execution found changed by others. Adds to `known` how it leaves them itself. */
function meanwhileIn({ number, paths }: ExecutionRecord, known: LastStates, contents: ContentStore): PathRevert[] {
  return paths.flatMap(({ path: name, before, after }) => {
    const left = known.get(name)
    known.set(name, { state: after, number })
    if (left === undefined || isSameState(left.state, before)) return []
    const from = keptState(left.state, contents)
    const to = keptState(before, contents)
    return from?.bytes.equals(to?.bytes ?? differs) || (from === null && to === null) ? [] : [{ path: name, from, to }]
  })
}

const differs = Buffer.from([0xff])

function changeAt(root: string, name: string, before: FileState | null, after: FileState | null): Change | undefined {
  if (before === null && after === null) return undefined
  const absolute = path.resolve(root, name)
  return { at: { root, parts: name.split('/'), absolute, given: absolute }, before, after }
}

function changeFrom(...states: Parameters<typeof changeAt>): FileChange[] {
  const change = changeAt(...states)
  return change === undefined ? [] : [changeOf(change, change.at.root)]
}

const linkState = (target: string): FileState => ({ bytes: Buffer.from(target), mode: 0o120000 })

/** Null for no file, undefined for a file whose content was not kept. */
function readKeptState(state: State, contents: ContentStore): FileState | null | undefined {
  if (state.type === 'symlink') return linkState(state.target)
  if (state.type !== 'file') return null
  const bytes = contents.read(state.digest)
  return bytes && { bytes, mode: state.mode }
}

const keptState = (state: State, contents: ContentStore): FileState | null => readKeptState(state, contents) ?? null

/** A path before and after; undefined where the content was not kept. */
function sidesOf(
  { path: name, before, after }: PathRecord,
  contents: ContentStore,
  root: string,
  inspect: Inspect,
): [FileState | null, FileState | null] | undefined {
  const from = readKeptState(before, contents)
  const to = readKeptState(after, contents) ?? isStillThere(after, () => seenAt(inspect, path.resolve(root, name)))
  return from === undefined || to === undefined ? undefined : [from, to]
}

/** Undefined if the file is too large to be shown. */
const shownState = ({ mode, bytes }: Inspected & { type: 'file' }): FileState | undefined => bytes && { mode, bytes }

/** A file that was too large to keep, if it is still unchanged on the disk. */
function isStillThere(state: State, look: () => Inspected): FileState | null | undefined {
  if (state.type !== 'file') return null
  const found = look()
  return found.type === 'file' && isSameState(state, found) ? shownState(found) : undefined
}

const changeVerb = ({ before, after }: PathRecord): FileDiff['change'] =>
  before.type === 'file' && after.type === 'file' ? 'modify' : after.type === 'file' ? 'create' : 'delete'
