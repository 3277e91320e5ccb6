import fs from 'node:fs'
import path from 'node:path'
import { pathFrom } from '../core/paths.ts'
import { gitDirsAt } from './git-dirs.ts'
import { readOwn } from './own-files.ts'

/** The last index without any such name, as it was: a run asks several times, and an index can be large. */
let withoutState: string | undefined

/**
 * The files below a directory that are the ones git wrote, by the inode and the time that its index noted: a clone or a
 * pull put them there. Relative to the directory.
 */
export function writtenByGit(dir: string): string[] {
  const found = repositoryAround(path.dirname(dir))
  if (found === undefined) return []
  const index = path.join(found.gitDir, 'index')
  const is = fs.lstatSync(index, { bigint: true, throwIfNoEntry: false })
  if (!is?.isFile()) return []
  const key = [dir, index, is.ino, is.size, is.mtimeNs, is.ctimeNs].join(':')
  if (key === withoutState) return []
  const bytes = fs.readFileSync(index)
  const prefix = `${pathFrom(found.top, dir)}/`
  const entries = bytes.readUInt32BE(4) === 4 ? readShortened(bytes, prefix, found.gitDir) : findWhole(bytes, prefix)
  if (entries.length === 0) withoutState = key
  return entries.flatMap(({ name, starts }) => {
    const stat = fs.lstatSync(path.join(found.top, name), { bigint: true, throwIfNoEntry: false })
    const isSame = stat !== undefined && starts.some((start) => isNoted(bytes, start, stat))
    return isSame ? [name.slice(prefix.length)] : []
  })
}

function repositoryAround(dir: string): { top: string; gitDir: string } | undefined {
  for (let top = dir; ; top = path.dirname(top)) {
    const found = gitDirsAt(top)
    if (found !== undefined) return 'gitDir' in found ? { top, gitDir: found.gitDir } : undefined
    if (top === path.dirname(top)) return undefined
  }
}

/** A name in the index, and where its entry may begin. */
interface Entry {
  readonly name: string
  readonly starts: readonly number[]
}

/** Versions 2 and 3 have names whole, so they are searched for. */
function findWhole(bytes: Buffer, prefix: string): Entry[] {
  const entries: Entry[] = []
  for (let at = bytes.indexOf(prefix); at !== -1; at = bytes.indexOf(prefix, at + 1)) {
    const name = bytes.toString('utf8', at, bytes.indexOf(0, at))
    // Two bytes of flags are before the name and, in newer entries, two more; hashes have one of two lengths.
    entries.push({ name, starts: [62, 64, 74, 76].map((length) => at - length) })
  }
  return entries
}

/** Version 4 has of each name only what differs from the one before it, so all of them are read. */
function readShortened(bytes: Buffer, prefix: string, gitDir: string): Entry[] {
  const hash = /objectformat\s*=\s*sha256/i.test(readOwn(path.join(gitDir, 'config')) ?? '') ? 32 : 20
  const entries: Entry[] = []
  let name = Buffer.alloc(0)
  let at = 12
  for (let left = bytes.readUInt32BE(8); left > 0 && at + 42 + hash < bytes.length; left--) {
    const start = at
    const isExtended = (bytes.readUInt16BE(at + 40 + hash) & 0x4000) !== 0
    at += 42 + hash + (isExtended ? 2 : 0)
    let byte = bytes[at++] ?? 0
    let dropped = byte & 127
    while (byte & 128) {
      byte = bytes[at++] ?? 0
      dropped = (dropped + 1) * 128 + (byte & 127)
    }
    const end = bytes.indexOf(0, at)
    if (end === -1) break
    name = Buffer.concat([name.subarray(0, Math.max(0, name.length - dropped)), bytes.subarray(at, end)])
    at = end + 1
    const text = name.toString()
    if (text.startsWith(prefix)) entries.push({ name: text, starts: [start] })
  }
  return entries
}

/** Times are seconds and nanoseconds; of an inode the lower half is noted. */
function isNoted(index: Buffer, entry: number, { ino, mtimeNs }: fs.BigIntStats): boolean {
  if (entry < 12) return false
  const [seconds, rest, inode] = [8, 12, 20].map((offset) => BigInt(index.readUInt32BE(entry + offset)))
  return (
    seconds === (mtimeNs / 1_000_000_000n) % 2n ** 32n && rest === mtimeNs % 1_000_000_000n && inode === ino % 2n ** 32n
  )
}
