import path from 'node:path'
import { isInside } from '../core/paths.ts'
import { isRecord } from '@clada/reply/core/is-record.ts'
import { SettingsError } from '../core/settings.ts'
import { jsonOf, putFile, readOwn } from '../state/own-files.ts'
import { findState, makeState } from '../state/project-state.ts'
import type { ExecutionRecord } from '../store/record.ts'

/** An execution of another project that changed files of this one. */
export interface Elsewhere {
  readonly root: string
  readonly number: number
  readonly time: string
}

const elsewhereFile = 'elsewhere.json'
const keptNotes = 100

/** Tells each further repository with changes where the record is. */
export function noteElsewhere(root: string, number: number, { time, paths, further = [] }: ExecutionRecord): void {
  const tops = new Set(further.flatMap(({ top }) => top ?? []))
  for (const top of tops) {
    if (!paths.some((entry) => isInside(path.resolve(root, entry.path), top))) continue
    const notes = [...elsewhereOf(top), { root, number, time }].slice(-keptNotes)
    try {
      putFile(path.join(makeState(top).dir, elsewhereFile), JSON.stringify(notes))
    } catch (error) {
      // The commit names the execution as well.
      if (!(error instanceof SettingsError)) throw error
    }
  }
}

/** The executions of other projects that changed files of this one, oldest first. */
export function elsewhereOf(root: string): readonly Elsewhere[] {
  const state = findState(root)
  const found = state === undefined ? undefined : jsonOf(readOwn(path.join(state, elsewhereFile)))
  return Array.isArray(found) ? found.filter(isElsewhere) : []
}

const isElsewhere = (value: unknown): value is Elsewhere =>
  isRecord(value) &&
  typeof value['root'] === 'string' &&
  typeof value['number'] === 'number' &&
  typeof value['time'] === 'string'
