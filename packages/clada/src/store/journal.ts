import fs from 'node:fs'
import path from 'node:path'
import { digestOfContent } from '../core/digest.ts'
import { pathFrom } from '../core/paths.ts'
import type { Becoming, EndChange, Inspected, PathChange } from '../core/recorder.ts'
import { isInMemory } from '../state/own-files.ts'
import { type ContentStore, mostPacked } from './content-store.ts'
import { lostIn } from './timeline.ts'
import {
  contentsOfHistory,
  dirOf,
  type ExecutionRecord,
  isSameMode,
  isSameState,
  journalFile,
  type PathRecord,
  type State,
  type StepRecord,
} from './record.ts'
import { signerOf } from '../state/project-state.ts'
import { Log } from './log.ts'
import { SharedSync } from './shared-sync.ts'

/**
 * The earlier states of all paths that one execution changes. Before the first change of a path, an entry describes its
 * state, and its content is put into the store: that of a small file as a copy, because an editor may still write into the old
 * one, that of a large one by a hard link. Both are on the disk before the path changes, so that everything can be reverted,
 * whether the process is killed or the power fails.
 */
export class Journal {
  readonly #root: string
  readonly #dir: string
  readonly #log: Log
  readonly #entries = new Map<string, JournalEntry>()
  /** How many of our links live files have, by device and inode. */
  readonly #names = new Map<string, number>()
  readonly #contents: ContentStore
  readonly #onDisk: SharedSync
  #keptBytes = 0

