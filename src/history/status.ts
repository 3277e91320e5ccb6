import fs from 'node:fs'
import path from 'node:path'
import { gitStop } from './git-program.ts'
import type { Room } from './room.ts'

export interface Status {
  /** Whether the index holds anything that is not committed. */
  readonly staged: boolean
  /** Tracked files that changed, and files that are neither tracked nor ignored; relative to the top. */
  readonly dirty: readonly string[]
}

export async function statusOf(room: Room): Promise<Status> {
  const { out } = await room.git([
    'status',
    '--porcelain=v2',
    '-z',
    '--untracked-files=all',
    '--no-renames',
    '--ignore-submodules=all',
    '--no-ahead-behind',
  ])
  const dirty: string[] = []
  let staged = false
  for (const line of out.toString().split('\0')) {
    if (line.startsWith('u ')) throw gitStop('files are in conflict after a merge', 'Resolve them first.')
    if (line.startsWith('? ')) dirty.push(line.slice(2))
    if (!line.startsWith('1 ')) continue
    const [, changes = '', submodule = ''] = line.split(' ', 3)
    // Marked to be added counts as staged: a commit would lose the mark.
    if (!changes.startsWith('.') || changes.endsWith('A')) staged = true
    const name = line.split(' ').slice(8).join(' ')
    if (submodule.startsWith('N') && !changes.endsWith('.')) dirty.push(name)
  }
  return { staged, dirty }
}

/** Above this a file that nobody tracks is not saved. */
const sizeLimit = 10 * 1024 * 1024

/** What of it may be saved in a commit: nothing closed, nothing of clada's, nothing huge or odd. */
export function savable(
  top: string,
  names: readonly string[],
  root: string,
  closed: (relative: string) => boolean,
): string[] {
  return names.filter((name) => {
    const relative = path.relative(root, path.join(top, name)).split(path.sep).join('/')
    if (relative.startsWith('../') || path.isAbsolute(relative) || name.endsWith('/')) return false
    if (isClosed(relative, closed)) return false
    const stat = fs.lstatSync(path.join(top, name), { throwIfNoEntry: false })
    return stat === undefined || stat.isSymbolicLink() || (stat.isFile() && stat.size <= sizeLimit)
  })
}

export const isClosed = (relative: string, closed: (relative: string) => boolean): boolean =>
  relative.split('/').some((part) => part === '.clada' || part === '.git') || closed(relative)
