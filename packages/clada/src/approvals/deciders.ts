import path from 'node:path'
import { digestOf } from '../core/digest.ts'
import { pathFrom } from '../core/paths.ts'
import { hasCode } from '../core/errors.ts'
import { decidesItself } from '../policy/deciding-files.ts'
import { dirsNamedBy } from '../state/git-dirs.ts'
import { isGitDirectory } from '../state/git-directory.ts'
import { isGitName, isStateName } from '../core/reserved-names.ts'
import {
  type FollowedEntry,
  type FollowedName,
  followDigest,
  followDirectory,
  followEntry,
  followNames,
  isOfAnother,
} from '../workspace/followed-files.ts'

/**
 * The digests of everything in some directories that could decide what a command runs, by path from the first of them.
 * Nothing here knows how a tool finds its files: `include`, workspaces and hook paths are not followed, because what they
 * lead to is either in the table of names or source code.
 */
export interface Deciders {
  readonly digests: ReadonlyMap<string, string>
  /** The first that could not be read whole: then nothing is known to be unchanged. */
  readonly unread: string | undefined
}

export interface DecidersAsked {
  /** The project; names are relative to it. */
  readonly root: string
  /** Directories that documents can write to, the project among them. */
  readonly roots: readonly string[]
  /** Files and directories that count whatever they are called, such as a program of the project. */
  readonly further: readonly string[]
}

export function readDeciders({ root, roots, further }: DecidersAsked): Deciders {
  const reader = new DeciderReader(root)
  for (const one of roots) reader.project(one)
  for (const file of further) reader.entry(file)
  return { digests: reader.digests, unread: reader.unread }
}

/** One digest over all of them; null where one could not be read. */
export const decidersDigest = ({ digests, unread }: Deciders): string | null =>
  unread === undefined ? digestOf(JSON.stringify([...digests].sort(([a], [b]) => (a < b ? -1 : 1)))) : null