  constructor(history: string, number: number, root: string, header: object) {
    this.#root = root
    this.#dir = dirOf(history, number)
    this.#contents = contentsOfHistory(history, number)
    fs.mkdirSync(this.#dir)
    this.#log = Log.create(path.join(this.#dir, journalFile), signerOf(path.dirname(history)))
    const { dev } = fs.statSync(this.#dir)
    this.#onDisk = new SharedSync(
      [this.#log, this.#contents],
      isInMemory(dev, () => this.#dir),
    )
    this.note(header)
    try {
      this.#log.flush()
    } catch (error) {
      this.#log.close()
      throw error
    }
  }

  /** Adds an entry, which is written together with the next one. */
  note(entry: object): void {
    this.#log.add(entry)
  }

  /** Keeps a content that is no file of the project. It is on the disk with the next sync. */
  keepContent(bytes: Buffer): string {
    return this.#contents.put(bytes)
  }

  /** Everything so far is on the disk. */
  async sync(): Promise<void> {
    await this.#onDisk.sync()
  }

  /** Keeps the states before changes that are about to be made, and brings them to the disk. */
  prepare(changes: readonly PathChange[]): Promise<void> | undefined {
    this.#keep(changes, 'prepared')
    return this.#onDisk.sync()
  }

  beginChange(changes: readonly PathChange[]): EndChange {
    const unprepared = changes.filter((change) => !this.#isPrepared(change))
    if (unprepared.length > 0) {
      this.#keep(unprepared, 'changing')
      // An unknown empty directory is harmless, and what is put into it is announced in turn.
      if (unprepared.some(({ was, becomes }) => was !== 'absent' || becomes.type !== 'directory'))
        this.#onDisk.syncNow()
    }
    return (failed) => {
      try {
        for (const change of changes) {
          if (failed === 'unknown' || failed?.has(change)) this.reverted(change.absolute)
          else this.#made(change)
        }
      } catch (error) {
        // What is not known is read from the disk at the end.
        for (const { absolute } of changes) this.reverted(absolute)
        throw error
      }
    }
  }

  #made({ absolute, becomes, by }: PathChange): void {
    const entry = this.#entries.get(absolute)
    if (entry === undefined) return
    entry.prepared = undefined
    entry.after = this.#after(becomes)
    entry.steps.push(stepOf(by, entry.after))
  }

  /** A change that is only a step on the way to the one that was prepared. */
  passed({ absolute, becomes, by }: PathChange): void {
    const entry = this.#entries.get(absolute)
    entry?.steps.push(stepOf(by, this.#after(becomes)))
  }

  /** A change that was not made through this journal, with the state before it. */
  found(absolute: string, before: Inspected, by: number, kind: FoundKind = {}): void {
    const known = this.#entries.get(absolute)
    if (known !== undefined) {
      known.after = undefined
      known.steps.push({ by })
      return
    }
    const state = this.#keptState(before)
    const entry: JournalEntry = { before: state, after: undefined, steps: [{ by }], stillLinked: false, ...kind }
    this.#entries.set(absolute, entry)
    const { ignored } = kind
    this.note({ path: pathFrom(this.#root, absolute), by, to: 'file', before: state, ignored })
  }

  reverted(absolute: string): void {
    const entry = this.#entries.get(absolute)
    if (entry === undefined) return
    entry.prepared = undefined
    entry.after = undefined
    entry.unsure = true
    this.#markLinked(entry)
  }

  /** The last action that removed a text from a file, as far as contents are kept. */
  lostBy(absolute: string, text: string): number | undefined {
    const entry = this.#entries.get(absolute)
    if (entry === undefined) return undefined
    return lostIn(entry, this.#contents, text)
  }

  /** Without the changes of hooks before the first action. */
  changedByActions(): string[] {
    return [...this.#entries].flatMap(([absolute, { steps }]) => (steps.some(({ by }) => by > 0) ? [absolute] : []))
  }

  namesOf({ dev, ino }: { readonly dev: number; readonly ino: number }): number {
    return this.#names.size === 0 ? 0 : (this.#names.get(`${dev}:${ino}`) ?? 0)
  }

  /** All changed paths. `inspect` reads the disk where the last state is unknown. */
  finish(inspect: (absolute: string) => Inspected): PathRecord[] {
    const paths: PathRecord[] = []
    for (const [absolute, entry] of this.#entries) {
      // It was prepared, and then not made: what is there now is not ours.
      if (entry.steps.length === 0 && !entry.unsure) {
        this.#unlink(entry.before)
        continue
      }
      const after = entry.after ?? this.#inspected(inspect(absolute))
      if (entry.roughMode) entry.before = withModeOf(entry.before, after)
      if (entry.stillLinked) this.#unlink(entry.before)
      // A directory that was removed and made again counts as unchanged.
      const unsure = entry.after === undefined || after.type === 'directory'
      const isSame = (): boolean => isSameMode(entry.before, after) && isSameState(entry.before, after)
      if (unsure && isSame()) continue
      if (entry.before.type === 'absent' && after.type === 'absent') continue
      const { before, steps, ignored } = entry
      paths.push({ path: pathFrom(this.#root, absolute), before, after, steps, ignored })
    }
    this.#contents.flush()
    return paths.sort((a, b) => (a.path < b.path ? -1 : 1))
  }

  /** The last entry; of several the last one counts. */
  end(record: ExecutionRecord): void {
    // A program may have removed it in the meantime.
    fs.lstatSync(path.join(this.#dir, journalFile))
    this.#log.addRecord(record)
    this.#log.flush()
  }

  close(): void {
    this.#contents.close()
    this.#log.close()
  }

  /** Nothing was changed after all. */
  forget(): void {
    this.#contents.forgetOwn()
    fs.rmSync(this.#dir, { recursive: true, force: true })
  }

  /** Whether a change was prepared, and the path is still as it was then. */
  #isPrepared({ absolute, safePath, was, becomes, by }: PathChange): boolean {
    const entry = this.#entries.get(absolute)
    if (entry?.prepared === undefined) return false
    const { to, seen } = entry.prepared
    if (entry.prepared.by !== by || (to !== this.#toOf(becomes) && to !== becomes.type)) return false
    // The caller has just read the state.
    if (was !== undefined) return true
    const now = fs.lstatSync(safePath, { throwIfNoEntry: false })
    if (now === undefined || seen === undefined) return now === seen
    return now.ino === seen.ino && now.mtimeMs === seen.mtimeMs && now.size === seen.size && now.mode === seen.mode
  }

  /** All or nothing: a change that cannot be reverted is not made. */
  #keep(changes: readonly PathChange[], when: 'prepared' | 'changing'): void {
    const { end } = this.#log
    const before = new Map(changes.map(({ absolute }) => [absolute, this.#entries.get(absolute)]))
    try {
      for (const change of changes) this.#announce(change, when)
      this.#contents.flush()
      this.#log.flush()
    } catch (error) {
      this.#log.backTo(end)
      for (const [absolute, entry] of before) {
        if (entry === undefined) this.#entries.delete(absolute)
        else this.#entries.set(absolute, entry)
      }
      throw error
    }
  }

  #announce(change: PathChange, when: 'prepared' | 'changing'): void {
    const { absolute, safePath, was, becomes, by } = change
    const path = pathFrom(this.#root, absolute)
    const to = this.#toOf(becomes)
    const seen = was === undefined ? fs.lstatSync(safePath, { throwIfNoEntry: false }) : undefined
    const prepared = when === 'prepared' ? { to, by, seen } : undefined
    const known = this.#entries.get(absolute)
    if (known !== undefined && (known.steps.length > 0 || known.unsure)) {
      this.#learn(known, was)
      known.prepared = prepared
      return this.note({ path, by, to })
    }
    const before = this.#state(change)
    const entry: JournalEntry = { before, after: undefined, steps: [], stillLinked: false, prepared }
    this.#entries.set(absolute, entry)
    // Whatever was prepared before did not happen.
    this.note({ path, by, to, before, again: known !== undefined ? true : undefined })
  }

  #toOf(becomes: Becoming): string {
    return becomes.type === 'file' && becomes.bytes !== undefined ? digestOfContent(becomes.bytes) : becomes.type
  }

  /** The result of a move or a program is known once the next change has read it. */
  #learn({ steps }: JournalEntry, was: PathChange['was']): void {
    const last = steps.at(-1)
    if (last === undefined || last.digest !== undefined || was === undefined || was === 'absent') return
    steps[steps.length - 1] = stepOf(last.by, this.#fileState(was.mode, was.bytes))
  }

  #state({ safePath, was, moved }: PathChange): State {
    if (was === 'absent') return { type: 'absent' }
    if (was !== undefined && was.bytes.length <= mostPacked) return this.#putBefore(was.mode, was.bytes)
    const stat = fs.lstatSync(safePath, { throwIfNoEntry: false })
    if (stat === undefined) return { type: 'absent' }
    const mode = (was?.mode ?? stat.mode) & 0o7777
    if (stat.isDirectory()) return { type: 'directory', mode }
    if (stat.isSymbolicLink()) return { type: 'symlink', target: fs.readlinkSync(safePath) }
    if (!stat.isFile()) return { type: 'other' }
    // A move leaves the file in use, under another name. A removal must not need space.
    return { type: 'file', mode, digest: this.#contents.keep(safePath, moved === true ? 'copy' : 'link') }
  }

  #putBefore(mode: number, bytes: Buffer): State {
    return { type: 'file', mode: mode & 0o7777, digest: this.keepContent(bytes) }
  }

  #keptState(before: Inspected): State {
    if (before.type !== 'file') return before
    if (before.bytes !== undefined) return this.#putBefore(before.mode, before.bytes)
    return { type: 'file', mode: before.mode, digest: before.digest }
  }

  /** The kept file may still be in use under another name: the link counts as ours until it is replaced by a copy at the end. */
  #markLinked(entry: JournalEntry): void {
    const { before } = entry
    if (entry.stillLinked || before.type !== 'file') return
    const stat = fs.lstatSync(this.#contents.fileOf(before.digest), { throwIfNoEntry: false })
    if (stat === undefined || stat.nlink < 2) return
    entry.stillLinked = true
    const { dev, ino } = stat
    this.#names.set(`${dev}:${ino}`, (this.#names.get(`${dev}:${ino}`) ?? 0) + 1)
  }

  #unlink(state: State): void {
    if (state.type === 'file') this.#contents.unlink(state.digest)
  }

  #after(becomes: Becoming): State | undefined {
    if (becomes.type === 'moved') return undefined
    if (becomes.type !== 'file') return becomes
    if (becomes.bytes === undefined) return undefined
    return this.#fileState(becomes.mode, becomes.bytes)
  }

  #inspected(found: Inspected): State {
    if (found.type !== 'file') return found
    if (found.bytes !== undefined) return this.#fileState(found.mode, found.bytes)
    return { type: 'file', mode: found.mode, digest: found.digest }
  }

  /**
   * New contents are kept too, so that the result of an edit is known even if the file changes again. They are not
   * synced: what a power cut takes of them is missing in a merge and in nothing else.
   */
  #fileState(mode: number, bytes: Buffer): State {
    const isKept = this.#keptBytes + bytes.length <= mostKept
    if (isKept) this.#keptBytes += bytes.length
    return {
      type: 'file',
      mode: mode & 0o7777,
      digest: isKept ? this.#contents.keepUnsynced(bytes) : digestOfContent(bytes),
    }
  }
}

interface FoundKind {
  /** Only the executable bit of the mode is known. */
  readonly roughMode?: true
  readonly ignored?: true
}

interface JournalEntry extends FoundKind {
  before: State
  /** Undefined when it must be read from the disk. */
  after: State | undefined
  readonly steps: StepRecord[]
  /** The kept file may still be in use under another name. */
  stillLinked: boolean
  /** Announced and not made yet, with the file that was there. */
  prepared?: { readonly to: string; readonly by: number; readonly seen: fs.Stats | undefined } | undefined
  /** A change failed, or was reverted: the disk says what is there. */
  unsure?: true
}

function withModeOf(before: State, after: State): State {
  if (before.type !== 'file' || after.type !== 'file' || (before.mode & 0o100) !== (after.mode & 0o100)) return before
  return { ...before, mode: after.mode }
}

/** Contents beyond this are not kept: they are still on the disk, or kept by the next execution that changes them. */
const mostKept = 64 * 1024 * 1024

function stepOf(by: number, after: State | undefined): StepRecord {
  if (after?.type === 'absent' || after?.type === 'directory') return { by, type: after.type }
  if (after?.type !== 'file') return { by }
  const { mode, digest } = after
  return { by, mode, digest }
}
