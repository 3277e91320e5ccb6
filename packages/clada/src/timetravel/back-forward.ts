import path from 'node:path'
import { pathFrom, withSlashes } from '../core/paths.ts'
import { type Problem, ProblemError } from '../core/problem.ts'
import type { Code } from '@clada/reply/core/codes.ts'
import type { Inspected } from '../core/recorder.ts'
import type { HistorySettings, Settings } from '../core/settings.ts'
import { oidsOnDisk } from '../git/differences.ts'
import { gitError } from '../git/git-program.ts'
import { keptRef, releaseKept } from '../git/kept.ts'
import { readKept } from '../git/move-head.ts'
import { checkRefs, checkWritable, commitAt, type Head, inRepository, type Repository } from '../git/repository.ts'
import { sidesIn, treeContents, treeEntryState } from '../git/tree-contents.ts'
import { refuseInterrupted } from '../history/execution.ts'
import { commitUncommitted, findUncommitted, listIgnoredHere, namesUncommitted } from '../git/uncommitted.ts'
import { refusalOf } from '../report/explain.ts'
import {
  contentsIn,
  isSameMode,
  isSameState,
  type HeadMove,
  type RepositoryPosition,
  seenAt,
  stateOf,
} from '../store/record.ts'
import { heldBacks, interruptedPaths, type StepBack } from '../store/timeline.ts'
import { idleRepository, isAt, type Operation, runMove } from './operation.ts'
import { everythingBelow, planCheckout, WouldOverwrite } from './plan-checkout.ts'
import { type PathPlan, planUndo, type RevertedPath, revertedPaths } from './undo-plan.ts'

/** The result of one step back or forward. */
export interface StepResult {
  success: boolean
  /** The commit that is checked out now. */
  commit?: string
  branch?: string
  /** Uncommitted files that were stashed, or restored. */
  stashed_files?: string[]
  restored_files?: string[]
  /** References to stashes that were not restored, for `git stash apply`. */
  kept?: string[]
  conflicts?: string[]
  warnings?: string[]
  error?: string
  /** `error` without the command's name and codes. */
  reason?: string
  code?: Code
}

/** Checks out the first parent; uncommitted changes are kept until the step forward. */
export const stepBack = (settings: Settings, how: HistorySettings): Promise<StepResult> =>
  takeStep('back', settings, how, async (operation) => {
    const { repository, isolated, workspace, head, moves } = operation.place
    refuseAway(heldBacks(moves), head)
    const before = positionOf(head)
    const parent = await commitAt(repository, `${before.commit}^1`)
    if (parent === undefined) throw gitError('this is the first commit', 'There is nothing before it.')
    const { paths, staged } = await findUncommitted(isolated, operation.place)
    const ignored = await listIgnoredHere(isolated, before.commit, parent)
    const all = { paths: [...new Set([...paths, ...ignored])], staged }
    const isClean = all.paths.length === 0 && staged.length === 0
    const stash = isClean ? undefined : await commitUncommitted(isolated, before.commit, all, operation.place)
    const uncommitted = stash === undefined ? undefined : await namesUncommitted(isolated, stash)
    const way = { from: stash ?? before.commit, to: parent }
    const wanted = await planCheckout(isolated, workspace, operation.top, way)
    const changed = new Set(wanted.map(({ absolute }) => nameInTop(operation, absolute)))
    const unchanged = operation.keepPaths((uncommitted ?? []).filter((name) => !changed.has(name)))
    const moved = { before: { ...before, index: operation.keepIndex() }, after: { commit: parent } }
    const move = { moved, uncommitted, unchanged, summary: `back to ${parent.slice(0, 8)}` }
    await operation.plan(move, stash ?? before.commit)
    const warnings = await operation.restore(wanted)
    await operation.moveHead(moved, { tree: parent })
    return { success: true, commit: parent, stashed_files: uncommitted, warnings }
  })

/**
 * One step towards the commit where `stepBack` began: reverts the last step back in effect. The last one checks out the branch
 * again.
 */
