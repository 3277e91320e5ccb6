import path from 'node:path'
import { counted } from './core/counted.ts'
import { fingerprintOf } from './core/hash.ts'
import { Stop } from './core/problem.ts'
import type { Code } from './core/result.ts'
import type { Inspected } from './core/recorder.ts'
import type { HistorySettings, Settings } from './core/settings.ts'
import { Contents } from './history/contents.ts'
import { type About, History } from './history/history.ts'
import { fullPath } from './history/journal.ts'
import { type Merged, mergeFile } from './history/merge-file.ts'
import type { ExecutionRecord, PathRecord, State } from './history/record.ts'
import { isTakenBack, lastStanding, lastUndo, readTimeline } from './history/timeline.ts'
import { makeUndoJudge, pathPolicyOf } from './policy/paths.ts'
import { refusalOf } from './refusal.ts'
import { explain } from './report/explain.ts'
import { openWorkspace, type OpenWorkspace, type WantedState } from './workspace/open.ts'
import { stateDirOf } from './workspace/scratch.ts'

export interface UndoOptions {
  /** Which execution; the last one that still counts when not given. */
  number?: number
  /** Only this action of it. */
  action?: number
  /** Files that changed since are merged instead of being in the way. */
  force?: boolean
}

export interface UndoResult {
  success: boolean
  /** The execution that was taken back or brought back. */
  execution?: number
  summary?: string
  /** Files that are as they were again. */
  restored: string[]
  /** Files that changed since: why nothing was done, or with `force` where somebody must look. */
  conflicts: { path: string; reason: string }[]
  gitCommit?: string
  error?: string
  code?: string
  warnings?: string[]
}

/** Takes back what an execution did to files. It moves no branch and forgets nothing: it is an execution itself. */
export function undo(settings: Settings, history: HistorySettings, options: UndoOptions = {}): Promise<UndoResult> {
  return turn('undo', settings, history, options)
}

/** Takes back the last undo. */
export function redo(
  settings: Settings,
  history: HistorySettings,
  options: Pick<UndoOptions, 'force'> = {},
): Promise<UndoResult> {
  return turn('redo', settings, history, options)
}

async function turn(
  kind: 'undo' | 'redo',
  settings: Settings,
  how: HistorySettings,
  options: UndoOptions,
): Promise<UndoResult> {
  const stateDir = stateDirOf(settings.root)
  if (stateDir === undefined) return refused('Nothing was executed here yet.')
  const judge = makeUndoJudge(pathPolicyOf(settings))
  let about: About = {}
  const history = new History({
    root: settings.root,
    allowedRoots: settings.allowedRoots,
    settings: how,
    kind,
    about: () => about,
    closed: (relative) => judge.closedBelow(relative),
    inspect: (absolute) => workspace.inspect(absolute),
  })
  const workspace: OpenWorkspace = openWorkspace(settings, judge, 'disk', history)
  try {
    // Under the lock, and after what died has been written down.
    await workspace.begin()
    const records = readTimeline(path.join(stateDir, 'history'), settings.root, (absolute) =>
      workspace.inspect(absolute),
    )
    const chosen = choose(kind, records, options)
    if (typeof chosen === 'string')
      return await ended(history, refused(chosen, options.number === undefined ? 'skipped' : 'invalid_parameter'))
    const turned = turnOf(chosen, options.action)
    history.note({ about: turned })
    const result = await takeBack(chosen, settings.root, path.join(stateDir, 'history'), workspace, options)
    if (result.success) about = turned
    history.leave(result.conflicts.map((conflict) => conflict.path))
    // What comes back is the execution itself, not the undo that is taken back.
    const { number, summary } = (kind === 'redo' && records.find((one) => one.number === turned.of)) || chosen
    return await ended(history, { ...result, execution: number, summary })
  } catch (error) {
    if (!(error instanceof Stop)) {
      await history.end([])
      throw error
    }
    const { error: reason, code } = refusalOf(error.problem, `clada ${kind}`)
    return await ended(history, refused(reason, code))
  } finally {
    await workspace.close()
  }
}

