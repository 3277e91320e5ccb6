import fs from 'node:fs'
import path from 'node:path'
import { hasCode } from '../core/errors.ts'
import { homeDir } from '../core/platform.ts'
import type { ChangedFile, WriterKind } from '../core/effects.ts'
import { isBelowAny, isInside } from '../core/paths.ts'
import { makePathJudge, pathPolicyOf, writeBlocked } from '../policy/paths.ts'
import {
  type Blocked,
  findBlocked,
  findBlockedUncached,
  type BlockedPath,
  isBlockedBy,
} from '../process/blocked-index.ts'
import { type Bounds, mostThreadsOfUser } from '../process/bounds.ts'
import type { Mask } from '../process/overlay.ts'
import type { ProcessEnd } from '../process/run-process.ts'
import { cachesFor } from '../process/caches.ts'
import { findBesideRuntimes, prefixOf, runtimesIn } from '../process/runtimes.ts'
import { holdsLogin } from '../process/login-files.ts'
import { findSockets, systemDirs } from '../process/sockets.ts'
import { gitMasks } from '../process/git-view.ts'
import { statesInGit } from '../state/project-state.ts'
import type { CommandScope } from './scope.ts'
import { gitName, isGitName, projectFileName, stateName } from '../core/reserved-names.ts'

type SettingsScope = Pick<CommandScope, 'settings'>

/** Whether the content of a file below the root is blocked by its name. */
export function makeBlockedTest({ settings }: SettingsScope): (relative: string) => boolean {
  const judge = makePathJudge(pathPolicyOf(settings))
  return isBlockedBy((relative) => judge.blockingBelow(relative), settings.root)
}

/** What programs must not read below the root, from the list that is kept of it. */
export function listBlocked(scope: SettingsScope): Blocked {
  const { settings } = scope
  const judge = makePathJudge(pathPolicyOf(settings))
  return findBlocked(settings.root, (relative) => judge.blockingBelow(relative), blockingRules(settings))
}

/** Everything that decides which names are blocked. */
export const blockingRules = ({
  deniedPatterns,
  ignoreFiles = [],
  reserved,
  userPlaces,
}: SettingsScope['settings']): string[] => [
  ...deniedPatterns,
  '',
  ...ignoreFiles.flatMap(({ dir, text }) => [dir, text]),
  '',
  ...reserved(),
  '',
  ...userPlaces,
]

/** Files below the root that are blocked for what they are the second name of: no pattern for names covers them. */
export function listSecondNames(scope: SettingsScope): string[] {
  const isBlockedByName = makeBlockedTest(scope)
  return listBlocked(scope)
    .blocked.map((one) => one.path)
    .filter((name) => !isBlockedByName(name))
}

/** What is blocked in directories outside the project, by absolute path. What is inside the project is left out. */
export function listBlockedOutside(
  dirs: readonly string[],
  network: boolean,
  { settings }: SettingsScope,
): BlockedPath[] {
  const judge = makePathJudge(pathPolicyOf(settings))
  return dirs.flatMap((dir) => {
    const { blocked, repositories, doors } = findBlockedUncached(dir, (relative) =>
      judge.blocking(path.join(dir, relative)),
    )
    return [...blocked, ...(network ? [] : doors), ...repositories.flatMap((name) => statesBelow(dir, name))]
      .map(({ path: name, type }) => ({ path: path.join(dir, name), type }))
      .filter((one) => !isInside(one.path, settings.root))
  })
}

/** Secrets beside the languages in the home directory: settings that hold a login, and blocked names. */
function listSecretsBeside(home: string, { settings }: SettingsScope): BlockedPath[] {
  const judge = makePathJudge(pathPolicyOf(settings))
  const found = findBesideRuntimes(home)
  const isSecret = (file: string): boolean => {
    const by = judge.blocking(file)
    return by === 'always' || (by === 'with-login' && holdsLogin(file))
  }
  const secrets = [...found.settings.filter(holdsLogin), ...found.others.filter(isSecret)]
  return [...new Set(secrets)].map((file) => ({ path: file, type: 'file' }))
}

