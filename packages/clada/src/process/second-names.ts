import fs from 'node:fs'
import path from 'node:path'
import { isInPackages, isInside, withSlashes } from '../core/paths.ts'
import { isGitName, isStateName } from '../core/reserved-names.ts'
import { belongsToGit } from './tracked-files.ts'
import { listEntries } from '../state/own-files.ts'

/** Why a file is blocked whatever its own name is. */
export interface SecondName {
  readonly reason: string
  readonly advice?: string
}

/**
 * Files that are blocked although their own names are not: further names (hard links) of blocked files, what links with
 * blocked names lead to, and files with a further name outside the roots, of which nothing tells what it is. Looked for
 * once, when the first file is asked about: a link may be anywhere below the roots.
 */
export class SecondNames {
  readonly #roots: readonly string[]
  readonly #known: KnownNames
  #targets: ReadonlyMap<string, string> | undefined
  #blocked: ReadonlySet<string> | undefined
  #counts: ReadonlyMap<string, number> | undefined

  constructor(roots: readonly string[], known: KnownNames) {
    this.#roots = roots
    this.#known = known
  }

  /** Undefined if it is not blocked, or if only its own name decides. `stat`: what is there. */
  of(absolute: string, stat = readStat(absolute, 'lstatSync')): SecondName | undefined {
    this.#targets ??= this.#findTargets()
    for (let at = absolute; this.#targets.size > 0 && at !== path.dirname(at); at = path.dirname(at)) {
      const link = this.#targets.get(at)
      if (link !== undefined) return { reason: `the link '${link}', which is blocked, leads to it` }
    }
    const names = stat?.isFile() ? stat.nlink - this.#known.ownNames(stat) : 1
    if (stat === undefined || names < 2) return undefined
    this.#blocked ??= this.#findBlocked()
    if (this.#blocked.has(inodeOf(stat))) return { reason: 'it is another name of a blocked file' }
    // Package managers link from a store of their own.
    if (isInPackages(absolute)) return undefined
    this.#counts ??= this.#countNames()
    if ((this.#counts.get(inodeOf(stat)) ?? 0) >= names) return undefined
    return {
      reason: `the file has ${names} names (hard links), so its content may be that of a blocked file`,
      advice: 'Copy it to a new file, or read it under its other name.',
    }
  }

  /** Places in the roots, with the link that leads there. */
  #findTargets(): Map<string, string> {
    const found = new Map<string, string>()
    for (const { root, absolute } of this.#entries('own', (entry) => entry.isSymbolicLink())) {
      if (!this.#known.isBlocked(absolute)) continue
      const target = realPathOf(absolute)
      // A link to a whole root would block all of it.
      if (target === undefined || this.#roots.some((one) => isInside(one, target))) continue
      if (this.#roots.some((one) => isInside(target, one)))
        found.set(target, withSlashes(path.relative(root, absolute)))
    }
    return found
  }

  /** Of all blocked files that have several names. */
  #findBlocked(): Set<string> {
    const found = new Set<string>()
    for (const { absolute, belongsToGit: inGit } of this.#entries('packages too', (entry) => !entry.isDirectory())) {
      if (!inGit && !this.#known.isBlocked(absolute)) continue
      const stat = readStat(absolute, 'statSync')
      if (stat?.isFile() && stat.nlink > 1) found.add(inodeOf(stat))
    }
    for (const target of this.#targets?.keys() ?? []) for (const inode of linkedBelow(target)) found.add(inode)
    return found
  }

  /** How many names below the roots a file has that has several. */
  #countNames(): Map<string, number> {
    const found = new Map<string, number>()
    for (const { absolute } of this.#entries('packages too', (entry) => entry.isFile())) {
      const stat = readStat(absolute, 'lstatSync')
      if (stat !== undefined && stat.nlink > 1) found.set(inodeOf(stat), (found.get(inodeOf(stat)) ?? 0) + 1)
    }
    return found
  }

  /** Only those that are wanted get a path: a project may have 100,000 files, and few links. */
  *#entries(which: 'own' | 'packages too', isWanted: (entry: fs.Dirent) => boolean): Generator<EntryOfRoot> {
    for (const root of this.#roots) {
      const pending = [root]
      for (let dir = pending.pop(); dir !== undefined; dir = pending.pop()) {
        // What cannot be listed cannot be read by this user under another name either, or is gone.
        const entries = listEntries(dir)
        const inGit = belongsToGit(dir, entries)
        for (const entry of entries) {
          if (isWanted(entry)) yield { root, absolute: path.join(dir, entry.name), belongsToGit: inGit }
          // Of git's own directory only its files: objects may have other names, and are no secrets.
          if (!entry.isDirectory() || inGit || isStateName(entry.name)) continue
          if (which === 'packages too' || (!isGitName(entry.name) && !isInPackages(entry.name)))
            pending.push(path.join(dir, entry.name))
        }
      }
    }
  }
}

interface EntryOfRoot {
  readonly root: string
  readonly absolute: string
  /** Whether it is in a directory of git's own. */
  readonly belongsToGit: boolean
}

interface KnownNames {
  /** Whether a file is blocked by its name. */
  isBlocked(absolute: string): boolean
  /** How many names of a file clada made itself. */
  ownNames(file: fs.Stats): number
}

/** Files with several names at a place, or below it. */
export function* linkedBelow(place: string): Generator<string> {
  const stat = readStat(place, 'lstatSync')
  if (stat?.isFile() && stat.nlink > 1) yield inodeOf(stat)
  if (stat?.isDirectory()) for (const { name } of listEntries(place)) yield* linkedBelow(path.join(place, name))
}

export const inodeOf = ({ dev, ino }: Pick<fs.Stats, 'dev' | 'ino'>): string => `${dev}:${ino}`

function readStat(file: string, how: 'lstatSync' | 'statSync'): fs.Stats | undefined {
  try {
    return fs[how](file, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

function realPathOf(file: string): string | undefined {
  try {
    return fs.realpathSync(file)
  } catch {
    return undefined
  }
}
