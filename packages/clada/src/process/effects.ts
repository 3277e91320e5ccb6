import { nameBelow } from '../core/paths.ts'
import fs from 'node:fs'
import type { Effect, NotKept } from '../core/effects.ts'
import { WriteBudget, type WriteLimits } from './write-limits.ts'
import { listNames } from '../state/own-files.ts'

/** The three views of a project that a program worked on. */
export interface Views {
  /** The project as the program found it, which it could not change. */
  readonly lower: string
  /** What the program changed, and nothing else. */
  readonly upper: string
  /** What the program saw in the end. */
  readonly merged: string
  /** Names below the root that are kept from programs: missing in `merged` although they were not deleted. */
  readonly unseen: ReadonlySet<string>
  /** When the program began, by the clock of the file system. */
  readonly began: number
  readonly limits: WriteLimits
  /** Where the caller finds out itself what others changed since then. */
  readonly isChecked?: (path: string) => boolean
}

export interface Collected {
  readonly effects: readonly Effect[]
  readonly notKept: readonly NotKept[]
  /** Files that lost their setuid or setgid bit. */
  readonly stripped: readonly string[]
}

/**
 * Reads the effects of a program out of the upper layer: complete by construction, whatever the size of the project.
 * Inside one directory what goes comes first, and a directory before what is in it.
 * @throws TooMuchWritten
 */
export function collectEffects(views: Views): Collected {
  const collector = new Collector(views)
  collector.directory('', 'there')
  return collector
}

const setIds = 0o6000
/** The system takes 4,096 bytes, of which the way to the project or to a layer is a part. */
export const longestPath = 1000
const changedMeanwhile = 'another program changed it in the meantime'
const notUtf8 = 'its name is not valid UTF-8'

class Collector implements Collected {
  readonly effects: Effect[] = []
  readonly notKept: NotKept[] = []
  readonly stripped: string[] = []
  readonly #views: Views
  readonly #budget: WriteBudget

  constructor(views: Views) {
    this.#views = views
    this.#budget = new WriteBudget(views.limits)
  }

  directory(dir: string, below: 'there' | 'new'): void {
    const { upper, lower, merged, unseen } = this.#views
    const entries = fs.readdirSync(pathInView(upper, dir), { withFileTypes: true })
    if (below === 'there') {
      // A directory that was deleted and made again hides what was in it, without a whiteout for each name.
      const seen = new Set(fs.readdirSync(pathInView(merged, dir)))
      for (const entry of entries) if (entry.isCharacterDevice()) seen.add(entry.name)
      // What cannot be read was not deleted either.
      for (const name of listNames(pathInView(lower, dir))) {
        const path = nameBelow(dir, name)
        if (!seen.has(name) && !unseen.has(path)) this.#addRemoved(path)
      }
    }
    for (const { name } of entries) this.#entry(nameBelow(dir, name), below)
  }

