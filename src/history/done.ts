import type { ExecutionRecord } from '../journal/record.ts'
import { heldUndos } from './timeline.ts'

/** A block that need not be carried out again. */
export interface Done {
  readonly execution: number
  readonly action: number
  readonly time: string
}

/**
 * Answers for blocks, one after another, whether they were carried out and what they did still stands. A block that is
 * there twice must have been there twice. `again` says of a block whether it shall run nevertheless; without it
 * only what every execution since has held counts as done, so that a document is known that comes twice in a row.
 */
export function doneIn(
  records: readonly ExecutionRecord[],
  again?: (block: string) => boolean,
): (block: string, print: string) => Done | undefined {
  const runs = records.filter(({ kind }) => kind === 'run').reverse()
  const held = heldUndos(records)
  const stands = ({ execution, action }: Pick<Done, 'execution' | 'action'>): boolean =>
    !held.some(({ of, ofActions }) => of === execution && (ofActions === undefined || ofActions.includes(action)))
  const asked = new Map<string, number>()
  return (block, print) => {
    const nth = asked.get(print) ?? 0
    asked.set(print, nth + 1)
    if (again?.(block)) return undefined
    const holds = ({ actions }: ExecutionRecord): boolean => actions.some((action) => action.block === print)
    const run = again === undefined ? runs.slice(0, 1).find(holds) : runs.find(holds)
    const found = run?.actions.filter((action) => action.block === print)[nth]
    if (run === undefined || found === undefined || !found.success) return undefined
    const { execution, action } = found.already ?? { execution: run.number, action: found.seq }
    const { time } = runs.find(({ number }) => number === execution) ?? run
    return stands({ execution, action }) ? { execution, action, time } : undefined
  }
}
