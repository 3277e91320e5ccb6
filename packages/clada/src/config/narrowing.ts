import path from 'node:path'
import { isInside, withSlashes } from '../core/paths.ts'

/**
 * What a project may set without being trusted. Each rule gets the wanted value and the one that applies without it, and
 * returns the effective one: never more permissive than the latter.
 */
export type Narrowing<T> = (wanted: T, allowed: T, facts: ProjectFacts) => T

/** Facts about the project that rules need. */
export interface ProjectFacts {
  /** The directory of the project's file, with links resolved. */
  readonly dir: string
  /** Whether a document could write to a path below a root, by what the user allows. */
  readonly mayWrite: (relative: string) => boolean
}

/** A preference of the project, which allows nothing more. */
export const alwaysAllowed = <T>(wanted: T): T => wanted

/** It applies only in the user's own file, or in a trusted one. */
export const onlyTrusted = <T>(_wanted: T, allowed: T): T => allowed

/** Choices in order, the safest first. */
export const towards =
  <const T>(order: readonly T[]): Narrowing<T> =>
  (wanted, allowed) =>
    order.indexOf(wanted) < order.indexOf(allowed) ? wanted : allowed

/** Null means no limit. */
export const atMost = <T extends number | null>(wanted: T, allowed: T): T =>
  wanted !== null && (allowed === null || wanted < allowed) ? wanted : allowed

/** Null means all. If nothing would be left, the project's list is ignored. */
export function someOf<T>(wanted: readonly T[] | null, allowed: readonly T[] | null): readonly T[] | null {
  if (wanted === null || allowed === null) return wanted ?? allowed
  const both = wanted.filter((one) => allowed.includes(one))
  return both.length === 0 && wanted.length > 0 ? allowed : both
}

/** Directories that are allowed already, or are in one that is. */
export const dirsWithin: Narrowing<readonly string[]> = (wanted, allowed, facts) =>
  wanted.filter((one) => isOpenPart(one, [facts.dir, ...allowed], facts))

/** A part of the project. Null is the project itself. */
export const partOfProject: Narrowing<string | null> = (wanted, allowed, facts) =>
  wanted !== null && isOpenPart(wanted, [facts.dir], facts) ? wanted : allowed

/** A path that is blocked by the name of a directory above it must stay blocked when a root begins below that directory. */
export function isOpenPart(dir: string, roots: readonly string[], { mayWrite }: ProjectFacts): boolean {
  const around = roots.filter((root) => isInside(dir, root))
  return around.length > 0 && around.every((root) => dir === root || mayWrite(withSlashes(path.relative(root, dir))))
}

/** Patterns that block more, none that re-allows. `wanted` begins with the allowed ones. */
export const morePatterns: Narrowing<readonly string[]> = (wanted, allowed) =>
  wanted.filter((pattern, index) => index < allowed.length || !pattern.startsWith('!'))

/** A file right in the project that a document could write as well: no directory of that name can lead elsewhere. */
export const fileInRoot: Narrowing<string> = (wanted, allowed, { mayWrite }) =>
  wanted === allowed || (!/[/\\]|^\.\.?$/.test(wanted) && mayWrite(wanted)) ? wanted : allowed

/** A text file in clada's own directory, where no file of the user can be overwritten. */
export const fileOfOurs: Narrowing<string> = (wanted, allowed) =>
  wanted === allowed || /^\.clada\/(?:[\w-][\w.-]*\/)*[\w-][\w.-]*\.(?:md|txt)$/.test(wanted) ? wanted : allowed
