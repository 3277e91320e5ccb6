import path from 'node:path'
import { foldedName, gitName, isGitName } from '../core/reserved-names.ts'
import { now } from '../core/time-limit.ts'
import { readStats } from './own-files.ts'

/**
 * What git looks for before it uses a directory as a repository, whatever its name is: `HEAD`, and either `objects` and
 * `refs` or a file that says where those are. Then it obeys the config and runs the hooks that are beside them.
 */
export type RepositoryPart = 'HEAD' | 'objects' | 'refs' | 'commondir'

interface PartEntry {
  readonly name: string
  readonly isDirectory: boolean
}

const pieces: ReadonlyMap<string, RepositoryPart> = new Map([
  ['head', 'HEAD'],
  ['objects', 'objects'],
  ['refs', 'refs'],
  ['commondir', 'commondir'],
])

/** Some file systems open `HEAD` by `head`, and a project moves between systems. */
export function repositoryPart({ name, isDirectory }: PartEntry): RepositoryPart | undefined {
  const piece = pieces.get(foldedName(name))
  return piece === 'HEAD' && isDirectory ? undefined : piece
}

export function isRepositoryWith(having: readonly (RepositoryPart | undefined)[]): boolean {
  if (!having.includes('HEAD')) return false
  return having.includes('commondir') || (having.includes('objects') && having.includes('refs'))
}

/** Whether git takes a directory for a repository. */
export function isGitDirectory(dir: string): boolean {
  const has = (name: RepositoryPart): boolean => readStats(path.join(dir, name)) !== undefined
  const head = readStats(path.join(dir, 'HEAD'))
  if (head === undefined || head.isDirectory()) return false
  return has('commondir') || (has('objects') && has('refs'))
}

/** The git directory that a directory is in, or is. A worktree is in none, wherever git has put it. */
export function gitDirectoryOver(dir: string): string | undefined {
  for (let at = dir; ; at = path.dirname(at)) {
    if (isGitName(path.basename(at)) || isGitDirectory(at)) return at
    if (at === path.dirname(at) || readStats(path.join(at, gitName)) !== undefined) return undefined
  }
}

/** The git directories, whatever they are called, that paths are in. */
export class GitDirectories {
  readonly #known = new Map<string, { readonly is: boolean; readonly looked: number }>()

  /** The outermost one at a path or above it, up to a directory. One by the name `.git` is known by that. */
  around(absolute: string, top: string): string | undefined {
    let found: string | undefined
    for (let at = absolute; ; at = path.dirname(at)) {
      if (this.#isOne(at)) found = at
      if (at === top || at === path.dirname(at)) return found
    }
  }

  /** Looked at every 20 ms at most: a bulk of edits asks about the same directories again and again. */
  #isOne(dir: string): boolean {
    const known = this.#known.get(dir)
    const time = now()
    if (known !== undefined && time - known.looked < 20) return known.is
    const is = isGitDirectory(dir)
    if (this.#known.size >= mostKnown) this.#known.clear()
    this.#known.set(dir, { is, looked: time })
    return is
  }
}

const mostKnown = 1000
