import path from 'node:path'
import { isOsError, messageOf } from '../core/errors.ts'
import { isRecord } from '@clada/reply/core/is-record.ts'
import { ProblemError } from '../core/problem.ts'
import type { Touching, UpdateEntries, WorkingEntry, WorkingSet } from '../core/action.ts'
import { findProjectFile, makeProjectFiles } from '../state/project-files.ts'
import { findState } from '../state/project-state.ts'
import { lockFileOf, takeLock } from '../store/lock.ts'
import { type ExecutionRecord, numbersIn, readRecord } from '../store/record.ts'
import { pathFrom, withSlashes } from '../core/paths.ts'
import { putFile, readOwn, renameFile } from '../state/own-files.ts'

/** Whose working set it is. */
export interface WorkingSetOwner {
  readonly root: string
  /** Undefined for the working set of the project. */
  readonly session?: string | undefined
}

/** The working set of a run. Staged changes are written by `land`, or never. */
export function openWorkingSet(place: WorkingSetOwner, effect: 'land' | 'together' | 'show'): WorkingSet | StagedSet {
  return effect === 'land' ? setOnDisk(place) : new StagedSet(setOnDisk(place))
}

/** The longest wait for another process that changes the working set. */
const lockMs = 10_000

function setOnDisk({ root, session }: WorkingSetOwner): WorkingSet {
  const there = (): string | undefined => findProjectFile(root, contextFile)
  const locked = async <T>(work: (file: string) => T): Promise<T> => {
    const dir = makeProjectFiles(root)
    try {
      const lock = lockFileOf(root)
      const release = lock === undefined ? () => {} : await takeLock(`${lock}-context`, lockMs)
      try {
        return work(there() ?? path.join(dir, contextFile))
      } finally {
        release()
      }
    } catch (error) {
      // A full disk or a missing permission is reported by the action.
      if (!isOsError(error)) throw error
      throw new ProblemError({ kind: 'os', code: error.code, op: 'write', path: dir, message: error.message })
    }
  }
  const entries = (file: string | undefined): WorkingEntry[] =>
    file === undefined ? [] : readEntries(file, root, session)
  return {
    entries: async () => entries(there()),
    change: async (update) => {
      // No directory is created if nothing changes.
      const before = entries(there())
      if (update(before) === before) return
      await locked((file) => writeEntries(file, root, update(readEntries(file, root, session)), session))
    },
    clear: async () => {
      if (there() === undefined) return undefined
      return locked((file) => {
        const aside = canReadEntries(file, root) ? undefined : putAside(file)
        writeEntries(file, root, [], session)
        return aside
      })
    },
    executions: async (count) => lastExecutions(root, findState(root), count),
  }
}

function canReadEntries(file: string, root: string): boolean {
  try {
    readEntries(file, root)
    return true
  } catch (error) {
    if (error instanceof ProblemError) return false
    throw error
  }
}

function lastExecutions(root: string, stateDir: string | undefined, count: number): Touching[] {
  if (stateDir === undefined) return []
  const history = path.join(stateDir, 'history')
  const records: ExecutionRecord[] = []
  // An execution that died without a record is left out.
  for (const number of numbersIn(history).toReversed()) {
    const record = readRecord(history, number)
    if (record !== undefined && records.unshift(record) === count) break
  }
  return records.map(({ time, paths, actions }) => {
    const named = [...paths.map((one) => one.path), ...actions.map(({ target }) => target.split('@@')[0] ?? '')]
    return { time, paths: new Set(named.map((name) => path.resolve(root, name))) }
  })
}

/** Changes to a working set that are not written yet. */
export class StagedSet implements WorkingSet {
  readonly #below: WorkingSet
  #updates: UpdateEntries[] = []
  #cleared = false

  constructor(below: WorkingSet) {
    this.#below = below
  }

  async entries(): Promise<readonly WorkingEntry[]> {
    return this.#updated(this.#cleared ? [] : await this.#below.entries())
  }

