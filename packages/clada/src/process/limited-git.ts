import { type ProcessEnd, runProcess } from './run-process.ts'
import { withLimitedMemory } from './limited-memory.ts'
import { findProgram, ownProgram, systemPath } from './programs.ts'

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
  return runProcess({ ...withLimitedMemory(git, args), ...call, cwd: '/', scope: 'group' })
}
