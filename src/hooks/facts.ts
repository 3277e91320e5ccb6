import type { ExecutionResult } from '../core/result.ts'
import { type Facts, variableFor } from './substitute.ts'

/** The facts of an execution for its after hooks. `files` still exist, with paths as `pathFrom` makes them. */
export function factsOf(result: ExecutionResult, files: readonly string[]): Facts {
  const { results, parseErrors } = result
  const errors = [...parseErrors.map(({ message }) => message), ...results.flatMap(({ error }) => error ?? [])]
  return {
    success: String(result.success),
    executedActions: String(result.executedActions),
    totalBlocks: String(result.totalBlocks),
    modifiedFiles: files.filter(isOneLine).map(asFile),
    operations: results.map(({ action }) => action).join(','),
    errors: errors.join('\n'),
    errorCount: String(errors.length),
  }
}

/** A name with a line break would be two names in a list with one name per line. */
// eslint-disable-next-line no-control-regex -- the pattern finds control characters
const isOneLine = (file: string): boolean => !/[\u0000-\u001f\u007f]/.test(file)

/** So that no program reads a name as an option (`-x`, `+x`), a response file (`@x`) or a variable (`x=y`, for make). */
const asFile = (file: string): string => (/^[-+@]|^[^/].*=/.test(file) ? `./${file}` : file)

/** Below Linux's limit for one string of the environment. */
const mostBytes = 100_000

/** The facts as environment variables. */
export function environmentOf(facts: Facts): Record<string, string> {
  const entries = Object.entries(facts).flatMap(([name, fact]) =>
    typeof fact === 'string'
      ? [[variableFor(name), cut(fact, '\n')]]
      : [
          [variableFor(name), cut(fact.join('\n'), '\n')],
          [variableFor(name, fact), cut(fact.join(','), ',')],
        ],
  )
  return Object.fromEntries(entries) as Record<string, string>
}

/** Cuts between two entries, and removes NUL characters, which the environment cannot contain. */
function cut(text: string, between: string): string {
  const clean = text.replaceAll('\0', '')
  if (Buffer.byteLength(clean) <= mostBytes) return clean
  const short = Buffer.from(clean).subarray(0, mostBytes).toString('utf8')
  return short.slice(0, Math.max(short.lastIndexOf(between), 0))
}
