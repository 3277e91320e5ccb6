import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { dirsAbove } from '../core/paths.ts'
import { isOsError } from '../core/platform.ts'
import type { Stop } from '../core/problem.ts'
import { gitStop } from './git-program.ts'
import type { Repository } from './repository.ts'
import type { Side } from './tree-contents.ts'
import { byteName } from './tree-walk.ts'

/** An index of version 2 or 3, in which every entry has its whole name. */
export interface IndexBytes {
  readonly bytes: Buffer
  readonly idBytes: number
  /** Where each entry begins, and where the last one ends. */
  readonly starts: Uint32Array
  readonly hasConflicts: boolean
  /** The entries whose files are as new as the index. */
  readonly fresh: readonly number[]
}

/** Undefined where only git can read it: names that continue the one before, an index in two files or with whole directories. */
function readIndex(file: string, idBytes: number, since = Infinity): IndexBytes | undefined {
  // Git makes no index for nothing.
  const bytes = fs.existsSync(file) ? fs.readFileSync(file) : Buffer.alloc(0)
  const version = bytes.length < 12 ? 0 : bytes.readUInt32BE(4)
  if (version !== 2 && version !== 3) return undefined
  const count = bytes.readUInt32BE(8)
  if (count > bytes.length / 62) return undefined
  const starts = new Uint32Array(count + 1)
  let at = 12
  let sides = 0
  const fresh: number[] = []
  for (let entry = 0; entry < count; entry++) {
    starts[entry] = at
    if (bytes.readUInt32BE(at + 8) >= since) fresh.push(entry)
    const id = at + 40
    const flags = bytes.readUInt16BE(id + idBytes)
    sides |= flags & stages
    const start = id + idBytes + ((flags & hasMore) === 0 ? 2 : 4)
    const length = flags & longName
    const end = length < longName ? start + length : bytes.indexOf(0, start)
    at += (end - at + 8) & ~7
  }
  starts[count] = at
  const index = { bytes, idBytes, starts, hasConflicts: sides !== 0, fresh }
  return extensionsOf(index).some(({ name }) => /^[a-z]/.test(name)) ? undefined : index
}

export function extensionsOf({ bytes, idBytes, starts }: IndexBytes) {
  const found: { readonly name: string; readonly data: Buffer }[] = []
  for (let at = starts.at(-1) ?? 0; at + 8 <= bytes.length - idBytes;) {
    const end = at + 8 + bytes.readUInt32BE(at + 4)
    found.push({ name: bytes.toString('latin1', at, at + 4), data: bytes.subarray(at + 8, end) })
    at = end
  }
  return found
}

/** Bits of the flags of an entry: changes are not looked for, the side of a conflict, more flags follow, the length of the name. */
const [assumed, stages, hasMore, longName] = [0x8000, 0x3000, 0x4000, 0x0fff]
/** Of the flags that follow: the entry has no content yet. */
const intended = 0x2000

export const inConflict = (): Stop => gitStop('files are in conflict after a merge', 'Resolve them first.')

export function entryAt({ bytes, idBytes, starts }: IndexBytes, entry: number) {
  const at = starts[entry] ?? 0
  const id = at + 40
  const flags = bytes.readUInt16BE(id + idBytes)
  const start = id + idBytes + ((flags & hasMore) === 0 ? 2 : 4)
  const name = bytes.subarray(start, bytes.indexOf(0, start))
  const more = (flags & hasMore) === 0 ? 0 : bytes.readUInt16BE(start - 2)
  const side: Side = { mode: bytes.readUInt32BE(at + 24).toString(8), oid: bytes.toString('hex', id, id + idBytes) }
  return { name, side, more, isPlain: (flags & (assumed | hasMore)) === 0 }
}

/** The first entry whose name, which is bytes, is not before this one. */
export function placeOf(index: IndexBytes, name: string): { readonly entry: number; readonly isThere: boolean } {
  const bytes = Buffer.from(name, 'latin1')
  let [low, high] = [0, index.starts.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if (entryAt(index, middle).name.compare(bytes) < 0) low = middle + 1
    else high = middle
  }
  return { entry: low, isThere: low < index.starts.length - 1 && entryAt(index, low).name.equals(bytes) }
}

/**
 * The entries of an index at some paths, whose names are bytes. Undefined where only git can read it, and for an entry
 * that has no content yet. @throws Stop
 */
export function entriesAt(
  file: string,
  names: ReadonlyMap<string, unknown>,
  idBytes: number,
): Map<string, Side> | undefined {
  const index = readIndex(file, idBytes)
  if (index === undefined) return undefined
  if (index.hasConflicts) throw inConflict()
  const found = new Map<string, Side>()
  for (const name of names.keys()) {
    const { entry, isThere } = placeOf(index, name)
    if (!isThere) continue
    const { side, more } = entryAt(index, entry)
    if ((more & intended) !== 0) return undefined
    found.set(name, side)
  }
  return found
}

/** The index of a repository; undefined where only git can read it, or files are in conflict. Kept as long as it is the same. */
export function indexOf(repository: Repository, hash: 'sha1' | 'sha256'): IndexBytes | undefined {
  const file = path.join(repository.gitDir, 'index')
  const seen = seenAt(file)
  const known = read.get(repository)
  if (seen !== undefined && known !== undefined && isSameSeen(known.seen, seen)) return known.index
  const usable = usableIn(file, hash, seen)
  if (seen !== undefined) read.set(repository, { seen, index: usable })
  return usable
}

