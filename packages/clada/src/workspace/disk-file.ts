import fs from 'node:fs'
import type { DirectoryEntry } from '../core/files.ts'
import { hasCode } from '../core/errors.ts'
import { type Problem, ProblemError } from '../core/problem.ts'
import type { FileState } from '../core/recorder.ts'
import type { Base } from './tree.ts'
import type { Location } from './walk.ts'
import { isUtf8 } from 'node:buffer'
import { binaryType, describeBinary } from '../core/binary-type.ts'

type Kinds = Pick<fs.Stats, 'isFile' | 'isDirectory' | 'isSymbolicLink' | 'isFIFO' | 'isSocket'>

export function typeOf(stat: Kinds): DirectoryEntry['type'] {
  if (stat.isFile()) return 'file'
  if (stat.isDirectory()) return 'directory'
  return stat.isSymbolicLink() ? 'symlink' : 'other'
}

export function irregularError(at: Location, stat: Kinds, op: string): ProblemError {
  if (stat.isDirectory()) return directoryError(at, op)
  const type = stat.isFIFO() ? 'FIFO' : stat.isSocket() ? 'socket' : stat.isSymbolicLink() ? 'symbolic link' : 'device'
  return new ProblemError({ kind: 'not-regular', path: at.given, type, op })
}

/** Nothing could bring a pipe, a socket or a device back. */
export function refuseSpecial(at: Location, stat: Kinds, op: string): void {
  if (!stat.isFile() && !stat.isSymbolicLink()) throw irregularError(at, stat, op)
}

export const directoryError = (at: Location, op: string): ProblemError =>
  new ProblemError({ kind: 'os', code: 'EISDIR', op, path: at.given })

/**
 * A read-only file is not changed, although renaming another one over it would work:
 * the mode is what its owner said about it. The superuser is held to the same.
 */
export function refuseReadOnly(at: Location, stat: fs.Stats, safePath: string, op: string): void {
  if (isReadOnly(stat, safePath)) throw readOnlyError(at, op)
}

export function isReadOnly({ uid, mode }: fs.Stats, safePath: string): boolean {
  if (uid === ownUser) return (mode & 0o200) === 0
  return (mode & 0o222) === 0 || (ownUser !== 0 && !mayWrite(safePath))
}

/** Asks the system, which also knows groups and access lists. */
function mayWrite(safePath: string): boolean {
  try {
    fs.accessSync(safePath, fs.constants.W_OK)
    return true
  } catch (error) {
    return !hasCode(error, 'EACCES')
  }
}

export const readOnlyError = (at: Location, op: string): ProblemError =>
  new ProblemError({ kind: 'os', code: 'EACCES', op, path: at.given })

const ownUser = process.geteuid?.()

/** A file held open since it was read: its descriptor shows whether another process has written into it. */
export class DiskBase implements Base {
  readonly stat: fs.Stats
  readonly bytes: Buffer
  #fd: number | undefined

  constructor(fd: number, stat: fs.Stats, bytes: Buffer) {
    this.#fd = fd
    this.stat = stat
    this.bytes = bytes
  }

  get mode(): number {
    return this.stat.mode
  }

  /** Whether this very file is at a place, whatever it holds by now. */
  isNamed(safePath: string): boolean {
    const now = fs.lstatSync(safePath, { throwIfNoEntry: false })
    return now !== undefined && now.ino === this.stat.ino && now.dev === this.stat.dev
  }

  /** Holds the file again after a release, if it is still the same one. */
  isAt(safePath: string): boolean {
    const now = fs.lstatSync(safePath, { throwIfNoEntry: false })
    if (now === undefined || now.ino !== this.stat.ino || now.dev !== this.stat.dev) return false
    this.#fd ??= fs.openSync(safePath, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK)
    return (now.mtimeMs === this.stat.mtimeMs && now.size === this.stat.size) || this.readChanged() === undefined
  }

