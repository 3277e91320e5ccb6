import fs from 'node:fs'
import path from 'node:path'
import { homeDir } from '../core/platform.ts'
import { isInside } from '../core/paths.ts'
import { gitName, projectFileName } from '../core/reserved-names.ts'
import { gitDirsAt } from './git-dirs.ts'

/** The project around a directory, or why the nearest one above is not used. */
export interface ProjectAround {
  readonly root: string
  /** What makes it a project. */
  readonly mark: string
  /** Why it is not used: whoever can write there decides what clada does. */
  readonly refused?: string | undefined
}

/**
 * The nearest directory with a `clada.yml` or a repository, from `cwd` upwards, as git and npm look for it. Undefined if
 * there is none, or if `cwd` is it. The home directory, `/` and `/tmp` are never found: a file that somebody left there
 * would make one project of everything below.
 */
export function projectAround(cwd: string, env: NodeJS.ProcessEnv = process.env): ProjectAround | undefined {
  if (markIn(cwd) !== undefined) return undefined
  const stops = new Set([path.parse(cwd).root, '/tmp', realPath(homeDir()), ...ceilings(env)])
  const { dev } = fs.lstatSync(cwd)
  for (let dir = path.dirname(cwd); !stops.has(dir); dir = path.dirname(dir)) {
    // Another file system may be that of a stick or a share, whose owners mean nothing here.
    if (fs.lstatSync(dir).dev !== dev) return undefined
    const mark = markIn(dir)
    if (mark !== undefined) return { root: dir, mark, refused: whyNotTrusted(dir) }
  }
  return undefined
}

/** As git reads `GIT_CEILING_DIRECTORIES`. */
const ceilings = (env: NodeJS.ProcessEnv): string[] =>
  (env['GIT_CEILING_DIRECTORIES'] ?? '')
    .split(path.delimiter)
    .filter((dir) => path.isAbsolute(dir))
    .map(realPath)

const markIn = (dir: string): string | undefined =>
  isPresent(path.join(dir, projectFileName)) ? projectFileName : hasRepository(dir) ? gitName : undefined

/** Also one that is broken or leads elsewhere: what is wrong with it is said when it is used. */
const hasRepository = (dir: string): boolean => isPresent(path.join(dir, gitName)) && gitDirsAt(dir) !== undefined

function whyNotTrusted(dir: string): string | undefined {
  const user = process.geteuid?.()
  // Windows has no such owners: what is below the home directory is the user's.
  if (user === undefined) return isInside(dir, realPath(homeDir())) ? undefined : 'it is not below your home directory'
  for (const file of [dir, path.join(dir, gitName), path.join(dir, projectFileName)]) {
    const stat = fs.lstatSync(file, { throwIfNoEntry: false })
    if (stat === undefined) continue
    if (stat.uid !== user) return `'${path.basename(file)}' belongs to another user`
    if (!stat.isSymbolicLink() && canOthersWrite(stat)) return `others can write to '${path.basename(file)}'`
  }
  return undefined
}

/** A group with the number of its user is that user's own: Debian and Fedora make one for each. */
const canOthersWrite = ({ mode, uid, gid }: fs.Stats): boolean =>
  (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && gid !== uid)

const isPresent = (file: string): boolean => fs.lstatSync(file, { throwIfNoEntry: false }) !== undefined

function realPath(dir: string): string {
  try {
    return fs.realpathSync.native(dir)
  } catch {
    return path.resolve(dir)
  }
}
