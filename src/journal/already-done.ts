import { type ExecutionRecord, numbersIn, readRecord } from './record.ts'
import { heldUndos } from './timeline.ts'

/** An action that ran in an earlier execution. */
export interface Done {
  readonly execution: number
  readonly action: number
  readonly time: string
}

/** The execution that last ran a block. */
export interface Executed extends Done {
  readonly success: boolean
}

/** The last time a block ran, by the fingerprint of its text, whether or not it was undone since. */
export function lastRunOf(print: string, records: readonly ExecutionRecord[]): Executed | undefined {
  const record = records.findLast(({ actions }) => actions.some(({ block }) => block === print))
  const action = record?.actions.findLast(({ block }) => block === print)
  return (
    record && action && { execution: record.number, action: action.seq, success: action.success, time: record.time }
  )
}

/** The previous execution, if it ran the same document. */
export function previousRunOf(document: string, history: string): Pick<Done, 'execution' | 'time'> | undefined {
  for (const number of numbersIn(history).reverse()) {
    const record = readRecord(history, number)
    // The current execution has no record yet.
    if (record === undefined) continue
    return record.document === document ? { execution: number, time: record.time } : undefined
  }
  return undefined
}

/**
 * Answers for blocks, one after another, whether they ran successfully and are not undone. A block that occurs twice
 * must have run twice. `again` says whether a block runs nevertheless; without it only the previous run counts, so
 * that a document is recognized that comes twice in a row.
 */
export function doneIn(
  records: readonly ExecutionRecord[],
  again?: (block: string) => boolean,
): (block: string, print: string) => Done | undefined {
  const runs = records.filter(({ kind }) => kind === 'run').reverse()
  const undos = heldUndos(records)
  const isUndone = (execution: number, action: number): boolean =>
    undos.some(({ of, ofActions }) => of === execution && (ofActions === undefined || ofActions.includes(action)))
  const asked = new Map<string, number>()
  return (block, print) => {
    const nth = asked.get(print) ?? 0
    asked.set(print, nth + 1)
    if (again?.(block)) return undefined
    const candidates = again === undefined ? runs.slice(0, 1) : runs
    const run = candidates.find(({ actions }) => actions.some((action) => action.block === print))
    const found = run?.actions.filter((action) => action.block === print)[nth]
    if (run === undefined || found === undefined || !found.success) return undefined
    const { execution, action } = found.already ?? { execution: run.number, action: found.seq }
    const { time } = runs.find(({ number }) => number === execution) ?? run
    return isUndone(execution, action) ? undefined : { execution, action, time }
  }
}
