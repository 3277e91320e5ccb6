import fs from 'node:fs'
import path from 'node:path'
import { isBelowAny, isInside } from '../core/paths.ts'
import { type Platform, platform } from '../core/platform.ts'
import type { ChildProcess, SpawnOptions } from 'node:child_process'

/** Where programs of the system come from. Fixed, so that nothing in the environment or the project decides it. */
export const systemPath: readonly string[] = platform.systemPath

/** Directories that documents may write to. It only grows: one process may work on several projects. */
const projects = new Set<string>()

/**
 * No program of clada's own is taken from below these, from now on. They are canonical. One that holds the system itself
 * leaves no other place to take them from.
 */
export function takeNoProgramsFrom(roots: readonly string[]): void {
  for (const root of roots) if (!systemPath.some((dir) => isInside(dir, root))) projects.add(root)
}

/** The directories of a PATH, by default the user's, in which programs of clada's own are looked for. */
export function ownPath(list = process.env['PATH']): readonly string[] {
  const dirs = pathOutside(list, projects)
  return dirs.length === 0 ? systemPath : dirs
}

/**
 * The file of a program that clada itself starts, outside any sandbox: git, a pager, a clipboard tool. Links are
 * followed, because one that leads into a project, or through it, is as good as a program there.
 */
export function ownProgram(name: string, dirs = ownPath()): string | undefined {
  const found = path.isAbsolute(name) ? [name] : candidates(name, dirs, platform, process.env['PATHEXT'])
  for (const file of found) {
    if (!isProgram(file)) continue
    const target = realPathOr(file)
    if (!isInAny(target, projects)) return target
  }
  return undefined
}

/** The directories of a PATH that are absolute and are in none of the given roots, which are canonical. */
export function pathOutside(list: string | undefined, roots: readonly string[] | ReadonlySet<string>): string[] {
  const blocked = roots instanceof Set ? roots : new Set(roots)
  return [...new Set((list ?? '').split(path.delimiter))].filter(
    (dir) => path.isAbsolute(dir) && !isInAny(realPathOr(dir), blocked),
  )
}

/** Whether a file, once links are followed, is one that documents may write. */
export const isInProject = (file: string): boolean => isInAny(realPathOr(path.resolve(file)), projects)

/** By the directories above a path, not root by root: one process may have worked on thousands of projects. */
const isInAny = (file: string, roots: ReadonlySet<string>): boolean => roots.has(file) || isBelowAny(file, roots)

/** The first file of that name that may be run. `batch`: also batch files, which `run-process.ts` starts. */
export const findProgram = (name: string, dirs: readonly string[], also?: 'batch'): string | undefined =>
  candidates(name, dirs, platform, process.env['PATHEXT'], also).find(isProgram)

/**
 * git, as documents and hooks may run it: on Windows, where it does not come with the system, from wherever the user
 * installed it.
 */
export function systemGit(roots: readonly string[]): string | undefined {
  if (platform.posixCommands) return findProgram('git', pathOutside(systemPath.join(platform.path.delimiter), roots))
  return ownProgram('git', pathOutside(process.env['PATH'], roots))
}

/**
 * The files that a name may mean, in their order: a name alone in absolute directories alone, so the working directory
 * never counts. Windows knows programs by their extension; those for its shell are none, as a shell would read their
 * arguments a second time.
 */
export function candidates(
  name: string,
  dirs: readonly string[],
  on: Platform,
  pathext = '.COM;.EXE',
  also?: 'batch',
): string[] {
  if (!on.drives) {
    if (name === '' || name.includes('/')) return []
    return dirs.filter((dir) => dir.startsWith('/')).map((dir) => path.posix.join(dir, name))
  }
  if (name === '' || /[\\/:]/.test(name)) return []
  const extensions = pathext
    .toLowerCase()
    .split(';')
    .filter((one) => (also === 'batch' ? /^\.(?:com|exe|cmd|bat)$/ : /^\.(?:com|exe)$/).test(one))
  const names = extensions.includes(path.win32.extname(name).toLowerCase())
    ? [name]
    : extensions.map((extension) => name + extension)
  // `\dir` and `C:dir` depend on where a process is.
  const absolute = dirs.filter((dir) => /^(?:[a-z]:[\\/]|\\\\[^\\])/i.test(dir))
  return absolute.flatMap((dir) => names.map((one) => path.win32.join(dir, one)))
}

