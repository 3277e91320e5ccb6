import fs from 'node:fs'
import path from 'node:path'
import { isInside } from '../core/paths.ts'
import { foreignAlternates, longestGitPath } from './alternates.ts'
import { endlessSettings } from './git-config-file.ts'
import { isSpecialFile, mostReadAtOnce, readOwn, sizeOfLinked } from './own-files.ts'
import { isReferenceName, symbolicTarget as targetOfReference } from './reference-name.ts'

/** Where a repository has its things, as its files say. */
export interface GitDirs {
  readonly gitDir: string
  /** The directory that worktrees share. */
  readonly commonDir: string
}

/**
 * The repository of a directory, by what is in its `.git`; no git runs for it. `foreign`: its `.git` leads out of the
 * directory, to a place that does not point back. An archive can contain such a directory, whose objects or references
 * are any files of the user, so it counts as no repository. `broken`: it leads to nothing.
 */
export function gitDirsAt(
  top: string,
): GitDirs | { readonly foreign: string; readonly advice: string } | { readonly broken: string } | undefined {
  const dotGit = path.join(top, '.git')
  const stat = fs.lstatSync(dotGit, { throwIfNoEntry: false })
  if (stat === undefined || !(stat.isDirectory() || stat.isFile() || stat.isSymbolicLink())) return undefined
  const gitDir = stat.isDirectory() ? dotGit : gitFileTarget(dotGit, stat)
  if (gitDir === undefined) return { broken: `'${dotGit}' does not say where the repository is` }
  if (!hasHead(gitDir)) {
    if (stat.isDirectory()) return undefined
    return { broken: `'${dotGit}' leads to '${gitDir}', where no repository is` }
  }
  const commonDir = commonDirOf(gitDir)
  const endless = findEndless({ gitDir, commonDir })
  if (endless !== undefined) return { broken: endless }
  const inside = [gitDir, commonDir].every((dir) => isInside(realGitPath(dir), realGitPath(top)))
  if (!inside && !pointsBack(top, { gitDir, commonDir })) {
    const outside = isInside(realGitPath(gitDir), realGitPath(top)) ? commonDir : gitDir
    return {
      foreign: `'${dotGit}' leads to '${outside}', which does not point back to this project`,
      advice: repairAdvice,
    }
  }
  const link = linkOut(inside ? [top] : [top, commonDir, gitDir], { gitDir, commonDir })
  if (link === undefined) return { gitDir, commonDir }
  const isList = path.basename(link) === 'alternates'
  return {
    foreign: `'${link}' leads out of the repository`,
    advice: isList
      ? `If you cloned it with --shared or --reference, copy the objects first, with git repack -a -d, and then remove '${link}'.`
      : 'If you made that link, replace it by what it leads to.',
  }
}

/** The directories, without links, that a `.git` file or link leads to, whether they can be used or not. */
export function dirsNamedBy(top: string): string[] {
  const dotGit = path.join(top, '.git')
  const stat = fs.lstatSync(dotGit, { throwIfNoEntry: false })
  const gitDir = stat === undefined || stat.isDirectory() ? undefined : gitFileTarget(dotGit, stat)
  return gitDir === undefined ? [] : [realGitPath(gitDir), realGitPath(commonDirOf(gitDir))]
}

/** The unfinished operation (merge, rebase, …) during which nothing must be committed. */
export function inProgress({ gitDir }: Pick<GitDirs, 'gitDir'>): string | undefined {
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
  // Several commits are being picked or reverted, and the last one succeeded.
  ['sequencer', 'a cherry-pick or revert'],
  ['BISECT_LOG', 'a bisect'],
] as const

/** A file in a git directory that lists the locks under which something is just put in place there. */
export const landingNote = 'clada-lands'

export const repairAdvice = 'If it was moved, git worktree repair or git submodule update repairs that.'

