import fs from 'node:fs'
import path from 'node:path'
import { digestOf, digestOfContent } from '../core/digest.ts'
import { hasCode } from '../core/errors.ts'
import { copyToNew, digestOfOpen } from '../state/large-files.ts'
import { listEntries, removeFile, renameFile, syncFileNow } from '../state/own-files.ts'
import { syncMany } from '../process/sync-many.ts'
import { readPackPlaces, ContentPack, type PackedContent, readPackedContent } from './content-pack.ts'
import type { Durable } from './shared-sync.ts'

/**
 * The contents of files before and after changes, under their digests. Small ones are in a pack, one for each execution, in
 * which each is once. A large one, or one that is linked, is a file of its own, once for all executions. Whatever is read is
 * compared with its digest first, so a damaged content is a missing one.
 */
export class ContentStore implements Durable {
  readonly #dir: string
  readonly #execution: number
  #own: ContentPack | undefined
  /** Packs that were read, by the numbers of their executions. */
  readonly #read = new Map<number, ReadonlyMap<string, PackedContent>>()
  /** Numbers of packs that were not read yet, the one to be read next at the end. */
  #unread: number[] | undefined
  /** Files and directories that are on the disk with the next sync. */
  readonly #unsynced = new Set<string>()

  /** Contents are looked for in those of this execution first, and new ones are put there. */
  constructor(dir: string, execution: number) {
    this.#dir = dir
    this.#execution = execution
  }

