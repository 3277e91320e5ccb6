import fs from 'node:fs'
import path from 'node:path'
import { isInside, pathFrom } from '../core/paths.ts'
import { surveyOf } from '../process/survey.ts'
import { cutOffBelow } from './eligible.ts'
import { isRepository } from './find-repository.ts'
import { namesIn } from './git-program.ts'
import { inConflict, seenIndex } from './index-file.ts'
import type { IsolatedGit } from './isolated-git.ts'

/** Names relative to the top of a repository. */
interface Uncommitted {
  readonly changed: readonly string[]
  readonly untracked: readonly string[]
}

interface Place {
  readonly top: string
  /** Only files inside are saved. */
  readonly root: string
  /** By paths relative to the root. */
  readonly closed: (relative: string) => boolean
}

/** Larger untracked files are not saved. */
const sizeLimit = 10 * 1024 * 1024

/** The paths that may be committed: none that is blocked, by its own or another name, clada's own, unreadable or no regular file. */
export function savable({ changed, untracked }: Uncommitted, { top, root, closed }: Place): string[] {
  const isCutOff = cutOffBelow(top)
  let blocked: ReadonlySet<string> | undefined
  const isSecondName = (stat: fs.Stats): boolean => {
    if (stat.nlink === 1) return false
    blocked ??= blockedInodes(root, closed)
    return blocked.has(inodeOf(stat))
  }
  const isSavable = (name: string, largest: number): boolean => {
    // The name is not UTF-8, so the decoded name is not the file's.
    if (name.includes('\ufffd')) return false
    const at = path.join(top, name)
    if (!isInside(at, root) || name.endsWith('/') || isClosed(pathFrom(root, at), closed)) return false
    const stat = isCutOff(name) ? undefined : fs.lstatSync(at, { throwIfNoEntry: false })
    if (stat === undefined || stat.isSymbolicLink()) return true
    // A file that became a directory counts as deleted, unless it is a repository: that may be a submodule.
    if (stat.isDirectory()) return !isRepository(at)
    return stat.isFile() && stat.size <= largest && isReadable(at) && !isSecondName(stat)
  }
  return [
    ...changed.filter((name) => isSavable(name, Infinity)),
    ...untracked.filter((name) => isSavable(name, sizeLimit)),
  ]
}

const inodeOf = ({ dev, ino }: fs.Stats): string => `${dev}:${ino}`

/** Looked for only when a file with several names is about to be saved, which is rare. */
function blockedInodes(root: string, closed: (relative: string) => boolean): ReadonlySet<string> {
  const files = surveyOf(root, closed).closed.filter(({ path: name, type }) => type === 'file' && closed(name))
  return new Set(
    files.flatMap(({ path: name }) => {
      const stat = fs.lstatSync(path.join(root, name), { throwIfNoEntry: false })
      return stat === undefined ? [] : [inodeOf(stat)]
    }),
  )
}

/** Git would fail on unreadable files, such as those that containers create as another user. */
function isReadable(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.R_OK)
    return true
  } catch {
    return false
  }
}

export const isClosed = (relative: string, closed: (relative: string) => boolean): boolean =>
  relative.split('/').some((part) => part === '.clada' || part === '.git') || closed(relative)

export interface Status {
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

export async function statusOf(isolated: IsolatedGit): Promise<Status> {
  // In a large repository two concurrent processes: one for tracked files, on all cores, and one for untracked files.
  const isLarge = (seenIndex(isolated.repository)?.size ?? 0) > largeIndex
  const listed = `--untracked-files=${isLarge ? 'no' : 'all'}`
  const [known, others] = await Promise.all([
    isolated.git(['status', '--porcelain=v2', '-z', listed, '--no-renames', onlyPointers], { lowPriority: isLarge }),
    isLarge ? isolated.git(['ls-files', '--others', '--exclude-standard', '-z']) : undefined,
  ])
  const changed: string[] = []
  const inIndex: string[] = []
  const untracked = others === undefined ? [] : namesIn(others.out)
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
  return (await isolated.git(args, { fine: [1] })).status === 1
}
