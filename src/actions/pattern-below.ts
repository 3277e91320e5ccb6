import type { PathArg } from '../core/files.ts'

/** A glob as it reads from a directory: models that write whole paths everywhere write them here too. */
export function patternBelow(pattern: string, base: PathArg): string {
  const beginnings = [base.given, base.absolute].map((dir) => `${dir.replace(/[\\/]+$/, '')}/`)
  const own = beginnings.find((beginning) => beginning !== './' && pattern.startsWith(beginning))
  const below = own === undefined ? pattern : pattern.slice(own.length)
  return below.replace(/^(?:\.\/)+/, '')
}

/** Why nothing can match, where that is so whatever files there are. */
export function neverMatches(pattern: string): string | undefined {
  if (pattern.split('/').includes('..')) return 'it leads out of the directory; name another directory instead'
  return pattern.startsWith('/')
    ? 'it begins with / and is not below the directory; write it relative to that'
    : undefined
}
