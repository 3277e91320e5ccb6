import fs from 'node:fs'
import path from 'node:path'
import { digestOf } from '../core/digest.ts'
import { pathFrom } from '../core/paths.ts'
import type { Becoming, EndChange, Inspected, PathChange } from '../core/recorder.ts'
import { compressImage, Contents, copyFile, copyImage, keepImage, readState } from './images.ts'
import { lostIn } from './timeline.ts'
import {
  dirOf,
  type ExecutionRecord,
  isSameMode,
  isSameState,
  journalFile,
  type PathRecord,
  type State,
  type StepRecord,
} from './record.ts'
import { commonBytes, Log, type Slice } from './log.ts'

/**
 * The earlier states of all paths that one execution changes. Before the first change of a path, an entry describes its
 * state, and its content is kept: that of a small file as a copy, that of a large one by a hard link, which is enough
 * because files are replaced and never written into. Both are on the disk before the path changes, so that everything
 * can be reverted, whether the process is killed or the power fails.
 */
export class Journal {
  readonly #root: string
  readonly #dir: string
  readonly #log: Log
  readonly #entries = new Map<string, Entry>()
  /** How many of our links live files have, by device and inode. */
  readonly #names = new Map<string, number>()
  #images = 0
  #packed = 0

  constructor(history: string, number: number, root: string, header: object) {
    this.#root = root
    this.#dir = dirOf(history, number)
    fs.mkdirSync(this.#dir)
    this.#log = Log.create(path.join(this.#dir, journalFile))
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

  /** Everything so far is on the disk. */
  async sync(): Promise<void> {
    await this.#log.sync()
  }

  /** Keeps the states before changes that are about to be made, and brings them to the disk. */
  prepare(changes: readonly PathChange[]): Promise<void> | undefined {
    this.#keep(changes, 'prepared')
    return this.#log.sync()
  }

  beginChange(changes: readonly PathChange[]): EndChange {
    const unprepared = changes.filter((change) => !this.#isPrepared(change))
    if (unprepared.length > 0) {
      this.#keep(unprepared, 'changing')
      // An unknown empty directory is harmless, and what is put into it is announced in turn.
      if (unprepared.some(({ was, becomes }) => was !== 'absent' || becomes.type !== 'directory')) this.#log.syncNow()
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
    entry.after = this.#after(becomes, entry.before)
    entry.steps.push(stepOf(by, entry.after))
  }

  /** A change that is only a step on the way to the one that was prepared. */
  passed({ absolute, becomes, by }: PathChange): void {
    const entry = this.#entries.get(absolute)
    entry?.steps.push(stepOf(by, this.#after(becomes, entry.before)))
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
    const entry: Entry = { before: state, after: undefined, steps: [{ by }], stillLinked: false, ...kind }
    this.#entries.set(absolute, entry)
    const { ignored } = kind
    this.note({ path: pathFrom(this.#root, absolute), by, to: 'file', before: state, ...(ignored && { ignored }) })
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
    this.#log.flush()
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
    this.#log.flush()
    for (const [absolute, entry] of this.#entries) {
      // It was prepared, and then not made: what is there now is not ours.
      if (entry.steps.length === 0 && !entry.unsure) continue
      const after = entry.after ?? this.#inspected(inspect(absolute))
      if (entry.roughMode) entry.before = withModeOf(entry.before, after)
      if (entry.stillLinked) this.#copyImage(entry.before)
      // A directory that was removed and made again counts as unchanged.
      const unsure = entry.after === undefined || after.type === 'directory'
      const isSame = (): boolean =>
        isSameMode(entry.before, after) && isSameState(this.#contents.withBytes(entry.before), after)
      if (unsure && isSame()) continue
      if (entry.before.type === 'absent' && after.type === 'absent') continue
      const { before, steps, ignored } = entry
      paths.push({ path: pathFrom(this.#root, absolute), before, after, steps, ...(ignored && { ignored }) })
    }
    return paths.sort((a, b) => (a.path < b.path ? -1 : 1))
  }

  /** The last entry; of several the last one counts. */
  end(record: ExecutionRecord): void {
    // A program may have removed it in the meantime.
    fs.lstatSync(path.join(this.#dir, journalFile))
    this.#log.addRecord(record)
    this.#log.flush()
  }

  /** Once everything is on the disk: large files as they were take less space. A failure costs only that. */
  async compress(): Promise<void> {
    for (const { before } of this.#entries.values()) {
      const image = this.#imageFile(before)
      if (image !== undefined) await compressImage(image).catch(() => {})
    }
  }

  close(): void {
    this.#log.close()
  }

  get #contents(): Contents {
    return new Contents(this.#dir)
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
    const { size } = this.#log
    const before = new Map(changes.map(({ absolute }) => [absolute, this.#entries.get(absolute)]))
    try {
      for (const change of changes) this.#announce(change, when)
      this.#log.flush()
    } catch (error) {
      this.#log.backTo(size)
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
    const entry: Entry = { before, after: undefined, steps: [], stillLinked: false, prepared }
    this.#entries.set(absolute, entry)
    if (change.moved && before.type === 'file' && before.image !== undefined) this.#markLinked(entry)
    // Whatever was prepared before did not happen.
    this.note({ path, by, to, before, ...(known !== undefined && { again: true }) })
  }

  #toOf(becomes: Becoming): string {
    return becomes.type === 'file' && becomes.bytes !== undefined ? digestOf(becomes.bytes) : becomes.type
  }

  /** The result of a move or a program is known once the next change has read it. */
  #learn({ steps }: Entry, was: PathChange['was']): void {
    const last = steps.at(-1)
    if (last === undefined || last.digest !== undefined || was === undefined || was === 'absent') return
    steps[steps.length - 1] = stepOf(last.by, this.#fileState(was.mode, was.bytes))
  }

  #state({ safePath, was, moved }: PathChange): State {
    if (was === 'absent') return { type: 'absent' }
    if (was !== undefined && was.bytes.length <= smallFile) return this.#small(was.mode, was.bytes)
    const state = was === undefined ? readState(safePath) : ({ type: 'file', mode: was.mode & 0o7777 } as const)
    if (state.type !== 'file') return state
    const { size, mtimeMs } = fs.lstatSync(safePath)
    const bytes = was?.bytes ?? (size <= largestPrint ? fs.readFileSync(safePath) : undefined)
    // A move leaves the file in use, under another name. A removal must not need space.
    if (moved && bytes !== undefined && bytes.length <= smallFile) return this.#small(state.mode, bytes)
    const image = String(this.#images++)
    const file = path.join(this.#dir, image)
    const copied = moved === true && size <= copyLimit
    if (copied) copyFile(safePath, file)
    else keepImage(safePath, file)
    // The system has long written what was not touched for a while.
    if (copied || Math.abs(Date.now() - mtimeMs) < 60_000) this.#log.alsoSync(file)
    this.#log.alsoSync(this.#dir)
    return { ...state, image, ...(bytes && { digest: digestOf(bytes) }) }
  }

  /** Small files are copied into the journal: that is faster than a link each, and frees the space of the old ones. */
  #small(mode: number, bytes: Buffer): State {
    return { type: 'file', mode: mode & 0o7777, digest: digestOf(bytes), kept: this.#log.addContent(bytes) }
  }

  #keptState(before: Inspected): State {
    if (before.type !== 'file') return before
    if (before.bytes.length <= smallFile) return this.#small(before.mode, before.bytes)
    const image = String(this.#images++)
    const file = path.join(this.#dir, image)
    fs.writeFileSync(file, before.bytes, { flag: 'wx', mode: before.mode })
    fs.chmodSync(file, before.mode)
    this.#log.alsoSync(file)
    this.#log.alsoSync(this.#dir)
    return { type: 'file', mode: before.mode, image, digest: digestOf(before.bytes) }
  }

  /** The kept file may still be in use under another name: the link counts as ours until it is replaced by a copy at the end. */
  #markLinked(entry: Entry): void {
    const image = this.#imageFile(entry.before)
    if (entry.stillLinked || image === undefined) return
    entry.stillLinked = true
    const { dev, ino } = fs.lstatSync(image)
    this.#names.set(`${dev}:${ino}`, (this.#names.get(`${dev}:${ino}`) ?? 0) + 1)
  }

  #copyImage(state: State): void {
    const image = this.#imageFile(state)
    if (image === undefined) return
    copyImage(image)
    this.#log.alsoSync(image)
  }

  #imageFile(state: State): string | undefined {
    return state.type === 'file' && state.image !== undefined ? path.join(this.#dir, state.image) : undefined
  }

  #after(becomes: Becoming, before: State): State | undefined {
    if (becomes.type === 'moved') return undefined
    if (becomes.type !== 'file') return becomes
    if (becomes.bytes === undefined) return undefined
    return this.#fileState(becomes.mode, becomes.bytes, before)
  }

  #inspected(found: Inspected): State {
    return found.type === 'file' ? this.#fileState(found.mode, found.bytes) : found
  }

  #fileState(mode: number, bytes: Buffer, before?: State): State {
    const kept = this.#keepBytes(bytes, before)
    return { type: 'file', mode: mode & 0o7777, digest: digestOf(bytes), ...(kept === undefined ? {} : { kept }) }
  }

  /** New contents are kept too, so that the result of an edit is known even if the file changes again. */
  #keepBytes(bytes: Buffer, before?: State): Slice | undefined {
    // Of a large file only what is not in the one before it.
    const image = bytes.length > smallFile && before?.type === 'file' ? before.image : undefined
    const earlier = image === undefined ? undefined : this.#contents.image(image)
    const [beginning, end] = earlier === undefined ? [0, 0] : commonBytes(earlier, bytes)
    const own = bytes.subarray(beginning, bytes.length - end)
    if (this.#packed + own.length > packLimit) return undefined
    this.#packed += own.length
    const [at, length] = this.#log.addContent(own)
    return image === undefined ? [at, length] : [at, length, [image, beginning, end]]
  }
}

interface FoundKind {
  /** Only the executable bit of the mode is known. */
  readonly roughMode?: true
  readonly ignored?: true
}

interface Entry extends FoundKind {
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

/** Files up to this size are copied instead of linked when they are replaced: it is as fast. */
const smallFile = 256 * 1024

/** Larger files are not read only to keep them, so they have no checksum. */
const largestPrint = 64 * 1024 * 1024

/** Moved files up to this size are copied instead of hard-linked, so that tools do not see link count 2. */
const copyLimit = 64 * 1024 * 1024

/** Contents beyond this are not kept: they are still on the disk, or kept by the next execution that changes them. */
const packLimit = 64 * 1024 * 1024

function stepOf(by: number, after: State | undefined): StepRecord {
  if (after?.type === 'absent' || after?.type === 'directory') return { by, type: after.type }
  if (after?.type !== 'file') return { by }
  const { mode, digest, kept } = after
  return { by, mode, ...(digest === undefined ? {} : { digest }), ...(kept === undefined ? {} : { kept }) }
}
