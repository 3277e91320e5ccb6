import { withWarnings } from '../core/with-warnings.ts'
import { printable } from '../report/printable.ts'
import type { UndoResult } from '../timetravel/undo.ts'
import type { FlagValues } from './flags.ts'
import { configWarnings } from './options.ts'
import { print } from './print.ts'
import { refusalText } from './print-step.ts'

/** Prints the result of an undo or redo, and returns the exit code. */
export async function printUndo(result: UndoResult, flags: FlagValues, done: string): Promise<number> {
  if (flags.json !== undefined) print(JSON.stringify(withWarnings(result, await configWarnings(flags)), null, 2))
  else if (flags.quiet === undefined) print(undoLines(result, done).join('\n'))
  return result.success && result.conflicts.length === 0 ? 0 : 1
}

export function undoLines(
  { success, execution, actions, summary, restored, conflicts, error, reason, warnings = [], gitCommit }: UndoResult,
  done: string,
): string[] {
  const part = actions === undefined ? '' : `action ${actions.join(', ')} of `
  const commit = gitCommit === undefined ? '' : ` (${gitCommit.slice(0, 8)})`
  return [
    success ? `${done}: ${part}execution ${execution}, ${summary}${commit}` : refusalText({ error, reason }),
    ...restored.map((path) => `  ${path}`),
    ...conflicts.map(({ path, reason }) => `  ✗ ${path}: ${reason}`),
    ...warnings.map((warning) => `! ${warning}`),
  ].map(printable)
}
