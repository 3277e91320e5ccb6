import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { hasCode, isOsError } from '../core/errors.ts'
import { type Platform, platform } from '../core/platform.ts'

/** A directory of clada's own. A repository may bring a link of that name along, which could lead anywhere. */
export function ownDir(parent: string, name: string): string {
  const dir = path.join(parent, name)
  const there = fs.lstatSync(dir, { throwIfNoEntry: false })
  if (there?.isDirectory()) return dir
  if (there !== undefined) fs.unlinkSync(dir)
  try {
    fs.mkdirSync(dir)
  } catch (error) {
    // Another process may have made it at the same time.
    if (!hasCode(error, 'EEXIST') || !fs.lstatSync(dir).isDirectory()) throw error
  }
  return dir
}

/** Puts a file in place in one step, so that readers see all of it or none, also after a power cut. */
export function putFile(file: string, content: string | Uint8Array, mode = 0o600): void {
  const temp = `${file}.${process.pid}-${Math.random().toString(36).slice(2)}.new`
  try {
    const fd = fs.openSync(temp, 'wx', mode)
    try {
      fs.writeFileSync(fd, content)
      fs.fdatasyncSync(fd)
    } finally {
      fs.closeSync(fd)
    }
    renameFile(temp, file)
  } catch (error) {
    fs.rmSync(temp, { force: true })
    throw error
  }
  syncFileNow(path.dirname(file))
}

/** Removes what `putFile` left in a directory when its process died. */
export function sweepNewFiles(dir: string): void {
  for (const name of fs.readdirSync(dir)) {
    const pid = Number(/\.(\d+)-[0-9a-z]+\.new$/.exec(name)?.[1])
    if (pid > 0 && pid !== process.pid && !isProcessRunning(pid)) removeFile(path.join(dir, name))
  }
}

/** What is at a path, links not followed; undefined where nothing is, or where it cannot be looked at. */
export function readStats(file: string): fs.Stats | undefined {
  try {
    return fs.lstatSync(file, { throwIfNoEntry: false })
  } catch (error) {
    if (isOsError(error)) return undefined
    throw error
  }
}

/** Links are not followed. */
export const isDirectory = (dir: string): boolean => readStats(dir)?.isDirectory() === true

/** The entries of a directory; none where nothing can be listed. */
export function listEntries(dir: string): fs.Dirent[] {
  try {
    return fs.readdirSync(dir, { withFileTypes: true })
  } catch {
    return []
  }
}

export function listNames(dir: string): string[] {
  try {
    return fs.readdirSync(dir)
  } catch {
    return []
  }
}

/** Removes a file if it is there. Node's `rm` asks the system three times as much, and loads a module. */
export function removeFile(file: string): void {
  try {
    fs.unlinkSync(file)
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error
  }
}

/** Brings a file, or the names in a directory, to the disk. Some file systems cannot sync a directory. */
export function syncFileNow(file: string): void {
  try {
    const fd = fs.openSync(file, 'r')
    try {
      fs.fsyncSync(fd)
    } finally {
      fs.closeSync(fd)
    }
  } catch (error) {
    if (!hasCode(error, ...cannotSync)) throw error
  }
}

/** The same in another thread. */
export const syncFile = (file: string): Promise<void> =>
  new Promise((done, failed) => {
    fs.open(file, 'r', (unreadable, fd) => {
      if (unreadable) return hasCode(unreadable, ...cannotSync) ? done() : failed(unreadable)
      fs.fsync(fd, (lost) =>
        fs.close(fd, () => (lost === null || hasCode(lost, ...cannotSync) ? done() : failed(lost))),
      )
    })
  })

/** Whether the device of a file is a file system in memory: tmpfs or ramfs. */
export function isInMemory(device: number, file: () => string): boolean {
  let known = inMemory.get(device)
  if (known === undefined) {
    known = platform.proc && isOnMemoryDisk(file())
    inMemory.set(device, known)
  }
  return known
}

