import type { Problem } from '../core/problem.ts'
import type { Code } from '../core/result.ts'
import { explain } from '../report/explain.ts'

/**
 * Why a command of the user did nothing, and what to do about it: it has one line for both. `otherwise` is said where
 * git failed and nobody knows more, by commands that cannot do without it.
 */
export function refusalOf(problem: Problem, name: string, otherwise?: string): { error: string; code: Code } {
  const told = problem.kind === 'git' && otherwise !== undefined ? { advice: otherwise, ...problem } : problem
  const { error, code, details } = explain(told, name)
  return { error: details?.advice === undefined ? error : `${error}. ${details.advice}`, code }
}
