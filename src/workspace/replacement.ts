import fs from 'node:fs'
import { Stop } from '../core/problem.ts'
import type { PathChange, Recorder } from '../core/recorder.ts'
import { DiskBase } from './disk-base.ts'
import { irregularStop, refuseReadOnly } from './file-types.ts'
import { type Location, nameOf } from './location.ts'
import { hasCode } from '../core/os-error.ts'
import { osStop, withOs } from './os-problem.ts'
import type { Scratch } from './scratch.ts'
import type { WriteNote } from './tree.ts'
import { type Dir, linkStop } from './walk.ts'
import { runToEnd } from '../process/start-program.ts'

/** What must be at the target when the replacement takes its place. */
export type Expected = DiskBase | null | 'anything'
/** Puts the content into the new file. */
export type Fill = (fd: number) => void

/**
 * A file is never written into: its successor is written beside it, made durable, and takes its name in one
 * step. Whoever looks, at any moment and after any crash, sees the old file or the new one.
 */
export interface Replacement {
  /** Writes it beside its target, and makes it durable. */
  write(): Promise<void>
  /** Takes the name. */
  commit(): WriteNote
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
  readonly recorder: Recorder | undefined
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
  const { at, dir, base, op, fill, mode, scratch, recorder } = plan
  const model = plan.like ?? (base instanceof DiskBase ? base.stat : undefined)
  const by = recorder?.acting ?? 0
  const target = dir.at(nameOf(at))
  const temp = dir.at(withOs(op, at.given, () => scratch.tempName(dir.path)))
  if (base instanceof DiskBase && plan.readOnly === undefined) refuseReadOnly(at, base.stat, op)
  if (base === 'anything') refuseIrregularTarget(at, target, op)
  dir.hold()

  let fd: number | undefined
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
    if (model !== undefined) keepOwnerAndMode(fd, model)
    else if (mode !== undefined) fs.fchmodSync(fd, wanted)
  }
  const wanted = (model?.mode ?? mode ?? 0o666) & 0o7777
  const changed = (saved?: string): Stop => {
    scratch.noteContention()
    return new Stop({ kind: 'changed-meanwhile', path: at.given, ...(saved === undefined ? {} : { saved }) })
  }

  return {
    // Making a file and syncing it is what takes the time, so other threads do both; callbacks, because promises cost.
    write: async () => {
      const written = new Promise<void>((done, failed) => {
        fs.open(temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, wanted, (refused, opened) => {
          if (refused) return failed(failing(refused))
          try {
            begin(opened)
          } catch (error) {
            return failed(failing(error))
          }
          fs.fsync(opened, (lost) => {
            if (lost) return failed(failing(lost))
            close()
            done()
          })
        })
      })
      // Both at once: the system brings them to the disk together.
      const kept = recorder?.prepare([changeOf(plan, target, model?.mode, by)])
      const [, failure] = await Promise.allSettled([written, kept])
      await written
      if (failure.status === 'rejected') throw failing(failure.reason)
    },

    commit: () => {
      let displaced: string | undefined
      try {
        // The last look before the name is taken: the same file, and nobody wrote into it.
        if (base instanceof DiskBase && !base.isAt(target)) throw changed()
        const take = (): void => {
          if (base === null) return takeFreeName(temp, target, at)
          // Keeping the old one may have taken a while; from here to the rename it is only microseconds.
          if (base instanceof DiskBase && !base.isNamed(target)) throw changed()
          const swap = base instanceof DiskBase && scratch.isContended(base.stat) ? swapped(temp, target, base) : 'not'
          if (swap === 'not') return fs.renameSync(temp, target)
          const saved = swap.stray === undefined ? undefined : scratch.saveConflict(nameOf(at), swap.stray)
          fs.rmSync(temp, { force: true })
          if (!swap.taken) throw changed(saved)
          displaced = saved
        }
        if (recorder === undefined) take()
        else recorder.change([changeOf(plan, target, model?.mode, by)], take)
      } catch (error) {
        throw failing(error)
      }
      // Somebody may have written into the old file between the look and the rename. Its descriptor still leads there.
      const late = base instanceof DiskBase ? base.changedBytes() : undefined
      // They may not be done yet.
      const descriptor = base instanceof DiskBase && late !== undefined ? base.handOver() : undefined
      release()
      if (late !== undefined) displaced = scratch.saveConflict(nameOf(at), late, descriptor)
      if (displaced === undefined) return {}
      scratch.noteContention()
      return { displaced }
    },

    discard: () => {
      if (!over) failing(undefined)
    },
  }
}

function changeOf({ at, base, mode, bytes }: Plan, door: string, modelled: number | undefined, by: number): PathChange {
  const was = base === null ? 'absent' : base instanceof DiskBase ? { mode: base.mode, bytes: base.bytes } : undefined
  const becomes = {
    type: 'file',
    mode: modelled ?? mode ?? 0o666 & ~umask,
    ...(bytes === undefined ? {} : { bytes }),
  } as const
  return { absolute: at.absolute, door, by, becomes, ...(was === undefined ? {} : { was }) }
}

