import fs from 'node:fs'
import path from 'node:path'
import { withSlashes } from '../core/paths.ts'
import { isGitName, nameAsOpened } from '../core/reserved-names.ts'
import { commonDirOf, type GitDirs, gitDirNear, nearestGitDirs } from '../state/git-dirs.ts'
import { isGitDirectory, type RepositoryPart } from '../state/git-directory.ts'
import { readStats } from '../state/own-files.ts'
import { readOnlyGit } from './isolated-git-dir.ts'
import { withLimitedMemory } from './limited-memory.ts'
import { ownProgram, readProgramOutput, realPathOr } from './programs.ts'

/** Whether the repository around a file tracks it, whether or not clada uses that repository. */
export function isTrackedByGit(file: string): boolean {
  return doesGitList(file, [])
}

/** Whether the rules of the repository around a file ignore it. A file that is not there is in no rule. */
export function isIgnoredByGit(file: string): boolean {
  return doesGitList(file, ['--others', '--ignored', '--exclude-standard'])
}

function doesGitList(file: string, options: readonly string[]): boolean {
  const found = gitDirNear(path.dirname(file))
  if (found === undefined) return false
  const name = withSlashes(path.relative(found.top, file))
  const repository = { ...found, commonDir: commonDirOf(found.gitDir) }
  return listGitFiles(repository, [...options, '--', `:(top,literal)${name}`]).includes(name)
}

/** Whether git is about to change the index of the repository around a file: what it has written already is not listed yet. */
export function isIndexLocked(file: string): boolean {
  const found = gitDirNear(path.dirname(file))
  return found !== undefined && readStats(path.join(found.gitDir, 'index.lock')) !== undefined
}

/**
 * Whether a directory that was listed is git's own: by its name, or because git on this system takes it for a
 * repository. Those that are fixtures of the project are not.
 */
export function belongsToGit(dir: string, entries: readonly (string | fs.Dirent)[]): boolean {
  if (isGitName(path.basename(dir))) return true
  const has = (name: RepositoryPart): boolean =>
    entries.some((entry) => nameAsOpened(typeof entry === 'string' ? entry : entry.name) === nameAsOpened(name))
  // Most have none.
  return has('HEAD') && isGitDirectory(dir) && !isFixture(dir)
}

/**
 * Whether a git directory is there as files of the project: the repository around it tracks it, as those that tests
 * work on. Its content is part of every clone, so it is no secret.
 */
export function isFixture(gitDirectory: string): boolean {
  const around = nearestGitDirs(path.dirname(gitDirectory))
  if (around === undefined || !('gitDir' in around)) return false
  const own = [around.gitDir, around.commonDir].map(realPathOr)
  if (own.includes(realPathOr(gitDirectory))) return false
  return trackedHeads(around).has(withSlashes(path.relative(around.top, path.join(gitDirectory, 'HEAD'))))
}

interface TrackingRepository extends GitDirs {
  readonly top: string
}

/** A project may have hundreds of such fixtures: git lists them once for each state of the index. */
function trackedHeads(repository: TrackingRepository): ReadonlySet<string> {
  const stat = fs.lstatSync(path.join(repository.gitDir, 'index'), { bigint: true, throwIfNoEntry: false })
  const index = [repository.gitDir, stat?.ino, stat?.size, stat?.ctimeNs].map(String).join(' ')
  if (lastHeads.index !== index)
    lastHeads = { index, names: new Set(listGitFiles(repository, ['--', ':(top,glob)**/HEAD'])) }
  return lastHeads.names
}

let lastHeads: { readonly index: string; readonly names: ReadonlySet<string> } = { index: '', names: new Set() }

/** What git lists. Nothing if it cannot read the index: then it cannot write the files either. */
function listGitFiles(repository: TrackingRepository, words: readonly string[]): string[] {
  const git = ownProgram('git')
  if (git === undefined) return []
  const isolated = readOnlyGit(repository, repository.top)
  try {
    const where = { cwd: repository.top, env: isolated.env }
    const { file, args } = withLimitedMemory(git, [...isolated.args, 'ls-files', '-z', ...words])
    const out = readProgramOutput(file, args, 30_000, where)
    return out.split('\0').slice(0, -1)
  } finally {
    isolated.close()
  }
}