const refused = (error: string, code: Code = 'skipped'): UndoResult => ({
  success: false,
  restored: [],
  conflicts: [],
  error,
  code,
})

async function ended(history: History, result: UndoResult): Promise<UndoResult> {
  const { commit, warnings, failure } = await history.end([])
  const why = failure && explain(failure.problem, 'clada').error
  const failed =
    why === undefined ? {} : { error: `${why}. The files are restored; the commit is missing.`, success: false }
  return {
    ...result,
    ...failed,
    ...(commit === undefined ? {} : { gitCommit: commit }),
    ...(warnings.length === 0 ? {} : { warnings: [...(result.warnings ?? []), ...warnings] }),
  }
}

/** The record whose before-states come back, or why there is none. */
function choose(
  kind: 'undo' | 'redo',
  records: readonly ExecutionRecord[],
  { number, action }: UndoOptions,
): ExecutionRecord | string {
  if (kind === 'redo') return lastUndo(records) ?? 'Nothing was undone that could be done again.'
  const found = number === undefined ? lastStanding(records) : records.find((record) => record.number === number)
  if (found === undefined)
    return number === undefined
      ? 'There is nothing left to undo.'
      : `There is no execution ${number}. See clada history.`
  if (!isTakenBack(found, action, records)) return found
  const what = action === undefined || found.kind !== 'run' ? '' : `Action ${action} of execution`
  return `${what || 'Execution'} ${found.number} is undone already. See clada history.`
}

/** What taking back a record amounts to. One that died half way is taken back itself, whatever it was about. */
function turnOf({ number, kind, of, ofActions, ended }: ExecutionRecord, action: number | undefined): About {
  if (kind === 'run' || of === undefined || ended === 'interrupted')
    return { kind: 'undo', of: number, ...(action === undefined ? {} : { ofActions: [action] }) }
  return { kind: kind === 'undo' ? 'redo' : 'undo', of, ...(ofActions === undefined ? {} : { ofActions }) }
}

async function takeBack(
  record: ExecutionRecord,
  root: string,
  historyDir: string,
  workspace: OpenWorkspace,
  { action, force = false }: UndoOptions,
): Promise<UndoResult> {
  const paths = action === undefined ? record.paths : pathsOf(record, action)
  if (typeof paths === 'string') return refused(paths, 'invalid_parameter')
  const contents = new Contents(historyDir, record.number)
  const plans = await Promise.all(
    paths.map(async (entry) =>
      planFor(entry, fullPath(root, entry.path), contents, workspace, force ? 'merge' : 'refuse'),
    ),
  )
  const conflicts = plans.flatMap(({ path, conflict }) => (conflict === undefined ? [] : [{ path, reason: conflict }]))
  if (conflicts.length > 0 && !force) {
    const reason = `Files changed since execution ${record.number}. --force merges them.`
    return { ...refused(reason, 'concurrent_modification'), conflicts }
  }
  const wanted = plans.flatMap(({ wanted }) => wanted ?? [])
  const displaced = await workspace.restore(wanted)
  const warnings = [
    ...plans.flatMap(({ path, left }) => (left === undefined ? [] : [`${path} stays as it is: ${left}`])),
    ...displaced.map((saved) => `somebody wrote meanwhile; their text is in ${saved}`),
  ]
  return {
    success: true,
    restored: plans.flatMap(({ path, wanted }) => (wanted === undefined ? [] : [path])),
    conflicts,
    ...(warnings.length === 0 ? {} : { warnings }),
  }
}

/** The paths of one action, if it is the only one that touched them. */
function pathsOf(record: ExecutionRecord, action: number): readonly PathRecord[] | string {
  const own = record.paths.filter(({ steps }) => steps.some(({ by }) => by === action))
  if (own.length === 0) return `Action ${action} of execution ${record.number} changed nothing.`
  for (const { path, steps } of own) {
    const other = steps.find(({ by }) => by !== action)
    if (other !== undefined)
      return `Action ${other.by} of execution ${record.number} changed ${path} as well; undo the whole execution instead.`
  }
  return own
}

