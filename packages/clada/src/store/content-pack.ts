import fs from 'node:fs'
import { AppendedFile, mostUnwritten } from './appended-file.ts'

/**
 * The small contents of one execution, in one file that is only ever appended to:
 *
 *     file    := content*
 *     content := DIGEST ' ' LENGTH '\n' BYTES '\n'
 *
 * The length has eight hexadecimal digits. A kill or a power cut may leave a torn end; what was synced is before it.
 */
export class ContentPack {
  readonly #fd: number
  readonly #file: AppendedFile
  readonly #places = new Map<string, PackedContent>()
  /** Up to here everything must be on the disk with the next sync. */
  #needed = 0

  private constructor(fd: number, size: number) {
    this.#fd = fd
    this.#file = new AppendedFile(fd, size)
  }

  /** Goes on after the last whole content of a file that is there. What is in it is kept and not known here. */
  static open(file: string): ContentPack {
    const fd = fs.openSync(file, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600)
    const { end } = readPackPlaces(fd)
    fs.ftruncateSync(fd, end)
    return new ContentPack(fd, end)
  }

  /** Each content once. */
  put(digest: string, bytes: Buffer): void {
    if (this.#places.has(digest)) return
    const length = headerLength + bytes.length + 1
    const room = this.#file.room(length)
    room.write(`${digest} ${bytes.length.toString(16).padStart(8, '0')}\n`, 0, 'latin1')
    room.set(bytes, headerLength)
    room[length - 1] = lf
    this.#places.set(digest, { at: this.#file.size + headerLength, length: bytes.length })
    this.#file.extend(length)
    if (this.#file.size - this.#file.written > mostUnwritten) this.flush()
  }

  read(digest: string): Buffer | undefined {
    const place = this.#places.get(digest)
    if (place === undefined) return undefined
    this.flush()
    return readPackedContent(this.#fd, place)
  }

  sizeOf(digest: string): number | undefined {
    return this.#places.get(digest)?.length
  }

  /** Hands everything to the system. What did not fit is forgotten, so that smaller contents can be kept again. */
  flush(): void {
    try {
      this.#file.flush()
    } catch (error) {
      const { written } = this.#file
      this.#file.backTo(written)
      this.#needed = Math.min(this.#needed, written)
      for (const [digest, { at }] of this.#places) if (at > written) this.#places.delete(digest)
      throw error
    }
  }

  /** Everything so far must be on the disk with the next sync. */
  needAll(): void {
    this.#needed = this.#file.size
  }

  get isSynced(): boolean {
    return this.#file.synced >= this.#needed
  }

  /** What has been written by now. */
  sync(): Promise<void> {
    return this.#file.sync()
  }

  syncNow(): void {
    this.#file.syncNow()
  }

  close(): void {
    this.#file.close()
  }
}

/** Where the bytes of a content are in a pack. */
export interface PackedContent {
  readonly at: number
  readonly length: number
}

/** The contents of a pack that others have written. Of two with one digest the last one counts. */
export function readPackPlaces(fd: number): { readonly places: Map<string, PackedContent>; readonly end: number } {
  const { size } = fs.fstatSync(fd)
  const places = new Map<string, PackedContent>()
  const window = Buffer.allocUnsafe(Math.min(size, 1 << 16))
  let from = 0
  let filled = 0
  for (let end = 0; ;) {
    if (end < from || end + headerLength > from + filled) {
      from = end
      filled = fs.readSync(fd, window, 0, window.length, from)
    }
    const header = window.toString('latin1', end - from, Math.min(end - from + headerLength, filled))
    const [, digest, digits = ''] = /^([0-9a-f]{64}) ([0-9a-f]{8})\n$/.exec(header) ?? []
    const length = Number.parseInt(digits, 16)
    if (digest === undefined || end + headerLength + length + 1 > size) return { places, end }
    places.set(digest, { at: end + headerLength, length })
    end += headerLength + length + 1
  }
}

export function readPackedContent(fd: number, { at, length }: PackedContent): Buffer {
  const bytes = Buffer.allocUnsafe(length)
  return bytes.subarray(0, fs.readSync(fd, bytes, 0, length, at))
}

const headerLength = 64 + 1 + 8 + 1
const lf = 10
const { O_RDWR, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = fs.constants
