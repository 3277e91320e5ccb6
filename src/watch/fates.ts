import type { ExecutionResult } from '../core/result.ts'
import type { Fate, Unit } from './units.ts'

/** What became of each unit that was run, by the lines its blocks begin on. */
export function fatesIn(
  { results, fatalError }: ExecutionResult,
  keys: ReadonlySet<string>,
): (unit: Unit) => Fate | undefined {
  const succeeded = new Map(results.map(({ line, success }) => [line, success]))
  return ({ key, state, blocks }) => {
    if (!keys.has(key)) return undefined
    if (state === 'broken') return 'unread'
    const all = blocks.map(({ startLine }) => succeeded.get(startLine))
    // Sound as a text, and yet not an action that exists.
    if (all.every((success) => success === undefined)) return fatalError === undefined ? 'unread' : 'failed'
    return all.every((success) => success === true) ? 'done' : 'failed'
  }
}
