import type fs from 'node:fs'
import type { Entry } from '../core/files.ts'
import { Stop } from '../core/problem.ts'
import type { Location } from './location.ts'

type Kinds = Pick<fs.Stats, 'isFile' | 'isDirectory' | 'isSymbolicLink' | 'isFIFO' | 'isSocket'>

export function typeOf(stat: Kinds): Entry['type'] {
  if (stat.isFile()) return 'file'
  if (stat.isDirectory()) return 'directory'
  return stat.isSymbolicLink() ? 'symlink' : 'other'
}

export function irregularStop(at: Location, stat: Kinds, op: string): Stop {
  if (stat.isDirectory()) return directoryStop(at, op)
  const type = stat.isFIFO() ? 'FIFO' : stat.isSocket() ? 'socket' : stat.isSymbolicLink() ? 'symbolic link' : 'device'
  return new Stop({ kind: 'not-regular', path: at.given, type, op })
}

export const directoryStop = (at: Location, op: string): Stop =>
  new Stop({ kind: 'os', code: 'EISDIR', op, path: at.given })

/**
 * A file that nobody may write is left alone, although renaming another one over it would work:
 * the mode is what its owner said about it. The superuser is held to the same.
 */
export function refuseReadOnly(at: Location, stat: fs.Stats, op: string): void {
  if (isReadOnly(stat)) throw readOnlyStop(at, op)
}

export function isReadOnly({ uid, mode }: fs.Stats): boolean {
  return (uid === ownUser ? mode & 0o200 : mode & 0o222) === 0
}

export const readOnlyStop = (at: Location, op: string): Stop =>
  new Stop({ kind: 'os', code: 'EACCES', op, path: at.given })

const ownUser = process.geteuid?.()
