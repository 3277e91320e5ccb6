import type { WriteNote } from '../core/files.ts'
import fs from 'node:fs'
import type { Staged } from '../core/effects.ts'
import type { ListedEntry, OpenFile } from '../core/files.ts'
import { ProblemError } from '../core/problem.ts'
import { type Becoming, type Inspected, mostInMemory, type PathChange, type Recorder } from '../core/recorder.ts'
import {
  DiskBase,
  directoryError,
  irregularError,
  isReadOnly,
  readWhole,
  refuseSpecial,
  refuseReadOnly,
  typeOf,
  writeWhole,
} from './disk-file.ts'
import { type Dir, linkError, type Location, baseName, asOsProblem, Walk, withOsProblems } from './walk.ts'
import { hasCode } from '../core/errors.ts'
import { platform } from '../core/platform.ts'
import {
  beginReplacement,
  type WrittenContent,
  type ExpectedTarget,
  type Fill,
  linkOrCopy,
  renameOrCopy,
  recordChanges,
  type Replacement,
  type ReplacementContext,
} from './replacement.ts'
import { copyAttributes } from './attributes.ts'
import { nativeCalls } from './native.ts'
import { holdsLoginIn } from '../process/login-files.ts'
import type { Scratch } from './scratch.ts'
import { refusePlanted } from './planted-repository.ts'
import { copyOpen, copyToNew, digestOfOpen } from '../state/large-files.ts'
import { renameFile, syncFileNow, unlinkFile } from '../state/own-files.ts'
import type {
  AdoptedFile,
  Announced,
  Base,
  EntryInfo,
  ListedName,
  OutsideStage,
  PlacedContent,
  Removal,
  Tree,
} from './tree.ts'

type Manner = Pick<WrittenContent, 'like' | 'readOnly'>

/** The real thing. Every call goes through a directory that was walked to without following a link. */
export class DiskTree implements Tree {
  readonly #walk: Walk
  readonly #scratch: Scratch
  readonly #recorder: Recorder | undefined
  readonly #replacing: ReplacementContext
  readonly #touched = new Set<Dir>()
  #isRestoring = false
  /** Set while files of a commit are put in place, which may have a repository among them. */
  isCheckout = false

