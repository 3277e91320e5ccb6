import path from 'node:path'
import type { PathJudge } from './core/decision.ts'
import { Stop } from './core/problem.ts'
import type { Inspected } from './core/recorder.ts'
import type { Code } from './core/result.ts'
import type { HistorySettings, Settings } from './core/settings.ts'
import { gitStop } from './history/git-program.ts'
import { shortPath } from './history/journal.ts'
import { lockExecutions } from './history/lock.ts'
import { commitAt, findRepository, headOf, inProgress, type Repository } from './history/repository.ts'
import { Room } from './history/room.ts'
import * as steps from './history/step.ts'
import { makePathJudge, pathPolicyOf } from './policy/paths.ts'
import { refusalOf } from './refusal.ts'
import { openWorkspace, type OpenWorkspace } from './workspace/open.ts'

export interface StepResult {
  success: boolean
  /** Where the project is now. */
  commit?: string
  branch?: string
  /** Uncommitted files that were put aside, or brought back. */
  stashed_files?: string[]
  restored_files?: string[]
  conflicts?: string[]
  error?: string
  code?: string
}

/** To the first parent of the commit that is checked out; what is uncommitted waits for the way back. */
export const stepBack = (settings: Settings, history: HistorySettings): Promise<StepResult> =>
  step(settings, history, 'clada back', async (place) => {
    const { repository, room, head, stateDir, settings } = place
    const state = steps.readBack(stateDir)
    const branch = state === undefined ? ((await headOf(repository)).branch ?? null) : state.branch
    const way = state?.way ?? [head]
    if (state?.moving) throw gitStop('the last step was interrupted', 'Finish it with clada forward.')
    if (way.at(-1) !== head) throw gitStop('HEAD was moved since clada back', moved)
    const parent = await commitAt(repository, `${head}^1`)
    if (parent === undefined) throw gitStop('this is the first commit', 'There is nothing before it.')
    const { closed } = place
    const saved = await steps.saveUncommitted(room, head, { root: settings.root, closed, stateDir })
    const next: steps.BackState = {
      branch,
      way: [...way, parent],
      saved: { ...state?.saved, ...(saved === undefined ? {} : { [head]: saved.commit }) },
    }
    await place.change(saved?.commit ?? head, parent, {
      before: () => steps.writeBack(stateDir, { ...next, moving: true }),
      after: async () => {
        await steps.pointHead(repository, { commit: parent, branch: null }, 'clada: back')
        await steps.installIndex(room, parent, undefined)
        steps.writeBack(stateDir, next)
      },
    })
    return { success: true, commit: parent, ...(saved === undefined ? {} : { stashed_files: [...saved.paths] }) }
  })

