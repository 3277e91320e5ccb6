import fs from 'node:fs'
import path from 'node:path'
import { platform } from '../core/platform.ts'
import { ProblemError } from '../core/problem.ts'
import type { DiskBase } from '../workspace/disk-file.ts'
import { DiskTree } from '../workspace/disk-tree.ts'
import type { Scratch } from '../workspace/scratch.ts'
import { type Location, locationOf } from '../workspace/walk.ts'
import { pause } from '../core/pause.ts'

/** What is at a path that may be anything, at any moment. */
export type WatchedState =
  | { readonly kind: 'absent' }
  | { readonly kind: 'odd'; readonly why: string }
  | { readonly kind: 'large'; readonly size: number }
  | { readonly kind: 'file'; readonly bytes: Buffer }

/** Reads a file that others write to. Undefined when it changed while it was read. */
export function inspectFile(file: string, limit: number): WatchedState | undefined {
  const held = openWatched(file)
  if ('kind' in held) return held
  try {
    const before = fs.fstatSync(held.fd, { bigint: true })
    if (before.size > limit) return { kind: 'large', size: Number(before.size) }
    const bytes = fs.readFileSync(held.fd)
    return isSameVersion(before, fs.fstatSync(held.fd, { bigint: true })) ? { kind: 'file', bytes } : undefined
  } finally {
    fs.closeSync(held.fd)
  }
}

/** The result of rewriting. `late` detects later writes to the replaced file. */
export interface Rewritten {
  readonly bytes: Buffer
  readonly late: LateWriter
}

export interface Rewriting {
  readonly file: string
  readonly scratch: Scratch
  /** What to make of the content; undefined for no change. */
  readonly change: (bytes: Buffer) => Buffer | undefined
  /** Whether the content is complete, and not that of a file that is being written. */
  readonly isWhole: (bytes: Buffer) => boolean
  /** Called with the path of a text that another program wrote at the same moment. */
  readonly onSaved: (file: string) => void
}

/**
 * Replaces a file by what `change` makes of it, as an edit of the workspace does, and only while it is still what was read;
 * otherwise everything is done again with what is there by then. Undefined when there is no file, or no change is wanted.
 */
export async function rewrite(rewriting: Rewriting): Promise<Rewritten | undefined> {
  const tree = new DiskTree(rewriting.scratch)
  try {
    return await rewriteOn(tree, rewriting)
  } finally {
    await tree.finish()
  }
}

async function rewriteOn(
  tree: DiskTree,
  { file, scratch, change, isWhole, onSaved }: Rewriting,
): Promise<Rewritten | undefined> {
  const at = locationOf(scratch.root, file)
  for (const until = performance.now() + patienceMs; ; await pause(10)) {
    const patient = performance.now() < until
    const held = openWatched(file)
    if ('kind' in held) {
      // An editor that deletes and creates is back in a moment.
      if (held.kind !== 'absent' || !patient) return undefined
      continue
    }
    const before = fs.fstatSync(held.fd, { bigint: true })
    const base = readBase(tree, at)
    const isThis = base !== undefined && base.stat.ino === Number(before.ino) && base.stat.dev === Number(before.dev)
    if (!isThis || (patient && (changedJustNow(before) || !isWhole(base.bytes)))) {
      base?.release()
      fs.closeSync(held.fd)
      continue
    }
    const wanted = change(base.bytes)
    if (wanted === undefined) {
      base.release()
      fs.closeSync(held.fd)
      return undefined
    }
    // Windows replaces no file that is open; what is written to the old one is kept by the workspace.
    const fd = platform.replacesOpenFiles ? held.fd : undefined
    if (fd === undefined) fs.closeSync(held.fd)
    try {
      const { displaced } = await tree.write(at, wanted, base, { readOnly: 'left so' })
      if (fd !== undefined) scratch.forgetOwnDisplaced()
      await scratch.finish()
      if (displaced !== undefined && !discardDisplaced(displaced, base, fd)) onSaved(displaced)
      return { bytes: wanted, late: new LateWriter(fd, before) }
    } catch (error) {
      if (fd !== undefined) fs.closeSync(fd)
      if (!(error instanceof ProblemError) || error.problem.kind !== 'changed-meanwhile') throw error
      if (error.problem.saved !== undefined) onSaved(error.problem.saved)
    }
  }
}

