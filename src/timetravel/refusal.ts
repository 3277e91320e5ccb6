import type { Problem } from '../core/problem.ts'
import type { Code } from '../core/codes.ts'
import { explain } from '../report/explain.ts'
import { userText } from '../report/failure.ts'

/**
 * Error line for a CLI command that refused to run: message plus advice. `fallback` replaces the advice when git
 * failed without one. `reason` is the line without the command's name and codes.
 */
export function refusalOf(
  problem: Problem,
  name: string,
  fallback?: string,
): { error: string; reason: string; code: Code } {
  const known = problem.kind === 'git' && fallback !== undefined ? { advice: fallback, ...problem } : problem
  const { error, code, details, failure } = explain(known, name)
  const advice = failure.user?.advice ?? details?.advice ?? ''
  const then = advice === '' ? '' : `. ${advice}`
  return { error: `${error}${then}`, reason: `${userText({ failure })}${then}`, code }
}
