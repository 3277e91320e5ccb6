import path from 'node:path'
import { type Around, changeTree, InTheWay } from './change-tree.ts'
import { Stop } from '../core/problem.ts'
import type { Code } from '../core/result.ts'
import type { HistorySettings, Settings } from '../core/settings.ts'
import { gitStop } from '../git/git-program.ts'
import { checkWritable } from '../git/ready.ts'
import { releaseIndex } from './install.ts'
import { pathFrom } from '../core/paths.ts'
import { lockExecutions } from '../journal/lock.ts'
import { type ConfiguredRepository, findRepository } from '../git/find-repository.ts'
import { headOf, inProgress, type Repository } from '../git/repository.ts'
import { IsolatedGit } from '../git/isolated-git.ts'
import { makePathJudge, makeRestoreJudge, pathPolicyOf } from '../policy/paths.ts'
import { refusalOf } from './refusal.ts'
import { openWorkspace, type OpenWorkspace } from '../workspace/open.ts'

export interface StepResult {
  success: boolean
  /** Where the project is now. */
  commit?: string
  branch?: string
  /** Uncommitted files that were put aside, or brought back. */
  stashed_files?: string[]
  restored_files?: string[]
  /** References to what was put aside and not brought back: `git stash apply` takes them. */
  kept?: string[]
  conflicts?: string[]
  warnings?: string[]
  error?: string
  /** `error` without the command's name and codes. */
  reason?: string
  code?: string
}

/** Where a step begins, and what it needs. */
export interface Place {
  readonly repository: Repository
  readonly isolated: IsolatedGit
  readonly head: string
  /** The branch that is checked out, by its full name. */
  readonly branch: string | null
  readonly stateDir: string
  readonly root: string
  readonly closed: (relative: string) => boolean
  /** Brings the files from one commit to another, all or none. */
  change(from: string, to: string, around: Around): Promise<void>
}

export const refused = (error: string, code: Code = 'concurrent_modification'): StepResult => ({
  success: false,
  error,
  code,
})

/** Does a step under the lock, in a isolated of its own. */
export async function inPlace(
  settings: Settings,
  history: HistorySettings,
  name: string,
  work: (place: Place) => Promise<StepResult>,
): Promise<StepResult> {
  const { root } = settings
  const judge = makePathJudge(pathPolicyOf(settings))
  let workspace: OpenWorkspace | undefined
  let release: (() => void) | undefined
  let isolated: IsolatedGit | undefined
  let top = root
  try {
    const repository = await repositoryFor(root)
    top = repository.top ?? root
    const files = (workspace = openWorkspace(settings, makeRestoreJudge(top), 'disk'))
    const stateDir = files.stateDir()
    release = await lockExecutions(history, stateDir)
    files.sweep()
    releaseIndex(repository, stateDir)
    // Under the lock: another step may just have ended.
    const head = await headOf(repository)
    if (head.commit === undefined) throw gitStop('there is no commit yet', 'Make one first.')
    await checkWritable(repository, 'index')
    const made = (isolated = IsolatedGit.openIn(stateDir, repository, head))
    const result = await work({
      repository,
      isolated: made,
      head: head.commit,
      branch: head.branch ?? null,
      stateDir,
      root,
      closed: (relative) => judge.closedBelow(relative),
      change: (from, to, around) => changeTree(made, files, top, from, to, around),
    })
    const { notes } = files
    return asInProject(notes.length === 0 ? result : { ...result, warnings: [...notes] }, top, root)
  } catch (error) {
    if (error instanceof InTheWay) return asInProject({ ...refused(error.message), conflicts: error.paths }, top, root)
    if (!(error instanceof Stop)) throw error
    return { success: false, ...refusalOf(error.problem, name, 'Fix the problem above and retry.') }
  } finally {
    isolated?.close()
    release?.()
    await workspace?.close()
  }
}

async function repositoryFor(root: string): Promise<ConfiguredRepository> {
  const repository = await findRepository(root)
  if (repository === undefined) throw gitStop('there is no git repository here', 'clada undo works without one.')
  const busy = inProgress(repository)
  if (busy !== undefined) throw gitStop(`${busy} is in progress`, `Finish or abort ${busy} first.`)
  return repository
}

/** Git tells paths from its top, people know them from the root of their project. */
function asInProject({ stashed_files, restored_files, conflicts, ...rest }: StepResult, top: string, root: string) {
  const named = (names: string[]): string[] => names.map((name) => pathFrom(root, path.join(top, name)))
  return {
    ...rest,
    ...(stashed_files && { stashed_files: named(stashed_files) }),
    ...(restored_files && { restored_files: named(restored_files) }),
    ...(conflicts && { conflicts: named(conflicts) }),
  }
}
