import { gitStop, namesIn } from './git-program.ts'
import { seenIndex } from './index-file.ts'
import type { IsolatedGit } from './isolated-git.ts'

export interface Status {
  /** Whether the index has uncommitted changes. */
  readonly staged: boolean
  /** The paths of these changes. */
  readonly inIndex: readonly string[]
  /** Tracked files that changed; relative to the top. */
  readonly changed: readonly string[]
  /** Files that are neither tracked nor ignored. */
  readonly untracked: readonly string[]
}

/** The commit of a submodule may be staged like a file; changes inside it are ignored. */
const onlyPointers = '--ignore-submodules=dirty'

export async function statusOf(isolated: IsolatedGit): Promise<Status> {
  // In a large repository two concurrent processes: one for tracked files, on all cores, and one for untracked files.
  const isLarge = (seenIndex(isolated.repository)?.size ?? 0) > largeIndex
  const listed = `--untracked-files=${isLarge ? 'no' : 'all'}`
  const [known, others] = await Promise.all([
    isolated.git(['status', '--porcelain=v2', '-z', listed, '--no-renames', onlyPointers], { lowPriority: isLarge }),
    isLarge ? isolated.git(['ls-files', '--others', '--exclude-standard', '-z']) : undefined,
  ])
  const changed: string[] = []
  const inIndex: string[] = []
  const untracked = others === undefined ? [] : namesIn(others.out)
  for (const line of known.out.toString().split('\0')) {
    if (line.startsWith('u ')) throw gitStop('files are in conflict after a merge', 'Resolve them first.')
    if (line.startsWith('? ')) untracked.push(line.slice(2))
    if (!line.startsWith('1 ')) continue
    const [, changes = '', submodule = ''] = line.split(' ', 3)
    // An intent-to-add entry counts as staged: a commit would lose it.
    const name = line.split(' ').slice(8).join(' ')
    if (!changes.startsWith('.') || changes.endsWith('A')) inIndex.push(name)
    if (submodule.startsWith('N') && !changes.endsWith('.')) changed.push(name)
  }
  return { staged: inIndex.length > 0, inIndex, changed, untracked }
}

/** The bytes of an index of some thousand files, among which one process is faster than two. */
const largeIndex = 256 * 1024

/** Whether anything is staged, without reading files. */
export async function isStaged(isolated: IsolatedGit, head: string | undefined): Promise<boolean> {
  if (head === undefined) return (await isolated.git(['ls-files', '-z'])).out.length > 0
  const args = ['diff-index', '--cached', '--quiet', onlyPointers, head]
  return (await isolated.git(args, { fine: [1] })).status === 1
}
