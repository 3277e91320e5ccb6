import path from 'node:path'
import type { ClosedPath } from './survey.ts'

/** What contains a program. One for each system that has any; chosen when it is needed. */
export interface Sandbox {
  readonly name: 'bubblewrap' | 'sandbox-exec'
  readonly file: string
  /** How to start a program inside. */
  wrap(program: Program, bounds: Bounds): Wrapped
  /** Whether it did not come up at all, from what it left. */
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
  readonly hidden: readonly ClosedPath[]
  /** Tool caches that can be written to. */
  readonly caches: readonly string[]
  /** Tool caches that can be read; what is written there is thrown away, or refused where that cannot be done. */
  readonly discarded: readonly string[]
  /** The home directory, shown empty but for what else is listed here. */
  readonly home: string
  /** Below the root, readable but not to be changed. */
  readonly fixed: readonly string[]
  /** Below the root, neither readable nor changeable. */
  readonly closed: readonly ClosedPath[]
  /** Names directly below the root that are not there and must not appear. */
  readonly absent: readonly string[]
  readonly network: boolean
  readonly limits: ResourceLimits
  /** Where the project and the discarded directories are mounted as overlays before the sandbox starts. */
  readonly mounts?: Mounts
}

export interface Mounts {
  /** The project as the program sees it. */
  readonly root: string
  /** By the real directory: where its overlay is. */
  readonly discarded: readonly (readonly [dir: string, from: string])[]
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
  readonly family: 'namespace' | 'marked'
  /** What the sandbox program reads from descriptor 5: a filter for system calls. */
  readonly filter?: Buffer | undefined
  /** What everything inside may take together, where a control group can be made. */
  readonly memoryBytes?: number
}

/**
 * The directories below the root that lead to what is kept from a program, parents first. Were one of them renamed,
 * what is kept would go with it, and another could be made in its place.
 */
export function directoriesAbove({ fixed, closed, absent }: Pick<Bounds, 'fixed' | 'closed' | 'absent'>): string[] {
  const found = new Set<string>()
  for (const name of [...fixed, ...closed.map((one) => one.path), ...absent]) {
    for (let dir = path.dirname(name); dir !== '.' && !found.has(dir); dir = path.dirname(dir)) found.add(dir)
  }
  return [...found].sort()
}
