import { type ProcessEnd, runProcess } from './run-process.ts'
import { findProgram, ownProgram, systemPath } from './programs.ts'

/** What a repository of ten million objects needs. */
const mostMemory = 4 * 1024 ** 3

interface GitQuestion {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly outputBytes: number
}

/**
 * Runs git, outside any sandbox, on data that a program or an archive has left: a few megabytes of a pack may be an object that git
 * holds in memory as a whole, of any size. Undefined where there is no git.
 */
export async function runLimitedGit({ args, ...call }: GitQuestion): Promise<ProcessEnd | undefined> {
  const git = findProgram('git', systemPath) ?? ownProgram('git')
  if (git === undefined) return undefined
  const prlimit = findProgram('prlimit', systemPath)
  const [file, before] = prlimit === undefined ? [git, []] : [prlimit, [`--data=${mostMemory}`, '--core=0', '--', git]]
  return runProcess({ file, args: [...before, ...args], ...call, cwd: '/', scope: 'group' })
}