/** One step towards where `stepBack` began. At its end the branch is checked out again. */
export const stepForward = (settings: Settings, history: HistorySettings): Promise<StepResult> =>
  step(settings, history, 'clada forward', async (place) => {
    const { repository, room, head, stateDir } = place
    const state = steps.readBack(stateDir)
    const target = state?.way.at(-2)
    if (state === undefined || target === undefined)
      throw gitStop('this is the newest commit', 'There is nowhere to go.')
    const here = state.way.at(-1) ?? head
    if (here !== head && !(state.moving && head === target)) throw gitStop('HEAD was moved since clada back', moved)
    const atTip = state.way.length === 2
    if (atTip && state.branch !== null && (await commitAt(repository, state.branch)) !== target)
      throw gitStop(
        `${state.branch} was moved since clada back`,
        `Check it out yourself, then remove ${steps.backFile(stateDir)}.`,
      )
    const { closed } = place
    const uncommitted = state.moving
      ? undefined
      : await steps.saveUncommitted(room, head, { root: place.settings.root, closed, stateDir })
    if (uncommitted !== undefined) {
      await steps.forgetSaved(repository, stateDir, head)
      const conflicts = [...uncommitted.paths]
      return { ...refused('Files were changed here. Take the changes back, or keep them elsewhere, first.'), conflicts }
    }
    const saved = state.saved[target]
    const kept = saved === undefined ? undefined : steps.keptIndex(stateDir, target)
    await place.change(here, saved ?? target, {
      before: () => steps.writeBack(stateDir, { ...state, moving: true }),
      after: async () => {
        await steps.pointHead(repository, { commit: target, branch: atTip ? state.branch : null }, 'clada: forward')
        await steps.installIndex(room, target, kept)
        const { [target]: _, ...others } = state.saved
        if (atTip) steps.endBack(stateDir)
        else steps.writeBack(stateDir, { branch: state.branch, way: state.way.slice(0, -1), saved: others })
        if (saved !== undefined) await steps.forgetSaved(repository, stateDir, target)
      },
    })
    const files = saved === undefined ? [] : (await steps.differences(room, target, saved)).map(({ name }) => name)
    const branch = atTip && state.branch !== null ? { branch: state.branch.replace(/^refs\/heads\//, '') } : {}
    return { success: true, commit: target, ...branch, ...(files.length === 0 ? {} : { restored_files: files }) }
  })

const moved = 'Go back to where it was, or check out your branch and remove back.json from the state directory.'

const refused = (error: string, code: Code = 'concurrent_modification'): StepResult => ({ success: false, error, code })

interface Place {
  readonly repository: Repository
  readonly room: Room
  readonly head: string
  readonly stateDir: string
  readonly settings: Settings
  readonly closed: (relative: string) => boolean
  /** Brings the files from one commit to another, all or none. */
  change(from: string, to: string, around: Around): Promise<void>
}

interface Around {
  readonly before: () => void
  readonly after: () => Promise<void>
}

async function step(
  settings: Settings,
  history: HistorySettings,
  name: string,
  work: (place: Place) => Promise<StepResult>,
): Promise<StepResult> {
  const judge = makePathJudge(pathPolicyOf(settings))
  const workspace = openWorkspace(settings, judge, 'disk')
  let place: OpenWorkspace | undefined
  let release: (() => void) | undefined
  let room: Room | undefined
  try {
    const repository = findRepository(settings.root)
    if (repository === undefined) throw gitStop('there is no git repository here', 'clada undo works without one.')
    const busy = inProgress(repository)
    if (busy !== undefined) throw gitStop(`${busy} is in progress`, `Finish or abort ${busy} first.`)
    const top = repository.top ?? settings.root
    const trees = (place = openWorkspace(settings, everything(top), 'disk'))
    const found = await headOf(repository)
    if (found.commit === undefined) throw gitStop('there is no commit yet')
    const stateDir = workspace.stateDir()
    release = await lockExecutions(history, stateDir)
    const made = (room = await Room.openIn(stateDir, repository, found))
    const result = await work({
      repository,
      room: made,
      head: found.commit,
      stateDir,
      settings,
      closed: (relative) => judge.closedBelow(relative),
      change: (from, to, around) => changeTree(made, trees, settings.root, from, to, around),
    })
    return asInProject(result, top, settings.root)
  } catch (error) {
    if (error instanceof Conflicts) {
      const top = findRepository(settings.root)?.top ?? settings.root
      return asInProject({ ...refused(error.message), conflicts: error.paths }, top, settings.root)
    }
    if (!(error instanceof Stop)) throw error
    return { success: false, ...refusalOf(error.problem, name) }
  } finally {
    room?.close()
    release?.()
    await workspace.close()
    await place?.close()
  }
}

/** Git tells paths from its top, people know them from the root of their project. */
function asInProject({ stashed_files, restored_files, conflicts, ...rest }: StepResult, top: string, root: string) {
  const named = (names: string[]): string[] => names.map((name) => shortPath(root, path.join(top, name)))
  return {
    ...rest,
    ...(stashed_files && { stashed_files: named(stashed_files) }),
    ...(restored_files && { restored_files: named(restored_files) }),
    ...(conflicts && { conflicts: named(conflicts) }),
  }
}

/** What git checks out is nobody's to refuse: it is the user who goes back, and all of it was committed. */
const everything = (top: string): PathJudge => ({
  path: (_, absolute) => ({ verdict: 'allow', root: top, parts: path.relative(top, absolute).split(path.sep) }),
  closedBelow: () => false,
  closed: () => false,
})

class Conflicts extends Error {
  readonly paths: string[]

  constructor(paths: string[]) {
    super('Files are in the way that nobody has saved.')
    this.paths = paths
  }
}

async function changeTree(
  room: Room,
  workspace: OpenWorkspace,
  root: string,
  from: string,
  to: string,
  around: Around,
): Promise<void> {
  const top = room.repository.top ?? root
  const changes = (await steps.differences(room, from, to)).map((one) => ({
    ...one,
    absolute: path.join(top, one.name),
  }))
  const inTheWay = changes.filter(({ absolute, from: before, to: after }) => {
    const now = workspace.inspect(absolute)
    // What a step that died has done already needs no doing.
    return !isSame(now, before) && !isSame(now, after)
  })
  if (inTheWay.length > 0) throw new Conflicts(inTheWay.map(({ name }) => name))
  around.before()
  await workspace.restore(
    changes.map(({ absolute, from: before, to: after }) => ({ absolute, to: after, like: modeFor(before, after) })),
  )
  await around.after()
}

/** Git knows one bit of the mode; the others stay as they are. */
function modeFor(before: Inspected, after: Inspected): { mode: number; uid: number; gid: number } | undefined {
  if (after.type !== 'file' || (before.type === 'file' && before.mode === after.mode)) return undefined
  const own = { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 }
  return { mode: after.mode === 0o755 ? 0o777 & ~process.umask() : 0o666 & ~process.umask(), ...own }
}

function isSame(now: Inspected, expected: Inspected): boolean {
  if (now.type === 'file' && expected.type === 'file')
    return now.bytes.equals(expected.bytes) || linesOf(now.bytes) === linesOf(expected.bytes)
  if (now.type === 'symlink' && expected.type === 'symlink') return now.target === expected.target
  return now.type === expected.type || (now.type === 'directory' && expected.type === 'absent')
}

/** Where git converts line endings, a file may have either kind and is unchanged for git; elsewhere a change was saved. */
const linesOf = (bytes: Buffer): string => bytes.toString('latin1').replaceAll('\r\n', '\n')
