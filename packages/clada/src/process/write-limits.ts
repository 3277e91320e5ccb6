import fs from 'node:fs'
import path from 'node:path'
import { hasCode } from '../core/errors.ts'
import type { ProcessTree } from './process-tree.ts'

/** What a program may write in one run: the disk is not its own, and all of it is read again before it lands. */
export interface WriteLimits {
  readonly bytes: number
  /** Files, directories and links. */
  readonly entries: number
}

export class TooMuchWritten extends Error {
  override readonly name = 'TooMuchWritten'
}

/** Counts what was written. By the sizes of files: one with holes takes no room and is read as a whole all the same. */
export class WriteBudget {
  #bytes: number
  #entries: number

  constructor({ bytes, entries }: WriteLimits) {
    this.#bytes = bytes
    this.#entries = entries
  }

  /** @throws TooMuchWritten */
  countEntry(): void {
    if (--this.#entries < 0) throw new TooMuchWritten()
  }

  /** @throws TooMuchWritten */
  countBytes(bytes: number): void {
    this.#bytes -= bytes
    if (this.#bytes < 0) throw new TooMuchWritten()
  }
}

/** Directories that a program writes to, all on one file system, and how much. */
export interface WatchedWrites {
  readonly dirs: readonly string[]
  readonly limits: WriteLimits
}

/**
 * Looks whether a program fills the disk while it runs. What it wrote is counted only when so much less is free: that
 * costs next to nothing to ask. Nine tenths of what was free are too much as well, so that others can go on writing.
 */
export function watchWrites(
  { dirs: [first = '/', ...others], limits }: WatchedWrites,
  onTooMuch: () => void,
  tree: Pick<ProcessTree, 'namelessBytes'>,
  findFree: (dir: string) => WriteLimits = freeOn,
): NodeJS.Timeout {
  let most = findFree(first)
  return setInterval(() => {
    const now = findFree(first)
    most = { bytes: Math.max(most.bytes, now.bytes), entries: Math.max(most.entries, now.entries) }
    const allowed = {
      bytes: Math.min(limits.bytes, most.bytes * 0.9),
      entries: Math.min(limits.entries, most.entries * 0.9),
    }
    if (most.bytes - now.bytes <= allowed.bytes && most.entries - now.entries <= allowed.entries) return
    const nameless = tree.namelessBytes(allowed.bytes)
    if (holdMore([first, ...others], { ...allowed, bytes: allowed.bytes - nameless })) onTooMuch()
    // The rest is that of others, unless a file has lost its name between the two looks.
    else if (tree.namelessBytes(allowed.bytes) <= nameless) most = now
  }, 50).unref()
}

function freeOn(dir: string): WriteLimits {
  const { bavail, bsize, files, ffree } = fs.statfsSync(dir)
  // Some file systems have no such number.
  return { bytes: bavail * bsize, entries: files === 0 ? Number.MAX_SAFE_INTEGER : ffree }
}

/** A directory that its owner may not read counts as too much: more could be hidden there. */
function holdMore(dirs: readonly string[], { bytes, entries }: WriteLimits): boolean {
  if (bytes < 0) return true
  const pending = [...dirs]
  let [size, count] = [0, 0]
  for (let dir = pending.pop(); dir !== undefined; dir = pending.pop()) {
    try {
      for (const entry of fs.readdirSync(dir, { withFileTypes: true })) {
        const file = path.join(dir, entry.name)
        if (entry.isDirectory()) pending.push(file)
        size += (fs.lstatSync(file, { throwIfNoEntry: false })?.blocks ?? 0) * 512
        if (size > bytes || ++count > entries) return true
      }
    } catch (error) {
      // It may have been removed in the meantime.
      if (!hasCode(error, 'ENOENT', 'ENOTDIR')) return true
    }
  }
  return false
}
