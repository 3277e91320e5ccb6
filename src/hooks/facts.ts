import type { ExecutionResult } from '../core/result.ts'
import { type Facts, variableFor } from './substitute.ts'

/** What hooks that run after an execution may know of it. `files` are relative to the root, and still there. */
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

/** Only code can give a file a name with a line break in it, and in a list of lines it would be two. */
// eslint-disable-next-line no-control-regex -- they are what is looked for
const isOneLine = (file: string): boolean => !/[\u0000-\u001f\u007f]/.test(file)

/** No name is taken for an option (`-x`, `+x`), a list of further words (`@x`, to compilers) or a variable (`x=y`, to make). */
const asFile = (file: string): string => (/^[-+@]|^[^/].*=/.test(file) ? `./${file}` : file)

/** One string of the environment may not be longer than this on Linux. */
const mostBytes = 100_000

/** The same for the environment. */
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

/** Between two entries; what a process cannot be given at all is left out. */
function cut(text: string, between: string): string {
  const clean = text.replaceAll('\0', '')
  if (Buffer.byteLength(clean) <= mostBytes) return clean
  const short = Buffer.from(clean).subarray(0, mostBytes).toString('utf8')
  return short.slice(0, Math.max(short.lastIndexOf(between), 0))
}
