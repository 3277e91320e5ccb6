import path from 'node:path'
import { pathFrom } from '../core/paths.ts'
import { Stop } from '../core/problem.ts'
import type { WorkingEntry } from '../core/action.ts'
import { putFile, readOwn } from '../state/own-files.ts'
import { renameFile } from '../state/patient-rename.ts'

/** The file of the working set, in clada's own directory. */
export const contextFile = 'context.json'

/** Paths are stored as `pathFrom` makes them, so that the project can be moved. */
export function readEntries(file: string, root: string): WorkingEntry[] {
  const text = readOwn(file)
  if (text === undefined) return []
  return entriesIn(text, file).map(({ path: kept, added }) => ({ path: absoluteOf(kept, root), added }))
}

export function writeEntries(file: string, root: string, entries: readonly WorkingEntry[]): void {
  const kept = entries.map(({ path: absolute, added }) => ({ path: pathFrom(root, absolute), added }))
  putFile(file, `${JSON.stringify({ version, entries: kept }, null, 2)}\n`)
}

/** Renames a file in its directory, and returns the new name. */
export function putAside(file: string): string {
  const aside = `${file}.${new Date().toISOString().replace(/[:.]/g, '-')}.broken`
  renameFile(file, aside)
  return aside
}

const version = 1

function entriesIn(text: string, file: string): WorkingEntry[] {
  const broken = (reason: string): Stop => new Stop({ kind: 'context-broken', file, reason })
  let found: unknown
  try {
    found = JSON.parse(text)
  } catch (error) {
    throw broken(error instanceof Error ? error.message : String(error))
  }
  if (!isRecord(found) || !Array.isArray(found['entries'])) throw broken('it has no list of entries')
  if (found['version'] !== version) throw broken(`its version is ${JSON.stringify(found['version'])}, not ${version}`)
  const { entries } = found
  if (!entries.every(isEntry)) throw broken('an entry has no path, no time, or a path with a line break')
  return entries
}

/** A line break in a path would make one entry look like two. */
function isEntry(value: unknown): value is WorkingEntry {
  if (!isRecord(value) || typeof value['path'] !== 'string' || typeof value['added'] !== 'string') return false
  return !/[\r\n]/.test(value['path'])
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Only the part before `@@` is a path: the rest names structures and may contain slashes. */
function absoluteOf(kept: string, root: string): string {
  const [file = '', ...levels] = kept.split('@@')
  return [path.resolve(root, file), ...levels].join('@@')
}