/** The directory that all worktrees of the next repository around a directory share, if there is one. */
export function commonDirAround(dir: string): string | undefined {
  const found = gitDirNear(dir)
  return found === undefined ? undefined : realGitPath(commonDirOf(found.gitDir))
}

/** The next git directory that a `.git` around a directory is or leads to, whether clada uses it or not. */
export function gitDirNear(dir: string): { readonly top: string; readonly gitDir: string } | undefined {
  for (let top = dir; ; top = path.dirname(top)) {
    const dotGit = path.join(top, '.git')
    const stat = fs.lstatSync(dotGit, { throwIfNoEntry: false })
    const gitDir = stat === undefined || stat.isDirectory() ? dotGit : gitFileTarget(dotGit, stat)
    if (stat !== undefined && gitDir !== undefined && hasHead(gitDir)) return { top, gitDir }
    if (top === path.dirname(top)) return undefined
  }
}

export function commonDirOf(gitDir: string): string {
  const shared = pathInText(readOwn(path.join(gitDir, 'commondir')) ?? '')
  return shared === undefined ? gitDir : path.resolve(gitDir, shared)
}

/** Whether a directory has a HEAD, which git takes for a repository. */
export const hasHead = (dir: string): boolean => fs.existsSync(path.join(dir, 'HEAD'))

/** Where a `.git` that is a file or a link leads. */
function gitFileTarget(dotGit: string, stat: fs.Stats): string | undefined {
  if (stat.isSymbolicLink()) return path.resolve(path.dirname(dotGit), fs.readlinkSync(dotGit))
  const [, target] = /^gitdir: (.+)$/s.exec(pathInText(readOwn(dotGit) ?? '') ?? '') ?? []
  return target === undefined ? undefined : path.resolve(path.dirname(dotGit), target)
}

/** Whether a git directory elsewhere names this one as its worktree, or as its submodule's files. */
function pointsBack(top: string, { gitDir, commonDir }: GitDirs): boolean {
  if (gitDir === commonDir) return leadsTo(gitDir, worktreeIn(readOwn(path.join(gitDir, 'config')) ?? ''), top)
  if (path.dirname(path.dirname(realGitPath(gitDir))) !== realGitPath(commonDir)) return false
  return leadsTo(gitDir, readOwn(path.join(gitDir, 'gitdir'))?.trim(), path.join(top, '.git'))
}

const leadsTo = (from: string, target: string | undefined, to: string): boolean =>
  target !== undefined && target !== '' && realGitPath(path.resolve(realGitPath(from), target)) === realGitPath(to)

