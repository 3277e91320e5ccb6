import type { HistorySettings, Settings } from '../core/settings.ts'
import { type BackState, readBack, writeBack } from '../git/back-state.ts'
import { gitStop } from '../git/git-program.ts'
import { installIndex, pointHead, worktreeOf } from './install.ts'
import {
  forgetAside,
  ignoredHere,
  keptIndex,
  modesOf,
  namesPutAside,
  putAside,
  savedRef,
  uncommittedAt,
} from './put-aside.ts'
import { commitAt } from '../git/repository.ts'
import { inPlace, type Place, refused, type StepResult } from './step-place.ts'

export type { StepResult }

/** To the first parent of the commit that is checked out; what is uncommitted waits for the way back. */
export const stepBack = (settings: Settings, history: HistorySettings): Promise<StepResult> =>
  inPlace(settings, history, 'clada back', async (place) => {
    const { repository, isolated, head, branch, stateDir } = place
    const state = readBack(stateDir)
    if (state?.moving) throw gitStop('the last step was interrupted', 'Finish it with clada forward.')
    const way = state?.way ?? [head]
    if (state !== undefined && (way.at(-1) !== head || branch !== null)) throw headMoved(state)
    const parent = await commitAt(repository, `${head}^1`)
    if (parent === undefined) throw gitStop('this is the first commit', 'There is nothing before it.')
    const saved = await saveAll(place, parent)
    const stashed_files = saved === undefined ? [] : await namesPutAside(isolated, saved)
    const next: BackState = {
      branch: state === undefined ? branch : state.branch,
      way: [...way, parent],
      saved: { ...state?.saved, ...(saved === undefined ? {} : { [head]: saved }) },
      modes: { ...state?.modes, ...(saved === undefined ? {} : { [saved]: modesOf(repository, stashed_files) }) },
    }
    let begun = false
    try {
      await place.change(saved ?? head, parent, {
        before: () => {
          begun = true
          writeBack(stateDir, { ...next, moving: true })
        },
        unchanged: () => {
          begun = false
          writeBack(stateDir, state)
        },
        after: async () => {
          await pointHead(repository, { commit: parent, branch: null }, 'clada: back')
          await installIndex(isolated, stateDir, parent, undefined)
          writeBack(stateDir, next)
        },
      })
    } catch (error) {
      if (!begun && saved !== undefined) await forgetAside(repository, stateDir, head, saved)
      throw error
    }
    return { success: true, commit: parent, ...(saved === undefined ? {} : { stashed_files }) }
  })

async function saveAll(place: Place, parent: string): Promise<string | undefined> {
  const { isolated, head } = place
  const uncommitted = await uncommittedAt(isolated, place)
  const ignored = await ignoredHere(isolated, head, parent)
  if (uncommitted === undefined && ignored.length === 0) return undefined
  const { paths, staged } = uncommitted ?? { paths: [], staged: [] }
  return putAside(isolated, head, { paths: [...new Set([...paths, ...ignored])], staged }, place)
}

/** One step towards where `stepBack` began. At its end the branch is checked out again. */
export const stepForward = (settings: Settings, history: HistorySettings): Promise<StepResult> =>
  inPlace(settings, history, 'clada forward', async (place) => {
    const { repository, isolated, stateDir } = place
    const state = stateFor(place)
    const [target = '', here = ''] = state.way.slice(-2)
    const { [target]: saved, ...others } = state.saved
    const atTip = state.way.length === 2
    if (atTip) await checkBranch(place, state, target)
    // Whoever is there already and has nothing to get back may have begun to work.
    if (here !== target || saved !== undefined) {
      const conflicts = state.moving ? undefined : await changedHere(place)
      if (conflicts !== undefined) return conflicts
      await place.change(here, saved ?? target, {
        modes: state.modes?.[saved ?? ''],
        before: () => writeBack(stateDir, { ...state, moving: true }),
        unchanged: () => writeBack(stateDir, state),
        after: async () => {
          await pointHead(repository, { commit: target, branch: atTip ? state.branch : null }, 'clada: forward')
          await installIndex(isolated, stateDir, target, saved === undefined ? undefined : keptIndex(stateDir, target))
        },
      })
    }
    writeBack(stateDir, atTip ? undefined : { ...state, moving: false, way: state.way.slice(0, -1), saved: others })
    return {
      success: true,
      commit: target,
      ...(atTip ? { ...onBranch(state), ...keptOf(others) } : {}),
      ...(await broughtBack(place, target, saved)),
    }
  })

/** Where the way back stands. Who went to its end without clada is there: only what was put aside there is to come. */
function stateFor({ head, branch, stateDir }: Place): BackState {
  const state = readBack(stateDir)
  if (state === undefined || state.way.length < 2) throw gitStop('this is the newest commit', 'There is nowhere to go.')
  const [target, here] = state.way.slice(-2)
  if (state.moving && head === target) return state
  const isHome = state.branch === null ? branch === null && head === state.way[0] : branch === state.branch
  if (isHome) return { ...state, moving: false, way: [head, head] }
  if (here !== head || branch !== null) throw headMoved(state)
  return state
}

/** What was put aside where nobody came along again is left for git to bring back. */
function keptOf(saved: BackState['saved']): { kept?: string[] } {
  const kept = Object.values(saved).map(savedRef)
  return kept.length === 0 ? {} : { kept }
}

async function broughtBack({ isolated, repository, stateDir }: Place, at: string, saved: string | undefined) {
  if (saved === undefined) return {}
  const restored_files = await namesPutAside(isolated, saved)
  await forgetAside(repository, stateDir, at, saved)
  return { restored_files }
}

const onBranch = ({ branch }: BackState): { branch?: string } =>
  branch === null ? {} : { branch: shortBranch(branch) }

const shortBranch = (branch: string): string => branch.replace(/^refs\/heads\//, '')

async function changedHere(place: Place): Promise<StepResult | undefined> {
  const found = await uncommittedAt(place.isolated, place)
  if (found === undefined) return undefined
  const conflicts = [...new Set([...found.paths, ...found.staged])]
  return { ...refused('Files were changed here. Take the changes back, or keep them elsewhere, first.'), conflicts }
}

/** The branch must still be where it was left, and be free to be checked out. */
async function checkBranch({ repository }: Place, { branch }: BackState, target: string): Promise<void> {
  if (branch === null) return
  const name = shortBranch(branch)
  const at = await commitAt(repository, branch)
  if (at === undefined)
    throw gitStop(
      `${name} was removed since clada back`,
      `Make it again first: git branch ${name} ${target.slice(0, 8)}`,
    )
  const elsewhere = await worktreeOf(repository, branch)
  if (elsewhere !== undefined && elsewhere !== repository.top)
    throw gitStop(`${name} is checked out in ${elsewhere}`, 'Check out something else there first.')
  if (at !== target)
    throw gitStop(
      `${name} was moved since clada back`,
      `Check it out with git checkout ${name}, then clada forward ends here.`,
    )
}

function headMoved({ branch, way }: BackState): Error {
  const home = branch === null ? (way[0]?.slice(0, 8) ?? '') : shortBranch(branch)
  return gitStop(
    'HEAD was moved since clada back',
    `Give commits that you made here a branch (git branch NAME), then use git checkout ${home} and clada forward, ` +
      'which brings back what was put aside.',
  )
}
