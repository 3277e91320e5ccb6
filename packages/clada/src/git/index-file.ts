import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { hasCode } from '../core/errors.ts'
import { ProblemError } from '../core/problem.ts'
import { copyWithTime, readStats, renameFile, syncFile, touchFile } from '../state/own-files.ts'
import { gitError, splitNul } from './git-program.ts'
import { headOf, landingNotesIn, refuseLinks, releaseRefs, type Repository, takeLockFile } from './repository.ts'
import { type TreeEntry, sidesIn } from './tree-contents.ts'
import { cutOffBelow } from './savable.ts'
import type { IsolatedCall, IsolatedGit } from './isolated-git.ts'

/** Identifies a version of the index file. */
export interface IndexStat {
  readonly ino: number
  readonly size: number
  readonly mtimeMs: number
}

function statIndexFile(index: string): IndexStat | undefined {
  const stat = fs.statSync(index, { throwIfNoEntry: false })
  return stat === undefined ? undefined : { ino: stat.ino, size: stat.size, mtimeMs: stat.mtimeMs }
}

const isSameSeen = (one: IndexStat, other: IndexStat): boolean =>
  one.ino === other.ino && one.size === other.size && one.mtimeMs === other.mtimeMs

const inConflict = (): ProblemError => gitError('files are in conflict after a merge', 'Resolve them first.')

/** Returns the version that was copied; undefined when there is no index. */
export function copyIndex(index: string, copy: string): IndexStat | undefined {
  // The last copy may have become the index: both names are then one file, whose time would be changed.
  fs.rmSync(copy, { force: true })
  try {
    const { ino, size, mtimeMs } = fs.statSync(index)
    copyWithTime(index, copy)
    return { ino, size, mtimeMs }
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error
    return undefined
  }
}

export function isUnchanged(index: string, seen: IndexStat | undefined): boolean {
  const now = statIndexFile(index)
  return now === undefined || seen === undefined ? now === seen : isSameSeen(now, seen)
}

export const statIndex = ({ gitDir }: Repository): IndexStat | undefined => statIndexFile(path.join(gitDir, 'index'))

/** A prepared index, the commit that it belongs to, and what moves HEAD there: false if another process was quicker. */
interface PreparedIndex {
  readonly copy: string
  readonly commit: string
  /** When the copy is on the disk, and everything else that it leads to. */
  readonly synced?: Promise<unknown>
  move?(): Promise<boolean>
}

/**
 * Replaces the index under git's own lock. Until then a file beside it says so: by its name the lock is recognized if
 * the process dies. Whatever names come next, what they lead to is on the disk.
 */
export async function replaceIndex(
  repository: Repository,
  { copy, commit, synced = syncFile(copy), move = async () => true }: PreparedIndex,
): Promise<boolean> {
  refuseLinks(repository)
  const { gitDir } = repository
  const index = path.join(gitDir, 'index')
  const lock = `${index}.lock`
  const note = path.join(gitDir, `${noteName}${commit}-${printOf(copy)}`)
  touchFile(note)
  try {
    await Promise.all([synced, syncFile(gitDir)])
    await takeIndexLock(copy, lock)
    try {
      if (!(await move())) {
        fs.rmSync(lock)
        return false
      }
      renameFile(lock, index)
      await syncFile(gitDir)
    } catch (error) {
      // A lock that stays would block the user's git too.
      fs.rmSync(lock, { force: true })
      throw error
    }
    return true
  } finally {
    if (!fs.existsSync(lock)) fs.rmSync(note, { force: true })
  }
}

/** Takes git's own lock file, with the new index as its content. */
async function takeIndexLock(copy: string, lock: string): Promise<void> {
  // A link keeps the modification time, by which git decides which entries it can trust.
  if ((await takeLockFile(copy, lock)) === 'linked') return
  fs.closeSync(fs.openSync(lock, 'wx'))
  copyWithTime(copy, lock)
}

const noteName = 'clada-index-'

/** An index ends with the checksum of all of it, unless git is configured to leave that out. */
function printOf(file: string): string {
  const fd = fs.openSync(file, 'r')
  try {
    const { size } = fs.fstatSync(fd)
    const end = Buffer.alloc(Math.min(size, 65_536))
    fs.readSync(fd, end, 0, end.length, size - end.length)
    return createHash('sha1').update(`${size} `).update(end).digest('hex')
  } finally {
    fs.closeSync(fd)
  }
}

