import { gitError } from './git-program.ts'
import type { GitObject, ObjectReader } from './object-reader.ts'
import type { TreeEntry } from './tree-contents.ts'
import { objectId, readObject, writeObject } from './objects.ts'
import type { IsolatedGit } from './isolated-git.ts'

const directory = '40000'
const submodule = '160000'

export const byteName = (name: string): string => Buffer.from(name).toString('latin1')

/**
 * The entries of a tree, and changes of some of them. They are found in its bytes by halves, because a directory may have
 * a hundred thousand. Each character of a name is one byte: git defines no encoding.
 */
class Entries {
  readonly #bytes: Buffer
  readonly #idBytes: number
  readonly #starts: readonly number[]
  readonly #changes = new Map<string, TreeEntry | undefined>()

  constructor({ id, type, bytes }: GitObject = { id: '', type: 'tree', bytes: Buffer.alloc(0) }) {
    if (type !== 'tree') throw gitError(`object ${id} is a ${type}, not a tree`)
    this.#idBytes = id.length / 2
    this.#bytes = bytes
    const before = scanned.get(bytes)
    this.#starts = before ?? this.#scan()
    if (before !== undefined || this.#starts.every((_, at) => at === 0 || this.#isInOrder(at))) {
      scanned.set(bytes, this.#starts)
      return
    }
    // No git writes such a tree, but one may be there.
    const entries = new Map(this.#starts.map((_, at) => [this.#key(at), this.#slice(at, at + 1)]))
    this.#bytes = Buffer.concat([...entries].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry))
    this.#starts = this.#scan()
  }

  get(name: string): TreeEntry | undefined {
    if (this.#changes.has(name)) return this.#changes.get(name)
    const at = this.#find(name)
    return at === undefined ? undefined : this.#side(at)
  }

  set(name: string, side: TreeEntry | undefined): void {
    this.#changes.set(name, side)
  }

  get isEmpty(): boolean {
    return this.toBytes().length === 0
  }

  toBytes(): Buffer {
    const removed = new Set<number | undefined>()
    const added = new Map<number, { key: string; entry: Buffer }[]>()
    for (const [name, side] of this.#changes) {
      removed.add(this.#find(name))
      if (side === undefined) continue
      const key = keyOf(name, side.mode)
      const at = this.#lowerBound(key)
      const entry = Buffer.concat([Buffer.from(`${side.mode} ${name}\0`, 'latin1'), Buffer.from(side.oid, 'hex')])
      added.set(at, [...(added.get(at) ?? []), { key, entry }])
    }
    const pieces: Buffer[] = []
    let from = 0
    const places = new Set([...removed, ...added.keys()].filter((at) => at !== undefined))
    for (const at of [...places].sort((a, b) => a - b)) {
      pieces.push(this.#slice(from, at))
      for (const { entry } of (added.get(at) ?? []).sort((a, b) => (a.key < b.key ? -1 : 1))) pieces.push(entry)
      from = removed.has(at) ? at + 1 : at
    }
    return Buffer.concat([...pieces, this.#slice(from, this.#starts.length)])
  }

  /** Where each entry begins. */
  #scan(): number[] {
    const starts: number[] = []
    const bytes = this.#bytes
    for (let at = 0; at < bytes.length; at += 1 + this.#idBytes) {
      starts.push(at)
      while (at < bytes.length && bytes[at] !== 0) at++
    }
    return starts
  }

  /** Whether an entry belongs after the one before it. Bytes are compared: a hundred thousand strings would take longer. */
  #isInOrder(at: number): boolean {
    const bytes = this.#bytes
    let one = bytes.indexOf(32, this.#starts[at - 1])
    let other = bytes.indexOf(32, this.#starts[at])
    for (; bytes[one] === bytes[other] && bytes[one] !== 0; one++) other++
    return bytes[one] === 0 || bytes[other] === 0
      ? this.#key(at - 1) < this.#key(at)
      : (bytes[one] ?? 0) < (bytes[other] ?? 0)
  }

  #slice(from: number, to: number): Buffer {
    return this.#bytes.subarray(this.#starts[from] ?? this.#bytes.length, this.#starts[to] ?? this.#bytes.length)
  }

  #side(at: number): TreeEntry {
    const entry = this.#slice(at, at + 1)
    return {
      mode: entry.toString('latin1', 0, entry.indexOf(32)),
      oid: entry.toString('hex', entry.length - this.#idBytes),
    }
  }

  #key(at: number): string {
    const start = this.#starts[at] ?? 0
    const end = (this.#starts[at + 1] ?? this.#bytes.length) - this.#idBytes - 1
    const text = this.#bytes.toString('latin1', start, end)
    const space = text.indexOf(' ')
    return keyOf(text.slice(space + 1), text.slice(0, space))
  }

  /** A directory and a file of the same name are at different places. */
  #find(name: string): number | undefined {
    for (const key of [name, `${name}/`]) {
      const at = this.#lowerBound(key)
      if (at < this.#starts.length && this.#key(at) === key) return at
    }
    return undefined
  }

  #lowerBound(key: string): number {
    let [low, high] = [0, this.#starts.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#key(middle) < key) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** Where the entries of trees in order begin: a large one is asked for several times. */
const scanned = new WeakMap<Buffer, readonly number[]>()

/** Git sorts a directory as if its name ended with a slash. */
const keyOf = (name: string, mode: string): string => (mode === directory ? `${name}/` : name)

/** The values for an entry of a directory, and for paths below it. */
interface Part<T> {
  own: { readonly value: T } | undefined
  readonly below: Map<string, T>
}

function byFirstName<T>(paths: ReadonlyMap<string, T>): Map<string, Part<T>> {
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
  const wanted = new Map(paths.map((name) => [byteName(name), name]))
  const submodules = new Set<string>()
  const files = new Set<string>()
  for (const [name, { mode }] of await sidesAt(objects, tree, wanted)) {
    const path = wanted.get(name)
    if (mode === submodule) submodules.add(Buffer.from(name, 'latin1').toString())
    else if (mode !== directory && path !== undefined) files.add(path)
  }
  return { submodules, files }
}

/** What a tree has at some paths; where a path leads through something that is no directory, that. */
export async function sidesAt(
  objects: ObjectReader,
  tree: string,
  paths: ReadonlyMap<string, unknown>,
): Promise<Map<string, TreeEntry>> {
  const found = new Map<string, TreeEntry>()
  const visit = async (at: string, some: ReadonlyMap<string, unknown>, above: string): Promise<void> => {
    const entries = new Entries(await objects.read(at))
    await Promise.all(
      [...byFirstName(some)].map(async ([name, { own, below }]) => {
        const side = entries.get(name)
        if (side === undefined) return
        if (own !== undefined || side.mode !== directory) found.set(above + name, side)
        if (side.mode === directory && below.size > 0) await visit(side.oid, below, `${above}${name}/`)
      }),
    )
  }
  await visit(tree, paths, '')
  return found
}

/** The new entry of each path; undefined removes it. Names are bytes, as in `tree-walk.ts`. */
export type TreeChanges = ReadonlyMap<string, TreeEntry | NewContent | undefined>

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

function sideFor(isolated: IsolatedGit, wanted: TreeEntry | NewContent, there: TreeEntry | undefined): TreeEntry {
  if ('oid' in wanted) return wanted
  const { mode, body } = wanted
  const oid = objectId(isolated, 'blob', body)
  // If the file system has no executable bits, the mode in the repository is kept.
  const isKnown = !isolated.config.modes && there !== undefined && there.mode !== directory
  return { mode: isKnown ? there.mode : mode, oid: oid === there?.oid ? oid : writeObject(isolated, 'blob', body) }
}
