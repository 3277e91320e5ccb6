import fs from 'node:fs'
import path from 'node:path'
import { fingerprintOf } from '../core/hash.ts'
import { pathFrom } from '../core/paths.ts'
import type { Becoming, Inspected, PathChange } from '../core/recorder.ts'
import { Contents } from './contents.ts'
import { copyFile, copyImage, keepImage, readState } from './images.ts'
import { lostIn } from './lost-text.ts'
import { isSameMode, isSameState } from './path-state.ts'
import {
  dirOf,
  journalFile,
  keptFile,
  packFile,
  type PathRecord,
  type Slice,
  type State,
  type StepRecord,
} from './record.ts'

/**
 * The earlier states of all paths that one execution changes. Before the first change of a path, a line describes its
 * state, and its content is kept: that of a small file as a copy, that of a large one by a hard link, which is enough
 * because files are replaced and never written into. So everything can be reverted even if the process is killed.
 */
export class Journal {
  readonly #root: string
  readonly #dir: string
  readonly #contents: Contents
  readonly #fd: number
  readonly #entries = new Map<string, Entry>()
  /** How many of our links live files have, by device and inode. */
  readonly #names = new Map<string, number>()
  #images = 0
  #lines = ''
  #pack: Buffer[] = []
  #packed = 0
  #waiting = 0
  #packFd: number | undefined
  #kept = 0
  #keptFd: number | undefined
  #printed: { readonly bytes: Buffer; readonly print: string } | undefined

