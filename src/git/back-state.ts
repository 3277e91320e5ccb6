import fs from 'node:fs'
import path from 'node:path'
import { jsonOf, putFile, readOwn } from '../state/own-files.ts'

/** Where the project was before `clada back`, and what was uncommitted at each place it left. */
export interface BackState {
  /** Null when it was on no branch. */
  readonly branch: string | null
  /** From the newest commit to where it is now. */
  readonly way: readonly string[]
  /** By commit: what was uncommitted there, as a commit of its own. */
  readonly saved: Readonly<Record<string, string>>
  /** By such a commit: rights of files that git does not know, by their names. */
  readonly modes?: Readonly<Record<string, Modes>>
  /** Set while files are being changed: a process that died in between has left some as they were. */
  readonly moving?: boolean
}

export type Modes = Readonly<Record<string, number>>

const backFile = (stateDir: string): string => path.join(stateDir, 'back.json')

/** Undefined when the project is where the user left it. */
export function readBack(stateDir: string): BackState | undefined {
  const found = jsonOf(readOwn(backFile(stateDir)))
  return isBackState(found) ? found : undefined
}

/** Puts down where the project is; undefined when it has returned. */
export function writeBack(stateDir: string, state: BackState | undefined): void {
  if (state === undefined) fs.rmSync(backFile(stateDir), { force: true })
  else putFile(backFile(stateDir), JSON.stringify(state))
}

/** Names become parts of paths and words for git, and a repository may have brought the file along. */
function isBackState(value: unknown): value is BackState {
  if (!isRecord(value) || !('way' in value) || !Array.isArray(value.way)) return false
  if (!('saved' in value) || !isRecord(value.saved) || !('branch' in value)) return false
  const { branch, way, saved } = value
  const modes: unknown = 'modes' in value ? value.modes : {}
  const commits: unknown[] = [...way, ...Object.entries(saved).flat()]
  return (
    way.length > 0 &&
    isRecord(modes) &&
    Object.values(modes).every((one) => isRecord(one) && Object.values(one).every((mode) => Number.isInteger(mode))) &&
    commits.every((id) => typeof id === 'string' && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(id)) &&
    (branch === null || (typeof branch === 'string' && /^refs\/heads\/[^-\s]\S*$/.test(branch)))
  )
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
