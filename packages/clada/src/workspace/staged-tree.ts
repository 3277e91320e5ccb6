import type { WriteNote } from '../core/files.ts'
import path from 'node:path'
import fs from 'node:fs'
import type { Staged, StagedState } from '../core/effects.ts'
import type { FileStat, ListedEntry, OpenFile } from '../core/files.ts'
import { ProblemError } from '../core/problem.ts'
import type { FileState } from '../core/recorder.ts'
import { type Change, changeBetween, directoryError, hasSameContent, readOnlyError } from './disk-file.ts'
import { type Location, linkError } from './walk.ts'
import { refusePlanted } from './planted-repository.ts'
import type { ModeAndOwner } from './replacement.ts'
import type { AdoptedFile, Base, EntryInfo, ListedName, OutsideStage, PlacedContent, Removal, Tree } from './tree.ts'

/**
 * A tree on top of another and keeps every change to itself: later actions see what earlier ones did,
 * the one below sees nothing. From here a document's diff is shown, and a group lands whole or not at all.
 */
export class StagedTree implements Tree {
  readonly #below: Tree
  readonly #nodes = new Map<string, StagedPlace>()
  readonly #steps: Step[] = []
  /** Every path that became something else, in order, with what it was. */
  readonly #turns: PriorNode[] = []
  #adopted = 0

  readonly #acting: () => number
  ofProgram = false

  constructor(below: Tree, acting: () => number = () => 0) {
    this.#below = below
    this.#acting = acting
  }

  /** Everything that was done, in order. */
  get steps(): readonly Step[] {
    return this.#steps
  }

  /** Takes over what was done in a stage on top of this one. */
  take(stage: StagedTree): void {
    this.#adopted += stage.#adopted
    // One by one: a call has room for so many arguments only.
    for (const step of stage.#steps) this.#steps.push(step)
    // A file that the stage moved unread may have been changed here before; that is the text it has.
    const taken = [...stage.#nodes].map(([key, { at, node }]) => {
      const origin = node.type === 'file' && node.bytes === undefined ? this.#find(node.origin) : 'below'
      return [key, { at, node: origin === 'below' ? node : origin }] as const
    })
    for (const [key, placed] of taken) this.#nodes.set(key, placed)
  }

