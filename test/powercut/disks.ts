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

/** All disks that a model allows, each once. */
export function disksOf(model: Model, before: Tree, ops: readonly Op[]): Disk[] {
  const found = new Map<string, Disk>()
  const add = (tree: Tree, after: boolean, what: string): void => {
    const key = `${after} ${printOf(tree)}`
    if (!found.has(key)) found.set(key, { tree, after, what })
  }
  if (model === 'any') for (const disk of anyOrder(before, ops)) add(disk.tree, disk.after, disk.what)
  else {
    const last = ops.findLastIndex(({ kind }) => kind === 'sync')
    const contents: readonly Unsynced[] = model === 'ext4' ? ['lost', 'kept'] : ['lost', 'kept', 'zeros']
    for (let cut = 0; cut <= ops.length; cut++) {
      if (cut > 0 && ops[cut - 1]?.kind === 'sync') continue
      for (const unsynced of contents)
        add(
          treeAt(before, ops.slice(0, cut), unsynced, model),
          cut > last,
          `cut ${cut}/${ops.length}, unsynced ${unsynced}`,
        )
    }
    // With everything synced that was, at the end.
    for (const unsynced of contents) add(treeAt(before, ops, unsynced, model), true, `end, unsynced ${unsynced}`)
  }
  return [...found.values()]
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

/** At each sync and at the end: all names that were not synced lost, each alone lost, each alone there. */
function anyOrder(before: Tree, ops: readonly Op[]): Disk[] {
  const disks: Disk[] = []
  const cuts = ops.flatMap((op, at) => (op.kind === 'sync' ? [at + 1] : []))
  for (const cut of [...cuts, ops.length]) {
    const done = ops.slice(0, cut)
    const after = cut === ops.length
    const open = unsyncedNames(before, done)
    const subsets: ReadonlySet<Op>[] = [
      new Set(open),
      ...open.map((one) => new Set([one])),
      ...open.map((one) => new Set(open.filter((other) => other !== one))),
    ]
    for (const lost of subsets)
      for (const unsynced of ['lost', 'kept'] as const)
        disks.push({
          tree: treeAt(before, done, unsynced, 'any', lost),
          after,
          what: `cut ${cut}/${ops.length}, ${lost.size === 1 ? [...lost].map(shownOp).join() : lost.size} of ${open.length} names lost, unsynced ${unsynced}`,
        })
  }
  return disks
}

function unsyncedNames(before: Tree, ops: readonly Op[]): Op[] {
  const names = new Map(before.names)
  /** By change: the directories that are not synced since. */
  const open = new Map<Op, Set<string>>()
  for (const op of ops) {
    if (op.kind === 'sync') {
      if (op.what === 'all') open.clear()
      if (op.what !== 'names') continue
      const dirs = [...names].filter(([, inode]) => inode === op.inode).map(([name]) => name)
      for (const [one, left] of open) {
        for (const dir of dirs) left.delete(dir)
        if (left.size === 0) open.delete(one)
      }
    } else if (op.kind !== 'write' && op.kind !== 'truncate') {
      open.set(op, new Set(dirsOf(op)))
      if (op.kind === 'rename') renameIn(names, op)
      else if (op.kind === 'unlink') names.delete(op.path)
      else names.set(op.path, op.inode)
    }
  }
  return [...open.keys()]
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
