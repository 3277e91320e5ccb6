import fs from 'node:fs'
import path from 'node:path'
import { now } from '../core/clock.ts'
import { hasCode } from '../core/os-error.ts'
import { gitStop } from './git-program.ts'
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

/** The lock that git itself uses, with the new index already in it. Others hold it for a moment only. */
export async function takeIndexLock(copy: string, lock: string): Promise<void> {
  const begun = now()
  for (;;) {
    try {
      // A link keeps the time it was written at, by which git tells which entries it can trust.
      return fs.linkSync(copy, lock)
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) break
      if (now() - begun >= indexLockMs) throw lockedIndex(lock)
    }
    await pause(20)
  }
  fs.closeSync(fs.openSync(lock, 'wx'))
  copyWithTime(copy, lock)
}

/** Stops when git could not commit anything here, as far as that can be seen before. */
export async function checkWritable({ gitDir, commonDir }: Repository, needs: 'index' | 'objects'): Promise<void> {
  for (const dir of needs === 'index' ? [gitDir, path.join(commonDir, 'objects')] : [path.join(commonDir, 'objects')]) {
    try {
      fs.accessSync(dir, fs.constants.W_OK | fs.constants.X_OK)
    } catch (error) {
      if (hasCode(error, 'EACCES', 'EROFS', 'EPERM')) throw gitStop(`'${dir}' may not be written`, readOnlyAdvice)
    }
  }
  if (needs === 'objects') return
  const lock = path.join(gitDir, 'index.lock')
  for (const begun = now(); fs.existsSync(lock); await pause(20))
    if (now() - begun >= indexLockMs) throw lockedIndex(lock)
}

const indexLockMs = 2000

const readOnlyAdvice = 'Ask the user for the right to write there, or to run with --no-git.'

const lockedIndex = (lock: string): Error =>
  gitStop(
    `'${lock}' exists: another git process is at work in this repository`,
    'Wait for it to end. If no git is running, remove that file; or run with --no-git.',
  )

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms))