function refuseIrregularTarget(at: Location, target: string, op: string): void {
  const now = fs.lstatSync(target, { throwIfNoEntry: false })
  if (now === undefined) return
  if (now.isSymbolicLink()) throw linkStop(at, at.absolute)
  if (!now.isFile()) throw irregularStop(at, now, op)
  refuseReadOnly(at, now, op)
}

/** How an exchange went, and the text of whoever came into the middle of it. */
type Swap = 'not' | { readonly taken: boolean; readonly stray?: Buffer }

/** Takes a name in a way that whatever had it is at hand; it is put back when it is not the file that was read. */
function swapped(temp: string, target: string, base: DiskBase): Swap {
  const own = fs.lstatSync(temp)
  const answer = exchange(temp, target, base.stat)
  if (isSameFile(temp, own)) return answer === 'changed' ? { taken: false } : 'not'
  if (base.isNamed(temp)) {
    // Somebody who writes into the old file is still at it: then it gets its name back, with whatever comes.
    const isFree = base.changedBytes() === undefined || exchange(temp, target, own) !== 'taken'
    return { taken: isFree }
  }
  return { taken: isSameFile(target, own), stray: fs.readFileSync(temp) }
}

function isSameFile(door: string, { dev, ino }: fs.Stats): boolean {
  const now = fs.lstatSync(door, { throwIfNoEntry: false })
  return now?.dev === dev && now.ino === ino
}

/** A link, unlike a rename, never displaces: whoever made that file first keeps it. */
function takeFreeName(temp: string, target: string, at: Location): void {
  try {
    fs.linkSync(temp, target)
    fs.unlinkSync(temp)
  } catch (error) {
    if (hasCode(error, 'EEXIST')) throw new Stop({ kind: 'changed-meanwhile', path: at.given })
    if (!hasCode(error, ...noLinks)) throw error
    if (fs.lstatSync(target, { throwIfNoEntry: false })) throw new Stop({ kind: 'changed-meanwhile', path: at.given })
    fs.renameSync(temp, target)
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
    fs.renameSync(copy, to)
  } catch (error) {
    if (!hasCode(error, 'EXDEV')) throw error
    fs.rmSync(to, { force: true })
    fs.copyFileSync(copy, to)
  }
}

/** Not every file system has hard links, and none has them across two. */
const noLinks = ['EXDEV', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']

function keepOwnerAndMode(fd: number, stat: Model): void {
  const mode = stat.mode & 0o7777
  const foreign = stat.uid !== ownUser || stat.gid !== ownGroup
  if (foreign) {
    try {
      fs.fchownSync(fd, stat.uid, stat.gid)
    } catch (error) {
      // Only the superuser gives files away; the text matters more than the name of its owner.
      if (!hasCode(error, 'EPERM', 'EINVAL')) throw error
    }
  }
  // After owner and content, because a change of either clears the set-id bits; at creation the umask removed others.
  if (foreign || (mode & (umask | setId)) !== 0) fs.fchmodSync(fd, mode)
}

const umask = process.umask()
const setId = 0o6000
const ownUser = process.geteuid?.()
const ownGroup = process.getegid?.()

/**
 * Lets two names change places in one step, so that whatever was at the second is at hand under the first; when that is
 * not the file that was expected there, they change back at once. The kernel can do that, but Node has no call for it;
 * perl, which nearly every Linux has, can make any call. It takes milliseconds, so it is for files that somebody else
 * is known to write to as well.
 *
 * Whoever gets no clear answer has to look which file is where.
 */
export function exchange(
  one: string,
  other: string,
  expected: Pick<fs.Stats, 'dev' | 'ino'>,
): 'taken' | 'changed' | 'unable' {
  const call = calls[process.arch]
  if (process.platform !== 'linux' || call === undefined) return 'unable'
  const args = [call, seenByOthers(one), seenByOthers(other), expected.dev, expected.ino].map(String)
  const status = runToEnd('perl', ['-e', script, ...args], 5000)
  return status === 0 ? 'taken' : status === 2 ? 'changed' : 'unable'
}

/** renameat2, by the number it has. */
const calls: Partial<Record<NodeJS.Architecture, number>> = { x64: 316, arm64: 276 }

/** -100 stands for the working directory, 2 for an exchange. */
const script = `
my ($call, $one, $other, $dev, $ino) = @ARGV;
sub swap { return syscall($call + 0, -100, $one, -100, $other, 2) == 0 }
exit 1 unless swap();
my @was = lstat($one);
exit 0 if @was && $was[0] == $dev && $was[1] == $ino;
swap();
exit 2;
`

/** A descriptor of ours has another path for other processes. */
const seenByOthers = (door: string): string => door.replace(/^\/proc\/self\//, `/proc/${process.pid}/`)
