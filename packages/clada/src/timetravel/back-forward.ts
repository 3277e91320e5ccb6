import path from 'node:path'
import { pathFrom } from '../core/paths.ts'
import { ProblemError } from '../core/problem.ts'
import type { Code } from '@clada/reply/core/codes.ts'
import type { HistorySettings, Settings } from '../core/settings.ts'
import { type BackState, contentsIn, type KeptFiles, readBack, writeBack } from '../store/record.ts'
import { gitError } from '../git/git-program.ts'
import type { IsolatedGit } from '../git/isolated-git.ts'
import { commitAt, pointHead, type Repository, checkWritable } from '../git/repository.ts'
import { checkoutPolicyOf, makePathJudge, pathPolicyOf } from '../policy/paths.ts'
import { changeTree, type TreeChangeEvents, WouldOverwrite } from './change-tree.ts'
import { idleRepository, installIndex, underLock, worktreeOf } from './repository.ts'
import { dropStash, ignoredHere, keptIndex, savedRef, stash, stashedNames, uncommittedAt } from './stash.ts'
import { refusalOf } from '../report/explain.ts'
import { openWorkspace } from '../workspace/open.ts'

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

/** Checks out the first parent; uncommitted changes are stashed until the step forward. */
export const stepBack = (settings: Settings, history: HistorySettings): Promise<StepResult> =>
  inCheckout(settings, history, 'clada back', async (checkout) => {
    const { repository, isolated, head, branch, stateDir } = checkout
    const state = readBack(stateDir)
    if (state?.moving) throw gitError('the last step was interrupted', 'Finish it with clada forward.')
    const way = state?.way ?? [head]
    if (state !== undefined && (way.at(-1) !== head || branch !== null)) throw headMoved(state)
    const parent = await commitAt(repository, `${head}^1`)
    if (parent === undefined) throw gitError('this is the first commit', 'There is nothing before it.')
    const saved = await stashAll(checkout, parent)
    const stashed_files = saved === undefined ? [] : await stashedNames(isolated, saved)
    const nextWith = (left: KeptFiles): BackState => ({
      branch: state === undefined ? branch : state.branch,
      way: [...way, parent],
      saved: { ...state?.saved, ...(saved === undefined ? {} : { [head]: saved }) },
      files: { ...state?.files, [head]: left },
    })
    let next = nextWith({})
    let begun = false
    try {
      await checkout.change(saved ?? head, parent, {
        before: (left) => {
          begun = true
          next = nextWith(left)
          writeBack(stateDir, { ...next, moving: true })
        },
        unchanged: () => {
          begun = false
          writeBack(stateDir, state)
        },
        after: async () => {
          await pointHead(repository, { commit: parent, branch: null }, 'clada: back')
          await installIndex(isolated, parent, undefined)
          writeBack(stateDir, next)
        },
      })
    } catch (error) {
      if (!begun && saved !== undefined) await dropStash(repository, stateDir, head, saved)
      throw error
    }
    return { success: true, commit: parent, ...(saved === undefined ? {} : { stashed_files }) }
  })

async function stashAll(checkout: Checkout, parent: string): Promise<string | undefined> {
  const { isolated, head } = checkout
  const uncommitted = await uncommittedAt(isolated, checkout)
  const ignored = await ignoredHere(isolated, head, parent)
  if (uncommitted === undefined && ignored.length === 0) return undefined
  const { paths, staged } = uncommitted ?? { paths: [], staged: [] }
  return stash(isolated, head, { paths: [...new Set([...paths, ...ignored])], staged }, checkout)
}

/** One step towards the commit where `stepBack` began. The last step checks out the branch again. */
export const stepForward = (settings: Settings, history: HistorySettings): Promise<StepResult> =>
  inCheckout(settings, history, 'clada forward', async (checkout) => {
    const { repository, isolated, stateDir } = checkout
    const state = stateFor(checkout)
    const [target = '', here = ''] = state.way.slice(-2)
    const { [target]: saved, ...others } = state.saved
    const atTip = state.way.length === 2
    if (atTip) await checkBranch(checkout, state, target)
    // Everything that was stashed is read before the first file changes.
    const restored_files = saved === undefined ? [] : await stashedNames(isolated, saved)
    const kept = saved === undefined ? undefined : keptIndex(isolated, stateDir, target)
    // If the user is at the target already and nothing is stashed, new changes are no conflict.
    if (here !== target || saved !== undefined) {
      const conflicts = state.moving ? undefined : await changedHere(checkout)
      if (conflicts !== undefined) return conflicts
      await checkout.change(here, saved ?? target, {
        files: state.files?.[target],
        before: () => writeBack(stateDir, { ...state, moving: true }),
        unchanged: () => writeBack(stateDir, state),
        after: async () => {
          await pointHead(repository, { commit: target, branch: atTip ? state.branch : null }, 'clada: forward')
          await installIndex(isolated, target, kept)
        },
      })
    }
    writeBack(stateDir, atTip ? undefined : { ...state, moving: false, way: state.way.slice(0, -1), saved: others })
    if (saved !== undefined) await dropStash(repository, stateDir, target, saved)
    return {
      success: true,
      commit: target,
      ...(atTip ? { ...onBranch(state), ...keptOf(others) } : {}),
      ...(saved === undefined ? {} : { restored_files }),
    }
  })

