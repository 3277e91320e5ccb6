import type { Problem } from './core/problem.ts'
import type { Code } from './core/result.ts'
import { explain } from './report/explain.ts'

/** Why a command of the user did nothing, and what to do about it: it has one line for both. */
export function refusalOf(problem: Problem, name: string): { error: string; code: Code } {
  const { error, code, details } = explain(problem, name)
  return { error: details?.advice === undefined ? error : `${error}. ${details.advice}`, code }
}
