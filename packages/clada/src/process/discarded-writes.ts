import fs from 'node:fs'
import path from 'node:path'
import { pause } from '../core/pause.ts'

/** Directories in memory that end with the sandbox. */
const places = ['/tmp', '/var/tmp', '/run', '/dev/shm']

/** Longer lists are of no use, and a program may leave any number. */
const mostEntries = 10_000

/**
 * Finds the files that a program wrote to places that end with its sandbox. They are held open before it begins, so
 * that they can still be looked at when its namespaces are gone.
 */
export class DiscardedWrites {
  readonly #held: { readonly place: string; readonly fd: number; readonly before: ReadonlySet<string> }[] = []
  readonly #home: string

  constructor(home: string) {
    this.#home = home
  }

  /** The sandbox has made its tree by then, or is about to. */
  async hold(first: number): Promise<void> {
    const top = `/proc/${first}/root`
    for (let tries = 0; tries < 200; tries++) {
      if (isReady(top)) return this.#open(top)
      await pause(tries < 20 ? 0 : 1)
    }
  }

  /** Absolute paths, as the program knew them. Lets go of everything. */
  writtenFiles(): string[] {
    const found = this.#held.flatMap(({ place, fd, before }) =>
      filesIn(fd)
        .filter((name) => !before.has(name))
        .map((name) => path.join(place, name)),
    )
    this.close()
    return found.sort()
  }

  close(): void {
    for (const { fd } of this.#held.splice(0)) fs.closeSync(fd)
  }

  #open(top: string): void {
    for (const place of [...places, this.#home]) {
      try {
        const fd = fs.openSync(top + place, fs.constants.O_RDONLY | fs.constants.O_DIRECTORY | fs.constants.O_NOFOLLOW)
        this.#held.push({ place, fd, before: new Set(filesIn(fd)) })
      } catch {
        // This sandbox has no such place.
      }
    }
  }
}

/** Until then the first process sees the tree of the host, then one in which the new tree is put together. */
function isReady(top: string): boolean {
  try {
    return fs.statSync(`${top}/`).dev !== fs.statSync('/').dev && !fs.existsSync(`${top}/newroot`)
  } catch {
    return false
  }
}

/** Files of this one file system: what else is mounted there does not vanish. */
function filesIn(fd: number): string[] {
  const found: string[] = []
  const { dev } = fs.fstatSync(fd)
  const pending = ['']
  let looks = 0
  for (let dir = pending.pop(); dir !== undefined; dir = pending.pop()) {
    for (const name of eachName(`/proc/self/fd/${fd}/${dir}`)) {
      // Directories count too: half a million of them held up the report for minutes.
      if (++looks > mostEntries) return found
      const at = dir === '' ? name : `${dir}/${name}`
      const stat = linkStat(`/proc/self/fd/${fd}/${at}`)
      if (stat?.dev !== dev) continue
      if (stat.isDirectory()) pending.push(at)
      else if (stat.isFile()) found.push(at)
    }
  }
  return found
}

/** Bit by bit: one directory may hold millions. */
function* eachName(dir: string): Generator<string> {
  try {
    const listing = fs.opendirSync(dir)
    try {
      for (let entry = listing.readSync(); entry !== null; entry = listing.readSync()) yield entry.name
    } finally {
      listing.closeSync()
    }
  } catch {
    // It cannot be read.
  }
}

/**
 * Undefined also for a path that is too long to be looked at, or below a directory that may not be entered: the changes
 * of the project have landed by then, and an error here would leave them unreported.
 */
function linkStat(file: string): fs.Stats | undefined {
  try {
    return fs.lstatSync(file)
  } catch {
    return undefined
  }
}
