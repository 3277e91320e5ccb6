import fs from 'node:fs'
import path from 'node:path'
import { SettingsError } from '../core/settings.ts'
import { stateHome, keepForUser, rootName, userStateDir } from '../state/user-state.ts'
import { isRecord } from './project-list.ts'

/**
 * What this user vouches for, in a place that neither a repository nor a model can write to. A voucher names the
 * command as it is written, with its directory, and what it ran when it was approved.
 */
export interface Voucher {
  readonly command: string
  /** Hash of what it runs; null where that cannot be known, so that it is for whatever this runs. */
  readonly runs: string | null
  readonly network: boolean
  /** Denied files that it may read, relative to the root. */
  readonly reads?: readonly string[]
  /** A longer time limit than commands have. */
  readonly timeoutMs?: number
  readonly added: string
}

/** In the files of the first version the network was not asked about. */
const version = 2

export function readVouchers(root: string): Voucher[] {
  const file = vouchersFile(root)
  if (file === undefined) return []
  try {
    const value: unknown = JSON.parse(fs.readFileSync(file, 'utf8'))
    if (!isRecord(value) || value['root'] !== root || !Array.isArray(value['vouchers'])) return []
    const vouchers = value['vouchers'].filter(isVoucher)
    return value['version'] === version ? vouchers : vouchers.map((one) => ({ ...one, network: false }))
  } catch {
    return []
  }
}

function isVoucher(value: unknown): value is Voucher {
  if (!isRecord(value)) return false
  const { command, runs, network, reads, timeoutMs, added } = value
  return (
    typeof command === 'string' &&
    (runs === null || typeof runs === 'string') &&
    typeof network === 'boolean' &&
    (reads === undefined || (Array.isArray(reads) && reads.every((one) => typeof one === 'string'))) &&
    (timeoutMs === undefined || typeof timeoutMs === 'number') &&
    typeof added === 'string'
  )
}

export function writeVouchers(root: string, vouchers: readonly Voucher[]): void {
  const file = vouchersFile(root)
  if (file === undefined)
    throw new SettingsError(
      `clada cannot remember this: '${stateHome()}' is inside the project, where models can write. Set XDG_STATE_HOME to a directory outside.`,
    )
  keepForUser(file, `${JSON.stringify({ root, version, vouchers }, null, 2)}\n`)
}

function vouchersFile(root: string): string | undefined {
  const state = userStateDir(root)
  return state && path.join(state, 'approvals', `${rootName(root)}.json`)
}
