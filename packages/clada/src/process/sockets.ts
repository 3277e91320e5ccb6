import fs from 'node:fs'
import path from 'node:path'
import { isInside } from '../core/paths.ts'
import { platform } from '../core/platform.ts'
import { readStats } from '../state/own-files.ts'
import type { BlockedPath } from './blocked-index.ts'
import { realPathOr } from './programs.ts'

/** What every program in the sandbox sees of the system. */
export const systemDirs: readonly string[] = ['/usr', '/opt', '/nix', '/gnu']

/** Where Nix builds what any user asks for, with the network: made when somebody asks, so that no list has it. */
const nixDaemon = '/nix/var/nix/daemon-socket'

/**
 * Sockets in these directories, behind which a program outside listens. A sandbox without network has none of its own there, and a
 * mount that is read-only keeps nobody from connecting.
 */
export function findSockets(dirs: readonly string[]): BlockedPath[] {
  if (!platform.proc) return []
  const isSeen = (file: string): boolean => dirs.some((dir) => isInside(file, dir))
  const found = listeners()
    .map((file) => path.join(realPathOr(path.dirname(file)), path.basename(file)))
    .filter((file) => isSeen(file) && readStats(file)?.isSocket())
  const daemon = isSeen(nixDaemon) && readStats(nixDaemon)?.isDirectory() ? [nixDaemon] : []
  return [
    ...[...new Set(found)].map((file) => ({ path: file, type: 'file' as const })),
    ...daemon.map((dir) => ({ path: dir, type: 'directory' as const })),
  ].filter(({ path: file, type }) => type === 'directory' || !isInside(file, nixDaemon))
}

/** Every socket of the machine that was given an absolute path. */
function listeners(): string[] {
  try {
    const lines = fs.readFileSync('/proc/net/unix', 'utf8').split('\n')
    return lines.flatMap((line) => /^\S+: \S+ \S+ \S+ \S+ \S+ +\d+ (\/.+)$/.exec(line)?.[1] ?? [])
  } catch {
    return []
  }
}
