import fs from 'node:fs'
import path from 'node:path'
import { digestOf } from '../core/digest.ts'
import { hasCode } from '../core/errors.ts'
import { copyToNew, digestOfOpen } from '../state/large-files.ts'
import { removeFile, renameFile } from '../state/own-files.ts'

/**
 * The contents of files before and after changes, each once, under its digest. Whatever is read is compared with its
 * digest first, so a damaged content is a missing one.
 */
export class ContentStore {
  readonly #dir: string

  constructor(dir: string) {
    this.#dir = dir
  }

  /** Where a content is, if it is kept. */
  fileOf(digest: string): string {
    // The digest may come from a damaged log: it must not name a file elsewhere.
    return path.join(this.#dir, isDigest(digest) ? digest : 'none')
  }

  has(digest: string): boolean {
    return fs.lstatSync(this.fileOf(digest), { throwIfNoEntry: false })?.isFile() === true
  }

  /** Keeps bytes. Neither they nor their name are synced. */
  put(bytes: Buffer): string {
    const digest = digestOf(bytes)
    this.#add(digest, bytes.length, (file) => fs.writeFileSync(file, bytes, { flag: 'wx', mode: 0o600 }))
    return digest
  }

  /**
   * Keeps a file of any size: by a link, which needs no space, or as a copy. A linked file must be replaced or removed
   * and never be written into, or it must be copied later with `unlink`.
   */
  keep(safePath: string, how: 'link' | 'copy'): string {
    const [digest, size] = readFile(safePath, (fd) => [digestOfOpen(fd), fs.fstatSync(fd).size] as const)
    this.#add(digest, size, (file) => {
      if (how === 'copy' || !isLinked(safePath, file)) copyFile(safePath, file)
    })
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
  }

  /** Removes what a process left that died in `unlink`. */
  sweep(): void {
    for (const name of this.#names()) if (name.endsWith(copying)) removeFile(path.join(this.#dir, name))
  }

  /** Undefined if it is not kept, or is damaged. */
  read(digest: string): Buffer | undefined {
    try {
      const bytes = readFile(this.fileOf(digest), (fd) => fs.readFileSync(fd))
      return digestOf(bytes) === digest ? bytes : undefined
    } catch {
      return undefined
    }
  }

  /** Whether the content is kept and not damaged, whatever its size. */
  isWhole(digest: string): boolean {
    try {
      return readFile(this.fileOf(digest), digestOfOpen) === digest
    } catch {
      return false
    }
  }

  sizeOf(digest: string): number {
    return fs.lstatSync(this.fileOf(digest), { throwIfNoEntry: false })?.size ?? 0
  }

  /** The size of each content that is kept, by its digest. */
  sizes(): ReadonlyMap<string, number> {
    return new Map(
      this.#names()
        .filter(isDigest)
        .map((name) => [name, this.sizeOf(name)]),
    )
  }

  /** Removes everything but these contents. */
  keepOnly(digests: ReadonlySet<string>): void {
    for (const name of this.#names())
      if (!digests.has(name)) fs.rmSync(path.join(this.#dir, name), { force: true, recursive: true })
  }

  #names(): string[] {
    return fs.existsSync(this.#dir) ? fs.readdirSync(this.#dir) : []
  }

  /**
   * A content is written under its own name, unless it is there and whole: one that is torn by a kill or a power cut is
   * written again. A run adds thousands, so that what is missing or in the way is looked for only after a refusal.
   */
  #add(digest: string, size: number, write: (file: string) => void): void {
    const file = this.fileOf(digest)
    try {
      return write(file)
    } catch (error) {
      if (hasCode(error, 'ENOENT')) fs.mkdirSync(this.#dir, { recursive: true, mode: 0o700 })
      else if (!hasCode(error, 'EEXIST')) throw error
      else if (this.sizeOf(digest) === size && this.isWhole(digest)) return
      else fs.rmSync(file, { force: true })
    }
    write(file)
  }
}

const copying = '.copy'

const isDigest = (text: string): boolean => /^[0-9a-f]{64}$/.test(text)

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
