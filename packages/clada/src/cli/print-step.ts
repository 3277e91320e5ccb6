import { type ExecutionResult, withWarnings } from '../core/result.ts'
import { formatReport } from '../report/format.ts'
import { formatCount, capitalize } from '@clada/reply/core/words.ts'
import { fatalIn } from '../report/parts.ts'
import { prettyAction, prettyErrors } from '../report/pretty.ts'
import { byBlock, spellOut, spellOutLine } from '../report/words.ts'
import type { StepResult } from '../timetravel/back-forward.ts'
import type { UndoResult } from '../timetravel/undo.ts'
import type { ExitCode } from './command.ts'
import type { FlagValues } from './flags.ts'
import { configWarnings, reportOptions } from './options.ts'
import { isTerminal, printJson, say } from './streams.ts'

/** Says where the project is now, and answers with the exit code. */
export function printStep(result: StepResult, flags: FlagValues): ExitCode {
  if (flags.json !== undefined) printJson(result)
  else if (flags.quiet === undefined) say(stepLines(result).join('\n'))
  return result.success ? 0 : 1
}

interface StepRefusal {
  readonly error?: string | undefined
  readonly reason?: string | undefined
}

/** Why a command did nothing; for a person without the command's name and code. */
export const refusalText = ({ error = 'The operation failed.', reason = error }: StepRefusal): string =>
  isTerminal(1) ? capitalize(reason) : error

function stepLines({
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
    spellOut(success ? `Now ${where}.` : refusalText({ error, reason })),
    ...stashed_files.map((path) => `  stashed: ${spellOutLine(path)}`),
    ...restored_files.map((path) => `  restored: ${spellOutLine(path)}`),
    ...kept.map((ref) => `  not restored: git stash apply --index ${ref}`),
    ...conflicts.map((path) => `  ✗ ${spellOutLine(path)}`),
    ...warnings.map((warning) => `! ${spellOutLine(warning)}`),
    ...(success && branch === undefined ? ['To return: clada forward'] : []),
  ]
}

/** Prints the result of an undo or redo, and returns the exit code. */
export async function printUndo(result: UndoResult, flags: FlagValues, done: string): Promise<ExitCode> {
  if (flags.json !== undefined) printJson(withWarnings(result, await configWarnings(flags)))
  else if (flags.quiet === undefined) say(undoLines(result, done).join('\n'))
  return result.success && result.conflicts.length === 0 ? 0 : 1
}

export function undoLines(
  {
    success,
    execution,
    executions,
    actions,
    summary,
    restored,
    conflicts,
    error,
    reason,
    warnings = [],
    gitCommit,
  }: UndoResult,
  done: string,
): string[] {
  const part = actions === undefined ? '' : `action ${actions.join(', ')} of `
  const what =
    executions === undefined
      ? `${part}execution ${execution}, ${summary}`
      : `${summary} (${executions.toReversed().join(', ')})`
  const commit = gitCommit === undefined ? '' : ` (${gitCommit.slice(0, 8)})`
  return [
    spellOut(success ? `${done}: ${spellOutLine(what)}${commit}` : refusalText({ error, reason })),
    ...restored.slice(0, mostFiles).map((path) => `  ${spellOutLine(path)}`),
    ...(restored.length > mostFiles ? [`  and ${formatCount(restored.length - mostFiles, 'more file')}`] : []),
    ...conflicts.map(({ path, reason }) => `  ✗ ${spellOutLine(path)}: ${spellOut(reason)}`),
    ...warnings.map((warning) => `! ${spellOutLine(warning)}`),
  ]
}

/** A longer list pushes the first line out of sight. */
const mostFiles = 30

/** Why a command that is one action failed: for a person at a terminal, and as text for a pipe. */
export function failureText(result: ExecutionResult, flags: FlagValues, to: 1 | 2): string {
  const options = reportOptions(flags)
  if (!isTerminal(to)) return formatReport(result, 'text', { ...options, errorDetail: 'full' }).trimEnd()
  const { results, parseErrors } = result
  const fatal = fatalIn(result)
  return [
    ...results.filter(({ success }) => !success).flatMap((one) => prettyAction(one, options)),
    ...byBlock(parseErrors).flatMap((errors) => prettyErrors(errors, options)),
    ...(fatal === undefined ? [] : [`✗ ${fatal}`]),
  ].join('\n')
}
