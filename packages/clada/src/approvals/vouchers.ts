import fs from 'node:fs'
import path from 'node:path'
import { SettingsError } from '../core/settings.ts'
import { keepForUser, rootName, stateHome, userStateDir } from '../state/user-state.ts'
import { putFile } from '../state/own-files.ts'
import { makeFilesDir } from '../state/project-files.ts'
import { isRecord } from '@clada/reply/core/is-record.ts'
import { stateName } from '../core/reserved-names.ts'

/**
 * What this user vouches for, in a place that neither a repository nor a model can write to: a command as it was typed,
 * with its directory.
 */
export interface Voucher {
  readonly command: string
  /** Of a wide approval: the digest of the files that could decide what it runs. Null for the words alone. */
  readonly digest: string | null
  readonly network: boolean
  /** Denied files that it may read, relative to the root. */
  readonly reads?: readonly string[]
  /** Names of variables of the user's environment that it sees besides the harmless ones. */
  readonly env?: readonly string[]
  /** A longer time limit than commands have. */
  readonly timeoutMs?: number
  readonly added: string
}

/** In the files of the first version the network was not asked about; the second knew what some tools run. */
const version = 3

export function readVouchers(root: string): Voucher[] {
  const file = vouchersFile(root)
  if (file === undefined) return []
  try {
    const value: unknown = JSON.parse(fs.readFileSync(file, 'utf8'))
    if (!isRecord(value) || value['root'] !== root || !Array.isArray(value['vouchers'])) return []
    if (value['version'] === version) return value['vouchers'].filter(isVoucher)
    const asked = value['version'] === 2
    const older = value['vouchers'].map((one: unknown) => (isRecord(one) ? { ...one, digest: null } : one))
    return older.filter(isVoucher).map((one) => ({ ...one, network: asked && one.network }))
  } catch {
    return []
  }
}

function isVoucher(value: unknown): value is Voucher {
  if (!isRecord(value)) return false
  const { command, digest, network, reads, env, timeoutMs, added } = value
  const areNames = (list: unknown): boolean =>
    list === undefined || (Array.isArray(list) && list.every((one) => typeof one === 'string'))
  return (
    typeof command === 'string' &&
    (digest === null || typeof digest === 'string') &&
    typeof network === 'boolean' &&
    areNames(reads) &&
    areNames(env) &&
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

/**
 * `.clada/allowed-commands.json`: what the people of a project have approved, as exact strings. It may be shared, so
 * by itself it counts for nothing; see `vouchers.ts`.
 */
export interface ProjectList {
  readonly commands: readonly string[]
  readonly added: Readonly<Record<string, string>>
}

const empty: ProjectList = { commands: [], added: {} }

export function readProjectList(root: string): ProjectList {
  const file = path.join(root, stateName, 'allowed-commands.json')
  try {
    if (!fs.lstatSync(path.dirname(file)).isDirectory()) return empty
    const stat = fs.lstatSync(file)
    if (!stat.isFile() || stat.size > 1_000_000) return empty
    return projectList(JSON.parse(fs.readFileSync(file, 'utf8')))
  } catch {
    // Not there, or not readable as what it should be: then nothing is approved.
    return empty
  }
}

function projectList(value: unknown): ProjectList {
  if (!isRecord(value) || !Array.isArray(value['commands'])) return empty
  const commands = [...new Set(value['commands'].filter((one) => typeof one === 'string'))]
  const times = isRecord(value['added']) ? Object.entries(value['added']) : []
  const added = times.filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  return { commands, added: Object.fromEntries(added) }
}

export function writeProjectList(root: string, list: ProjectList): void {
  putFile(path.join(makeFilesDir(root), 'allowed-commands.json'), `${JSON.stringify(list, null, 2)}\n`)
}
