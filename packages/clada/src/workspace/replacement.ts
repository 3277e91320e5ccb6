import type { WriteNote } from '../core/files.ts'
import fs from 'node:fs'
import { ProblemError } from '../core/problem.ts'
import type { PathChange, Recorder } from '../core/recorder.ts'
import { DiskBase, irregularError, refuseReadOnly, withOpenFile } from './disk-file.ts'
import { type Dir, linkError, type Location, baseName, asOsProblem, withOsProblems } from './walk.ts'
import { hasCode } from '../core/errors.ts'
import { platform } from '../core/platform.ts'
import { now } from '../core/time-limit.ts'
import type { Scratch } from './scratch.ts'
import { copyAttributes, refuseAccessList } from './attributes.ts'
import type { NativeCalls } from './native.ts'
import { copyToNew } from '../state/large-files.ts'
import { removeFile, renameFile } from '../state/own-files.ts'

/** What must be at the target when the replacement takes its place. */
export type ExpectedTarget = DiskBase | null | 'anything'
/** Puts the content into the new file. */
export type Fill = (fd: number) => void

/**
 * A file is never written into: its successor is written beside it, made durable, and takes its name in one
 * step. A reader, at any moment and after any crash, sees the old file or the new one.
 */
export interface Replacement {
  /** Writes it beside its target, and makes it durable. Undefined where nothing is to be waited for. */
  write(): Promise<void> | undefined
  /** Takes the name. */
  commit(): Promise<WriteNote>
  /** Gives up, unless it was committed. */
  discard(): void
}

interface ReplacementPlan extends WrittenContent, ReplacementContext {
  readonly at: Location
  readonly dir: Dir
  readonly base: ExpectedTarget
  readonly op: string
  readonly fill: Fill
}

export interface WrittenContent {
  readonly mode?: number | undefined
  /** What `fill` writes, where it is known. */
  readonly bytes?: Buffer | undefined
  /** Whose mode and owner the file gets, when not those of the one it replaces. */
  readonly like?: ModeAndOwner | undefined
  /** The file it replaces may be read-only. */
  readonly readOnly?: 'left so' | undefined
}

export type ModeAndOwner = Pick<fs.Stats, 'mode' | 'uid' | 'gid'>

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = fs.constants

export function beginReplacement(plan: ReplacementPlan): Replacement {
  const { at, dir, base, op, fill, mode, scratch, recorder, native } = plan
  const model = plan.like ?? (base instanceof DiskBase ? base.stat : undefined)
  const by = recorder?.acting ?? 0
  const target = dir.at(baseName(at))
  const temp = dir.at(withOsProblems(op, at.given, () => scratch.tempName(dir.path)))
  if (base instanceof DiskBase && plan.readOnly === undefined) refuseReadOnly(at, base.stat, target, op)
  if (base === 'anything') refuseIrregularTarget(at, target, op)
  dir.hold()

  let fd: number | undefined
  let keepsOwner = true
  const close = (): void => {
    if (fd !== undefined) fs.closeSync(fd)
    fd = undefined
  }
  let over = false
  const release = (): void => {
    over = true
    close()
    if (base instanceof DiskBase) base.release()
    dir.drop()
  }
  const failing = (error: unknown): unknown => {
    fs.rmSync(temp, { force: true })
    release()
    return asOsProblem(error, op, at.given)
  }

  const begin = (opened: number): void => {
    fd = opened
    fill(fd)
    const hasOwner = model === undefined || keepOwner(fd, model)
    keepsOwner = hasOwner || model?.uid === ownUser
    if (native !== undefined) {
      // An undo has let go of the file, and a copy has not read it: it loses its access list all the same.
      const give = (from: number): void => copyAttributes(native, from, opened)
      if (base instanceof DiskBase) base.withDescriptor(target, give)
      else if (base !== null) withOpenFile(target, give)
    } else if (base !== null && platform.replacesOpenFiles) refuseAccessList(at.absolute)
    // After owner and content, because a change of either clears the set-id bits; at creation the umask, or an access list
    // of the directory, removed others. A program must not get the rights of another user than before.
    if (model !== undefined || mode !== undefined) fs.fchmodSync(fd, hasOwner ? wanted : wanted & 0o1777)
  }
  const wanted = (model?.mode ?? mode ?? 0o666) & 0o7777

  /** Takes the name, and returns where a text written at the same time is saved. */
  const take = (): string | undefined => {
    let saved: string | undefined
    recordChanges(recorder, [plannedChange(plan, target, model?.mode, by)], () => {
      if (base instanceof DiskBase) saved = takeNameOf(plan, temp, target, base)
      else if (base === null) takeFreeName(temp, target, at)
      else renameFile(temp, target)
    })
    return saved
  }

  return {
    write: () => {
      let kept: Promise<void> | undefined
      try {
        begin(fs.openSync(temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, wanted))
        const change = plannedChange(plan, target, model?.mode, by)
        // In a group the base may be a file that an earlier step has yet to move here.
        kept = recorder?.prepare([isAsRead(base, target) ? change : { ...change, was: undefined }])
        if (dir.isInMemory) {
          fs.fsyncSync(fd ?? -1)
          close()
        }
      } catch (error) {
        throw failing(error)
      }
      if (fd === undefined && kept === undefined) return undefined
      return ready([fd === undefined ? undefined : syncOpenFile(fd).then(close), kept]).catch((error: unknown) => {
        throw failing(error)
      })
    },

    commit: async () => {
      try {
        // On a disk in memory nothing else is waited for, and signals and questions would not be heard between many files.
        if (now() - lastPause > mostWithoutPause) await pauseShortly()
        const displaced = take()
        release()
        return { displaced, disowned: keepsOwner ? undefined : at.given }
      } catch (error) {
        throw failing(error)
      }
    },

    discard: () => {
      if (!over) failing(undefined)
    },
  }
}

