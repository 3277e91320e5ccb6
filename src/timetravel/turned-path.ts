import type { ExecutionRecord, PathRecord, State, StepRecord } from '../journal/record.ts'

/** A path that is to be as it was before something changed it. */
export interface TurnedPath extends Pick<PathRecord, 'path' | 'before' | 'ignored'> {
  /** What that something left. */
  readonly after: State
  /** What the execution left: the same, unless other actions came after. */
  readonly last: State
  /** The first action that came after. */
  readonly later?: number
}

export const turnedPaths = ({ paths }: ExecutionRecord): TurnedPath[] =>
  paths.map((entry) => ({ ...entry, last: entry.after }))

/** What one action changed, each path as that action found it and left it; or why it cannot be told from the others. */
export function pathsOfAction(record: ExecutionRecord, action: number): TurnedPath[] | string {
  const own = record.paths.filter(({ steps }) => steps.some(({ by }) => by === action))
  if (own.length === 0) return `Action ${action} of execution ${record.number} changed nothing.`
  const found: TurnedPath[] = []
  for (const entry of own) {
    const turned = ofAction(entry, action)
    if (typeof turned === 'number') return changedAsWell(record.number, turned, entry.path)
    found.push(turned)
  }
  return found
}

export const changedAsWell = (number: number, action: number, path: string): string =>
  `Action ${action} of execution ${number} changed ${path} as well; undo the whole execution instead.`

/** The number of another action where nobody knows what was between the two. */
function ofAction({ path, before, after, steps, ignored }: PathRecord, action: number): TurnedPath | number {
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

function leftBy({ type, mode, print, pack }: StepRecord): State | undefined {
  if (type !== undefined) return { type }
  if (mode === undefined || print === undefined || pack === undefined) return undefined
  return { type: 'file', mode, print, pack }
}
