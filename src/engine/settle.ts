import type { Outcome } from '../core/action.ts'
import { type Problem, Stop } from '../core/problem.ts'
import type { ActionResult } from '../core/result.ts'
import { tooComplex } from '../core/time-limit.ts'
import { explain } from '../report/explain.ts'

export const stopped = (reason: string): Problem => ({ kind: 'stopped', reason })

/** Puts the outcome of an action into its result. */
export function settle(result: ActionResult, outcome: Outcome, warnings: readonly string[]): void {
  result.success = outcome.ok
  if (outcome.data === undefined) delete result.data
  else result.data = outcome.data
  if (!outcome.ok) {
    Object.assign(result, explain(outcome.problem, result.action))
  }
  const all = [...warnings, ...(outcome.warnings ?? [])]
  if (all.length > 0) result.warnings = all
}

export function problemOf(error: unknown): Problem {
  if (error instanceof Stop) return error.problem
  const limit = tooComplex(error)
  if (limit !== undefined) return limit
  const { message, stack } = error instanceof Error ? error : new Error(String(error))
  return { kind: 'bug', message, ...(stack === undefined ? {} : { stack }) }
}