/** Undefined when the file went in this moment. */
function readBase(tree: DiskTree, at: Location): DiskBase | undefined {
  try {
    return tree.read(at, Infinity)
  } catch (error) {
    if (error instanceof ProblemError) return undefined
    throw error
  }
}

/** An editor had the file open, and the workspace kept it. Holding it open is enough, and so is a text that is known. */
function discardDisplaced(displaced: string, base: DiskBase, fd: number | undefined): boolean {
  const isHeld = fd !== undefined && fs.statSync(displaced).ino === base.stat.ino
  if (!isHeld && base.readChangedAt(displaced) !== undefined) return false
  fs.rmSync(displaced, { force: true })
  return true
}

/** Holds a replaced file open, because an editor may still write to it. */
export class LateWriter {
  #fd: number | undefined
  #stat: fs.BigIntStats

  constructor(fd: number | undefined, stat: fs.BigIntStats) {
    this.#fd = fd
    this.#stat = stat
  }

  /** What was written to it since; undefined when nothing was. */
  text(): Buffer | undefined {
    if (this.#fd === undefined) return undefined
    const now = fs.fstatSync(this.#fd, { bigint: true })
    if (now.size === this.#stat.size && now.mtimeNs === this.#stat.mtimeNs) return undefined
    this.#stat = now
    const bytes = Buffer.alloc(Number(now.size))
    return bytes.subarray(0, fs.readSync(this.#fd, bytes, 0, bytes.length, 0))
  }

  close(): void {
    if (this.#fd !== undefined) fs.closeSync(this.#fd)
    this.#fd = undefined
  }
}

/** How long to wait for a program that is writing. */
const patienceMs = 2000

/** File times have a coarse resolution: a second write within one tick would not be noticed. */
const changedJustNow = ({ mtimeMs }: fs.BigIntStats): boolean => Math.abs(Date.now() - Number(mtimeMs)) < 20

function openWatched(file: string): { fd: number } | (WatchedState & { kind: 'absent' | 'odd' }) {
  // On Windows some are missing, which counts as 0.
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants
  let fd: number
  try {
    // It held no link at the start; code that was run may have put one there.
    if (fs.realpathSync(path.dirname(file)) !== path.dirname(file))
      return { kind: 'odd', why: 'its path contains a symbolic link' }
    fd = fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'absent' }
    return { kind: 'odd', why: code === 'ELOOP' ? 'it is a symbolic link' : `it cannot be read (${code})` }
  }
  const stat = fs.fstatSync(fd)
  if (stat.isFile()) return { fd }
  fs.closeSync(fd)
  return { kind: 'odd', why: stat.isDirectory() ? 'it is a directory' : 'it is not a regular file' }
}

function isSameVersion(a: fs.BigIntStats, b: fs.BigIntStats): boolean {
  return a.dev === b.dev && a.ino === b.ino && a.size === b.size && a.mtimeNs === b.mtimeNs
}

/**
 * Reports every change at a path: written in place, renamed over, deleted, created again. The directory is watched,
 * because an editor may replace the file; slow polling finds what the system did not report.
 */
export function watchPath(file: string, onChange: () => void, lookEveryMs = 2000): () => void {
  const dir = path.dirname(file)
  const name = path.basename(file)
  let watcher: fs.FSWatcher | undefined
  let watched = ''
  let last = signOf(file)

  const open = (): void => {
    close()
    watched = signOf(dir, 'identity')
    if (watched === '') return
    try {
      watcher = fs.watch(dir, (_, changed) => {
        if (changed === null || changed === name) onChange()
      })
      watcher.on('error', close)
    } catch {
      // Too many watches, or none supported here: the file is polled instead.
      watcher = undefined
    }
  }
  const close = (): void => {
    watcher?.close()
    watcher = undefined
  }

  open()
  const timer = setInterval(() => {
    if (signOf(dir, 'identity') !== watched || watcher === undefined) open()
    const now = signOf(file)
    if (now === last) return
    last = now
    onChange()
  }, lookEveryMs)
  return () => {
    clearInterval(timer)
    close()
  }
}

function signOf(file: string, what: 'content' | 'identity' = 'content'): string {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false, bigint: true })
  if (stat === undefined) return ''
  const identity = `${stat.dev}:${stat.ino}`
  return what === 'identity' ? identity : `${identity}:${stat.size}:${stat.mtimeNs}`
}
