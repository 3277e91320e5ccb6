import fs from 'node:fs'
import path from 'node:path'
import {
  isAlive,
  isFromBeforeStart,
  jsonOf,
  ownDir,
  ownerFrom,
  ownOwner,
  removeFile,
  renameFile,
  sweepNewFiles,
  syncFileNow,
  syncFiles,
  isDirectory,
  listEntries,
} from '../state/own-files.ts'
import { isInside } from '../core/paths.ts'
import { hasCode } from '../core/errors.ts'
import { ProblemError } from '../core/problem.ts'
import { SettingsError } from '../core/settings.ts'
import { makeState, type ProjectState } from '../state/project-state.ts'
import { type DiskBase, readWhole } from './disk-file.ts'
import { isStateName } from '../core/reserved-names.ts'
import { belongsToGit } from '../process/tracked-files.ts'
import { pause } from '../core/pause.ts'

/**
 * Names of temporary files in a project. Each directory that gets one is noted first in the state directory, which is
 * made at the first write and never before: the next run can then sweep what a killed run left without searching the project.
 */
export class Scratch {
  readonly root: string
  /** What was found wrong with the state of the project. */
  readonly notes: string[] = []
  readonly #run = randomName()
  readonly #announced = new Set<string>()
  /** Directories whose names are not on the disk: there were temporary files in them, or such a file was moved there. */
  readonly #unsettled = new Set<string>()
  #count = 0
  #state: string | undefined
  #dirs: { displaced?: string; conflicts?: string } = {}
  #ledger: string | undefined
  /** Files that were replaced in this run, as they were then. */
  readonly #displaced: { readonly name: string; readonly file: string | number; readonly was: fs.Stats }[] = []
  #unfinished: { readonly descriptor: number; readonly file: string; readonly size: number }[] = []

  constructor(root: string) {
    this.root = root
  }

