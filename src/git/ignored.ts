import fs from 'node:fs'
import path from 'node:path'
import { passedOver } from '../core/paths.ts'
import type { Inspected } from '../core/recorder.ts'
import { namesIn } from './git-program.ts'
import type { IsolatedGit } from './isolated-git.ts'
import { isClosed } from './savable.ts'

/** How much of what git ignores is kept while a program runs. Enough for settings, logs and small build output. */
export const ignoredLimits = { files: 2000, bytes: 32 * 1024 * 1024, fileBytes: 1024 * 1024 } as const

/** What was at a path that git ignores; undefined when unknown. */
export type IgnoredBefore = (name: string) => Inspected | undefined

/**
 * Reads the files that git ignores, before a program runs: they are no business of the repository's objects, so they
 * wait in memory. Not packages and caches, not what is closed, and no more than the limits say.
 */
export async function readIgnored(
  isolated: IsolatedGit,
  { top, root, closed }: { top: string; root: string; closed: (relative: string) => boolean },
): Promise<IgnoredBefore> {
  const { out } = await isolated.git(['ls-files', '-o', '-i', '--exclude-standard', '--directory', '-z'])
  const pending = namesIn(out).reverse()
  const isLeftOut = (name: string): boolean =>
    isClosed(path.relative(root, path.join(top, name)).split(path.sep).join('/'), closed) ||
    name.split('/').some((part) => passedOver.has(part))
  const known = new Map<string, Inspected>()
  /** Files that are there and were not read. */
  const unread = new Set<string>()
  let whole = true
  let bytes = 0
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    const plain = name.replace(/\/$/, '')
    const absolute = path.join(top, plain)
    if (isLeftOut(plain)) continue
    const stat = fs.lstatSync(absolute, { throwIfNoEntry: false })
    if (stat?.isDirectory()) {
      pending.push(...childrenOf(absolute).map((child) => `${plain}/${child}`))
      continue
    }
    if (known.size + unread.size >= ignoredLimits.files) {
      whole = false
      break
    }
    if (stat?.isSymbolicLink()) known.set(plain, { type: 'symlink', target: fs.readlinkSync(absolute) })
    else if (stat?.isFile() && stat.size <= ignoredLimits.fileBytes && bytes + stat.size <= ignoredLimits.bytes) {
      bytes += stat.size
      const read = bytesOf(absolute)
      if (read === undefined) unread.add(plain)
      else known.set(plain, { type: 'file', mode: stat.mode & 0o7777, bytes: read })
    } else if (stat !== undefined) unread.add(plain)
  }
  return (name) => {
    // What was not looked at may well have been there.
    const isGone = whole && !unread.has(name) && !isLeftOut(name)
    return known.get(name) ?? (isGone ? { type: 'absent' } : undefined)
  }
}

function childrenOf(dir: string): string[] {
  try {
    return fs.readdirSync(dir).sort().reverse()
  } catch {
    return []
  }
}

function bytesOf(file: string): Buffer | undefined {
  try {
    const fd = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK)
    try {
      return fs.readFileSync(fd)
    } finally {
      fs.closeSync(fd)
    }
  } catch {
    return undefined
  }
}
