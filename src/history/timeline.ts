import type { Inspect } from '../core/recorder.ts'
import { interruptedRecord, isGoingOn } from './recover.ts'
import { dirOf, type ExecutionRecord, numbersIn, readRecord } from './record.ts'

/** Everything that was executed, or the newest of it, oldest first; what died without a record is told from its journal. */
export function readTimeline(history: string, root: string, inspect: Inspect, newest = Infinity): ExecutionRecord[] {
  const numbers = numbersIn(history)
  return numbers.slice(Math.max(0, numbers.length - newest)).flatMap((number) => {
    const record = readRecord(history, number)
    if (record !== undefined) return record
    return isGoingOn(dirOf(history, number), 'here') ? [] : interruptedRecord(history, number, root, inspect)
  })
}

/** An execution, and whether it still counts. */
export interface Standing {
  readonly record: ExecutionRecord
  readonly undone: boolean
  /** The undo that took it back last. */
  readonly undoneBy?: ExecutionRecord
}

/** The runs among the records, with what undo and redo have made of them. Undoing a part leaves a run standing. */
export function standings(records: readonly ExecutionRecord[]): Standing[] {
  const runs = new Map<number, Standing>()
  for (const record of records) {
    // An undo that died half way is something to take back itself.
    if (record.kind === 'run' || record.ended === 'interrupted') {
      runs.set(record.number, { record, undone: false })
      if (record.kind !== 'run') continue
    }
    const run = record.of === undefined ? undefined : runs.get(record.of)
    if (run === undefined || record.ofActions !== undefined) continue
    if (record.kind === 'undo') runs.set(run.record.number, { record: run.record, undone: true, undoneBy: record })
    if (record.kind === 'redo') runs.set(run.record.number, { record: run.record, undone: false })
  }
  return [...runs.values()]
}

/** What `undo` without a number takes back. */
export const lastStanding = (records: readonly ExecutionRecord[]): ExecutionRecord | undefined =>
  standings(records).findLast(({ undone }) => !undone)?.record

/** What `redo` brings back: the undo that came last and still holds. */
export function lastUndo(records: readonly ExecutionRecord[]): ExecutionRecord | undefined {
  const held = standings(records).flatMap(({ undoneBy }) => undoneBy ?? [])
  return held.sort((a, b) => a.number - b.number).at(-1)
}