  constructor(scratch: Scratch, recorder?: Recorder, native = nativeCalls) {
    this.#scratch = scratch
    this.#recorder = recorder
    // Loaded when it is needed: most commands write nothing.
    this.#replacing = {
      scratch,
      recorder,
      get native() {
        return native()
      },
    }
    this.#walk = new Walk((absolute, safePath) => {
      const made: PathChange = {
        absolute,
        safePath,
        was: 'absent',
        becomes: { type: 'directory' },
        by: recorder?.acting ?? 0,
      }
      this.#record([made], () => fs.mkdirSync(safePath))
    })
  }

  /** Whose changes the next ones are, where they are made later than they were asked for. */
  actFor({ by, ofProgram = false }: { readonly by?: number; readonly ofProgram?: boolean }): void {
    if (this.#recorder !== undefined && by !== undefined) this.#recorder.acting = by
    this.ofProgram = ofProgram
  }

  get ofProgram(): boolean {
    return this.#recorder?.ofProgram ?? false
  }

  set ofProgram(is: boolean) {
    if (this.#recorder !== undefined) this.#recorder.ofProgram = is
  }

  staged(): readonly Staged[] {
    return []
  }

  look(at: Location): EntryInfo | undefined {
    const dir = this.#parentIfThere(at)
    if (dir === undefined) return undefined
    const safePath = dir.at(baseName(at))
    const stat = withOsProblems('open', at.given, () => fs.lstatSync(safePath, { throwIfNoEntry: false }))
    if (stat === undefined) return undefined
    return { type: typeOf(stat), size: stat.size, mode: stat.mode, readOnly: isReadOnly(stat, safePath), stat }
  }

  read(at: Location, limit: number): DiskBase {
    const { fd, stat } = this.#openRegular(at, 'open')
    try {
      if (stat.size > limit) throw new ProblemError({ kind: 'too-large', path: at.given, size: stat.size, limit })
      const base = new DiskBase(fd, stat, readWhole(fd, stat.size))
      // Windows does not replace an open file: an editor could not save. It is opened again before it is replaced.
      if (!platform.replacesOpenFiles) base.release()
      return base
    } catch (error) {
      fs.closeSync(fd)
      throw asOsProblem(error, 'open', at.given)
    }
  }

  /** Whether a file that may contain a login does. One that cannot be read does. */
  holdsLogin(at: Location): boolean {
    try {
      const { fd } = this.#openRegular(at, 'open')
      try {
        return holdsLoginIn(fd)
      } finally {
        fs.closeSync(fd)
      }
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error
      return !(error.problem.kind === 'os' && error.problem.code === 'ENOENT')
    }
  }

  async write(at: Location, bytes: Buffer, base: Base | null, how: Manner = {}): Promise<WriteNote> {
    const replacement = this.prepare(at, bytes, base, how)
    const written = replacement.write()
    if (written !== undefined) await written
    return replacement.commit()
  }

  /** Writes the new file beside the old one. It counts only once it is committed. */
  prepare(at: Location, bytes: Buffer, base: Base | null, { like, readOnly }: Manner = {}): Replacement {
    // A base that is not from this disk was written by an earlier step of the same group, which takes its name first.
    const expected = base === null || base instanceof DiskBase ? base : 'anything'
    const content = { mode: base?.mode, bytes, like, readOnly }
    return this.#begin(at, expected, 'open', (fd) => writeWhole(fd, bytes), content)
  }

  /** A text that another one of the same file follows before anything is written. */
  passed({ at, bytes, base, by }: { at: Location; bytes: Buffer; base: Base | null; by?: number }): void {
    const becomes = { type: 'file', mode: base?.mode ?? 0o100644, bytes } as const
    this.#recorder?.passed({ absolute: at.absolute, safePath: '', becomes, by: by ?? this.#recorder.acting })
  }

  /** Puts a file of any size in place of whatever file is there. */
  async place(at: Location, content: PlacedContent, { expect, ...how }: Removal & Manner): Promise<WriteNote> {
    if (expect !== undefined && this.look(at) !== undefined && this.#digestAt(at) !== expect)
      throw new ProblemError({ kind: 'changed-meanwhile', path: at.given })
    if (Buffer.isBuffer(content)) {
      const replacement = this.#begin(at, 'anything', 'open', (fd) => writeWhole(fd, content), how)
      await replacement.write()
      return replacement.commit()
    }
    const source = fs.openSync(content.file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    try {
      const fill: Fill = (fd) => copyOpen(source, fd)
      const replacement = this.#begin(at, 'anything', 'open', fill, { mode: content.mode, ...how })
      await replacement.write()
      return await replacement.commit()
    } finally {
      fs.closeSync(source)
    }
  }

  async copy(from: Location, to: Location): Promise<void> {
    const { fd, stat } = this.#openRegular(from, 'copyfile')
    let replacement: Replacement
    try {
      replacement = this.#begin(to, 'anything', 'copyfile', (target) => copyOpen(fd, target), { mode: stat.mode })
      await replacement.write()
    } finally {
      fs.closeSync(fd)
    }
    // Both names may be one file, which Windows does not replace while it is open.
    await replacement.commit()
  }

  remove(at: Location, { expect, readOnly }: Removal = {}): void {
    if (at.parts.length === 0) throw directoryError(at, 'unlink')
    const dir = this.#walk.parentOf(at, { missing: 'fail', op: 'unlink' })
    // Node says EPERM for a directory on some systems and EISDIR on others; a look first says it the same everywhere.
    const stat = fs.lstatSync(dir.at(baseName(at)), { throwIfNoEntry: false })
    if (stat === undefined) throw new ProblemError({ kind: 'os', code: 'ENOENT', op: 'unlink', path: at.given })
    refuseSpecial(at, stat, 'unlink')
    if (!stat.isSymbolicLink() && readOnly === undefined) refuseReadOnly(at, stat, dir.at(baseName(at)), 'unlink')
    if (expect !== undefined && this.#digestAt(at) !== expect)
      throw new ProblemError({ kind: 'changed-meanwhile', path: at.given })
    const safePath = dir.at(baseName(at))
    const unlink = (): void => unlinkFile(safePath)
    withOsProblems('unlink', at.given, () => this.#record([this.#change(at, safePath, { type: 'absent' })], unlink))
    this.#touch(dir)
  }

  #digestAt(at: Location): string {
    const { fd } = this.#openRegular(at, 'open')
    try {
      return digestOfOpen(fd)
    } finally {
      fs.closeSync(fd)
    }
  }

  rename(from: Location, to: Location): void {
    this.#refusePlanted(to, 'other')
    const source = this.#walk.parentOf(from, { missing: 'fail', op: 'rename' })
    const target = this.#walk.parentOf(to, { missing: 'make', op: 'rename' })
    const moved = fs.lstatSync(source.at(baseName(from)), { throwIfNoEntry: false })
    if (moved !== undefined && !moved.isDirectory()) refuseSpecial(from, moved, 'rename')
    const displaced = fs.lstatSync(target.at(baseName(to)), { throwIfNoEntry: false })
    if (displaced !== undefined && !displaced.isDirectory()) refuseSpecial(to, displaced, 'rename')
    if (displaced?.isFile() && isReadOnly(displaced, target.at(baseName(to)))) {
      throw new ProblemError({ kind: 'os', code: 'EACCES', op: 'rename', path: from.given, dest: to.given })
    }
    const safePaths = [source.at(baseName(from)), target.at(baseName(to))] as const
    const changes = [
      this.#change(from, safePaths[0], { type: 'absent' }, 'moved'),
      this.#change(to, safePaths[1], { type: 'moved' }),
    ]
    withOsProblems('rename', from.given, () => this.#record(changes, () => renameFile(...safePaths)), to.given)
    this.#touch(source)
    this.#touch(target)
  }

  makeDir(at: Location, mode?: number): void {
    this.#refusePlanted(at, 'directory')
    const dir = this.#walk.dirAt(at, { missing: 'make', op: 'mkdir' })
    if (mode !== undefined && (fs.statSync(dir.at('.')).mode & 0o7777) !== mode) {
      const chmod = (): void => fs.chmodSync(dir.at('.'), mode)
      const change = this.#change(at, dir.at('.'), { type: 'directory', mode })
      withOsProblems('chmod', at.given, () => this.#record([change], chmod))
    }
    this.#touch(dir)
  }

  adopt(at: Location, { from, mode }: AdoptedFile): void {
    this.#refusePlanted(at, 'other')
    const dir = this.#walk.parentOf(at, { missing: 'make', op: 'rename' })
    const safePath = dir.at(baseName(at))
    const there = fs.lstatSync(safePath, { throwIfNoEntry: false })
    if (there !== undefined) refuseSpecial(at, there, 'rename')
    const take = (): void => {
      try {
        // An overlay writes marks of its own on a file that it copied, so that one is copied once more, without them.
        if (there === undefined) return renameFile(from, safePath)
      } catch (error) {
        if (!hasCode(error, 'EXDEV')) throw error
      }
      const temp = dir.at(this.#scratch.tempName(dir.path))
      copyToNew(from, temp)
      const { atime, mtime } = fs.statSync(from)
      this.#copyAttributes(from, temp)
      fs.chmodSync(temp, mode)
      fs.utimesSync(temp, atime, mtime)
      syncFileNow(temp)
      renameFile(temp, safePath)
    }
    withOsProblems('rename', at.given, () => {
      fs.chmodSync(from, mode)
      const { size } = fs.statSync(from)
      const becomes = { type: 'file', mode, bytes: size <= readAtOnce ? fs.readFileSync(from) : undefined } as const
      const change = this.#change(at, safePath, becomes)
      this.#record([there === undefined ? { ...change, was: 'absent' } : change], take)
    })
    this.#touch(dir)
  }

  #copyAttributes(from: string, to: string): void {
    const { native } = this.#replacing
    if (native === undefined) return
    const [source, target] = [fs.openSync(from, 'r'), fs.openSync(to, 'r')]
    try {
      copyAttributes(native, source, target)
    } finally {
      fs.closeSync(source)
      fs.closeSync(target)
    }
  }

  setTime(at: Location, mtime: Date): void {
    const dir = this.#walk.parentOf(at, { missing: 'fail', op: 'utime' })
    withOsProblems('utime', at.given, () => fs.lutimesSync(dir.at(baseName(at)), mtime, mtime))
  }

  removeDir(at: Location): void {
    if (at.parts.length === 0)
      throw new ProblemError({
        kind: 'path',
        rule: 'path_denied',
        path: at.given,
        reason: 'it is the root itself',
        advice: 'Name something below it.',
      })
    const dir = this.#walk.parentOf(at, { missing: 'fail', op: 'rmdir' })
    const stat = fs.lstatSync(dir.at(baseName(at)), { throwIfNoEntry: false })
    if (stat === undefined) throw new ProblemError({ kind: 'os', code: 'ENOENT', op: 'rmdir', path: at.given })
    if (stat.isSymbolicLink()) throw linkError(at, at.absolute)
    if (!stat.isDirectory()) throw new ProblemError({ kind: 'os', code: 'ENOTDIR', op: 'rmdir', path: at.given })
    const safePath = dir.at(baseName(at))
    const rmdir = (): void => fs.rmdirSync(safePath)
    withOsProblems('rmdir', at.given, () => this.#record([this.#change(at, safePath, { type: 'absent' })], rmdir))
    this.#walk.forget(at)
    this.#touch(dir)
  }

  readLink(at: Location): string {
    const dir = this.#walk.parentOf(at, { missing: 'fail', op: 'readlink' })
    return withOsProblems('readlink', at.given, () => fs.readlinkSync(dir.at(baseName(at))))
  }

  makeLink(at: Location, target: string): void {
    this.#refusePlanted(at, 'other')
    const dir = this.#walk.parentOf(at, { missing: 'make', op: 'symlink' })
    const safePath = dir.at(baseName(at))
    const link = (): void => fs.symlinkSync(target, safePath)
    withOsProblems('symlink', at.given, () => this.#record([this.#change(at, safePath, { type: 'moved' })], link))
    this.#touch(dir)
  }

  async announce(changes: readonly Announced[]): Promise<void> {
    const known = changes.flatMap((change): PathChange[] => {
      const { at, becomes } = change
      if (at.parts.length === 0) return []
      const dir = this.#parentUnlessLink(at)
      this.actFor(change)
      if (dir !== undefined) return [this.#change(at, dir.at(baseName(at)), becomes, change.moved)]
      // Its directory is made before it. One by one, 10,000 new files in a new directory waited six seconds for the log.
      return becomes.type === 'absent' ? [] : [{ ...this.#change(at, at.absolute, becomes), was: 'absent' }]
    })
    if (known.length > 0) await this.#recorder?.prepare(known)
  }

  /** What is at a location, bytes included. */
  inspect(at: Location): Inspected {
    const look = this.look(at)
    if (look === undefined) return { type: 'absent' }
    if (look.type === 'symlink') return { type: 'symlink', target: this.readLink(at) }
    if (look.type === 'directory') return { type: 'directory', mode: look.mode & 0o7777 }
    if (look.type !== 'file') return { type: look.type }
    if (look.size > mostInMemory) return { type: 'file', mode: look.mode & 0o7777, digest: this.#digestAt(at) }
    const base = this.read(at, Infinity)
    base.release()
    return { type: 'file', mode: base.mode & 0o7777, bytes: base.bytes }
  }

  open(at: Location): OpenFile {
    const { fd, stat } = this.#openRegular(at, 'open')
    return {
      size: stat.size,
      read: (position, length) => {
        const buffer = Buffer.allocUnsafe(length)
        return buffer.subarray(
          0,
          withOsProblems('read', at.given, () => fs.readSync(fd, buffer, 0, length, position)),
        )
      },
      close: () => fs.closeSync(fd),
    }
  }

  list(at: Location): ListedEntry[] {
    const dir = this.#walk.dirAt(at, { missing: 'fail', op: 'scandir' })
    const names = withOsProblems('scandir', at.given, () => fs.readdirSync(dir.at('.')))
    const entries: ListedEntry[] = []
    for (const name of names) {
      // A name that was removed in the meantime does not exist.
      const stat = fs.lstatSync(dir.at(name), { throwIfNoEntry: false })
      if (stat !== undefined) {
        entries.push({ name, type: typeOf(stat), size: stat.size, modified: stat.mtime.toISOString(), stat })
      }
    }
    return entries
  }

  /**
   * Keeps what is at a location under a second name, so that it can be put back whatever happens to it: beside it,
   * or in the root when its directory may have to go.
   */
  keepCopy(at: Location, where: 'beside' | 'root'): { restore: () => void; forget: () => void } {
    const dir = this.#parentIfThere(at)?.hold()
    const safePath = dir?.at(baseName(at))
    const stat = safePath === undefined ? undefined : fs.lstatSync(safePath, { throwIfNoEntry: false })
    if (dir === undefined || safePath === undefined || stat === undefined) {
      dir?.drop()
      return { restore: () => this.#restore(at, () => this.#clear(at)), forget: () => {} }
    }
    if (stat.isDirectory()) {
      dir.drop()
      const restore = (): void => {
        const look = this.look(at)
        if (look?.type === 'directory') return
        if (look !== undefined) this.remove(at, { readOnly: 'left so' })
        this.makeDir(at, (stat.mode & 0o7777) | 0o700)
      }
      return { restore: () => this.#restore(at, restore), forget: () => {} }
    }
    const keeper = (
      where === 'beside' ? dir : this.#walk.dirAt({ ...at, parts: [] }, { missing: 'fail', op: 'open' })
    ).hold()
    dir.drop()
    const copy = keeper.at(withOsProblems('link', at.given, () => this.#scratch.tempName(keeper.path)))
    withOsProblems('link', at.given, () => linkOrCopy(safePath, copy))
    const forget = (): void => {
      fs.rmSync(copy, { force: true })
      keeper.drop()
    }
    const restore = (): void => {
      // Walked to again: the directory may be another one by now.
      const home = this.#walk.parentOf(at, { missing: 'make', op: 'rename' })
      // A step that was taken may have made a directory of it; what came into that is gone again.
      if (this.look(at)?.type === 'directory') this.removeDir(at)
      renameOrCopy(copy, home.at(baseName(at)))
      forget()
    }
    return { restore: () => this.#restore(at, restore), forget }
  }

  /** The journal knows what was there before, and a full disk may have no room for another entry. */
  #restore(at: Location, act: () => void): void {
    this.#isRestoring = true
    try {
      act()
    } finally {
      this.#isRestoring = false
      this.#recorder?.reverted(at.absolute)
    }
  }

  #clear(at: Location): void {
    const look = this.look(at)
    if (look?.type === 'directory') this.removeDir(at)
    else if (look !== undefined) this.remove(at, { readOnly: 'left so' })
  }

  names(at: Location): ListedName[] {
    const dir = this.#walk.dirAt(at, { missing: 'fail', op: 'scandir' })
    const entries = withOsProblems('scandir', at.given, () => fs.readdirSync(dir.at('.'), { withFileTypes: true }))
    return entries.map((entry) => ({ name: entry.name, type: typeOf(entry) }))
  }

  outside(at: Location): OutsideStage {
    return { cwd: this.#walk.dirAt(at, { missing: 'fail', op: 'open' }).itself, differing: new Map() }
  }

  /** Makes all renames and removals so far durable. */
  async settle(): Promise<void> {
    const dirs = [...this.#touched]
    this.#touched.clear()
    const synced = dirs.map((dir) => new Promise<void>((done) => dir.sync(done)))
    await Promise.all([...synced, this.#scratch.settle(new Set(dirs.map((dir) => dir.path)))])
    for (const dir of dirs) dir.drop()
  }

  /** The same, and lets go of everything. */
  async finish(): Promise<void> {
    await this.settle()
    this.#walk.close()
  }

  /** Remembers to sync a directory. It is held until then; not too many at a time. */
  #touch(dir: Dir): void {
    if (this.#touched.has(dir)) return
    this.#touched.add(dir.hold())
    if (this.#touched.size <= 64) return
    for (const oldest of this.#touched) {
      oldest.syncNow()
      oldest.drop()
      this.#touched.delete(oldest)
      return
    }
  }

  #refusePlanted(at: Location, as: 'directory' | 'other'): void {
    if (!this.isCheckout) refusePlanted(this, at, as)
  }

  #openRegular(at: Location, op: string): { fd: number; stat: fs.Stats } {
    if (at.parts.length === 0) throw directoryError(at, op)
    const dir = this.#walk.parentOf(at, { missing: 'fail', op })
    const fd = openNoFollow(dir.at(baseName(at)), at, op)
    const stat = fs.fstatSync(fd)
    if (stat.isFile()) return { fd, stat }
    fs.closeSync(fd)
    throw irregularError(at, stat, op)
  }

  #change(at: Location, safePath: string, becomes: Becoming, how?: 'moved'): PathChange {
    const by = this.#recorder?.acting ?? 0
    return { absolute: at.absolute, safePath, becomes, by, moved: how === undefined ? undefined : true }
  }

  #record(changes: readonly PathChange[], act: () => void): void {
    recordChanges(this.#isRestoring ? undefined : this.#recorder, changes, act)
  }

  #begin(at: Location, base: ExpectedTarget, op: string, fill: Fill, content: WrittenContent): Replacement {
    if (at.parts.length === 0) throw directoryError(at, op)
    this.#refusePlanted(at, 'other')
    const dir = this.#walk.parentOf(at, { missing: 'make', op })
    this.#touch(dir)
    return beginReplacement({ at, dir, base, op, fill, ...content, ...this.#replacing })
  }

  /** A change before this one may put a directory in the place of a link. If none does, the walk refuses it when it is made. */
  #parentUnlessLink(at: Location): Dir | undefined {
    try {
      return this.#parentIfThere(at)
    } catch (error) {
      if (error instanceof ProblemError && error.problem.kind === 'path') return undefined
      throw error
    }
  }

  #parentIfThere(at: Location): Dir | undefined {
    try {
      return this.#walk.parentOf(at, { missing: 'fail', op: 'open' })
    } catch (error) {
      if (
        error instanceof ProblemError &&
        error.problem.kind === 'os' &&
        /^(ENOENT|ENOTDIR)$/.test(error.problem.code)
      ) {
        return undefined
      }
      throw error
    }
  }
}

/** Larger ones are read when the execution ends. */
const readAtOnce = 256 * 1024

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = fs.constants

function openNoFollow(safePath: string, at: Location, op: string): number {
  try {
    if (!platform.opensWithoutFollowing && fs.lstatSync(safePath, { throwIfNoEntry: false })?.isSymbolicLink())
      throw linkError(at, at.absolute)
    // Non-blocking, or opening a FIFO would wait for a writer for ever.
    return fs.openSync(safePath, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  } catch (error) {
    if (hasCode(error, 'ELOOP', 'EMLINK')) throw linkError(at, at.absolute)
    if (hasCode(error, 'ENXIO')) throw new ProblemError({ kind: 'not-regular', path: at.given, type: 'socket', op })
    throw asOsProblem(error, op, at.given)
  }
}
