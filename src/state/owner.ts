import fs from 'node:fs'
import os from 'node:os'
import { hasCode, platform } from '../core/platform.ts'

/** A process, distinct from a later one with the same number. */
export interface Owner {
  readonly pid: number
  /** When it began, as the kernel counts; empty where the kernel does not say. */
  readonly started: string
  readonly host: string
  readonly command: string
  readonly time: string
}

export const ownOwner = (): Owner => ({
  pid: process.pid,
  started: startOf(process.pid) ?? '',
  host: os.hostname(),
  command: ['clada', ...process.argv.slice(2)].join(' ').slice(0, 200),
  time: new Date().toISOString(),
})

/** Whether the process is still there. One on another machine counts as alive: that cannot be checked here. */
export function isAlive({ pid, started, host }: Owner): boolean {
  if (host !== '' && host !== os.hostname()) return true
  try {
    process.kill(pid, 0)
  } catch (error) {
    // A process of another user cannot be signalled, but it is there.
    if (!hasCode(error, 'EPERM')) return false
  }
  const now = startOf(pid)
  // A zombie: in a container often no process collects it.
  if (now === 'ended') return false
  return now === undefined || started === '' || now === started
}

export function ownerFrom(value: unknown): Owner | undefined {
  if (typeof value !== 'object' || value === null || !('pid' in value) || typeof value.pid !== 'number')
    return undefined
  const text = (name: 'started' | 'host' | 'command' | 'time'): string => {
    const found: unknown = Reflect.get(value, name)
    return typeof found === 'string' ? found : ''
  }
  return {
    pid: value.pid,
    started: text('started'),
    host: text('host'),
    command: text('command'),
    time: text('time'),
  }
}

function startOf(pid: number): string | undefined {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name in parentheses may contain spaces; after it the first field is the state, the 20th the start time.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return /^[ZX]$/.test(fields[0] ?? '') ? 'ended' : fields[19]
  } catch {
    return undefined
  }
}

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