  constructor(history: string, number: number, root: string, header: object) {
    this.#root = root
    this.#dir = dirOf(history, number)
    this.#contents = new Contents(history, number)
    fs.mkdirSync(this.#dir)
    this.#fd = fs.openSync(path.join(this.#dir, journalFile), 'wx', 0o600)
    this.note(header)
    try {
      this.#flush()
    } catch (error) {
      fs.closeSync(this.#fd)
      throw error
    }
  }

  /** Adds a line, which is written together with the next one. */
  note(line: object): void {
    this.#lines += `${JSON.stringify(line)}\n`
  }

  /** Adds a line and writes it at once. */
  noteNow(line: object): void {
    this.note(line)
    this.#flush()
  }

  change(changes: readonly PathChange[], act: () => void): void {
    this.#keep(changes)
    try {
      act()
    } catch (error) {
      // It is unknown what happened, so the disk is read at the end.
      for (const { absolute } of changes) this.reverted(absolute)
      throw error
    }
    for (const { absolute, becomes, by } of changes) {
      const entry = this.#entries.get(absolute)
      if (entry === undefined) continue
      entry.after = this.#after(becomes)
      entry.steps.push(stepOf(by, entry.after))
    }
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
    this.noteNow({ path: pathFrom(this.#root, absolute), by, to: 'file', before: state, ...(ignored && { ignored }) })
  }

  reverted(absolute: string): void {
    const entry = this.#entries.get(absolute)
    if (entry === undefined) return
    entry.after = undefined
    this.#markLinked(entry)
  }

  /** The last action that removed a text from a file, as far as contents are kept. */
  lostBy(absolute: string, text: string): number | undefined {
    const entry = this.#entries.get(absolute)
    if (entry === undefined) return undefined
    this.#flushPack()
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
      const after = entry.after ?? this.#inspected(inspect(absolute))
      if (entry.roughMode) entry.before = withModeOf(entry.before, after)
      if (entry.stillLinked) copyImage(this.#imageFile(entry.before))
      // A directory that was removed and made again counts as unchanged.
      const unsure = entry.after === undefined || after.type === 'directory'
      const isSame = (): boolean =>
        isSameMode(entry.before, after) && isSameState(this.#contents.withBytes(entry.before), after)
      if (unsure && isSame()) continue
      if (entry.before.type === 'absent' && after.type === 'absent') continue
      const { before, steps, ignored } = entry
      paths.push({ path: pathFrom(this.#root, absolute), before, after, steps, ...(ignored && { ignored }) })
    }
    this.#flush()
    this.#flushPack()
    return paths.sort((a, b) => (a.path < b.path ? -1 : 1))
  }

  close(): void {
    fs.closeSync(this.#fd)
    for (const fd of [this.#packFd, this.#keptFd]) if (fd !== undefined) fs.closeSync(fd)
  }

  /**
   * All or nothing: a change that cannot be reverted is not made. First the line, then the link: if the link is missing,
   * the change has not happened yet, and nothing comes between link and change.
   */
  #keep(changes: readonly PathChange[]): void {
    const fresh = changes.filter(({ absolute }) => !this.#entries.has(absolute))
    try {
      for (const change of changes) this.#announce(change)
      this.#flush()
      for (const change of fresh) this.#keepImage(change)
    } catch (error) {
      for (const { absolute } of fresh) this.#entries.delete(absolute)
      // Ends a line that was written in part.
      this.#lines = '\n'
      throw error
    }
  }

  #announce({ absolute, door, was, becomes, by }: PathChange): void {
    const path = pathFrom(this.#root, absolute)
    const to = becomes.type === 'file' && becomes.bytes !== undefined ? this.#printOf(becomes.bytes) : becomes.type
    const known = this.#entries.get(absolute)
    if (known !== undefined) {
      this.#learn(known, was)
      return this.note({ path, by, to })
    }
    const before = this.#state(door, was)
    this.#entries.set(absolute, { before, after: undefined, steps: [], stillLinked: false })
    this.note({ path, by, to, before })
  }

  /** The result of a move or a program is known once the next change has read it. */
  #learn({ steps }: Entry, was: PathChange['was']): void {
    const last = steps.at(-1)
    if (last === undefined || last.print !== undefined || was === undefined || was === 'absent') return
    steps[steps.length - 1] = stepOf(last.by, this.#fileState(was.mode, was.bytes))
  }

  #state(door: string, was: PathChange['was']): State {
    if (was === 'absent') return { type: 'absent' }
    if (was !== undefined && was.bytes.length <= smallFile) return this.#small(was.mode, was.bytes)
    const state = was === undefined ? readState(door) : ({ type: 'file', mode: was.mode & 0o7777 } as const)
    return state.type === 'file' ? { ...state, image: String(this.#images++) } : state
  }

  /** Small files are copied into one file: that is faster than a link each, and frees the space of the old ones. */
  #small(mode: number, bytes: Buffer): State {
    this.#keptFd ??= fs.openSync(path.join(this.#dir, keptFile), 'wx', 0o600)
    const kept: Slice = [this.#kept, bytes.length]
    // A write may be partial.
    for (let at = 0; at < bytes.length;) at += fs.writeSync(this.#keptFd, bytes, at, bytes.length - at, this.#kept + at)
    this.#kept += bytes.length
    return { type: 'file', mode: mode & 0o7777, kept }
  }

  #keptState(before: Inspected): State {
    if (before.type !== 'file') return before
    if (before.bytes.length <= smallFile) return this.#small(before.mode, before.bytes)
    const image = String(this.#images++)
    fs.writeFileSync(path.join(this.#dir, image), before.bytes, { flag: 'wx', mode: before.mode })
    fs.chmodSync(path.join(this.#dir, image), before.mode)
    return { type: 'file', mode: before.mode, image }
  }

  #keepImage({ absolute, door, moved }: PathChange): void {
    const entry = this.#entries.get(absolute)
    const image = entry && this.#imageFile(entry.before)
    if (entry === undefined || image === undefined) return
    if (moved && fs.lstatSync(door).size <= copyLimit) copyFile(door, image)
    else {
      keepImage(door, image)
      if (moved) this.#markLinked(entry)
    }
  }

  /** The kept file may still be in use under another name: the link counts as ours until it is replaced by a copy at the end. */
  #markLinked(entry: Entry): void {
    const image = this.#imageFile(entry.before)
    if (entry.stillLinked || image === undefined) return
    entry.stillLinked = true
    const { dev, ino } = fs.lstatSync(image)
    this.#names.set(`${dev}:${ino}`, (this.#names.get(`${dev}:${ino}`) ?? 0) + 1)
  }

  #imageFile(state: State): string | undefined {
    return state.type === 'file' && state.image !== undefined ? path.join(this.#dir, state.image) : undefined
  }

  #after(becomes: Becoming): State | undefined {
    if (becomes.type === 'moved') return undefined
    if (becomes.type !== 'file') return becomes
    if (becomes.bytes === undefined) return undefined
    return this.#fileState(becomes.mode, becomes.bytes)
  }

  #inspected(found: Inspected): State {
    return found.type === 'file' ? this.#fileState(found.mode, found.bytes) : found
  }

  #fileState(mode: number, bytes: Buffer): State {
    const pack = this.#keepBytes(bytes)
    return { type: 'file', mode: mode & 0o7777, print: this.#printOf(bytes), ...(pack === undefined ? {} : { pack }) }
  }

  /** Called twice in a row, before and after a change. */
  #printOf(bytes: Buffer): string {
    if (this.#printed?.bytes !== bytes) this.#printed = { bytes, print: fingerprintOf(bytes) }
    return this.#printed.print
  }

  /** New contents are kept in one file, so that the result of an edit is known even if the file changes again. */
  #keepBytes(bytes: Buffer): Slice | undefined {
    if (this.#packed + bytes.length > packLimit) return undefined
    const at = this.#packed
    this.#packed += bytes.length
    this.#waiting += bytes.length
    this.#pack.push(bytes)
    if (this.#waiting > 1 << 20) this.#flushPack()
    return [at, bytes.length]
  }

  #flush(): void {
    if (this.#lines === '') return
    fs.writeFileSync(this.#fd, this.#lines)
    this.#lines = ''
  }

  #flushPack(): void {
    if (this.#pack.length === 0) return
    this.#packFd ??= fs.openSync(path.join(this.#dir, packFile), 'wx', 0o600)
    for (const bytes of this.#pack) fs.writeFileSync(this.#packFd, bytes)
    this.#pack = []
    this.#waiting = 0
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
}

function withModeOf(before: State, after: State): State {
  if (before.type !== 'file' || after.type !== 'file' || (before.mode & 0o100) !== (after.mode & 0o100)) return before
  return { ...before, mode: after.mode }
}

/** Files up to this size are copied instead of linked: it is as fast. */
const smallFile = 256 * 1024

/** Moved files up to this size are copied instead of hard-linked, so that tools do not see link count 2. */
const copyLimit = 64 * 1024 * 1024

/** Contents beyond this are not kept: they are still on the disk, or kept by the next execution that changes them. */
const packLimit = 64 * 1024 * 1024

function stepOf(by: number, after: State | undefined): StepRecord {
  if (after?.type === 'absent' || after?.type === 'directory') return { by, type: after.type }
  if (after?.type !== 'file') return { by }
  const { mode, print, pack } = after
  return { by, mode, ...(print === undefined ? {} : { print }), ...(pack === undefined ? {} : { pack }) }
}