/**
 * Removes locks that a killed run left, and finishes the replacement of an index whose commit is checked out. The caller
 * holds clada's lock, so that no other run has such a note. Locks of others stay.
 */
export async function releaseLocks(repository: Repository): Promise<void> {
  await releaseRefs(repository)
  const index = path.join(repository.gitDir, 'index')
  const lock = `${index}.lock`
  for (const note of landingNotesIn(repository.gitDir, noteName)) {
    const [commit, print] = note.slice(noteName.length).split('-')
    if (fs.existsSync(lock) && printOf(lock) === print) {
      if ((await headOf(repository)).commit === commit) renameFile(lock, index)
      else fs.rmSync(lock)
    }
    fs.rmSync(path.join(repository.gitDir, note), { force: true })
  }
}

/** Updates paths of an index, which the caller syncs, from the disk. */
export async function addToIndex(
  isolated: IsolatedGit,
  paths: readonly string[],
  env: Record<string, string>,
): Promise<void> {
  if (paths.length === 0) return
  const top = isolated.repository.top ?? ''
  if (isolated.config.sparse) await clearSkipWorktree(isolated, paths, env)
  const isCutOff = cutOffBelow(top)
  const kinds = new Map(paths.map((name) => [name, isCutOff(name) ? 'lost' : kindAt(path.join(top, name))]))
  const those = (kind: IndexState): string[] => paths.filter((name) => kinds.get(name) === kind)
  // Git would fail on them: a directory above is a link now, or the path itself is a directory.
  const lost = those('lost')
  if (lost.length > 0) await updateIndex(isolated, ['--force-remove'], lost, { env })
  // Removals first: a file may have become a directory, or a directory a file.
  const ordered = [...those('gone'), ...those('there')]
  // With --replace, because entries that must not be committed may conflict with these.
  if (ordered.length > 0)
    await updateIndex(isolated, ['--add', '--remove', '--replace', '--ignore-skip-worktree-entries'], ordered, {
      env,
      syncsEach: ordered.length <= mostSyncedEach,
    })
}

/** Git syncs more than these together, which is quicker. */
const mostSyncedEach = 32

type IndexState = 'there' | 'gone' | 'lost'

function kindAt(file: string): IndexState {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false })
  if (stat === undefined) return 'gone'
  return stat.isDirectory() ? 'lost' : 'there'
}

async function updateIndex(
  isolated: IsolatedGit,
  how: readonly string[],
  names: readonly string[],
  call: IsolatedCall,
) {
  await isolated.git(['update-index', ...how, '-z', '--stdin'], { ...call, input: names.join('\0') + '\0' })
}

export interface FileStatus {
  /** Whether the index has uncommitted changes. */
  readonly staged: boolean
  /** The paths of these changes. */
  readonly inIndex: readonly string[]
  /** Tracked files that changed; relative to the top. */
  readonly changed: readonly string[]
  /** Files that are neither tracked nor ignored. */
  readonly untracked: readonly string[]
}

/** The commit of a submodule may be staged like a file; changes inside it are ignored. */
const onlyPointers = '--ignore-submodules=dirty'

export async function statusOf(isolated: IsolatedGit): Promise<FileStatus> {
  // In a large repository two concurrent processes: one for tracked files, on all cores, and one for untracked files.
  const isLarge = (statIndex(isolated.repository)?.size ?? 0) > largeIndex
  const listed = `--untracked-files=${isLarge ? 'no' : 'all'}`
  const [known, others] = await Promise.all([
    isolated.git(['status', '--porcelain=v2', '-z', listed, '--no-renames', onlyPointers]),
    isLarge ? isolated.git(['ls-files', '--others', '--exclude-standard', '-z']) : undefined,
  ])
  const changed: string[] = []
  const inIndex: string[] = []
  const untracked = others === undefined ? [] : splitNul(others.out)
  for (const line of known.out.toString().split('\0')) {
    if (line.startsWith('u ')) throw inConflict()
    if (line.startsWith('? ')) untracked.push(line.slice(2))
    if (!line.startsWith('1 ')) continue
    const [, changes = '', submodule = ''] = line.split(' ', 3)
    // An intent-to-add entry counts as staged: a commit would lose it.
    const name = line.split(' ').slice(8).join(' ')
    if (!changes.startsWith('.') || changes.endsWith('A')) inIndex.push(name)
    if (submodule.startsWith('N') && !changes.endsWith('.')) changed.push(name)
  }
  return { staged: inIndex.length > 0, inIndex, changed, untracked }
}

