import { printable } from '../report/printable.ts'
import type { StepResult } from '../timetravel/step.ts'
import type { FlagValues } from './flags.ts'
import { print } from './print.ts'
import { isTerminal } from './terminal.ts'

/** Says where the project is now, and answers with the exit code. */
export function printStep(result: StepResult, flags: FlagValues): number {
  if (flags.json !== undefined) print(JSON.stringify(result, null, 2))
  else if (flags.quiet === undefined) print(printable(lines(result).join('\n')))
  return result.success ? 0 : 1
}

/** Why something was not done. A person needs no code. */
export const refusalText = (error = 'It could not be done.'): string =>
  isTerminal(1) ? error.replace(/(?<=^clada \w+: )[a-z]+(?:_[a-z]+)+: /, '') : error

function lines({
  success,
  commit,
  branch,
  stashed_files = [],
  restored_files = [],
  kept = [],
  conflicts = [],
  error,
}: StepResult): string[] {
  const where = branch === undefined ? `at ${commit?.slice(0, 8)}` : `on ${branch}, at ${commit?.slice(0, 8)}`
  return [
    success ? `Now ${where}.` : refusalText(error),
    ...stashed_files.map((path) => `  put aside: ${path}`),
    ...restored_files.map((path) => `  brought back: ${path}`),
    ...kept.map((ref) => `  not brought back: git stash apply --index ${ref}`),
    ...conflicts.map((path) => `  ✗ ${path}`),
  ]
}