interface Plan {
  readonly path: string
  readonly wanted?: WantedState
  readonly conflict?: string
  /** Why nothing is done to it, although it changed since; in nobody's way. */
  readonly left?: string
}

async function planFor(
  { path: short, before, after, ignored }: PathRecord,
  absolute: string,
  contents: Contents,
  workspace: OpenWorkspace,
  onChange: 'merge' | 'refuse',
): Promise<Plan> {
  const now = workspace.inspect(absolute)
  const to = stateFrom(before, contents)
  if (to === undefined) return { path: short, conflict: `what it was before (${before.type}) was not kept` }
  if (sameAs(now, after)) return { path: short, wanted: wantedOf(absolute, now, to, before, after) }
  if (isAs(now, to)) return { path: short }
  // A directory that somebody uses goes on being there, and one that is gone needs no removal.
  if (after.type === 'directory' && before.type === 'absent') return { path: short }
  if (ignored) return { path: short, left: `git ignores it, and ${changeOf(now, after)}` }
  if (onChange === 'refuse') return { path: short, conflict: changeOf(now, after) }
  return merged(short, absolute, now, to, contents.bytesOf(after))
}

/** Both changes are kept where that can be; where it cannot, the newer one stays and is told of. */
async function merged(
  short: string,
  absolute: string,
  now: Inspected,
  to: Inspected,
  base: Buffer | undefined,
): Promise<Plan> {
  if (now.type === 'absent')
    return { path: short, wanted: { absolute, to }, conflict: 'it was deleted since; it is back' }
  if (now.type !== 'file' || to.type !== 'file') return { path: short, conflict: 'it changed since and stays as it is' }
  const result: Merged = base === undefined ? { kind: 'impossible' } : await mergeFile(now.bytes, base, to.bytes)
  if (result.kind === 'impossible')
    return { path: short, conflict: 'it changed since, cannot be merged, and stays as it is' }
  const wanted = { absolute, to: { ...now, bytes: result.bytes }, expect: fingerprintOf(now.bytes) }
  return result.conflicts === 0
    ? { path: short, wanted }
    : {
        path: short,
        wanted,
        conflict: `${counted(result.conflicts, 'conflict')} marked in the file`,
      }
}

function wantedOf(absolute: string, now: Inspected, to: Inspected, before: State, after: State): WantedState {
  const chmod = before.type === 'file' && after.type === 'file' && before.mode === after.mode
  const expect = now.type === 'file' ? fingerprintOf(now.bytes) : undefined
  if (to.type !== 'file' || chmod) return { absolute, to, expect }
  // The owner stays the one who undoes.
  return { absolute, to, expect, like: { mode: to.mode, uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 } }
}

function stateFrom(state: State, contents: Contents): Inspected | undefined {
  switch (state.type) {
    case 'absent':
    case 'directory':
      return state
    case 'symlink':
      return { type: 'symlink', target: state.target }
    case 'other':
      return undefined
    case 'file': {
      const bytes = contents.bytesOf(state)
      return bytes === undefined ? undefined : { type: 'file', mode: state.mode, bytes }
    }
  }
}

function sameAs(now: Inspected, then: State): boolean {
  if (now.type !== then.type) return false
  if (now.type === 'file' && then.type === 'file') return fingerprintOf(now.bytes) === then.print
  return now.type !== 'symlink' || then.type !== 'symlink' || now.target === then.target
}

function isAs(now: Inspected, to: Inspected): boolean {
  if (now.type === 'file' && to.type === 'file') return now.mode === to.mode && now.bytes.equals(to.bytes)
  if (now.type === 'symlink' && to.type === 'symlink') return now.target === to.target
  return now.type === to.type
}

function changeOf(now: Inspected, then: State): string {
  if (now.type === 'absent') return 'it was deleted since'
  if (then.type === 'absent') return 'it was created since'
  return now.type === then.type ? 'it was changed since' : `it is a ${now.type} now`
}
