import fs from 'node:fs'
import os from 'node:os'
import type { Kin } from './kin.ts'

/** More than any build or test run on one machine starts, and few enough to be cleared away in a moment. */
export const mostProcesses = 1000
/**
 * The limits of the system count threads. How many a machine bears, and how many are of use on it, is a matter of its
 * processors: so many that each of them comes round to everybody within a second or two.
 */
export const mostThreads = (): number => 500 + 250 * os.availableParallelism()

/** The same for a limit that counts everything its user runs on the machine, as older systems do. */
export const mostThreadsOfUser = (): number => (threadsNow() ?? 0) + mostThreads()

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
