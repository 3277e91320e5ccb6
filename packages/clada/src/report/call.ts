import { registry as builtIn } from '../actions/registry.ts'
import type { Registry } from '../core/action.ts'
import type { ActionResult, ExecutionResult } from '../core/result.ts'
import { entryLines, reportEntries, type ReportStyle } from './entries.ts'
import { changedLines, defaultOutputLimit, showOutput, type ReportOptions, reviewLines } from './parts.ts'
import { parseRepairLines, repairLines } from './repair.ts'
import { capText, primaryOf, spellOut, wholeWarning } from './words.ts'

/**
 * The result of one call, for a model that called a tool. It knows what it called, and the protocol says where the text
 * begins and ends: what was asked for is all there is, then what is to be said about it.
 */
export function formatCall(result: ExecutionResult, options: ReportOptions = {}): string {
  const { errorDetail, budget = Infinity } = options
  const style: ReportStyle = {
    action: (entry) => callLines(entry.result, result.root, options),
    skipped: ({ results }) => results.flatMap((one) => callLines(one, result.root, options)),
    unreadable: ({ errors }) => (errorDetail === 'minimal' ? errors.map(withCode) : parseRepairLines(errors)),
    missed: () => [],
    'more-missed': () => [],
    fatal: ({ message }) => [message],
    reminder: () => [],
    warning: ({ message }) => [warningLine(message)],
    'edited-reply': () => [],
  }
  const lines = reportEntries(result).flatMap((entry) => entryLines(entry, style))
  return capText(spellOut(lines.join('\n')), budget)
}

const warningLine = (text: string): string => `⚠️  ${wholeWarning(text)}`

const withCode = ({ message = '', code }: { readonly message?: string; readonly code?: string }): string =>
  code === undefined ? message : `${message} [${code}]`

function callLines(
  result: ActionResult,
  root: string | undefined,
  { errorDetail, outputLimit = defaultOutputLimit, programs, registry = builtIn }: ReportOptions,
): string[] {
  const output = showOutput(result, { limit: outputLimit, programs, root, registry, bare: true })
  const body = output === undefined ? [] : [output.body]
  const notes = [...(result.warnings ?? []).map(warningLine), ...reviewLines(result)]
  if (!result.success) {
    const failure =
      errorDetail === 'minimal'
        ? [withCode({ message: result.error ?? '', ...codeOnly(result) })]
        : repairLines(result, { reader: 'model', errorDetail })
    return [...failure, ...notes, ...body]
  }
  const changes = changedLines(result)
  const done = body.length + changes.length === 0 ? [actionSentence(result, registry)] : []
  return [...body, ...changes, ...done, ...notes]
}

const codeOnly = ({ code }: ActionResult): { readonly code?: string } => (code === undefined ? {} : { code })

/** For an action that has nothing to show. */
function actionSentence(result: ActionResult, registry: Registry): string {
  const target = primaryOf(result)
  return registry.get(result.action)?.past?.(target, result) ?? `${result.action} ${target}: done`.replace(' :', ':')
}
