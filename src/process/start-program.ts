import type { ChildProcess, SpawnOptions } from 'node:child_process'
import path from 'node:path'
import { ownPath, ownProgram } from './programs.ts'
import { platform } from '../core/platform.ts'

/** A program that is running, or could not be started. */
export type Started = ChildProcess

/** How a program of clada's own is started: never through a shell. */
type StartOptions = Omit<SpawnOptions, 'shell' | 'argv0'>

/**
 * Starts a program of clada's own by its name or its absolute path, outside of any sandbox and never from a project; one
 * that is not there ends with ENOENT, like any other. What it starts in turn does not come from a project either.
 */
export function startProgram(name: string, args: readonly string[], options: StartOptions): Started {
  return loaded().spawn(fileOf(name), [...args], {
    windowsHide: true,
    ...options,
    ...nearer(options.cwd),
    argv0: name,
    env: environment(options.env),
  })
}

/** Starts a program that the user named on the command line: a path as it is, a name from outside of the projects. */
export function startNamed(program: string, args: readonly string[], options: StartOptions): Started {
  return program.includes(path.sep)
    ? startPart(path.resolve(program), args, options)
    : startProgram(program, args, options)
}

/** Waits for it; undefined when it did not end by itself. */
export function runToEnd(name: string, args: readonly string[], timeoutMs: number): number | undefined {
  const options = { env: {}, stdio: 'ignore', timeout: timeoutMs, argv0: name } as const
  return loaded().spawnSync(fileOf(name), [...args], options).status ?? undefined
}

/** The output of a program that is named by its absolute path; empty when it cannot be started. */
export function outputOf(file: string, args: readonly string[], timeoutMs: number): string {
  const options = { env: { LC_ALL: 'C' }, encoding: 'utf8', timeout: timeoutMs, maxBuffer: 64 * 1024 ** 2 } as const
  return loaded().spawnSync(file, [...args], options).stdout ?? ''
}

/** A part of clada, wherever that is installed. */
export function startPart(file: string, args: readonly string[], options: StartOptions): Started {
  if (!path.isAbsolute(file)) throw new Error(`'${file}' is not absolute`)
  return loaded().spawn(file, [...args], options)
}

/** Windows starts no program in a directory with a long path; one that needs the directory then says so itself. */
const nearer = (cwd: StartOptions['cwd']): StartOptions =>
  typeof cwd === 'string' && cwd.length > platform.longestWorkingDirectory ? { cwd: path.parse(cwd).root } : {}

/** Loaded with the first program: most runs start none. */
const loaded = () => process.getBuiltinModule('node:child_process')

const fileOf = (name: string): string => ownProgram(name) ?? path.join('/nonexistent', path.basename(name))

const environment = (env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv =>
  env['PATH'] === undefined
    ? env
    : { ...env, PATH: ownPath(env['PATH']).join(path.delimiter), ...(platform.name === 'win32' ? inPathOnly : {}) }

/** Windows otherwise looks for a program in the working directory before it looks in PATH. */
const inPathOnly = { NoDefaultCurrentDirectoryInExePath: '1' }
