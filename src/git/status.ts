import { gitStop, namesIn } from './git-program.ts'
import type { Room } from './room.ts'

export interface Status {
  /** Whether the index holds anything that is not committed. */
  readonly staged: boolean
  /** Which paths these are. */
  readonly inIndex: readonly string[]
  /** Tracked files that changed; relative to the top. */
  readonly changed: readonly string[]
  /** Files that are neither tracked nor ignored. */
  readonly untracked: readonly string[]
}

/** Which commit of a submodule is meant may be staged like a file; what is in it is its own business. */
const onlyPointers = '--ignore-submodules=dirty'

export async function statusOf(room: Room): Promise<Status> {
  // Two processes at once: one looks at what is tracked, on all cores, the other on one for what is not.
  const tracked = ['status', '--porcelain=v2', '-z', '--untracked-files=no', '--no-renames', onlyPointers]
  const [known, others] = await Promise.all([
    room.git(tracked, { yields: true }),
    room.git(['ls-files', '--others', '--exclude-standard', '-z']),
  ])
  const changed: string[] = []
  const inIndex: string[] = []
  for (const line of known.out.toString().split('\0')) {
    if (line.startsWith('u ')) throw gitStop('files are in conflict after a merge', 'Resolve them first.')
    if (!line.startsWith('1 ')) continue
    const [, changes = '', submodule = ''] = line.split(' ', 3)
    // Marked to be added counts as staged: a commit would lose the mark.
    const name = line.split(' ').slice(8).join(' ')
    if (!changes.startsWith('.') || changes.endsWith('A')) inIndex.push(name)
    if (submodule.startsWith('N') && !changes.endsWith('.')) changed.push(name)
  }
  return { staged: inIndex.length > 0, inIndex, changed, untracked: namesIn(others.out) }
}

/** Whether anything is staged, without a look at the files. */
export async function isStaged(room: Room, head: string | undefined): Promise<boolean> {
  if (head === undefined) return (await room.git(['ls-files', '-z'])).out.length > 0
  const args = ['diff-index', '--cached', '--quiet', onlyPointers, head]
  return (await room.git(args, { fine: [1] })).status === 1
}
