import type { WriteNote } from '../core/files.ts'
import fs from 'node:fs'
import { Stop } from '../core/problem.ts'
import type { PathChange, Recorder } from '../core/recorder.ts'
import { DiskBase, irregularStop, refuseReadOnly } from './disk-file.ts'
import { type Dir, linkStop, type Location, nameOf, osStop, withOs } from './walk.ts'
import { hasCode, platform } from '../core/platform.ts'
import { longestPause, type Scratch } from './scratch.ts'
import { beginExchanges, type Exchange, exchange, type ExchangeRequest, startExchanging } from './exchange.ts'
import { now } from '../core/time-limit.ts'
import { removeFile, renameFile } from '../state/own-files.ts'

/** What must be at the target when the replacement takes its place. */
export type Expected = DiskBase | null | 'anything'
/** Puts the content into the new file. */
export type Fill = (fd: number) => void

/**
 * A file is never written into: its successor is written beside it, made durable, and takes its name in one
 * step. A reader, at any moment and after any crash, sees the old file or the new one.
 */
export interface Replacement {
  /** Writes it beside its target, and makes it durable. Undefined where nothing is to be waited for. */
  write(): Promise<void> | undefined
  /** Takes the name. A file that is just being written is waited for. */
  commit(): Promise<WriteNote>
  /** Gives up, unless it was committed. */
  discard(): void
}

interface Plan extends Content {
  readonly at: Location
  readonly dir: Dir
  readonly base: Expected
  readonly op: string
  readonly fill: Fill
  readonly scratch: Scratch
  readonly names: NameTaker
}

export interface Content {
  readonly mode?: number | undefined
  /** What `fill` writes, where it is known. */
  readonly bytes?: Buffer | undefined
  /** Whose mode and owner the file gets, when not those of the one it replaces. */
  readonly like?: Model | undefined
  /** The file it replaces may be read-only. */
  readonly readOnly?: 'left so' | undefined
}

export type Model = Pick<fs.Stats, 'mode' | 'uid' | 'gid'>

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = fs.constants

export function beginReplacement(plan: Plan): Replacement {
  const { at, dir, base, op, fill, mode, scratch, names } = plan
  const { recorder } = names
  const model = plan.like ?? (base instanceof DiskBase ? base.stat : undefined)
  const by = recorder?.acting ?? 0
  const target = dir.at(nameOf(at))
  const temp = dir.at(withOs(op, at.given, () => scratch.tempName(dir.path)))
  if (base instanceof DiskBase && plan.readOnly === undefined) refuseReadOnly(at, base.stat, op)
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
    return osStop(error, op, at.given)
  }

  const begin = (opened: number): void => {
    fd = opened
    fill(fd)
    if (model !== undefined) keepsOwner = keepOwnerAndMode(fd, model)
    else if (mode !== undefined) fs.fchmodSync(fd, wanted)
  }
  const wanted = (model?.mode ?? mode ?? 0o666) & 0o7777

  /** Takes the name, and returns where a text written at the same time is saved. */
  const take = (when: Patience): Promise<string | undefined> => {
    const change = changeOf(plan, target, model?.mode, by)
    if (base instanceof DiskBase) return names.take({ change, ...replacing(plan, temp, target, base, when) })
    const act = (): void => (base === null ? takeFreeName(temp, target, at) : renameFile(temp, target))
    recorded(recorder, [change], act)
    return Promise.resolve(undefined)
  }

  return {
    write: () => {
      let kept: Promise<void> | undefined
      try {
        begin(fs.openSync(temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, wanted))
        const change = changeOf(plan, target, model?.mode, by)
        // In a group the base may be a file that an earlier step has yet to move here.
        kept = recorder?.prepare([isAsRead(base, target) ? change : { ...change, was: undefined }])
        if (dir.isInMemory) {
          fs.fsyncSync(fd ?? -1)
          close()
        }
      } catch (error) {
        throw failing(error)
      }
      const exchanging = base instanceof DiskBase ? startExchanging() : undefined
      if (fd === undefined && kept === undefined && exchanging === undefined) return undefined
      return ready([fd === undefined ? undefined : synced(fd).then(close), kept, exchanging]).catch(
        (error: unknown) => {
          throw failing(error)
        },
      )
    },

    commit: async () => {
      for (const until = now() + longestPause; ; await new Promise((again) => setTimeout(again, 50))) {
        try {
          const displaced = await take(now() < until ? 'unless open' : 'also open')
          release()
          return { ...(displaced && { displaced }), ...(keepsOwner ? {} : { disowned: at.given }) }
        } catch (error) {
          if (!(error instanceof StillOpen)) throw failing(error)
        }
      }
    },

    discard: () => {
      if (!over) failing(undefined)
    },
  }
}