export async function stepForward(settings: Settings, how: HistorySettings): Promise<StepResult> {
  let lost: string[] = []
  const result = await takeStep('forward', settings, how, async (operation) => {
    const { stateDir, head } = operation.place
    const way = wayForward(operation.place)
    const { back, target, restores } = way
    const moved = { before: positionOf(head), after: target }
    if (!way.isThere) await checkBranch(operation.place.repository, target)
    const plans = restores === 'nothing' ? [] : await planRevert(operation, way)
    const conflicts = [...(way.isUntouched ? await uncommittedHere(operation) : []), ...plans.flatMap(conflictOf)]
    if (conflicts.length > 0) return { ...stepRefused(uncommittedError), conflicts: [...new Set(conflicts)] }
    operation.reverts(back.number)
    const name = target.branch === undefined ? target.commit.slice(0, 8) : shortBranch(target.branch)
    if (!way.isThere) await operation.plan({ moved, summary: `forward to ${name}` }, undefined)
    const wanted = plans.flatMap((plan) => plan.wanted ?? [])
    const warnings = restores === 'nothing' ? [] : await operation.restore(wanted)
    if (restores === 'files and index') warnings.push(...(await moveTo(operation, moved, back)))
    lost = plans.flatMap((plan) => (plan.lost === undefined ? [] : [lostText(back, stateDir, plan)]))
    const left = [...(restores === 'nothing' ? [back] : []), ...way.passed].filter((one) => one.uncommitted)
    const needed = lost.length === 0 ? left : [back, ...left]
    const reverted = [back, ...way.passed].filter((one) => !needed.includes(one)).map(({ number }) => number)
    await releaseKept(settings.root, stateDir, reverted)
    return {
      success: true,
      commit: target.commit,
      branch: target.branch && shortBranch(target.branch),
      kept: left.length === 0 ? undefined : left.map(({ number }) => keptRef(stateDir, number)),
      restored_files: restores === 'nothing' ? undefined : back.uncommitted && [...back.uncommitted],
      warnings,
    }
  })
  if (!result.success || lost.length === 0) return result
  return { ...result, success: false, error: lost.join('; '), code: 'git_operation_failed' }
}

interface Way {
  /** The step back that is reverted. */
  readonly back: StepBack
  /** Those after it: the user went home without clada. */
  readonly passed: readonly StepBack[]
  readonly target: RepositoryPosition
  /** Whether HEAD is there already. */
  readonly isThere: boolean
  readonly restores: 'nothing' | 'files' | 'files and index'
  /** Everything is as the step back left it, so that there must be no other changes. */
  readonly isUntouched: boolean
}

function wayForward({ head, moves }: Operation['place']): Way {
  const backs = heldBacks(moves)
  const [first, ...others] = backs
  const last = backs.at(-1)
  if (first === undefined || last === undefined) throw gitError('this is the newest commit', 'There is no newer one.')
  const { before, after } = last.moved
  const hasDied = (back: StepBack): boolean =>
    back.ended === 'interrupted' || moves.some(({ kind, of }) => kind === 'forward' && of === back.number)
  const one = { back: last, passed: [], target: before, isUntouched: !hasDied(last) }
  // It died before it moved HEAD, and the index with it.
  if (last.ended === 'interrupted' && isAt(head, before)) return { ...one, isThere: true, restores: 'files' }
  const home = first.moved.before
  const isHome = home.branch === undefined ? isAt(head, home) : head.branch === home.branch
  if (isHome) {
    const target = positionOf(head)
    // Of a branch that has moved on since, what was not committed is left for git to apply.
    const restores = first.uncommitted && target.commit === home.commit ? 'files and index' : 'nothing'
    const isUntouched = restores !== 'nothing' && !hasDied(first)
    return { back: first, passed: others, target, isThere: true, restores, isUntouched }
  }
  if (!isAt(head, after)) throw headMoved(home)
  return { ...one, isThere: false, restores: 'files and index' }
}

/** Before another step back. */
function refuseAway(backs: readonly StepBack[], head: Head): void {
  refuseInterrupted(backs)
  const [first] = backs
  const last = backs.at(-1)
  if (first !== undefined && last !== undefined && !isAt(head, last.moved.after)) throw headMoved(first.moved.before)
}

function headMoved({ branch, commit }: RepositoryPosition): Error {
  const home = branch === undefined ? commit.slice(0, 8) : shortBranch(branch)
  return gitError(
    'HEAD was moved since clada back',
    `Create a branch for commits that you made here (git branch NAME), then use git checkout ${home} and clada forward, ` +
      'which restores the stashed changes.',
  )
}