/** Whether a file is on such a file system. False for one that is gone. */
export function isOnMemoryDisk(file: string): boolean {
  try {
    return memoryTypes.includes(fs.statfsSync(file).type)
  } catch (error) {
    if (isOsError(error)) return false
    throw error
  }
}

const inMemory = new Map<number, boolean>()
const memoryTypes: readonly number[] = [0x01021994, 0x858458f6]

/** Some at a time: a process has only so many descriptors. */
export async function syncFiles(files: readonly string[]): Promise<void> {
  for (let at = 0; at < files.length; at += syncedAtOnce)
    await Promise.all(files.slice(at, at + syncedAtOnce).map(syncFile))
}

const syncedAtOnce = 64

/** A file that cannot be read is synced with its directory, if at all; one that is gone needs no sync. */
const cannotSync = ['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'EPERM', 'EISDIR', 'EACCES', 'ENOENT']

/** No text that clada keeps, and none that it looks at in a git directory, comes near this. */
export const mostReadAtOnce = 256 * 1024 ** 2

/** The text of a regular file; undefined when there is none. A link is none, and so is one that is far too large. */
export const readOwn = (file: string): string | undefined => readRegular(file, fs.constants.O_NOFOLLOW)

/** The same of a file that a link may lead to, such as the config of a repository. */
export const readLinked = (file: string, most = mostReadAtOnce): string | undefined => readRegular(file, 0, most)

/** What the settings of a repository may have together: those of ten thousand branches are a quarter of it. */
export const mostSettingsBytes = 4 * 1024 ** 2

/** The bytes of what a name leads to; 0 where nothing can be looked at. */
export function sizeOfLinked(file: string): number {
  try {
    return fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0
  } catch {
    return 0
  }
}

/** Whether a name leads to a pipe, a device or a socket. */
export function isSpecialFile(file: string): boolean {
  try {
    const stat = fs.statSync(file, { throwIfNoEntry: false })
    return stat !== undefined && !stat.isFile() && !stat.isDirectory()
  } catch {
    // Git cannot open it either.
    return false
  }
}

function readRegular(file: string, flags: number, most = mostReadAtOnce): string | undefined {
  try {
    const fd = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK | flags)
    try {
      const stat = fs.fstatSync(fd)
      // A device may have no end, a pipe is empty only for now, and a file with holes may say that it has terabytes.
      return stat.isFile() && stat.size <= most ? fs.readFileSync(fd, 'utf8') : undefined
    } finally {
      fs.closeSync(fd)
    }
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ELOOP', 'EISDIR', 'ENOTDIR', 'ENXIO')) return undefined
    throw error
  }
}

/**
 * Git considers an entry unchanged when its times agree, unless they are as new as the index itself. So a copy must have
 * the time of the original.
 */
export function copyWithTime(from: string, to: string): void {
  const { mtimeMs } = fs.statSync(from)
  fs.copyFileSync(from, to)
  setModified(to, mtimeMs)
}

/** Rounded down: with an older time git only reads more files. */
export function setModified(file: string, ms: number): void {
  fs.utimesSync(file, Date.now() / 1000, Math.floor(ms) / 1000)
}

