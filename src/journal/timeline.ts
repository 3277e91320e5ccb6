import type { ExecutionRecord } from './record.ts'

/** An execution, and whether it was undone. */
export interface Standing {
  readonly record: ExecutionRecord
  readonly undone: boolean
}

/**
 * The undos in effect, oldest first. A redo reverts the last undo of the same execution, or of the same actions of it.
 * An interrupted undo has no effect.
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

export const isAboutSame = (a: About, b: About): boolean => a.of === b.of && a.ofActions?.join() === b.ofActions?.join()

/** The runs among the records, and whether each is undone. A run of which only some actions are undone is not. */
export function standings(records: readonly ExecutionRecord[]): Standing[] {
  const undone = new Set(heldUndos(records).flatMap(({ of, ofActions }) => (ofActions === undefined ? of : [])))
  // An interrupted undo can be undone itself.
  return records
    .filter(({ kind, ended }) => kind === 'run' || ended === 'interrupted')
    .map((record) => ({ record, undone: undone.has(record.number) }))
}

/** The execution that `undo` without a number reverts. */
export const lastStanding = (records: readonly ExecutionRecord[]): ExecutionRecord | undefined =>
  standings(records).findLast(({ record, undone }) => !undone && !isRepeated(record, records))?.record

/** Whether an interrupted undo or redo was followed by a complete one. */
const isRepeated = (died: ExecutionRecord, records: readonly ExecutionRecord[]): boolean =>
  died.kind !== 'run' &&
  records.some(({ number, ended, ...later }) => number > died.number && ended === 'whole' && isAboutSame(later, died))

/** Whether an execution, or one of its actions, is undone. */
export function isUndone(record: ExecutionRecord, action: number | undefined, records: readonly ExecutionRecord[]) {
  const held = heldUndos(records)
  if (record.kind === 'run' || record.ended === 'interrupted')
    return held.some(
      ({ of, ofActions }) =>
        of === record.number && (ofActions === undefined || (action !== undefined && ofActions.includes(action))),
    )
  if (record.kind === 'undo') return !held.includes(record)
  return records.some((later) => later.number > record.number && later.ended === 'whole' && isAboutSame(later, record))
}
