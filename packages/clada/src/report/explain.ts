import { withoutUndefined } from '@clada/reply/core/optional.ts'
import type { Code } from '@clada/reply/core/codes.ts'
import type { WriteNote } from '../core/files.ts'
import type { Problem } from '../core/problem.ts'
import type { Failure } from '../core/result.ts'
import { errorText, userText } from './failure.ts'
import type { Explained, ExplainPart, Message, MessageRow } from './messages/row.ts'
import { problemMessages } from './messages/table.ts'

/** The only place where a problem becomes prose. `action` is the name as the block spelled it. */
export function explain(problem: Problem, action: string): Explained {
  const row: MessageRow<never> = problemMessages[problem.kind]
  const { code, details, advice, toUser, ...parts } = fillRow(row, problem, (part) => explain(part, action))
  const toModel = typeof advice === 'object' ? advice.model : advice
  const user = withoutUndefined({
    sentence: toUser,
    advice: typeof advice === 'object' ? advice.user : undefined,
  })
  const failure: Failure = withoutUndefined({ kind: problem.kind, ...parts, user: orNothing(user) })
  return withoutUndefined({
    error: errorText(failure, action),
    code,
    details: orNothing(withoutUndefined({ ...details, advice: toModel })),
    failure,
  })
}

/** `row` is the row of the problem's own kind, which the type of the table cannot say for a union. */
function fillRow(row: MessageRow<never>, problem: Problem, explainPart: ExplainPart): Message {
  const parts = Object.entries(row).map(([name, part]) => [
    name,
    typeof part === 'function' ? part(problem as never, explainPart) : part,
  ])
  return Object.fromEntries(parts)
}

const orNothing = <T extends object>(record: T): T | undefined =>
  Object.keys(record).length === 0 ? undefined : record

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

export function noteWarnings({ displaced, disowned }: WriteNote): string[] {
  const warnings: string[] = []
  if (displaced !== undefined)
    warnings.push(`another program saved the file while clada was replacing it; that version is kept in ${displaced}`)
  if (disowned !== undefined) warnings.push(`${disowned} belonged to another user and is now yours`)
  return warnings
}
