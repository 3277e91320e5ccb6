import fs from 'node:fs'
import path from 'node:path'
import { git, type GitAnswer, type GitCall, gitStop } from './git-program.ts'
import { isOsError } from '../core/os-error.ts'
import { readOwn } from '../state/own-files.ts'

/** Where a repository has its things. A worktree has a directory of its own and shares another. */
export interface Repository {
  /** The directory that is under version control; undefined for clada's own. */
  readonly top: string | undefined
  readonly gitDir: string
  readonly commonDir: string
}

/** What the user is in the middle of, when that is something no commit may come between. */
export function inProgress({ gitDir }: Repository): string | undefined {
  const found = unfinished.find(([name]) => fs.existsSync(path.join(gitDir, name)))
  return found?.[1]
}

const unfinished = [
  ['MERGE_HEAD', 'a merge'],
  ['rebase-merge', 'a rebase'],
  ['rebase-apply/applying', 'git am'],
  ['rebase-apply', 'a rebase'],
  ['CHERRY_PICK_HEAD', 'a cherry-pick'],
  ['REVERT_HEAD', 'a revert'],
  // Several commits are being picked or reverted, and the last one went well.
  ['sequencer', 'a cherry-pick or revert'],
  ['BISECT_LOG', 'a bisect'],
] as const

/** Runs git on the repository itself, for references. Its configuration is read; nothing in it is run. */
export function inRepository(
  { gitDir, top }: Repository,
  args: readonly string[],
  how: Pick<GitCall, 'fine' | 'input'> = {},
): Promise<GitAnswer> {
  return git({ cwd: top ?? gitDir, env: { GIT_DIR: gitDir }, args, ...how })
}

export interface Head {
  /** Undefined while there is no commit. */
  readonly commit: string | undefined
  /** The branch; undefined when detached. */
  readonly branch: string | undefined
}

export const isSameHead = (one: Head, other: Head): boolean =>
  one.commit === other.commit && one.branch === other.branch

/** Read from git's files: starting a program for it would take longer than everything else. */
export async function headOf(repository: Repository): Promise<Head> {
  const text = textIn(path.join(repository.gitDir, 'HEAD'))?.trim() ?? ''
  const [, branch] = /^ref: (refs\/heads\/\S+)$/.exec(text) ?? []
  if (branch !== undefined && !hasOtherRefs(repository)) return { branch, commit: await refAt(repository, branch) }
  if (/^[0-9a-f]{40,64}$/.test(text)) return { branch: undefined, commit: text }
  return headByGit(repository)
}

async function headByGit(repository: Repository): Promise<Head> {
  const [branch, commit] = await Promise.all([
    inRepository(repository, ['symbolic-ref', '-q', 'HEAD'], { fine: [1] }),
    commitAt(repository, 'HEAD'),
  ])
  return { branch: branch.status === 0 ? branch.out.toString().trim() : undefined, commit }
}

/** The commit a reference points to, by its full name. */
export async function refAt(repository: Repository, ref: string): Promise<string | undefined> {
  if (hasOtherRefs(repository)) return commitAt(repository, ref)
  const { commonDir } = repository
  const loose = textIn(path.join(commonDir, ref))?.trim()
  if (loose !== undefined && /^[0-9a-f]{40,64}$/.test(loose)) return loose
  if (loose?.startsWith('ref: ')) return commitAt(repository, ref)
  if (loose !== undefined) throw gitStop(`'${path.join(commonDir, ref)}' holds no commit`, fsckAdvice)
  const packed = textIn(path.join(commonDir, 'packed-refs')) ?? ''
  const at = packed.indexOf(` ${ref}\n`)
  return at === -1 ? undefined : packed.slice(packed.lastIndexOf('\n', at) + 1, at)
}

function textIn(file: string): string | undefined {
  try {
    return readOwn(file)
  } catch (error) {
    if (!isOsError(error)) throw error
    throw gitStop(`'${file}' cannot be read: ${error.code}`, fsckAdvice)
  }
}

export const fsckAdvice = 'git fsck tells what is wrong with the repository.'

/** Newer git may keep references in tables instead of files. */
export const hasOtherRefs = ({ commonDir }: Repository): boolean => fs.existsSync(path.join(commonDir, 'reftable'))

export async function commitAt(repository: Repository, name: string): Promise<string | undefined> {
  const { status, out } = await inRepository(repository, ['rev-parse', '-q', '--verify', `${name}^{commit}`], {
    fine: [1],
  })
  return status === 0 ? out.toString().trim() : undefined
}

/** Moves a reference, if it is still where it was seen. Whether that is logged is the repository's to say. */
export async function moveRef(
  repository: Repository,
  ref: string,
  to: string,
  from: string | undefined,
  why: string,
): Promise<void> {
  const zero = '0'.repeat(to.length)
  await inRepository(repository, ['update-ref', '-m', why, ref, to, from ?? zero])
}