export interface Containment {
  readonly file: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly timeoutMs: number
  /** `required`: not run without a sandbox. `if-there`: the user has approved this very command. */
  readonly sandbox: 'required' | 'if-there'
  readonly network: boolean
  /** What tools keep in the home directory: with a layer that the project keeps, with one that is thrown away, or not there. */
  readonly caches: 'project' | 'discard' | 'none'
  /** Which rules hold for what it changes. */
  readonly by: WriterKind
  /** Denied files that it may read, relative to the root. */
  readonly reads?: readonly string[]
  /** Whether it may change the repository: not its config and hooks, which decide what runs later. */
  readonly repository?: 'looks' | 'changes'
  /** Of a git command: the word after `git`. */
  readonly verb?: string | undefined
  /** Further files that must be readable inside. */
  readonly readable?: readonly string[]
  readonly memoryBytes: number
  /** Whether its changes stay, asked when it has ended. With this it runs on layers or not at all. */
  readonly keep?: (end: ProcessEnd, changed: readonly ChangedFile[]) => Promise<boolean>
}

/** What a program may see and change. */
export function makeBounds(
  what: Pick<
    Containment,
    'file' | 'caches' | 'by' | 'network' | 'readable' | 'reads' | 'repository' | 'memoryBytes'
  > & {
    /** The git directory that a command may change, where its name is another one. */
    readonly gitDir?: string | undefined
  },
  found: Blocked,
  scope: Pick<CommandScope, 'settings'>,
): Bounds {
  const { root, allowedRoots, userPlaces, runningProgram = [] } = scope.settings
  const { gitDir = gitName } = what
  const repositories = found.repositories.filter(
    (name) => !isGitName(name) && !(what.repository === 'changes' && isInside(gitDir, name)),
  )
  const home = homeDir()
  const further = openRoots(allowedRoots, home).filter((dir) => !isInside(dir, root))
  const isThere = (name: string): boolean => existsAt(path.join(root, name))
  const own = [gitName, stateName, ...userPlacesIn(root, userPlaces)]
  // A command whose approval is bound to what it runs may set up its tools; code may not plant what others run later.
  const programs = runningProgram.filter((file) => isInside(file, root)).map((file) => path.relative(root, file))
  const planted = what.by !== 'wide' ? [...writeBlocked, ...programs] : []
  const inGit = what.repository === 'changes' ? keptInGit.map((name) => `${gitDir}/${name}`) : [gitName]
  const reads = new Set(what.reads)
  const absent = (what.repository === 'changes' ? own.slice(1) : own).filter((name) => !isThere(name))
  const kept = [...new Set([...inGit, ...own.slice(1), projectFileName, ...planted, ...reads, ...repositories])]
  const readable = [...runtimesIn(home), ...prefixOf(what.file, home, root), ...further, ...(what.readable ?? [])]
  const writes = what.caches === 'project' ? 'kept' : 'discarded'
  const fixed = kept.filter(isThere)
  if (what.by !== 'wide')
    absent.push(...missingPlaces(root, programs, [...fixed, ...found.blocked.map((one) => one.path)]))
  return {
    root,
    home,
    readable,
    hidden: [
      ...listBlockedOutside(further, what.network, scope),
      ...listSecretsBeside(home, scope),
      ...(what.network ? [] : findSockets([...systemDirs, ...readable].filter((dir) => !further.includes(dir)))),
    ],
    caches: what.caches === 'none' ? [] : cachesFor(root, home, writes, readable),
    fixed,
    blocked: found.blocked.filter(
      ({ path: name }) => !isInside(name, gitName) && !isInside(name, stateName) && !reads.has(name),
    ),
    absent: [...new Set(absent)],
    network: what.network,
    limits: { memoryBytes: what.memoryBytes, fileBytes: 4 * 1024 ** 3, processes: mostThreadsOfUser() },
  }
}

/**
 * Where something would count if it appeared: the first name on its way that is missing. What leads through a link is listed by
 * the name behind it, and nothing can appear in what is `kept` from the program.
 */