/** To sync is what takes the time, so another thread does it. */
const synced = (fd: number): Promise<void> =>
  new Promise((done, failed) => fs.fsync(fd, (lost) => (lost === null ? done() : failed(lost))))

/** All of them, also after a failure: the system brings file and journal to the disk together. */
async function ready(all: readonly (Promise<void> | undefined)[]): Promise<void> {
  const ends = await Promise.allSettled(all)
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}

function changeOf(
  { at, base, mode, bytes }: Plan,
  safePath: string,
  modelled: number | undefined,
  by: number,
): PathChange {
  const was = base === null ? 'absent' : base instanceof DiskBase ? { mode: base.mode, bytes: base.bytes } : undefined
  const becomes = {
    type: 'file',
    mode: modelled ?? mode ?? 0o666 & ~umask,
    ...(bytes === undefined ? {} : { bytes }),
  } as const
  return { absolute: at.absolute, safePath, by, becomes, ...(was === undefined ? {} : { was }) }
}

function refuseIrregularTarget(at: Location, target: string, op: string): void {
  const now = fs.lstatSync(target, { throwIfNoEntry: false })
  if (now === undefined) return
  if (now.isSymbolicLink()) throw linkStop(at, at.absolute)
  if (!now.isFile()) throw irregularStop(at, now, op)
  refuseReadOnly(at, now, op)
}

/** Another program has the file open and may be writing into it. */
class StillOpen extends Error {}

type Patience = ExchangeRequest['when']

/** One file that takes the name of another. */
interface Turn {
  readonly change: PathChange
  /** The last look before the name is taken. @throws Stop where it must not be */
  look(): ExchangeRequest
  /** The names were exchanged, or not; returns where a text written at the same time is saved. */
  end(answer: Exchange): string | undefined
}

