import path from 'node:path'

/** Whether a path is a directory or anything in it, by component: `/proj-evil` is not inside `/proj`. Both are normalized. */
export const isInside = (file: string, dir: string): boolean =>
  file === dir || file.startsWith(dir.endsWith(path.sep) ? dir : dir + path.sep)

/** Whether one of these directories is above a path. */
export function isBelowAny(absolute: string, dirs: ReadonlySet<string>): boolean {
  if (dirs.size === 0) return false
  for (let at = absolute; at !== path.dirname(at);) {
    at = path.dirname(at)
    if (dirs.has(at)) return true
  }
  return false
}

/** The directories above a name, the nearest first; names have slashes, whatever the system. */
export function dirsAbove(name: string): string[] {
  const found: string[] = []
  for (let at = name.lastIndexOf('/'); at > 0; at = name.lastIndexOf('/', at - 1)) found.push(name.slice(0, at))
  return found
}

/**
 * A path as reports and records have it: relative to the project, with slashes, so that a project may be moved together
 * with its history; absolute where it is outside of the project. `path.resolve(root, short)` is the way back.
 */
export const pathFrom = (root: string, absolute: string): string =>
  slashed(isInside(absolute, root) ? absolute.slice(root.endsWith(path.sep) ? root.length : root.length + 1) : absolute)

/** With slashes, as git and people write paths. */
export const slashed = (name: string): string => name.split(path.sep).join('/')
