import path from 'node:path'
import { type Platform, platform } from './platform.ts'
import { gitName, ownerOfName, stateName } from './reserved-names.ts'

/** Whether a path is a directory or anything in it, by component: `/proj-evil` is not inside `/proj`. Both are normalized. */
export function isInside(file: string, dir: string, on: Platform = platform): boolean {
  const { sep } = on.path
  const begins = on.ignoresCase ? file.slice(0, dir.length).toLowerCase() === dir.toLowerCase() : file.startsWith(dir)
  return begins && (file.length === dir.length || dir.endsWith(sep) || file.startsWith(sep, dir.length))
}

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
 * with its history; absolute where it is outside the project. `path.resolve(root, short)` is the way back.
 */
export const pathFrom = (root: string, absolute: string): string =>
  withSlashes(
    isInside(absolute, root) ? absolute.slice(root.endsWith(path.sep) ? root.length : root.length + 1) : absolute,
  )

/** With slashes, as git and people write paths. */
export const withSlashes = (name: string, on: Platform = platform): string =>
  on.path.sep === '/' ? name : name.replaceAll(on.path.sep, '/')

/**
 * A path from a document in the one form that messages and results have. On Windows `C:\\a`, `c:/a` and Git Bash's `/c/a`
 * are one path, with forward slashes and a capital drive.
 */
export function writtenPath(given: string, on: Platform = platform): string {
  if (!on.drives) return given
  return given
    .replaceAll('\\', '/')
    .replace(/^\/([A-Za-z])(?=\/|$)/, (_, drive: string) => `${drive}:`)
    .replace(/^[a-z]:(?=\/|$)/, (drive) => drive.toUpperCase())
    .replace(/^([A-Z]:)$/, '$1/')
}

/** As the language has always defined it: POSIX, a Windows drive, or a Windows share. On Windows either slash will do. */
export const isAbsolutePath = (text: string, on: Platform = platform): boolean =>
  (on.drives ? /^(?:[\\/]|[A-Za-z]:[\\/])/ : /^(?:\/|[A-Za-z]:\\|\\\\)/).test(text)

/**
 * Why a name from a git tree must not be written below a working tree, or undefined. `git clone` accepts trees that
 * hold such names as long as they are not checked out.
 */
export function unsafeTreeName(name: string, on: Platform = platform): string | undefined {
  if (name.includes('\0')) return 'it contains a NUL character'
  if (name.startsWith('/')) return 'it is absolute'
  if (on.drives && /[\\:]/.test(name)) return 'it contains a backslash or a colon'
  for (const part of name.split('/')) {
    if (part === '') return 'it has an empty component'
    if (part === '.' || part === '..') return `it contains '${part}'`
    const owner = ownerOfName(part)
    if (owner !== undefined && part !== stateName) return `'${part}' is ${owner}'s own directory on some file systems`
  }
  return undefined
}

/** Directories of packages, caches and build output of others: too much to look through, and made again by a command. */
export const passedOver: ReadonlySet<string> = new Set([
  'node_modules',
  gitName,
  stateName,
  '.venv',
  'venv',
  '__pycache__',
  'target',
  '.tox',
  '.gradle',
])

/** Whether a path is among packages, whose files npm, pnpm and uv link from a store of their own. */
export const isInPackages = (file: string): boolean =>
  file.split(/[\\/]/).some((part) => part === 'node_modules' || part === 'site-packages')

export const isNotebookPath = (file: string): boolean => file.toLowerCase().endsWith('.ipynb')

/** A name in a directory, both with slashes and relative to the same root, which is the empty name. */
export const nameBelow = (dir: string, name: string): string => (dir === '' ? name : `${dir}/${name}`)