/** When others could run last. */
let lastPause = now()
const mostWithoutPause = 5

async function pauseShortly(): Promise<void> {
  await new Promise((done) => setImmediate(done))
  lastPause = now()
}

/** To sync is what takes the time, so another thread does it. */
const syncOpenFile = (fd: number): Promise<void> =>
  new Promise((done, failed) => fs.fsync(fd, (lost) => (lost === null ? done() : failed(lost))))

/** All of them, also after a failure: the system brings file and journal to the disk together. */
async function ready(all: readonly (Promise<void> | undefined)[]): Promise<void> {
  const ends = await Promise.allSettled(all)
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}

function plannedChange(
  { at, base, mode, bytes }: ReplacementPlan,
  safePath: string,
  modelled: number | undefined,
  by: number,
): PathChange {
  const was = base === null ? 'absent' : base instanceof DiskBase ? { mode: base.mode, bytes: base.bytes } : undefined
  const becomes = {
    type: 'file',
    mode: modelled ?? mode ?? 0o666 & ~umask,
    bytes,
  } as const
  return { absolute: at.absolute, safePath, by, becomes, was }
}

function refuseIrregularTarget(at: Location, target: string, op: string): void {
  const now = fs.lstatSync(target, { throwIfNoEntry: false })
  if (now === undefined) return
  if (now.isSymbolicLink()) throw linkError(at, at.absolute)
  if (!now.isFile()) throw irregularError(at, now, op)
  refuseReadOnly(at, now, target, op)
}

/** Makes changes, and records them where that is wanted. */
export function recordChanges(
  recorder: Pick<Recorder, 'beginChange'> | undefined,
  changes: readonly PathChange[],
  act: () => void,
): void {
  const end = recorder?.beginChange(changes)
  try {
    act()
  } catch (error) {
    end?.('unknown')
    throw error
  }
  end?.()
}

/** What replacements on one disk share. */
export interface ReplacementContext {
  readonly scratch: Scratch
  readonly recorder: Recorder | undefined
  /** Undefined where names cannot be swapped. */
  readonly native: NativeCalls | undefined
}

/**
 * A file takes the name of the one that was read. Both names are swapped, so that the file that had the name is at hand
 * afterwards, whichever it was. Returns where a text that was saved at the same moment is kept.
 */
function takeNameOf(plan: ReplacementPlan, temp: string, target: string, base: DiskBase): string | undefined {
  const { at, scratch, native } = plan
  // The same file, and not written into.
  if (!base.isAt(target)) throw changedError(at)
  const own = fs.lstatSync(temp)
  if (!swapNames(native, temp, target)) {
    // From here on it is only microseconds.
    if (!base.isNamed(target)) throw changedError(at)
    return replaceAndKeep(plan, temp, target, base)
  }
  if (base.isNamed(temp) && base.readChanged() === undefined) {
    if (scratch.keepDisplaced(baseName(at), temp, base, 'moved') === undefined) removeFile(temp)
    return undefined
  }
  // Another program saved the file in between: its file gets the name back.
  const isBack = swapNames(native, temp, target)
  if (isBack && isSameFile(temp, own)) {
    removeFile(temp)
    throw changedError(at)
  }
  // It saved once more meanwhile: the newer file keeps the name, the older one is kept aside.
  if (isBack) swapNames(native, temp, target)
  throw changedError(at, scratch.moveConflict(baseName(at), temp))
}

