import { isReferenceName } from '../state/reference-name.ts'
import fs from 'node:fs'
import path from 'node:path'
import { git, type GitAnswer, type GitCall, gitError } from './git-program.ts'
import { hasCode, isOsError } from '../core/errors.ts'
import { now } from '../core/time-limit.ts'
import { identityOf } from '../store/summary.ts'
import { dirsAbove, withSlashes } from '../core/paths.ts'
import { isLockOfData } from '../process/git-data.ts'
import { type GitDirs, landingNote, oddEntry } from '../state/git-dirs.ts'
import {
  appendToFile,
  readOwn,
  readStats,
  removeFile,
  renameFile,
  syncFile,
  syncFileNow,
  syncFiles,
  touchFile,
} from '../state/own-files.ts'
import { pause } from '../core/pause.ts'

/** The directories of a repository. A worktree has a git directory of its own and shares the common one. */
export interface Repository {
  /** The working tree; undefined for clada's own repository. */
  readonly top: string | undefined
  readonly gitDir: string
  readonly commonDir: string
}

/**
 * Throws `ProblemError` if anything that git or clada writes below the git directory is a link or a special file. Called right
 * before every write: git appended the log of HEAD to the `~/.bashrc` that a link of this name led to.
 */
export function refuseLinks(dirs: GitDirs): void {
  const odd = oddEntry(dirs)
  if (odd === undefined) return
  const why = odd.type === 'special file' ? 'git could not write there' : 'git would write through it'
  throw gitError(
    `'${odd.file}' is a ${odd.type}, and ${why}`,
    odd.type === 'reference to a bad name'
      ? 'Check out a branch with git, or remove that reference.'
      : 'Remove it, or replace it by a regular file or directory.',
  )
}

/**
 * Throws `ProblemError` if git would wait for ever for what a pipe in the place of its rules says. Below the top that ends when
 * git has been silent for too long. Links are not followed by git.
 */
export function refusePipes({ top }: Repository): void {
  for (const name of top === undefined ? [] : ['.gitignore', '.gitattributes', '.gitmodules']) {
    const stat = fs.lstatSync(path.join(top ?? '', name), { throwIfNoEntry: false })
    if (stat === undefined || stat.isFile() || stat.isSymbolicLink() || stat.isDirectory()) continue
    throw gitError(
      `'${name}' is not a regular file, and git would wait for it`,
      'Remove it, or put a file in its place.',
    )
  }
}

