import type { ActionResult, ExecutionResult, ParseError, Preview } from '../core/result.ts'
import { formatReport, withDetail } from '../report/format.ts'
import type { ReportOptions } from '../report/options.ts'
import { defaultOutputLimit } from '../report/outputs.ts'
import { printable } from '../report/printable.ts'
import { capText } from '../report/words.ts'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'

/** What a tool answers: a report for the model, and the same as values, each complete without the other. */
export interface Answer {
  readonly text: string
  readonly values: Record<string, unknown>
  readonly success: boolean
  /** The values without what makes them long. */
  readonly short: () => Record<string, unknown>
}

/** The answer to a single action, without its parameters. */
export function actionAnswer(action: string, result: ExecutionResult, options: ReportOptions): Answer {
  const { gitCommit, fatalError, fatalCode, warnings = [] } = result
  const [only] = withDetail(result, options.errorDetail).results
  const outcome = only === undefined ? refused(action, result.parseErrors[0]) : shown(only)
  const failure = fatalError === undefined ? {} : { error: fatalError, code: fatalCode }
  const all = [...(only?.warnings ?? []), ...warnings]
  const values = {
    ...outcome,
    ...failure,
    success: result.success,
    ...(gitCommit === undefined ? {} : { gitCommit }),
    ...(all.length === 0 ? {} : { warnings: all }),
  }
  const short = () => ({ ...values, data: shortFields(values.data) })
  return { text: formatReport(result, 'llm', options), values, success: result.success, short }
}

function shown({
  action,
  data,
  error,
  code,
  details,
  durationMs,
}: ActionResult): Record<string, unknown> & { data?: unknown } {
  return {
    action,
    ...(data === undefined ? {} : { data }),
    ...(error === undefined ? {} : { error, code }),
    ...(details === undefined ? {} : { details }),
    ...(durationMs === undefined ? {} : { durationMs }),
  }
}

function refused(action: string, error: ParseError | undefined): Record<string, unknown> & { data?: unknown } {
  if (error === undefined) return { action }
  const { message, code, hint } = error
  return { action, error: message, code, ...(hint === undefined ? {} : { details: { advice: hint } }) }
}

/** The answer to a whole document. */
export function documentAnswer(given: ExecutionResult, options: ReportOptions): Answer {
  const result = withDetail(given, options.errorDetail)
  return {
    text: formatReport(given, 'llm', options),
    values: { ...result },
    success: result.success,
    short: () => ({ ...result, results: result.results.map(bare) }),
  }
}

const bare = (result: ActionResult): object => ({
  ...result,
  params: shortFields(result.params),
  data: shortFields(result.data),
})

/** What is left of a value without its long parts: never half of one. */
function shortFields(value: unknown): object | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return Object.fromEntries(Object.entries(value).filter(([, field]) => (JSON.stringify(field)?.length ?? 0) <= 1000))
}

/** The answer to what a document would do. */
export function previewAnswer({ result: given, diff, diffs }: Preview, options: ReportOptions): Answer {
  const result = withDetail(given, options.errorDetail)
  const unchanged = 'Nothing would change.'
  const shownDiff =
    diff === '' ? unchanged : printable(capText(diff.trimEnd(), options.outputLimit ?? defaultOutputLimit))
  return {
    text: `${shownDiff}\n\n${formatReport(given, 'llm', options)}`,
    values: { success: result.success, result, diffs },
    success: result.success,
    short: () => ({ success: result.success, result: { ...result, results: result.results.map(bare) } }),
  }
}

/**
 * As the protocol sends it. Clients made with the official SDK hang up on a message of more than 10 MiB, so what would
 * be longer leaves out what is long in its data and says so.
 */
export function toolResult({ text, values, success, short }: Answer, longest = usualMessage): CallToolResult {
  const size = Buffer.byteLength(text) + Buffer.byteLength(JSON.stringify(values))
  const result = (shown: string, structuredContent: Record<string, unknown>): CallToolResult => ({
    content: [{ type: 'text', text: shown }],
    structuredContent,
    isError: !success,
  })
  if (size <= longest) return result(text, values)
  const warning = `what is long in the data is left out: the answer would have ${size} bytes, and many clients take no more than ${longest}. Ask for less at a time (file_read_numbered with lines, grep with max), or start clada mcp with --max-output.`
  const left = short()
  const warnings = [...(Array.isArray(left['warnings']) ? left['warnings'] : []), warning]
  return result(`${capText(text, longest >> 2)}\n⚠️  ${warning}`, { ...left, warnings })
}

/** Some room for the envelope, and for what quoting adds. */
export const usualMessage = 10 * 1024 * 1024 - 128 * 1024
