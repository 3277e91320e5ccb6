import { registry as builtIn } from '../actions/registry.ts'
import { isEditMissing } from '@clada/reply/core/block.ts'
import type { Registry } from '../core/action.ts'
import type { ActionResult, ExecutionResult, ParseError } from '../core/result.ts'
import { formatCount, capitalize } from '@clada/reply/core/words.ts'
import { type LineFormat, reportEntries } from './entries.ts'
import {
  changedLines,
  defaultOutputLimit,
  fileLimitOf,
  notExecutedText,
  showOutput,
  type ReportOptions,
  reviewLines,
  skippedFor,
} from './parts.ts'
import { primaryOf, spellOut, safeLines, wholeWarning } from './words.ts'
import { sentenceOf } from './failure.ts'
import { correctedSection, repairLines, wouldHaveRun } from './repair.ts'

/** A line for each task, numbered from 1, then a `<result>` for programs, which counts from 0. */
export const xmlFormat: LineFormat = (options, root) => ({
  style: {
    action: ({ index, result }) => safeLines(taskLines(index, result, options, root)),
    skipped: ({ index, results }) => {
      const [first] = results
      const why = first === undefined ? '' : skippedFor(first)
      const range = `${index + 1} to ${index + results.length}`
      return safeLines([`[task-${index + 1}] Skipped: ${results.length} tasks, ${range}: ${why}`])
    },
    unreadable: ({ index, errors }) =>
      safeLines(errors.flatMap((error) => xmlErrorLines(`[task-${index + 1}]`, error, options.errorDetail))),
    missed: ({ one }) => safeLines([`${isEditMissing(one) ? 'Error' : 'Warning'}: ${notExecutedText(one)}`]),
    'more-missed': ({ count, isMissing: missing }) => [
      `${missing ? 'Error' : 'Warning'}: ${formatCount(count, 'more block')} not executed`,
    ],
    fatal: ({ message }) => safeLines([`Error: ${message}`]),
    reminder: () => [],
    warning: ({ message }) => safeLines([`Warning: ${message}`]),
    'edited-reply': ({ lines }) => safeLines(lines),
  },
  closing: (result) => {
    const tasks = tasksOf(result)
    const isEmpty = tasks.length === 0 && reportEntries(result).every(({ kind }) => kind === 'reminder')
    return [...(isEmpty ? [] : ['']), resultElement(tasks), ...correctedSection(result, options)]
  },
})

interface XmlTask {
  /** From 0. */
  readonly index: number
  readonly group: number | undefined
  readonly status: 'success' | 'error' | 'skipped'
  readonly result?: ActionResult
  /** What is wrong with a block that could not be read. */
  readonly errors?: readonly ParseError[]
}

function tasksOf(result: ExecutionResult): XmlTask[] {
  const taskOf = (one: ActionResult, index: number): XmlTask => {
    const status = one.success ? 'success' : one.code === 'skipped' ? 'skipped' : 'error'
    return { index, group: one.group, status, result: one }
  }
  return reportEntries(result).flatMap((entry): XmlTask[] => {
    if (entry.kind === 'action') return [taskOf(entry.result, entry.index)]
    if (entry.kind === 'skipped') return entry.results.map((one, at) => taskOf(one, entry.index + at))
    if (entry.kind !== 'unreadable') return []
    return [{ index: entry.index, group: entry.errors[0]?.group, status: 'error', errors: entry.errors }]
  })
}