  /** Where a large content is, if it is kept. */
  fileOf(digest: string): string {
    // The digest may come from a damaged log: it must not name a file elsewhere.
    return path.join(this.#dir, isDigest(digest) ? digest : 'none')
  }

  has(digest: string): boolean {
    return this.#statOf(digest) !== undefined || this.#findPacked(digest) !== undefined
  }

  /** Keeps bytes. They are on the disk once they are synced. */
  put(bytes: Buffer, digest = digestOfContent(bytes)): string {
    this.keepUnsynced(bytes, digest)
    this.#own?.needAll()
    if (bytes.length > mostPacked) this.#syncLater(digest)
    return digest
  }

  /** Keeps bytes that a power cut may take. */
  keepUnsynced(bytes: Buffer, digest = digestOfContent(bytes)): string {
    if (bytes.length <= mostPacked) this.#openOwn().put(digest, bytes)
    else this.#add(digest, bytes.length, (file) => fs.writeFileSync(file, bytes, { flag: 'wx', mode: 0o600 }))
    return digest
  }

  /**
   * Keeps a file of any size: by a link, which needs no space, or as a copy. A linked file must be replaced or removed
   * and never be written into, or it must be copied later with `unlink`.
   */
  keep(safePath: string, how: 'link' | 'copy'): string {
    const small = how === 'copy' ? readSmall(safePath) : undefined
    if (small !== undefined) return this.put(small)
    const [digest, size] = readFile(safePath, (fd) => [digestOfOpen(fd), fs.fstatSync(fd).size] as const)
    this.#add(digest, size, (file) => {
      if (how === 'copy' || !isLinked(safePath, file)) copyFile(safePath, file)
    })
    this.#syncLater(digest)
    return digest
  }

  /** Replaces a link to a file that may still be in use by a copy. */
  unlink(digest: string): void {
    const file = this.fileOf(digest)
    if ((fs.lstatSync(file, { throwIfNoEntry: false })?.nlink ?? 0) < 2) return
    const copy = `${file}${copying}`
    fs.rmSync(copy, { force: true })
    copyFile(file, copy)
    renameFile(copy, file)
    this.#syncLater(digest)
  }

  /** Removes what a process left that died in `unlink`. */
  sweep(): void {
    for (const { name } of listEntries(this.#dir)) if (name.endsWith(copying)) removeFile(path.join(this.#dir, name))
  }

  /** Undefined if it is not kept, or is damaged. */
  read(digest: string): Buffer | undefined {
    const isIt = (bytes: Buffer | undefined): bytes is Buffer => bytes !== undefined && digestOf(bytes) === digest
    const own = this.#own?.read(digest)
    if (isIt(own)) return own
    const large = this.#statOf(digest) && readIfThere(this.fileOf(digest), (fd) => fs.readFileSync(fd))
    if (isIt(large)) return large
    for (let from = this.#findPacked(digest); from !== undefined; from = this.#findPacked(digest, from.number)) {
      const { file, place } = from
      const bytes = readIfThere(file, (fd) => readPackedContent(fd, place))
      if (isIt(bytes)) return bytes
    }
    return undefined
  }

  /** Whether the content is kept and not damaged, whatever its size. */
  isWhole(digest: string): boolean {
    return readIfThere(this.fileOf(digest), digestOfOpen) === digest || this.read(digest) !== undefined
  }

  sizeOf(digest: string): number {
    return this.#statOf(digest)?.size ?? this.#findPacked(digest)?.place.length ?? 0
  }

  /** The sizes of the large contents, by digest. */
  largeSizes(): ReadonlyMap<string, number> {
    const names = listEntries(this.#dir).flatMap(({ name }) => (isDigest(name) ? [name] : []))
    return new Map(names.map((digest) => [digest, this.largeSizeOf(digest)]))
  }

  /** Zero if it is not kept, or in a pack. */
  largeSizeOf(digest: string): number {
    return this.#statOf(digest)?.size ?? 0
  }

  /** The size of the pack of an execution. */
  packSize(execution: number): number {
    return fs.lstatSync(this.#packOf(execution), { throwIfNoEntry: false })?.size ?? 0
  }

  /** Removes everything but the packs of these executions, and these large contents. */
  keepOnly(executions: ReadonlySet<number>, digests: ReadonlySet<string>): void {
    for (const { name } of listEntries(this.#dir)) {
      const number = executionOfPack(name)
      if (number === undefined ? !digests.has(name) : !executions.has(number))
        fs.rmSync(path.join(this.#dir, name), { force: true, recursive: true })
    }
  }

  /** Removes the pack of the execution: it did nothing. */
  forgetOwn(): void {
    removeFile(this.#packOf(this.#execution))
  }

  /** Hands everything to the system. */
  flush(): void {
    this.#own?.flush()
  }

  get isSynced(): boolean {
    return this.#unsynced.size === 0 && this.#own?.isSynced !== false
  }

  async sync(): Promise<void> {
    this.flush()
    const files = [...this.#unsynced]
    await Promise.all([this.#own?.isSynced === false ? this.#own.sync() : undefined, syncMany(files)])
    for (const file of files) this.#unsynced.delete(file)
  }

  syncNow(): void {
    this.flush()
    for (const file of this.#unsynced) syncFileNow(file)
    this.#unsynced.clear()
    this.#own?.syncNow()
  }

  close(): void {
    this.#own?.close()
    this.#own = undefined
  }

  #openOwn(): ContentPack {
    if (this.#own !== undefined) return this.#own
    fs.mkdirSync(this.#dir, { recursive: true, mode: 0o700 })
    // It may be new. So may its directory, whose parent the log syncs.
    this.#unsynced.add(this.#dir)
    return (this.#own = ContentPack.open(this.#packOf(this.#execution)))
  }

  #packOf(execution: number): string {
    return path.join(this.#dir, `${execution}${packEnding}`)
  }

  #syncLater(digest: string): void {
    for (const file of [this.fileOf(digest), this.#dir]) this.#unsynced.add(file)
  }

  #statOf(digest: string): fs.Stats | undefined {
    const stat = isDigest(digest) ? fs.lstatSync(this.fileOf(digest), { throwIfNoEntry: false }) : undefined
    return stat?.isFile() === true ? stat : undefined
  }

  /** The pack that has a content, in the order in which they are read, or the next one after that. */
  #findPacked(digest: string, after?: number): FoundContent | undefined {
    let isPast = after === undefined
    for (const [number, places] of this.#read) {
      const place = isPast ? places.get(digest) : undefined
      if (place !== undefined) return { number, file: this.#packOf(number), place }
      isPast ||= number === after
    }
    for (let number = this.#nextUnread(); number !== undefined; number = this.#nextUnread()) {
      const file = this.#packOf(number)
      const places = readIfThere(file, (fd) => readPackPlaces(fd).places) ?? new Map<string, PackedContent>()
      this.#read.set(number, places)
      const place = places.get(digest)
      if (place !== undefined) return { number, file, place }
    }
    return undefined
  }

  /** First that of the execution itself, then the newest one. */
  #nextUnread(): number | undefined {
    if (this.#unread === undefined) {
      const numbers = listEntries(this.#dir).flatMap(({ name }) => executionOfPack(name) ?? [])
      const others = numbers.filter((number) => number !== this.#execution)
      this.#unread = [...others.sort((a, b) => a - b), this.#execution]
    }
    return this.#unread.pop()
  }

  /**
   * A large content is written under its own name, unless it is there and whole: one that is torn by a kill or a power cut is
   * written again.
   */
  #add(digest: string, size: number, write: (file: string) => void): void {
    const file = this.fileOf(digest)
    try {
      return write(file)
    } catch (error) {
      if (hasCode(error, 'ENOENT')) fs.mkdirSync(this.#dir, { recursive: true, mode: 0o700 })
      else if (!hasCode(error, 'EEXIST')) throw error
      else if (this.#statOf(digest)?.size === size && readIfThere(file, digestOfOpen) === digest) return
      else fs.rmSync(file, { force: true })
    }
    write(file)
  }
}

interface FoundContent {
  readonly number: number
  readonly file: string
  readonly place: PackedContent
}

/** Larger contents are files of their own: they can be linked and streamed, and versions that return are kept once. */
export const mostPacked = 256 * 1024

const copying = '.copy'
const packEnding = '.pack'

const isDigest = (text: string): boolean => /^[0-9a-f]{64}$/.test(text)

function executionOfPack(name: string): number | undefined {
  const [, digits] = /^(\d{1,10})\.pack$/.exec(name) ?? []
  return digits === undefined ? undefined : Number(digits)
}

function isLinked(from: string, to: string): boolean {
  try {
    fs.linkSync(from, to)
    return true
  } catch (error) {
    if (!hasCode(error, 'EPERM', 'EXDEV', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EACCES')) throw error
    return false
  }
}

function copyFile(from: string, to: string): void {
  copyToNew(from, to)
  fs.chmodSync(to, 0o600)
}

const readSmall = (safePath: string): Buffer | undefined =>
  readFile(safePath, (fd) => (fs.fstatSync(fd).size > mostPacked ? undefined : fs.readFileSync(fd)))

function readIfThere<T>(file: string, read: (fd: number) => T): T | undefined {
  try {
    return readFile(file, read)
  } catch {
    return undefined
  }
}

/** @throws if there is no regular file */
function readFile<T>(file: string, read: (fd: number) => T): T {
  const fd = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK)
  try {
    if (!fs.fstatSync(fd).isFile()) throw new Error(`'${file}' is not a regular file`)
    return read(fd)
  } finally {
    fs.closeSync(fd)
  }
}
