import fs from 'node:fs'
import type { Base } from './tree.ts'

/** A file held open since it was read: its descriptor shows whether another process has written into it. */
export class DiskBase implements Base {
  readonly stat: fs.Stats
  readonly bytes: Buffer
  /** Names that clada itself gave the file to keep it. */
  readonly #ownNames: number
  #fd: number | undefined

  constructor(fd: number, stat: fs.Stats, bytes: Buffer, ownNames = 0) {
    this.#ownNames = ownNames
    this.#fd = fd
    this.stat = stat
    this.bytes = bytes
  }

  get mode(): number {
    return this.stat.mode
  }

  get links(): number {
    return this.stat.nlink - this.#ownNames
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
    return (now.mtimeMs === this.stat.mtimeMs && now.size === this.stat.size) || this.changedBytes() === undefined
  }

  /** The bytes of the descriptor now, when they are no longer the ones that were read. */
  changedBytes(): Buffer | undefined {
    if (this.#fd === undefined) return undefined
    const now = readWhole(this.#fd, this.bytes.length)
    return now.equals(this.bytes) ? undefined : now
  }

  /** The same, by another name of the file. */
  changedIn(safePath: string): Buffer | undefined {
    const now = fs.readFileSync(safePath)
    return now.equals(this.bytes) ? undefined : now
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

export function pour(from: number, to: number): void {
  const chunk = Buffer.allocUnsafe(1 << 20)
  for (let at = 0; ;) {
    const got = fs.readSync(from, chunk, 0, chunk.length, at)
    if (got === 0) return
    writeWhole(to, chunk.subarray(0, got))
    at += got
  }
}
