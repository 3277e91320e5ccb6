import { gitStop } from './git-program.ts'
import type { GitObject, ObjectReader } from './object-reader.ts'
import type { Side } from './tree-contents.ts'

/** The entries of a tree. Each character of a name is one byte: git defines no encoding. */
export type Entries = Map<string, Side>

export const directory = '40000'
const submodule = '160000'

export const byteName = (name: string): string => Buffer.from(name).toString('latin1')

export function entriesOf({ id, type, bytes }: GitObject): Entries {
  if (type !== 'tree') throw gitStop(`object ${id} is a ${type}, not a tree`)
  const entries: Entries = new Map()
  const idBytes = id.length / 2
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(32, at)
    const end = bytes.indexOf(0, space)
    const oid = bytes.toString('hex', end + 1, end + 1 + idBytes)
    entries.set(bytes.toString('latin1', space + 1, end), { mode: bytes.toString('latin1', at, space), oid })
    at = end + 1 + idBytes
  }
  return entries
}

/** The values for an entry of a directory, and for paths below it. */
interface Part<T> {
  own: { readonly value: T } | undefined
  readonly below: Map<string, T>
}

export function byFirstName<T>(paths: ReadonlyMap<string, T>): Map<string, Part<T>> {
  const parts = new Map<string, Part<T>>()
  for (const [name, value] of paths) {
    const slash = name.indexOf('/')
    const first = slash === -1 ? name : name.slice(0, slash)
    const part = parts.get(first) ?? { own: undefined, below: new Map<string, T>() }
    parts.set(first, part)
    if (slash === -1) part.own = { value }
    else part.below.set(name.slice(slash + 1), value)
  }
  return parts
}

/** The entries of a tree at some paths. */
export interface Known {
  /** Submodules at one of the paths, or above. */
  readonly submodules: ReadonlySet<string>
  /** The paths that are files in the tree. */
  readonly files: ReadonlySet<string>
}

export async function knownIn(objects: ObjectReader, tree: string, paths: readonly string[]): Promise<Known> {
  const submodules = new Set<string>()
  const files = new Set<string>()
  const visit = async (at: string, some: ReadonlyMap<string, string>, above: string): Promise<void> => {
    const entries = entriesOf(await objects.read(at))
    await Promise.all(
      [...byFirstName(some)].map(async ([name, { own, below }]) => {
        const side = entries.get(name)
        if (side?.mode === submodule) submodules.add(Buffer.from(above + name, 'latin1').toString())
        else if (side?.mode === directory && below.size > 0) await visit(side.oid, below, `${above}${name}/`)
        else if (side !== undefined && side.mode !== directory && own !== undefined) files.add(own.value)
      }),
    )
  }
  await visit(tree, new Map(paths.map((name) => [byteName(name), name])), '')
  return { submodules, files }
}
