import path from 'node:path'
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
export async function pathSetOf(files: Files, named: PathArg): Promise<PathSet | undefined> {
  const found = await attempt(() => files.look(named, 'list'))
  const glob = globIn(named)
  if (found === undefined) return glob
  // Windows has no file names with stars.
  if ('ok' in found) return glob !== undefined && isMisspelt(found.problem) ? glob : undefined
  return found.type === 'directory' ? { base: named } : undefined
}

/** The same by its text alone. */
export function globIn({ given, absolute: whole }: PathArg): Required<PathSet> | undefined {
  const star = given.search(/[*?[{]/)
  if (star === -1) return undefined
  const slash = given.lastIndexOf('/', star)
  const base = slash === -1 ? '.' : given.slice(0, slash)
  const pattern = given.slice(slash + 1)
  const absolute = whole.slice(0, whole.length - pattern.length).replace(/[\\/]+$/, '')
  return { base: { given: base, absolute }, pattern }
}

/** A file below a directory, named as the directory is. */
export function pathBelow(base: PathArg, name: string): PathArg {
  const prefix = base.given.replace(/[\\/]+$/, '')
  return {
    given: prefix === '' || prefix === '.' ? name : `${prefix}/${name}`,
    absolute: path.join(base.absolute, name),
  }
}

const isMisspelt = (problem: Problem): boolean => problem.kind === 'path' && problem.rule === 'invalid_parameter'
