import type { Files, PathArg } from '../core/files.ts'
import type { Problem } from '../core/problem.ts'
import { attempt } from './common.ts'

/** A path that stands for several files: a directory, or a glob and the directory below which it looks. */
export interface PathSet {
  readonly base: PathArg
  /** Relative to the base. Missing for a directory: everything in it. */
  readonly pattern?: string
}

/** Undefined when the path names one file, whether or not it is there and may be used. */
export async function pathSetOf(files: Files, path: PathArg): Promise<PathSet | undefined> {
  const found = await attempt(() => files.look(path, 'list'))
  const glob = globIn(path)
  if (found === undefined) return glob
  // Windows has no file names with stars.
  if ('ok' in found) return glob !== undefined && isMisspelt(found.problem) ? glob : undefined
  return found.type === 'directory' ? { base: path } : undefined
}

/** The same by its text alone. */
export function globIn(path: PathArg): Required<PathSet> | undefined {
  const star = path.given.search(/[*?[{]/)
  if (star === -1) return undefined
  const slash = path.given.lastIndexOf('/', star)
  const base = slash === -1 ? '.' : path.given.slice(0, slash)
  const pattern = path.given.slice(slash + 1)
  const absolute = path.absolute.slice(0, path.absolute.length - pattern.length).replace(/[\\/]+$/, '')
  return { base: { given: base, absolute }, pattern }
}

const isMisspelt = (problem: Problem): boolean => problem.kind === 'path' && problem.rule === 'invalid_parameter'