  /** Makes changes again that were made on another stage over the same tree, or a part of them. */
  async keep(all: readonly StagedChange[]): Promise<void> {
    for (const { from, change } of all) {
      const { at, before, after } = change
      if (!hasSameContent(this.#stateBelow(from ?? at), before))
        throw new ProblemError({ kind: 'changed-meanwhile', path: at.given })
      if (from !== undefined) this.rename(from, at)
      if (after === null) this.remove(at)
      else if (after.mode === linkMode) this.makeLink(at, after.bytes.toString())
      else if (from === undefined || !hasSameContent(before, after)) {
        const there = this.look(at) === undefined ? null : this.read(at, Infinity)
        this.#makeParents(at)
        const mode = after.mode & 0o7777
        const like =
          there === null && mode !== 0o644
            ? { mode, uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 }
            : undefined
        this.#step({ kind: 'write', at, bytes: after.bytes, base: there, like })
        this.#put(at, { type: 'file', bytes: after.bytes, mode: after.mode })
      }
    }
  }

  /** A text that is at a place without having been written: nothing lands by it. */
  hold(at: Location, bytes: Buffer, mode: number): void {
    this.#put(at, { type: 'file', bytes, mode })
  }

  touchedPaths(): Iterable<string> {
    return this.#nodes.keys()
  }

  look(at: Location): EntryInfo | undefined {
    const node = this.#find(at)
    if (node === 'below') return this.#below.look(at)
    if (node.type === 'absent') return undefined
    if (node.type === 'directory') return stagedLook('directory', 0, node.mode | 0o040000)
    if (node.type === 'new-link') return stagedLook('symlink', node.target.length, linkMode | 0o777)
    if (node.bytes === undefined) return this.#below.look(node.origin)
    return stagedLook('file', node.bytes.length, node.mode)
  }

  open(at: Location): OpenFile {
    const node = this.#find(at)
    if (node === 'below') return this.#below.open(at)
    if (node.type === 'file' && node.bytes === undefined) return this.#below.open({ ...node.origin, given: at.given })
    const { bytes } = this.read(at, Infinity)
    return { size: bytes.length, read: (from, length) => bytes.subarray(from, from + length), close: () => {} }
  }

  read(at: Location, limit: number): Base {
    const node = this.#find(at)
    if (node === 'below') return releaseBase(this.#below.read(at, limit))
    if (node.type === 'absent') throw missing(at, 'open')
    if (node.type === 'directory') throw directoryError(at, 'open')
    if (node.type === 'symlink' || node.type === 'new-link') throw linkError(at, at.absolute)
    if (node.bytes === undefined) {
      const base = releaseBase(this.#below.read({ ...node.origin, given: at.given }, limit))
      // A copy is another file than the one it is read from.
      return node.copied ? { bytes: base.bytes, mode: base.mode, release: () => {} } : base
    }
    if (node.bytes.length > limit) {
      throw new ProblemError({ kind: 'too-large', path: at.given, size: node.bytes.length, limit })
    }
    return { bytes: node.bytes, mode: node.mode, release: () => {} }
  }

  async write(at: Location, bytes: Buffer, base: Base | null): Promise<WriteNote> {
    if (base !== null && this.look(at)?.readOnly) throw readOnlyError(at, 'open')
    this.#makeParents(at)
    this.#step({ kind: 'write', at, bytes, base })
    this.#put(at, { type: 'file', bytes, mode: base?.mode ?? 0o100644 })
    return {}
  }

  async copy(from: Location, to: Location): Promise<void> {
    const node = this.#fileNode(from, 'copyfile')
    if (node.type === 'symlink' || node.type === 'new-link') throw linkError(from, from.absolute)
    this.#refuseTarget(to, 'copyfile')
    if (this.look(to)?.type === 'symlink') throw linkError(to, to.absolute)
    this.#makeParents(to)
    this.#step({ kind: 'copy', from, to })
    this.#put(to, node.type === 'file' && node.bytes === undefined ? { ...node, copied: true } : node)
  }

  remove(at: Location, { readOnly }: Removal = {}): void {
    const look = this.look(at)
    if (look === undefined) throw missing(at, 'unlink')
    refuseUnstageable(look, at, 'unlink')
    if (look.readOnly && look.type === 'file' && readOnly === undefined) throw readOnlyError(at, 'unlink')
    this.#step({ kind: 'remove', at, readOnly })
    this.#put(at, { type: 'absent' })
  }

  rename(from: Location, to: Location): void {
    const node = this.#fileNode(from, 'rename')
    this.#refuseTarget(to, 'rename')
    this.#makeParents(to)
    this.#step({ kind: 'rename', from, to })
    this.#put(to, node)
    this.#put(from, { type: 'absent' })
  }

  /** Bytes of programs that are kept in memory, by this stage and those below it. */
  get adoptedBytes(): number {
    return this.#adopted + (this.#below instanceof StagedTree ? this.#below.adoptedBytes : 0)
  }

  adopt(at: Location, { from, mode }: AdoptedFile): void {
    const { size } = fs.statSync(from)
    if (this.adoptedBytes + size > mostAdopted)
      throw new ProblemError({ kind: 'too-large', path: at.given, size, limit: mostAdopted })
    const look = this.look(at)
    if (look !== undefined) refuseUnstageable(look, at, 'rename')
    if (look?.type === 'symlink') this.remove(at)
    const base = look?.type === 'file' ? this.read(at, Infinity) : null
    this.#makeParents(at)
    const like = { mode, uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 }
    const bytes = fs.readFileSync(from)
    this.#adopted += bytes.length
    this.#step({ kind: 'write', at, bytes, base, like, readOnly: 'left so' })
    this.#put(at, { type: 'file', bytes, mode: 0o100000 | mode })
  }

  makeLink(at: Location, target: string): void {
    if (this.look(at) !== undefined) this.remove(at, { readOnly: 'left so' })
    this.#makeParents(at)
    this.#step({ kind: 'make-link', at, target })
    this.#put(at, { type: 'new-link', target })
  }

  setTime(): void {
    // A stage has no times.
  }

  makeDir(at: Location, mode?: number): void {
    refusePlanted(this, at, 'directory')
    const there = mode === undefined ? undefined : this.look(at)
    if (there?.type === 'directory') {
      this.#step({ kind: 'make-dir', at, mode })
      return
    }
    for (let depth = 1; depth <= at.parts.length; depth++) {
      const dir = ancestor(at, depth)
      const look = this.look(dir)
      if (look === undefined) {
        this.#step({ kind: 'make-dir', at: dir, mode: depth === at.parts.length ? mode : undefined })
        this.#put(dir, { type: 'directory', mode: (depth === at.parts.length ? mode : undefined) ?? 0o755 })
      } else if (look.type === 'symlink') throw linkError(at, dir.absolute)
      else if (look.type !== 'directory')
        throw new ProblemError({ kind: 'os', code: 'ENOTDIR', op: 'mkdir', path: at.given })
    }
  }

  removeDir(at: Location): void {
    if (this.list(at, 'rmdir').length > 0)
      throw new ProblemError({ kind: 'os', code: 'ENOTEMPTY', op: 'rmdir', path: at.given })
    this.#step({ kind: 'remove-dir', at })
    this.#put(at, { type: 'absent' })
  }

  list(at: Location, op = 'scandir'): ListedEntry[] {
    const look = this.look(at)
    if (look === undefined) throw missing(at, op)
    if (look.type === 'symlink') throw linkError(at, at.absolute)
    if (look.type !== 'directory') throw new ProblemError({ kind: 'os', code: 'ENOTDIR', op, path: at.given })
    const onDisk = at.parts.length === 0 || this.#find(at) === 'below'
    const entries = new Map<string, ListedEntry>(
      (onDisk ? this.#below.list(at) : []).map((entry) => [entry.name, entry]),
    )
    for (const [key, placed] of this.#nodes) {
      const name = childName(key, at.absolute)
      if (name === undefined) continue
      const child = this.look(placed.at)
      if (child === undefined) entries.delete(name)
      else
        entries.set(name, {
          name,
          type: child.type,
          size: child.size,
          modified: child.stat.mtime.toISOString(),
          stat: child.stat,
        })
    }
    return [...entries.values()]
  }

  readLink(at: Location): string {
    const node = this.#find(at)
    if (node !== 'below' && node.type === 'new-link') return node.target
    return this.#below.readLink(node !== 'below' && node.type === 'symlink' ? node.origin : at)
  }

  names(at: Location): ListedName[] {
    return this.list(at).map(({ name, type }) => ({ name, type }))
  }

  outside(at: Location): OutsideStage {
    const differing = new Map<string, Buffer | null>()
    for (const [key, { node }] of this.#nodes) {
      if (node.type === 'file') differing.set(key, this.#bytesOf(node))
      else if (node.type === 'absent') differing.set(key, null)
    }
    return { cwd: this.#find(at) === 'below' ? this.#below.outside(at).cwd : undefined, differing }
  }

  /** Nothing is on the disk until the stage lands. */
  async announce(): Promise<void> {}

  staged(): readonly Staged[] {
    const all = new Map(this.#below.staged().map((one) => [one.path, one]))
    for (const [key, { node }] of this.#nodes) all.set(key, { path: key, is: this.#stagedAs(node) })
    return [...all.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
  }

  /** Every file that is not as it is on the disk, in order of path: what is there, and what would be. */
  changes(): Change[] {
    const changes = [...this.#nodes.values()].flatMap(({ at, node }) =>
      changeBetween(at, this.#stateBelow(at), this.#stateOf(node)),
    )
    return changes.sort((a, b) => (a.at.absolute < b.at.absolute ? -1 : 1))
  }

  /** Notes what happens from now on: what is given back tells how the files that it touched have changed. */
  noting(): () => Change[] {
    const from = this.#turns.length
    return () => {
      const touched = new Map<string, { at: Location; was: StagedNode | 'below' }>()
      for (const { at, was } of this.#turns.slice(from)) {
        if (!touched.has(at.absolute)) touched.set(at.absolute, { at, was })
      }
      return [...touched.values()].flatMap(({ at, was }) => {
        const now = this.#find(at)
        const before = was === 'below' ? this.#stateBelow(at) : this.#stateOf(was)
        return changeBetween(at, before, now === 'below' ? before : this.#stateOf(now))
      })
    }
  }

  #step(step: Step): void {
    this.#steps.push({ ...step, by: this.#acting(), ofProgram: this.ofProgram })
  }

  #put(at: Location, node: StagedNode): void {
    this.#turns.push({ at, was: this.#find(at) })
    this.#nodes.set(at.absolute, { at, node })
  }

  #stateBelow(at: Location): FileState | null {
    const look = this.#below.look(at)
    if (look?.type === 'symlink') return { bytes: Buffer.from(this.#below.readLink(at)), mode: linkMode }
    if (look?.type !== 'file') return null
    return { bytes: releaseBase(this.#below.read(at, Infinity)).bytes, mode: look.mode }
  }

  #stateOf(node: StagedNode): FileState | null {
    if (node.type === 'symlink') return this.#stateBelow(node.origin)
    if (node.type === 'new-link') return { bytes: Buffer.from(node.target), mode: linkMode }
    return node.type === 'file' ? { bytes: this.#bytesOf(node), mode: node.mode } : null
  }

  #stagedAs(node: StagedNode): StagedState {
    if (node.type === 'absent' || node.type === 'directory') return node
    if (node.type === 'new-link') return { type: 'link', target: node.target }
    if (node.type === 'symlink') return { type: 'link', target: this.#below.readLink(node.origin) }
    return { type: 'file', mode: node.mode & 0o7777, bytes: this.#bytesOf(node) }
  }

  #refuseTarget(at: Location, op: string): void {
    const look = this.look(at)
    if (look !== undefined) refuseUnstageable(look, at, op)
    if (look?.readOnly && look.type === 'file') throw readOnlyError(at, op)
  }

  #bytesOf(node: StagedNode & { type: 'file' }): Buffer {
    return node.bytes ?? releaseBase(this.#below.read(node.origin, Infinity)).bytes
  }

  /** The node that decides about a location, or `below` when none does. */
  #find(at: Location): StagedNode | 'below' {
    const own = this.#nodes.get(at.absolute)
    if (own !== undefined) return own.node
    for (let depth = at.parts.length - 1; depth > 0; depth--) {
      const above = this.#nodes.get(ancestor(at, depth).absolute)
      if (above === undefined) continue
      // A directory that was made here holds what the nodes say and nothing else.
      return { type: 'absent' }
    }
    return 'below'
  }

  #fileNode(at: Location, op: string): StagedNode {
    const look = this.look(at)
    if (look === undefined) throw missing(at, op)
    refuseUnstageable(look, at, op)
    const node = this.#find(at)
    if (node !== 'below') return node
    if (look.type === 'symlink') return { type: 'symlink', bytes: undefined, origin: at }
    return { type: 'file', bytes: undefined, origin: at, mode: look.mode }
  }

  #makeParents(at: Location): void {
    refusePlanted(this, at, 'other')
    if (at.parts.length > 1) this.makeDir(ancestor(at, at.parts.length - 1))
  }
}

type StagedNode =
  | { readonly type: 'absent' }
  | { readonly type: 'directory'; readonly mode: number }
  | { readonly type: 'file'; readonly bytes: Buffer; readonly mode: number }
  /** Still on the disk, under another name. */
  | {
      readonly type: 'file'
      readonly bytes: undefined
      readonly origin: Location
      readonly mode: number
      readonly copied?: true
    }
  | { readonly type: 'symlink'; readonly bytes: undefined; readonly origin: Location }
  | { readonly type: 'new-link'; readonly target: string }

/** The number of the action it belongs to comes with it. */
export type Step = StepKind & { readonly by?: number; readonly ofProgram?: boolean }

type StepKind =
  | {
      readonly kind: 'write'
      readonly at: Location
      readonly bytes: Buffer
      readonly base: Base | null
      readonly like?: ModeAndOwner | undefined
      readonly readOnly?: 'left so' | undefined
    }
  /** A file of any size, whatever is there. */
  | {
      readonly kind: 'place'
      readonly at: Location
      readonly content: PlacedContent
      readonly expect?: string | undefined
      readonly like?: ModeAndOwner | undefined
      readonly readOnly?: 'left so' | undefined
    }
  | { readonly kind: 'make-link'; readonly at: Location; readonly target: string }
  | { readonly kind: 'copy'; readonly from: Location; readonly to: Location }
  | { readonly kind: 'rename'; readonly from: Location; readonly to: Location }
  | ({ readonly kind: 'remove'; readonly at: Location } & Removal)
  | { readonly kind: 'make-dir'; readonly at: Location; readonly mode?: number | undefined }
  | { readonly kind: 'remove-dir'; readonly at: Location }

/** A change to be made; `from` is the place of the file before, if it is moved. */
export interface StagedChange {
  readonly from?: Location
  readonly change: Change
}

interface StagedPlace {
  readonly at: Location
  readonly node: StagedNode
}

interface PriorNode {
  readonly at: Location
  readonly was: StagedNode | 'below'
}

/** A stage is kept in memory, so programs may not leave more in it together. A file with holes is as long as any other. */
const mostAdopted = 512 * 1024 * 1024

/** As git has it. */
const linkMode = 0o120000

/** What is not on the disk yet has no inode, and was changed right now. */
function stagedLook(type: EntryInfo['type'], size: number, mode: number): EntryInfo {
  const now = new Date()
  const stat: FileStat = {
    mode,
    size,
    nlink: 1,
    uid: process.geteuid?.() ?? 0,
    gid: process.getegid?.() ?? 0,
    dev: 0,
    rdev: 0,
    ino: 0,
    blocks: Math.ceil(size / 512),
    blksize: 4096,
    atime: now,
    mtime: now,
    mtimeMs: now.getTime(),
    ctime: now,
    birthtime: now,
  }
  return { type, size, mode, readOnly: false, stat }
}

/** Thousands of staged files must not hold thousands of descriptors. */
function releaseBase<B extends Base>(base: B): B {
  base.release()
  return base
}

const missing = (at: Location, op: string): ProblemError =>
  new ProblemError({ kind: 'os', code: 'ENOENT', op, path: at.given })

function ancestor(at: Location, depth: number): Location {
  const parts = at.parts.slice(0, depth)
  return { ...at, parts, absolute: depth === 0 ? at.root : path.join(at.root, ...parts) }
}

function childName(key: string, dir: string): string | undefined {
  const prefix = dir.endsWith(path.sep) ? dir : dir + path.sep
  if (!key.startsWith(prefix)) return undefined
  const name = key.slice(prefix.length)
  return name.includes(path.sep) ? undefined : name
}

/** What is there is no file and no link: a directory, or something that nothing could bring back. */
/** Also a file that is too large to be compared: what was there is held in memory to be shown. */
function refuseUnstageable({ type, size }: Pick<EntryInfo, 'type' | 'size'>, at: Location, op: string): void {
  if (type === 'directory') throw directoryError(at, op)
  if (type === 'other') throw new ProblemError({ kind: 'not-regular', path: at.given, type: 'special file', op })
  if (size > mostStaged) throw new ProblemError({ kind: 'too-large', path: at.given, size, limit: mostStaged })
}

const mostStaged = 1024 ** 3
