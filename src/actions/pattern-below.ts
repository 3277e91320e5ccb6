import type { PathArg } from '../core/files.ts'
import { isAbsolutePath, slashed, writtenPath } from '../core/paths.ts'

/** A glob as it reads from a directory: models that write whole paths everywhere write them here too. */
export function patternBelow(pattern: string, base: PathArg): string {
  // A backslash in a glob makes the next character an ordinary one, except where the glob is a path of Windows.
  const glob = isAbsolutePath(pattern) ? writtenPath(pattern) : pattern
  const beginnings = [base.given, slashed(base.absolute)].map((dir) => `${dir.replace(/\/+$/, '')}/`)
  const own = beginnings.find((beginning) => beginning !== './' && glob.startsWith(beginning))
  const below = own === undefined ? glob : glob.slice(own.length)
  return below.replace(/^(?:\.\/)+/, '')
}

/** Why nothing can match, where that is so whatever files there are. */
export function neverMatches(pattern: string): string | undefined {
  if (pattern.split('/').includes('..')) return 'it leads out of the directory; name another directory instead'
  return pattern.startsWith('/')
    ? 'it begins with / and is not below the directory; write it relative to that'
    : undefined
}
