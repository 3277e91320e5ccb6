import { slashed } from '../core/paths.ts'

/**
 * A pattern such as `secrets/old` is looked for below a root. When `secrets` becomes the root, it must still be looked
 * for from where the root was: as `/base//secrets/old`, which `paths.ts` reads so.
 */
export function anchored(patterns: readonly string[], bases: readonly string[]): string[] {
  const below = patterns.filter((pattern) => /^!?[^/!]+\/+[^/]/.test(pattern))
  const moved = bases.flatMap((base) =>
    below.map((pattern) => pattern.replace(/^!?/, (not) => `${not}${slashed(base).replace(/\/$/, '')}//`)),
  )
  return [...patterns, ...moved]
}

/** Whether a pattern is about whole paths; those of Windows begin with a drive. */
export const isWholePath = (pattern: string): boolean => /^(?:\/|[A-Za-z]:\/)/.test(pattern)

/** The base of such a pattern, and the pattern for whole paths that it means; undefined for any other. */
export function anchorOf(pattern: string): { readonly base: string; readonly glob: string } | undefined {
  const end = pattern.indexOf('//')
  if (end === -1 || !isWholePath(pattern)) return undefined
  const base = pattern.slice(0, end)
  return { base, glob: `${base}/**/${pattern.slice(end).replace(/^\/+/, '')}` }
}
