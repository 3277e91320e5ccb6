import fs from 'node:fs'
import path from 'node:path'
import { digestOf } from '../core/digest.ts'
import { syncMany } from '../process/sync-many.ts'
import { isInMemory, jsonOf, syncFileNow } from '../state/own-files.ts'

/**
 * The file of one execution, which is only ever appended to:
 *
 *     file    := entry*
 *     entry   := DIGEST ' ' JSON '\n'
 *
 * After the record of the execution comes {"record":OFFSET}, so that it is found from the end. Nothing after the first
 * damaged entry counts. What is appended is on the disk once `sync` is done; calls at the same time share one sync.
 */
export class Log {
  readonly #fd: number
  /** What is not written yet, from its beginning. */
  #buffer = Buffer.allocUnsafe(1 << 14)
  #size: number
  #written: number
  #synced = 0
  #syncing: Promise<void> = Promise.resolve()
  #waiting: Promise<void> | undefined
  readonly #files: Set<string>
  readonly #isInMemory: boolean

  private constructor(file: string, fd: number, size: number) {
    this.#fd = fd
    this.#isInMemory = isInMemory(fs.fstatSync(fd).dev, () => file)
    this.#size = size
    this.#written = size
    // The directories that lead here are new, or may be.
    const dir = path.dirname(file)
    this.#files = new Set([dir, path.dirname(dir), path.dirname(path.dirname(dir))])
  }

  static create(file: string): Log {
    return new Log(file, fs.openSync(file, 'wx', 0o600), 0)
  }

  /** Goes on after the last whole entry. */
  static continue(file: string): Log {
    const { end } = readLog(file)
    const fd = fs.openSync(file, fs.constants.O_RDWR | fs.constants.O_NOFOLLOW)
    fs.ftruncateSync(fd, end)
    return new Log(file, fd, end)
  }

  add(entry: object): void {
    const json = JSON.stringify(entry)
    this.#makeRoom(digestLength + 2 + 3 * json.length)
    const at = this.#size - this.#written
    const end = at + digestLength + 1 + this.#buffer.write(json, at + digestLength + 1)
    this.#buffer.write(`${digestOf(this.#buffer.subarray(at + digestLength + 1, end))} `, at, 'latin1')
    this.#buffer[end] = lf
    this.#size += end + 1 - at
    this.#flushMuch()
  }

  addRecord(record: object): void {
    const at = this.#size
    this.add(record)
    this.add({ record: at })
  }

  /** Another file that must be on the disk with the next sync. */
  alsoSync(file: string): void {
    this.#files.add(file)
  }

  /** Hands everything to the system. After a failure it is tried again at the same place. */
  flush(): void {
    const length = this.#size - this.#written
    for (let at = 0; at < length;) at += fs.writeSync(this.#fd, this.#buffer, at, length - at, this.#written + at)
    this.#written += length
  }

  /** Removes what was added since the size was this, as far as it is not written yet. */
  backTo(size: number): void {
    if (size < this.#size) this.#size = Math.max(size, this.#written)
  }

  get size(): number {
    return this.#size
  }

  /** Undefined where nothing is to be waited for: to sync in memory takes less time than to ask another thread for it. */
  sync(): Promise<void> | undefined {
    if (this.#isInMemory) return void this.syncNow()
    if (this.#synced === this.#size && this.#files.size === 0) return this.#syncing
    this.#waiting ??= this.#syncing
      .catch(() => {})
      .then(() => {
        this.#waiting = undefined
        return (this.#syncing = this.#syncAll())
      })
    return this.#waiting
  }

  syncNow(): void {
    this.flush()
    // Also those that are just being synced: the caller cannot wait for that.
    for (const file of this.#files) syncFileNow(file)
    this.#files.clear()
    if (this.#synced < this.#written) fs.fdatasyncSync(this.#fd)
    this.#synced = this.#written
  }

  close(): void {
    fs.closeSync(this.#fd)
  }

  async #syncAll(): Promise<void> {
    this.flush()
    const size = this.#written
    const own = new Promise<void>((done, failed) =>
      fs.fdatasync(this.#fd, (error) => (error === null ? done() : failed(error))),
    )
    const files = [...this.#files]
    await Promise.all([own, syncMany(files)])
    for (const file of files) this.#files.delete(file)
    this.#synced = size
  }

  #makeRoom(length: number): void {
    const used = this.#size - this.#written
    if (used + length <= this.#buffer.length) return
    const larger = Buffer.allocUnsafe(2 * (used + length))
    larger.set(this.#buffer.subarray(0, used))
    this.#buffer = larger
  }

  #flushMuch(): void {
    if (this.#size - this.#written > 1 << 20) this.flush()
  }
}

const lf = 10
const digestLength = digestOf(Buffer.alloc(0)).length

interface Entries {
  readonly entries: object[]
  /** Where the whole entries end. */
  readonly end: number
  /** It is not only the end that is missing, as after a crash. */
  readonly damaged: boolean
}

/** Empty and damaged where there is no such file. */
export function readLog(file: string): Entries {
  const bytes = bytesIn(file)
  const entries: object[] = []
  let end = 0
  for (;;) {
    const next = bytes.indexOf(10, end)
    const entry = next === -1 ? undefined : entryIn(bytes.subarray(end, next))
    if (entry === undefined) return { entries, end, damaged: end === 0 || hasEntry(bytes, next) }
    entries.push(entry)
    end = next + 1
  }
}

/** Whether any line after an offset is a whole entry. */
function hasEntry(bytes: Buffer, from: number): boolean {
  for (let at = from; at !== -1;) {
    const next = bytes.indexOf(10, at + 1)
    if (next !== -1 && entryIn(bytes.subarray(at + 1, next)) !== undefined) return true
    at = next
  }
  return false
}

function entryIn(line: Buffer): object | undefined {
  const space = line.indexOf(32)
  const text = line.subarray(space + 1)
  if (space === -1 || line.toString('latin1', 0, space) !== digestOf(text)) return undefined
  const entry = jsonOf(text.toString())
  return typeof entry === 'object' && entry !== null ? entry : undefined
}

/** The record at the end, without reading the rest. */
export function recordAtEnd(file: string): object | undefined {
  return opened(file, (fd) => {
    const { size } = fs.fstatSync(fd)
    const tail = readAt(fd, Math.max(0, size - tailBytes), Math.min(size, tailBytes))
    const line = tail.subarray(tail.lastIndexOf(10, tail.length - 2) + 1, -1)
    const trailer = entryIn(line)
    const at: unknown = trailer && Reflect.get(trailer, 'record')
    if (typeof at !== 'number' || at < 0 || at > size) return undefined
    return entryIn(readAt(fd, at, size - at - line.length - 2))
  })
}

/** Longer than any last line. */
const tailBytes = 128

const bytesIn = (file: string): Buffer => opened(file, (fd) => fs.readFileSync(fd)) ?? Buffer.alloc(0)

function readAt(fd: number, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(Math.max(0, length))
  return bytes.subarray(0, fs.readSync(fd, bytes, 0, bytes.length, at))
}

/** Undefined where no regular file can be read. */
function opened<T>(file: string, read: (fd: number) => T): T | undefined {
  try {
    const fd = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK)
    try {
      return fs.fstatSync(fd).isFile() ? read(fd) : undefined
    } finally {
      fs.closeSync(fd)
    }
  } catch {
    return undefined
  }
}