function missingPlaces(root: string, names: readonly string[], kept: readonly string[]): string[] {
  const above = new Set(kept)
  return names.flatMap((name) => {
    const parts = name.split(path.sep)
    for (let count = 1; count <= parts.length; count++) {
      const at = parts.slice(0, count).join(path.sep)
      if (above.has(at)) return []
      const stat = fs.lstatSync(path.join(root, at), { throwIfNoEntry: false })
      if (stat === undefined) return [at]
      if (!stat.isDirectory()) return []
    }
    return []
  })
}

/** The state of projects in a repository, by the name of its git directory. */
export const statesBelow = (dir: string, gitDir: string): BlockedPath[] =>
  statesInGit(path.join(dir, gitDir)).map((name) => ({ path: `${gitDir}/${name}`, type: 'directory' }))

/** What in a repository decides which programs run, at every later command of the user. */
const keptInGit = ['config', 'config.worktree', 'commondir', 'hooks', 'info', 'modules']

/**
 * The directories of the user's own state and config, where the project is so large that it holds them. All of it: a program that can
 * rename a directory above can put another in its place.
 */
const userPlacesIn = (root: string, userPlaces: readonly string[]): string[] =>
  userPlaces
    .filter((place) => place !== root && isInside(place, root))
    .map((place) => path.relative(root, place).split(path.sep)[0] ?? '')

/** What no sandbox can hold in its place: a link at the top of the project, or the project itself. */
export function findLinkToUserPlace({ root, userPlaces }: CommandScope['settings']): string | undefined {
  if (userPlaces.some((place) => isInside(root, place))) return root
  return userPlacesIn(root, userPlaces).find((name) =>
    fs.lstatSync(path.join(root, name), { throwIfNoEntry: false })?.isSymbolicLink(),
  )
}

/** Not what holds the sockets and secrets of others. */
const openRoots = (roots: readonly string[], home: string): string[] =>
  roots.filter(
    (root) => !isInside('/tmp', root) && !isInside('/run', root) && !isInside(home, root) && !isInside('/etc', root),
  )

/** How the project looks to a program on layers, where not as it is. */
export async function makeMasks(
  { blocked }: Bounds,
  repositories: readonly string[],
  { settings, commands }: CommandScope,
  commits: 'git' | 'nothing',
): Promise<Mask[]> {
  const { root, reserved } = settings
  const watched = reserved()
    .filter((file) => isInside(file, root))
    .map((file) => path.relative(root, file))
  // Second names of blocked files are among them, and the objects of a repository that tracks one hold its content.
  const names = new Set(blocked.map((one) => one.path).sort())
  const isBlockedByName = makeBlockedTest({ settings })
  // A commit would delete what git tracks and does not see.
  const own = commits === 'git' ? hiddenInState(root) : [stateName, ...watched]
  const missing = new Set(own.filter((name) => existsAt(path.join(root, name))))
  const masks = [
    ...[...missing].map((name): Mask => ({ path: name, as: 'missing' })),
    ...blocked
      .filter(({ path: name, type }) => type === 'file' && !own.includes(name))
      .map(({ path: name }): Mask => ({ path: name, as: 'unreadable' })),
    ...(await gitMasks({
      root,
      repositories,
      isBlocked: (relative) => isBlockedByName(relative) || names.has(relative) || isBelowAny(relative, names),
      rules: [...blockingRules(settings), '', ...names],
      git: commands.execGit,
    })),
  ]
  // Where a directory is missing, so is everything in it.
  return masks.filter((mask) => !isBelowAny(mask.path, missing))
}

/** Everything in clada's directory but what projects share, and the rules that keep the rest out of commits. */
function hiddenInState(root: string): string[] {
  const dir = path.join(root, stateName)
  if (fs.lstatSync(dir, { throwIfNoEntry: false })?.isDirectory() !== true) return [stateName]
  const names = fs.readdirSync(dir).filter((name) => name !== 'allowed-commands.json' && name !== '.gitignore')
  return names.map((name) => `${stateName}/${name}`)
}

export function existsAt(file: string): boolean {
  try {
    return fs.lstatSync(file, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    // In a linked worktree `.git` is a file.
    if (hasCode(error, 'ENOTDIR')) return false
    throw error
  }
}
