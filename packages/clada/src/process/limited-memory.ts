import { findProgram, systemPath } from './programs.ts'

/** What a repository of ten million objects needs. */
const mostMemory = 4 * 1024 ** 3

/** How to start a git that ends when it would take more memory than any repository needs. */
export function withLimitedMemory(git: string, args: readonly string[]): { file: string; args: readonly string[] } {
  const prlimit = findProgram('prlimit', systemPath)
  if (prlimit === undefined) return { file: git, args }
  return { file: prlimit, args: [`--data=${mostMemory}`, '--core=0', '--', git, ...args] }
}
