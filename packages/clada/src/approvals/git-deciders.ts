import path from 'node:path'
import { digestOf } from '../core/digest.ts'
import { isInside } from '../core/paths.ts'
import { systemGit, readProgramOutput } from '../process/programs.ts'
import { type Deciders, readDeciders } from './deciders.ts'
import { nearestGitDirs } from '../state/git-dirs.ts'
import { readStats } from '../state/own-files.ts'
import { gitName } from '../core/reserved-names.ts'

/**
 * For a git command also what git itself says about its settings and its hooks, wherever those come from: included files
 * and `core.hooksPath` are git's to read. Both questions start no program of the repository.
 */
export function withGitDeciders(root: string, cwd: string, found: Deciders): Deciders {
  if (!hasGitAbove(cwd, root)) return found
  // Git would wait for a pipe among its settings, and each command that shows approvals with it.
  if (isBroken(nearestGitDirs(cwd))) return { ...found, unread: found.unread ?? gitName }
  const git = systemGit([root])
  const ask = (...args: string[]): string =>
    git === undefined ? '' : readProgramOutput(git, ['-c', 'safe.directory=*', '-C', cwd, ...args], 5000)
  const settings = ask('config', '--list', '--show-origin', '--null')
  const hooks = ask('rev-parse', '--git-path', 'hooks').replace(/\n$/, '')
  if (settings === '' || hooks === '') return { ...found, unread: found.unread ?? gitName }
  const { digests, unread } = readDeciders({ root, roots: [], further: [path.resolve(cwd, hooks)] })
  return {
    digests: new Map([...found.digests, ...digests, ['git config', digestOf(settings)]]),
    unread: found.unread ?? unread,
  }
}

const isBroken = (repository: ReturnType<typeof nearestGitDirs>): boolean =>
  repository !== undefined && 'broken' in repository

/** In the directory, or in one above it in the project. */
function hasGitAbove(cwd: string, root: string): boolean {
  for (let dir = cwd; isInside(dir, root); dir = path.dirname(dir)) {
    if (readStats(path.join(dir, gitName)) !== undefined) return true
    if (dir === path.dirname(dir)) return false
  }
  return false
}
