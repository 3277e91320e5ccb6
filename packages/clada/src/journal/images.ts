import fs from 'node:fs'
import path from 'node:path'
import { hasCode } from '../core/platform.ts'
import { renameFile, syncFileNow } from '../state/own-files.ts'
import { journalFile, type State } from './record.ts'
import { digestOf } from '../core/digest.ts'
import type { Inspected } from '../core/recorder.ts'
import { contentIn, opened, type Slice } from './log.ts'

/** The state of a path without its bytes. */
export function readState(safePath: string): State {
  const stat = fs.lstatSync(safePath, { throwIfNoEntry: false })
  if (stat === undefined) return { type: 'absent' }
  if (stat.isFile()) return { type: 'file', mode: stat.mode & 0o7777 }
  if (stat.isDirectory()) return { type: 'directory', mode: stat.mode & 0o7777 }
  return stat.isSymbolicLink() ? { type: 'symlink', target: fs.readlinkSync(safePath) } : { type: 'other' }
}

/** Keeps a file by a hard link, or by a copy where links are not possible. */
export function keepImage(safePath: string, image: string): void {
  try {
    fs.linkSync(safePath, image)
  } catch (error) {
    if (!hasCode(error, 'EPERM', 'EXDEV', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EACCES')) throw error
    copyFile(safePath, image)
  }
}

/** Replaces a hard link by a copy, so that writes into the live file do not change the kept one. */
export function copyImage(image: string | undefined): void {
  if (image === undefined || fs.lstatSync(image).nlink < 2) return
  copyFile(image, `${image}.own`)
  renameFile(`${image}.own`, image)
}

export function copyFile(from: string, to: string): void {
  fs.copyFileSync(from, to, fs.constants.COPYFILE_EXCL | fs.constants.COPYFILE_FICLONE)
  fs.chmodSync(to, fs.lstatSync(from).mode & 0o7777)
}

/** The ending of an image that was compressed. */
export const compressed = '.z'

export const inflated = (fd: number): Buffer => zlib().inflateRawSync(fs.readFileSync(fd))

/** Replaces an image by a compressed one, where that is worth it. At each moment one of them is on the disk. */
export async function compressImage(image: string): Promise<void> {
  const { size, mode } = fs.lstatSync(image)
  if (size > largest) return
  const bytes = fs.readFileSync(image)
  // What is compressed already, as pictures are, shows that at once.
  const sample = bytes.subarray(size >> 1, (size >> 1) + sampleSize)
  if (zlib().deflateRawSync(sample, quick).length > sample.length * worthwhile) return
  const packed = await new Promise<Buffer>((done, failed) =>
    zlib().deflateRaw(bytes, quick, (error, result) => (error === null ? done(result) : failed(error))),
  )
  if (packed.length > size * worthwhile) return
  const file = `${image}${compressed}`
  fs.writeFileSync(`${file}.new`, packed, { mode: mode & 0o600, flush: true })
  fs.renameSync(`${file}.new`, file)
  syncFileNow(path.dirname(image))
  fs.unlinkSync(image)
}

const largest = 64 * 1024 * 1024
const sampleSize = 64 * 1024
const worthwhile = 0.7
const quick = { level: 1 }

/** Loaded with the first large file. */
const zlib = () => process.getBuiltinModule('node:zlib')

/** Reads the contents that an execution kept: files before and after its changes. */
export class Contents {
  readonly #dir: string

  /** `dir` is the directory of the execution, as `dirOf` has it. */
  constructor(dir: string) {
    this.#dir = dir
  }

  /** Undefined where no content was kept, or it is not what was kept. */
  bytesOf(state: State): Buffer | undefined {
    if (state.type !== 'file') return undefined
    const { kept, image, digest } = state
    const bytes = kept !== undefined ? this.slice(kept) : image === undefined ? undefined : this.image(image)
    return bytes === undefined || digest === undefined || digestOf(bytes) === digest ? bytes : undefined
  }

  /** The state, with its bytes if they were kept, for comparisons. */
  withBytes(state: State): State | Inspected {
    const bytes = this.bytesOf(state)
    return state.type === 'file' && bytes !== undefined ? { type: 'file', mode: state.mode, bytes } : state
  }

  slice(slice: Slice): Buffer | undefined {
    const middle = contentIn(path.join(this.#dir, journalFile), slice)
    const [, , between] = slice
    if (between === undefined || middle === undefined) return middle
    const [name, beginning, end] = between
    const image = this.image(name)
    return image && Buffer.concat([image.subarray(0, beginning), middle, image.subarray(image.length - end)])
  }

  /** A file as it was. Its name is a number, so that a record cannot name one elsewhere. */
  image(name: string): Buffer | undefined {
    if (!/^\d+$/.test(name)) return undefined
    const file = path.join(this.#dir, name)
    return opened(file, (fd) => fs.readFileSync(fd)) ?? opened(`${file}${compressed}`, inflated)
  }
}