/** `core.worktree`, as a config file has it. */
function worktreeIn(config: string): string | undefined {
  let section = ''
  let found: string | undefined
  for (const line of config.split('\n')) {
    section = /^\s*\[\s*([^\]\s]+)\s*\]/.exec(line)?.[1]?.toLowerCase() ?? (/^\s*\[/.test(line) ? '' : section)
    const [, value] = (section === 'core' && /^\s*worktree\s*=(.*)$/is.exec(line)) || []
    if (value !== undefined)
      found = value
        .trim()
        .replace(/^"(.*)"$/, '$1')
        .replace(/\\(["\\])/g, '$1')
  }
  return found
}

/** The first link or alternate by which git would read something outside. Single objects are named by their content. */
function linkOut(open: readonly string[], { gitDir, commonDir }: GitDirs): string | undefined {
  const within = open.map(realGitPath)
  const leadsOut = (file: string): boolean => !within.some((dir) => isInside(realGitPath(file), dir))
  const links = [
    ...linksIn(gitDir),
    ...(commonDir === gitDir ? [] : linksIn(commonDir)),
    ...['objects', 'objects/info', 'objects/pack', 'info'].flatMap((name) => linksIn(path.join(commonDir, name))),
    ...['refs', 'logs'].flatMap((name) => linksIn(path.join(commonDir, name), 'all')),
    ...(commonDir === gitDir ? [] : linksIn(path.join(gitDir, 'logs'), 'all')),
  ]
  const link = links.find(leadsOut)
  if (link !== undefined) return link
  // Only the git directory itself: elsewhere in the project objects may be those of a repository with blocked files.
  const own = [gitDir, commonDir].map(realGitPath)
  const isElsewhere = (dir: string): boolean =>
    [dir, ...['', 'info', 'pack'].flatMap((name) => linksIn(path.join(dir, name)))].some(
      (file) => !own.some((one) => isInside(realGitPath(file), one)),
    )
  return foreignAlternates(path.join(commonDir, 'objects'), isElsewhere)
}

/**
 * What is wrong with the first file that git reads and that is a pipe or a device, or leads to one, or has more bytes than
 * any repository needs. Git waits for ever for a pipe, and reads `/dev/zero` until memory ends; a file with holes that
 * takes no room has terabytes to be read and copied.
 */
export function findEndless({ gitDir, commonDir }: GitDirs): string | undefined {
  for (const dir of new Set([gitDir, commonDir])) {
    const special = readNames.map((name) => path.join(dir, name)).find(isSpecialFile)
    if (special !== undefined) return `'${special}' is a special file, and git would wait for it`
    for (const name of [...readNames, ...wholeNames]) {
      const file = path.join(dir, name)
      const size = sizeOfLinked(file)
      if (size > mostReadAtOnce && !(wholeNames.includes(name) && size <= mostCopied))
        return `'${file}' has ${size} bytes, and git would read all of them`
    }
    const pointer = pointers.map((name) => path.join(dir, name)).find(namesNoPath)
    if (pointer !== undefined) return `'${pointer}' does not name a directory`
  }
  return endlessSettings([path.join(commonDir, 'config'), path.join(gitDir, 'config.worktree')])
}

/** Files whose whole content is a path. */
const pointers: readonly string[] = ['commondir', 'gitdir']

const namesNoPath = (file: string): boolean => {
  const text = readOwn(file)
  return text !== undefined && pathInText(text) === undefined
}

/**
 * The path that a text is, as git reads it: line ends after it do not count, blanks before it do. Undefined if no file has
 * such a name. A path of a megabyte kept the search for links on its way busy for minutes.
 */
function pathInText(text: string): string | undefined {
  const found = text.length > longestGitPath ? '' : text.replace(/[\r\n]+$/, '')
  return found === '' || /[\0\n]/.test(found) ? undefined : found
}

/** Besides what is only read: all of these are read as a whole, and an index is copied. */
const wholeNames: readonly string[] = ['HEAD', 'index', 'packed-refs', 'shallow']

/** An index of ten million files. */
const mostCopied = 2 * 1024 ** 3

/** Those that git also writes are looked at by `oddEntry`. */
const readNames: readonly string[] = [
  'config',
  'config.worktree',
  'commondir',
  'gitdir',
  'info/exclude',
  'info/attributes',
  'info/grafts',
  'info/sparse-checkout',
  'objects/info/alternates',
  'objects/info/http-alternates',
]

/** What git or clada writes at the top of a git directory. Hooks, info and config may be links that the user made. */
const writtenName =
  /^(?:[A-Z]+(?:_[A-Z]+)*|index|sharedindex\..*|packed-refs|shallow|refs|logs|objects|reftable|worktrees|modules|rebase-merge|rebase-apply|sequencer|clada-.*)(?:\.lock|\.new)?$/

/**
 * The first name in a git directory that is a link or a special file, among those that git or clada writes. Git appends
 * to logs and creates objects and references through links, and waits for ever for a named pipe.
 */
export function oddEntry({ gitDir, commonDir }: GitDirs): OddEntry | undefined {
  for (const dir of new Set([gitDir, commonDir])) {
    const odd = oddIn(dir, (name) => writtenName.test(name), refuseBelow)
    if (odd !== undefined) return odd
  }
  return oddReference({ gitDir, commonDir })
}

export interface OddEntry {
  readonly file: string
  readonly type: 'link' | 'special file' | 'reference to a bad name'
}

/** The first reference, among those that git or clada writes, that is symbolic and leads to what is no reference. */
function oddReference({ gitDir, commonDir }: GitDirs): Odd {
  const heads = fs.readdirSync(gitDir).filter((name) => /^[A-Z_]*HEAD$/.test(name))
  const own = filesBelow(path.join(commonDir, 'refs/clada'))
  const written = [...heads.map((name) => path.join(gitDir, name)), path.join(commonDir, 'refs/stash'), ...own]
  for (const first of written) {
    let file = first
    for (let target = referenceTarget(file), steps = 0; target !== undefined; target = referenceTarget(file), steps++) {
      if (!isReferenceName(target) || steps > 5) return { file, type: 'reference to a bad name' }
      file = path.join(commonDir, target)
    }
  }
  return undefined
}

const referenceTarget = (file: string): string | undefined => targetOfReference(readOwn(file) ?? '')

function filesBelow(dir: string): string[] {
  if (fs.lstatSync(dir, { throwIfNoEntry: false })?.isDirectory() !== true) return []
  return fs.readdirSync(dir, { recursive: true, encoding: 'utf8' }).map((name) => path.join(dir, name))
}

type Odd = OddEntry | undefined

/** How far a directory in a git directory is looked into. Single objects are named by their content and only ever added. */
function refuseBelow(dir: string, name: string): Odd {
  if (name === 'objects')
    return oddIn(
      dir,
      (one) => !isTemporary(one),
      (inner, one) => (one.length > 2 ? oddIn(inner) : undefined),
    )
  if (name === 'worktrees' || name === 'modules') return oddIn(dir)
  return oddIn(dir, undefined, (inner) => refuseBelow(inner, ''))
}

const isTemporary = (name: string): boolean => name.startsWith('tmp_')

function oddIn(
  dir: string,
  counts: (name: string) => boolean = () => true,
  enter: (dir: string, name: string) => Odd = () => undefined,
): Odd {
  if (fs.lstatSync(dir, { throwIfNoEntry: false })?.isDirectory() !== true) return undefined
  for (const entry of fs.readdirSync(dir, { withFileTypes: true })) {
    if (entry.isFile() || !counts(entry.name)) continue
    const file = path.join(dir, entry.name)
    if (entry.isSymbolicLink()) return { file, type: 'link' }
    if (!entry.isDirectory()) return { file, type: 'special file' }
    const odd = enter(file, entry.name)
    if (odd !== undefined) return odd
  }
  return undefined
}

function linksIn(dir: string, depth: 'one' | 'all' = 'one'): string[] {
  if (fs.lstatSync(dir, { throwIfNoEntry: false })?.isDirectory() !== true) return []
  return fs.readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(dir, entry.name)
    if (entry.isSymbolicLink()) return [file]
    return depth === 'all' && entry.isDirectory() ? linksIn(file, 'all') : []
  })
}

/** A path without links on its way, as far as it is there. */
function realGitPath(file: string): string {
  if (file.length > longestGitPath) return file
  try {
    return fs.realpathSync(file)
  } catch {
    const parent = path.dirname(file)
    return parent === file ? file : path.join(realGitPath(parent), path.basename(file))
  }
}

/** What the next repository around a directory is, whether it can be used or not. */
export function nearestGitDirs(dir: string) {
  for (let top = dir; ; top = path.dirname(top)) {
    const found = gitDirsAt(top)
    if (found !== undefined) return { top, ...found }
    if (top === path.dirname(top)) return undefined
  }
}

/** The next repository around a directory, unless it is broken or leads elsewhere. */
export function repositoryAround(dir: string): { top: string; gitDir: string } | undefined {
  const found = nearestGitDirs(dir)
  return found !== undefined && 'gitDir' in found ? found : undefined
}
