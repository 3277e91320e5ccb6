import { unlessEmpty } from '@clada/reply/core/optional.ts'
import path from 'node:path'
import { isBelowAny, isInside } from '../core/paths.ts'
import { ProblemError } from '../core/problem.ts'
import type { Code } from '@clada/reply/core/codes.ts'
import type { Inspect } from '../core/recorder.ts'
import type { Conversation, HistorySettings, Settings } from '../core/settings.ts'
import { type History, openRecordedWorkspace } from '../history/history.ts'
import { type Elsewhere, elsewhereOf } from '../history/executions-elsewhere.ts'
import type { ExecutionFacts } from '../history/execution.ts'
import { contentsOfHistory, type ExecutionRecord, isSameMode, isSameState, type State } from '../store/record.ts'
import { readTimeline, withTimeline } from '../history/recover.ts'
import {
  heldUndos,
  interruptedPaths,
  isAboutSame,
  isMove,
  isUndone,
  lastStanding,
  standings,
  statesAfterPartialUndos,
} from '../store/timeline.ts'
import { changedAsWell, pathsOfAction, planUndo, type RevertedPath, revertedPaths } from './undo-plan.ts'
import { makePathJudge, pathPolicyOf, undoPolicyOf } from '../policy/paths.ts'
import { explain, noteWarnings, refusalOf } from '../report/explain.ts'
import { dropCommits, restoreBranch } from './restore-branch.ts'
import { isOldStateOurs } from '../state/old-state.ts'
import { findState, foreignStateNote, makeState } from '../state/project-state.ts'
import type { OpenWorkspace } from '../workspace/open.ts'
import { formatCount } from '@clada/reply/core/words.ts'

/** Options of an undo. */
export interface UndoOptions {
  /** The number of the execution; by default the last one that is not undone. */
  number?: number | undefined
  /** Only this action. */
  action?: number | undefined
  /** All executions of a conversation, or of the last one of a kind, instead of one: all are undone or none. */
  conversation?: Conversation['kind'] | 'any' | Conversation | undefined
  /** Merges files that changed since instead of refusing. */
  force?: boolean
}

/** The result of an undo or redo. */
export interface UndoResult {
  success: boolean
  /** The execution that was undone or redone. */
  execution?: number
  /** Set when several executions were undone, newest first. */
  executions?: number[]
  /** Set when only some actions were undone or redone. */
  actions?: number[]
  summary?: string
  /** Restored files. */
  restored: string[]
  /** Files that changed since: the reason to refuse, or with `force` what the user must check. */
  conflicts: { path: string; reason: string }[]
  gitCommit?: string
  error?: string
  /** `error` without the command's name and codes. */
  reason?: string
  code?: Code
  warnings?: string[]
}

/**
 * Reverts the file changes of an execution, and moves the branch back if a program of it moved it. It is an execution
 * itself, so it can be undone too.
 */
export function undoExecution(
  settings: Settings,
  history: HistorySettings,
  options: UndoOptions = {},
): Promise<UndoResult> {
  return revertExecution('undo', settings, history, options)
}

/** Reverts an undo: the last one, unless an execution is named. */
export function redoExecution(
  settings: Settings,
  history: HistorySettings,
  options: Omit<UndoOptions, 'conversation'> = {},
): Promise<UndoResult> {
  return revertExecution('redo', settings, history, options)
}

/** An execution is reverted in all repositories that it changed, which are allowed for that. */
async function revertExecution(
  kind: 'undo' | 'redo',
  settings: Settings,
  how: HistorySettings,
  options: UndoOptions,
): Promise<UndoResult> {
  const result = await undoOrRedoIn(kind, settings, how, options)
  if (!('needs' in result)) return result
  return revertExecution(kind, { ...settings, allowedRoots: [...settings.allowedRoots, ...result.needs] }, how, options)
}

