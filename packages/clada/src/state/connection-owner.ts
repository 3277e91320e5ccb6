import fs from 'node:fs'
import os from 'node:os'
import { platform } from '../core/platform.ts'

/** A TCP connection as the server has it; a `Socket` of Node is one. */
export interface AcceptedConnection {
  readonly remoteAddress?: string | undefined
  readonly remotePort?: number | undefined
  readonly localAddress?: string | undefined
  readonly localPort?: number | undefined
}

/**
 * Whether the program at the other end may belong to another user of this machine. Linux lists the owner of every
 * connection; one that is not found there counts as another user's. The superuser may come in: relays of containers and
 * of WSL run as root. macOS and Windows list no owners, so there only the secrets of the caller decide.
 */
export function isStranger(connection: AcceptedConnection): boolean {
  const me = process.getuid?.()
  if (!platform.proc || me === undefined) return false
  // A long table is read in pieces while connections come and go, and may miss one that was there all the time.
  for (let attempt = 1; attempt <= 3; attempt++) {
    for (const table of tables) {
      const owners = ownersIn(readTable(table), connection)
      if (owners.length > 0) return owners.some((owner) => owner !== me && owner !== 0)
    }
  }
  return true
}

/**
 * A client with an IPv6 socket can reach an IPv4 server by a mapped address; its end is then in the second table. A
 * connection is in one of them only, and the kernel takes long for each: up to 0.1 s, during which nothing else is served.
 */
const tables = ['/proc/net/tcp', '/proc/net/tcp6']

/** The user ids of the other end. A connection that its owner has closed has no inode any more and 0 as its user id. */
export function ownersIn(table: string, connection: AcceptedConnection): (number | 'closed')[] {
  const there = socketEnd(connection.remoteAddress, connection.remotePort)
  const here = socketEnd(connection.localAddress, connection.localPort)
  if (there === undefined || here === undefined) return []
  return table.split('\n').flatMap((line) => {
    const [, local = '', remote = '', , , , , uid = '', , inode] = line.trim().split(/\s+/)
    if (listedEnd(local) !== there || listedEnd(remote) !== here) return []
    return [inode === '0' || !/^\d+$/.test(uid) ? 'closed' : Number(uid)]
  })
}

/** One end of a connection within this machine, spelled as `listedEnd` spells it; undefined for any other address. */
function socketEnd(address: string | undefined, port: number | undefined): string | undefined {
  if (address === undefined || port === undefined) return undefined
  if (address === '::1') return `${'0'.repeat(31)}1:${port}`
  const bytes = /^(?:::ffff:)?(127)\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/i.exec(address)?.slice(1)
  if (bytes === undefined) return undefined
  return `${mapped}${bytes.map((byte) => Number(byte).toString(16).padStart(2, '0')).join('')}:${port}`
}

const mapped = `${'0'.repeat(20)}ffff`

/** `0100007F:1F90` of the table: words of 32 bits, each in the byte order of the machine. */
function listedEnd(listed: string): string {
  const [address = '', port = ''] = listed.toLowerCase().split(':')
  const words = address.match(/.{8}/g) ?? []
  const bytes = words.map((word) => (os.endianness() === 'LE' ? (word.match(/../g) ?? []).toReversed().join('') : word))
  return `${words.length === 1 ? mapped : ''}${bytes.join('')}:${Number.parseInt(port, 16)}`
}

function readTable(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
