import fs from 'node:fs'
import path from 'node:path'
import { digestOf } from '../core/digest.ts'
import { isInPackages, isInside, withSlashes, nameBelow } from '../core/paths.ts'
import type { Blocking } from '../core/effects.ts'
import { hasCode } from '../core/errors.ts'
import { holdsLogin } from './login-files.ts'
import { jsonOf, putFile, readOwn } from '../state/own-files.ts'
import { linkedBelow } from './second-names.ts'
import { stateHome, makePrivateDir, rootName } from '../state/user-state.ts'
import { gitName, isGitName, isStateName, nameAsOpened } from '../core/reserved-names.ts'
import { belongsToGit } from './tracked-files.ts'

export interface BlockedPath {
  readonly path: string
  readonly type: 'file' | 'directory'
}

export interface Blocked {
  /**
   * Blocked by name, or by being a second name of something blocked or outside. Directories that could not be looked
   * into are blocked too: a program of their owner could open them.
   */
  readonly blocked: readonly BlockedPath[]
  /** Git directories inside the project, whatever they are called, and files that lead to one. */
  readonly repositories: readonly string[]
  /** Sockets and named pipes, behind which there may be a program outside. */
  readonly doors: readonly BlockedPath[]
}

/** What one directory holds that matters here. It is the same as long as the directory was not changed. */
interface ScannedDirectory {
  readonly seen: string
  readonly dirs: readonly string[]
  readonly blocked: readonly (readonly [name: string, type: BlockedPath['type'] | 'link'])[]
  /** Files with several names. */
  readonly linked: readonly (readonly [name: string, inode: string, names: number])[]
  readonly doors: readonly string[]
  readonly repository: boolean
  /** It may be a git directory itself. */
  readonly head: boolean
  readonly unreadable: boolean
}

interface ScanIndex {
  /** What decides which names are blocked. */
  readonly rules: string
  /** By the name of the directory. No object: one called `__proto__` was not listed, and programs read the keys in it. */
  readonly dirs: ReadonlyMap<string, ScannedDirectory>
}

const held = new Map<string, ScanIndex>()
const nothing: ScanIndex['dirs'] = new Map()

/**
 * What programs must not read, anywhere below a root. Directories are read once; after that only their times are
 * looked at, which tells whether a name came or went. The list is kept in the user's own state directory.
 */
export function findBlocked(root: string, blocking: (relative: string) => Blocking, rules: readonly string[]): Blocked {
  const key = digestOf(JSON.stringify([format, ...rules]))
  const file = path.join(stateHome(), 'blocked', rootName(root))
  const before = held.get(root) ?? indexFrom(jsonOf(readOwn(file)))
  const known = before?.rules === key ? before.dirs : nothing
  let walk = walkDirectories(root, blocking, known)
  // A second name changes only the directory it is in: the others are asked how many names their files have now.
  if (walk.fresh > 0 && walk.reused > 0 && outsiders(walk.dirs).length > 0)
    walk = walkDirectories(root, blocking, nothing)
  if (walk.fresh > 0 || known.size !== walk.dirs.size) {
    const index = { rules: key, dirs: walk.dirs }
    held.set(root, index)
    if (walk.fresh > fewDirectories || before === undefined) saveIndex(file, index)
  } else if (before !== undefined) held.set(root, before)
  return summarize(root, walk, isBlockedBy(blocking, root))
}

/** Looks into the files whose names do not tell. */
export const isBlockedBy =
  (blocking: (relative: string) => Blocking, root: string) =>
  (relative: string): boolean => {
    const by = blocking(relative)
    return by === 'always' || (by === 'with-login' && holdsLogin(path.join(root, relative)))
  }

/** The same without the list, for directories that are looked at rarely. */
export const findBlockedUncached = (root: string, blocking: (relative: string) => Blocking): Blocked =>
  summarize(root, walkDirectories(root, blocking, nothing), isBlockedBy(blocking, root))

/** Of the list: one in another format is not used. */
const format = 8

/** Not worth writing the whole list again: they are read again by the next process. */
const fewDirectories = 20

function saveIndex(file: string, index: ScanIndex): void {
  try {
    makePrivateDir(path.dirname(file))
    putFile(file, JSON.stringify({ ...index, dirs: [...index.dirs] }))
  } catch {
    // Only the next start takes longer.
  }
}

function indexFrom(value: unknown): ScanIndex | undefined {
  if (typeof value !== 'object' || value === null || !('rules' in value) || !('dirs' in value)) return undefined
  const { rules, dirs } = value
  // The user's own directory: what is there was written by `keep`.
  return typeof rules === 'string' && isKnown(dirs) ? { rules, dirs: new Map(dirs) } : undefined
}

const isKnown = (value: unknown): value is [string, ScannedDirectory][] => Array.isArray(value)

interface Walked {
  readonly dirs: ScanIndex['dirs']
  /** Git directories by another name than `.git`. */
  readonly repositories: readonly string[]
  readonly fresh: number
  readonly reused: number
}

function walkDirectories(root: string, blocking: (relative: string) => Blocking, known: ScanIndex['dirs']): Walked {
  const dirs = new Map<string, ScannedDirectory>()
  const repositories: string[] = []
  let [fresh, reused] = [0, 0]
  const pending = ['']
  for (let dir = pending.pop(); dir !== undefined; dir = pending.pop()) {
    const absolute = dir === '' ? root : `${root}/${dir}`
    if (Buffer.byteLength(absolute) > longestName) {
      dirs.set(dir, tooDeep)
      continue
    }
    const stat = fs.lstatSync(absolute, { bigint: true, throwIfNoEntry: false })
    if (stat === undefined) continue
    const seen = `${stat.ino}:${stat.mtimeNs}:${stat.ctimeNs}`
    const old = known.get(dir)
    let now = old
    if (now?.seen === seen) reused++
    else {
      // One that was changed a moment ago may change again without another time.
      const quiet = Date.now() - Number(stat.ctimeMs) > clockTicks
      now = scanDirectory(absolute, dir, blocking, quiet ? seen : '')
      fresh++
    }
    dirs.set(dir, now)
    // Whether it is a fixture can change while the directory stays the same.
    if (now.head && dir !== '' && belongsToGit(absolute, ['HEAD'])) repositories.push(dir)
    else for (const name of now.dirs) pending.push(nameBelow(dir, name))
  }
  return { dirs, repositories, fresh, reused }
}

