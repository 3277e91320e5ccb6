import path from 'node:path'
import { shortDigestOf } from '../core/digest.ts'
import { ProblemError } from '../core/problem.ts'
import { nearestRepository } from './find-repository.ts'
import { inRepository, refsWith, removeRef, type Repository, setRef } from './repository.ts'

/**
 * Objects that only an execution needs: the commit that HEAD left, and with it what was uncommitted and staged there. `git gc`
 * keeps them as long as there is this reference. Worktrees and directories of one repository have histories of their own.
 */
export const keptRef = (stateDir: string, number: number): string => keptPrefix(path.basename(stateDir)) + number

/** The id itself stays here: whoever knows it could bring a directory of that name. */
const keptPrefix = (id: string): string => `refs/clada/kept/${shortDigestOf(id)}/`

interface KeptExecution {
  readonly stateDir: string
  readonly number: number
}

export async function keepCommit(root: string, { stateDir, number }: KeptExecution, commit: string): Promise<void> {
  const repository = nearestRepository(root)
  if (repository === undefined) return
  await setRef(repository, keptRef(stateDir, number), commit, ['-m', `clada: kept for execution ${number}`])
}

/** The same if no branch and no tag has it, after a program has moved HEAD. */
export const keepIfLeft = (root: string, execution: KeptExecution, commit: string): Promise<void> =>
  ifUsable(root, async (repository) => {
    if ((await refsWith(repository, commit)).length === 0) await keepCommit(root, execution, commit)
  })

/** What these executions needed is not needed any more. */
export const releaseKept = (root: string, stateDir: string, numbers: readonly number[]): Promise<void> =>
  ifUsable(root, async (repository) => {
    const there = new Set((await refsIn(repository, path.basename(stateDir))).map(([, ref]) => ref))
    for (const ref of numbers.map((number) => keptRef(stateDir, number)))
      if (there.has(ref)) await removeRef(repository, ref)
  })

/** A history got another name. */
export const moveKept = (root: string, from: string, to: string): Promise<void> =>
  ifUsable(root, async (repository) => {
    for (const [commit, ref] of await refsIn(repository, path.basename(from))) {
      await keepCommit(root, { stateDir: to, number: Number(path.posix.basename(ref)) }, commit)
      await removeRef(repository, ref)
    }
  })

/** A repository that cannot be used keeps what it has. */
async function ifUsable(root: string, work: (repository: Repository) => Promise<void>): Promise<void> {
  try {
    const repository = nearestRepository(root)
    if (repository !== undefined) await work(repository)
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
  }
}

async function refsIn(repository: Repository, id: string): Promise<[commit: string, ref: string][]> {
  const { out } = await inRepository(repository, ['for-each-ref', '--format=%(objectname) %(refname)', keptPrefix(id)])
  const lines = out.toString().split('\n')
  return lines.flatMap((line) => {
    const [commit = '', ref] = line.split(' ')
    return ref === undefined ? [] : [[commit, ref]]
  })
}
