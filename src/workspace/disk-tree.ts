import fs from 'node:fs'
import type { Entry } from '../core/files.ts'
import { Stop } from '../core/problem.ts'
import { DiskBase, pour, readWhole, writeWhole } from './disk-base.ts'
import { directoryStop, irregularStop, refuseReadOnly, typeOf } from './file-types.ts'
import { nameOf, type Location } from './location.ts'
import { hasCode, osStop, withOs } from './os-problem.ts'
import { beginReplacement, linkOrCopy, type Expected, type Fill, type Replacement } from './replacement.ts'
import type { Scratch } from './scratch.ts'
import type { Base, Look, Named, Outside, Tree, WriteNote } from './tree.ts'
import { type Dir, linkStop, Walk } from './walk.ts'

/** The real thing. Every call goes through a directory that was walked to without following a link. */
export class DiskTree implements Tree {
  readonly #walk = new Walk()
  readonly #scratch: Scratch
  readonly #touched = new Set<Dir>()

  constructor(scratch: Scratch) {
    this.#scratch = scratch
  }

  look(at: Location): Look | undefined {
    const dir = this.#parentIfThere(at)
    if (dir === undefined) return undefined
    const stat = withOs('open', at.given, () => fs.lstatSync(dir.at(nameOf(at)), { throwIfNoEntry: false }))
    return stat === undefined ? undefined : { type: typeOf(stat), size: stat.size, mode: stat.mode, links: stat.nlink }
  }

  read(at: Location, limit: number): DiskBase {
    const { fd, stat } = this.#openRegular(at, 'open')
    try {
      if (stat.size > limit) throw new Stop({ kind: 'too-large', path: at.given, size: stat.size, limit })
      return new DiskBase(fd, stat, readWhole(fd, stat.size))
    } catch (error) {
      fs.closeSync(fd)
      throw osStop(error, 'open', at.given)
    }
  }

  async write(at: Location, bytes: Buffer, base: Base | null): Promise<WriteNote> {
    const replacement = this.prepare(at, bytes, base)
    await replacement.sync()
    return replacement.commit()
  }

  /** Writes the new file beside the old one. It counts only once it is committed. */
  prepare(at: Location, bytes: Buffer, base: Base | null): Replacement {
    // A base that is not from this disk was written by an earlier step of the same group, which takes its name first.
    const expected = base === null || base instanceof DiskBase ? base : 'anything'
    return this.#begin(at, expected, 'open', (fd) => writeWhole(fd, bytes), base?.mode)
  }

  async copy(from: Location, to: Location): Promise<void> {
    const { fd, stat } = this.#openRegular(from, 'copyfile')
    try {
      const replacement = this.#begin(to, 'anything', 'copyfile', (target) => pour(fd, target), stat.mode)
      await replacement.sync()
      replacement.commit()
    } finally {
      fs.closeSync(fd)
    }
  }

  remove(at: Location): void {
    if (at.parts.length === 0) throw directoryStop(at, 'unlink')
    const dir = this.#walk.parentOf(at, { missing: 'fail', op: 'unlink' })
    // Node says EPERM for a directory on some systems and EISDIR on others; a look first says it the same everywhere.
    const stat = fs.lstatSync(dir.at(nameOf(at)), { throwIfNoEntry: false })
    if (stat?.isDirectory()) throw directoryStop(at, 'unlink')
    if (stat !== undefined && !stat.isSymbolicLink()) refuseReadOnly(at, stat, 'unlink')
    withOs('unlink', at.given, () => fs.unlinkSync(dir.at(nameOf(at))))
    this.#touched.add(dir)
  }

  rename(from: Location, to: Location): void {
    const source = this.#walk.parentOf(from, { missing: 'fail', op: 'rename' })
    const target = this.#walk.parentOf(to, { missing: 'make', op: 'rename' })
    withOs('rename', from.given, () => fs.renameSync(source.at(nameOf(from)), target.at(nameOf(to))), to.given)
    this.#touched.add(source).add(target)
  }

  makeDir(at: Location): void {
    const dir = this.#walk.dirAt(at, { missing: 'make', op: 'mkdir' })
    this.#touched.add(dir)
  }

  removeDir(at: Location): void {
    if (at.parts.length === 0)
      throw new Stop({ kind: 'path', rule: 'path_denied', path: at.given, reason: 'it is the root itself' })
    const dir = this.#walk.parentOf(at, { missing: 'fail', op: 'rmdir' })
    const stat = fs.lstatSync(dir.at(nameOf(at)), { throwIfNoEntry: false })
    if (stat?.isSymbolicLink()) throw linkStop(at, at.absolute)
    withOs('rmdir', at.given, () => fs.rmdirSync(dir.at(nameOf(at))))
    this.#touched.add(dir)
  }