const clockTicks = 50

/** The system takes 4,096 bytes, and a name in the sandbox is longer. What is below cannot be looked at, so it is closed. */
const longestName = 3000
const tooDeep: ScannedDirectory = {
  seen: '',
  dirs: [],
  blocked: [],
  linked: [],
  doors: [],
  repository: false,
  head: false,
  unreadable: true,
}

function scanDirectory(
  absolute: string,
  dir: string,
  blocking: (relative: string) => Blocking,
  seen: string,
): ScannedDirectory {
  const dirs: string[] = []
  const blocked: [string, BlockedPath['type'] | 'link'][] = []
  const linked: [string, string, number][] = []
  const doors: string[] = []
  let [repository, head] = [false, false]
  const entries = readableEntries(absolute)
  for (const entry of entries ?? []) {
    const { name } = entry
    if (isGitName(name)) repository = true
    if (nameAsOpened(name) === nameAsOpened('HEAD')) head = true
    const isDirectory = entry.isDirectory()
    if (blocking(nameBelow(dir, name)) !== 'never' && (isDirectory || entry.isFile() || entry.isSymbolicLink())) {
      blocked.push([name, isDirectory ? 'directory' : entry.isFile() ? 'file' : 'link'])
    } else if (isDirectory && !isGitName(name) && !isStateName(name)) dirs.push(name)
    if (entry.isSocket() || entry.isFIFO()) doors.push(name)
    if (!entry.isFile()) continue
    const stat = fs.lstatSync(`${absolute}/${name}`, { throwIfNoEntry: false })
    if (stat !== undefined && stat.nlink > 1) linked.push([name, `${stat.dev}:${stat.ino}`, stat.nlink])
  }
  return { seen, dirs, blocked, linked, doors, repository, head, unreadable: entries === undefined }
}

interface Linked {
  readonly path: string
  readonly inode: string
  readonly names: number
}

const linkedIn = (dirs: ScanIndex['dirs']): Linked[] =>
  [...dirs].flatMap(([dir, { linked }]) =>
    linked.map(([name, inode, names]) => ({ path: nameBelow(dir, name), inode, names })),
  )

/** Files with a further name outside the project. Package managers link from a store of their own. */
function outsiders(dirs: ScanIndex['dirs']): Linked[] {
  const linked = linkedIn(dirs)
  const here = new Map<string, number>()
  for (const { inode } of linked) here.set(inode, (here.get(inode) ?? 0) + 1)
  return linked.filter(({ path: name, inode, names }) => (here.get(inode) ?? 0) < names && !isInPackages(name))
}

function summarize(root: string, walked: Walked, isBlocked: (relative: string) => boolean): Blocked {
  const { repositories } = walked
  const dirs = new Map(walked.dirs)
  for (const name of repositories) dirs.delete(name)
  const blocked = [...dirs].flatMap(([dir, { blocked }]) =>
    blocked
      .map(([name, type]) => ({ path: nameBelow(dir, name), type }))
      .filter((one) => isBlocked(one.path))
      .flatMap(({ path: name, type }) => (type === 'link' ? resolveBlockedLink(root, name) : { path: name, type })),
  )
  const linked = linkedIn(dirs)
  const secrets =
    linked.length === 0 ? new Set() : new Set(blocked.flatMap((one) => [...linkedBelow(path.join(root, one.path))]))
  const others = [...outsiders(dirs), ...linked.filter(({ inode }) => secrets.has(inode))]
  const second = new Set(others.map(({ path: name }) => name).filter((name) => !isBlocked(name)))
  const unreadable = [...dirs].flatMap(([dir, known]) =>
    known.unreadable && dir !== '' ? [{ path: dir, type: 'directory' as const }] : [],
  )
  return {
    blocked: [...blocked, ...[...second].map((name) => ({ path: name, type: 'file' as const })), ...unreadable],
    repositories: [
      ...[...dirs].flatMap(([dir, { repository }]) => (repository ? [nameBelow(dir, gitName)] : [])),
      ...repositories,
    ],
    doors: [...dirs].flatMap(([dir, { doors }]) => doors.map((name) => ({ path: nameBelow(dir, name), type: 'file' }))),
  }
}

/**
 * The file or directory in the project that a link with a blocked name leads to: whatever it is called, it is what the
 * name says. One outside the project is not there for programs.
 */
function resolveBlockedLink(root: string, link: string): BlockedPath[] {
  try {
    const file = fs.realpathSync(path.join(root, link))
    const type = fs.statSync(file).isDirectory() ? 'directory' : 'file'
    return file !== root && isInside(file, root) ? [{ path: withSlashes(path.relative(root, file)), type }] : []
  } catch {
    return []
  }
}

/** Undefined when it may not be read, or not what is in it. */
export function readableEntries(dir: string): fs.Dirent[] | undefined {
  try {
    const entries = fs.readdirSync(dir, { withFileTypes: true })
    if (entries.length > 0) fs.accessSync(dir, fs.constants.X_OK)
    return entries
  } catch (error) {
    return hasCode(error, 'ENOENT') ? [] : undefined
  }
}
