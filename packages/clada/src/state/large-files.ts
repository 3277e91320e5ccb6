import fs from 'node:fs'
import { runBounded, checkTime } from '../core/time-limit.ts'

/**
 * Work on the whole content of a file, under the time limit of the action: a file with holes may say that it has
 * terabytes, and nothing could interrupt a single call that reads them.
 */

/** The SHA-256 of an open file of any size, from its beginning. @throws ProblemError when it takes too long */
export function digestOfOpen(fd: number): string {
  const hash = process.getBuiltinModule('node:crypto').createHash('sha256')
  readThrough(fd, (bytes) => hash.update(bytes))
  return hash.digest('hex')
}

/** Writes what is in one open file to another. @throws ProblemError when it takes too long */
export function copyOpen(from: number, to: number): void {
  readThrough(from, (bytes) => {
    for (let at = 0; at < bytes.length;) at += fs.writeSync(to, bytes, at, bytes.length - at)
  })
}

/** Copies a file to a name that is free, without space where the file system can. @throws ProblemError when it takes too long */
export function copyToNew(from: string, to: string): void {
  const { COPYFILE_EXCL, COPYFILE_FICLONE, COPYFILE_FICLONE_FORCE } = fs.constants
  const stat = fs.statSync(from)
  if (stat.size <= quickBytes) return fs.copyFileSync(from, to, COPYFILE_EXCL | COPYFILE_FICLONE)
  try {
    return fs.copyFileSync(from, to, COPYFILE_EXCL | COPYFILE_FICLONE_FORCE)
  } catch {
    // It has to be read and written.
  }
  const source = fs.openSync(from, 'r')
  try {
    const target = fs.openSync(to, 'wx', stat.mode & 0o777)
    try {
      copyOpen(source, target)
    } catch (error) {
      fs.rmSync(to, { force: true })
      throw error
    } finally {
      fs.closeSync(target)
    }
  } finally {
    fs.closeSync(source)
  }
}

/** Takes a fraction of a second; to watch the time of thousands of small files would take longer than to read them. */
const quickBytes = 16 * 1024 ** 2

function readThrough(fd: number, use: (bytes: Buffer) => void): void {
  const { size } = fs.fstatSync(fd)
  const chunk = Buffer.allocUnsafe(Math.min(1 << 20, Math.max(size, 1 << 16)))
  const read = (): void => {
    for (let at = 0; ;) {
      const got = fs.readSync(fd, chunk, 0, chunk.length, at)
      if (got === 0) return
      use(chunk.subarray(0, got))
      at += got
      checkTime()
    }
  }
  if (size <= quickBytes) read()
  else runBounded(read)
}