  list(at: Location): Entry[] {
    const dir = this.#walk.dirAt(at, { missing: 'fail', op: 'scandir' })
    const names = withOs('scandir', at.given, () => fs.readdirSync(dir.at('.')))
    const entries: Entry[] = []
    for (const name of names) {
      // A name that vanished since is simply not there.
      const stat = fs.lstatSync(dir.at(name), { throwIfNoEntry: false })
      if (stat !== undefined) {
        entries.push({ name, type: typeOf(stat), size: stat.size, modified: stat.mtime.toISOString() })
      }
    }
    return entries
  }

  /** Keeps what is at a location under a second name, so that it can be put back whatever happens to it. */
  keepCopy(at: Location): { restore: () => void; forget: () => void } {
    const dir = this.#parentIfThere(at)?.hold()
    const door = dir?.at(nameOf(at))
    const stat = door === undefined ? undefined : fs.lstatSync(door, { throwIfNoEntry: false })
    if (dir === undefined || door === undefined || stat === undefined) {
      dir?.drop()
      return { restore: () => this.#clear(at), forget: () => {} }
    }
    if (stat.isDirectory()) {
      dir.drop()
      return { restore: () => this.makeDir(at), forget: () => {} }
    }
    const copy = dir.at(this.#scratch.tempName(dir.path))
    withOs('link', at.given, () => linkOrCopy(door, copy))
    return {
      restore: () => {
        fs.renameSync(copy, door)
        fs.rmSync(copy, { force: true })
        dir.drop()
      },
      forget: () => {
        fs.rmSync(copy, { force: true })
        dir.drop()
      },
    }
  }

  #clear(at: Location): void {
    const look = this.look(at)
    if (look?.type === 'directory') this.removeDir(at)
    else if (look !== undefined) this.remove(at)
  }

  names(at: Location): Named[] {
    const dir = this.#walk.dirAt(at, { missing: 'fail', op: 'scandir' })
    const entries = withOs('scandir', at.given, () => fs.readdirSync(dir.at('.'), { withFileTypes: true }))
    return entries.map((entry) => ({ name: entry.name, type: typeOf(entry) }))
  }

  outside(at: Location): Outside {
    return { cwd: this.#walk.dirAt(at, { missing: 'fail', op: 'open' }).itself, differing: new Map() }
  }

  /** Makes all renames and removals durable, and lets go of everything. */
  async finish(): Promise<void> {
    await Promise.all([...this.#touched].map((dir) => new Promise<void>((done) => dir.sync(done))))
    this.#touched.clear()
    this.#walk.close()
  }

  #openRegular(at: Location, op: string): { fd: number; stat: fs.Stats } {
    if (at.parts.length === 0) throw directoryStop(at, op)
    const dir = this.#walk.parentOf(at, { missing: 'fail', op })
    const fd = openNoFollow(dir.at(nameOf(at)), at, op)
    const stat = fs.fstatSync(fd)
    if (stat.isFile()) return { fd, stat }
    fs.closeSync(fd)
    throw irregularStop(at, stat, op)
  }

  #begin(at: Location, base: Expected, op: string, fill: Fill, mode?: number): Replacement {
    if (at.parts.length === 0) throw directoryStop(at, op)
    const dir = this.#walk.parentOf(at, { missing: 'make', op })
    this.#touched.add(dir)
    return beginReplacement({ at, dir, base, op, fill, mode, scratch: this.#scratch })
  }

  #parentIfThere(at: Location): Dir | undefined {
    try {
      return this.#walk.parentOf(at, { missing: 'fail', op: 'open' })
    } catch (error) {
      if (error instanceof Stop && error.problem.kind === 'os' && /^(ENOENT|ENOTDIR)$/.test(error.problem.code)) {
        return undefined
      }
      throw error
    }
  }
}

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = fs.constants

function openNoFollow(door: string, at: Location, op: string): number {
  try {
    // Non-blocking, or opening a FIFO would wait for a writer for ever.
    return fs.openSync(door, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  } catch (error) {
    if (hasCode(error, 'ELOOP', 'EMLINK')) throw linkStop(at, at.absolute)
    if (hasCode(error, 'ENXIO')) throw new Stop({ kind: 'not-regular', path: at.given, type: 'socket', op })
    throw osStop(error, op, at.given)
  }
}
