import { taskNumberOf } from '../core/result.ts'
import { isEditMissing } from '@clada/reply/core/block.ts'
import type { ActionResult, ParseError } from '../core/result.ts'
import { formatCount } from '@clada/reply/core/words.ts'
import type { LineFormat } from './entries.ts'
import {
  changedLines,
  defaultOutputLimit,
  fileLimitOf,
  notExecutedText,
  showOutput,
  type ReportOptions,
  resendAdvice,
  reviewLines,
  skippedFor,
} from './parts.ts'
import { correctedSection, repairLines, wouldHaveRun } from './repair.ts'
import { oneLine, primaryOf, safeLines, wholeWarning } from './words.ts'

/** Lines `[task-N] STATUS: OPERATION - details`. */
export const textFormat: LineFormat = (options, root) => {
  const { errorDetail } = options
  const isMinimal = errorDetail === 'minimal'
  return {
    style: {
      action: ({ result }) => safeLines(plainLines(result, options, root)),
      skipped: ({ results }) => safeLines(skippedTextLine(results)),
      unreadable: ({ errors, task }) => safeLines(errors.flatMap((error) => textErrorLines(error, task, isMinimal))),
      missed: ({ one }) => {
        const advice = isMinimal ? undefined : resendAdvice(one)
        const line = `[line ${one.line}] ${isEditMissing(one) ? 'ERROR' : 'SKIP'}: ${notExecutedText(one)}`
        return safeLines([line, ...(advice === undefined ? [] : [`    → ${advice}`])])
      },
      'more-missed': ({ count, isMissing: missing }) => [
        `${missing ? 'ERROR' : 'SKIP'}: ${formatCount(count, 'more block')} not executed`,
      ],
      fatal: ({ message, task }) => safeLines([`[task-${task}] FATAL: ${message}`]),
      reminder: ({ lines }) => lines,
      warning: ({ message }) => safeLines([`WARNING: ${message}`]),
      'edited-reply': ({ lines }) => safeLines(lines),
    },
    closing: (result) => correctedSection(result, options),
  }
}

/** The rest of a group after a failure, in one line. */
function skippedTextLine(results: readonly ActionResult[]): string[] {
  const [first] = results
  const last = results.at(-1)
  if (first === undefined || last === undefined) return []
  return [
    `[task-${taskNumberOf(first)}] SKIP: ${results.length} tasks, ${taskNumberOf(first)} to ${taskNumberOf(last)} - ${skippedFor(first)}`,
  ]
}

function plainLines(result: ActionResult, options: ReportOptions, root: string | undefined): string[] {
  const { errorDetail = 'full', outputLimit = defaultOutputLimit, programs, registry } = options
  const task = taskNumberOf(result)
  const head = `[task-${task}]`
  const why = result.explanation === undefined ? '' : ` - ${oneLine(result.explanation)}`
  const what = `${result.label ?? result.action} - ${primaryOf(result)}${why}`
  const shown = showOutput(result, { limit: outputLimit, fileLimit: fileLimitOf(options), programs, root, registry })
  const output = shown?.body.split('\n').map((line) => `[task-${task}:${shown.by}] ${line}`) ?? []
  const warnings = [
    ...(result.warnings ?? []).map((warning) => `${head} WARNING: ${wholeWarning(warning)}`),
    ...reviewLines(result, `[task-${task}:review] `),
  ]
  const changes = changedLines(result, `[task-${task}:changes] `)
  const cut = shown?.cut === undefined ? '' : ` (${shown.cut})`
  if (result.success) return [`${head} SUCCESS: ${what}${cut}`, ...warnings, ...changes, ...output]
  const status = result.code === 'skipped' ? 'SKIP' : 'ERROR'
  const [error = '', ...rest] =
    errorDetail === 'minimal'
      ? [`${result.error ?? ''} [${result.code ?? ''}]`]
      : repairLines(result, { reader: 'model', errorDetail })
  return [`${head} ${status}: ${what} - ${error}`, ...rest.map((line) => `    ${line}`), ...warnings, ...output]
}

function textErrorLines(error: ParseError, task: string | undefined, isMinimal: boolean): string[] {
  const head = task === undefined ? `[line ${error.line ?? 1}]` : `[task-${task}]`
  const where =
    error.line === undefined
      ? ''
      : ` (line ${error.line}${error.column === undefined ? '' : `, column ${error.column}`})`
  const advice = [...(error.hint === undefined ? [] : [`→ ${error.hint}`]), ...wouldHaveRun(error)]
  const hint = isMinimal ? [] : advice.map((line) => `    ${line}`)
  // An error in CSL stops all of it, before anything runs.
  const isFatal = error.code === 'CSL_SYNTAX' || (error.syntax === 'csl' && error.code === 'truncated')
  if (isFatal) return [`${head} FATAL: ${error.message}`, ...hint]
  const status = error.code === 'SKIPPED' || error.code === 'CSL_SKIPPED' ? 'SKIP' : 'ERROR'
  return [
    `${head} ${status}: ${error.label ?? error.action ?? error.blockId} - ${error.message}${where} [${error.code ?? ''}]`,
    ...hint,
  ]
}
