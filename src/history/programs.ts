import { Stop } from '../core/problem.ts'
import type { Inspected, SeenChanges } from '../core/recorder.ts'
import { pathFrom } from '../core/paths.ts'
import type { Journal } from '../journal/journal.ts'
import { type Before, type Snapshot, statesBefore } from '../git/snapshot.ts'
import { listOf } from '../journal/summary.ts'

export interface ProgramPlace {
  readonly root: string
  /** The action that ran the program. */
  readonly action: number
  readonly journal: Journal
  /** What was saved before it; undefined when git could not. */
  readonly snapshot: Snapshot | undefined
}

/** Records what a program changed, with what was there before, and names what cannot be undone. */
export async function noteProgram(
  absolutes: readonly string[],
  seen: SeenChanges | undefined,
  { root, action, journal, snapshot }: ProgramPlace,
): Promise<{ states: ReadonlyMap<string, Inspected>; warnings: string[] }> {
  const states = await filesBefore(absolutes, seen, snapshot)
  for (const [absolute, { state: before, ignored }] of states) {
    const mode = seen?.modes.get(absolute)
    const dir = seen?.goneDirs.get(absolute)
    // Git knows no directories: where one was, it says that nothing was.
    const state: Inspected = dir === undefined ? before : { type: 'directory', mode: dir }
    const exact = state.type === 'file' && mode !== undefined ? { ...state, mode } : state
    journal.found(absolute, exact, action, {
      ...(exact === state && { roughMode: true }),
      ...(ignored && { ignored }),
    })
  }
  // A file may have become a directory, or a directory a file: then what was there is known by now.
  for (const made of seen?.madeDirs ?? []) if (!states.has(made)) journal.found(made, { type: 'absent' }, action)
  for (const [gone, mode] of seen?.goneDirs ?? [])
    if (!states.has(gone)) journal.found(gone, { type: 'directory', mode }, action)
  // Without a snapshot that was reported before the program ran.
  const lost = snapshot === undefined ? [] : absolutes.filter((absolute) => !states.has(absolute))
  const names = lost.map((absolute) => pathFrom(root, absolute))
  const warnings =
    lost.length === 0 ? [] : [`clada undo cannot revert what action ${action} did to ${listOf(names)}: ${notKept}`]
  return { states: new Map([...states].map(([absolute, { state }]) => [absolute, state])), warnings }
}

const notKept =
  'blocked files, large ones, files of nested repositories, files with a filter or marked as unchanged, and more ' +
  'ignored ones than can be kept are not saved before a program runs'

async function filesBefore(
  absolutes: readonly string[],
  seen: SeenChanges | undefined,
  snapshot: Snapshot | undefined,
): Promise<ReadonlyMap<string, Before>> {
  if (snapshot === undefined || absolutes.length === 0) return new Map()
  try {
    const before = await statesBefore(snapshot, absolutes)
    if (seen === undefined) return before
    const created = new Set(seen.created)
    // What was seen to be there was there, whatever git knows about it.
    return new Map([...before].filter(([absolute, { state }]) => state.type !== 'absent' || created.has(absolute)))
  } catch (error) {
    // The program has run by now: a git that fails costs the undo of what it changed, and nothing else.
    if (error instanceof Stop) return new Map()
    throw error
  }
}
