import path from 'node:path'
import { type Inode, type Op, renameIn, resized, type Tree, written } from './recorder.ts'

/**
 * What a disk may hold after a power cut. `ext4`: names change in order, and a file that replaces another is written
 * before it does. `metadata`: names change in order, contents only when they are synced. `any`: nothing is sure that was
 * not synced, neither contents nor names.
 */
export type Model = 'ext4' | 'metadata' | 'any'

export interface Disk {
  readonly tree: Tree
  /** Everything had been reported as done. */
  readonly after: boolean
  readonly what: string
}

/**
 * The disks that a model allows, each once: all of them, or `most`, drawn in order of time from as many equal parts of
 * the list. The seed is fixed, so that the same record gives the same disks. A disk is only built when it is drawn: an
 * execution with a thousand calls allows hundreds of thousands.
 */
export function* disksOf(
  model: Model,
  before: Tree,
  ops: readonly Op[],
  { most = Infinity, seed = 1 }: { readonly most?: number; readonly seed?: number } = {},
): Generator<Disk> {
  const possible = new PossibleDisks(model, before, ops)
  const parts = Math.min(most, possible.count)
  const random = randomFrom(seed)
  const found = new Set<string>()
  const isNew = (disk: Disk): boolean => found.size < found.add(`${disk.after} ${printOf(disk.tree)}`).size
  for (let part = 0; part < parts; part++) {
    const begin = Math.floor((part * possible.count) / parts)
    const size = Math.floor(((part + 1) * possible.count) / parts) - begin
    for (let tries = 0; tries < Math.min(size, 8); tries++) {
      const disk = possible.disk(begin + Math.floor(random() * size))
      if (!isNew(disk)) continue
      yield disk
      break
    }
  }
  // The end is always tried: success was reported.
  for (const at of possible.atEnd) {
    const disk = possible.disk(at)
    if (isNew(disk)) yield disk
  }
}

/** Numbers from 0 to 1, always the same for a seed. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

interface Cut {
  readonly at: number
  /** Names that are not sure there. */
  readonly open: readonly Op[]
  /** The number of its first disk. */
  readonly first: number
}

/**
 * Every disk by its number, in order of time. At each cut, all contents that were not synced are lost, kept or zeros; in
 * any order, all names that were not synced are lost, or each alone, or all but one.
 */
class PossibleDisks {
  readonly count: number
  readonly atEnd: readonly number[]
  readonly #model: Model
  readonly #before: Tree
  readonly #ops: readonly Op[]
  readonly #cuts: Cut[] = []
  readonly #contents: readonly Unsynced[]
  readonly #lastSync: number

  constructor(model: Model, before: Tree, ops: readonly Op[]) {
    this.#model = model
    this.#before = before
    this.#ops = ops
    this.#contents = model === 'metadata' ? ['lost', 'kept', 'zeros'] : ['lost', 'kept']
    this.#lastSync = ops.findLastIndex(({ kind }) => kind === 'sync')
    const opened = model === 'any' ? unsyncedNames(before, ops) : undefined
    let first = 0
    for (let at = opened === undefined ? 0 : 1; at <= ops.length; at++) {
      const synced = at > 0 && ops[at - 1]?.kind === 'sync'
      // Names are only lost up to a sync, so the moment right after it, and the end, show all that can be lost.
      if (at < ops.length && (opened === undefined ? synced : !synced)) continue
      const open = opened?.get(at) ?? []
      this.#cuts.push({ at, open, first })
      first += this.#contents.length * (opened === undefined ? 1 : 1 + 2 * open.length)
    }
    this.count = first
    const end = this.#cuts.at(-1)?.first ?? 0
    this.atEnd = this.#contents.map((_, at) => end + at)
  }