const shortBranch = (branch: string): string => branch.replace(/^refs\/heads\//, '')

/** The branch must not have moved, and must not be checked out elsewhere. */
async function checkBranch(repository: Repository, { branch, commit }: RepositoryPosition): Promise<void> {
  if (branch === undefined) return
  const name = shortBranch(branch)
  const at = await commitAt(repository, branch)
  if (at === undefined)
    throw gitError(
      `${name} was removed since clada back`,
      `Create it again first: git branch ${name} ${commit.slice(0, 8)}`,
    )
  const elsewhere = await worktreeOf(repository, branch)
  if (elsewhere !== undefined && elsewhere !== repository.top)
    throw gitError(`${name} is checked out in ${elsewhere}`, 'Check out something else there first.')
  if (at !== commit)
    throw gitError(
      `${name} was moved since clada back`,
      `Check it out with git checkout ${name}, then run clada forward.`,
    )
}

/** The worktree in which a branch is checked out: it cannot be in two. */
async function worktreeOf(repository: Repository, branch: string): Promise<string | undefined> {
  const { out } = await inRepository(repository, ['for-each-ref', '--format=%(worktreepath)', branch])
  return out.toString().trim() || undefined
}

async function uncommittedHere({ place }: Operation): Promise<string[]> {
  const { paths, staged } = await findUncommitted(place.isolated, place)
  return [...paths, ...staged]
}

const uncommittedError = 'There are uncommitted changes here. Revert or save them first.'

/** How each file comes back, by its name in the repository. */
async function planRevert(operation: Operation, way: Way): Promise<PathPlan[]> {
  const { root, stateDir, workspace } = operation.place
  const known = {
    contents: contentsIn(stateDir, way.back.number),
    inspect: (absolute: string) => workspace.inspect(absolute),
    isBlocked: () => false,
    names: (absolute: string) => workspace.names(absolute),
  }
  const plans = await planUndo(await asHere(operation, way), root, known, 'refuse')
  return plans.map((plan) => ({ ...plan, path: nameInTop(operation, path.resolve(root, plan.path)) }))
}

const conflictOf = ({ path: name, conflict }: PathPlan): string[] => (conflict === undefined ? [] : [name])

const nameInTop = ({ top }: Operation, absolute: string): string => withSlashes(path.relative(top, absolute))

/**
 * What a step back changed, with what is there now as far as nothing is lost with it: what the step left or found there, or
 * what git has in the commit that is checked out. A step forward that died may have removed it on the way.
 */
async function asHere(operation: Operation, { back, isThere }: Way): Promise<RevertedPath[]> {
  const { root, workspace, moves } = operation.place
  const removed = interruptedPaths(back, moves)
  const changed = revertedPaths(back)
  // Git has changed the others on the way home. A directory that the step made may have the name of a deleted file.
  const known = new Set(changed.map((entry) => entry.path))
  const unchanged = ((isThere ? back.unchanged : undefined) ?? [])
    .filter((one) => !known.has(one.path))
    .map(({ path: name, state }): RevertedPath => ({ path: name, before: state, after: state, last: state }))
  const entries = [...changed, ...unchanged].map((entry) => {
    const absolute = path.resolve(root, entry.path)
    const now = seenAt((file) => workspace.inspect(file), absolute)
    return { entry, name: nameInTop(operation, absolute), now }
  })
  const isOwn = ({ entry, now }: (typeof entries)[number]): boolean =>
    isSameState(now, entry.last) || isSameState(now, entry.before) || (now.type === 'absent' && removed.has(entry.path))
  const committed = await committedAmong(
    operation.place,
    entries.filter((one) => !isOwn(one)),
  )
  const differing = entries.filter(
    ({ entry: { before }, now }) => !isSameState(now, before) || !isSameMode(now, before),
  )
  const names = new Set(entries.map(({ name }) => name))
  return differing.flatMap((one) => {
    const { entry, name, now } = one
    const isReplaced = now.type === 'directory' && (entry.before.type === 'file' || entry.before.type === 'symlink')
    if (!isReplaced && !isOwn(one) && !committed.has(name)) return entry
    if (!isReplaced) return asFound(entry, now)
    // Git may have made it; then it is a conflict only if others have something in it.
    const { dirs } = everythingBelow(workspace, path.join(operation.top, name))
    const further = dirs.map((dir) => `${name}/${dir}`).filter((dir) => !names.has(dir))
    return [asFound(entry, now), ...further.map((dir) => madeDir(operation, dir))]
  })
}

function asFound(entry: RevertedPath, found: Inspected): RevertedPath {
  const now = stateOf(found)
  return { ...entry, after: now, last: now }
}

function madeDir({ place, top }: Operation, name: string): RevertedPath {
  const made = { type: 'directory' } as const
  return { path: pathFrom(place.root, path.join(top, name)), before: { type: 'absent' }, after: made, last: made }
}

/** Those that are as git would check them out, or that it has not. */
async function committedAmong(
  { isolated, head }: Operation['place'],
  files: readonly { readonly name: string; readonly now: Inspected }[],
): Promise<ReadonlySet<string>> {
  if (files.length === 0) return new Set()
  const sides = await sidesIn(
    isolated,
    positionOf(head).commit,
    files.map(({ name }) => name),
  )
  const contents = await treeContents(isolated, sides)
  const there = new Map(sides.map((side) => [side.name, side]))
  const onDisk = await oidsOnDisk(
    isolated,
    files.flatMap(({ name, now }) => (now.type === 'file' && there.has(name) ? [name] : [])),
  )
  const isCommitted = ({ name, now }: (typeof files)[number]): boolean => {
    const side = there.get(name)
    if (side === undefined) return now.type === 'absent'
    return isSameState(now, treeEntryState(side, contents.get(`${side.oid} ${name}`))) || onDisk.get(name) === side.oid
  }
  return new Set(files.filter(isCommitted).map(({ name }) => name))
}

/** With the index that was left; if that is lost, with what was staged. */
async function moveTo(operation: Operation, moved: HeadMove, back: StepBack): Promise<string[]> {
  const { stateDir, repository } = operation.place
  const { commit, index } = back.moved.before
  const kept = index && readKept(index, contentsIn(stateDir, back.number))
  const isLost = index !== undefined && kept === undefined
  const staged = isLost ? await commitAt(repository, `${keptRef(stateDir, back.number)}^2`) : undefined
  await operation.moveHead(moved, kept ?? { tree: staged ?? commit })
  return isLost ? [lostIndex] : []
}

const lostIndex = 'the saved index is missing or damaged: it has what was staged, except for blocked files and marks'

function lostText({ number, moved, uncommitted }: StepBack, stateDir: string, { path: name, lost }: PathPlan): string {
  const where = uncommitted?.includes(name) ? keptRef(stateDir, number) : moved.before.commit.slice(0, 8)
  return `${name} was not restored: ${lost}. Git has it: git show ${where}:${name}`
}

function positionOf({ commit, branch }: Head): RepositoryPosition {
  if (commit === undefined) throw gitError('there is no commit yet', 'Make one first.')
  return { commit, branch }
}

const stepRefused = (error: string, code: Code = 'concurrent_modification'): StepResult => ({
  success: false,
  error,
  code,
})

/** Runs a step as an execution of the log. */
async function takeStep(
  kind: 'back' | 'forward',
  settings: Settings,
  how: HistorySettings,
  work: (operation: Operation) => Promise<StepResult>,
): Promise<StepResult> {
  const { root } = settings
  const refuse = (problem: Problem): StepResult => ({
    success: false,
    ...refusalOf(problem, `clada ${kind}`, 'Fix the problem above and retry.'),
  })
  try {
    const repository = await idleRepository(root, 'clada undo works without one.')
    const result = await runMove(repository, { kind, settings, how, refuse }, async (operation) => {
      await checkWritable(repository, 'index')
      await checkRefs(repository, ['HEAD'])
      return work(operation).catch(conflictsOf)
    })
    return asInProject(result, repository.top ?? root, root)
  } catch (error) {
    if (error instanceof ProblemError) return refuse(error.problem)
    throw error
  }
}

function conflictsOf(error: unknown): StepResult {
  if (!(error instanceof WouldOverwrite)) throw error
  return { ...stepRefused(error.message), conflicts: error.paths }
}

/** Git's paths are relative to its top, those of reports to the project. */
function asInProject(result: StepResult, top: string, root: string): StepResult {
  const { stashed_files, restored_files, conflicts } = result
  const named = (names: string[] | undefined): string[] | undefined =>
    names?.map((name) => pathFrom(root, path.join(top, name)))
  return {
    ...result,
    stashed_files: named(stashed_files),
    restored_files: named(restored_files),
    conflicts: named(conflicts),
  }
}
