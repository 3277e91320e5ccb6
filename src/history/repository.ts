import fs from 'node:fs'
import path from 'node:path'
import { git, type GitAnswer, type GitCall, gitStop } from './git-program.ts'
import { ownDir, putFile, readOwn } from '../state/own-files.ts'

/** Where a repository has its things. A worktree has a directory of its own and shares another. */
export interface Repository {
  /** The directory that is under version control; undefined for clada's own. */
  readonly top: string | undefined
  readonly gitDir: string
  readonly commonDir: string
}

/** The repository a directory lies in. Looks at files only: no git has to run for it. */
export function findRepository(root: string): Repository | undefined {
  for (let top = root; ; top = path.dirname(top)) {
    const gitDir = gitDirAt(path.join(top, '.git'))
    if (gitDir !== undefined) return { top, gitDir, commonDir: commonDirOf(gitDir) }
    if (top === path.dirname(top)) return undefined
  }
}

/** clada's own repository, where there is no other. */
export function ownRepository(stateDir: string): Repository {
  const gitDir = ownDir(stateDir, 'repo')
  removeLinks(gitDir)
  for (const name of ['objects', 'refs']) ownDir(gitDir, name)
  for (const name of ['info', 'pack']) ownDir(path.join(gitDir, 'objects'), name)
  for (const [name, text] of [
    ['HEAD', 'ref: refs/clada/checkpoints\n'],
    ['config', '[core]\n\trepositoryformatversion = 0\n\tbare = true\n'],
  ] as const) {
    // In one step: another process may be making the same repository.
    if (readOwn(path.join(gitDir, name)) === undefined) putFile(path.join(gitDir, name), text)
  }
  return { top: undefined, gitDir, commonDir: gitDir }
}

/** Git makes none here, and would write to wherever one leads that a project brought along. */
function removeLinks(dir: string, name = ''): void {
  for (const entry of fs.readdirSync(dir, { withFileTypes: true })) {
    const file = path.join(dir, entry.name)
    if (entry.isSymbolicLink()) fs.unlinkSync(file)
    // Objects are only ever added, so that links to single ones are not written through.
    else if (entry.isDirectory() && name !== 'objects') removeLinks(file, entry.name)
  }
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

/** Read from git's files: starting a program for it would take longer than everything else. */
export async function headOf(repository: Repository): Promise<Head> {
  const text = readOwn(path.join(repository.gitDir, 'HEAD'))?.trim() ?? ''
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
  const loose = readOwn(path.join(commonDir, ref))?.trim()
  if (loose !== undefined) return /^[0-9a-f]{40,64}$/.test(loose) ? loose : commitAt(repository, ref)
  const packed = readOwn(path.join(commonDir, 'packed-refs')) ?? ''
  const at = packed.indexOf(` ${ref}\n`)
  return at === -1 ? undefined : packed.slice(packed.lastIndexOf('\n', at) + 1, at)
}

/** Newer git may keep references in tables instead of files. */
export const hasOtherRefs = ({ commonDir }: Repository): boolean => fs.existsSync(path.join(commonDir, 'reftable'))

export async function commitAt(repository: Repository, name: string): Promise<string | undefined> {
  const { status, out } = await inRepository(repository, ['rev-parse', '-q', '--verify', `${name}^{commit}`], {
    fine: [1],
  })
  return status === 0 ? out.toString().trim() : undefined
}

/** Moves a reference, if it is still where it was seen. */
export async function moveRef(
  repository: Repository,
  ref: string,
  to: string,
  from: string | undefined,
  why: string,
): Promise<void> {
  const zero = '0'.repeat(to.length)
  await inRepository(repository, ['update-ref', '--create-reflog', '-m', why, ref, to, from ?? zero])
}

function gitDirAt(dotGit: string): string | undefined {
  const stat = fs.statSync(dotGit, { throwIfNoEntry: false })
  if (stat?.isDirectory()) return fs.existsSync(path.join(dotGit, 'HEAD')) ? dotGit : undefined
  if (!stat?.isFile()) return undefined
  const [, target] = /^gitdir: (.+)/.exec(fs.readFileSync(dotGit, 'utf8')) ?? []
  if (target === undefined) throw gitStop(`'${dotGit}' does not say where the repository is`)
  return path.resolve(path.dirname(dotGit), target.trim())
}

function commonDirOf(gitDir: string): string {
  const text = readOwn(path.join(gitDir, 'commondir'))
  return text === undefined ? gitDir : path.resolve(gitDir, text.trim())
}