  async change(update: UpdateEntries): Promise<void> {
    // Read now, so that the action fails if the list cannot be read.
    await this.entries()
    this.#updates.push(update)
  }

  async clear(): Promise<undefined> {
    this.#cleared = true
    this.#updates = []
  }

  executions(count: number): Promise<readonly Touching[]> {
    return this.#below.executions(count)
  }

  async land(): Promise<void> {
    if (this.#cleared) await this.#below.clear()
    if (this.#updates.length > 0) await this.#below.change((entries) => this.#updated(entries))
  }

  #updated(entries: readonly WorkingEntry[]): readonly WorkingEntry[] {
    return this.#updates.reduce((now, update) => update(now), entries)
  }
}

/** The file of the working set, in `.clada` of the project. */
export const contextFile = 'context.json'

/** Paths are stored as `pathFrom` makes them, so that the project can be moved. */
export function readEntries(file: string, root: string, session?: string): WorkingEntry[] {
  const { entries, sessions } = setsIn(file)
  const own = session === undefined ? entries : (sessions.get(session) ?? [])
  return own.map(({ path: kept, added }) => ({ path: absoluteOf(kept, root), added }))
}

/** The sets of other sessions stay as they are. */
export function writeEntries(file: string, root: string, entries: readonly WorkingEntry[], session?: string): void {
  const kept = entries.map(({ path: absolute, added }) => ({ path: pathFrom(root, absolute), added }))
  const before = canReadEntries(file, root) ? setsIn(file) : noSets
  const sessions = new Map(before.sessions)
  if (session !== undefined && kept.length > 0) sessions.set(session, kept)
  else if (session !== undefined) sessions.delete(session)
  const own = session === undefined ? kept : before.entries
  const named = sessions.size === 0 ? {} : { sessions: Object.fromEntries(sessions) }
  putFile(file, `${JSON.stringify({ version, entries: own, ...named }, null, 2)}\n`)
}

/** Renames a file in its directory, and returns the new name. */
export function putAside(file: string): string {
  const aside = `${file}.${new Date().toISOString().replace(/[:.]/g, '-')}.broken`
  renameFile(file, aside)
  return withSlashes(aside)
}

const version = 1

/** The working set of the project, and those of sessions by their names. */
interface Sets {
  readonly entries: readonly WorkingEntry[]
  readonly sessions: ReadonlyMap<string, readonly WorkingEntry[]>
}

const noSets: Sets = { entries: [], sessions: new Map() }

function setsIn(file: string): Sets {
  const text = readOwn(file)
  if (text === undefined) return noSets
  const broken = (reason: string): ProblemError =>
    new ProblemError({ kind: 'context-broken', file: withSlashes(file), reason })
  let found: unknown
  try {
    found = JSON.parse(text)
  } catch (error) {
    throw broken(messageOf(error))
  }
  if (!isRecord(found) || !Array.isArray(found['entries'])) throw broken('it has no list of entries')
  if (found['version'] !== version) throw broken(`its version is ${JSON.stringify(found['version'])}, not ${version}`)
  const { entries, sessions = {} } = found
  if (!isRecord(sessions)) throw broken('its sessions are not lists by name')
  const listed = (list: unknown): WorkingEntry[] => {
    if (Array.isArray(list) && list.every(isWorkingEntry)) return list
    throw broken('an entry has no path, no time, or a path with a line break')
  }
  const named = Object.entries(sessions).map(([name, list]) => [name, listed(list)] as const)
  return { entries: listed(entries), sessions: new Map(named) }
}

/** A line break in a path would make one entry look like two. */
function isWorkingEntry(value: unknown): value is WorkingEntry {
  if (!isRecord(value) || typeof value['path'] !== 'string' || typeof value['added'] !== 'string') return false
  return !/[\r\n]/.test(value['path'])
}

/** Only the part before `@@` is a path: the rest names structures and may contain slashes. */
function absoluteOf(kept: string, root: string): string {
  const [file = '', ...levels] = kept.split('@@')
  return [path.resolve(root, file), ...levels].join('@@')
}
