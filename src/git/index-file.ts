import fs from 'node:fs'
import path from 'node:path'
import { hasCode } from '../core/platform.ts'
import { takeLockFile } from './ready.ts'
import type { Repository } from './repository.ts'

/** Identifies a version of the index file. */
export interface Seen {
  readonly ino: number
  readonly size: number
  readonly mtimeMs: number
}

/** Returns the version that was copied; undefined when there is no index. */
export function copyIndex(index: string, copy: string): Seen | undefined {
  // The last copy may have become the index: both names are then one file, whose time would be changed.
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
 * Git considers an entry unchanged when its times agree, unless they are as new as the index itself. So a copy must have
 * the time of the original.
 */
export function copyWithTime(from: string, to: string): void {
  const { mtimeMs } = fs.statSync(from)
  fs.copyFileSync(from, to)
  // Rounded down: with an older time git only reads more files.
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

/** Takes git's own lock file, with the new index as its content. */
export async function takeIndexLock(copy: string, lock: string): Promise<void> {
  // A link keeps the modification time, by which git decides which entries it can trust.
  if ((await takeLockFile(copy, lock)) === 'linked') return
  fs.closeSync(fs.openSync(lock, 'wx'))
  copyWithTime(copy, lock)
}
