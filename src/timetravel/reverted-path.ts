import type { ExecutionRecord, PathRecord, State, StepRecord } from '../journal/record.ts'

/** A path to revert to its state before an execution, or before one action of it. */
export interface RevertedPath extends Pick<PathRecord, 'path' | 'before' | 'ignored'> {
  /** The state after that execution or action. */
  readonly after: State
  /** The state after the whole execution: the same, unless later actions changed it. */
  readonly last: State
  /** The first later action that changed it. */
  readonly later?: number
}

export const revertedPaths = ({ paths }: ExecutionRecord): RevertedPath[] =>
  paths.map((entry) => ({ ...entry, last: entry.after }))

/** The paths that one action changed, with the states before and after it, or the reason why they are unknown. */
export function pathsOfAction(record: ExecutionRecord, action: number): RevertedPath[] | string {
  const own = record.paths.filter(({ steps }) => steps.some(({ by }) => by === action))
  if (own.length === 0) return `Action ${action} of execution ${record.number} changed nothing.`
  const found: RevertedPath[] = []
  for (const entry of own) {
    const reverted = ofAction(entry, action)
    if (typeof reverted === 'number') return changedAsWell(record.number, reverted, entry.path)
    found.push(reverted)
  }
  return found
}

export const changedAsWell = (number: number, action: number, path: string): string =>
  `Cannot undo only this action: action ${action} of execution ${number} also changed ${path}. Undo the whole execution: clada undo ${number}.`

/** The number of another action if the state between the two is unknown. */
function ofAction({ path, before, after, steps, ignored }: PathRecord, action: number): RevertedPath | number {
  const first = steps.findIndex(({ by }) => by === action)
  const end = steps.findLastIndex(({ by }) => by === action) + 1
  const between = steps.slice(first, end).find(({ by }) => by !== action)
  if (between !== undefined) return between.by
  const [earlier, own, later] = [steps[first - 1], steps[end - 1], steps[end]]
  const found = earlier === undefined ? before : leftBy(earlier)
  if (found === undefined) return earlier?.by ?? action
  const left = later === undefined ? after : own && leftBy(own)
  if (left === undefined) return later?.by ?? action
  return {
    path,
    before: found,
    after: left,
    last: after,
    ...(later === undefined ? {} : { later: later.by }),
    ...(ignored && { ignored }),
  }
}

function leftBy({ type, mode, print, kept }: StepRecord): State | undefined {
  if (type !== undefined) return { type }
  if (mode === undefined || print === undefined || kept === undefined) return undefined
  return { type: 'file', mode, print, kept }
}