  /** A fresh name for a temporary file in a directory. */
  tempName(dir: string): string {
    this.#ledger ??= this.#startLedger()
    this.#unsettled.add(dir)
    if (!this.#announced.has(dir)) {
      this.#announced.add(dir)
      fs.appendFileSync(this.#ledger, JSON.stringify(dir) + '\n')
      // After a power cut the root is searched, other directories are not.
      if (!isInside(dir, this.root)) syncFileNow(this.#ledger)
    }
    return `.clada-${this.#run}-${this.#count++}.tmp`
  }

  /**
   * Keeps a text that would otherwise be lost, and says where. Its writer may still be writing into a file that
   * has no name any more: what the descriptor leads to is read again at the end.
   */
  saveConflict(name: string, bytes: Buffer, descriptor?: number): string {
    const file = this.#conflictFile(name)
    fs.writeFileSync(file, bytes, { flag: 'wx' })
    if (descriptor !== undefined) this.#unfinished.push({ descriptor, file, size: bytes.length })
    return file
  }

  /** The same with a file that another program may still be writing into. */
  moveConflict(name: string, from: string): string {
    let descriptor: number | undefined
    try {
      const file = this.#conflictFile(name)
      descriptor = fs.openSync(from, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW)
      if (isRenamed(from, file)) return file
      const saved = this.saveConflict(name, readWhole(descriptor, fs.fstatSync(descriptor).size), descriptor)
      descriptor = undefined
      return saved
    } catch {
      // There may be no space left for a directory or a copy. Another name beside it needs none, and is not swept.
      const beside = path.join(fs.realpathSync(path.dirname(from)), `${name.slice(-80)}.clada-conflict-${this.#run}`)
      renameFile(from, beside)
      return beside
    } finally {
      if (descriptor !== undefined) fs.closeSync(descriptor)
    }
  }

  /**
   * Keeps a file that was replaced, or is about to be, because another process may have it open and write into it: this run
   * looks at its end, and the next one once more. Its name says how it was. Undefined where only its descriptor is kept.
   */
  keepDisplaced(name: string, safePath: string, base: DiskBase, how: 'moved' | 'linked'): string | undefined {
    const was = base.stat
    const file = this.#nameFor('displaced', `${was.size}-${was.mtimeMs}`, name)
    try {
      if (how === 'moved') renameFile(safePath, file)
      else fs.linkSync(safePath, file)
      this.#displaced.push({ name, file, was })
      return file
    } catch {
      // On another disk. Windows lets nobody replace a file that is open.
      const descriptor = how === 'moved' && this.#displaced.length < mostDescriptors ? base.handOver() : undefined
      if (descriptor !== undefined) this.#displaced.push({ name, file: descriptor, was })
      return undefined
    }
  }

  /** The caller holds the replaced files open itself. */
  forgetOwnDisplaced(): void {
    for (const { file } of this.#displaced.splice(0)) {
      if (typeof file === 'number') fs.closeSync(file)
      else fs.rmSync(file, { force: true })
    }
  }

  /** Moves what was written into replaced files since to the conflicts. */
  reviewOwnDisplaced(): void {
    for (const { name, file, was } of this.#displaced.splice(0)) {
      const now = typeof file === 'number' ? fs.fstatSync(file) : fs.lstatSync(file, { throwIfNoEntry: false })
      const isSame = now === undefined || (now.size === was.size && now.mtimeMs === was.mtimeMs)
      if (typeof file === 'string' && !isSame) this.notes.push(savedNote(name, this.moveConflict(name, file)))
      if (typeof file === 'string') continue
      if (isSame) fs.closeSync(file)
      else this.notes.push(savedNote(name, this.saveConflict(name, readWhole(file, now.size), file)))
    }
  }

  #conflictFile(name: string): string {
    return this.#nameFor('conflicts', new Date().toISOString().replace(/[:.]/g, '-'), name)
  }

  #nameFor(kind: 'displaced' | 'conflicts', first: string, name: string): string {
    const dir = (this.#dirs[kind] ??= ownDir(this.stateDir(), kind))
    this.#unsettled.add(dir)
    return path.join(dir, `${first}-${this.#run}${this.#count++}-${name.slice(-80)}`)
  }

  /** Forgets replaced files that have been quiet; a text that was written into one is kept. */
  #reviewDisplaced(dir: string): void {
    for (const entry of fs.readdirSync(dir)) {
      const file = path.join(dir, entry)
      const found = readDisplaced(file)
      if (found === undefined) continue
      const { name, isSame, now } = found
      const quiet = Date.now() - Math.max(now.mtimeMs, now.ctimeMs)
      if (isSame && quiet > longestPause) removeFile(file)
      if (!isSame && quiet > quietMs) this.notes.push(savedNote(name, this.moveConflict(name, file)))
    }
  }

