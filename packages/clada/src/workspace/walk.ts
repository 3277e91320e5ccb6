import fs from 'node:fs'
import path from 'node:path'
import type { Access, PathJudge, PathRefusal, WriterKind } from '../core/effects.ts'
import type { PathArg } from '../core/files.ts'
import { now } from '../core/time-limit.ts'
import { isInside } from '../core/paths.ts'
import { adviseAskingUser, gitReason, reservedReason, ProblemError } from '../core/problem.ts'
import { hasCode, isOsError } from '../core/errors.ts'
import { platform } from '../core/platform.ts'
import { isFixture } from '../process/tracked-files.ts'
import type { GitDirectories } from '../state/git-directory.ts'
import { placesInGitSettings } from '../state/git-settings.ts'
import { isHeldElsewhere, isInMemory, readStats, syncFileNow } from '../state/own-files.ts'
import type { SecondNames } from '../process/second-names.ts'
import { isGitName, isStateName } from '../core/reserved-names.ts'
import { isWatched } from '../state/watched-files.ts'

/** A path that was judged: a root, and the components below it. None of them is a link once the walk has passed. */
export interface Location {
  readonly root: string
  readonly parts: readonly string[]
  /** Canonical, for keys and comparison. */
  readonly absolute: string
  /** As the block wrote it, for messages. */
  readonly given: string
  /** Why its content is not for replies if it contains a login. */
  readonly unlessLogin?: ProblemError | undefined
}

export const baseName = (location: Location): string => location.parts.at(-1) ?? ''

/** Turns a path from a block into a location, or stops. Asked at every use, because what was fine a moment ago may be a link now. */
export class Locator {
  readonly #judge: PathJudge
  readonly #symlinks: 'refuse' | 'inside'
  readonly #contents: Contents
  readonly #disk: DiskFacts
  #namedInSettings: readonly string[] | undefined

  /** Without facts only the spelling of a path decides. */
  constructor(judge: PathJudge, symlinks: 'refuse' | 'inside', contents: Contents, disk: DiskFacts = {}) {
    this.#judge = judge
    this.#symlinks = symlinks
    this.#contents = contents
    this.#disk = disk
  }

