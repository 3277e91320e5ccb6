import { hasAccess } from '../state/own-files.ts'
import fs from 'node:fs'
import path from 'node:path'
import { dirsAbove, isInside, pathFrom } from '../core/paths.ts'
import { isRepository } from './find-repository.ts'
import { splitNul } from './git-program.ts'
import type { IsolatedCall, IsolatedGit } from './isolated-git.ts'
import { treeEntriesAt } from './tree-contents.ts'
import { isGitName, isStateName } from '../core/reserved-names.ts'
import { GitDirectories } from '../state/git-directory.ts'

export interface CommittablePaths {
  /** Relative to the top of the repository. */
  readonly paths: readonly string[]
  /** Paths that are left out because of a filter, with its name. */
  readonly filtered: ReadonlyMap<string, string>
  /** Paths that are in the last commit. */
  readonly committed: ReadonlySet<string>
}

/**
 * The paths that git can commit: none of a nested repository, and none whose filter would run a program. `how` selects
 * the attributes that name filters; by default those on the disk.
 */
export async function findCommittable(
  isolated: IsolatedGit,
  paths: readonly string[],
  how: IsolatedCall = {},
): Promise<CommittablePaths> {
  const { top } = isolated.repository
  if (paths.length === 0 || top === undefined) return { paths, filtered: new Map(), committed: new Set() }
  const known = isolated.tree === undefined ? nothing : await readTracked(isolated, isolated.tree, paths)
  const own = paths.filter(isOwn(top, paths, known))
  const filtered = await listFiltered(isolated, own, how)
  return { paths: own.filter((name) => !filtered.has(name)), filtered, committed: known.files }
}

/** The entries of a tree at some paths. */
interface TreePaths {
  /** Submodules at one of the paths, or above. */
  readonly submodules: ReadonlySet<string>
  /** The paths that are files in the tree. */
  readonly files: ReadonlySet<string>
}

const nothing: TreePaths = { submodules: new Set(), files: new Set() }

async function readTracked(isolated: IsolatedGit, tree: string, paths: readonly string[]): Promise<TreePaths> {
  const entries = await treeEntriesAt(isolated, tree, [...new Set(paths.flatMap((name) => [name, ...dirsAbove(name)]))])
  const namesOf = (type: string): Set<string> =>
    new Set(entries.flatMap((entry) => (entry.type === type ? [entry.name] : [])))
  return { submodules: namesOf('commit'), files: namesOf('blob') }
}

/** Paths that git ignores and does not track. Git does not follow links, so paths through them are not ignored. */
export async function listIgnored(isolated: IsolatedGit, paths: readonly string[]): Promise<Set<string>> {
  const { top } = isolated.repository
  if (top === undefined) return new Set()
  const isCutOff = cutOffBelow(top)
  const asked = paths.filter((name) => !isCutOff(name))
  // The rules alone are checked first, which is fast. Tracked paths are in the index, which may be large.
  return listMatching(isolated, [], await listMatching(isolated, ['--no-index'], new Set(asked)))
}

async function listMatching(
  isolated: IsolatedGit,
  how: readonly string[],
  paths: ReadonlySet<string>,
): Promise<Set<string>> {
  if (paths.size === 0) return new Set()
  const input = [...paths].join('\0') + '\0'
  const { out } = await isolated.git(['check-ignore', ...how, '-z', '--stdin'], { input, okExitCodes: [1] })
  return new Set(splitNul(out))
}

async function listFiltered(
  isolated: IsolatedGit,
  paths: readonly string[],
  how: IsolatedCall,
): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  if (isolated.config.filters.size === 0 || paths.length === 0) return found
  const { out } = await isolated.git(['check-attr', '-z', '--stdin', 'filter'], {
    ...how,
    input: paths.join('\0') + '\0',
  })
  const words = out.toString().split('\0')
  for (let at = 0; at + 2 < words.length; at += 3) {
    const [name = '', , filter = ''] = words.slice(at, at + 3)
    if (isolated.config.filters.has(filter)) found.set(name, filter)
  }
  return found
}

