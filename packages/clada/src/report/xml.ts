import { registry } from '../actions/registry.ts'
import type { ActionResult, ExecutionResult, ParseError } from '../core/result.ts'
import {
  accountLines,
  changedLines,
  defaultOutputLimit,
  editedReplyLines,
  outputOf,
  type ReportOptions,
  reviewLines,
  skippedFor,
  fatalIn,
} from './parts.ts'
import { byBlock, capText, entryText, primaryOf, printable } from './words.ts'
import { sentenceOf } from './failure.ts'
import { correctedSection, repairLines, wouldHaveRun } from './repair.ts'

/** A line for each task, numbered from 1, then a `<result>` for programs, which counts from 0. */
export function formatXml(result: ExecutionResult, options: ReportOptions = {}): string {
  const tasks = tasksOf(result)
  const lines = runsOf(tasks).flatMap((run) => runLines(run, options, result.root))
  const fatal = fatalIn(result)
  if (fatal !== undefined) lines.push(`Error: ${fatal}`)
  lines.push(...accountLines(result, (text, missing) => `${missing ? 'Error' : 'Warning'}: ${text}`))
  for (const warning of result.warnings ?? []) lines.push(`Warning: ${warning}`)
  lines.push(...editedReplyLines(result))
  const report = printable(
    [...lines.map(entryText), ...(lines.length > 0 ? [''] : []), resultElement(tasks)].join('\n') +
      correctedSection(result, options),
  )
  return options.budget === undefined ? report : capText(report, options.budget)
}

interface Task {
  /** From 0. */
  readonly index: number
  readonly group: number | undefined
  readonly status: 'success' | 'error' | 'skipped'
  readonly line: number
  readonly result?: ActionResult
  /** What is wrong with a block that could not be read. */
  readonly errors?: readonly ParseError[]
}

function tasksOf({ results, parseErrors }: ExecutionResult): Task[] {
  const done = results.map((result) => ({
    result,
    group: result.group,
    line: result.line ?? 0,
    status: result.success
      ? ('success' as const)
      : result.code === 'skipped'
        ? ('skipped' as const)
        : ('error' as const),
  }))
  const broken = byBlock(parseErrors).map((errors) => ({
    errors,
    group: errors[0]?.group,
    line: errors[0]?.line ?? 0,
    status: 'error' as const,
  }))
  return [...done, ...broken].sort((a, b) => a.line - b.line).map((task, index) => ({ ...task, index }))
}

/** Tasks of a group that were skipped for one reason make one run; every other task is one by itself. */
function runsOf(tasks: readonly Task[]): Task[][] {
  const runs: Task[][] = []
  for (const task of tasks) {
    const last = runs.at(-1)
    const before = last?.at(-1)
    const isSame = task.status === 'skipped' && before?.status === 'skipped' && task.group === before.group
    if (isSame && task.group !== undefined) last?.push(task)
    else runs.push([task])
  }
  return runs
}

function runLines(run: readonly Task[], options: ReportOptions, root: string | undefined): string[] {
  const [first, second] = run
  const last = run.at(-1)
  if (first === undefined || last === undefined) return []
  if (second === undefined) return taskLines(first, options, root)
  const why = first.result && skippedFor(first.result)
  return [`[task-${first.index + 1}] Skipped: ${run.length} tasks, ${first.index + 1} to ${last.index + 1}: ${why}`]
}

