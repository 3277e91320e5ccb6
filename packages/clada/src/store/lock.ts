import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { now } from '../core/time-limit.ts'
import { digestOf } from '../core/digest.ts'
import { withSlashes } from '../core/paths.ts'
import { ProblemError } from '../core/problem.ts'
import { hasCode, isOsError } from '../core/errors.ts'
import type { HistorySettings, OnLockWait } from '../core/settings.ts'
import { commonDirAround } from '../state/git-dirs.ts'
import {
  isAlive,
  jsonOf,
  type Owner,
  ownerFrom,
  ownOwner,
  readOwn,
  removeFile,
  renameFile,
} from '../state/own-files.ts'
import { isPrivate, makePrivateDir, stateHome, temporaryHome } from '../state/user-state.ts'
import { pause } from '../core/pause.ts'

/**
 * The lock of a repository: an execution waits for it before its first read that matters, so that it sees the changes of
 * those before it. All processes, objects, directories and worktrees of one repository share it. It is in the user's
 * state directory, because an execution that changes nothing leaves nothing in the project.
 */
export async function lockProject(
  { lockFile, lockMs, onLockWait }: HistorySettings,
  root: string,
): Promise<() => void> {
  if (lockFile !== null) return takeLock(lockFile, lockMs, { place: 'named', onWait: onLockWait })
  const file = lockFileOf(root)
  return file === undefined ? () => {} : takeLock(file, lockMs, { onWait: onLockWait })
}

/** Undefined if no directory of the user's can be written to. */
export function lockFileOf(root: string): string | undefined {
  for (const parent of [stateHome, temporaryHome]) {
    try {
      const home = parent()
      const isThere = fs.lstatSync(home, { throwIfNoEntry: false }) !== undefined
      if (parent === temporaryHome && isThere && !isPrivate(home)) continue
      const dir = path.join(home, 'locks')
      makePrivateDir(dir)
      fs.accessSync(dir, fs.constants.W_OK)
      return path.join(dir, digestOf(commonDirAround(root) ?? root))
    } catch (error) {
      if (!isOsError(error)) throw error
    }
  }
  return undefined
}

/** A lock in clada's own directory is clada's. A lock file that the user names may be any file. */
type LockPlace = 'own' | 'named'

/**
 * Takes a lock. The lock is a file that names its holder; it is created complete, by a link, which never replaces a file.
 * The claims of those who wait are beside it, and the oldest is first. `waitMs` is the time that one holder may take:
 * a queue that moves is waited for, and time in which the machine is too busy to wake this process is not counted.
 *
 * The lock of a dead owner is taken over by the process that first creates the claim for that very lock. The lock is
 * checked again before it is replaced: a claim that comes too late finds another owner.
 */
export async function takeLock(
  file: string,
  waitMs: number,
  { place = 'own', onWait }: { readonly place?: LockPlace; readonly onWait?: OnLockWait | undefined } = {},
): Promise<() => void> {
  const nonce = claimName()
  const own = `${file}.${nonce}`
  let waited = 0
  let before: string | undefined
  let told = false
  try {
    writeClaim(own, nonce, file)
    for (;;) {
      const { earlier, ahead } = placeInQueue(file, nonce)
      if (earlier === undefined && linked(own, file)) break
      const holder = holderOf(file, place) ?? earlier
      if (holder === undefined) continue
      if (!holder.alive && takenOver(file, own, holder.nonce)) {
        // If a claimant died too, two may have claimed it; the last one holds it.
        await pause(20)
        if (holderOf(file)?.nonce === nonce) break
        continue
      }
      if (holder.nonce !== before) waited = 0
      before = holder.nonce
      if (waited >= waitMs) throw lockedError(file, holder, waited)
      if (waited >= noticedMs && !told) {
        told = true
        onWait?.(holder.owner && { pid: holder.owner.pid, command: holder.owner.command })
      }
      // Only the first one has to be quick: many that look often would slow the holder down.
      const wait = Math.min(ahead === 0 ? 2 : 15 * ahead, 100, waitMs)
      // Reading the holder costs more than a look whether there is one.
      for (let looks = 0; looks < 8 && looks * wait < 100 && waited < waitMs; looks++) {
        const begun = now()
        await pause(wait)
        waited += Math.min(now() - begun, 2 * wait)
        if (!fs.existsSync(file)) break
      }
    }
  } finally {
    removeFile(own)
  }
  sweepClaims(file, place)
  return () => release(file, nonce)
}

/** A person notices a wait of this length. */
const noticedMs = 300

/** How many wait longer than the caller, and the first of them. Claims of dead processes are removed. */
function placeInQueue(file: string, nonce: string): { readonly earlier: Holder | undefined; readonly ahead: number } {
  const prefix = `${path.basename(file)}.`
  const dir = path.dirname(file)
  const names = fs.readdirSync(dir).filter((name) => name.startsWith(prefix))
  const claims = names.map((name) => name.slice(prefix.length)).filter((claim) => claim < nonce && isClaimName(claim))
  for (const [at, claim] of claims.sort().entries()) {
    const earlier = holderOf(path.join(dir, prefix + claim))
    if (earlier?.alive) return { earlier, ahead: claims.length - at }
    if (earlier !== undefined) removeFile(path.join(dir, prefix + claim))
  }
  return { earlier: undefined, ahead: 0 }
}