/**
 * Tells paths that are not in a nested repository. A submodule in the last commit counts, even if it is neither on the
 * disk nor in `.gitmodules`.
 */
function isOwn(top: string, paths: readonly string[], { submodules }: TreePaths): (name: string) => boolean {
  const dirs = new Set(paths.flatMap((name) => dirsAbove(name)))
  const inside = new Set([...submodules, ...[...dirs].filter((dir) => isRepository(path.join(top, dir)))])
  return (name) => !submodules.has(name) && !dirsAbove(name).some((dir) => inside.has(dir))
}

/**
 * Tells names, relative to `top`, whose directory was replaced by a file or a link. They are not in the repository any
 * more: git tracks the link, not the files reached through it.
 */
export function cutOffBelow(top: string): (name: string) => boolean {
  // An absolute name is not in the repository.
  const known = new Map([
    ['.', false],
    ['/', true],
  ])
  const isCut = (dir: string): boolean => {
    const before = known.get(dir)
    if (before !== undefined) return before
    const cut = isCut(path.posix.dirname(dir)) || isNoDirectory(path.join(top, dir))
    known.set(dir, cut)
    return cut
  }
  return (name) => isCut(path.posix.dirname(name))
}

function isNoDirectory(dir: string): boolean {
  const stat = fs.lstatSync(dir, { throwIfNoEntry: false })
  return stat !== undefined && !stat.isDirectory()
}

/** Names relative to the top of a repository. */
interface UncommittedNames {
  readonly changed: readonly string[]
  readonly untracked: readonly string[]
}

interface RepositoryScope {
  readonly top: string
  /** Only files inside are saved. */
  readonly root: string
  /** By paths relative to the root. */
  readonly isBlocked: (relative: string) => boolean
}

/** Larger untracked files are not saved. */
const sizeLimit = 10 * 1024 * 1024

/** The paths that clada may commit: none that is blocked, clada's own, unreadable or no regular file. */
export function filterCommittable(
  { changed, untracked }: UncommittedNames,
  { top, root, isBlocked }: RepositoryScope,
): string[] {
  const isCutOff = cutOffBelow(top)
  const git = new GitDirectories()
  const isSavable = (name: string, largest: number): boolean => {
    // The name is not UTF-8, so the decoded name is not the file's.
    if (name.includes('\ufffd')) return false
    const at = path.join(top, name)
    if (!isInside(at, root) || name.endsWith('/') || isUnsavable(pathFrom(root, at), isBlocked)) return false
    const stat = isCutOff(name) ? undefined : fs.lstatSync(at, { throwIfNoEntry: false })
    if (stat === undefined || stat.isSymbolicLink()) return true
    // A file that became a directory counts as deleted, unless it is a repository: that may be a submodule.
    if (stat.isDirectory()) return !isRepository(at)
    return stat.isFile() && stat.size <= largest && hasAccess(at, 'read')
  }
  return [
    ...changed.filter((name) => isSavable(name, Infinity)),
    // What is tracked in one is a fixture.
    ...untracked.filter((name) => isSavable(name, sizeLimit) && git.around(path.join(top, name), root) === undefined),
  ]
}

/** Git would fail on unreadable files, such as those that containers create as another user. */

export const isUnsavable = (relative: string, isBlocked: (relative: string) => boolean): boolean =>
  relative.split('/').some((part) => isStateName(part) || isGitName(part)) || isBlocked(relative)

/** Whether a file is what an editor keeps beside the one that it edits: vim, Emacs, Kate, LibreOffice, GNOME, and backups. */
export const isOfEditor = (name: string): boolean =>
  /(?:^|\/)(?:\.[^/]*\.sw[a-p]x?|\.#[^/]+|#[^/]+#|\.[^/]+\.kate-swp|\.~lock\.[^/]+#|\.goutputstream-\w+|4913|[^/]+~)$/.test(
    name,
  )