function taskLines(
  task: Task,
  { errorDetail, outputLimit = defaultOutputLimit, programs }: ReportOptions,
  root: string | undefined,
): string[] {
  const head = `[task-${task.index + 1}]`
  const { result, errors = [] } = task
  if (result === undefined) return errors.flatMap((error) => errorLines(head, error, errorDetail))
  const warnings = [
    ...(result.warnings ?? []).map((warning) => `${head} Warning: ${warning}`),
    ...reviewLines(result, `[task-${task.index + 1}:review] `),
  ]
  const shown = outputOf(result, { limit: outputLimit, programs, root })
  const output = shown?.body.split('\n').map((line) => `[task-${task.index + 1}:${shown.by}] ${line}`) ?? []
  const changes = changedLines(result, `[task-${task.index + 1}:changes] `)
  const cut = shown?.cut === undefined ? '' : ` (${shown.cut})`
  if (result.success) return [`${head} Success: ${successOf(result)}${cut}`, ...warnings, ...changes, ...output]
  const rest =
    errorDetail === 'minimal'
      ? []
      : repairLines(result)
          .slice(1)
          .map((line) => `    ${line}`)
  if (task.status === 'skipped')
    return [`${head} Skipped: ${result.action}: ${result.failure?.what ?? result.error}`, ...warnings]
  return [
    `${head} Error: ${result.code} in ${primaryOf(result)} (${reasonFor(result)})`,
    ...rest,
    ...warnings,
    ...output,
  ]
}

function errorLines(
  head: string,
  { code, message, line, column, hint, meant }: ParseError,
  errorDetail: ReportOptions['errorDetail'],
): string[] {
  const where = line === undefined ? '' : ` (line ${line}${column === undefined ? '' : `, column ${column}`})`
  const advice = [
    ...(hint === undefined ? [] : [`→ ${hint}`]),
    ...wouldHaveRun({ code: code ?? malformed, ...(meant && { meant }) }),
  ]
  const shown = errorDetail === 'minimal' ? [] : advice.map((one) => `    ${one}`)
  return [`${head} Error: ${code ?? malformed}: ${message}${where}`, ...shown]
}

const malformed = 'malformed_xml'

/** The result in the past tense. */
function successOf(result: ActionResult): string {
  const target = primaryOf(result)
  return registry.get(result.action)?.past?.(target, result) ?? `${result.action} ${target}`.trimEnd()
}

function reasonFor(result: ActionResult): string {
  const { details } = result
  if (typeof details?.found === 'number' && details.expected !== undefined) {
    return `found ${details.found} matches, expected ${details.expected}`
  }
  return sentenceOf(result)
}

function resultElement(tasks: readonly Task[]): string {
  const blocks = blocksOf(tasks)
  const count = (status: Task['status']): number => tasks.filter((task) => task.status === status).length
  const skipped = count('skipped')
  const open = `<result blocks="${blocks.length}" tasks="${tasks.length}" succeeded="${count('success')}" failed="${count('error')}"${skipped > 0 ? ` skipped="${skipped}"` : ''}`
  if (blocks.length === 0) return `${open}/>`
  return [`${open}>`, ...blocks.flatMap((block, index) => blockElement(block, index)), '</result>'].join('\n')
}

/** A group is a block; so is a task without a group. */
function blocksOf(tasks: readonly Task[]): Task[][] {
  const blocks: Task[][] = []
  for (const task of tasks) {
    const last = blocks.at(-1)
    if (task.group !== undefined && last?.[0]?.group === task.group) last.push(task)
    else blocks.push([task])
  }
  return blocks
}

function blockElement(tasks: readonly Task[], index: number): string[] {
  const failed = tasks.filter((task) => task.status !== 'success')
  if (failed.length === 0) return [`  <block index="${index}" status="success" tasks="${tasks.length}"/>`]
  return [
    `  <block index="${index}" status="failed" tasks="${tasks.length}">`,
    ...failed.flatMap(taskElement),
    '  </block>',
  ]
}

function taskElement({ index, status, result, errors = [] }: Task): string[] {
  if (status === 'skipped') return [`    <task index="${index}" status="skipped"/>`]
  const reasons =
    result === undefined
      ? errors.map(({ code, message }) => [code, message] as const)
      : [[result.code, capitalised(reasonFor(result))] as const]
  return [
    `    <task index="${index}" status="error">`,
    ...reasons.map(([code = malformed, text]) => `      <error type="${escaped(code)}">${escaped(text)}</error>`),
    '    </task>',
  ]
}

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const escapes: Record<string, string> = { '<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&quot;' }
const escaped = (text: string): string => printable(text).replace(/[<>&"]/g, (char) => escapes[char] ?? char)
