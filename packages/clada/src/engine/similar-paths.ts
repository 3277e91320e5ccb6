import nodePath from 'node:path'
import { withSlashes } from '../core/paths.ts'
import type { Files, PathArg } from '../core/files.ts'
import { findClosestName } from '@clada/reply/text/closest-name.ts'

/** Existing files that a missing path may mean. */
export interface SuggestedPaths {
  /** The only file whose path differs in nothing but upper and lower case. */
  readonly otherCase?: PathArg
  /** Paths to suggest, the likeliest first. */
  readonly suggested: readonly PathArg[]
}

export async function suggestPaths(files: Files, path: PathArg): Promise<SuggestedPaths> {
  const { base } = path
  const relative = base === undefined ? '' : nodePath.relative(base, path.absolute)
  if (base === undefined || relative === '' || relative.startsWith('..') || nodePath.isAbsolute(relative)) return none
  const names = relative.split(nodePath.sep)
  const { dir, missing } = await followAnyCase(files, base, names)
  if (missing === undefined) {
    const otherCase = argLike(path, dir)
    return { otherCase, suggested: [otherCase] }
  }
  const close = findClosestName(missing.name, missing.entries)
  const near = close === undefined ? undefined : nodePath.join(dir, close, ...names.slice(missing.nth + 1))
  const isLast = missing.nth === names.length - 1
  const suggested = near !== undefined && (isLast || (await isListed(files, near))) ? [argLike(path, near)] : []
  const all = [...suggested, ...(await sameName(files, path, names.at(-1) ?? ''))]
  return { suggested: [...new Map(all.map((one) => [one.absolute, one])).values()].slice(0, MOST) }
}

/** The only path below a directory that differs from this one in nothing but upper and lower case. */
export async function findOtherCase(files: Files, base: string, relative: string): Promise<string | undefined> {
  const { dir, missing } = await followAnyCase(files, base, relative.split('/'))
  return missing === undefined ? withSlashes(nodePath.relative(base, dir)) : undefined
}

interface FollowedNames {
  /** The directory or file that the names lead to, up to the one that is missing. */
  readonly dir: string
  /** The first name that is not there, or there several times in another case, and what is there. */
  readonly missing?: { readonly nth: number; readonly name: string; readonly entries: readonly string[] }
}

/** Follows names from a directory, each in another case where it is there only so. */
async function followAnyCase(files: Files, base: string, names: readonly string[]): Promise<FollowedNames> {
  let dir = base
  for (const [nth, name] of names.entries()) {
    const entries = await entryNames(files, dir)
    const same = entries.includes(name) ? [name] : entries.filter((entry) => entry.toLowerCase() === name.toLowerCase())
    const [only] = same
    if (same.length !== 1 || only === undefined) return { dir, missing: { nth, name, entries } }
    dir = nodePath.join(dir, only)
  }
  return { dir }
}

const none: SuggestedPaths = { suggested: [] }
const MOST = 3

/** Files of the same name elsewhere. */
async function sameName(files: Files, path: PathArg, name: string): Promise<PathArg[]> {
  const { base = '/' } = path
  const found = await files
    .glob(
      { given: base, absolute: base },
      (relative) => nodePath.basename(relative).toLowerCase() === name.toLowerCase(),
      (relative) => !/(?:^|\/)(?:node_modules|\.git|\.clada)(?:\/|$)/.test(relative),
    )
    .catch(() => [])
  return found.slice(0, MOST).map((one) => argLike(path, nodePath.resolve(base, one)))
}

/** The files below a directory whose path ends in these names. */
export const findFilesEndingIn = (files: Files, base: string, end: string): Promise<readonly string[]> =>
  files.glob(
    { given: '.', absolute: base },
    (file) => file.endsWith(`/${end}`),
    (dir) => !/(?:^|\/)(?:node_modules|\.[^/]*)$/.test(dir),
  )

/** A path as the other one is written: relative where that is. */
function argLike({ given, base = '/' }: PathArg, absolute: string): PathArg {
  return {
    given: nodePath.isAbsolute(given) ? withSlashes(absolute) : withSlashes(nodePath.relative(base, absolute)),
    absolute,
    base,
  }
}

const entryNames = (files: Files, dir: string): Promise<string[]> =>
  files.list({ given: dir, absolute: dir }).then(
    (entries) => entries.map(({ name }) => name),
    () => [],
  )

export const isListed = async (files: Files, absolute: string): Promise<boolean> =>
  (await entryNames(files, nodePath.dirname(absolute))).includes(nodePath.basename(absolute))
