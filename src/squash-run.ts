import { Stop } from './core/problem.ts'
import type { HistorySettings, Settings } from './core/settings.ts'
import { gitStop } from './history/git-program.ts'
import { lockExecutions } from './history/lock.ts'
import { findRepository, headOf, inProgress } from './history/repository.ts'
import { Room } from './history/room.ts'
import { squash, type SquashLimit, type SquashOptions, type SquashRun } from './history/squash.ts'
import { readBack } from './history/step.ts'
import { makePathJudge, pathPolicyOf } from './policy/paths.ts'
import { refusalOf } from './refusal.ts'
import { openWorkspace } from './workspace/open.ts'

export interface SquashResult {
  success: boolean
  /** What became, or would become, one commit each. */
  runs: SquashRun[]
  /** What nothing went across: a commit that was pushed, or a merge. */
  limit?: SquashLimit
  gitCommit?: string
  error?: string
  code?: string
}

/** Makes one commit of several. Files and index stay as they are, whatever state they are in. */
export async function squashCommits(
  settings: Settings,
  history: HistorySettings,
  options: SquashOptions,
): Promise<SquashResult> {
  const workspace = openWorkspace(settings, makePathJudge(pathPolicyOf(settings)), 'disk')
  let release: (() => void) | undefined
  let room: Room | undefined
  try {
    const repository = findRepository(settings.root)
    if (repository === undefined)
      throw gitStop('there is no git repository here', 'There are no commits to squash without one.')
    const busy = inProgress(repository)
    if (busy !== undefined) throw gitStop(`${busy} is in progress`, `Finish or abort ${busy} first.`)
    const stateDir = workspace.stateDir()
    if (readBack(stateDir) !== undefined) throw gitStop('the project is at an older commit', 'Use clada forward first.')
    release = await lockExecutions(history, stateDir)
    const head = await headOf(repository)
    room = await Room.openIn(stateDir, repository, head)
    const { head: made, ...told } = await squash(room, head, options, history.author)
    return { success: true, ...told, ...(made === undefined ? {} : { gitCommit: made }) }
  } catch (error) {
    if (!(error instanceof Stop)) throw error
    return { success: false, runs: [], ...refusalOf(error.problem, 'clada squash') }
  } finally {
    room?.close()
    release?.()
    await workspace.close()
  }
}
