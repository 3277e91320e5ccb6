import fs from 'node:fs'
import path from 'node:path'
import { putFile, writeIgnoreFile } from '../state/own-files.ts'

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
  const file = path.join(root, '.clada', 'allowed-commands.json')
  try {
    if (!fs.lstatSync(path.dirname(file)).isDirectory()) return empty
    const stat = fs.lstatSync(file)
    if (!stat.isFile() || stat.size > 1_000_000) return empty
    return listIn(JSON.parse(fs.readFileSync(file, 'utf8')))
  } catch {
    // Not there, or not readable as what it should be: then nothing is approved.
    return empty
  }
}

function listIn(value: unknown): ProjectList {
  if (!isRecord(value) || !Array.isArray(value['commands'])) return empty
  const commands = [...new Set(value['commands'].filter((one) => typeof one === 'string'))]
  const times = isRecord(value['added']) ? Object.entries(value['added']) : []
  const added = times.filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  return { commands, added: Object.fromEntries(added) }
}

export function writeProjectList(root: string, list: ProjectList): void {
  const dir = path.join(root, '.clada')
  fs.mkdirSync(dir, { recursive: true })
  // A link here could lead anywhere; a repository may have brought it along.
  if (!fs.lstatSync(dir).isDirectory()) throw new Error(`'${dir}' is not a directory`)
  if (!fs.existsSync(path.join(dir, '.gitignore'))) writeIgnoreFile(dir)
  putFile(path.join(dir, 'allowed-commands.json'), `${JSON.stringify(list, null, 2)}\n`)
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
