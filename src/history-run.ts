import path from 'node:path'
import { fingerprintOf } from './core/hash.ts'
import type { FileDiff } from './core/result.ts'
import type { Settings } from './core/settings.ts'
import { Contents } from './history/contents.ts'
import { type Done, doneIn } from './history/done.ts'
import { fullPath } from './history/journal.ts'
import { blockIn, type Executed, lostBy, type LostBy } from './history/ledger.ts'
import type { ExecutionRecord, State } from './history/record.ts'
import { readTimeline, standings } from './history/timeline.ts'
import { makePathJudge, pathPolicyOf } from './policy/paths.ts'
import { diffOf } from './preview.ts'
import { openWorkspace } from './workspace/open.ts'
import { stateDirOf } from './workspace/scratch.ts'

/** One line of the history. */
export interface HistoryEntry {
  number: number
  time: string
  kind: 'run' | 'undo' | 'redo'
  /** The execution that an undo or redo is about. */
  of?: number
  summary: string
  /** Taken back, and not brought again. */
  undone: boolean
  /** It died before its end. */
  interrupted: boolean
  done: number
  failed: number
  paths: string[]
  mode: 'commit' | 'shadow' | 'off'
  commit?: string
}

export interface ExecutionDetail extends HistoryEntry {
  actions: { seq: number; action: string; target: string; success: boolean; error?: string }[]
  diffs: FileDiff[]
}

/** Everything that was executed, oldest first. */
export async function historyOf(settings: Settings): Promise<HistoryEntry[]> {
  const { records } = await read(settings)
  const undone = new Set(standings(records).flatMap(({ record, undone }) => (undone ? [record.number] : [])))
  return records.map((record) => entryOf(record, undone))
}

/** One execution with what it changed; undefined when there is none of that number. */
export async function executionOf(settings: Settings, number: number): Promise<ExecutionDetail | undefined> {
  const { records, history } = await read(settings)
  const record = records.find((one) => one.number === number)
  if (record === undefined) return undefined
  const undone = new Set(standings(records).flatMap(({ record, undone }) => (undone ? [record.number] : [])))
  const contents = new Contents(history, number)
  const diffs = record.paths.flatMap(({ path: name, before, after }) => {
    const states = [stateOf(before, contents), stateOf(after, contents)] as const
    if (states[0] === null && states[1] === null) return []
    const absolute = fullPath(settings.root, name)
    const at = { root: settings.root, parts: name.split('/'), absolute, given: absolute }
    return [diffOf({ at, before: states[0], after: states[1] })]
  })
  const actions = record.actions.map(({ seq, action, target, success, error }) => ({
    seq,
    action,
    target,
    success,
    ...(error === undefined ? {} : { error }),
  }))
  return { ...entryOf(record, undone), actions, diffs }
}

/** When a block was last carried out, by its text. */
export async function executedBefore(settings: Settings, block: string): Promise<Executed | undefined> {
  const { records } = await read(settings)
  return blockIn(records, fingerprintOf(Buffer.from(block)))
}

/** Looks back no further: what was done so long ago was meant to be done again. */
const rememberedExecutions = 100

/** Answers for the blocks of a document, in order, whether they need not be carried out. */
export async function doneBefore(
  settings: Settings,
  again: ((block: string) => boolean) | undefined,
): Promise<(block: string) => Done | undefined> {
  const { records } = await read(settings, rememberedExecutions)
  const done = doneIn(records, again)
  return (block) => done(block, fingerprintOf(Buffer.from(block)))
}

/** Which action took a text out of a file. */
export async function textLostBy(settings: Settings, absolute: string, text: string): Promise<LostBy | undefined> {
  const { records, history } = await read(settings)
  return lostBy(records, history, path.relative(settings.root, absolute).split(path.sep).join('/'), text)
}

async function read(settings: Settings, newest?: number): Promise<{ records: ExecutionRecord[]; history: string }> {
  const stateDir = stateDirOf(settings.root)
  if (stateDir === undefined) return { records: [], history: '' }
  const history = path.join(stateDir, 'history')
  const workspace = openWorkspace(settings, makePathJudge(pathPolicyOf(settings)), 'disk')
  try {
    const records = readTimeline(history, settings.root, (absolute) => workspace.inspect(absolute), newest)
    return { records, history }
  } finally {
    await workspace.close()
  }
}

function entryOf(record: ExecutionRecord, undone: ReadonlySet<number>): HistoryEntry {
  const { number, time, kind, of, summary, actions, paths, mode, commits } = record
  const done = actions.filter(({ success }) => success).length
  return {
    number,
    time,
    kind,
    ...(of === undefined ? {} : { of }),
    summary,
    undone: undone.has(number),
    interrupted: record.ended === 'interrupted',
    done,
    failed: actions.length - done,
    paths: paths.map(({ path }) => path),
    mode,
    ...(commits?.after === undefined ? {} : { commit: commits.after }),
  }
}

function stateOf(state: State, contents: Contents): { bytes: Buffer; mode: number } | null {
  if (state.type === 'symlink') return { bytes: Buffer.from(state.target), mode: 0o120000 }
  const bytes = contents.bytesOf(state)
  return state.type !== 'file' || bytes === undefined ? null : { bytes, mode: state.mode }
}
