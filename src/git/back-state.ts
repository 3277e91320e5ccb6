import fs from 'node:fs'
import path from 'node:path'
import { jsonOf, putFile, readOwn } from '../state/own-files.ts'
import { isRecord } from '../core/platform.ts'

/** The commits that `clada back` left, with the uncommitted changes that were stashed at each. */
export interface BackState {
  /** Null for a detached HEAD. */
  readonly branch: string | null
  /** From the newest commit to the current one. */
  readonly way: readonly string[]
  /** By commit: the stash commit of its uncommitted changes. */
  readonly saved: Readonly<Record<string, string>>
  /** By stash commit: file modes that git does not store, by name. */
  readonly modes?: Readonly<Record<string, Modes>>
  /** Set while files are being changed. If the process dies, some are not changed yet. */
  readonly moving?: boolean
}

export type Modes = Readonly<Record<string, number>>

const backFile = (stateDir: string): string => path.join(stateDir, 'back.json')

/** Undefined when the project is not at an older commit. */
export function readBack(stateDir: string): BackState | undefined {
  const found = jsonOf(readOwn(backFile(stateDir)))
  return isBackState(found) ? found : undefined
}

/** Undefined removes the file: the project is at its newest commit again. */
export function writeBack(stateDir: string, state: BackState | undefined): void {
  if (state === undefined) fs.rmSync(backFile(stateDir), { force: true })
  else putFile(backFile(stateDir), JSON.stringify(state))
}

/** The values become parts of paths and arguments of git, and the file may come from a cloned repository. */
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
