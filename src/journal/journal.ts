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
 * What one execution displaces. Before a path changes for the first time, a line in the journal says what is there,
 * and it is kept: a small file by its bytes, a large one by a second name, which keeps it exactly for the price of a
 * link, because files are replaced and never written into. A process that dies leaves enough behind to take everything
 * back.
 */
export class Journal {
  readonly #root: string
  readonly #dir: string
  readonly #contents: Contents
  readonly #fd: number
  readonly #entries = new Map<string, Entry>()
  /** Names of ours that live files have, by device and inode. */
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

  /** A line that may wait for the next one. */
  note(line: object): void {
    this.#lines += `${JSON.stringify(line)}\n`
  }

  /** A line that must not wait. */
  noteNow(line: object): void {
    this.note(line)
    this.#flush()
  }

  change(changes: readonly PathChange[], act: () => void): void {
    this.#keep(changes)
    try {
      act()
    } catch (error) {
      // Nothing happened, or nobody can say what: the disk is asked at the end.
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

  /** A change that was made past this journal, with what was there before. */
  found(absolute: string, before: Inspected, by: number, kind: FoundKind = {}): void {
    const known = this.#entries.get(absolute)
    if (known !== undefined) {
      known.after = undefined
      known.steps.push({ by })
      return
    }
    const state = this.#keptState(before)
    const entry: Entry = { before: state, after: undefined, steps: [{ by }], loose: false, ...kind }
    this.#entries.set(absolute, entry)
    const { ignored } = kind
    this.noteNow({ path: pathFrom(this.#root, absolute), by, to: 'file', before: state, ...(ignored && { ignored }) })
  }

  reverted(absolute: string): void {
    const entry = this.#entries.get(absolute)
    if (entry === undefined) return
    entry.after = undefined
    this.#loosen(entry)
  }

  /** The last action that took a text out of a file, as far as the contents are kept. */
  lostBy(absolute: string, text: string): number | undefined {
    const entry = this.#entries.get(absolute)
    if (entry === undefined) return undefined
    this.#flushPack()
    return lostIn(entry, this.#contents, text)
  }

  /** What came before the first action is not theirs. */
  changedByActions(): string[] {
    return [...this.#entries].flatMap(([absolute, { steps }]) => (steps.some(({ by }) => by > 0) ? [absolute] : []))
  }

  namesOf({ dev, ino }: { readonly dev: number; readonly ino: number }): number {
    return this.#names.size === 0 ? 0 : (this.#names.get(`${dev}:${ino}`) ?? 0)
  }

  /** Everything that is otherwise than before. `inspect` looks at the disk where nobody knows any more. */
  finish(inspect: (absolute: string) => Inspected): PathRecord[] {
    const paths: PathRecord[] = []
    for (const [absolute, entry] of this.#entries) {
      const after = entry.after ?? this.#inspected(inspect(absolute))
      if (entry.roughMode) entry.before = withModeOf(entry.before, after)
      if (entry.loose) copyImage(this.#imageFile(entry.before))
      // A directory that went and came again is the one that was there.
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
   * All of it or nothing: a change that cannot be taken back is not made. First the line, then the second name: a
   * name that is missing then says that nothing had happened yet, and nothing comes between the name and the change.
   */
  #keep(changes: readonly PathChange[]): void {
    const fresh = changes.filter(({ absolute }) => !this.#entries.has(absolute))
    try {
      for (const change of changes) this.#announce(change)
      this.#flush()
      for (const change of fresh) this.#keepImage(change)
    } catch (error) {
      for (const { absolute } of fresh) this.#entries.delete(absolute)
      // Whatever of the line got through ends here.
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
    this.#entries.set(absolute, { before, after: undefined, steps: [], loose: false })
    this.note({ path, by, to, before })
  }

  /** What a move or a program left is known once the next change has read it. */
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

  /** Small ones go into one file: that is quicker than a second name, and the disk gets its room back. */
  #small(mode: number, bytes: Buffer): State {
    this.#keptFd ??= fs.openSync(path.join(this.#dir, keptFile), 'wx', 0o600)
    const kept: Slice = [this.#kept, bytes.length]
    // Where a write broke off, the next one begins.
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
      if (moved) this.#loosen(entry)
    }
  }

  /** The kept file may be alive under another name: it counts as ours, and gets its own copy at the end. */
  #loosen(entry: Entry): void {
    const image = this.#imageFile(entry.before)
    if (entry.loose || image === undefined) return
    entry.loose = true
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

  /** Asked for twice in a row, before a change and after it. */
  #printOf(bytes: Buffer): string {
    if (this.#printed?.bytes !== bytes) this.#printed = { bytes, print: fingerprintOf(bytes) }
    return this.#printed.print
  }

  /** New contents go into one file, so that what came of an edit is known although the file has changed since. */
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
  /** Undefined when the disk has to be asked. */
  after: State | undefined
  readonly steps: StepRecord[]
  loose: boolean
}

function withModeOf(before: State, after: State): State {
  if (before.type !== 'file' || after.type !== 'file' || (before.mode & 0o100) !== (after.mode & 0o100)) return before
  return { ...before, mode: after.mode }
}

/** Up to here a file is copied in no time. */
const smallFile = 256 * 1024

/** A file that goes on under another name is better copied: two names make others wonder. Not when it is huge. */
const copyLimit = 64 * 1024 * 1024

/** Beyond this a version is not kept: it still lies on the disk, or in the image that the next execution makes of it. */
const packLimit = 64 * 1024 * 1024

function stepOf(by: number, after: State | undefined): StepRecord {
  if (after?.type === 'absent' || after?.type === 'directory') return { by, type: after.type }
  if (after?.type !== 'file') return { by }
  const { mode, print, pack } = after
  return { by, mode, ...(print === undefined ? {} : { print }), ...(pack === undefined ? {} : { pack }) }
}