async function undoOrRedoIn(
  kind: 'undo' | 'redo',
  settings: Settings,
  how: HistorySettings,
  options: UndoOptions,
): Promise<UndoResult | { readonly needs: readonly string[] }> {
  const { root, allowedRoots } = settings
  const stateDir = findState(root) ?? (isOldStateOurs(root) ? makeState(root).dir : undefined)
  if (stateDir === undefined) return refuseUndo(foreignStateNote(root) ?? 'Nothing was executed here yet.')
  const judge = makePathJudge(undoPolicyOf(settings))
  let about: ExecutionFacts = {}
  const { history, workspace } = openRecordedWorkspace(settings, judge, 'disk', {
    settings: how,
    kind,
    about: () => about,
  })
  try {
    const inspect: Inspect = (absolute) => workspace.inspect(absolute)
    // Under the lock, and after interrupted executions were recorded.
    await workspace.begin()
    const { records, chosen } = newest((count) => {
      const records = readTimeline(path.join(stateDir, 'history'), settings.root, inspect, count)
      return { records, chosen: chooseExecution(kind, records, options) }
    })
    const newer = kind === 'redo' || options.number !== undefined || options.force ? undefined : lastElsewhere(root)
    const here = typeof chosen === 'string' ? '' : chosen.time
    if (newer !== undefined && newer.time > here) return await endUndo(history, refuseUndo(elsewhereReason(newer)))
    if (typeof chosen === 'string')
      return await endUndo(history, refuseUndo(chosen, options.number === undefined ? 'skipped' : 'invalid_parameter'))
    const further = new Set(chosen.further?.map((one) => one.root))
    const needs = [...further].filter((one) => ![root, ...allowedRoots].some((allowed) => isInside(one, allowed)))
    if (needs.length > 0) {
      await history.end([])
      return { needs }
    }
    // What a redo is about is in the undo that it reverts.
    const action = kind === 'redo' ? undefined : options.action
    const reverted = aboutOf(chosen, action)
    history.note({ about: reverted })
    // Until everything is restored.
    about = { ...reverted, ended: 'interrupted' }
    const since = { interrupted: interruptedPaths(chosen, records), undone: statesAfterPartialUndos(chosen, records) }
    const { partial, ...files } = await revert(
      chosen,
      settings.root,
      path.join(stateDir, 'history'),
      workspace,
      { ...options, action },
      since,
    )
    const moving = files.success && action === undefined && files.conflicts.length === 0
    const isInSeveral = chosen.further?.some(({ top }) => top !== undefined) ?? false
    const isDropping = moving && kind === 'undo' && how.undoCommits === 'drop' && !isInSeveral
    // Where HEAD is tells after a crash whether everything else was done.
    if (moving) await workspace.settle()
    const reverting = { root, stateDir, history }
    const dropped = isDropping ? await dropCommits(chosen, reverting) : undefined
    const restored = dropped === undefined && moving ? await restoreBranch(chosen, reverting) : undefined
    const stays = restored !== undefined && 'stays' in restored ? restored.stays : undefined
    if (stays !== undefined && chosen.paths.length === 0)
      return await endUndo(history, refuseUndo(`Nothing was ${kind}ne: ${stays}.`, 'concurrent_modification'))
    const notes = dropped ?? (restored === undefined ? [] : 'stays' in restored ? [restored.stays] : restored.notes)
    const result = notes.length === 0 ? files : { ...files, warnings: [...(files.warnings ?? []), ...notes] }
    if (result.success) about = reverted
    // Without the commits the files are as they were before them, and what was not committed then is not committed now.
    const uncommitted = dropped === undefined ? [] : files.restored
    history.leave([...uncommitted, ...result.conflicts.map((conflict) => conflict.path)])
    // A redo reports the execution, not the undo that it reverts.
    const { number, summary } = (kind === 'redo' && records.find((one) => one.number === reverted.of)) || chosen
    const { ofActions } = reverted
    const only = ofActions === undefined ? {} : { actions: [...ofActions] }
    const done = await endUndo(history, { ...result, execution: number, ...only, summary })
    return partial === undefined ? done : { ...done, success: false, error: partial, code: 'git_operation_failed' }
  } catch (error) {
    if (!(error instanceof ProblemError)) {
      await history.end([])
      throw error
    }
    return await endUndo(history, {
      success: false,
      restored: [],
      conflicts: [],
      ...refusalOf(error.problem, `clada ${kind}`),
    })
  } finally {
    await workspace.close()
  }
}

/** Reads so many of the newest executions as are needed: whether one is undone depends on later ones only. */
function newest<T extends { readonly chosen: ExecutionRecord | string }>(read: (count: number) => T): T {
  for (const count of [16, 128]) {
    const found = read(count)
    if (typeof found.chosen !== 'string') return found
  }
  return read(Infinity)
}

export const refuseUndo = (error: string, code: Code = 'skipped'): UndoResult => ({
  success: false,
  restored: [],
  conflicts: [],
  error,
  code,
})

async function endUndo(history: History, result: UndoResult): Promise<UndoResult> {
  const { commit, warnings, failure } = await history.end([])
  // If nothing was done, a missing record is no failure.
  const failing = failure !== undefined && result.success ? undoFailure(failure) : undefined
  return {
    ...result,
    ...failing,
    gitCommit: commit ?? result.gitCommit,
    warnings: unlessEmpty([...(result.warnings ?? []), ...warnings]),
  }
}

function undoFailure({ problem }: ProblemError): Pick<UndoResult, 'success' | 'error' | 'code'> {
  const { error, code } = explain(problem, 'clada')
  const missing = problem.kind === 'git' ? 'the commit is missing' : 'clada history lists this undo as interrupted'
  return { success: false, error: `${error}. The files are restored; ${missing}.`, code }
}

