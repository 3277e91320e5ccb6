import fs from 'node:fs'
import os from 'node:os'
import { hasCode } from '../core/platform.ts'

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
