import fs from 'node:fs'
import path from 'node:path'
import { hasCode } from '../core/os-error.ts'
import { takeLockFile } from './ready.ts'
import type { Repository } from './repository.ts'

/** By which a changed index is told. */
export interface Seen {
  readonly ino: number
  readonly size: number
  readonly mtimeMs: number
}

/** What the index was when it was copied; undefined when there was none. */
export function copyIndex(index: string, copy: string): Seen | undefined {
  // The last copy may have become the index: then both names are one file, and its time would be set.
  fs.rmSync(copy, { force: true })
  try {
    const { ino, size, mtimeMs } = fs.statSync(index)
    copyWithTime(index, copy)
    return { ino, size, mtimeMs }
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error
    return undefined
  }
}

/**
 * Git takes an entry for unchanged when the times agree, but not one that is as young as the index itself. So a copy
 * must be as old as what it was copied from.
 */
export function copyWithTime(from: string, to: string): void {
  const { mtimeMs } = fs.statSync(from)
  fs.copyFileSync(from, to)
  // Rounded down: a little too old only means that git looks more closely.
  fs.utimesSync(to, Date.now() / 1000, Math.floor(mtimeMs) / 1000)
}

export function isUnchanged(index: string, seen: Seen | undefined): boolean {
  const now = fs.statSync(index, { throwIfNoEntry: false })
  if (now === undefined || seen === undefined) return now === seen
  return now.ino === seen.ino && now.size === seen.size && now.mtimeMs === seen.mtimeMs
}

export function seenIndex({ gitDir }: Repository): Seen | undefined {
  const stat = fs.statSync(path.join(gitDir, 'index'), { throwIfNoEntry: false })
  return stat === undefined ? undefined : { ino: stat.ino, size: stat.size, mtimeMs: stat.mtimeMs }
}

/** The lock that git itself uses, with the new index already in it. */
export async function takeIndexLock(copy: string, lock: string): Promise<void> {
  // A link keeps the time it was written at, by which git tells which entries it can trust.
  if ((await takeLockFile(copy, lock)) === 'linked') return
  fs.closeSync(fs.openSync(lock, 'wx'))
  copyWithTime(copy, lock)
}