/** The record to revert, or the reason why there is none. */
function chooseExecution(
  kind: 'undo' | 'redo',
  records: readonly ExecutionRecord[],
  { number, action, force }: UndoOptions,
): ExecutionRecord | string {
  if (kind === 'redo') return undoOf(records, number, action)
  // An older execution is not undone in the place of one that is lost, unless that is wanted.
  const lost =
    number === undefined && force
      ? undefined
      : records.find((one) => one.ended === 'lost' && one.number === (number ?? lastStanding(records)?.number))
  if (lost !== undefined) return lostReason(lost.number)
  const whole = records.filter(({ ended }) => ended !== 'lost')
  const found = number === undefined ? lastStanding(whole) : records.find((record) => record.number === number)
  if (found === undefined)
    return number === undefined
      ? 'There is nothing left to undo.'
      : `There is no execution ${number}. See clada history.`
  if (found.kind === 'back') return `Execution ${found.number} went one commit back, and clada forward has reverted it.`
  if (found.kind === 'forward') return `Execution ${found.number} went one commit forward. To go back: clada back.`
  if (!isUndone(found, action, records)) return found
  const what = action === undefined || found.kind !== 'run' ? '' : `Action ${action} of execution`
  return `${what || 'Execution'} ${found.number} is already undone. See clada history.`
}

/** The undo that a redo reverts, or the reason why there is none. */
function undoOf(records: readonly ExecutionRecord[], number?: number, action?: number): ExecutionRecord | string {
  const held = heldUndos(records)
  if (number === undefined) return held.at(-1) ?? 'There is nothing to redo.'
  const what = action === undefined ? 'Execution' : `Action ${action} of execution`
  const about = { of: number, ofActions: action === undefined ? undefined : [action] }
  return held.findLast((one) => isAboutSame(one, about)) ?? `${what} ${number} is not undone. See clada history.`
}

/** The newest execution of another project that changed files here and is not undone. */
const lastElsewhere = (root: string): Elsewhere | undefined =>
  elsewhereOf(root).findLast((note) => {
    const state = findState(note.root)
    if (state === undefined) return false
    const records = readTimeline(path.join(state, 'history'), note.root, () => ({ type: 'absent' }), 128)
    return standings(records).some(({ record, undone }) => record.number === note.number && !undone)
  })

const elsewhereReason = ({ root, number }: Elsewhere): string =>
  `The last change here is part of execution ${number} of ${root}, which is undone in both: clada undo ${number} --root ${root}`

const lostReason = (number: number): string =>
  `The record of execution ${number} is lost or damaged, so it cannot be undone, and nothing was changed. ` +
  'To undo the execution before it instead: clada undo --force.'

/** The kind and subject of a revert. An interrupted undo or redo is undone itself. */
function aboutOf({ number, kind, of, ofActions, ended }: ExecutionRecord, action: number | undefined): ExecutionFacts {
  if (kind === 'run' || kind === 'squash' || of === undefined || ended === 'interrupted')
    return { kind: 'undo', of: number, ofActions: action === undefined ? undefined : [action] }
  return { kind: kind === 'undo' ? 'redo' : 'undo', of, ofActions }
}

/** What undos of the same execution did to its files. */
interface Since {
  readonly interrupted: ReadonlySet<string>
  readonly undone: ReadonlyMap<string, State>
}

