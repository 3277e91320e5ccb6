import { Stop } from '../core/problem.ts'
import type { HistorySettings, Settings } from '../core/settings.ts'
import { readBack } from '../git/back-state.ts'
import { gitStop } from '../git/git-program.ts'
import { type ConfiguredRepository, findRepository } from '../git/find-repository.ts'
import { lockExecutions } from '../journal/lock.ts'
import { headOf, inProgress } from '../git/repository.ts'
import { IsolatedGit } from '../git/isolated-git.ts'
import { squash } from './squash.ts'
import { planSquash, type SquashLimit, type SquashOptions, type SquashPlan, type SquashRun } from './squash-plan.ts'
import { makePathJudge, pathPolicyOf } from '../policy/paths.ts'
import { refusalOf } from './refusal.ts'
import { openWorkspace } from '../workspace/open.ts'
import { stateDirOf } from '../workspace/scratch.ts'

export interface SquashResult {
  success: boolean
  /** What became, or would become, one commit each. */
  runs: SquashRun[]
  /** What nothing went across: a commit that others have too, or a merge. */
  limit?: SquashLimit
  gitCommit?: string
  /** Where the branch was before: `git reset --soft` goes back there. */
  before?: string
  warnings?: string[]
  error?: string
  /** `error` without the command's name and codes. */
  reason?: string
  code?: string
}

/** Makes one commit of several. Files and index stay as they are, whatever state they are in. */
export async function squashCommits(
  settings: Settings,
  history: HistorySettings,
  options: SquashOptions,
): Promise<SquashResult> {
  try {
    const repository = await findRepository(settings.root)
    if (repository === undefined)
      throw gitStop('there is no git repository here', 'There are no commits to squash without one.')
    const busy = inProgress(repository)
    if (busy !== undefined) throw gitStop(`${busy} is in progress`, `Finish or abort ${busy} first.`)
    if (!options.dryRun) return await underLock(settings, history, repository, options)
    const stateDir = stateDirOf(settings.root)
    if (stateDir !== undefined) refuseWhileBack(stateDir)
    return resultOf(await planSquash(repository, await headOf(repository), options))
  } catch (error) {
    if (!(error instanceof Stop)) throw error
    return { success: false, runs: [], ...refusalOf(error.problem, 'clada squash', 'Fix the problem above and retry.') }
  }
}

async function underLock(
  settings: Settings,
  history: HistorySettings,
  repository: ConfiguredRepository,
  options: SquashOptions,
): Promise<SquashResult> {
  const workspace = openWorkspace(settings, makePathJudge(pathPolicyOf(settings)), 'disk')
  let release: (() => void) | undefined
  let isolated: IsolatedGit | undefined
  try {
    const stateDir = workspace.stateDir()
    release = await lockExecutions(history, stateDir)
    refuseWhileBack(stateDir)
    const head = await headOf(repository)
    const plan = await planSquash(repository, head, options)
    if (plan.runs.length === 0) return resultOf(plan)
    isolated = IsolatedGit.openIn(stateDir, repository, head)
    const result = { ...resultOf(plan), gitCommit: await squash(isolated, plan, history.author), before: plan.head }
    const warnings = [...(result.warnings ?? []), ...workspace.notes]
    return warnings.length === 0 ? result : { ...result, warnings }
  } finally {
    isolated?.close()
    release?.()
    await workspace.close()
  }
}

function refuseWhileBack(stateDir: string): void {
  if (readBack(stateDir) !== undefined) throw gitStop('the project is at an older commit', 'Use clada forward first.')
}

function resultOf({ runs, limit, unsigned }: SquashPlan): SquashResult {
  const signed = unsigned.map((id) => id.slice(0, 8)).join(', ')
  return {
    success: true,
    runs,
    ...(limit === undefined ? {} : { limit }),
    ...(signed === '' ? {} : { warnings: [`signatures do not survive this: ${signed}`] }),
  }
}
