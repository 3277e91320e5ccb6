import path from 'node:path'
import { withoutUndefined } from '@clada/reply/core/optional.ts'
import fs from 'node:fs'
import os from 'node:os'
import { hardenedGitArgs, hardenedGitEnv } from '../process/isolated-git-dir.ts'
import { hasCode } from '../core/errors.ts'
import { platform } from '../core/platform.ts'
import { ProblemError } from '../core/problem.ts'
import { waitLeft } from '../core/time-limit.ts'
import { withLimitedMemory } from '../process/limited-memory.ts'
import { ownProgram, type StartedChild, startProgram } from '../process/programs.ts'

/**
 * An environment that inherits almost nothing: no configuration of the machine or the user, no prompt, pager or editor,
 * no fetches, no replaced objects.
 */
export function hardenedEnv(): Record<string, string> {
  const { XDG_CONFIG_HOME, PATH } = process.env
  return withoutUndefined({
    PATH: PATH ?? '/usr/bin:/bin',
    // Only for `~` and the user's list of ignored files: the configuration there is switched off below.
    HOME: platform.home() ?? '/nonexistent',
    XDG_CONFIG_HOME,
    LANG: 'C.UTF-8',
    LC_ALL: 'C.UTF-8',
    ...hardenedGitEnv,
  })
}

/** For the repository's own directory, whose configuration git always reads. */
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
  /** Run this git at lower CPU priority: it only tidies up. */
  readonly lowPriority?: boolean
  /** Sync each object before it gets its name, and nothing else: the caller syncs the index. */
  readonly syncsEach?: boolean
}

export interface GitCall extends GitStart {
  readonly input?: string | Buffer
  /** Exit codes besides 0 that are not failures. */
  readonly okExitCodes?: readonly number[]
}

export interface GitAnswer {
  readonly status: number
  readonly out: Buffer
}

/** A `.gitignore` with holes has gigabytes that git would hold in memory, and so may an object of a few megabytes. */
function startLimited(args: readonly string[], options: Parameters<typeof startProgram>[2]): StartedChild {
  const git = ownProgram('git')
  if (git === undefined) return startProgram('git', args, options)
  const limited = withLimitedMemory(git, args)
  return startProgram(limited.file, limited.args, options)
}

/** Starts git; the caller handles the process. */
export function startGit({ cwd, env, args, lowPriority, syncsEach }: GitStart, input: 'ignore' | 'pipe'): StartedChild {
  const one = ['-c', 'core.fsyncMethod=fsync']
  const together = syncsTogether(env['GIT_OBJECT_DIRECTORY'] ?? cwd)
  const careful = syncsEach ? [...one, '-c', 'core.fsync=objects'] : together ? [] : one
  const child = startLimited([...hardenedArgs, ...careful, ...args], {
    cwd,
    env: { ...hardenedEnv(), ...env },
    stdio: [input, 'pipe', 'pipe'],
  })
  if (lowPriority && child.pid !== undefined) lowerPriority(child.pid)
  return child
}

/**
 * Whether one sync is for all the files that were written out before it. After a power cut on btrfs, those that were not
 * synced one by one are empty.
 */
function syncsTogether(dir: string): boolean {
  if (!platform.syncsDiffer) return true
  try {
    return withOneFlush.has(fs.statfsSync(dir).type)
  } catch {
    return false
  }
}

/** ext4, XFS and tmpfs. */
const withOneFlush = new Set([0xef53, 0x58465342, 0x01021994])

function lowerPriority(pid: number): void {
  try {
    os.setPriority(pid, 5)
  } catch {
    // The process has ended already, or the system has no priorities.
  }
}

/** Runs git. Throws `ProblemError` with git's message when it fails. */
export const git = (call: GitCall): Promise<GitAnswer> =>
  gitResult(startGit(call, call.input === undefined ? 'ignore' : 'pipe'), call)

/** The same with the user's own environment and configuration, for commands that start no program. */
export function gitOfUser(
  cwd: string,
  env: Readonly<Record<string, string>>,
  args: readonly string[],
  okExitCodes: readonly number[] = [],
): Promise<GitAnswer> {
  const { PATH = '/usr/bin:/bin', XDG_CONFIG_HOME } = process.env
  const HOME = platform.home() ?? '/nonexistent'
  const own = withoutUndefined({ PATH, HOME, XDG_CONFIG_HOME, GIT_CONFIG_GLOBAL: globalConfig(), ...env })
  return gitResult(startLimited(args, { cwd, env: own, stdio: ['ignore', 'pipe', 'pipe'] }), {
    args,
    okExitCodes,
  })
}

/** The file that the user's environment names instead of their usual global configuration; git has none if it is empty. */
export function globalConfig(): string | undefined {
  const named = process.env['GIT_CONFIG_GLOBAL']
  return named === undefined || named === '' ? named : path.resolve(named)
}

function gitResult(
  child: StartedChild,
  { input, okExitCodes = [], args }: Pick<GitCall, 'input' | 'okExitCodes' | 'args'>,
): Promise<GitAnswer> {
  return new Promise((done, failed) => {
    const out: Buffer[] = []
    const said: Buffer[] = []
    const command = args.find((arg, at) => !arg.startsWith('-') && args[at - 1] !== '-c') ?? ''
    const waiting = whenSilent(command, (stop) => {
      abandon(child)
      failed(stop)
    })
    child.stdout?.on('data', (chunk: Buffer) => {
      out.push(chunk)
      waiting.refresh()
    })
    child.stderr?.on('data', (chunk: Buffer) => said.push(chunk))
    child.on('error', (error) => {
      clearTimeout(waiting)
      failed(hasCode(error, 'ENOENT') ? gitError('git is not installed', 'Install git.') : gitError(error.message))
    })
    child.on('close', (code, signal) => {
      clearTimeout(waiting)
      if (code === 0 || (code !== null && okExitCodes.includes(code)))
        return done({ status: code, out: Buffer.concat(out) })
      const message = Buffer.concat(said).toString().trim().split('\n').slice(0, 3).join(' ')
      failed(gitError(`git ${command}: ${message || `ended with ${code ?? signal}`}`))
    })
    if (input === undefined) return
    // Git may end before it has read all input.
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
  })
}

/** Git answers within this time, or is ended; less under a time limit, but enough to save what is done. */
const silentMs = 30_000
const leastMs = 2000

/** Calls back when git has not answered for too long. */
export function whenSilent(command: string, hung: (stop: ProblemError) => void): NodeJS.Timeout {
  const ms = Math.min(silentMs, Math.max(leastMs, waitLeft()))
  const advice =
    'Check whether git works here (git status), whether its disk or a program that it waits for hangs, or whether a .gitignore or .gitattributes is a pipe.'
  const reason = `git ${command} gave no answer for ${Math.round(ms / 1000)} s`
  return setTimeout(() => hung(gitError(reason, advice)), ms)
}

/** Ends git. A program that it started, or a disk that does not answer, must not keep this process alive. */
export function abandon(child: StartedChild): void {
  child.kill('SIGKILL')
  for (const pipe of child.stdio) pipe?.destroy()
  child.unref()
}

/** The names in git's output with `-z`. */
export const splitNul = (out: Buffer): string[] =>
  out
    .toString()
    .split('\0')
    .filter((name) => name !== '')

export const gitError = (reason: string, advice?: string): ProblemError =>
  new ProblemError({ kind: 'git', reason, advice })
