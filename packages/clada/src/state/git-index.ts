import fs from 'node:fs'
import path from 'node:path'
import { slashed } from '../core/paths.ts'
import { gitDirNear } from './git-dirs.ts'
import { readOwn, readStats } from './own-files.ts'

/** Whether the repository around a file tracks it, whether or not clada uses that repository. */
export function isTrackedByGit(file: string): boolean {
  const found = gitDirNear(path.dirname(file))
  return found !== undefined && indexLists(found.gitDir, slashed(path.relative(found.top, file)))
}

/** Whether git is about to change the index of the repository around a file: what it has written already is not listed yet. */
export function isIndexLocked(file: string): boolean {
  const found = gitDirNear(path.dirname(file))
  return found !== undefined && readStats(path.join(found.gitDir, 'index.lock')) !== undefined
}

/** Whether an index lists a name. No git runs for it; an index that is no file, or very large, lists nothing. */
export function indexLists(gitDir: string, name: string): boolean {
  const shared = listGitNames(gitDir).filter((one) => one.startsWith('sharedindex.'))
  return ['index', ...shared].some((one) => isListedIn(readIndexFile(path.join(gitDir, one)), name, gitDir))
}

function isListedIn(index: Buffer, name: string, gitDir: string): boolean {
  if (index.length < 12 || index.toString('latin1', 0, 4) !== 'DIRC') return false
  const wanted = Buffer.from(name)
  const isSha256 = /^\s*objectformat\s*=\s*"?sha256/im.test(readOwn(path.join(gitDir, 'config')) ?? '')
  return hasEntry(index, wanted, { version: index.readUInt32BE(4), hash: isSha256 ? 32 : 20 })
}

interface IndexFormat {
  readonly version: number
  readonly hash: number
}

/** The entries in order. In version 4 a name says how much of the end of the one before it drops. */
function hasEntry(index: Buffer, wanted: Buffer, { version, hash }: IndexFormat): boolean {
  const count = index.readUInt32BE(8)
  let before: Buffer = Buffer.alloc(0)
  let at = 12
  for (let nth = 0; nth < count; nth++) {
    const start = at
    at += 40 + hash
    if (at + 4 > index.length) return false
    at += (index.readUInt16BE(at) & extended) === 0 ? 2 : 4
    let kept = 0
    if (version === 4) {
      let byte = index[at++] ?? 0
      let dropped = byte & 0x7f
      while ((byte & 0x80) !== 0) {
        byte = index[at++] ?? 0
        dropped = (dropped + 1) * 128 + (byte & 0x7f)
      }
      kept = Math.max(0, before.length - dropped)
    }
    const end = index.indexOf(0, at)
    if (end === -1) return false
    const own = index.subarray(at, end)
    const name = kept === 0 ? own : Buffer.concat([before.subarray(0, kept), own])
    if (name.equals(wanted)) return true
    before = name
    // Before version 4 entries end at multiples of eight.
    at = version === 4 ? end + 1 : start + (((end - start) & ~7) + 8)
  }
  return false
}

const extended = 0x4000

function readIndexFile(file: string): Buffer {
  const stat = readStats(file)
  return stat?.isFile() === true && stat.size <= largestIndex ? fs.readFileSync(file) : Buffer.alloc(0)
}

const largestIndex = 1 << 28

function listGitNames(dir: string): string[] {
  try {
    return fs.readdirSync(dir)
  } catch {
    return []
  }
}
