import fs from 'node:fs'
import path from 'node:path'
import { copyIndex, isStaged, releaseLocks, replaceIndex } from '../git/index-file.ts'
import {
  commitAt,
  type Head,
  headOf,
  inRepository,
  isSameHead,
  moveRef,
  pointHead,
  type Repository,
  setRef,
} from '../git/repository.ts'
import { IsolatedGit } from '../git/isolated-git.ts'
import { type ConfiguredRepository, findRepository } from '../git/find-repository.ts'
import type { History } from '../history/history.ts'
import type { ExecutionRecord } from '../store/record.ts'
import type { PathJudge } from '../core/effects.ts'
import type { HistorySettings, Settings } from '../core/settings.ts'
import { gitError } from '../git/git-program.ts'
import { takeOverOldState } from '../history/take-over.ts'
import { lockProject } from '../store/lock.ts'
import { inProgress } from '../state/git-dirs.ts'
import { copyWithTime } from '../state/own-files.ts'
import { openWorkspace, type OpenWorkspace } from '../workspace/open.ts'

/** Replaces the index by that of a commit, or by a kept one. */
export async function installIndex(isolated: IsolatedGit, commit: string, kept: string | undefined): Promise<void> {
  const copy = isolated.file('index-new')
  fs.rmSync(copy, { force: true })
  if (kept !== undefined) copyWithTime(kept, copy)
  else {
    copyIndex(path.join(isolated.repository.gitDir, 'index'), copy)
    const env = { GIT_INDEX_FILE: copy }
    await isolated.git(['read-tree', '-i', '-m', commit], { env })
    const refresh = () => isolated.git(['update-index', '-q', '--refresh'], { env, okExitCodes: [1] })
    await refresh()
    if (await forgetSizes(isolated, env)) await refresh()
  }
  await replaceIndex(isolated.repository, { copy, commit })
}

/**
 * git takes a file for changed without reading it if its size differs from the one in the index. After a step back a file
 * with mixed line endings has those of `eol=crlf`, and `clada forward` was refused because of it.
 */
async function forgetSizes(isolated: IsolatedGit, env: Readonly<Record<string, string>>): Promise<boolean> {
  const { out: differing } = await isolated.git(['diff-files', '--name-only', '-z'], { env })
  const names = new Set(differing.toString('latin1').split('\0'))
  if (names.size < 2) return false
  const { out: entries } = await isolated.git(['ls-files', '--stage', '-z'], { env })
  const lines = entries
    .toString('latin1')
    .split('\0')
    .filter((line) => names.has(line.slice(line.indexOf('\t') + 1)) && line !== '')
  const input = Buffer.from(lines.map((line) => `${line}\0`).join(''), 'latin1')
  await isolated.git(['update-index', '-z', '--index-info'], { input, env })
  return true
}

/** The worktree in which a branch is checked out: it cannot be in two. */
export async function worktreeOf(repository: Repository, branch: string): Promise<string | undefined> {
  const { out } = await inRepository(repository, ['for-each-ref', '--format=%(worktreepath)', branch])
  return out.toString().trim() || undefined
}

/**
 * Where a program of an execution moved the branch or went to another one, goes back to where it was, and sets the
 * index to it. Only from where the execution left it; commits that are on no branch then are kept under refs/clada.
 * Returns what is to be reported.
 */
export async function restoreBranch(
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
    await installIndex(isolated, before.commit, undefined)
  } finally {
    isolated.close()
  }
  const now = await headOf(repository)
  if (now.commit !== undefined) history.movedBranch({ before: after, after: { ...before, commit: now.commit } })
  const name = before.branch?.replace('refs/heads/', '') ?? 'HEAD'
  return [`${name} is at ${to} again, with nothing staged; the stash, tags and other branches stay as they are`]
}

/**
 * Takes the commits of an execution off the branch, if they are its newest ones and no other reference has them. Files stay
 * as they are. Returns what is to be reported; undefined where the commits stay.
 */
export async function dropCommits(
  { number, mode, moved, commits }: ExecutionRecord,
  root: string,
  stateDir: string,
  history: History,
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
  if (base === undefined || !between || (await isShared(repository, oldest, branch))) return undefined
  const isolated = IsolatedGit.openIn(stateDir, repository, head)
  try {
    if (await isStaged(isolated, last)) return undefined
    const why = `clada: undo of execution ${number}`
    await setRef(repository, `refs/clada/undone/${number}`, last, ['-m', why])
    await moveRef(repository, branch, base, last, why)
    await installIndex(isolated, base, undefined)
  } finally {
    isolated.close()
  }
  history.movedBranch({ before: { commit: last, branch }, after: { commit: base, branch } })
  const name = branch.replace('refs/heads/', '')
  const what = commits?.before === undefined || commits.after === undefined ? 'its commit is' : 'its two commits are'
  return [`${what} off the branch; ${name} is at ${base.slice(0, 8)} again`]
}

/** Whether a reference besides the branch and clada's own contains a commit. */
async function isShared(repository: Repository, commit: string, branch: string): Promise<boolean> {
  const places = ['refs/heads', 'refs/remotes', 'refs/tags']
  const args = ['for-each-ref', '--format=%(refname)', '--contains', commit, ...places]
  const refs = (await inRepository(repository, args)).out.toString().split('\n')
  return refs.some((ref) => ref !== '' && ref !== branch)
}

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
  if (repository === undefined) throw gitError('there is no git repository here', advice)
  const busy = inProgress(repository)
  if (busy !== undefined) throw gitError(`${busy} is in progress`, `Finish or abort ${busy} first.`)
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
  let release: (() => void) | undefined
  let isolated: IsolatedGit | undefined
  try {
    const stateDir = workspace.stateDir()
    release = await lockProject(history, settings.root)
    const notes = await takeOverOldState(settings.root, stateDir)
    workspace.notes.push(...notes)
    await releaseLocks(repository)
    const head = await headOf(repository)
    return await work({
      head,
      stateDir,
      workspace,
      isolated: () => (isolated ??= IsolatedGit.openIn(stateDir, repository, head)),
    })
  } finally {
    isolated?.close()
    release?.()
    await workspace.close()
  }
}