/** Runs git on the repository itself, for references. Its configuration is read; no program in it is started. */
export function inRepository(
  { gitDir, top }: Repository,
  args: readonly string[],
  how: Pick<GitCall, 'okExitCodes' | 'input'> = {},
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

/** Read from git's files: starting git would take much longer. */
export async function headOf(repository: Repository): Promise<Head> {
  const text = fileText(path.join(repository.gitDir, 'HEAD'))?.trim() ?? ''
  const [, branch] = /^ref: (refs\/heads\/\S+)$/.exec(text) ?? []
  if (branch !== undefined && isReferenceName(branch) && !hasOtherRefs(repository))
    return { branch, commit: await refAt(repository, branch) }
  if (/^[0-9a-f]{40,64}$/.test(text)) return { branch: undefined, commit: text }
  return headByGit(repository)
}

async function headByGit(repository: Repository): Promise<Head> {
  const [branch, commit] = await Promise.all([
    inRepository(repository, ['symbolic-ref', '-q', 'HEAD'], { okExitCodes: [1] }),
    commitAt(repository, 'HEAD'),
  ])
  return { branch: branch.status === 0 ? branch.out.toString().trim() : undefined, commit }
}

/** The commit a reference points to, by its full name. */
export async function refAt(repository: Repository, ref: string): Promise<string | undefined> {
  if (hasOtherRefs(repository)) return commitAt(repository, ref)
  const { commonDir } = repository
  const loose = fileText(path.join(commonDir, ref))?.trim()
  if (loose !== undefined && /^[0-9a-f]{40,64}$/.test(loose)) return loose
  if (loose?.startsWith('ref: ')) return commitAt(repository, ref)
  if (loose !== undefined) throw gitError(`'${path.join(commonDir, ref)}' does not contain a commit id`, fsckAdvice)
  const packed = fileText(path.join(commonDir, 'packed-refs')) ?? ''
  const at = packed.indexOf(` ${ref}\n`)
  return at === -1 ? undefined : packed.slice(packed.lastIndexOf('\n', at) + 1, at)
}

function fileText(file: string): string | undefined {
  try {
    return readOwn(file)
  } catch (error) {
    if (!isOsError(error)) throw error
    throw gitError(`'${file}' cannot be read: ${error.code}`, fsckAdvice)
  }
}

export const fsckAdvice = 'Run git fsck to find the error in the repository.'

/** Newer git may keep references in tables instead of files. */
export const hasOtherRefs = ({ commonDir }: Repository): boolean => fs.existsSync(path.join(commonDir, 'reftable'))

export async function commitAt(repository: Repository, name: string): Promise<string | undefined> {
  const { status, out } = await inRepository(repository, ['rev-parse', '-q', '--verify', `${name}^{commit}`], {
    okExitCodes: [1],
  })
  return status === 0 ? out.toString().trim() : undefined
}

/** The branches, also of remotes, and the tags that contain a commit. */
export async function refsWith(repository: Repository, commit: string): Promise<string[]> {
  const places = ['refs/heads', 'refs/remotes', 'refs/tags']
  const { out } = await inRepository(repository, [
    'for-each-ref',
    '--format=%(refname)',
    '--contains',
    commit,
    ...places,
  ])
  return out
    .toString()
    .split('\n')
    .filter((ref) => ref !== '')
}

/** Moves a reference, if it still points to `from`. The repository's settings decide about the reflog. */
export async function moveRef(
  repository: Repository,
  ref: string,
  to: string,
  from: string | undefined,
  why: string,
): Promise<void> {
  const zero = '0'.repeat(to.length)
  const isMoved = (): boolean => ref === 'HEAD' && isBranchMoved(repository, to, from, why)
  await setRef(repository, ref, to, ['-m', why], { from: from ?? zero, isMoved })
}

/** Sets a reference, whatever it points to now or if that is `from`. Git is not started if `isMoved` has done it. */
export async function setRef(
  repository: Repository,
  ref: string,
  to: string,
  how: readonly string[],
  { from, isMoved }: { from?: string; isMoved?: () => boolean } = {},
): Promise<void> {
  const { branch } = ref === 'HEAD' ? await headOf(repository) : { branch: ref }
  const args = ['update-ref', ...how, ref, to, ...(from === undefined ? [] : [from])]
  await withLockNote(repository, to, branch, async () => isMoved?.() || (await inRepository(repository, args)))
}

/**
 * Deletes a reference of clada's. Git locks all packed references for that, and a power cut would leave the lock; one that
 * has only a file of its own needs none.
 */
export async function removeRef(repository: Repository, ref: string): Promise<void> {
  refuseLinks(repository)
  const { commonDir } = repository
  const isPacked = readOwn(path.join(commonDir, 'packed-refs'))?.includes(` ${ref}\n`) ?? false
  if (isPacked || hasOtherRefs(repository)) await inRepository(repository, ['update-ref', '-d', ref])
  else removeFile(path.join(commonDir, ref))
}

/**
 * Moves the branch that is checked out in the way git does, without starting it: a lock file has the commit and takes the
 * name of the branch, after both logs. False if anything is unusual; then nothing was done, and git says why.
 */
function isBranchMoved({ gitDir, commonDir }: Repository, to: string, from: string | undefined, why: string): boolean {
  const [, branch] = /^ref: (refs\/heads\/[\w./-]+)\n$/.exec(readOwn(path.join(gitDir, 'HEAD')) ?? '') ?? []
  if (branch === undefined || !isReferenceName(branch) || from === undefined) return false
  const file = path.join(commonDir, branch)
  const lock = `${file}.lock`
  const logs = [path.join(gitDir, 'logs/HEAD'), path.join(commonDir, 'logs', branch)]
  const isFile = (name: string): boolean => fs.lstatSync(name, { throwIfNoEntry: false })?.isFile() ?? false
  if (![file, ...logs].every(isFile)) return false
  try {
    fs.closeSync(fs.openSync(lock, 'wx'))
  } catch {
    return false
  }
  try {
    fs.writeFileSync(lock, `${to}\n`)
    fs.chmodSync(lock, fs.statSync(file).mode & 0o777)
    syncFileNow(lock)
    if (readOwn(file) !== `${from}\n`) throw new Error('moved meanwhile')
    for (const log of logs) appendToFile(log, logLine(from, to, why))
    renameFile(lock, file)
    return true
  } catch {
    fs.rmSync(lock, { force: true })
    return false
  }
}

function logLine(from: string, to: string, why: string): string {
  const { GIT_COMMITTER_NAME, GIT_COMMITTER_EMAIL, GIT_COMMITTER_DATE } = identityOf(null)
  return `${from} ${to} ${GIT_COMMITTER_NAME} <${GIT_COMMITTER_EMAIL}> ${GIT_COMMITTER_DATE}\t${why}\n`
}

/** Points HEAD to a commit, or to a branch. */
export async function pointHead(
  repository: Repository,
  to: { commit: string; branch: string | null },
  why: string,
): Promise<void> {
  const { commit, branch } = to
  const before = (await headOf(repository)).commit
  await withLockNote(repository, commit, undefined, async () => {
    if (branch === null) await inRepository(repository, ['update-ref', '--no-deref', '-m', why, 'HEAD', commit])
    else if (hasOtherRefs(repository)) await inRepository(repository, ['symbolic-ref', '-m', why, 'HEAD', branch])
    else writeHead(repository, branch, { before, commit, why })
  })
}

/** Git does not bring a symbolic HEAD to the disk, and without a HEAD there is no repository. */
function writeHead(
  { gitDir }: Repository,
  branch: string,
  log: { before: string | undefined; commit: string; why: string },
): void {
  const head = path.join(gitDir, 'HEAD')
  fs.writeFileSync(`${head}.lock`, `ref: ${branch}\n`, { flag: 'wx' })
  syncFileNow(`${head}.lock`)
  renameFile(`${head}.lock`, head)
  const file = path.join(gitDir, 'logs/HEAD')
  if (!fs.existsSync(file)) return
  const { before = '0'.repeat(log.commit.length), commit, why } = log
  appendToFile(file, logLine(before, commit, why))
}

/** All checkpoints form one chain that ends at this reference. */
export const checkpointsRef = 'refs/clada/checkpoints'

const noteName = 'clada-moves-to-'

/** While git moves a reference, a file beside its locks says so: by it they are recognized when git and clada are killed. */
async function withLockNote(
  { gitDir, commonDir }: Repository,
  commit: string,
  ref: string | undefined,
  work: () => Promise<unknown>,
): Promise<void> {
  refuseLinks({ gitDir, commonDir })
  const note = path.join(gitDir, noteName + commit)
  touchFile(note)
  await syncFile(gitDir)
  await work()
  // Git syncs what is in a reference, and neither its name nor that its lock is gone.
  await syncFiles([gitDir, ...(ref === undefined ? [] : dirsAbove(ref).map((dir) => path.join(commonDir, dir)))])
  fs.rmSync(note, { force: true })
}

/** Removes locks of references that a killed run left. The caller holds clada's lock, so that no other run has such a note. */
export async function releaseRefs(repository: Repository): Promise<void> {
  refuseLinks(repository)
  const { gitDir, commonDir } = repository
  const landing = path.join(gitDir, landingNote)
  const listed = readOwn(landing)
  const worktree = withSlashes(path.relative(commonDir, gitDir))
  for (const name of listed?.split('\n') ?? [])
    if (isLockOfData(name, worktree) && readStats(path.join(commonDir, name))?.isFile())
      removeFile(path.join(commonDir, name))
  if (listed !== undefined) removeFile(landing)
  const notes = landingNotesIn(gitDir, noteName)
  if (notes.length === 0) return
  const commits = notes.map((name) => name.slice(noteName.length))
  const { branch } = await headOf(repository)
  const refs = [...ownRefs(commonDir), ...(branch === undefined ? [] : [branch])]
  for (const file of [path.join(gitDir, 'HEAD'), ...refs.map((ref) => path.join(commonDir, ref))]) {
    const text = readOwn(`${file}.lock`)?.replaceAll('\0', ' ').trimEnd()
    if (text !== undefined && (/^(ref: .*)?$/.test(text) || commits.includes(text))) fs.rmSync(`${file}.lock`)
  }
  for (const name of notes) fs.rmSync(path.join(gitDir, name), { force: true })
}

/** The files in a git directory whose names begin so. */
export const landingNotesIn = (gitDir: string, beginning: string): string[] =>
  fs
    .readdirSync(gitDir, { withFileTypes: true })
    .flatMap((entry) => (entry.isFile() && entry.name.startsWith(beginning) ? [entry.name] : []))

/** Every reference of clada's that is there or has a lock. */
function ownRefs(commonDir: string): string[] {
  const dir = path.join(commonDir, 'refs/clada')
  if (!fs.lstatSync(dir, { throwIfNoEntry: false })?.isDirectory()) return []
  const names = fs.readdirSync(dir, { recursive: true, encoding: 'utf8' })
  return [...new Set(names.map((name) => `refs/clada/${withSlashes(name).replace(/\.lock$/, '')}`))]
}

/** Throws `ProblemError` if git could not write objects (or the index), as far as that can be checked in advance. */
export async function checkWritable(repository: Repository, needs: 'index' | 'objects'): Promise<void> {
  checkAccess(path.join(repository.commonDir, 'objects'), 'written')
  if (needs === 'objects') return
  checkAccess(repository.gitDir, 'written')
  await waitForLock(indexLock(repository))
}

/** Throws `ProblemError` if git could not update these references, as far as that can be checked in advance. */
export async function checkRefs(repository: Repository, refs: readonly string[]): Promise<void> {
  if (hasOtherRefs(repository)) return
  for (const ref of refs) {
    const dir = ref === 'HEAD' ? repository.gitDir : repository.commonDir
    const file = path.join(dir, ref)
    await waitForLock(`${file}.lock`)
    checkIndexDirectory(file)
    checkAccess(path.join(dir, 'logs', ref), 'written')
  }
}

/** Throws `ProblemError` if the index cannot be read or is not one. */
export function checkIndex({ gitDir }: Repository): void {
  const file = path.join(gitDir, 'index')
  checkAccess(file, 'read')
  const signature = Buffer.alloc(4)
  try {
    const fd = fs.openSync(file, 'r')
    try {
      fs.readSync(fd, signature)
    } finally {
      fs.closeSync(fd)
    }
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return
    if (!isOsError(error)) throw error
  }
  if (signature.toString() !== 'DIRC') throw gitError(`'${file}' is not an index`, fsckAdvice)
}

export const indexLock = ({ gitDir }: Repository): string => path.join(gitDir, 'index.lock')

/** Other git processes hold a lock only briefly. */
export async function waitForLock(lock: string): Promise<void> {
  for (const begun = now(); fs.existsSync(lock); await pause(20))
    if (now() - begun >= lockMs) throw gitLockedError(lock)
}

/** Creates a lock file by linking its content. Others hold it only briefly. */
export async function takeLockFile(content: string, lock: string): Promise<'linked' | 'cannot link'> {
  for (const begun = now(); ; await pause(20)) {
    try {
      fs.linkSync(content, lock)
      return 'linked'
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) return 'cannot link'
      if (now() - begun >= lockMs) throw gitLockedError(lock)
    }
  }
}

const lockMs = 2000

const gitLockedError = (lock: string): Error =>
  gitError(
    `'${lock}' exists: another git process is at work in this repository`,
    'Wait for it to end. If no git is running, remove that file.',
  )

/** The directory of a file, or the nearest existing one above, must be writable. */
function checkIndexDirectory(file: string): void {
  let dir = path.dirname(file)
  while (!fs.existsSync(dir) && dir !== path.dirname(dir)) dir = path.dirname(dir)
  if (!fs.statSync(dir).isDirectory()) throw gitError(`'${dir}' prevents '${file}': it is not a directory`, namesAdvice)
  checkAccess(dir, 'written')
}

const namesAdvice = 'Rename that reference.'

function checkAccess(file: string, how: 'read' | 'written'): void {
  try {
    fs.accessSync(file, how === 'read' ? fs.constants.R_OK : fs.constants.W_OK)
  } catch (error) {
    if (hasCode(error, 'EACCES', 'EROFS', 'EPERM'))
      throw gitError(`'${file}' cannot be ${how}: permission denied`, rightsAdvice)
  }
}

const rightsAdvice = 'Change its permissions first.'
