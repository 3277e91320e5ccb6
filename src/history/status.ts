import fs from 'node:fs'
import path from 'node:path'
import { cutOffBelow } from './cut-off.ts'
import { gitStop, namesIn } from './git-program.ts'
import type { Room } from './room.ts'

export interface Status {
  /** Whether the index holds anything that is not committed. */
  readonly staged: boolean
  /** Which paths these are. */
  readonly inIndex: readonly string[]
  /** Tracked files that changed, and files that are neither tracked nor ignored; relative to the top. */
  readonly dirty: readonly string[]
}

/** Which commit of a submodule is meant may be staged like a file; what is in it is its own business. */
const onlyPointers = '--ignore-submodules=dirty'

export async function statusOf(room: Room): Promise<Status> {
  // Two processes at once: one looks at what is tracked, the other for what is not.
  const [tracked, others] = await Promise.all([
    room.git(['status', '--porcelain=v2', '-z', '--untracked-files=no', '--no-renames', onlyPointers]),
    room.git(['ls-files', '--others', '--exclude-standard', '-z']),
  ])
  const dirty: string[] = []
  const inIndex: string[] = []
  for (const line of tracked.out.toString().split('\0')) {
    if (line.startsWith('u ')) throw gitStop('files are in conflict after a merge', 'Resolve them first.')
    if (!line.startsWith('1 ')) continue
    const [, changes = '', submodule = ''] = line.split(' ', 3)
    // Marked to be added counts as staged: a commit would lose the mark.
    const name = line.split(' ').slice(8).join(' ')
    if (!changes.startsWith('.') || changes.endsWith('A')) inIndex.push(name)
    if (submodule.startsWith('N') && !changes.endsWith('.')) dirty.push(name)
  }
  return { staged: inIndex.length > 0, inIndex, dirty: [...dirty, ...namesIn(others.out)] }
}

/** Whether anything is staged, without a look at the files. */
export async function isStaged(room: Room, head: string | undefined): Promise<boolean> {
  if (head === undefined) return (await room.git(['ls-files', '-z'])).out.length > 0
  const args = ['diff-index', '--cached', '--quiet', onlyPointers, head]
  return (await room.git(args, { fine: [1] })).status === 1
}

/** Above this a file that nobody tracks is not saved. */
const sizeLimit = 10 * 1024 * 1024

/** What of it may be saved in a commit: nothing closed, nothing of clada's, nothing huge, odd or unreadable. */
export function savable(
  top: string,
  names: readonly string[],
  root: string,
  closed: (relative: string) => boolean,
): string[] {
  const isCutOff = cutOffBelow(top)
  return names.filter((name) => {
    // Its bytes are no UTF-8: this is another name than the file has.
    if (name.includes('\ufffd')) return false
    const relative = path.relative(root, path.join(top, name)).split(path.sep).join('/')
    if (relative.startsWith('../') || path.isAbsolute(relative) || name.endsWith('/')) return false
    if (isClosed(relative, closed)) return false
    const at = path.join(top, name)
    const stat = isCutOff(name) ? undefined : fs.lstatSync(at, { throwIfNoEntry: false })
    if (stat === undefined || stat.isSymbolicLink()) return true
    // A file that became a directory is gone, unless that is a repository: then it may be a submodule.
    if (stat.isDirectory()) return !fs.existsSync(path.join(at, '.git'))
    return stat.isFile() && stat.size <= sizeLimit && isReadable(at)
  })
}

/** What belongs to somebody else, as containers leave it behind, cannot be saved; git would give up altogether. */
function isReadable(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.R_OK)
    return true
  } catch {
    return false
  }
}

export const isClosed = (relative: string, closed: (relative: string) => boolean): boolean =>
  relative.split('/').some((part) => part === '.clada' || part === '.git') || closed(relative)
