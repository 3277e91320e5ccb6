import type { PathJudge } from '../core/effects.ts'
import type { HistorySettings, Settings } from '../core/settings.ts'
import { type ConfiguredRepository, findRepository } from '../git/find-repository.ts'
import { gitStop } from '../git/git-program.ts'
import { IsolatedGit } from '../git/isolated-git.ts'
import { type Head, headOf, inProgress, releaseRefs } from '../git/repository.ts'
import { joinQueue, lockProject } from '../journal/lock.ts'
import { openWorkspace, type OpenWorkspace } from '../workspace/open.ts'

/** A repository while clada's lock is held. */
export interface LockedRepository {
  /** Read after the lock was taken: another command may just have moved it. */
  readonly head: Head
  readonly stateDir: string
  readonly workspace: OpenWorkspace
  /** Closed together with the lock. */
  isolated(): IsolatedGit
}

/** The user's repository, in which no merge or the like is unfinished. */
export async function idleRepository(root: string, advice: string): Promise<ConfiguredRepository> {
  const repository = await findRepository(root)
  if (repository === undefined) throw gitStop('there is no git repository here', advice)
  const busy = inProgress(repository)
  if (busy !== undefined) throw gitStop(`${busy} is in progress`, `Finish or abort ${busy} first.`)
  return repository
}

export async function underLock<T>(
  settings: Settings,
  history: HistorySettings,
  repository: ConfiguredRepository,
  judge: PathJudge,
  work: (locked: LockedRepository) => Promise<T>,
): Promise<T> {
  const workspace = openWorkspace(settings, judge, 'disk')
  const held: (() => void)[] = []
  let isolated: IsolatedGit | undefined
  try {
    const stateDir = workspace.stateDir()
    held.push(await joinQueue(history, settings.root))
    held.push(await lockProject(history, stateDir))
    await releaseRefs(repository)
    const head = await headOf(repository)
    return await work({
      head,
      stateDir,
      workspace,
      isolated: () => (isolated ??= IsolatedGit.openIn(stateDir, repository, head)),
    })
  } finally {
    isolated?.close()
    for (const release of held.reverse()) release()
    await workspace.close()
  }
}
