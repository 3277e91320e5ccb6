import type { GitObject } from './object-reader.ts'
import { nameOf, readObject, writeObject } from './objects.ts'
import type { IsolatedGit } from './isolated-git.ts'
import type { Side } from './tree-contents.ts'
import { byFirstName, directory, Entries } from './tree-walk.ts'

/** The new entry of each path; undefined removes it. Names are bytes, as in `tree-walk.ts`. */
export type TreeChanges = ReadonlyMap<string, Side | NewContent | undefined>

/** Written as an object unless the tree has it already. */
export interface NewContent {
  readonly mode: string
  readonly body: Buffer
}

/**
 * Writes a tree with some paths changed: only the directories above them are read and written, while git write-tree would
 * write all of them. `base` is any name of a tree that git understands; without it the tree is empty.
 */
export async function editTree(isolated: IsolatedGit, base: string | undefined, changes: TreeChanges): Promise<string> {
  const write = (entries: Entries): string => writeObject(isolated, 'tree', entries.toBytes())
  const edit = async (old: GitObject | undefined, some: TreeChanges): Promise<Entries> => {
    const entries = new Entries(old)
    await Promise.all(
      [...byFirstName(some)].map(async ([name, { own, below }]) => {
        const there = entries.get(name)
        // A file that replaces a directory removes everything below it.
        if (own?.value !== undefined) return entries.set(name, sideFor(isolated, own.value, there))
        if (own !== undefined && there?.mode !== directory) entries.set(name, undefined)
        if (below.size === 0) return
        const left = await edit(there?.mode === directory ? await readObject(isolated, there.oid) : undefined, below)
        entries.set(name, left.isEmpty ? undefined : { mode: directory, oid: write(left) })
      }),
    )
    return entries
  }
  return write(await edit(base === undefined ? undefined : await readObject(isolated, base), changes))
}

function sideFor(isolated: IsolatedGit, wanted: Side | NewContent, there: Side | undefined): Side {
  if ('oid' in wanted) return wanted
  const { mode, body } = wanted
  const oid = nameOf(isolated, 'blob', body)
  // If the file system has no executable bits, the mode in the repository is kept.
  const isKnown = !isolated.config.modes && there !== undefined && there.mode !== directory
  return { mode: isKnown ? there.mode : mode, oid: oid === there?.oid ? oid : writeObject(isolated, 'blob', body) }
}
