import type { Inspect } from '../core/recorder.ts'
import { interruptedRecord, isGoingOn } from './recover.ts'
import { dirOf, type ExecutionRecord, numbersIn, readRecord } from '../journal/record.ts'

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
}

/**
 * The undos that still hold, oldest first. A redo takes back the last one of the same execution, or of the same of its
 * actions. One that died half way holds nothing.
 */
export function heldUndos(records: readonly ExecutionRecord[]): ExecutionRecord[] {
  const held: ExecutionRecord[] = []
  for (const record of records) {
    if (record.ended === 'interrupted' || record.of === undefined) continue
    if (record.kind === 'undo') held.push(record)
    const at = record.kind === 'redo' ? held.findLastIndex((undo) => isAboutSame(undo, record)) : -1
    if (at !== -1) held.splice(at, 1)
  }
  return held
}

type About = Pick<ExecutionRecord, 'of' | 'ofActions'>

const isAboutSame = (a: About, b: About): boolean => a.of === b.of && a.ofActions?.join() === b.ofActions?.join()

/** The runs among the records, with what undo and redo have made of them. Undoing a part leaves a run standing. */
export function standings(records: readonly ExecutionRecord[]): Standing[] {
  const undone = new Set(heldUndos(records).flatMap(({ of, ofActions }) => (ofActions === undefined ? of : [])))
  // An undo that died half way is something to take back itself.
  return records
    .filter(({ kind, ended }) => kind === 'run' || ended === 'interrupted')
    .map((record) => ({ record, undone: undone.has(record.number) }))
}

/** What `undo` without a number takes back. */
export const lastStanding = (records: readonly ExecutionRecord[]): ExecutionRecord | undefined =>
  standings(records).findLast(({ record, undone }) => !undone && !isGoneOnWith(record, records))?.record

/** Whether an undo or redo that died half way was followed by one that did not. */
const isGoneOnWith = (died: ExecutionRecord, records: readonly ExecutionRecord[]): boolean =>
  died.kind !== 'run' &&
  records.some(({ number, ended, ...later }) => number > died.number && ended === 'whole' && isAboutSame(later, died))

/** What `redo` brings back: the undo that came last and still holds. */
export const lastUndo = (records: readonly ExecutionRecord[]): ExecutionRecord | undefined => heldUndos(records).at(-1)

/** Whether what an execution did is taken back: all of it, or what one of its actions did. */
export function isTakenBack(record: ExecutionRecord, action: number | undefined, records: readonly ExecutionRecord[]) {
  const held = heldUndos(records)
  if (record.kind === 'run' || record.ended === 'interrupted')
    return held.some(
      ({ of, ofActions }) =>
        of === record.number && (ofActions === undefined || (action !== undefined && ofActions.includes(action))),
    )
  if (record.kind === 'undo') return !held.includes(record)
  return records.some((later) => later.number > record.number && later.ended === 'whole' && isAboutSame(later, record))
}