  disk(number: number): Disk {
    const { at, open, first } = this.#cuts.findLast((cut) => cut.first <= number) ?? { at: 0, open: [], first: 0 }
    const unsynced = this.#contents[(number - first) % this.#contents.length] ?? 'lost'
    const choice = Math.floor((number - first) / this.#contents.length)
    const one = open[(choice - 1) % open.length]
    const isOnly = choice > open.length
    const lost = new Set(choice === 0 ? open : open.filter((other) => (other === one) !== isOnly))
    const names = one === undefined || choice === 0 ? 'all' : `${isOnly ? 'all but' : 'only'} ${shownOp(one)}`
    return {
      tree: treeAt(this.#before, this.#ops.slice(0, at), unsynced, this.#model, lost),
      after: this.#model === 'any' ? at === this.#ops.length : at > this.#lastSync,
      what: `cut ${at}/${this.#ops.length}, unsynced ${unsynced}${open.length === 0 ? '' : `, of ${open.length} names lost: ${names}`}`,
    }
  }
}

/** What became of contents that were not synced. */
type Unsynced = 'lost' | 'kept' | 'zeros'

interface Content {
  now: Buffer
  synced: Buffer
  writtenOut?: Buffer
}

function treeAt(
  before: Tree,
  ops: readonly Op[],
  unsynced: Unsynced,
  model: Model,
  skipped: ReadonlySet<Op> = new Set(),
): Tree {
  const names = new Map(before.names)
  const inodes = new Map<number, Inode>(before.inodes)
  const contents = new Map<number, Content>()
  for (const [number, inode] of before.inodes)
    if (inode.type === 'file') contents.set(number, { now: inode.bytes, synced: inode.bytes })
  for (const op of ops) {
    if (op.kind === 'sync') sync(op, contents, model)
    else if (op.kind === 'write' || op.kind === 'truncate') {
      const content = contents.get(op.inode)
      if (content === undefined) continue
      content.now = op.kind === 'write' ? written(content.now, op.at, op.bytes) : resized(content.now, op.size)
    } else {
      if (op.kind === 'make') {
        inodes.set(
          op.inode,
          op.type === 'directory' ? { type: 'directory', mode: 0o755 } : { type: 'file', mode: 0o644, bytes: empty },
        )
        if (op.type === 'file') contents.set(op.inode, { now: empty, synced: empty })
      }
      if (op.kind === 'symlink') inodes.set(op.inode, { type: 'symlink', target: op.target })
      if (skipped.has(op)) continue
      if (op.kind === 'unlink') names.delete(op.path)
      else if (op.kind === 'rename') {
        const content = contents.get(names.get(op.from) ?? -1)
        // The file system sees that one file replaces another, and writes it out first.
        if (model === 'ext4' && content !== undefined && names.has(op.to)) content.synced = content.now
        renameIn(names, op)
      } else names.set(op.path, op.inode)
    }
  }
  for (const [number, { now, synced }] of contents) {
    const inode = inodes.get(number)
    if (inode?.type !== 'file') continue
    const bytes = unsynced === 'kept' ? now : unsynced === 'lost' ? synced : withZeros(synced, now)
    inodes.set(number, { ...inode, bytes })
  }
  return { names, inodes }
}

function sync(op: Op & { kind: 'sync' }, contents: Map<number, Content>, model: Model): void {
  const own = contents.get(op.inode)
  if (op.what === 'written out') {
    if (own !== undefined) own.writtenOut = own.now
    return
  }
  if (own !== undefined) own.synced = own.now
  for (const content of contents.values()) {
    if (op.what === 'all') content.synced = content.now
    // One flush of the disk is for everything that was handed to it.
    else if (model !== 'any' && content.writtenOut !== undefined) content.synced = content.writtenOut
  }
}

/** The size is there, the bytes are not. */
function withZeros(synced: Buffer, now: Buffer): Buffer {
  const bytes = Buffer.alloc(now.length)
  synced.copy(bytes, 0, 0, Math.min(synced.length, now.length))
  return synced.equals(now) ? now : bytes
}

/** After each sync and at the end, by the number of calls: the changes of names that may be lost. */
function unsyncedNames(before: Tree, ops: readonly Op[]): ReadonlyMap<number, readonly Op[]> {
  const names = new Map(before.names)
  /** By change: the directories that are not synced since. */
  const open = new Map<Op, Set<string>>()
  const found = new Map<number, readonly Op[]>()
  for (const [at, op] of ops.entries()) {
    if (op.kind === 'sync') {
      if (op.what === 'all') open.clear()
      if (op.what === 'names') {
        const dirs = [...names].filter(([, inode]) => inode === op.inode).map(([name]) => name)
        for (const [one, left] of open) {
          for (const dir of dirs) left.delete(dir)
          if (left.size === 0) open.delete(one)
        }
      }
      found.set(at + 1, [...open.keys()])
    } else if (op.kind !== 'write' && op.kind !== 'truncate') {
      open.set(op, new Set(dirsOf(op)))
      if (op.kind === 'rename') renameIn(names, op)
      else if (op.kind === 'unlink') names.delete(op.path)
      else names.set(op.path, op.inode)
    }
  }
  return found.set(ops.length, [...open.keys()])
}

const dirsOf = (op: Op): string[] =>
  op.kind === 'rename' ? [path.dirname(op.from), path.dirname(op.to)] : 'path' in op ? [path.dirname(op.path)] : []

const shownOp = (op: Op): string =>
  op.kind === 'rename' ? `rename ${op.from} ${op.to}` : 'path' in op ? `${op.kind} ${op.path}` : op.kind

const empty = Buffer.alloc(0)

function printOf({ names, inodes }: Tree): string {
  const { createHash } = process.getBuiltinModule('node:crypto')
  const hash = createHash('sha1')
  for (const [name, number] of [...names].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const inode = inodes.get(number)
    hash.update(`${name}\0${inode?.type}\0`)
    if (inode?.type === 'file') hash.update(inode.bytes)
    if (inode?.type === 'symlink') hash.update(inode.target)
  }
  return hash.digest('hex')
}