/** Makes an empty file if there is none, without following a link of that name. */
export function touchFile(file: string): void {
  const { O_CREAT, O_WRONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants
  fs.closeSync(fs.openSync(file, O_CREAT | O_WRONLY | O_NOFOLLOW | O_NONBLOCK))
}

/** Appends to a file that is there, without following a link of that name or waiting for a reader of a pipe. */
export function appendToFile(file: string, text: string): void {
  const { O_APPEND, O_WRONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants
  const fd = fs.openSync(file, O_APPEND | O_WRONLY | O_NOFOLLOW | O_NONBLOCK)
  try {
    fs.writeFileSync(fd, text)
  } finally {
    fs.closeSync(fd)
  }
}

export function jsonOf(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return undefined
  }
}

/** Renames a file; one that has the new name already is replaced. */
export const renameFile = (from: string, to: string): void => patiently(() => fs.renameSync(from, to))

export const unlinkFile = (file: string): void => patiently(() => fs.unlinkSync(file))

/**
 * Windows refuses to rename or delete a file while a virus scanner, an indexer or an editor has it open, which usually
 * takes milliseconds. Everywhere else a refusal is final.
 */
export function patiently(
  act: () => void,
  { replacesOpenFiles }: Pick<Platform, 'replacesOpenFiles'> = platform,
  pause = sleep,
): void {
  for (const ms of replacesOpenFiles ? [] : pauses) {
    try {
      return act()
    } catch (error) {
      if (!hasCode(error, ...heldCodes)) throw error
      pause(ms)
    }
  }
  act()
}

/** What Windows says about a file that is open elsewhere. */
const heldCodes: readonly string[] = ['EPERM', 'EBUSY', 'EACCES']

/** Whether a refusal most likely means that another program has the file open. */
export const isHeldElsewhere = (code: string, { replacesOpenFiles }: Pick<Platform, 'replacesOpenFiles'> = platform) =>
  !replacesOpenFiles && heldCodes.includes(code)

/** 1.5 s together. Short ones: between two looks of a busy reader the file is free for a moment only. */
const pauses = [1, 4, 5, ...Array.from({ length: 149 }, () => 10)]

/** The calls that need it are synchronous, so that nothing comes between a check and a rename. */
function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

/** A process, distinct from a later one with the same number. */
export interface Owner {
  readonly pid: number
  /** When it began, as the kernel counts; empty where the kernel does not say. */
  readonly started: string
  readonly host: string
  readonly command: string
  readonly time: string
}

let ownStart: string | undefined

export const ownOwner = (): Owner => ({
  pid: process.pid,
  // Asked for by each lock and the journal; to read it takes longer than to take a lock.
  started: (ownStart ??= processStart(process.pid) ?? ''),
  host: os.hostname(),
  command: ['clada', ...process.argv.slice(2)].join(' ').slice(0, 200),
  time: new Date().toISOString(),
})

/** Whether the process is still there. One on another machine counts as alive: that cannot be checked here. */
export function isAlive({ pid, started, host, time }: Owner): boolean {
  if (host !== '' && host !== os.hostname()) return true
  // Where the kernel does not say when a process began, a number may be in use again, by this one too.
  if (started === '' && pid === process.pid && Date.parse(time) < performance.timeOrigin) return false
  if (!isProcessRunning(pid)) return false
  const now = processStart(pid)
  // A zombie: in a container often no process collects it.
  if (now === 'ended') return false
  return now === undefined || started === '' || now === started
}

function isProcessRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // A process of another user cannot be signalled, but it is there.
    return hasCode(error, 'EPERM')
  }
}

/** Whether the machine was started since, or may have been: what a process wrote and did not sync may be lost. */
export const isFromBeforeStart = ({ time }: Owner): boolean =>
  !(Date.parse(time) > Date.now() - os.uptime() * 1000 + clockSlackMs)

/** Clocks are set right in the first minute. */
const clockSlackMs = 60_000

export function ownerFrom(value: unknown): Owner | undefined {
  if (typeof value !== 'object' || value === null || !('pid' in value) || typeof value.pid !== 'number')
    return undefined
  const text = (name: 'started' | 'host' | 'command' | 'time'): string => {
    const found: unknown = Reflect.get(value, name)
    return typeof found === 'string' ? found : ''
  }
  return {
    pid: value.pid,
    started: text('started'),
    host: text('host'),
    command: text('command'),
    time: text('time'),
  }
}

function processStart(pid: number): string | undefined {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name in parentheses may contain spaces; after it the first field is the state, the 20th the start time.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return /^[ZX]$/.test(fields[0] ?? '') ? 'ended' : fields[19]
  } catch {
    return undefined
  }
}

/** Whether this user may read or write what is at a path. */
export function hasAccess(file: string, to: 'read' | 'write'): boolean {
  try {
    fs.accessSync(file, to === 'read' ? fs.constants.R_OK : fs.constants.W_OK)
    return true
  } catch {
    return false
  }
}
