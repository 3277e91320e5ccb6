import fs from 'node:fs'
import path from 'node:path'
import { ProblemError } from '../core/problem.ts'
import type { Inspected, SeenChanges } from '../core/recorder.ts'
import { pathFrom } from '../core/paths.ts'
import type { Journal } from '../store/journal.ts'
import type { ContentStore } from '../store/content-store.ts'
import {
  contentsOfHistory,
  type ExecutionRecord,
  isolatedDir,
  type PathRecord,
  type State,
  stateOf,
} from '../store/record.ts'
import { type StateBefore, type Snapshot, type SnapshotOptions, statesBefore, takeSnapshot } from '../git/snapshot.ts'
import { diffCommits } from '../git/differences.ts'
import { listOf } from '../store/summary.ts'
import { isMove } from '../store/timeline.ts'

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
      roughMode: exact === state ? true : undefined,
      ignored: ignored || undefined,
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
): Promise<ReadonlyMap<string, StateBefore>> {
  if (snapshot === undefined || absolutes.length === 0) return new Map()
  try {
    const before = await statesBefore(snapshot, absolutes)
    if (seen === undefined) return before
    const created = new Set(seen.created)
    // What was seen to be there was there, whatever git knows about it.
    return new Map([...before].filter(([absolute, { state }]) => state.type !== 'absent' || created.has(absolute)))
  } catch (error) {
    // The program has run by now: a git that fails costs the undo of what it changed, and nothing else.
    if (error instanceof ProblemError) return new Map()
    throw error
  }
}

/** A program that had begun and was not seen to end. */
export interface UnfinishedProgram {
  /** The action that started it. */
  readonly action: number
  /** The project before it, among git's objects. */
  readonly tree: string | undefined
}

/**
 * What is otherwise now than before the program, together with what the journal knows. Whether the program did it or
 * another process since is unknown; what was there is kept, so that it can be undone. Undefined when git cannot say.
 */
export async function changedSinceProgram(
  { action, tree }: UnfinishedProgram,
  dir: string,
  place: Omit<SnapshotOptions, 'dir'>,
  { number, paths: known }: Pick<ExecutionRecord, 'number' | 'paths'>,
): Promise<PathRecord[] | undefined> {
  if (tree === undefined) return undefined
  const paths = new Map(known.map((entry) => [entry.path, entry]))
  const contents = contentsOfHistory(path.dirname(dir), number)
  try {
    const now = await takeSnapshot({ ...place, dir: path.join(dir, isolatedDir) })
    for (const { name, from, to } of await diffCommits(now.isolated, tree, now.tree)) {
      const short = pathFrom(place.root, path.join(now.top, name))
      const { before, steps } = paths.get(short) ?? { before: keepBefore(from, contents), steps: [] }
      paths.set(short, { path: short, before, after: stateOf(to), steps: [...steps, { by: action }] })
    }
    contents.syncNow()
    return [...paths.values()]
  } catch (error) {
    if (error instanceof ProblemError) return undefined
    throw error
  } finally {
    contents.close()
    fs.rmSync(path.join(dir, isolatedDir), { recursive: true, force: true })
  }
}

function keepBefore(state: Inspected, contents: ContentStore): State {
  if (state.type === 'file' && state.bytes !== undefined) contents.put(state.bytes)
  return stateOf(state)
}

/** For a user who does not know that it ran: what it was, what is complete, and what to do now. */
export function interruptedMessage({ number, kind, of, ofActions = [], actions, paths }: ExecutionRecord): string {
  const was = `${executionName({ number, kind, of })} was interrupted: clada was stopped before it was complete.`
  const done = actions.filter(({ success }) => success).map(({ seq }) => seq)
  const acts =
    done.length === 0
      ? 'No action is known to be complete.'
      : `${done.length === 1 ? `Action ${done[0]} is` : `Actions ${ranges(done)} are`} complete; all others are missing or partial.`
  const known = kind === 'run' ? `${was} ${acts}` : was
  if (paths.length === 0) return known
  const changed = `${known} It changed ${changedPaths(paths)}.`
  if (kind === 'forward') return `${changed} To continue: clada forward.`
  if (kind === 'back') return `${changed} To revert it: clada forward.`
  // Without a number, undo would revert the interrupted one.
  const again = [`clada ${kind}`, ...(kind === 'undo' ? [of ?? ''] : []), ...ofActions.map((one) => `--action ${one}`)]
  const on = kind === 'run' ? 'run the missing actions again' : again.join(' ')
  return `${changed} To revert it: clada undo ${number}. To continue instead: ${on}.`
}

function ranges(numbers: readonly number[]): string {
  const found: [number, number][] = []
  for (const number of numbers) {
    const last = found.at(-1)
    if (last !== undefined && last[1] === number - 1) last[1] = number
    else found.push([number, number])
  }
  return found.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`)).join(', ')
}

/** All changes are complete; only the commit may be missing. */
export function unsavedMessage(record: ExecutionRecord): string {
  const { number, kind, paths } = record
  const commit = isMove(record) ? '' : '; its commit may be missing'
  const changed = paths.length === 0 ? '' : ` It changed ${changedPaths(paths)}.`
  const revert = kind === 'back' ? 'clada forward' : kind === 'forward' ? 'clada back' : `clada undo ${number}`
  return (
    `${executionName(record)} was interrupted at its end: clada was stopped while it saved the result. ` +
    `All changes are complete${commit}.${changed} To revert it: ${revert}.`
  )
}

export const lostMessage = (number: number): string =>
  `the record of execution ${number} is lost or damaged, as after a power failure or by a fault of the disk. What it changed is unknown, and it cannot be undone.`

export function describeInterruptedProgram(
  number: number,
  { action }: UnfinishedProgram,
  changed: readonly PathRecord[] | undefined,
): string {
  const what = `action ${action} of execution ${number} was running a program at that moment.`
  if (changed === undefined)
    return `${what} The changes of that program are unknown, and clada undo cannot revert them: check the files yourself.`
  const names = changed.filter(({ steps }) => steps.some(({ by }) => by === action)).map(({ path }) => path)
  const since =
    names.length === 0
      ? 'No file that git sees has changed since.'
      : `Changed since, by that program or by another process: ${listOf(names)}.`
  return `${what} ${since} Files that git ignores were not checked.`
}

const executionName = ({
  number,
  kind,
  of,
}: Pick<ExecutionRecord, 'number' | 'kind'> & { of?: number | undefined }): string =>
  `execution ${number}${kind === 'run' ? '' : ` (${kind}${of === undefined || isMove({ kind }) ? '' : ` of execution ${of}`})`}`

function changedPaths(paths: readonly PathRecord[]): string {
  const changed = paths.filter(({ after }) => after.type !== 'directory').map(({ path }) => path)
  return listOf(changed) || 'only directories'
}
