import fs from 'node:fs'
import type { Commits, SeenChanges, Inspected, PathChange, Recorder } from '../core/recorder.ts'
import { readWhole } from './disk-base.ts'
import type { FileState } from './staged-tree.ts'

/** How one file was and is, as far as it is worth showing. */
export interface NotedFile {
  readonly absolute: string
  readonly before: FileState | null
  after: FileState | null
}

/**
 * Passes everything on to the recorder, and meanwhile notes for actions that are watched how files
 * were and what they became. Otherwise it reads nothing and holds nothing.
 */
export class NotedRecorder implements Recorder {
  readonly #recorder: Recorder
  readonly #inspect: (absolute: string) => Inspected
  /** By the number of the action. Files that cannot be shown are undefined. */
  readonly #notes = new Map<number, Map<string, NotedFile | undefined>>()

  constructor(recorder: Recorder, inspect: (absolute: string) => Inspected) {
    this.#recorder = recorder
    this.#inspect = inspect
  }

  /** Notes what the running action does; the returned function reports it, once, and forgets it. */
  noting(): () => NotedFile[] {
    const by = this.acting
    const noted = new Map<string, NotedFile | undefined>()
    this.#notes.set(by, noted)
    return () => {
      this.#notes.delete(by)
      // Files of one action land in any order.
      const files = [...noted.values()].filter((file) => file !== undefined)
      return files.sort((a, b) => (a.absolute < b.absolute ? -1 : 1))
    }
  }

  get acting(): number {
    return this.#recorder.acting
  }

  set acting(action: number) {
    this.#recorder.acting = action
  }

  get ofProgram(): boolean {
    return this.#recorder.ofProgram
  }

  set ofProgram(is: boolean) {
    this.#recorder.ofProgram = is
  }

  queue(): Promise<void> {
    return this.#recorder.queue()
  }

  begin(stateDir: string, commits?: Commits): Promise<void> {
    return this.#recorder.begin(stateDir, commits)
  }

  prepare(changes: readonly PathChange[]): Promise<void> {
    return this.#recorder.prepare(changes)
  }

  change(changes: readonly PathChange[], act: () => void): void {
    const watched = this.#notes.size === 0 ? [] : changes.filter(({ by }) => this.#notes.has(by))
    if (watched.length === 0) return this.#recorder.change(changes, act)
    const before = new Map(watched.map((change) => [change, stateBefore(change)]))
    this.#recorder.change(changes, act)
    const [moved] = watched.filter((change) => change.moved)
    for (const change of watched) {
      const { becomes } = change
      const after =
        becomes.type === 'moved' ? moved && before.get(moved) : becomes.type === 'file' ? stateAfter(change) : null
      this.#note(change.by, change.absolute, before.get(change), after)
    }
  }

  passed(change: PathChange): void {
    this.#recorder.passed(change)
  }

  reverted(absolute: string): void {
    for (const noted of this.#notes.values()) noted.delete(absolute)
    this.#recorder.reverted(absolute)
  }

  beforeProgram(): Promise<void> {
    return this.#recorder.beforeProgram()
  }

  async changedByProgram(absolutes: readonly string[], seen?: SeenChanges): Promise<ReadonlyMap<string, Inspected>> {
    const before = await this.#recorder.changedByProgram(absolutes, seen)
    if (!this.#notes.has(this.acting)) return before
    for (const [absolute, was] of [...before].slice(0, mostFiles))
      this.#note(this.acting, absolute, stateOf(was), stateOf(this.#inspect(absolute)))
    return before
  }

  namesOf(file: { readonly dev: number; readonly ino: number }): number {
    return this.#recorder.namesOf(file)
  }

  #note(by: number, absolute: string, before: Seen, after: Seen): void {
    const noted = this.#notes.get(by)
    if (noted === undefined) return
    const known = noted.get(absolute)
    if (noted.has(absolute) && known === undefined) return
    if (before === undefined || after === undefined) noted.set(absolute, undefined)
    else if (known === undefined) noted.set(absolute, { absolute, before, after })
    else known.after = after
  }
}

/** Null where there is no file. Undefined where there is one that is not shown. */
type Seen = FileState | null | undefined

/** Differences of larger files, and of more files, are not kept. */
const largest = 1 << 20
const mostFiles = 20

function stateBefore({ was, safePath }: PathChange): Seen {
  if (was === 'absent') return null
  return was === undefined ? read(safePath) : shown(was)
}

function stateAfter({ becomes, safePath }: PathChange): Seen {
  if (becomes.type !== 'file' || becomes.bytes === undefined) return read(safePath)
  return shown({ mode: becomes.mode, bytes: becomes.bytes })
}

function stateOf(found: Inspected): Seen {
  if (found.type === 'file') return shown(found)
  return found.type === 'absent' ? null : undefined
}

const shown = ({ bytes, mode }: FileState): Seen =>
  bytes.length > largest ? undefined : { bytes, mode: mode & 0o7777 }

/** A look beside the way of the data: where it fails, nothing is shown, and nothing else is different. */
function read(safePath: string): Seen {
  try {
    const stat = fs.lstatSync(safePath, { throwIfNoEntry: false })
    if (stat === undefined || stat.isDirectory()) return null
    if (!stat.isFile() || stat.size > largest) return undefined
    const fd = fs.openSync(safePath, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK)
    try {
      return shown({ bytes: readWhole(fd, stat.size), mode: stat.mode })
    } finally {
      fs.closeSync(fd)
    }
  } catch {
    return undefined
  }
}
