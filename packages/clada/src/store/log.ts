import fs from 'node:fs'
import path from 'node:path'
import { isRecord } from '@clada/reply/core/is-record.ts'
import { jsonOf, syncFileNow, syncFiles } from '../state/own-files.ts'
import type { Signer } from '../state/project-state.ts'
import { AppendedFile, mostUnwritten } from './appended-file.ts'
import type { Durable } from './shared-sync.ts'

/**
 * The file of one execution, which is only ever appended to:
 *
 *     file    := entry*
 *     entry   := MAC ' ' JSON '\n'
 *
 * The MAC is over the root of the project, the MAC of the entry before, and the JSON. After the record of the execution comes
 * {"record":OFFSET,"before":MAC}, so that it is found and checked from the end. Nothing after the first entry that is not signed
 * so counts.
 */
export class Log implements Durable {
  readonly #signer: Signer
  readonly #file: AppendedFile
  /** Of the last entry, and of the last one that was written. */
  #mac: string
  #writtenMac: string
  /** On the disk with the next sync: they are new, or may be. */
  readonly #dirs: Set<string>

  private constructor(file: string, fd: number, signer: Signer, { end, mac }: Pick<Entries, 'end' | 'mac'>) {
    this.#signer = signer
    this.#file = new AppendedFile(fd, end)
    this.#mac = mac
    this.#writtenMac = mac
    const dir = path.dirname(file)
    this.#dirs = new Set([dir, path.dirname(dir), path.dirname(path.dirname(dir))])
  }

  static create(file: string, signer: Signer): Log {
    return new Log(file, fs.openSync(file, 'wx', 0o600), signer, { end: 0, mac: '' })
  }

  /** Goes on after the last whole entry. */
  static continue(file: string, signer: Signer): Log {
    const entries = readLog(file, signer)
    const fd = fs.openSync(file, fs.constants.O_RDWR | fs.constants.O_NOFOLLOW)
    fs.ftruncateSync(fd, entries.end)
    return new Log(file, fd, signer, entries)
  }