function writeClaim(own: string, nonce: string, file: string): void {
  try {
    fs.writeFileSync(own, JSON.stringify({ ...ownOwner(), nonce }), { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if (!isOsError(error)) throw error
    throw new ProblemError({ kind: 'os', code: error.code, op: 'lock', path: file, message: error.message })
  }
}

function lockedError(lock: string, { owner }: Holder, waited: number): ProblemError {
  const waitedMs = Math.round(waited)
  if (owner === undefined) return new ProblemError({ kind: 'locked', lock: withSlashes(lock), waitedMs })
  const { pid, command, time, host } = owner
  const elsewhere = host === '' || host === os.hostname() ? {} : { host }
  return new ProblemError({
    kind: 'locked',
    lock: withSlashes(lock),
    waitedMs,
    holder: { pid, command, since: time, ...elsewhere },
  })
}

interface Holder {
  /** Undefined when the lock does not name one. */
  readonly owner: Owner | undefined
  readonly nonce: string
  readonly alive: boolean
}

/** The holder of a lock; undefined when it was just released. */
function holderOf(file: string, place: LockPlace = 'own'): Holder | undefined {
  const text = readOwn(file)
  if (text === undefined) {
    const there = fs.lstatSync(file, { throwIfNoEntry: false })
    if (there === undefined || there.isFile()) return undefined
    const type = there.isSymbolicLink() ? 'link' : there.isDirectory() ? 'directory' : 'special file'
    throw new ProblemError({ kind: 'not-regular', path: file, type, op: 'lock' })
  }
  const found = jsonOf(text)
  const owner = ownerFrom(found)
  if (owner === undefined && place === 'named' && !isBlankLock(text))
    throw new ProblemError({ kind: 'not-a-lock', path: file })
  const nonce = typeof found === 'object' && found !== null && 'nonce' in found ? String(found.nonce) : noNonce
  return {
    owner,
    nonce: /^[0-9a-z]+$/.test(nonce) ? nonce : noNonce,
    // A lock without an owner is being written, or was left by a power failure.
    get alive() {
      return owner === undefined ? isFresh(file) : isAlive(owner)
    },
  }
}

/** For a lock without a nonce. */
const noNonce = 'unknown'

const isBlankLock = (text: string): boolean => /^[\s\0]*$/.test(text)

function isFresh(file: string): boolean {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false })
  return stat !== undefined && Math.abs(Date.now() - stat.mtimeMs) < 5000
}

/**
 * Removes claims that dead processes left beside the lock. The user's own files may have names that start like the
 * lock's, so only files that are claims by name and by content are removed.
 */
function sweepClaims(file: string, place: LockPlace): void {
  const dir = path.dirname(file)
  for (const name of fs.readdirSync(dir)) {
    if (!name.startsWith(path.basename(file)) || name === path.basename(file)) continue
    if (!/^\.(after-)?[0-9a-z]+(\.lock)?$/.test(name.slice(path.basename(file).length))) continue
    const claim = path.join(dir, name)
    if (!fs.lstatSync(claim, { throwIfNoEntry: false })?.isFile()) continue
    const claimant = holderOf(claim)
    const isClaim = place === 'own' || (claimant?.owner !== undefined && claimant.nonce !== noNonce)
    if (isClaim && claimant?.alive === false) removeFile(claim)
  }
}

function takenOver(file: string, own: string, dead: string): boolean {
  const claim = `${file}.after-${dead}`
  if (!linked(own, claim)) {
    const claimant = holderOf(claim)
    // The claimant may have died too; the next round then claims the lock again.
    if (claimant?.alive === false) removeFile(claim)
    return false
  }
  try {
    if (holderOf(file)?.nonce !== dead) return false
    const mine = `${own}.lock`
    fs.linkSync(own, mine)
    renameFile(mine, file)
    return true
  } finally {
    removeFile(claim)
  }
}

function release(file: string, nonce: string): void {
  if (holderOf(file)?.nonce === nonce) removeFile(file)
}

function linked(from: string, to: string): boolean {
  try {
    fs.linkSync(from, to)
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    // This file system has no hard links: an exclusive copy is nearly as good.
    if (!hasCode(error, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS')) throw error
  }
  try {
    fs.copyFileSync(from, to, fs.constants.COPYFILE_EXCL)
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  }
}

/** In the order of time: the clock counts from the start of the machine, for all processes. */
const claimName = (): string =>
  process.hrtime.bigint().toString(36).padStart(13, '0') + Math.random().toString(36).slice(2, 12).padEnd(10, '0')

const isClaimName = (text: string): boolean => /^[0-9a-z]{23}$/.test(text)
