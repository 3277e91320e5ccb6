import { gitStop } from './git-program.ts'
import type { GitObject, ObjectReader } from './object-reader.ts'
import { hashFor, writeObject } from './objects.ts'
import type { Repository } from './repository.ts'
import type { Side } from './tree-contents.ts'

/** What a path becomes; undefined when it goes. Each character of a name stands for one byte: git asks for no encoding. */
export type TreeChanges = ReadonlyMap<string, Side | undefined>

interface TreeEdit {
  readonly repository: Repository
  readonly objects: ObjectReader
  /** What to start from, by anything git knows it by; undefined for nothing. */
  readonly base: string | undefined
  readonly changes: TreeChanges
}

/**
 * A tree with some paths changed: only the directories above them are read and written. The index could tell the tree
 * as well, but git would write all of it again for that.
 */
export async function editTree({ repository, objects, base, changes }: TreeEdit): Promise<string> {
  const root = base === undefined ? undefined : await objects.read(base)
  const anyName = root?.id ?? [...changes.values()].find((side) => side !== undefined)?.oid ?? ''
  const write = (entries: Entries): string =>
    writeObject(repository, { type: 'tree', body: bytesOf(entries), hash: hashFor(anyName) })
  const edit = async (old: GitObject | undefined, some: TreeChanges): Promise<Entries> => {
    const entries = old === undefined ? new Map<string, Side>() : entriesOf(old)
    await Promise.all(
      [...byFirstName(some)].map(async ([name, { own, below }]) => {
        const there = entries.get(name)
        if (own !== undefined) entries.delete(name)
        if (own?.to !== undefined) entries.set(name, own.to)
        // A file that takes a directory's place takes it from everything below.
        else if (below.size > 0) {
          const left = await edit(there?.mode === directory ? await objects.read(there.oid) : undefined, below)
          if (left.size === 0) entries.delete(name)
          else entries.set(name, { mode: directory, oid: write(left) })
        }
      }),
    )
    return entries
  }
  return write(await edit(root, changes))
}

type Entries = Map<string, Side>

const directory = '40000'

interface Part {
  own: { readonly to: Side | undefined } | undefined
  readonly below: Map<string, Side | undefined>
}

function byFirstName(changes: TreeChanges): Map<string, Part> {
  const parts = new Map<string, Part>()
  for (const [name, to] of changes) {
    const slash = name.indexOf('/')
    const first = slash === -1 ? name : name.slice(0, slash)
    const part = parts.get(first) ?? { own: undefined, below: new Map() }
    parts.set(first, part)
    if (slash === -1) part.own = { to }
    else part.below.set(name.slice(slash + 1), to)
  }
  return parts
}

function entriesOf({ id, type, bytes }: GitObject): Entries {
  if (type !== 'tree') throw gitStop(`object ${id} is a ${type} and no tree`)
  const entries: Entries = new Map()
  const idBytes = id.length / 2
  for (let at = 0; at < bytes.length;) {
    const blank = bytes.indexOf(32, at)
    const end = bytes.indexOf(0, blank)
    const oid = bytes.toString('hex', end + 1, end + 1 + idBytes)
    entries.set(bytes.toString('latin1', blank + 1, end), { mode: bytes.toString('latin1', at, blank), oid })
    at = end + 1 + idBytes
  }
  return entries
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
