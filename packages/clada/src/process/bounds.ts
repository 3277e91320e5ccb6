import path from 'node:path'
import type { BlockedPath } from './blocked-index.ts'
import fs from 'node:fs'
import os from 'node:os'
import type { ProcessTree } from './process-tree.ts'

/** What contains a program. One for each system that has any; chosen when it is needed. */
export interface Sandbox {
  readonly name: 'bubblewrap' | 'sandbox-exec'
  readonly file: string
  /** How to start a program inside. */
  wrap(program: Program, bounds: Bounds): Wrapped
  /** The reason why it did not start at all, from its output. */
  failed(end: {
    readonly exitCode: number | null
    readonly stderr: string
    readonly status: string
  }): string | undefined
}

export interface Program {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

/** What a program inside may see and change. Everything else is not there. */
export interface Bounds {
  /** The project; the only place of the user's that can be written to. */
  readonly root: string
  /** Further directories that can be read. */
  readonly readable: readonly string[]
  /** In those, what cannot be read. Absolute. */
  readonly hidden: readonly BlockedPath[]
  /** Tool caches that can be read. What is written there is kept elsewhere, or thrown away, or refused where that cannot be done. */
  readonly caches: readonly Cache[]
  /** The home directory, shown empty but for what else is listed here. */
  readonly home: string
  /** Below the root, readable but not to be changed. */
  readonly fixed: readonly string[]
  /** Below the root, neither readable nor changeable. */
  readonly blocked: readonly BlockedPath[]
  /** Names below the root that are not there and must not appear, in directories that are. */
  readonly absent: readonly string[]
  readonly network: boolean
  readonly limits: ResourceLimits
  /** Where the project and the caches are mounted as overlays before the sandbox starts. */
  readonly mounts?: Mounts
}

/** A directory in the home directory in which a tool keeps what it fetched. */
export interface Cache {
  /** Where programs look for it; the user's own one is there, or nothing. */
  readonly dir: string
  /** What commands with network have put over it, in clada's state. */
  readonly layer: string
  /** Whether what a program writes goes to that layer, or to one above it that ends with the program. */
  readonly writes: 'kept' | 'discarded'
}

export interface Mounts {
  /** The project as the program sees it. */
  readonly root: string
  /** Where a directory that can only be read is to be taken from instead. */
  readonly shown: readonly (readonly [dir: string, from: string])[]
  /** By the directory of a cache, or of a repository beside the project: where its overlay is. */
  readonly further: readonly (readonly [dir: string, from: string])[]
}

export interface ResourceLimits {
  readonly memoryBytes: number
  readonly fileBytes: number
  readonly processes: number
}

export interface Wrapped {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  /** For the sandbox program itself, whose own environment can be read inside. */
  readonly env: Readonly<Record<string, string>>
  readonly scope: 'namespace' | 'marked'
  /** What the sandbox program reads from descriptor 5: a filter for system calls. */
  readonly filter?: Buffer | undefined
  /** What it reads from descriptor 6: options that others must not see. */
  readonly options?: Buffer | undefined
  /** What everything inside may take together, where a control group can be made. */
  readonly memoryBytes?: number
}

/**
 * The directories below the root that lead to what is kept from a program, parents first. Were one of them renamed,
 * what is kept would go with it, and another could be made in its place.
 */
export function directoriesAbove({ fixed, blocked, absent }: Pick<Bounds, 'fixed' | 'blocked' | 'absent'>): string[] {
  const found = new Set<string>()
  for (const name of [...fixed, ...blocked.map((one) => one.path), ...absent]) {
    for (let dir = path.dirname(name); dir !== '.' && !found.has(dir); dir = path.dirname(dir)) found.add(dir)
  }
  return [...found].sort()
}

/** More than any build or test run on one machine starts, and few enough to be cleared away in a moment. */
export const mostProcesses = 1000
/**
 * The limits of the system count threads. How many a machine can run depends on its
 * processors: as many as still get their turn within a second or two.
 */
export const mostThreads = (): number => 500 + 250 * os.availableParallelism()

/** The same for a limit that counts everything its user runs on the machine, as older systems do. */
export const mostThreadsOfUser = (): number => (threadsNow() ?? 0) + mostThreads()

/**
 * Looks whether a program and what it started have become too many; the superuser is exempt from the system's own limit.
 * They are counted when the whole machine has that many more threads than it had, which costs next to nothing to ask; and
 * once a second where it has that many at all, because those of others may end at the same time.
 */
export function watchProcessCount(
  tree: Pick<ProcessTree, 'count'>,
  most: number,
  crowded: () => void,
): NodeJS.Timeout | undefined {
  let fewest = threadsNow()
  if (fewest === undefined) return undefined
  let looks = 0
  return setInterval(() => {
    const now = threadsNow() ?? 0
    fewest = Math.min(fewest ?? now, now)
    const grown = now > fewest + most
    if (!grown && (++looks % 50 !== 0 || now <= most)) return
    const ours = tree.count(most + 1)
    if (ours > most) crowded()
    // The rest of the growth is that of others.
    else if (grown) fewest = now - ours
  }, 20).unref()
}

function threadsNow(): number | undefined {
  try {
    return Number(/\/(\d+) /.exec(fs.readFileSync('/proc/loadavg', 'latin1'))?.[1])
  } catch {
    return undefined
  }
}