const changedError = (at: Location, saved?: string): ProblemError =>
  new ProblemError({ kind: 'changed-meanwhile', path: at.given, saved })

/** False if nothing was done: a name is gone, or this file system cannot do it. */
function swapNames(native: NativeCalls | undefined, one: string, other: string): boolean {
  try {
    native?.swapSync(one, other)
    return native !== undefined
  } catch {
    return false
  }
}

/**
 * Where names cannot be exchanged: takes the name by a rename, with the old file kept under another name in case
 * another process still writes into it. A file that is put in its place between these two steps would be lost.
 */
function replaceAndKeep(plan: ReplacementPlan, temp: string, target: string, base: DiskBase): string | undefined {
  const { at, scratch } = plan
  const kept = scratch.keepDisplaced(baseName(at), target, base, 'linked')
  if (!platform.replacesOpenFiles) {
    base.release()
    // Nor does Windows replace a read-only file; the new one gets the mode of the old one.
    if (plan.readOnly !== undefined) fs.chmodSync(target, 0o666)
  }
  renameFile(temp, target)
  const late = kept === undefined ? base.readChanged() : base.readChangedAt(kept)
  if (late === undefined) return undefined
  if (kept !== undefined) return scratch.moveConflict(baseName(at), kept)
  // They may not be done yet.
  return scratch.saveConflict(baseName(at), late, base.handOver())
}

/** Whether the file that was read is at a place, or nothing where nothing was found. */
function isAsRead(base: ExpectedTarget, safePath: string): boolean {
  const found = fs.lstatSync(safePath, { throwIfNoEntry: false })
  return base === null ? found === undefined : base instanceof DiskBase && isSameInode(found, base.stat)
}

const isSameFile = (safePath: string, file: fs.Stats): boolean =>
  isSameInode(fs.lstatSync(safePath, { throwIfNoEntry: false }), file)

const isSameInode = (one: fs.Stats | undefined, { dev, ino }: fs.Stats): boolean => one?.dev === dev && one.ino === ino

/** A link, unlike a rename, never displaces: the file that was made first stays. */
function takeFreeName(temp: string, target: string, at: Location): void {
  try {
    fs.linkSync(temp, target)
    fs.unlinkSync(temp)
  } catch (error) {
    if (hasCode(error, 'EEXIST')) throw new ProblemError({ kind: 'changed-meanwhile', path: at.given })
    if (!hasCode(error, ...noLinks)) throw error
    if (fs.lstatSync(target, { throwIfNoEntry: false }))
      throw new ProblemError({ kind: 'changed-meanwhile', path: at.given })
    renameFile(temp, target)
  }
}

export function linkOrCopy(from: string, to: string): void {
  try {
    fs.linkSync(from, to)
  } catch (error) {
    if (!hasCode(error, ...noLinks)) throw error
    copyToNew(from, to)
  }
}

/** The inverse of `linkOrCopy`: puts a kept copy back. */
export function renameOrCopy(copy: string, to: string): void {
  try {
    renameFile(copy, to)
  } catch (error) {
    if (!hasCode(error, 'EXDEV')) throw error
    fs.rmSync(to, { force: true })
    fs.copyFileSync(copy, to)
  }
}

/** Not every file system has hard links, and none has them across two. */
const noLinks = ['EXDEV', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']

/** Returns whether the owner could be kept. */
function keepOwner(fd: number, { uid, gid }: ModeAndOwner): boolean {
  if ((uid === ownUser && gid === ownGroup) || owns(fd, uid, gid)) return true
  // Only the superuser gives files away; the text matters more than the name of its owner. A group of one's own can stay.
  owns(fd, -1, gid)
  return false
}

function owns(fd: number, uid: number, gid: number): boolean {
  try {
    fs.fchownSync(fd, uid, gid)
    return true
  } catch (error) {
    if (!hasCode(error, 'EPERM', 'EINVAL')) throw error
    return false
  }
}

/** How many files are brought to the disk at the same time. */
export const concurrentWrites = 32

/**
 * Lets so many files be written at the same time: a file system brings those to the disk together whose syncs wait together,
 * and Node has four threads for them. The number is read with the first call that needs one, so later this does nothing.
 */
export function writeConcurrently(threads = concurrentWrites): void {
  const { UV_THREADPOOL_SIZE: given } = process.env
  if (given !== undefined) return
  process.env['UV_THREADPOOL_SIZE'] = String(threads)
  fs.access('/', () => {})
  // Programs that are started do not get it.
  delete process.env['UV_THREADPOOL_SIZE']
}

const umask = process.umask()
const ownUser = process.geteuid?.()
const ownGroup = process.getegid?.()