/** Makes changes, and records them where that is wanted. */
export function recorded(
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

interface WaitingTurn extends Turn {
  done(saved: string | undefined): void
  refused(error: unknown): void
}

/**
 * Gives files their names, some that are ready at the same time together: perl is asked once for them, and answers while
 * the next ones are prepared.
 */
export class NameTaker {
  readonly recorder: Recorder | undefined
  readonly #waiting: WaitingTurn[] = []
  /** Ends the exchanges that were begun. */
  #end: (() => void) | undefined

  constructor(recorder: Recorder | undefined) {
    this.recorder = recorder
  }

  take(turn: Turn): Promise<string | undefined> {
    if (this.#waiting.length === 0 && this.#end === undefined) setImmediate(() => this.#next())
    return new Promise((done, refused) => this.#waiting.push({ ...turn, done, refused }))
  }

  /** Everything that can be done meanwhile is done before the next turn of the event loop. */
  #next(): void {
    this.#end?.()
    const turns = this.#waiting.splice(0, takenTogether)
    this.#end = turns.length === 0 ? undefined : this.#begin(turns)
    if (this.#end !== undefined) setImmediate(() => this.#next())
  }

  #begin(turns: readonly WaitingTurn[]): () => void {
    const failed = new Map<PathChange, unknown>()
    const tried = <T>(changes: readonly PathChange[], step: () => T): T | undefined => {
      try {
        return step()
      } catch (error) {
        for (const change of changes) if (!failed.has(change)) failed.set(change, error)
        return undefined
      }
    }
    const changes = turns.map(({ change }) => change)
    const end = tried(changes, () => this.recorder?.beginChange(changes))
    const requests = turns.map((turn) =>
      failed.has(turn.change) ? undefined : tried([turn.change], () => turn.look()),
    )
    const answers = beginExchanges(requests.filter((request) => request !== undefined))
    return () => {
      const said = answers()[Symbol.iterator]()
      const saved = turns.map((turn, at) => {
        if (requests[at] === undefined) return undefined
        const answer = said.next().value ?? 'unable'
        return tried([turn.change], () => turn.end(answer))
      })
      tried(changes, () => end?.(new Set(failed.keys())))
      for (const [at, { change, done, refused }] of turns.entries()) {
        if (failed.has(change)) refused(failed.get(change))
        else done(saved[at])
      }
    }
  }
}

/** While perl exchanges the names of so many files, as many are prepared. */
export const takenTogether = 16

/** A file takes the name of the one that was read, in a way that whatever had it is at hand. */
function replacing(plan: Plan, temp: string, target: string, base: DiskBase, when: Patience): Omit<Turn, 'change'> {
  const { at, scratch } = plan
  const changed = (saved?: string): Stop =>
    new Stop({ kind: 'changed-meanwhile', path: at.given, ...(saved === undefined ? {} : { saved }) })
  let own: fs.Stats
  return {
    look: () => {
      // The same file, and not written into.
      if (!base.isAt(target)) throw changed()
      own = fs.lstatSync(temp)
      return { one: temp, other: target, expected: base.stat, when }
    },
    end: (answer) => {
      const swap = swapped(answer, { temp, target, base, own })
      if (swap === 'unable') {
        // Other files may have taken their names meanwhile; from here on it is only microseconds.
        if (!base.isNamed(target)) throw changed()
        return replaceAndKeep(plan, temp, target, base)
      }
      if (swap === 'open') throw new StillOpen()
      const saved = swap.left === 'a text' ? scratch.moveConflict(nameOf(at), temp) : undefined
      if (swap.left === 'perhaps a text') scratch.keepDisplaced(nameOf(at), temp, base.stat, 'moved')
      removeFile(temp)
      if (!swap.taken) throw changed(saved)
      return saved
    },
  }
}

/** How an exchange went, and whether the file that is at the temporary name now is still of use to anybody. */
type Swap = 'unable' | 'open' | { readonly taken: boolean; readonly left: 'nothing' | 'a text' | 'perhaps a text' }

interface Exchanged {
  readonly temp: string
  readonly target: string
  readonly base: DiskBase
  /** The file that was at the temporary name before. */
  readonly own: fs.Stats
}

/** A file that is not the one that was read is put back. */
function swapped(answer: Exchange, { temp, target, base, own }: Exchanged): Swap {
  if (answer !== 'taken') {
    // Without an answer, only the names tell what happened.
    const left = fs.lstatSync(temp, { throwIfNoEntry: false })
    if (isSame(left, own))
      return answer === 'open' ? 'open' : answer === 'changed' ? { taken: false, left: 'nothing' } : 'unable'
    if (!isSame(left, base.stat)) return { taken: isSameFile(target, own), left: 'a text' }
    if (answer === 'open') return { taken: true, left: 'a text' }
  }
  if (base.changedBytes() !== undefined) {
    // Another process has written into it and closed it again: it gets its name back.
    const back = exchange(temp, target, own, 'also open')
    if (base.isNamed(target)) return { taken: false, left: back === 'taken' ? 'nothing' : 'a text' }
    return { taken: isSameFile(target, own), left: 'a text' }
  }
  return { taken: true, left: answer === 'taken' ? 'nothing' : 'perhaps a text' }
}

/**
 * Where names cannot be exchanged: takes the name by a rename, with the old file kept under another name in case
 * another process still writes into it. A file that is put in its place between these two steps would be lost.
 */
function replaceAndKeep(plan: Plan, temp: string, target: string, base: DiskBase): string | undefined {
  const { at, scratch } = plan
  const kept = scratch.keepDisplaced(nameOf(at), target, base.stat, 'linked')
  if (!platform.replacesOpenFiles) {
    base.release()
    // Nor does Windows replace a read-only file; the new one gets the mode of the old one.
    if (plan.readOnly !== undefined) fs.chmodSync(target, 0o666)
  }
  renameFile(temp, target)
  const late = kept === undefined ? base.changedBytes() : base.changedIn(kept)
  if (late === undefined) return undefined
  if (kept !== undefined) return scratch.moveConflict(nameOf(at), kept)
  // They may not be done yet.
  return scratch.saveConflict(nameOf(at), late, base.handOver())
}

/** Whether the file that was read is at a place, or nothing where nothing was found. */
function isAsRead(base: Expected, safePath: string): boolean {
  const found = fs.lstatSync(safePath, { throwIfNoEntry: false })
  return base === null ? found === undefined : base instanceof DiskBase && isSame(found, base.stat)
}

const isSameFile = (safePath: string, file: fs.Stats): boolean =>
  isSame(fs.lstatSync(safePath, { throwIfNoEntry: false }), file)

const isSame = (one: fs.Stats | undefined, { dev, ino }: fs.Stats): boolean => one?.dev === dev && one.ino === ino

/** A link, unlike a rename, never displaces: the file that was made first stays. */
function takeFreeName(temp: string, target: string, at: Location): void {
  try {
    fs.linkSync(temp, target)
    fs.unlinkSync(temp)
  } catch (error) {
    if (hasCode(error, 'EEXIST')) throw new Stop({ kind: 'changed-meanwhile', path: at.given })
    if (!hasCode(error, ...noLinks)) throw error
    if (fs.lstatSync(target, { throwIfNoEntry: false })) throw new Stop({ kind: 'changed-meanwhile', path: at.given })
    renameFile(temp, target)
  }
}

export function linkOrCopy(from: string, to: string): void {
  try {
    fs.linkSync(from, to)
  } catch (error) {
    if (!hasCode(error, ...noLinks)) throw error
    fs.copyFileSync(from, to, fs.constants.COPYFILE_EXCL)
  }
}

/** The other way round. */
export function moveBack(copy: string, to: string): void {
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
function keepOwnerAndMode(fd: number, { uid, gid, mode }: Model): boolean {
  const foreign = uid !== ownUser || gid !== ownGroup
  const kept = !foreign || owns(fd, uid, gid)
  // Only the superuser gives files away; the text matters more than the name of its owner. A group of one's own can stay.
  if (!kept) owns(fd, -1, gid)
  // After owner and content, because a change of either clears the set-id bits; at creation the umask removed others.
  // A program must not get the rights of another user than before.
  const wanted = mode & (kept ? 0o7777 : 0o1777)
  if (foreign || (mode & (umask | setId)) !== 0) fs.fchmodSync(fd, wanted)
  return kept || uid === ownUser
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

/**
 * Lets so many files be written at the same time: a file system brings those to the disk together whose syncs wait together,
 * and Node has four threads for them. The number is read with the first call that needs one, so later this does nothing.
 */
export function writeConcurrently(threads: number): void {
  const { UV_THREADPOOL_SIZE: given } = process.env
  if (given !== undefined) return
  process.env['UV_THREADPOOL_SIZE'] = String(threads)
  fs.access('/', () => {})
  // Programs that are started do not get it.
  delete process.env['UV_THREADPOOL_SIZE']
}

const umask = process.umask()
const setId = 0o6000
const ownUser = process.geteuid?.()
const ownGroup = process.getegid?.()
