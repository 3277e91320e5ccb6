import { Stop } from '../core/problem.ts'
import type { Inspect, Inspected } from '../core/recorder.ts'

/**
 * What is at a place that need not be one any more. Behind a link that came since there is nothing: what is seen
 * through it lies elsewhere. A place that may not be looked at costs nobody the record.
 */
export function seenAt(inspect: Inspect, absolute: string): Inspected {
  try {
    return inspect(absolute)
  } catch (error) {
    if (!(error instanceof Stop)) throw error
    const { problem } = error
    return { type: problem.kind === 'path' && problem.rule === 'symlink_not_allowed' ? 'absent' : 'other' }
  }
}
