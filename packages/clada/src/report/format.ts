import type { ActionResult, ExecutionResult, ParseError } from '../core/result.ts'
import { formatLlm } from './llm.ts'
import {
  changedLines,
  defaultOutputLimit,
  editedReplyLines,
  inOrder,
  needsReminder,
  notExecutedText,
  outputOf,
  reminderOf,
  type ReportOptions,
  resendAdvice,
  reviewLines,
  skippedFor,
  fatalIn,
} from './parts.ts'
import { formatPretty } from './pretty.ts'
import { formatXml } from './xml.ts'
import { isMissing, type NotExecuted } from '@clada/reply/core/block.ts'
import { capText, entryText, oneLine, primaryOf, printable } from './words.ts'
import { correctedSection, repairLines, wouldHaveRun } from './repair.ts'

export const reportFormats = ['text', 'json', 'xml', 'llm', 'pretty'] as const
/** As they can be asked for. */
export const formatChoices = [...reportFormats, 'auto'] as const
export type ReportFormat = (typeof reportFormats)[number]

/** A result as text for a person, a program or a model. */
export function formatReport(result: ExecutionResult, format: ReportFormat, options: ReportOptions = {}): string {
  switch (format) {
    case 'json':
      return JSON.stringify(withDetail(result, options.errorDetail), null, 2)
    case 'text':
      return formatText(result, options)
    case 'xml':
      return formatXml(result, options)
    case 'llm':
      return formatLlm(result, options)
    case 'pretty':
      return formatPretty(result, options)
  }
}

/** Leaves out of a result what was not asked for. */
export function withDetail(result: ExecutionResult, detail: ReportOptions['errorDetail'] = 'full'): ExecutionResult {
  if (detail === 'debug') return result
  return {
    ...result,
    results: result.results.map((one) => {
      const { details, failure: _parts, ...rest } = one
      if (detail === 'minimal' || details === undefined) return rest
      const { stack: _, ...shown } = details
      return { ...rest, details: shown }
    }),
  }
}

/** Lines `[task-N] STATUS: OPERATION - details`, in the order of the document. */
function formatText(result: ExecutionResult, options: ReportOptions = {}): string {
  const lines = inOrder(result).flatMap((item) => {
    if (item.kind === 'done') return actionLines(item.result, options, result.root)
    if (item.kind === 'skipped') return skippedLine(item.results)
    return item.kind === 'missed'
      ? missedLines(item.one, options)
      : item.errors.flatMap((one) => errorLines(numbered(one, result), options))
  })
  const fatal = fatalIn(result)
  if (fatal !== undefined) lines.push(`[task-${result.results.length + 1}] FATAL: ${fatal}`)
  if (needsReminder(result)) lines.push(...reminderOf(result))
  for (const warning of result.warnings ?? []) lines.push(`WARNING: ${warning}`)
  lines.push(...editedReplyLines(result))
  const report = printable(lines.map(entryText).join('\n') + correctedSection(result, options))
  return options.budget === undefined ? report : capText(report, options.budget)
}

/** A mistake that stops all of a CSL document has the number of the task that it would have been. */
function numbered(error: ParseError, { results }: ExecutionResult): ParseError {
  if (error.task !== undefined || error.code !== 'CSL_SYNTAX') return error
  const before = results.filter(({ line = 0 }) => line < (error.line ?? 0)).length
  return { ...error, task: String(before + 1) }
}

/** The rest of a group after a failure, in one line. */
function skippedLine(results: readonly ActionResult[]): string[] {
  const [first] = results
  const last = results.at(-1)
  if (first === undefined || last === undefined) return []
  const of = ({ task, seq }: ActionResult): string => task ?? `${seq}`
  return [`[task-${of(first)}] SKIP: ${results.length} tasks, ${of(first)} to ${of(last)} - ${skippedFor(first)}`]
}

function actionLines(
  result: ActionResult,
  { errorDetail = 'full', outputLimit = defaultOutputLimit, programs }: ReportOptions,
  root: string | undefined,
): string[] {
  const head = `[task-${result.task ?? result.seq}]`
  const why = result.explanation === undefined ? '' : ` - ${oneLine(result.explanation)}`
  const what = `${result.label ?? result.action} - ${primaryOf(result)}${why}`
  const shown = outputOf(result, { limit: outputLimit, programs, root })
  const output = shown?.body.split('\n').map((line) => `[task-${result.task ?? result.seq}:${shown.by}] ${line}`)
  const warnings = [
    ...(result.warnings ?? []).map((warning) => `${head} WARNING: ${warning}`),
    ...reviewLines(result, `[task-${result.task ?? result.seq}:review] `),
  ]
  const changes = changedLines(result, `[task-${result.task ?? result.seq}:changes] `)
  const cut = shown?.cut === undefined ? '' : ` (${shown.cut})`
  if (result.success) return [`${head} SUCCESS: ${what}${cut}`, ...warnings, ...changes, ...(output ?? [])]
  const status = result.code === 'skipped' ? 'SKIP' : 'ERROR'
  const [error = '', ...rest] =
    errorDetail === 'minimal' ? [`${result.error ?? ''} [${result.code ?? ''}]`] : repairLines(result)
  return [`${head} ${status}: ${what} - ${error}`, ...rest.map((line) => `    ${line}`), ...warnings, ...(output ?? [])]
}

function missedLines(one: NotExecuted, { errorDetail }: ReportOptions): string[] {
  const advice = errorDetail === 'minimal' ? undefined : resendAdvice(one)
  const line = `[line ${one.line}] ${isMissing(one) ? 'ERROR' : 'SKIP'}: ${notExecutedText(one)}`
  return [line, ...(advice === undefined ? [] : [`    → ${advice}`])]
}

function errorLines(error: ParseError, { errorDetail }: ReportOptions): string[] {
  const head = error.task === undefined ? `[line ${error.line ?? 1}]` : `[task-${error.task}]`
  const where =
    error.line === undefined
      ? ''
      : ` (line ${error.line}${error.column === undefined ? '' : `, column ${error.column}`})`
  const advice = [...(error.hint === undefined ? [] : [`→ ${error.hint}`]), ...wouldHaveRun(error)]
  const hint = errorDetail === 'minimal' ? [] : advice.map((line) => `    ${line}`)
  // A mistake in CSL stops all of it, before anything runs.
  if (error.code === 'CSL_SYNTAX') return [`${head} FATAL: ${error.message}`, ...hint]
  const status = error.code === 'SKIPPED' || error.code === 'CSL_SKIPPED' ? 'SKIP' : 'ERROR'
  return [
    `${head} ${status}: ${error.label ?? error.action ?? error.blockId} - ${error.message}${where} [${error.code ?? ''}]`,
    ...hint,
  ]
}