  #entry(path: string, below: 'there' | 'new'): void {
    const { upper, lower, unseen } = this.#views
    this.#budget.countEntry()
    if (path.includes('\ufffd')) {
      this.notKept.push({ path, reason: notUtf8 })
      return
    }
    if (path.length > longestPath) {
      this.notKept.push({ path, reason: `its path is longer than ${longestPath} characters` })
      return
    }
    const own = fs.lstatSync(pathInView(upper, path))
    const old =
      below === 'there' && !unseen.has(path)
        ? fs.lstatSync(pathInView(lower, path), { throwIfNoEntry: false })
        : undefined
    if (old !== undefined && this.#isChanged(path, old)) {
      this.notKept.push({ path, reason: changedMeanwhile })
      return
    }
    if (own.isCharacterDevice() && own.rdev === 0) {
      if (old !== undefined) this.#addRemoved(path)
    } else if (own.isDirectory()) this.#directory(path, own, old)
    else if (own.isFile()) this.#file(path, own, old)
    else if (own.isSymbolicLink()) this.#link(path, old)
    else this.notKept.push({ path, reason: `it is a ${specialKind(own)}` })
  }

  #directory(path: string, own: fs.Stats, old: fs.Stats | undefined): void {
    const { merged, upper } = this.#views
    // Through the mount, which knows the mode by heart. Its owner must be able to look into it.
    if ((own.mode & 0o700) !== 0o700) fs.chmodSync(pathInView(merged, path), (own.mode & 0o7777) | 0o700)
    const inherited = fs.lstatSync(pathInView(upper, parent(path))).mode & 0o2000
    const mode = (own.mode & 0o1777) | 0o700 | (old?.isDirectory() ? old.mode & setIds : inherited)
    if (!old?.isDirectory()) {
      if (old !== undefined) this.#addRemoved(path)
      this.effects.push({ kind: 'directory', path, change: 'create', mode })
    } else if ((old.mode & 0o7777) !== mode && (own.mode & 0o1777) !== (old.mode & 0o1777)) {
      this.effects.push({ kind: 'directory', path, change: 'modify', mode })
    }
    this.directory(path, old?.isDirectory() ? 'there' : 'new')
  }

  #file(path: string, own: fs.Stats, old: fs.Stats | undefined): void {
    const { upper, lower } = this.#views
    this.#budget.countBytes(own.size)
    const from = pathInView(upper, path)
    // Its owner must be able to read it, or it could not be undone.
    const mode = (own.mode & 0o1777) | 0o400
    if ((own.mode & setIds) !== 0 && ((old?.mode ?? 0) & setIds) === 0) this.stripped.push(path)
    if (old?.isFile()) {
      const kept = (old.mode & 0o7777) === (own.mode & 0o7777)
      if (kept && hasSameBytes(from, own, pathInView(lower, path), old)) {
        if (own.mtimeMs !== old.mtimeMs) this.effects.push({ kind: 'time', path, mtime: own.mtime })
        return
      }
    } else if (old !== undefined && !old.isFile()) this.#addRemoved(path)
    this.effects.push({ kind: 'file', path, change: old?.isFile() ? 'modify' : 'create', from, mode })
  }

  #link(path: string, old: fs.Stats | undefined): void {
    const { upper, lower } = this.#views
    const target = fs.readlinkSync(pathInView(upper, path))
    if (old?.isSymbolicLink() && fs.readlinkSync(pathInView(lower, path)) === target) return
    if (old !== undefined) this.#addRemoved(path)
    this.effects.push({ kind: 'link', path, change: old?.isSymbolicLink() ? 'modify' : 'create', target })
  }

  #isChanged(path: string, old: fs.Stats): boolean {
    const { began, isChecked } = this.#views
    return !old.isDirectory() && old.ctimeMs > began && !isChecked?.(path)
  }

  /** With everything in it, from the leaves up. */
  #addRemoved(path: string): void {
    const { lower } = this.#views
    if (path.includes('\ufffd')) {
      this.notKept.push({ path, reason: notUtf8 })
      return
    }
    const old = fs.lstatSync(pathInView(lower, path), { throwIfNoEntry: false })
    if (old === undefined) return
    const isDirectory = old.isDirectory()
    if (this.#isChanged(path, old)) {
      this.notKept.push({ path, reason: changedMeanwhile })
      return
    }
    if (isDirectory) for (const name of listNames(pathInView(lower, path))) this.#addRemoved(nameBelow(path, name))
    this.effects.push({ kind: 'gone', path, type: isDirectory ? 'directory' : 'other' })
  }
}

const pathInView = (view: string, path: string): string => `${view}/${path}`
const parent = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))

function specialKind(stat: fs.Stats): string {
  if (stat.isFIFO()) return 'named pipe'
  return stat.isSocket() ? 'socket' : 'device'
}

/** By bytes: times can be set back. */
function hasSameBytes(one: string, { size, mode }: fs.Stats, other: string, old: fs.Stats): boolean {
  if (size !== old.size) return false
  if (size === 0) return true
  if ((mode & 0o400) === 0) fs.chmodSync(one, (mode & 0o7777) | 0o400)
  const [a, b] = [Buffer.allocUnsafe(chunk), Buffer.allocUnsafe(chunk)]
  const files: number[] = []
  try {
    for (const file of [one, other]) files.push(fs.openSync(file, 'r'))
    const [first = -1, second = -1] = files
    for (let from = 0; from < size; from += chunk) {
      const got = fs.readSync(first, a, 0, chunk, from)
      if (got !== fs.readSync(second, b, 0, chunk, from) || a.compare(b, 0, got, 0, got) !== 0) return false
      if (got === 0) break
    }
    return true
  } catch {
    return false
  } finally {
    for (const file of files) fs.closeSync(file)
  }
}

const chunk = 1 << 16
