import fs from 'node:fs'
import path from 'node:path'
import type { ChangedFile } from '../core/effects.ts'
import { hasCode } from '../core/platform.ts'
import { isInside, slashed } from '../core/paths.ts'

/**
 * One look over the whole project: what is blocked, what has a second name, and, by a look before and one after a
 * program that worked on the project itself, what changed. Git's and clada's own directories are left out.
 */
export interface Survey {
  readonly files: ReadonlyMap<string, string>
  /** Directories that were looked into, with their modes. */
  readonly dirs: ReadonlyMap<string, number>
  /** Blocked by its name, or as a second name of something that is blocked or outside. */
  readonly blocked: readonly BlockedPath[]
  /** Repositories inside the project. */
  readonly repositories: readonly string[]
  /** Directories that could not be looked into. A program of their owner could open them. */
  readonly unreadable: readonly BlockedPath[]
}

export interface BlockedPath {
  readonly path: string
  readonly type: 'file' | 'directory'
}

export function surveyOf(root: string, isBlocked: (relative: string) => boolean): Survey {
  const files = new Map<string, string>()
  const blocked: BlockedPath[] = []
  const repositories: string[] = []
  const unreadable: BlockedPath[] = []
  const linked: { path: string; inode: string; names: number }[] = []
  const blockedInodes = new Set<string>()
  const dirs = new Map<string, number>()
  const pending = ['']
  for (let dir = pending.pop(); dir !== undefined; dir = pending.pop()) {
    const entries = entriesOf(path.join(root, dir))
    if (entries === undefined && dir !== '') unreadable.push({ path: dir, type: 'directory' })
    for (const entry of entries ?? []) {
      const relative = dir === '' ? entry.name : `${dir}/${entry.name}`
      if (entry.name === '.git') repositories.push(relative)
      if (entry.isSymbolicLink() && isBlocked(relative)) blocked.push(...linkedTo(root, relative))
      if (isBlocked(relative) && (entry.isFile() || entry.isDirectory())) {
        blocked.push({ path: relative, type: entry.isDirectory() ? 'directory' : 'file' })
      } else if (entry.isDirectory()) {
        if (entry.name !== '.git' && entry.name !== '.clada') {
          pending.push(relative)
          dirs.set(relative, (fs.lstatSync(path.join(root, relative), { throwIfNoEntry: false })?.mode ?? 0) & 0o7777)
        }
        continue
      }
      if (entry.isDirectory()) continue
      const stat = fs.lstatSync(path.join(root, relative), { bigint: true, throwIfNoEntry: false })
      if (stat === undefined) continue
      const inode = `${stat.dev}:${stat.ino}`
      // The time of the last change of any kind cannot be set back, unlike that of the content.
      files.set(relative, `${inode}:${stat.size}:${stat.mode}:${stat.mtimeNs}:${stat.ctimeNs}`)
      if (stat.nlink > 1n && entry.isFile()) {
        linked.push({ path: relative, inode, names: Number(stat.nlink) })
        if (isBlocked(relative)) blockedInodes.add(inode)
      }
    }
  }
  const here = new Map<string, number>()
  for (const { inode } of linked) here.set(inode, (here.get(inode) ?? 0) + 1)
  for (const { path: name, inode, names } of linked) {
    // Package managers link from a store of their own.
    const elsewhere = (here.get(inode) ?? 0) < names && !name.split('/').includes('node_modules')
    if ((elsewhere || blockedInodes.has(inode)) && !isBlocked(name)) blocked.push({ path: name, type: 'file' })
  }
  return { files, dirs, blocked, repositories, unreadable }
}

/**
 * The file or directory in the project that a link with a blocked name leads to: whatever it is called, it is what the
 * name says. One outside the project is not there for programs.
 */
export function linkedTo(root: string, link: string): BlockedPath[] {
  try {
    const file = fs.realpathSync(path.join(root, link))
    const type = fs.statSync(file).isDirectory() ? 'directory' : 'file'
    return file !== root && isInside(file, root) ? [{ path: slashed(path.relative(root, file)), type }] : []
  } catch {
    return []
  }
}

/** Undefined when it may not be read, or not what is in it. */
export function entriesOf(dir: string): fs.Dirent[] | undefined {
  try {
    const entries = fs.readdirSync(dir, { withFileTypes: true })
    if (entries.length > 0) fs.accessSync(dir, fs.constants.X_OK)
    return entries
  } catch (error) {
    return hasCode(error, 'ENOENT') ? [] : undefined
  }
}

/** Directories that one look saw and the other did not, or with another mode, outer ones first, with their modes. */
export const dirsUnlike = (one: Survey, other: Survey): [dir: string, mode: number][] =>
  [...one.dirs].filter(([dir, mode]) => other.dirs.get(dir) !== mode).sort()

/** Directories that changed and have nothing in them that says so. */
export function dirChanges(before: Survey, after: Survey, files: readonly ChangedFile[]): ChangedFile[] {
  const found = [...dirsUnlike(before, after), ...dirsUnlike(after, before)].map(([dir]): ChangedFile => {
    const [was, is] = [before.dirs.has(dir), after.dirs.has(dir)]
    return { path: dir, change: was && is ? 'modify' : is ? 'create' : 'delete' }
  })
  const parents = new Set([...files, ...found].map(({ path: name, change }) => `${change} ${path.dirname(name)}`))
  const plain = found.filter(({ path: name, change }) => change === 'modify' || !parents.has(`${change} ${name}`))
  return [...new Map(plain.map((one) => [one.path, one])).values()]
}

/** The mode of a file that was seen. */
export function modeIn({ files }: Survey, name: string): number | undefined {
  const mode = files.get(name)?.split(':')[3]
  return mode === undefined ? undefined : Number(mode) & 0o7777
}

export function changesBetween(before: Survey, after: Survey): ChangedFile[] {
  const changes: ChangedFile[] = []
  for (const [file, state] of after.files) {
    const was = before.files.get(file)
    if (was === undefined) changes.push({ path: file, change: 'create' })
    else if (was !== state) changes.push({ path: file, change: 'modify' })
  }
  for (const file of before.files.keys()) if (!after.files.has(file)) changes.push({ path: file, change: 'delete' })
  return changes.sort((a, b) => (a.path < b.path ? -1 : 1))
}
