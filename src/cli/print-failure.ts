import type { ExecutionResult } from '../core/result.ts'
import { formatReport } from '../report/format.ts'
import { prettyAction, prettyErrors } from '../report/pretty.ts'
import { byBlock } from '../report/words.ts'
import type { FlagValues } from './flags.ts'
import { reportOptions } from './options.ts'
import { isTerminal } from './terminal.ts'

/** Why a command that is one action failed: for a person at a terminal, and as text for a pipe. */
export function failureText(result: ExecutionResult, flags: FlagValues, to: 1 | 2): string {
  const options = reportOptions(flags)
  if (!isTerminal(to)) return formatReport(result, 'text', { ...options, errorDetail: 'full' }).trimEnd()
  const { results, parseErrors, fatalError } = result
  return [
    ...results.filter(({ success }) => !success).flatMap((one) => prettyAction(one, options)),
    ...byBlock(parseErrors).flatMap((errors) => prettyErrors(errors, options)),
    ...(fatalError === undefined ? [] : [`✗ ${fatalError}`]),
  ].join('\n')
}
