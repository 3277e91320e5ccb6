import fs from 'node:fs'
import path from 'node:path'
import type { ChangedFile } from '../core/effects.ts'
import { readableEntries } from './blocked-index.ts'
import { isGitName, isStateName } from '../core/reserved-names.ts'
import { belongsToGit } from './tracked-files.ts'

/**
 * One look over the whole project. By one before and one after a program that worked on the project itself it is known
 * what changed. Git's and clada's own directories are left out, and what is in a blocked one.
 */
export interface Survey {
  readonly files: ReadonlyMap<string, string>
  /** Directories that were looked into, with their modes. */
  readonly dirs: ReadonlyMap<string, number>
  /** Repositories inside the project. */
  readonly repositories: readonly string[]
}

export function surveyOf(root: string, isBlocked: (relative: string) => boolean): Survey {
  const files = new Map<string, string>()
  const dirs = new Map<string, number>()
  const repositories: string[] = []
  const pending: { dir: string; mode?: number }[] = [{ dir: '' }]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { dir, mode } = next
    const entries = readableEntries(path.join(root, dir)) ?? []
    if (mode !== undefined && belongsToGit(path.join(root, dir), entries)) {
      repositories.push(dir)
      continue
    }
    if (mode !== undefined) dirs.set(dir, mode)
    for (const entry of entries) {
      const relative = dir === '' ? entry.name : `${dir}/${entry.name}`
      const stat = fs.lstatSync(path.join(root, relative), { bigint: true, throwIfNoEntry: false })
      if (stat === undefined) continue
      if (!entry.isDirectory()) {
        // A file or a link that leads to one.
        if (isGitName(entry.name)) repositories.push(relative)
        // The time of the last change of any kind cannot be set back, unlike that of the content.
        const inode = `${stat.dev}:${stat.ino}`
        files.set(relative, `${inode}:${stat.size}:${stat.mode}:${stat.mtimeNs}:${stat.ctimeNs}`)
      } else if (!isStateName(entry.name) && !isBlocked(relative)) {
        pending.push({ dir: relative, mode: Number(stat.mode) & 0o7777 })
      }
    }
  }
  return { files, dirs, repositories }
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
