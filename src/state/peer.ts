import fs from 'node:fs'
import { platform } from '../core/platform.ts'

/**
 * Whether a program of another user is at the other end of a connection from this machine. The address with its token
 * is in a process list for a moment, where others can read it, and the cookie goes to every server of this machine
 * that the browser visits. Linux says who owns a connection; elsewhere, and where it does not, the connection is accepted.
 */
export function isStranger(peerPort: number, ownPort: number): boolean {
  const me = process.getuid?.()
  if (!platform.proc || me === undefined) return false
  const owner = ownerIn(readTable(), peerPort, ownPort)
  return owner !== undefined && owner !== me && owner !== 0
}

/**
 * The user id in a line of /proc/net/tcp, by its two ports on 127.0.0.1. A connection that its owner has closed has no
 * inode any more, and then 0 in place of the user id.
 */
export function ownerIn(table: string, peerPort: number, ownPort: number): number | 'closed' | undefined {
  const end = (port: number): string => `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`
  for (const line of table.split('\n')) {
    const [, local, remote, , , , , uid, , inode] = line.trim().split(/\s+/)
    if (local === end(peerPort) && remote === end(ownPort)) return inode === '0' ? 'closed' : Number(uid)
  }
  return undefined
}

function readTable(): string {
  try {
    return fs.readFileSync('/proc/net/tcp', 'utf8')
  } catch {
    return ''
  }
}