/** The state of the way back. If the user checked out its end without clada, only the stash there is left to restore. */
function stateFor({ head, branch, stateDir }: Checkout): BackState {
  const state = readBack(stateDir)
  if (state === undefined || state.way.length < 2) throw gitError('this is the newest commit', 'There is no newer one.')
  const [target, here] = state.way.slice(-2)
  if (state.moving && head === target) return state
  const isHome = state.branch === null ? branch === null && head === state.way[0] : branch === state.branch
  if (isHome) return { ...state, moving: false, way: [head, head] }
  if (here !== head || branch !== null) throw headMoved(state)
  return state
}

/** Stashes of commits that were passed without clada are left for git to restore. */
function keptOf(saved: BackState['saved']): { kept?: string[] } {
  const kept = Object.values(saved).map(savedRef)
  return kept.length === 0 ? {} : { kept }
}

const onBranch = ({ branch }: BackState): { branch?: string } =>
  branch === null ? {} : { branch: shortBranch(branch) }

const shortBranch = (branch: string): string => branch.replace(/^refs\/heads\//, '')

async function changedHere(checkout: Checkout): Promise<StepResult | undefined> {
  const found = await uncommittedAt(checkout.isolated, checkout)
  if (found === undefined) return undefined
  const conflicts = [...new Set([...found.paths, ...found.staged])]
  return { ...refused('There are uncommitted changes here. Revert or save them first.'), conflicts }
}

/** The branch must not have moved, and must not be checked out elsewhere. */
async function checkBranch({ repository }: Checkout, { branch }: BackState, target: string): Promise<void> {
  if (branch === null) return
  const name = shortBranch(branch)
  const at = await commitAt(repository, branch)
  if (at === undefined)
    throw gitError(
      `${name} was removed since clada back`,
      `Create it again first: git branch ${name} ${target.slice(0, 8)}`,
    )
  const elsewhere = await worktreeOf(repository, branch)
  if (elsewhere !== undefined && elsewhere !== repository.top)
    throw gitError(`${name} is checked out in ${elsewhere}`, 'Check out something else there first.')
  if (at !== target)
    throw gitError(
      `${name} was moved since clada back`,
      `Check it out with git checkout ${name}, then run clada forward.`,
    )
}

function headMoved({ branch, way }: BackState): Error {
  const home = branch === null ? (way[0]?.slice(0, 8) ?? '') : shortBranch(branch)
  return gitError(
    'HEAD was moved since clada back',
    `Create a branch for commits that you made here (git branch NAME), then use git checkout ${home} and clada forward, ` +
      'which restores the stashed changes.',
  )
}

/** The checked-out commit, and everything that a step needs. */
interface Checkout {
  readonly repository: Repository
  readonly isolated: IsolatedGit
  readonly head: string
  /** The branch that is checked out, as a full reference; null for a detached HEAD. */
  readonly branch: string | null
  readonly stateDir: string
  readonly root: string
  readonly isBlocked: (relative: string) => boolean
  /** Changes the files from one commit to another, all or none. */
  change(from: string, to: string, events: TreeChangeEvents): Promise<void>
}

const refused = (error: string, code: Code = 'concurrent_modification'): StepResult => ({
  success: false,
  error,
  code,
})

/** Runs a step under the lock, with git isolated from the repository's configuration. */
async function inCheckout(
  settings: Settings,
  history: HistorySettings,
  name: string,
  work: (checkout: Checkout) => Promise<StepResult>,
): Promise<StepResult> {
  const { root } = settings
  const project = openWorkspace(settings, makePathJudge(pathPolicyOf(settings)), 'disk')
  let top = root
  try {
    const repository = await idleRepository(root, 'clada undo works without one.')
    top = repository.top ?? root
    const restores = makePathJudge(checkoutPolicyOf(top))
    return await underLock(
      settings,
      history,
      repository,
      restores,
      async ({ head, stateDir, workspace, ...locked }) => {
        workspace.sweep()
        if (head.commit === undefined) throw gitError('there is no commit yet', 'Make one first.')
        await checkWritable(repository, 'index')
        const isolated = locked.isolated()
        const result = await work({
          repository,
          isolated,
          head: head.commit,
          branch: head.branch ?? null,
          stateDir,
          root,
          isBlocked: (relative) => project.isBlocked(path.join(root, relative)),
          change: (from, to, events) => changeTree(isolated, workspace, top, from, to, contentsIn(stateDir), events),
        })
        const { notes } = workspace
        return asInProject(notes.length === 0 ? result : { ...result, warnings: [...notes] }, top, root)
      },
    )
  } catch (error) {
    if (error instanceof WouldOverwrite)
      return asInProject({ ...refused(error.message), conflicts: error.paths }, top, root)
    if (!(error instanceof ProblemError)) throw error
    return { success: false, ...refusalOf(error.problem, name, 'Fix the problem above and retry.') }
  } finally {
    await project.close()
  }
}

/** Git's paths are relative to its top, those of reports to the project. */
function asInProject({ stashed_files, restored_files, conflicts, ...rest }: StepResult, top: string, root: string) {
  const named = (names: string[]): string[] => names.map((name) => pathFrom(root, path.join(top, name)))
  return {
    ...rest,
    ...(stashed_files && { stashed_files: named(stashed_files) }),
    ...(restored_files && { restored_files: named(restored_files) }),
    ...(conflicts && { conflicts: named(conflicts) }),
  }
}
