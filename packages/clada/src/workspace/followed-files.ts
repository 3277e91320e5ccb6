import fs from 'node:fs'
import { hasCode } from '../core/errors.ts'

/**
 * Files of the project as programs of the user find them: by their paths, links followed, blocked ones included. No
 * content leaves this file, only kinds and digests. All throw what the system says.
 */
export interface FollowedEntry {
  /** `missing`: a link that leads nowhere. */
  readonly type: 'file' | 'directory' | 'other' | 'missing'
  readonly size: number
  readonly isExecutable: boolean
  /** Where it points, if it is a link. */
  readonly target: string | undefined
}

export function followEntry(absolute: string): FollowedEntry {
  const target = fs.lstatSync(absolute).isSymbolicLink() ? fs.readlinkSync(absolute) : undefined
  const stat = followedStat(absolute)
  if (stat === undefined) return { type: 'missing', size: 0, isExecutable: false, target }
  const type = stat.isDirectory() ? 'directory' : stat.isFile() ? 'file' : 'other'
  return { type, size: stat.size, isExecutable: (stat.mode & 0o111) !== 0, target }
}

function followedStat(absolute: string): fs.Stats | undefined {
  try {
    return fs.statSync(absolute)
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ELOOP', 'ENOTDIR')) return undefined
    throw error
  }
}

export interface FollowedName {
  readonly name: string
  readonly type: 'file' | 'directory' | 'link'
}

/** The names in a directory. Sorted: under which of its names something is found must not depend on the file system. */
export function followNames(dir: string): FollowedName[] {
  const names = fs.readdirSync(dir, { withFileTypes: true }).map((entry): FollowedName => {
    const type = entry.isSymbolicLink() ? 'link' : entry.isDirectory() ? 'directory' : 'file'
    return { name: entry.name, type }
  })
  return names.sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** The one name of a directory that has several through links. */
export const followDirectory = (dir: string): string => fs.realpathSync(dir)

/** Whether another user owns it, or a directory above it. */
export function isOfAnother(absolute: string): boolean {
  try {
    return fs.statSync(absolute).uid !== process.geteuid?.()
  } catch {
    return true
  }
}

const chunk = Buffer.allocUnsafeSlow(1 << 20)

/** The digest of a file of any size; undefined if it is no longer a file, or grew while it was read. */
export function followDigest(file: string): string | undefined {
  const { O_RDONLY, O_NONBLOCK } = fs.constants
  const descriptor = fs.openSync(file, O_RDONLY | (O_NONBLOCK ?? 0))
  try {
    const stat = fs.fstatSync(descriptor)
    if (!stat.isFile()) return undefined
    const hash = process.getBuiltinModule('node:crypto').createHash('sha256')
    let read = 0
    for (let got = -1; got !== 0 && read <= stat.size; read += got) {
      got = fs.readSync(descriptor, chunk)
      hash.update(chunk.subarray(0, got))
    }
    return read > stat.size ? undefined : hash.digest('hex')
  } finally {
    fs.closeSync(descriptor)
  }
}

/** Whether something is there that is no directory. */
export function isFollowedFile(absolute: string): boolean {
  const stat = followedStat(absolute)
  return stat !== undefined && !stat.isDirectory()
}