  /** The bytes of the descriptor now, when they are no longer the ones that were read. */
  readChanged(): Buffer | undefined {
    if (this.#fd === undefined || isSameContent(this.#fd, this.bytes)) return undefined
    const now = readWhole(this.#fd, this.bytes.length)
    return now.equals(this.bytes) ? undefined : now
  }

  /** The same, by another name of the file. */
  readChangedAt(safePath: string): Buffer | undefined {
    const now = fs.readFileSync(safePath)
    return now.equals(this.bytes) ? undefined : now
  }

  /** Calls with the descriptor of this file, if it is held or still at its place. */
  withDescriptor(safePath: string, use: (fd: number) => void): void {
    if (this.#fd !== undefined) use(this.#fd)
    else if (this.isNamed(safePath)) withOpenFile(safePath, use)
  }

  /** The descriptor, for the caller to close. */
  handOver(): number | undefined {
    const fd = this.#fd
    this.#fd = undefined
    return fd
  }

  release(): void {
    if (this.#fd !== undefined) fs.closeSync(this.#fd)
    this.#fd = undefined
  }
}

/** Calls with the descriptor of a file, unless there is none that could be read. */
export function withOpenFile(safePath: string, use: (fd: number) => void): void {
  let fd: number
  try {
    fd = fs.openSync(safePath, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK)
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'EACCES')) return
    throw error
  }
  try {
    use(fd)
  } finally {
    fs.closeSync(fd)
  }
}

/** Whether a small file has these bytes: nothing is kept of it, so that one piece of memory does for all. */
function isSameContent(fd: number, bytes: Buffer): boolean {
  if (bytes.length >= compared.length) return false
  const got = fs.readSync(fd, compared, 0, bytes.length + 1, 0)
  return got === bytes.length && bytes.equals(compared.subarray(0, got))
}

const compared = Buffer.allocUnsafeSlow(1 << 16)

/** From the start to the end, whatever size was expected: the file may have grown since. */
export function readWhole(fd: number, expected: number): Buffer {
  const buffer = Buffer.allocUnsafe(expected + 1)
  let filled = 0
  while (filled < buffer.length) {
    const got = fs.readSync(fd, buffer, filled, buffer.length - filled, filled)
    if (got === 0) return buffer.subarray(0, filled)
    filled += got
    // A short read is the end of a regular file: one call less for each file.
    if (filled <= expected && got < buffer.length - (filled - got)) return buffer.subarray(0, filled)
  }
  return Buffer.concat([buffer, rest(fd, filled)])
}

function rest(fd: number, from: number): Buffer {
  const chunks: Buffer[] = []
  for (let at = from; ;) {
    const chunk = Buffer.allocUnsafe(65536)
    const got = fs.readSync(fd, chunk, 0, chunk.length, at)
    if (got === 0) return Buffer.concat(chunks)
    chunks.push(chunk.subarray(0, got))
    at += got
  }
}

export function writeWhole(fd: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length;) at += fs.writeSync(fd, bytes, at, bytes.length - at)
}

export interface Change {
  readonly at: Location
  readonly before: FileState | null
  readonly after: FileState | null
}

/** Nothing where nothing is different. */
export const changeBetween = (at: Location, before: FileState | null, after: FileState | null): Change[] =>
  hasSameContent(before, after) ? [] : [{ at, before, after }]

export const hasSameContent = (one: FileState | null, other: FileState | null): boolean =>
  one === null || other === null ? one === other : one.mode === other.mode && one.bytes.equals(other.bytes)

const mark = Buffer.from([0xef, 0xbb, 0xbf])

/** The text of a file and whether a byte order mark was before it. Bytes that are not UTF-8 are never guessed at. */
export function decodeText(bytes: Buffer, given: string): { text: string; bom: boolean } {
  if (!isUtf8(bytes)) throw new ProblemError(notText(bytes, given))
  const bom = bytes.length >= 3 && bytes.subarray(0, 3).equals(mark)
  return { text: bytes.toString('utf8', bom ? 3 : 0), bom }
}

export function encodeText(text: string, bom: boolean): Buffer {
  const bytes = Buffer.from(text, 'utf8')
  return bom ? Buffer.concat([mark, bytes]) : bytes
}

function notText(bytes: Buffer, path: string): Problem {
  const byte = firstInvalid(bytes)
  let line = 1
  for (let lf = bytes.indexOf(10); lf !== -1 && lf < byte; lf = bytes.indexOf(10, lf + 1)) line++
  if (!bytes.includes(0)) return { kind: 'not-text', path, reason: 'utf8', byte, line }
  const { mime } = binaryType(bytes)
  const image = mime?.startsWith('image/') ? { type: mime, bytes } : undefined
  return { kind: 'not-text', path, reason: 'binary', byte, line, described: describeBinary(bytes), image }
}

/** Where the bytes stop being UTF-8. */
function firstInvalid(bytes: Buffer): number {
  let at = 0
  while (at < bytes.length) {
    const lead = bytes[at] ?? 0
    const length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4
    if (length > 1 && !isUtf8(bytes.subarray(at, at + length))) return at
    at += length
  }
  return at
}
