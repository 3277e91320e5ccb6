import os from 'node:os'
import { hardenedGitArgs, hardenedGitEnv } from '../core/hardened-git.ts'
import { hasCode } from '../core/os-error.ts'
import { Stop } from '../core/problem.ts'
import { type Started, startProgram } from '../process/start-program.ts'

/**
 * An environment built from nothing: no configuration of the machine or the user, no prompt, no pager, no editor,
 * nothing fetched, nothing replaced.
 */
export function hardenedEnv(): Record<string, string> {
  const { HOME, XDG_CONFIG_HOME, PATH } = process.env
  return {
    PATH: PATH ?? '/usr/bin:/bin',
    // Only for `~` and the user's list of ignored files: what is configured there is switched off below.
    HOME: HOME ?? '/nonexistent',
    ...(XDG_CONFIG_HOME === undefined ? {} : { XDG_CONFIG_HOME }),
    LANG: 'C.UTF-8',
    LC_ALL: 'C.UTF-8',
    ...hardenedGitEnv,
  }
}

/** For the repository's own directory, whose configuration git insists on reading. */
export const hardenedArgs: readonly string[] = hardenedGitArgs(
  'core.alternateRefsCommand=/bin/false',
  'commit.gpgSign=false',
  'gc.auto=0',
  'maintenance.auto=false',
)

interface GitStart {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly args: readonly string[]
  /** Whether it lets another one go first that has fewer threads, when both are waited for. */
  readonly yields?: boolean
}

export interface GitCall extends GitStart {
  readonly input?: string | Buffer
  /** Exit codes that are an answer and no failure. */
  readonly fine?: readonly number[]
}

export interface GitAnswer {
  readonly status: number
  readonly out: Buffer
}

/** Starts git and leaves it to the caller. */
export function startGit({ cwd, env, args, yields }: GitStart, input: 'ignore' | 'pipe'): Started {
  const child = startProgram('git', [...hardenedArgs, ...args], {
    cwd,
    env: { ...hardenedEnv(), ...env },
    stdio: [input, 'pipe', 'pipe'],
  })
  if (yields && child.pid !== undefined) stepAside(child.pid)
  return child
}

function stepAside(pid: number): void {
  try {
    os.setPriority(pid, 5)
  } catch {
    // It is over already, or the system knows no such thing.
  }
}

/** Runs git. Stops with what git said when it fails. */
export const git = (call: GitCall): Promise<GitAnswer> =>
  answerOf(startGit(call, call.input === undefined ? 'ignore' : 'pipe'), call)

/** The same with the user's own environment and configuration, for what runs nothing. */
export function gitOfUser(
  cwd: string,
  env: Readonly<Record<string, string>>,
  args: readonly string[],
): Promise<GitAnswer> {
  const { PATH = '/usr/bin:/bin', HOME = '/nonexistent', XDG_CONFIG_HOME } = process.env
  const own = { PATH, HOME, ...(XDG_CONFIG_HOME === undefined ? {} : { XDG_CONFIG_HOME }), ...env }
  return answerOf(startProgram('git', args, { cwd, env: own, stdio: ['ignore', 'pipe', 'pipe'] }), { args })
}

function answerOf(
  child: Started,
  { input, fine = [], args }: Pick<GitCall, 'input' | 'fine' | 'args'>,
): Promise<GitAnswer> {
  return new Promise((done, failed) => {
    const out: Buffer[] = []
    const said: Buffer[] = []
    child.stdout?.on('data', (chunk: Buffer) => out.push(chunk))
    child.stderr?.on('data', (chunk: Buffer) => said.push(chunk))
    child.on('error', (error) => {
      const missing = hasCode(error, 'ENOENT')
      failed(gitStop(missing ? 'git is not installed' : error.message))
    })
    child.on('close', (code, signal) => {
      if (code === 0 || (code !== null && fine.includes(code))) return done({ status: code, out: Buffer.concat(out) })
      const message = Buffer.concat(said).toString().trim().split('\n').slice(0, 3).join(' ')
      failed(
        gitStop(`git ${args.find((arg) => !arg.startsWith('-')) ?? ''}: ${message || `ended with ${code ?? signal}`}`),
      )
    })
    if (input === undefined) return
    // Git may answer before it has read everything.
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
  })
}

/** What git lists with `-z`. */
export const namesIn = (out: Buffer): string[] =>
  out
    .toString()
    .split('\0')
    .filter((name) => name !== '')

export const gitStop = (reason: string, advice?: string): Stop =>
  new Stop({ kind: 'git', reason, ...(advice === undefined ? {} : { advice }) })
