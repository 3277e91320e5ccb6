import fs from 'node:fs'

/**
 * Whether somebody else's program is at the other end of a connection from this machine. The address with its token
 * stands in a process list for a moment, where others can read it. Linux tells whose a connection is; elsewhere, and
 * where it does not say, nobody is accused.
 */
export function isStranger(peerPort: number, ownPort: number): boolean {
  const me = process.getuid?.()
  if (process.platform !== 'linux' || me === undefined) return false
  const owner = ownerIn(readTable(), peerPort, ownPort)
  return owner !== undefined && owner !== me && owner !== 0
}

/** The user id in a line of /proc/net/tcp, by its two ports on 127.0.0.1. */
export function ownerIn(table: string, peerPort: number, ownPort: number): number | undefined {
  const end = (port: number): string => `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`
  for (const line of table.split('\n')) {
    const [, local, remote, , , , , uid] = line.trim().split(/\s+/)
    if (local === end(peerPort) && remote === end(ownPort)) return Number(uid)
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
