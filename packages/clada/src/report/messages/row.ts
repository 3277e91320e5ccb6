import type { Code } from '@clada/reply/core/codes.ts'
import type { Advice, Problem } from '../../core/problem.ts'
import type { Details, Failure } from '../../core/result.ts'

/** A problem in words, not yet put together: each report has its own readers. */
export interface Message extends Omit<Failure, 'kind' | 'user'> {
  readonly code: Code
  readonly details?: Details
  readonly advice?: Advice
  /** The sentence for the user, if a model reads another one. */
  readonly toUser?: string
}

/** What `explain` makes of a problem. */
export interface Explained {
  /** The language fixes its first line, so callers may compare it. */
  readonly error: string
  readonly code: Code
  readonly details?: Details
  readonly failure: Failure
}

/** For problems that consist of others. */
export type ExplainPart = (problem: Problem) => Explained

/** One row of the table: each part of the message is a value, or follows from the facts of the problem. */
export type MessageRow<P> = {
  readonly [Part in keyof Message]: Message[Part] | ((problem: P, explainPart: ExplainPart) => Message[Part])
}

export type MessageRows<Kind extends Problem['kind']> = {
  readonly [One in Kind]: MessageRow<Extract<Problem, { kind: One }>>
}

export const checkPath: Advice = { model: 'Check the path with ls or glob.', user: 'Check the path.' }

/** Text from elsewhere may have several lines. */
export const firstLine = (text: string): string => text.split('\n', 1)[0] ?? ''

export function laterLines(text: string): string | undefined {
  const at = text.indexOf('\n')
  return at === -1 ? undefined : text.slice(at + 1)
}