  /** The state directory of the project. */
  stateDir(): string {
    if (this.#state !== undefined) return this.#state
    const { dir, notes } = this.#makeState()
    this.notes.push(...notes)
    return (this.#state = dir)
  }

  #makeState(): ProjectState {
    try {
      return makeState(this.root)
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error
      throw new ProblemError({ kind: 'step-refused', reason: error.message, code: 'permission_denied', conflicts: [] })
    }
  }

  /** Removes what runs that died have left. */
  sweep(): void {
    sweepNewFiles(this.stateDir())
    this.sweepTemporary()
    const displaced = path.join(this.stateDir(), 'displaced')
    if (isDirectory(displaced)) this.#reviewDisplaced(displaced)
  }

  /** The part of it that must come before git looks at the project: a commit would save temporary files. */
  sweepTemporary(): void {
    const dir = path.join(this.stateDir(), 'running')
    if (isDirectory(dir)) sweepLeftovers(dir, this.root)
  }

  /**
   * No temporary file is there any more, and a power cut brings none back: one that kept the end of the ledger would bring back a
   * file that no run knows of. The caller syncs some of the directories itself.
   */
  async settle(synced: ReadonlySet<string> = new Set()): Promise<void> {
    const dirs = [...this.#unsettled].filter((dir) => !synced.has(dir))
    this.#unsettled.clear()
    await syncFiles(dirs)
  }

  /** Everything that was announced is done with. */
  async finish(): Promise<void> {
    this.reviewOwnDisplaced()
    if (this.#unfinished.length > 0) await pause(quietMs)
    for (const { descriptor, file, size } of this.#unfinished) {
      try {
        fs.writeFileSync(file, readWhole(descriptor, size))
      } catch {
        // What was there at first is saved.
      } finally {
        fs.closeSync(descriptor)
      }
    }
    this.#unfinished = []
    await this.settle()
    if (this.#ledger !== undefined) removeFile(this.#ledger)
    this.#ledger = undefined
    this.#announced.clear()
    this.#dirs = {}
  }

  /** On the disk before the first temporary file, or a power cut could leave one that no run knows of. */
  #startLedger(): string {
    const state = this.stateDir()
    const isNew = !isDirectory(path.join(state, 'running'))
    const dir = ownDir(state, 'running')
    sweepLeftovers(dir, this.root)
    const ledger = path.join(dir, this.#run)
    fs.writeFileSync(ledger, JSON.stringify(ownOwner()) + '\n', { flag: 'wx', flush: true })
    for (const made of isNew ? [dir, state, path.dirname(state)] : [dir]) syncFileNow(made)
    return ledger
  }
}

/** A replaced file by its name, and whether it is as it was then. */
export function readDisplaced(file: string): { name: string; isSame: boolean; now: fs.Stats } | undefined {
  const [, size, time, name] = /^(\d+)-([\d.]+)-[0-9a-f]+-(.+)$/s.exec(path.basename(file)) ?? []
  const now = fs.lstatSync(file, { throwIfNoEntry: false })
  if (name === undefined || !now?.isFile()) return undefined
  return { name, isSame: now.size === Number(size) && now.mtimeMs === Number(time), now }
}

/** False where the name is on another file system. */
function isRenamed(from: string, to: string): boolean {
  try {
    renameFile(from, to)
    return true
  } catch (error) {
    if (hasCode(error, 'EXDEV')) return false
    throw error
  }
}

const savedNote = (name: string, saved: string): string =>
  `another program saved ${name} while clada was replacing it; that version is kept in ${saved}`

/** More would be missed elsewhere. */
const mostDescriptors = 64

/** Between two writes of an editor that saves a file. */
export const quietMs = 200
export const longestPause = 3000

/** Hard to guess is enough: a name that exists already is never written to. */
function randomName(): string {
  const half = (): string =>
    Math.floor(Math.random() * 0x1000000)
      .toString(16)
      .padStart(6, '0')
  return half() + half()
}

/**
 * Removes the temporary files of runs that died. Each run keeps a ledger named after itself that begins with who
 * it is and goes on with the directories it put temporary files into. Only its beginning is sure to survive a power cut.
 */
function sweepLeftovers(ledgers: string, root: string): void {
  for (const run of fs.readdirSync(ledgers)) {
    if (!/^[0-9a-f]{12}$/.test(run)) continue
    const ledger = path.join(ledgers, run)
    // Whatever else has such a name is not ours, and may never end.
    if (!fs.lstatSync(ledger, { throwIfNoEntry: false })?.isFile()) continue
    const [first, ...lines] = fs.readFileSync(ledger, 'utf8').split('\n')
    const owner = ownerFrom(jsonOf(first))
    if (owner !== undefined && isAlive(owner)) continue
    const dirs = lines.map(jsonOf).filter((dir) => typeof dir === 'string')
    const searched = owner === undefined || isFromBeforeStart(owner) ? [...dirs, ...directoriesBelow(root)] : dirs
    for (const dir of searched) sweepDir(dir, `.clada-${run}-`)
    fs.rmSync(ledger, { force: true })
  }
}

/** Only names that this run made up can begin so; a link in the way of the directory removes nothing else. */
function sweepDir(dir: string, prefix: string): void {
  try {
    for (const name of fs.readdirSync(dir)) {
      if (name.startsWith(prefix)) fs.rmSync(path.join(dir, name), { force: true })
    }
  } catch {
    // The directory is gone, and what was in it too.
  }
}

/** A directory and all below it, without those that never get temporary files. */
function* directoriesBelow(dir: string): Generator<string> {
  const entries = listEntries(dir)
  if (belongsToGit(dir, entries)) return
  yield dir
  for (const entry of entries)
    if (entry.isDirectory() && !isStateName(entry.name)) yield* directoriesBelow(path.join(dir, entry.name))
}
