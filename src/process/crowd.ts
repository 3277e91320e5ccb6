import fs from 'node:fs'
import type { Kin } from './kin.ts'

/** More than any build or test run on one machine starts, and few enough to be cleared away in a moment. */
export const mostProcesses = 1000
/** The limits of the system count threads, of which a process has many. */
export const mostThreads = 4 * mostProcesses

/**
 * Looks whether a program and what it started have become too many; the superuser is exempt from the system's own limit.
 * They are counted only when the whole machine has that many more threads than it had, which costs next to nothing to ask.
 */
export function watchCrowd(kin: Kin, most: number, crowded: () => void): NodeJS.Timeout | undefined {
  let fewest = threadsNow()
  if (fewest === undefined) return undefined
  return setInterval(() => {
    const now = threadsNow() ?? 0
    fewest = Math.min(fewest ?? now, now)
    if (now <= fewest + most) return
    const ours = kin.count(most + 1)
    if (ours > most) crowded()
    // The rest of the growth is that of others.
    else fewest = now - ours
  }, 20).unref()
}

function threadsNow(): number | undefined {
  try {
    return Number(/\/(\d+) /.exec(fs.readFileSync('/proc/loadavg', 'latin1'))?.[1])
  } catch {
    return undefined
  }
}
