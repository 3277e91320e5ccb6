import type { GitObject } from './object-reader.ts'
import { nameOf, writeObject } from './objects.ts'
import type { Room } from './room.ts'
import type { Side } from './tree-contents.ts'
import { byFirstName, directory, type Entries, entriesOf } from './tree-walk.ts'

/** What is at a path from now on; undefined for no file. Names are bytes, as in `tree-walk.ts`. */
export type TreeChanges = ReadonlyMap<string, Side | NewContent | undefined>

/** Becomes an object where the tree does not have it already. */
export interface NewContent {
  readonly mode: string
  readonly body: Buffer
}

/**
 * A tree with some paths changed: only the directories above them are read and written. The index could tell the tree
 * as well, but git would write all of it again for that. `base` is anything git knows a tree by; without it there is
 * nothing yet.
 */
export async function editTree(room: Room, base: string | undefined, changes: TreeChanges): Promise<string> {
  const { objects } = room
  const write = (entries: Entries): string => writeObject(room, 'tree', bytesOf(entries))
  const edit = async (old: GitObject | undefined, some: TreeChanges): Promise<Entries> => {
    const entries = old === undefined ? new Map<string, Side>() : entriesOf(old)
    await Promise.all(
      [...byFirstName(some)].map(async ([name, { own, below }]) => {
        const there = entries.get(name)
        // A file that takes a directory's place takes it from everything below.
        if (own?.value !== undefined) return entries.set(name, sideFor(room, own.value, there))
        if (own !== undefined && there?.mode !== directory) entries.delete(name)
        if (below.size === 0) return entries
        const left = await edit(there?.mode === directory ? await objects.read(there.oid) : undefined, below)
        return left.size === 0 ? entries.delete(name) : entries.set(name, { mode: directory, oid: write(left) })
      }),
    )
    return entries
  }
  return write(await edit(base === undefined ? undefined : await objects.read(base), changes))
}

function sideFor(room: Room, wanted: Side | NewContent, there: Side | undefined): Side {
  if ('oid' in wanted) return wanted
  const { mode, body } = wanted
  const oid = nameOf(room, 'blob', body)
  // Where the modes on the disk mean nothing, the repository knows better.
  const isKnown = !room.config.modes && there !== undefined && there.mode !== directory
  return { mode: isKnown ? there.mode : mode, oid: oid === there?.oid ? oid : writeObject(room, 'blob', body) }
}

/** Git sorts a directory as if its name ended with a slash. */
function bytesOf(entries: Entries): Buffer {
  const sorted = [...entries]
    .map(([name, side]) => ({ key: side.mode === directory ? `${name}/` : name, name, side }))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
  return Buffer.concat(
    sorted.flatMap(({ name, side }) => [Buffer.from(`${side.mode} ${name}\0`, 'latin1'), Buffer.from(side.oid, 'hex')]),
  )
}
