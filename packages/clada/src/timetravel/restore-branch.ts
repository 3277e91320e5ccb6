import { isStaged } from '../git/index-file.ts'
import { moveHead } from '../git/move-head.ts'
import { commitAt, type Head, headOf, inRepository, isSameHead, refsWith, type Repository } from '../git/repository.ts'
import { IsolatedGit } from '../git/isolated-git.ts'
import { type ConfiguredRepository, findRepository } from '../git/find-repository.ts'
import type { History } from '../history/history.ts'
import type { ExecutionRecord } from '../store/record.ts'
import { inProgress } from '../state/git-dirs.ts'
import { isAt } from './operation.ts'

/** An undo or redo that has restored the files. */
interface Reverting {
  readonly root: string
  readonly stateDir: string
  readonly history: History
}

/** What is to be reported, or the reason why HEAD stays. */
type Restored = { readonly notes: string[] } | { readonly stays: string }

/**
 * Where an execution moved the branch or went to another one, goes back to where it was, and sets the index to it. Only from
 * where the execution left it; commits that are on no branch then are kept under refs/clada. Undefined if it moved nothing.
 */
export async function restoreBranch(
  { number, moved, commits }: ExecutionRecord,
  { root, stateDir, history }: Reverting,
): Promise<Restored | undefined> {
  const repository = moved === undefined ? undefined : await findRepository(root)
  if (moved === undefined || repository === undefined) return undefined
  const { before, after } = moved
  const head = await headOf(repository)
  const to = before.commit.slice(0, 8)
  const stays = (why: string): Restored => ({ stays: `the branch is not moved back to ${to}: ${why}` })
  // There already: it is an undo that died before it moved HEAD, or the user was quicker.
  if (isAt(head, before)) return undefined
  const isLeft = [after.commit, commits?.after].some((one) => isSameHead(head, { branch: after.branch, commit: one }))
  if (!isLeft || head.commit === undefined) return stays('it has moved on since')
  if (inProgress(repository) !== undefined) return stays(`${inProgress(repository)} is in progress`)
  if ((await commitAt(repository, before.commit)) === undefined) return stays('that commit is gone')
  const isSame = (await treeOfCommit(repository, before.commit)) === (await treeOfCommit(repository, head.commit))
  const here = { commit: head.commit, branch: head.branch }
  const back = { before: here, after: { commit: before.commit, branch: before.branch } }
  await withGit(repository, head, stateDir, async (isolated) => {
    await history.planMove({ moved: back }, here.commit)
    await moveHead(isolated, back, reflogMessage(number), isSame ? 'stays' : { tree: before.commit })
  })
  history.movedBranch(back)
  const name = before.branch?.replace('refs/heads/', '') ?? 'HEAD'
  const staged = isSame ? '' : ', with nothing staged'
  return { notes: [`${name} is at ${to} again${staged}; the stash, tags and other branches stay as they are`] }
}

/**
 * Takes the commits of an execution off the branch, if they are its newest ones and no other reference has them. Files stay
 * as they are. Returns what is to be reported; undefined where the commits stay.
 */
export async function dropCommits(
  { number, mode, moved, commits }: ExecutionRecord,
  { root, stateDir, history }: Reverting,
): Promise<string[] | undefined> {
  const last = commits?.after ?? commits?.before
  const repository =
    mode !== 'commit' || moved !== undefined || last === undefined ? undefined : await findRepository(root)
  if (repository === undefined || last === undefined) return undefined
  const head = await headOf(repository)
  const { branch } = head
  if (branch === undefined || head.commit !== last || inProgress(repository) !== undefined) return undefined
  const oldest = commits?.before ?? last
  const base = await commitAt(repository, `${oldest}^`)
  const between =
    commits?.before === undefined || commits.after === undefined || (await commitAt(repository, `${last}^`)) === oldest
  if (base === undefined || !between || (await refsWith(repository, oldest)).some((ref) => ref !== branch))
    return undefined
  const back = { before: { commit: last, branch }, after: { commit: base, branch } }
  const isDropped = await withGit(repository, head, stateDir, async (isolated) => {
    if (await isStaged(isolated, last)) return false
    await history.planMove({ moved: back }, last)
    await moveHead(isolated, back, reflogMessage(number), { tree: base })
    return true
  })
  if (!isDropped) return undefined
  history.movedBranch(back)
  const name = branch.replace('refs/heads/', '')
  const what = commits?.before === undefined || commits.after === undefined ? 'its commit is' : 'its two commits are'
  return [`${what} off the branch; ${name} is at ${base.slice(0, 8)} again`]
}

const reflogMessage = (number: number): string => `clada: undo of execution ${number}`

async function withGit<T>(
  repository: ConfiguredRepository,
  head: Head,
  stateDir: string,
  work: (isolated: IsolatedGit) => Promise<T>,
): Promise<T> {
  const isolated = IsolatedGit.openIn(stateDir, repository, head)
  try {
    return await work(isolated)
  } finally {
    isolated.close()
  }
}

const treeOfCommit = async (repository: Repository, commit: string): Promise<string> =>
  (await inRepository(repository, ['rev-parse', '-q', '--verify', `${commit}^{tree}`])).out.toString().trim()
