import fs from 'node:fs'
import path from 'node:path'
import { renameFile } from '../state/own-files.ts'
import { platform } from '../core/platform.ts'
import { exchange, startExchanging } from '../workspace/exchange.ts'

/** What is at a path that may be anything, at any moment. */
export type Look =
  | { readonly kind: 'absent' }
  | { readonly kind: 'odd'; readonly why: string }
  | { readonly kind: 'large'; readonly size: number }
  | { readonly kind: 'file'; readonly bytes: Buffer }

/** Reads a file that others write to. Undefined when it changed while it was read. */
export function lookAt(file: string, limit: number): Look | undefined {
  const held = open(file)
  if ('kind' in held) return held
  try {
    const before = fs.fstatSync(held.fd, { bigint: true })
    if (before.size > limit) return { kind: 'large', size: Number(before.size) }
    const bytes = fs.readFileSync(held.fd)
    return isSame(before, fs.fstatSync(held.fd, { bigint: true })) ? { kind: 'file', bytes } : undefined
  } finally {
    fs.closeSync(held.fd)
  }
}

/** The result of rewriting. `late` detects later writes to the replaced file. */
export interface Rewritten {
  readonly bytes: Buffer
  readonly late: LateWriter
}

/**
 * Replaces a file by what `change` makes of it, in one step, and only while it is still what was read; otherwise
 * everything is done again with what is there by then. Undefined when there is no file, or no change is wanted.
 */
export async function rewrite(
  file: string,
  change: (bytes: Buffer) => Buffer | undefined,
  isWhole: (bytes: Buffer) => boolean = () => true,
): Promise<Rewritten | undefined> {
  const until = performance.now() + patienceMs
  for (;;) {
    const patient = performance.now() < until
    const held = open(file)
    if ('kind' in held) {
      // An editor that deletes and creates is back in a moment.
      if (held.kind !== 'absent' || !patient) return undefined
      await pause()
      continue
    }
    const { fd } = held
    const before = fs.fstatSync(fd, { bigint: true })
    const bytes = fs.readFileSync(fd)
    if (patient && (isFresh(before) || !isWhole(bytes))) {
      fs.closeSync(fd)
      await pause()
      continue
    }
    const wanted = change(bytes)
    if (wanted === undefined) {
      fs.closeSync(fd)
      return undefined
    }
    const temp = writeBeside(file, wanted, before)
    await startExchanging()
    const isThere = isSame(before, fs.lstatSync(file, { bigint: true, throwIfNoEntry: false }))
    const when = patient ? 'unless open' : 'also open'
    const answer = isThere ? exchange(temp, file, fs.fstatSync(fd), when) : 'changed'
    if (answer === 'unable') return { bytes: wanted, late: new LateWriter(replaced(file, temp, fd), before) }
    fs.rmSync(temp, { force: true })
    if (answer !== 'changed' && (answer !== 'open' || !patient))
      return { bytes: wanted, late: new LateWriter(fd, before) }
    fs.closeSync(fd)
    await pause()
  }
}

/** Puts `temp` in the place of a file that is open as `fd`; returns a descriptor of the replaced file. */
function replaced(file: string, temp: string, fd: number): number | undefined {
  if (platform.replacesOpenFiles) {
    renameFile(temp, file)
    return fd
  }
  fs.closeSync(fd)
  const old = `${temp}.old`
  try {
    fs.linkSync(file, old)
  } catch {
    // A file system without links: what an editor writes in this very moment is lost.
    renameFile(temp, file)
    return undefined
  }
  renameFile(temp, file)
  const held = fs.openSync(old, 'r')
  fs.rmSync(old, { force: true })
  return held
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
const isFresh = ({ mtimeMs }: fs.BigIntStats): boolean => Math.abs(Date.now() - Number(mtimeMs)) < 20

const pause = (): Promise<void> => new Promise((done) => setTimeout(done, 10))

function open(file: string): { fd: number } | (Look & { kind: 'absent' | 'odd' }) {
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

function writeBeside(file: string, bytes: Buffer, { mode, uid, gid }: fs.BigIntStats): string {
  const temp = path.join(path.dirname(file), `.${path.basename(file)}.${Math.random().toString(36).slice(2)}.tmp`)
  const fd = fs.openSync(temp, 'wx', Number(mode) & 0o777)
  try {
    fs.writeFileSync(fd, bytes)
    fs.fchmodSync(fd, Number(mode) & 0o7777)
    const own = fs.fstatSync(fd)
    if (own.uid !== Number(uid) || own.gid !== Number(gid)) giveTo(fd, Number(uid), Number(gid))
    fs.fsyncSync(fd)
  } catch (error) {
    fs.rmSync(temp, { force: true })
    throw error
  } finally {
    fs.closeSync(fd)
  }
  return temp
}

function giveTo(fd: number, uid: number, gid: number): void {
  try {
    fs.fchownSync(fd, uid, gid)
  } catch {
    // Only root can change the owner, and the text matters more.
  }
}

function isSame(a: fs.BigIntStats, b: fs.BigIntStats | undefined): boolean {
  return a.dev === b?.dev && a.ino === b.ino && a.size === b.size && a.mtimeNs === b.mtimeNs
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
