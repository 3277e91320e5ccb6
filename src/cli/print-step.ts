import { printable } from '../report/printable.ts'
import type { StepResult } from '../timetravel/back-forward.ts'
import type { FlagValues } from './flags.ts'
import { print } from './print.ts'
import { isTerminal } from './terminal.ts'

/** Says where the project is now, and answers with the exit code. */
export function printStep(result: StepResult, flags: FlagValues): number {
  if (flags.json !== undefined) print(JSON.stringify(result, null, 2))
  else if (flags.quiet === undefined) print(printable(lines(result).join('\n')))
  return result.success ? 0 : 1
}

interface Refusal {
  readonly error?: string | undefined
  readonly reason?: string | undefined
}

/** Why nothing was done. A person needs neither the command's name nor a code. */
export const refusalText = ({ error = 'It could not be done.', reason = error }: Refusal): string =>
  isTerminal(1) ? reason.charAt(0).toUpperCase() + reason.slice(1) : error

function lines({
  success,
  commit,
  branch,
  stashed_files = [],
  restored_files = [],
  kept = [],
  conflicts = [],
  warnings = [],
  error,
  reason,
}: StepResult): string[] {
  const where = branch === undefined ? `at ${commit?.slice(0, 8)}` : `on ${branch}, at ${commit?.slice(0, 8)}`
  return [
    success ? `Now ${where}.` : refusalText({ error, reason }),
    ...stashed_files.map((path) => `  put aside: ${path}`),
    ...restored_files.map((path) => `  brought back: ${path}`),
    ...kept.map((ref) => `  not brought back: git stash apply --index ${ref}`),
    ...conflicts.map((path) => `  ✗ ${path}`),
    ...warnings.map((warning) => `! ${warning}`),
  ]
}
