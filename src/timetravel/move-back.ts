import { findRepository } from '../git/find-repository.ts'
import { commitAt, headOf, inProgress, isSameHead, moveRef, pointHead, setRef } from '../git/repository.ts'
import { IsolatedGit } from '../git/isolated-git.ts'
import type { History } from '../history/history.ts'
import type { ExecutionRecord } from '../journal/record.ts'
import { installIndex } from './install.ts'

/**
 * Where a program of an execution moved the branch or went to another one, goes back to where it was, and sets the
 * index to it. Only from where the execution left it; commits that are on no branch then are kept under refs/clada.
 * Returns what is to be reported.
 */
export async function moveBack(
  { number, moved, commits }: ExecutionRecord,
  root: string,
  stateDir: string,
  history: History,
): Promise<string[]> {
  const repository = moved === undefined ? undefined : await findRepository(root)
  if (moved === undefined || repository === undefined) return []
  const { before, after } = moved
  const head = await headOf(repository)
  const { commit, branch } = head
  const left = [after.commit, commits?.after].some((one) => isSameHead(head, { branch: after.branch, commit: one }))
  const to = before.commit.slice(0, 8)
  const stays = (why: string): string[] => [`the branch is not moved back to ${to}: ${why}`]
  if (!left || commit === undefined) return stays('it has moved on since')
  if (inProgress(repository) !== undefined) return stays(`${inProgress(repository)} is in progress`)
  if ((await commitAt(repository, before.commit)) === undefined) return stays('that commit is gone')
  const isolated = IsolatedGit.openIn(stateDir, repository, head)
  try {
    const why = `clada: undo of execution ${number}`
    await setRef(repository, `refs/clada/undone/${number}`, commit, ['-m', why])
    if (branch !== undefined && branch === before.branch) await moveRef(repository, branch, before.commit, commit, why)
    else await pointHead(repository, { commit: before.commit, branch: before.branch ?? null }, why)
    await installIndex(isolated, stateDir, before.commit, undefined)
  } finally {
    isolated.close()
  }
  const now = await headOf(repository)
  if (now.commit !== undefined) history.movedBranch({ before: after, after: { ...before, commit: now.commit } })
  const name = before.branch?.replace('refs/heads/', '') ?? 'HEAD'
  return [`${name} is at ${to} again, with nothing staged; the stash, tags and other branches stay as they are`]
}