  locate(arg: PathArg, access: Access): Location {
    const judged = this.#location(arg, longPath(arg.absolute), access)
    if (this.#symlinks === 'refuse') return judged
    // Following links is allowed as long as they lead to where the path itself would have been allowed.
    const real = realPath(judged.absolute)
    return real === judged.absolute ? judged : this.#location(arg, real, access)
  }

  /** Why a path may not be used; undefined if it may. */
  refusal(arg: PathArg, access: Access): ProblemError | undefined {
    try {
      this.locate(arg, access)
      return undefined
    } catch (error) {
      if (error instanceof ProblemError) return error
      throw error
    }
  }

  /** The place of something that a program wrote, or why it may not stay. */
  locateWritten(absolute: string, by: WriterKind): Location | { readonly reason: string } {
    const decision = this.#judge.written(absolute, by)
    if (decision.verdict === 'deny') return { reason: decision.reason }
    const { root, parts, unlessLogin } = decision
    const place = joinParts(root, parts)
    if (unlessLogin !== undefined && this.#contents.holdLogin(place)) return { reason: unlessLogin.reason }
    if (this.#isOfGit(root, place, 'write')) return { reason: gitReason }
    // A command whose approval is bound to what it runs may set up the tools of the project.
    if (by !== 'wide' && this.#isInGitSettings(place)) return { reason: gitObeysReason }
    const reason = isWatched(place) ? reservedReason : this.#disk.names?.of(place)?.reason
    return reason === undefined ? { root, parts, absolute: place, given: absolute } : { reason }
  }

  /** Whether the content of a file is blocked. */
  isBlocked(absolute: string): boolean {
    return (
      isBlockedByName(this.#judge, this.#contents, absolute) ||
      this.#disk.names?.of(absolute) !== undefined ||
      this.#isOfGit(
        this.#disk.roots?.find((root) => isInside(absolute, root)) ?? path.parse(absolute).root,
        absolute,
        'read',
      )
    )
  }

  /** Whether a walk over the project looks into a directory: not into those of git and clada. */
  enters(dir: Location): boolean {
    const name = baseName(dir)
    return !isGitName(name) && !isStateName(name) && !this.#isOfGit(dir.root, dir.absolute, 'read')
  }

  /** Whether a path is in a git directory, whatever that is called. Fixtures of the project can be read. */
  #isOfGit(root: string, place: string, access: Access): boolean {
    const found = this.#disk.git?.around(place, root)
    return found !== undefined && (access === 'write' || !isFixture(found))
  }

  /** Whether the settings of the repository name a path, or a directory above it. Asked for writing only. */
  #isInGitSettings(place: string): boolean {
    this.#namedInSettings ??= (this.#disk.git === undefined ? [] : (this.#disk.roots ?? [])).flatMap(
      placesInGitSettings,
    )
    return this.#namedInSettings.some((named) => isInside(place, named))
  }

  #location(arg: PathArg, absolute: string, access: Access): Location {
    const decision = this.#judge.path(arg.given, absolute, access)
    if (decision.verdict === 'deny') throw refusalError(arg, decision)
    const { root, parts } = decision
    const place = joinParts(root, parts)
    const unlessLogin = decision.unlessLogin && refusalError(arg, decision.unlessLogin)
    if (unlessLogin !== undefined && this.#contents.holdLogin(place)) throw unlessLogin
    const stat = access === 'list' || this.#disk.names === undefined ? undefined : readStats(place)
    // Only a directory can be one of git's, and thousands of files are asked about.
    if (this.#isOfGit(root, stat?.isFile() && place !== root ? path.dirname(place) : place, access))
      throw refusalError(arg, { verdict: 'deny', rule: 'path_denied', reason: gitReason })
    if (access === 'write' && this.#disk.names !== undefined && this.#isInGitSettings(place))
      throw refusalError(arg, {
        verdict: 'deny',
        rule: 'path_denied',
        reason: gitObeysReason,
        advice: adviseAskingUser('change it by hand'),
      })
    // By identity as well: a second mount or a hard link is another path to the same file.
    const other =
      access === 'list' ? undefined : isWatched(place) ? { reason: reservedReason } : this.#disk.names?.of(place, stat)
    if (other !== undefined) throw refusalError(arg, { verdict: 'deny', rule: 'path_denied', ...other })
    return { root, parts, absolute: place, given: arg.given, unlessLogin }
  }
}

const gitObeysReason = "git obeys it, as the repository's settings say"

/** What the disk tells of a path, besides its spelling. */
export interface DiskFacts {
  readonly names?: SecondNames | undefined
  readonly git?: GitDirectories | undefined
  /** Above these, directories are not asked about. */
  readonly roots?: readonly string[]
}

/** What is asked of a file whose name does not tell whether it is blocked. */
export interface Contents {
  holdLogin(absolute: string): boolean
}

/** Whether the content of a file is blocked by its own name. */
export function isBlockedByName(judge: PathJudge, contents: Contents, absolute: string): boolean {
  const blocking = judge.blocking(absolute)
  return blocking === 'always' || (blocking === 'with-login' && contents.holdLogin(absolute))
}

/** As `path.join` has it, for a root and names that are in order already. */
const joinParts = (root: string, parts: readonly string[]): string =>
  parts.length === 0 ? root : (root.endsWith(path.sep) ? root : root + path.sep) + parts.join(path.sep)

const refusalError = (arg: PathArg, { rule, reason, advice }: PathRefusal): ProblemError =>
  new ProblemError({ kind: 'path', rule, path: arg.given, reason, advice })

/**
 * The path with the names that its directories list: Windows opens a file by its short name and in any case as well, and
 * the policy judges names. Links are left for the walk to refuse.
 */
function longPath(absolute: string): string {
  if (!platform.ignoresCase) return absolute
  const { root } = path.parse(absolute)
  const parts = absolute.slice(root.length).split(path.sep)
  let at = root.replace(/^[a-z]:/, (drive) => drive.toUpperCase())
  for (const [nth, part] of parts.entries()) {
    const next = path.join(at, part)
    try {
      if (fs.lstatSync(next).isSymbolicLink()) return path.join(at, ...parts.slice(nth))
      at = fs.realpathSync.native(next)
    } catch {
      return path.join(at, ...parts.slice(nth))
    }
  }
  return at
}

/** The path without links; what does not exist yet is taken as it is. */
function realPath(absolute: string): string {
  const missing: string[] = []
  for (let at = absolute; ; at = path.dirname(at)) {
    try {
      return path.join(fs.realpathSync.native(at), ...missing)
    } catch {
      // A dangling link must not pass for a free name: writing to it would create the file it points to.
      if (readStats(at)?.isSymbolicLink()) return absolute
      missing.unshift(path.basename(at))
      if (at === path.dirname(at)) return absolute
    }
  }
}

/** Moving a link moves no content, but one that leads out of the roots is not to be spread either. */
export function assertLinkStaysInside(at: Location, target: string, locator: Locator): void {
  try {
    locator.locate({ given: at.given, absolute: path.resolve(path.dirname(at.absolute), target) }, 'read')
  } catch {
    throw linkError(at, at.absolute)
  }
}

/** For paths that were located before, by this execution or an earlier one. */
export function locationOf(root: string, absolute: string): Location {
  const inside = absolute.startsWith(root.endsWith(path.sep) ? root : root + path.sep)
  const from = inside ? root : path.parse(absolute).root
  const parts = absolute
    .slice(from.length)
    .split(path.sep)
    .filter((part) => part !== '')
  return { root: from, parts, absolute, given: absolute }
}

/**
 * Opens directories component by component and holds them, so that what was checked is what is used:
 * a directory that is swapped for a link after the check changes nothing, because every later call goes
 * through the descriptor of the directory that was seen.
 *
 * Linux reaches a name inside a held directory as `/proc/self/fd/N/name`. Elsewhere there is no such path;
 * there the path is checked for links right before each use, which leaves a window that a hostile process
 * on the same machine could hit.
 */
export class Walk {
  readonly #held = new Map<string, Dir>()
  readonly #mkdir: MakeDir

  constructor(mkdir: MakeDir = (_, safePath) => fs.mkdirSync(safePath)) {
    this.#mkdir = mkdir
  }

  /** The directory that holds the last component of a location. */
  parentOf(location: Location, options: WalkOptions): Dir {
    return this.#open(location, location.parts.length - 1, options)
  }

  /** The directory at a location itself. */
  dirAt(location: Location, options: WalkOptions): Dir {
    return this.#open(location, location.parts.length, options)
  }

  /** A directory that was removed: code that needs it again must make it again. */
  forget(location: Location): void {
    const key = directoryKey(location, location.parts.length)
    this.#held.get(key)?.drop()
    this.#held.delete(key)
  }

  close(): void {
    for (const dir of this.#held.values()) dir.drop()
    this.#held.clear()
  }

  #open(location: Location, depth: number, options: WalkOptions): Dir {
    const key = directoryKey(location, depth)
    const known = this.#held.get(key)
    if (known !== undefined) {
      if (known.isStillThere()) return known
      this.#held.delete(key)
      known.drop()
    }
    const opened = this.#step(location, depth, options)
    if (this.#held.size >= 100) this.#forgetOldest()
    this.#held.set(key, opened)
    return opened
  }

  #step(location: Location, depth: number, options: WalkOptions): Dir {
    if (depth <= 0) return openRoot(location, options)
    const parent = this.#open(location, depth - 1, options)
    return openChild(parent, location.parts[depth - 1] ?? '', location, options, this.#mkdir)
  }

  #forgetOldest(): void {
    for (const [key, dir] of this.#held) {
      this.#held.delete(key)
      dir.drop()
      return
    }
  }
}

const directoryKey = ({ root, parts }: Location, depth: number): string => root + '\0' + parts.slice(0, depth).join('/')

export interface WalkOptions {
  /** Whether directories that are missing are made on the way. */
  readonly missing: 'make' | 'fail'
  /** What the caller is about to do, for messages. */
  readonly op: string
}

/** Makes a directory, by its path and by the safe path to it. */
type MakeDir = (absolute: string, safePath: string) => void

/** A directory that stays the one that was checked. */
export class Dir {
  readonly path: string
  readonly #fd: number | undefined
  readonly #device: number
  readonly #inode: number
  #users = 1
  #looked = now()

  constructor(dirPath: string, fd: number | undefined, stat: fs.Stats) {
    this.path = dirPath
    this.#fd = fd
    this.#device = stat.dev
    this.#inode = stat.ino
  }

  /** A path to a name in this directory that no swapped link can lead elsewhere. */
  at(name: string): string {
    return this.#fd === undefined ? path.join(this.path, name) : `/proc/self/fd/${this.#fd}/${name}`
  }

  /** This directory itself, for a child process's working directory. */
  get itself(): string {
    return this.#fd === undefined ? this.path : `/proc/${process.pid}/fd/${this.#fd}`
  }

  /**
   * Whether the path still leads here. Looked at every 20 ms at most: an answer that is a little old can
   * only mean that a directory which was just moved away is written to once more, never that another one is.
   */
  isStillThere(): boolean {
    const time = now()
    if (this.#fd !== undefined && time - this.#looked < 20) return true
    const stat = fs.lstatSync(this.path, { throwIfNoEntry: false })
    this.#looked = time
    return stat !== undefined && stat.ino === this.#inode && stat.dev === this.#device
  }

  /** Whether this is on a file system in memory, where to sync a file takes less time than to ask another thread for it. */
  get isInMemory(): boolean {
    return isInMemory(this.#device, () => this.at('.'))
  }

  /** Makes renames in this directory survive a power cut. */
  sync(done: () => void): void {
    if (this.#fd !== undefined && !this.isInMemory) return fs.fsync(this.#fd, done)
    this.syncNow()
    done()
  }

  /** The same at once, for callers that cannot wait. */
  syncNow(): void {
    try {
      if (this.#fd === undefined) syncFileNow(this.path)
      else fs.fsyncSync(this.#fd)
    } catch {
      // Some file systems refuse to sync a directory; there is nothing better to do then.
    }
  }

  hold(): this {
    this.#users++
    return this
  }

  drop(): void {
    this.#users--
    if (this.#users === 0 && this.#fd !== undefined) fs.closeSync(this.#fd)
  }
}

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = fs.constants
/** Not in Node's table: a descriptor that only names a place. Enough where a directory may be entered but not listed. */
const O_PATH = 0o10000000
const descriptors = platform.proc && fs.existsSync('/proc/self/fd')

function openRoot(location: Location, options: WalkOptions): Dir {
  return openDir(location.root, location.root, location, options)
}

function openChild(parent: Dir, name: string, location: Location, options: WalkOptions, mkdir: MakeDir): Dir {
  const absolute = path.join(parent.path, name)
  const safePath = parent.at(name)
  try {
    return openDir(absolute, safePath, location, options)
  } catch (error) {
    if (options.missing === 'fail' || !(error instanceof ProblemError) || error.problem.kind !== 'os') throw error
    if (error.problem.code !== 'ENOENT') throw error
  }
  try {
    mkdir(absolute, safePath)
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw asOsProblem(error, options.op, location.given)
  }
  return openDir(absolute, safePath, location, options)
}

function openDir(absolute: string, safePath: string, location: Location, options: WalkOptions): Dir {
  try {
    if (!descriptors) return checkDirByName(absolute, location)
    const fd = openDirectory(safePath)
    return new Dir(absolute, fd, fs.fstatSync(fd))
  } catch (error) {
    if (isOsError(error) && isLink(safePath)) throw linkError(location, absolute)
    throw asOsProblem(error, options.op, location.given)
  }
}

function openDirectory(safePath: string): number {
  try {
    return fs.openSync(safePath, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  } catch (error) {
    if (!hasCode(error, 'EACCES')) throw error
    return fs.openSync(safePath, O_PATH | O_DIRECTORY | O_NOFOLLOW)
  }
}

function checkDirByName(absolute: string, location: Location): Dir {
  const stat = fs.lstatSync(absolute)
  if (stat.isSymbolicLink()) throw linkError(location, absolute)
  if (!stat.isDirectory()) throw Object.assign(new Error('not a directory'), { code: 'ENOTDIR' })
  return new Dir(absolute, undefined, stat)
}

function isLink(safePath: string): boolean {
  return fs.lstatSync(safePath, { throwIfNoEntry: false })?.isSymbolicLink() ?? false
}

export function linkError(location: Location, link: string): ProblemError {
  const through = link === location.absolute ? 'it is a symbolic link' : `'${link}' is a symbolic link`
  return new ProblemError({
    kind: 'path',
    rule: 'symlink_not_allowed',
    path: location.given,
    reason: through,
    advice: `Use the path of the real file${linkTarget(location, link)}.`,
  })
}

/** Where a link leads, if that is inside the same root: other names are not followed. */
function linkTarget({ absolute, root }: Location, link: string): string {
  try {
    const target = path.resolve(path.dirname(link), fs.readlinkSync(link)) + absolute.slice(link.length)
    return target === absolute || target === root || !isInside(target, root) ? '' : `: ${target}`
  } catch {
    return ''
  }
}

/** Runs file system calls and turns what the operating system refuses into a problem about the path the model knows. */
export function withOsProblems<T>(op: string, given: string, body: () => T, dest?: string): T {
  try {
    return body()
  } catch (error) {
    throw asOsProblem(error, op, given, dest)
  }
}

export function asOsProblem(error: unknown, op: string, given: string, dest?: string): unknown {
  if (error instanceof ProblemError || !isOsError(error)) return error
  return new ProblemError({
    kind: 'os',
    code: error.code,
    op,
    path: given,
    // The message names the path the call was made with, which may lead through a descriptor.
    message: error.message.replace(/ '[^']*'( -> '[^']*')?$/, ` '${given}'`),
    dest,
    held: isHeldElsewhere(error.code) ? true : undefined,
  })
}