  add(entry: object): void {
    const json = JSON.stringify(entry)
    const room = this.#file.room(macLength + 2 + 3 * json.length)
    const end = macLength + 1 + room.write(json, macLength + 1)
    this.#mac = this.#signer.sign(this.#mac, room.subarray(macLength + 1, end))
    room.write(`${this.#mac} `, 0, 'latin1')
    room[end] = lf
    this.#file.extend(end + 1)
    if (this.#file.size - this.#file.written > mostUnwritten) this.flush()
  }

  addRecord(record: object): void {
    const [at, before] = [this.#file.size, this.#mac]
    this.add(record)
    this.add({ record: at, before })
  }

  /** Hands everything to the system. After a failure it is tried again at the same place. */
  flush(): void {
    this.#file.flush()
    this.#writtenMac = this.#mac
  }

  /** Removes what was added since then, as far as it is not written yet. */
  backTo({ size, mac }: LogEnd): void {
    this.#mac = size < this.#file.written ? this.#writtenMac : mac
    this.#file.backTo(size)
  }

  get end(): LogEnd {
    return { size: this.#file.size, mac: this.#mac }
  }

  get isSynced(): boolean {
    return this.#file.synced === this.#file.size && this.#dirs.size === 0
  }

  async sync(): Promise<void> {
    this.flush()
    const dirs = [...this.#dirs]
    await Promise.all([this.#file.sync(), syncFiles(dirs)])
    for (const dir of dirs) this.#dirs.delete(dir)
  }

  syncNow(): void {
    this.flush()
    for (const dir of this.#dirs) syncFileNow(dir)
    this.#dirs.clear()
    this.#file.syncNow()
  }

  close(): void {
    this.#file.close()
  }
}

/** Where a log ends, and the MAC of its last entry. */
export interface LogEnd {
  readonly size: number
  readonly mac: string
}

const lf = 10
const macLength = 64

interface Entries {
  readonly entries: object[]
  /** Where the whole entries end. */
  readonly end: number
  /** Of the last one. */
  readonly mac: string
  /** It is not only the end that is missing, as after a crash. */
  readonly damaged: boolean
}

/** Empty and damaged where there is no such file, or it was signed by somebody else. */
export function readLog(file: string, signer: Signer): Entries {
  const bytes = bytesIn(file)
  const entries: object[] = []
  let end = 0
  let mac = ''
  for (;;) {
    const next = bytes.indexOf(lf, end)
    const entry = next === -1 ? undefined : entryIn(bytes.subarray(end, next), mac, signer)
    if (entry === undefined) return { entries, end, mac, damaged: end === 0 || hasEntry(bytes, end, signer) }
    entries.push(entry.value)
    mac = entry.mac
    end = next + 1
  }
}

/** Whether any line from an offset on is a whole entry after the line before it. */
function hasEntry(bytes: Buffer, from: number, signer: Signer): boolean {
  let before = ''
  for (let at = from, next = bytes.indexOf(lf, at); next !== -1; at = next + 1, next = bytes.indexOf(lf, at)) {
    const line = bytes.subarray(at, next)
    if (entryIn(line, before, signer) !== undefined) return true
    before = line.toString('latin1', 0, macLength)
  }
  return false
}

interface SignedEntry {
  readonly mac: string
  readonly value: object
}

function entryIn(line: Buffer, before: string, signer: Signer): SignedEntry | undefined {
  const mac = line.toString('latin1', 0, macLength)
  const text = line.subarray(macLength + 1)
  if (line[macLength] !== 32 || mac !== signer.sign(before, text)) return undefined
  const value = jsonOf(text.toString())
  return typeof value === 'object' && value !== null ? { mac, value } : undefined
}

/** The record at the end, and the MAC of the last entry, without reading the rest. */
export function recordAtEnd(
  file: string,
  signer: Signer,
): { readonly record: object; readonly mac: string } | undefined {
  return opened(file, (fd) => {
    const { size } = fs.fstatSync(fd)
    const tail = readAt(fd, Math.max(0, size - tailBytes), Math.min(size, tailBytes))
    const line = tail.subarray(tail.lastIndexOf(lf, tail.length - 2) + 1, -1)
    // Only to find the record: what is signed is known then.
    const trailer = jsonOf(line.toString('utf8', macLength + 1))
    if (!isRecord(trailer)) return undefined
    const { record: at, before } = trailer
    if (typeof at !== 'number' || at < 0 || at > size || typeof before !== 'string') return undefined
    const record = entryIn(readAt(fd, at, size - at - line.length - 2), before, signer)
    const end = record && entryIn(line, record.mac, signer)
    return end && { record: record.value, mac: end.mac }
  })
}

/** Longer than any last line. */
const tailBytes = 256

/**
 * Writes the entries of a log that somebody else signed, or an older version, as one of ours. `previous` is the MAC with which the
 * execution before ends. Undefined if it has no entry. Returns the MAC of its last entry.
 */
export function copySigned(
  from: string,
  to: string,
  signer: Signer,
  { previous, isWhole }: { readonly previous: string; readonly isWhole: (mark: string, json: Buffer) => boolean },
): string | undefined {
  const entries: object[] = []
  const bytes = bytesIn(from)
  for (let at = 0, next = bytes.indexOf(lf); next !== -1; at = next + 1, next = bytes.indexOf(lf, at)) {
    const line = bytes.subarray(at, next)
    const json = line.subarray(macLength + 1)
    const entry = jsonOf(json.toString())
    if (!isRecord(entry) || !isWhole(line.toString('latin1', 0, macLength), json)) break
    entries.push(entry)
  }
  if (entries.length === 0) return undefined
  const log = Log.create(to, signer)
  try {
    for (const entry of entries)
      if ('paths' in entry) log.addRecord({ ...entry, previous })
      else if (!('record' in entry)) log.add(entry)
    log.syncNow()
    return log.end.mac
  } finally {
    log.close()
  }
}

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