function usableIn(file: string, hash: 'sha1' | 'sha256', seen: Seen | undefined): IndexBytes | undefined {
  try {
    // In seconds, as git does; the time is rounded.
    const index = readIndex(file, hash === 'sha1' ? 20 : 32, seen && Math.floor((seen.mtimeMs - 1) / 1000))
    return index?.hasConflicts === false ? index : undefined
  } catch (error) {
    // It is cut off, or cannot be read: git says what is wrong with it.
    if (error instanceof RangeError || isOsError(error)) return undefined
    throw error
  }
}

const read = new WeakMap<Repository, { readonly seen: Seen; readonly index: IndexBytes | undefined }>()

/** Identifies a version of the index file. */
export interface Seen {
  readonly ino: number
  readonly size: number
  readonly mtimeMs: number
}

export function seenAt(index: string): Seen | undefined {
  const stat = fs.statSync(index, { throwIfNoEntry: false })
  return stat === undefined ? undefined : { ino: stat.ino, size: stat.size, mtimeMs: stat.mtimeMs }
}

export const isSameSeen = (one: Seen, other: Seen): boolean =>
  one.ino === other.ino && one.size === other.size && one.mtimeMs === other.mtimeMs

/** Whether a path, relative to the top, is in an index. */
export const isIndexed = (index: IndexBytes, name: string): boolean => placeOf(index, byteName(name)).isThere

/** A path whose entry is replaced, added or removed, with the first entry that is not before it. */
export interface Change {
  readonly name: string
  readonly entry: number
  readonly isThere: boolean
  readonly found: FoundFile | 'gone'
}

export interface FoundFile {
  readonly stat: fs.BigIntStats
  readonly bytes: Buffer
  readonly side: Side
}

const second = 1_000_000_000n

export function entryOf(name: string, { stat, side }: FoundFile): Buffer {
  const idBytes = side.oid.length / 2
  const start = 42 + idBytes
  const entry = Buffer.alloc((start + name.length + 8) & ~7)
  const { ctimeNs, mtimeNs, dev, ino, uid, gid, size } = stat
  const times = [ctimeNs / second, ctimeNs % second, mtimeNs / second, mtimeNs % second]
  for (const [at, value] of [...times, dev, ino, BigInt(`0o${side.mode}`), uid, gid, size].entries())
    entry.writeUInt32BE(Number(BigInt.asUintN(32, value)), 4 * at)
  entry.write(side.oid, 40, 'hex')
  entry.writeUInt16BE(Math.min(name.length, longName), 40 + idBytes)
  entry.write(name, start, 'latin1')
  return entry
}

/** The new index but for its checksum. */
function* piecesOf(index: IndexBytes, changes: readonly Change[]): Generator<Buffer> {
  const { bytes, starts } = index
  const header = Buffer.from(bytes.subarray(0, 12))
  const more = changes.filter(({ isThere }) => !isThere).length
  const less = changes.filter(({ found }) => found === 'gone').length
  header.writeUInt32BE(starts.length - 1 + more - less, 8)
  yield header
  let from = 12
  for (const { name, entry, isThere, found } of changes) {
    yield bytes.subarray(from, starts[entry])
    if (found !== 'gone') yield entryOf(name, found)
    from = starts[isThere ? entry + 1 : entry] ?? 0
  }
  yield bytes.subarray(from, starts.at(-1))
  const dirs = new Set(['', ...changes.flatMap(({ name }) => dirsAbove(name))])
  for (const { name, data } of extensionsOf(index)) {
    const pieces = name === 'TREE' ? [...withoutTrees(data, dirs, index.idBytes)] : [data]
    const head = Buffer.from(`${name}\0\0\0\0`)
    head.writeUInt32BE(
      pieces.reduce((sum, { length }) => sum + length, 0),
      4,
    )
    yield head
    yield* pieces
  }
}

/** The cached trees, each with its name, the number of its entries and trees, and its id, which these directories lose. */
function* withoutTrees(trees: Buffer, dirs: ReadonlySet<string>, idBytes: number): Generator<Buffer> {
  let [from, at] = [0, 0]
  const above: { readonly dir: string; left: number }[] = []
  while (at < trees.length) {
    const zero = trees.indexOf(0, at)
    const end = trees.indexOf(10, zero)
    const [count = 0, below = 0] = trees
      .toString('latin1', zero + 1, end)
      .split(' ')
      .map(Number)
    const parent = above.at(-1)
    const name = trees.toString('latin1', at, zero)
    const dir = parent === undefined || parent.dir === '' ? name : `${parent.dir}/${name}`
    if (parent !== undefined) parent.left--
    at = end + 1 + (count < 0 ? 0 : idBytes)
    if (dirs.has(dir)) {
      yield trees.subarray(from, zero + 1)
      yield Buffer.from(`-1 ${below}\n`)
      from = at
    }
    above.push({ dir, left: below })
    while (above.at(-1)?.left === 0) above.pop()
  }
  yield trees.subarray(from)
}

/** Writes an index with these changes. It ends with the checksum of all of it, unless git is configured to leave that out. */
export function writeChanged(file: string, index: IndexBytes, changes: readonly Change[], mode: number): void {
  const pieces = [...piecesOf(index, changes)]
  const old = index.bytes.subarray(-index.idBytes)
  const sum = createHash(index.idBytes === 20 ? 'sha1' : 'sha256')
  for (const piece of pieces) sum.update(piece)
  fs.rmSync(file, { force: true })
  const fd = fs.openSync(file, 'wx')
  try {
    for (const piece of pieces) fs.writeFileSync(fd, piece)
    fs.writeFileSync(fd, old.every((byte) => byte === 0) ? old : sum.digest())
    fs.fchmodSync(fd, mode)
  } finally {
    fs.closeSync(fd)
  }
}
