import type { ExecuteOptions } from '../api/clada.ts'
import type { ActionResult, FileChange } from '../core/result.ts'
import type { ReportOptions } from '../report/options.ts'
import type { FlagValues } from './flags.ts'
import { isPretty } from './options.ts'

/** What actions do to files, kept as the few lines that a person sees of it. */
export interface ShownChanges {
  readonly listen: Pick<ExecuteOptions, 'onChanges'>
  readonly shown: Pick<ReportOptions, 'changes'>
}

/** Nothing is asked for, and nothing loaded, where no person reads. */
export async function shownChanges(flags: FlagValues): Promise<ShownChanges> {
  if (flags.quiet !== undefined || !isPretty(flags)) return { listen: {}, shown: {} }
  const { changeLines } = await import('../report/action-diff.ts')
  const changes = new Map<number, readonly string[]>()
  let left = mostLines
  const onChanges = (result: ActionResult, some: readonly FileChange[]): void => {
    const width = Math.max(20, (process.stdout.columns || 120) - 6)
    const lines = left < leastLines ? [] : changeLines(result, some, { lines: Math.min(left, actionLines), width })
    left -= lines.length
    changes.set(result.seq, lines)
  }
  return { listen: { onChanges }, shown: { changes } }
}

/** A report of a long run is still to be read from its beginning. */
const mostLines = 200
const actionLines = 12
const leastLines = 4