/** The bytes of an index of some thousand files, among which one process is faster than two. */
const largeIndex = 256 * 1024

/** Whether anything is staged, without reading files. */
export async function isStaged(isolated: IsolatedGit, head: string | undefined): Promise<boolean> {
  if (head === undefined) return (await isolated.git(['ls-files', '-z'])).out.length > 0
  const args = ['diff-index', '--cached', '--quiet', onlyPointers, head]
  return (await isolated.git(args, { okExitCodes: [1] })).status === 1
}

/** Removes the skip-worktree mark of paths that exist on the disk. */
export async function clearSkipWorktree(
  isolated: IsolatedGit,
  paths: readonly string[],
  env: Record<string, string>,
): Promise<void> {
  await markEntries(isolated, '--no-skip-worktree', await listSkipped(isolated, paths, env), env)
}

/** The paths that a sparse checkout leaves out: they are in the index and not on the disk. */
export async function listSparse(isolated: IsolatedGit, paths: readonly string[]): Promise<ReadonlySet<string>> {
  if (!isolated.config.sparse || paths.length === 0) return new Set()
  const { top = '' } = isolated.repository
  const isThere = (name: string): boolean => readStats(path.join(top, name)) !== undefined
  return new Set((await listSkipped(isolated, paths)).filter((name) => !isThere(name)))
}

/** The paths that are marked skip-worktree or assume-unchanged. */
export const listHidden = (isolated: IsolatedGit, paths: readonly string[]): Promise<string[]> =>
  listMarked(isolated, paths, '-v', /^[a-zS] /)

const listSkipped = (isolated: IsolatedGit, paths: readonly string[], env = {}): Promise<string[]> =>
  listMarked(isolated, paths, '-t', /^S /, env)

async function listMarked(isolated: IsolatedGit, paths: readonly string[], how: '-t' | '-v', mark: RegExp, env = {}) {
  const lines = splitNul(await isolated.gitOn(['ls-files', how, '-z'], paths, { env }))
  return lines.filter((line) => mark.test(line)).map((line) => line.slice(2))
}

/**
 * The entries that the parent of a commit has for paths that an undo removes. In a sparse checkout they are not deleted:
 * they are left out of the working tree as before.
 */
export async function sparseEntriesOf(isolated: IsolatedGit, commit: string | undefined, gone: readonly string[]) {
  if (!isolated.config.sparse || commit === undefined || gone.length === 0) return new Map<string, TreeEntry>()
  try {
    return new Map((await sidesIn(isolated, `${commit}^`, gone)).map(({ name, ...side }) => [name, side]))
  } catch (error) {
    // The first commit has no parent, and a squashed commit may not exist any more.
    if (error instanceof ProblemError) return new Map<string, TreeEntry>()
    throw error
  }
}

/** Adds paths to an index with the skip-worktree mark. */
export async function setSkipWorktree(
  isolated: IsolatedGit,
  skipped: ReadonlyMap<string, TreeEntry>,
  env: Record<string, string>,
): Promise<void> {
  if (skipped.size === 0) return
  const input = [...skipped].map(([name, { mode, oid }]) => `${mode} ${oid}\t${name}\0`).join('')
  await isolated.git(['update-index', '-z', '--index-info'], { input, env })
  await markEntries(isolated, '--skip-worktree', [...skipped.keys()], env)
}

async function markEntries(
  isolated: IsolatedGit,
  how: string,
  names: readonly string[],
  env: Record<string, string>,
): Promise<void> {
  if (names.length > 0)
    await isolated.git(['update-index', how, '-z', '--stdin'], { input: names.join('\0') + '\0', env })
}