/** What a person is told about them. */
export function decidersInWords({ digests, unread }: Deciders): string {
  if (unread !== undefined) return `'${unread}' cannot be read whole, so this is asked every time`
  // Those near the top say most.
  const depth = (name: string): number => name.split('/').length
  const all = [...digests.keys()].filter((name) => !name.endsWith('.sample'))
  const names = all.sort((a, b) => depth(a) - depth(b) || (a < b ? -1 : 1))
  const [shown, more] = [names.slice(0, mostShown), names.length - mostShown]
  if (names.length === 0) return 'none so far'
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

const mostShown = 5

/** Whether two looks differ in these files only, or in what is below them. */
export function differOnlyIn(before: Deciders, after: Deciders, changed: readonly string[]): boolean {
  if (before.unread !== undefined || after.unread !== undefined) return false
  const all = new Set([...before.digests.keys(), ...after.digests.keys()])
  const isChanged = (name: string): boolean => changed.some((one) => name === one || name.startsWith(`${one}/`))
  return [...all].every((name) => before.digests.get(name) === after.digests.get(name) || isChanged(name))
}

/** More is not read: a command that waits for that is not one that a person approved for always. */
const mostBytes = 2 * 1024 ** 3
const mostEntries = 2_000_000

class DeciderReader {
  readonly digests = new Map<string, string>()
  unread: string | undefined
  readonly #root: string
  /** Real directories that were read whole: a link may lead to one of them, or to a directory above itself. */
  readonly #whole = new Set<string>()
  #bytes = 0
  #entries = 0

  constructor(root: string) {
    this.#root = root
  }

  /** What the table names, at any depth. */
  project(root: string): void {
    const own = dirsNamedBy(root)
    const pending = ['']
    for (let dir = pending.pop(); dir !== undefined && this.unread === undefined; dir = pending.pop()) {
      const entries = this.#entriesOf(path.join(root, dir))
      // One without a working tree can be named by its path, as a dependency.
      if (dir !== '' && entries.some(({ name }) => name === 'HEAD') && isGitDirectory(path.join(root, dir))) {
        const absolute = path.join(root, dir)
        if (own.includes(followDirectory(absolute))) this.#git(absolute, 'own')
        else this.#wholeDirectory(absolute)
        continue
      }
      for (const entry of entries) {
        const name = dir === '' ? entry.name : `${dir}/${entry.name}`
        const absolute = path.join(root, name)
        if (isGitName(entry.name)) this.#git(absolute, dir === '' ? 'own' : 'inner')
        else if (isStateName(entry.name)) continue
        else if (entry.type === 'directory' && !decidesItself(name, 'directory')) pending.push(name)
        else if (this.#decides(entry, name)) this.entry(absolute)
      }
    }
  }

  /** A file, a directory with everything in it, or what a link leads to. */
  entry(absolute: string): void {
    if (this.unread !== undefined) return
    try {
      const entry = followEntry(absolute)
      if (entry.target !== undefined) this.#note(absolute, `-> ${entry.target}`)
      if (entry.type === 'directory') this.#wholeDirectory(absolute)
      else if (entry.type === 'file') this.#file(absolute, entry)
      else if (entry.type === 'other') this.unread = pathFrom(this.#root, absolute)
    } catch (error) {
      this.#refused(absolute, error)
    }
  }

  #decides({ type }: FollowedName, name: string): boolean {
    // A link may lead to a file or to a directory.
    if (type === 'link') return decidesItself(name, 'file') || decidesItself(name, 'directory')
    return decidesItself(name, type)
  }

  /** Of a git directory what decides which programs git runs; of another repository in the project also what it has. */
  #git(dir: string, whose: 'own' | 'inner'): void {
    const names = ['config', 'config.worktree', 'commondir', 'hooks', 'info']
    const more = ['HEAD', 'packed-refs', 'refs', 'modules']
    // A worktree or a submodule has a file that leads to its directory.
    if (isPlainFile(dir)) this.entry(dir)
    else for (const name of whose === 'own' ? names : [...names, ...more]) this.entry(path.join(dir, name))
  }

  #wholeDirectory(dir: string): void {
    const real = followDirectory(dir)
    if (this.#whole.has(real)) return
    this.#whole.add(real)
    for (const { name } of this.#entriesOf(dir)) this.entry(path.join(dir, name))
  }

  #entriesOf(dir: string): readonly FollowedName[] {
    try {
      const entries = followNames(dir)
      this.#entries += entries.length
      if (this.#entries > mostEntries) this.unread = pathFrom(this.#root, dir)
      return entries
    } catch (error) {
      this.#refused(dir, error)
      return []
    }
  }

  #file(absolute: string, { size, isExecutable }: FollowedEntry): void {
    this.#bytes += size
    if (this.#bytes > mostBytes) {
      this.unread = pathFrom(this.#root, absolute)
      return
    }
    const digest = followDigest(absolute)
    if (digest === undefined) this.unread = pathFrom(this.#root, absolute)
    else this.#note(absolute, `${isExecutable ? 'x' : '-'} ${digest}`)
  }

  /** What leads nowhere, or is kept from us by another user, is not there for our programs either. */
  #refused(absolute: string, error: unknown): void {
    if (hasCode(error, 'ENOENT', 'ELOOP', 'ENOTDIR')) return
    if (hasCode(error, 'EACCES') && isOfAnother(absolute)) this.#note(absolute, 'not readable')
    else this.unread = pathFrom(this.#root, absolute)
  }

  #note(absolute: string, digest: string): void {
    const name = pathFrom(this.#root, absolute)
    const before = this.digests.get(name)
    this.digests.set(name, before === undefined ? digest : `${before} ${digest}`)
  }
}

function isPlainFile(absolute: string): boolean {
  try {
    const { type, target } = followEntry(absolute)
    return type === 'file' && target === undefined
  } catch {
    return false
  }
}