function taskLines(index: number, result: ActionResult, options: ReportOptions, root: string | undefined): string[] {
  const { errorDetail, outputLimit = defaultOutputLimit, programs, registry = builtIn } = options
  const head = `[task-${index + 1}]`
  const warnings = [
    ...(result.warnings ?? []).map((warning) => `${head} Warning: ${wholeWarning(warning)}`),
    ...reviewLines(result, `[task-${index + 1}:review] `),
  ]
  const shown = showOutput(result, { limit: outputLimit, fileLimit: fileLimitOf(options), programs, root, registry })
  const output = shown?.body.split('\n').map((line) => `[task-${index + 1}:${shown.by}] ${line}`) ?? []
  const changes = changedLines(result, `[task-${index + 1}:changes] `)
  const cut = shown?.cut === undefined ? '' : ` (${shown.cut})`
  if (result.success)
    return [`${head} Success: ${successOf(result, registry)}${cut}`, ...warnings, ...changes, ...output]
  if (result.code === 'skipped')
    return [`${head} Skipped: ${result.action}: ${result.failure?.what ?? result.error}`, ...warnings]
  const rest = errorDetail === 'minimal' ? [] : repairLines(result, { reader: 'model', errorDetail }).slice(1)
  return [
    `${head} Error: ${result.code} in ${primaryOf(result)} (${skipReason(result)})`,
    ...rest.map((line) => `    ${line}`),
    ...warnings,
    ...output,
  ]
}

function xmlErrorLines(
  head: string,
  { code, message, line, column, hint, meant }: ParseError,
  errorDetail: ReportOptions['errorDetail'],
): string[] {
  const where = line === undefined ? '' : ` (line ${line}${column === undefined ? '' : `, column ${column}`})`
  const advice = [...(hint === undefined ? [] : [`→ ${hint}`]), ...wouldHaveRun({ code: code ?? malformed, meant })]
  const shown = errorDetail === 'minimal' ? [] : advice.map((one) => `    ${one}`)
  return [`${head} Error: ${code ?? malformed}: ${message}${where}`, ...shown]
}

const malformed = 'malformed_xml'

/** The result in the past tense. */
function successOf(result: ActionResult, registry: Registry): string {
  const target = primaryOf(result)
  return registry.get(result.action)?.past?.(target, result) ?? `${result.action} ${target}`.trimEnd()
}

function skipReason(result: ActionResult): string {
  const { details } = result
  if (typeof details?.found === 'number' && details.expected !== undefined) {
    return `found ${details.found} matches, expected ${details.expected}`
  }
  return sentenceOf(result)
}

function resultElement(tasks: readonly XmlTask[]): string {
  const blocks = groupTasks(tasks)
  const count = (status: XmlTask['status']): number => tasks.filter((task) => task.status === status).length
  const skipped = count('skipped')
  const open = `<result blocks="${blocks.length}" tasks="${tasks.length}" succeeded="${count('success')}" failed="${count('error')}"${skipped > 0 ? ` skipped="${skipped}"` : ''}`
  if (blocks.length === 0) return `${open}/>`
  return [`${open}>`, ...blocks.flatMap((block, index) => blockElement(block, index)), '</result>'].join('\n')
}

/** A group is a block; so is a task without a group. */
function groupTasks(tasks: readonly XmlTask[]): XmlTask[][] {
  const blocks: XmlTask[][] = []
  for (const task of tasks) {
    const last = blocks.at(-1)
    if (task.group !== undefined && last?.[0]?.group === task.group) last.push(task)
    else blocks.push([task])
  }
  return blocks
}

function blockElement(tasks: readonly XmlTask[], index: number): string[] {
  const failed = tasks.filter((task) => task.status !== 'success')
  if (failed.length === 0) return [`  <block index="${index}" status="success" tasks="${tasks.length}"/>`]
  return [
    `  <block index="${index}" status="failed" tasks="${tasks.length}">`,
    ...failed.flatMap(taskElement),
    '  </block>',
  ]
}

function taskElement({ index, status, result, errors = [] }: XmlTask): string[] {
  if (status === 'skipped') return [`    <task index="${index}" status="skipped"/>`]
  const reasons =
    result === undefined
      ? errors.map(({ code, message }) => [code, message] as const)
      : [[result.code, capitalize(skipReason(result))] as const]
  return [
    `    <task index="${index}" status="error">`,
    ...reasons.map(([code = malformed, text]) => `      <error type="${escapeXml(code)}">${escapeXml(text)}</error>`),
    '    </task>',
  ]
}

const escapes: Record<string, string> = { '<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&quot;' }
const escapeXml = (text: string): string => spellOut(text).replace(/[<>&"]/g, (char) => escapes[char] ?? char)
