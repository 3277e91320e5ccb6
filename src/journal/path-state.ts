import { fingerprintOf } from '../core/hash.ts'
import { Stop } from '../core/problem.ts'
import type { Inspect, Inspected } from '../core/recorder.ts'
import type { State } from './record.ts'

/**
 * The state of a path that an execution changed earlier. A path below a link that was created since counts as absent:
 * the files seen through the link are elsewhere. A path that must not be inspected does not prevent the record.
 */
export function seenAt(inspect: Inspect, absolute: string): Inspected {
  try {
    return inspect(absolute)
  } catch (error) {
    if (!(error instanceof Stop)) throw error
    const { problem } = error
    return { type: problem.kind === 'path' && problem.rule === 'symlink_not_allowed' ? 'absent' : 'other' }
  }
}

/** With a fingerprint instead of the bytes. */
export const stateOf = (found: Inspected): State =>
  found.type === 'file' ? { type: 'file', mode: found.mode, print: fingerprintOf(found.bytes) } : found

type Known = Inspected | State

/** Whether two states of a path are the same: type, content and target of a link. Modes are `isSameMode`'s. */
export function isSameState(one: Known, other: Known): boolean {
  if (one.type === 'symlink' && other.type === 'symlink') return one.target === other.target
  if (one.type !== 'file' || other.type !== 'file') return one.type === other.type
  if ('bytes' in one && 'bytes' in other) return one.bytes.equals(other.bytes)
  const print = printOf(one)
  return print !== undefined && print === printOf(other)
}

/** Of a directory the mode is not always known. */
export function isSameMode(one: Known, other: Known): boolean {
  if (one.type === 'file' && other.type === 'file') return one.mode === other.mode
  if (one.type !== 'directory' || other.type !== 'directory') return true
  return one.mode === undefined || other.mode === undefined || one.mode === other.mode
}

const printOf = (file: Known & { type: 'file' }): string | undefined =>
  'bytes' in file ? fingerprintOf(file.bytes) : file.print