async function revert(
  record: ExecutionRecord,
  root: string,
  historyDir: string,
  workspace: OpenWorkspace,
  { action, force = false }: { readonly action: number | undefined; readonly force?: boolean },
  since: Since,
): Promise<UndoResult & { readonly partial?: string }> {
  const contents = contentsOfHistory(historyDir, record.number)
  const given = action === undefined ? revertedPaths(record) : pathsOfAction(record, action, contents)
  if (typeof given === 'string') return refuseUndo(given, 'invalid_parameter')
  const inspect = inspectFor(given, root, (absolute) => workspace.inspect(absolute))
  const paths = given.map((entry): RevertedPath => {
    const wasRemoved = since.interrupted.has(entry.path) && inspect(path.resolve(root, entry.path)).type === 'absent'
    if (wasRemoved) return { ...entry, last: { type: 'absent' } }
    // The rest is undone from where the undo of single actions left it.
    const left = action === undefined ? since.undone.get(entry.path) : undefined
    const isBack = left !== undefined && isSameState(left, entry.before) && isSameMode(left, entry.before)
    return left === undefined || isBack ? entry : { ...entry, last: left }
  })
  const isBlocked = (absolute: string): boolean => workspace.isBlocked(absolute)
  const names: OpenWorkspace['names'] = (absolute) => workspace.names(absolute)
  const plans = await planUndo(paths, root, { contents, inspect, isBlocked, names }, force ? 'merge' : 'refuse')
  const overlapping = plans.find(({ overlapsAction }) => overlapsAction !== undefined)
  if (overlapping?.overlapsAction !== undefined)
    return refuseUndo(changedAsWell(record.number, overlapping.overlapsAction, overlapping.path), 'invalid_parameter')
  const lost = plans.flatMap(({ path, lost }) => (lost === undefined ? [] : [{ path, reason: lost }]))
  const changed = plans.flatMap(({ path, conflict }) => (conflict === undefined ? [] : [{ path, reason: conflict }]))
  const conflicts = [...lost, ...changed]
  if (changed.length > 0 && !force) {
    const reason = `Nothing was undone: files changed since execution ${record.number}. --force keeps those changes and undoes the rest.`
    return { ...refuseUndo(reason, 'concurrent_modification'), conflicts }
  }
  if (lost.length === plans.length && lost.length > 0)
    return { ...refuseUndo(`Nothing that execution ${record.number} saved can be read any more.`), conflicts }
  const wanted = plans.flatMap(({ wanted }) => wanted ?? [])
  // As a commit has it, where that is what came or goes.
  const notes = await workspace.restore(wanted, isMove(record) ? 'committed' : 'ours')
  const warnings = [
    ...plans.flatMap(({ path, left }) => (left === undefined ? [] : [`${path} was not restored: ${left}`])),
    ...notes.flatMap(noteWarnings),
  ]
  return {
    success: true,
    restored: plans.flatMap(({ path, wanted }) => (wanted === undefined ? [] : [path])),
    conflicts,
    warnings: unlessEmpty(warnings),
    // The rest is undone, so that it counts as undone; what is missing is a failure all the same.
    partial: lost.length === 0 || force ? undefined : lostReasonFor(record.number, lost),
  }
}

const lostReasonFor = (number: number, lost: readonly { path: string; reason: string }[]): string =>
  `${lost.map(({ path, reason }) => `${path} cannot be restored: ${reason}`).join('; ')}. Everything else of execution ${number} is undone.`

/** If the execution replaced a directory by a link, paths below it count as absent: files reached through the link are elsewhere. */
function inspectFor(paths: readonly RevertedPath[], root: string, inspect: Inspect): Inspect {
  const links = new Set<string>()
  for (const { path: short, before, last } of paths) {
    if (before.type !== 'directory' || last.type !== 'symlink') continue
    const absolute = path.resolve(root, short)
    if (inspect(absolute).type === 'symlink') links.add(absolute)
  }
  return (absolute) => (isBelowAny(absolute, links) ? { type: 'absent' } : inspect(absolute))
}

/**
 * Undoes the executions of the last conversation, the newest first. If one cannot be undone, those that were are redone,
 * so that the conversation is undone whole or not at all.
 */
export async function undoConversation(
  settings: Settings,
  how: HistorySettings,
  which: NonNullable<UndoOptions['conversation']>,
  { force = false }: Pick<UndoOptions, 'force'>,
): Promise<UndoResult> {
  const all = await withTimeline(settings, makePathJudge(pathPolicyOf(settings)), (timeline) => timeline.records)
  const records = standings(all).flatMap(({ record, undone }) => (undone ? [] : [record]))
  const of = ({ conversation: own }: ExecutionRecord): boolean =>
    own !== undefined && (which === 'any' || (typeof which === 'string' ? own.kind === which : own.id === which.id))
  const id = records.findLast(of)?.conversation?.id
  if (id === undefined) return refuseUndo(`There is no ${which === 'loop' ? 'loop' : 'conversation'} to undo.`)
  const numbers = records.flatMap(({ number, conversation }) => (conversation?.id === id ? [number] : [])).reverse()
  const done: UndoResult[] = []
  for (const number of numbers) {
    const result = await undoExecution(settings, how, { number, force })
    if (!result.success) {
      const begun = done.length + (result.restored.length > 0 ? 1 : 0)
      for (let left = begun; left > 0; left--) await redoExecution(settings, how, { force: true })
      return { ...result, executions: [], restored: [] }
    }
    done.push(result)
  }
  const warnings = done.flatMap((one) => one.warnings ?? [])
  const { gitCommit } = done.at(-1) ?? {}
  return {
    success: true,
    executions: numbers,
    summary: formatCount(numbers.length, 'execution'),
    restored: [...new Set(done.flatMap(({ restored }) => restored))],
    conflicts: done.flatMap(({ conflicts }) => conflicts),
    gitCommit,
    warnings: unlessEmpty(warnings),
  }
}