export function isProgram(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK)
    return fs.statSync(file).isFile()
  } catch {
    return false
  }
}

export function realPathOr(file: string): string {
  try {
    return fs.realpathSync.native(file)
  } catch {
    return file
  }
}

/** A program that is running, or could not be started. */
export type StartedChild = ChildProcess

/** How a program of clada's own is started: never through a shell. */
type StartOptions = Omit<SpawnOptions, 'shell' | 'argv0'>

/**
 * Starts a program of clada's own by its name or its absolute path, outside any sandbox and never from a project; one
 * that is not there ends with ENOENT, like any other. What it starts in turn does not come from a project either.
 */
export function startProgram(name: string, args: readonly string[], options: StartOptions): StartedChild {
  const dirs = ownPath()
  return childProcess().spawn(fileOfProgram(name, dirs), [...args], {
    windowsHide: true,
    ...options,
    ...nearer(options.cwd),
    argv0: name,
    env: environment(options.env, dirs),
  })
}

/** Starts a program that the user named on the command line: a path as it is, a name from outside the projects. */
export function startNamed(program: string, args: readonly string[], options: StartOptions): StartedChild {
  return program.includes(path.sep)
    ? startPart(path.resolve(program), args, options)
    : startProgram(program, args, options)
}

/**
 * The file and the environment of a program that the user named on the command line: a path as it is, a name from outside the
 * projects. By the name of a link and not its target: some programs do what they are called.
 */
export function namedProgram(
  program: string,
): { readonly file: string; readonly env: Readonly<Record<string, string>> } | undefined {
  const dirs = ownPath()
  const file = program.includes(path.sep)
    ? path.resolve(program)
    : candidates(program, dirs, platform, process.env['PATHEXT']).find(
        (one) => isProgram(one) && !isInAny(realPathOr(one), projects),
      )
  if (file === undefined) return undefined
  const given = Object.entries(environment(undefined, dirs)).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  )
  return { file, env: Object.fromEntries(given) }
}

/** Waits for it; undefined when it did not end by itself. */
export function runToEnd(
  name: string,
  args: readonly string[],
  timeoutMs: number,
  where: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): number | undefined {
  const options = { env: {}, stdio: 'ignore', timeout: timeoutMs, argv0: name, ...where } as const
  return childProcess().spawnSync(fileOfProgram(name), [...args], options).status ?? undefined
}

/** The output of a program that is named by its absolute path; empty when it cannot be started. */
export function readProgramOutput(
  file: string,
  args: readonly string[],
  timeoutMs: number,
  where: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): string {
  const options = { env: { LC_ALL: 'C' }, encoding: 'utf8', timeout: timeoutMs, maxBuffer: 64 * 1024 ** 2 } as const
  return childProcess().spawnSync(file, [...args], { ...options, ...where }).stdout ?? ''
}

/** A part of clada, wherever that is installed. */
export function startPart(file: string, args: readonly string[], options: StartOptions): StartedChild {
  if (!path.isAbsolute(file)) throw new Error(`'${file}' is not absolute`)
  return childProcess().spawn(file, [...args], options)
}

/** Windows starts no program in a directory with a long path; one that needs the directory then says so itself. */
const nearer = (cwd: StartOptions['cwd']): StartOptions =>
  typeof cwd === 'string' && cwd.length > platform.longestWorkingDirectory ? { cwd: path.parse(cwd).root } : {}

/** Loaded with the first program: most runs start none. */
const childProcess = () => process.getBuiltinModule('node:child_process')

const fileOfProgram = (name: string, dirs = ownPath()): string =>
  ownProgram(name, dirs) ?? path.join('/nonexistent', path.basename(name))

/** `own` are the directories of the user's PATH, which is the one of most programs: to look at them again takes long. */
function environment(env: NodeJS.ProcessEnv = process.env, own: readonly string[]): NodeJS.ProcessEnv {
  const list = env['PATH']
  if (list === undefined) return env
  const PATH = (list === process.env['PATH'] ? own : ownPath(list)).join(path.delimiter)
  return { ...env, PATH, ...platform.ownVariables }
}
