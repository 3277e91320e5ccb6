import fs from 'node:fs'
import path from 'node:path'
import { now } from '../core/clock.ts'
import { Stop } from '../core/problem.ts'
import { hasCode } from '../core/os-error.ts'
import { jsonOf, readOwn } from '../state/own-files.ts'
import { isAlive, type Owner, ownerFrom, ownOwner } from '../state/owner.ts'

/**
 * Keeps two executions apart. The lock is a file that says who holds it; it takes its name by a link, which never
 * displaces, with its content already inside.
 *
 * The lock of a dead owner is taken over by whoever first makes the claim that belongs to that very lock. The claim
 * is checked against the lock once more before the lock is replaced: a claim made too late finds another owner there.
 */
export async function takeLock(file: string, waitMs: number): Promise<() => void> {
  const nonce = randomName()
  const own = `${file}.${nonce}`
  fs.writeFileSync(own, JSON.stringify({ ...ownOwner(), nonce }), { flag: 'wx', mode: 0o600 })
  const begun = now()
  try {
    for (;;) {
      if (linked(own, file)) {
        sweepClaims(file)
        return () => release(file, nonce)
      }
      const holder = holderOf(file)
      if (holder === undefined) continue
      if (!isAlive(holder.owner) && takenOver(file, own, holder.nonce)) {
        // Two may have claimed it when a claimant died as well; the last one has it.
        await pause(20)
        if (holderOf(file)?.nonce === nonce) return () => release(file, nonce)
        continue
      }
      const waited = now() - begun
      if (waited >= waitMs) {
        const { pid, command, time, host } = holder.owner
        throw new Stop({ kind: 'locked', lock: file, pid, host, command, since: time, waitedMs: Math.round(waited) })
      }
      await pause(Math.min(25, waitMs))
    }
  } finally {
    fs.rmSync(own, { force: true })
  }
}

/** Who holds a lock; undefined when it was let go in this moment. */
function holderOf(file: string): { owner: Owner; nonce: string } | undefined {
  const text = readOwn(file)
  if (text === undefined) {
    const there = fs.lstatSync(file, { throwIfNoEntry: false })
    if (there === undefined || there.isFile()) return undefined
    const type = there.isSymbolicLink() ? 'link' : there.isDirectory() ? 'directory' : 'special file'
    throw new Stop({ kind: 'not-regular', path: file, type, op: 'lock' })
  }
  const found = jsonOf(text)
  const owner = ownerFrom(found)
  const nonce = typeof found === 'object' && found !== null && 'nonce' in found ? String(found.nonce) : 'unknown'
  return { owner: owner ?? unknownOwner(file), nonce: /^[0-9a-z]+$/.test(nonce) ? nonce : 'unknown' }
}

/** A lock without a name is being written right now, or was made by something that is not clada. */
function unknownOwner(file: string): Owner {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false })
  const fresh = stat !== undefined && Date.now() - stat.mtimeMs < 5000
  return { ...ownOwner(), command: 'unknown', ...(fresh ? {} : { pid: 0x7fffffff }) }
}

/** Removes what processes that died on the way to the lock have left beside it. */
function sweepClaims(file: string): void {
  const dir = path.dirname(file)
  for (const name of fs.readdirSync(dir)) {
    if (!name.startsWith(`${path.basename(file)}.`)) continue
    const claim = path.join(dir, name)
    const claimant = fs.lstatSync(claim, { throwIfNoEntry: false })?.isFile() ? holderOf(claim) : undefined
    if (claimant !== undefined && !isAlive(claimant.owner)) fs.rmSync(claim, { force: true })
  }
}

function takenOver(file: string, own: string, dead: string): boolean {
  const claim = `${file}.after-${dead}`
  if (!linked(own, claim)) {
    const claimant = holderOf(claim)
    // Whoever claimed it may have died as well; the next round then claims the lock anew.
    if (claimant !== undefined && !isAlive(claimant.owner)) fs.rmSync(claim, { force: true })
    return false
  }
  try {
    if (holderOf(file)?.nonce !== dead) return false
    const mine = `${own}.lock`
    fs.linkSync(own, mine)
    fs.renameSync(mine, file)
    return true
  } finally {
    fs.rmSync(claim, { force: true })
  }
}

function release(file: string, nonce: string): void {
  if (holderOf(file)?.nonce === nonce) fs.rmSync(file, { force: true })
}

function linked(from: string, to: string): boolean {
  try {
    fs.linkSync(from, to)
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    // No hard links here: an exclusive copy is nearly as good.
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

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms))

const randomName = (): string => Math.random().toString(36).slice(2, 12).padEnd(10, '0')
