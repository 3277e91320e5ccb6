import type { CallToolResult, ContentBlock, ImageContent } from '@modelcontextprotocol/sdk/types.js'
import type { ActionResult, ExecutionResult, ParseError, Preview } from '../core/result.ts'
import { formatReport, withDetail } from '../report/format.ts'
import { defaultOutputLimit, type ReportOptions } from '../report/parts.ts'
import { capText, printable } from '../report/words.ts'
import { isRecord } from '../core/platform.ts'

/** The answer of a tool: a report for the model, and the outcome for the program that called. */
export interface Answer {
  readonly text: string
  /** Without long texts: the report has them. */
  readonly outcome: Record<string, unknown>
  readonly success: boolean
  /** The whole report, where `text` is only the part of it that the limits allow. */
  readonly whole?: string
  /** Shown to the model beside the report. */
  readonly images?: readonly ImageContent[]
}

/** The answer to a single action, without its parameters. */
export function actionAnswer(action: string, result: ExecutionResult, options: ReportOptions): Answer {
  const { gitCommit, fatalError, fatalCode, warnings = [] } = result
  const [only] = withDetail(result, options.errorDetail).results
  const outcome = only === undefined ? refused(action, result.parseErrors[0]) : shown(only)
  const failure = fatalError === undefined ? {} : { error: fatalError, code: fatalCode }
  const all = [...(only?.warnings ?? []), ...warnings]
  return {
    ...reported(result, options),
    images: imagesIn(result),
    outcome: {
      ...outcome,
      ...failure,
      success: result.success,
      ...(gitCommit === undefined ? {} : { gitCommit }),
      ...(all.length === 0 ? {} : { warnings: all }),
    },
    success: result.success,
  }
}

function imagesIn({ results }: ExecutionResult): ImageContent[] {
  return results.flatMap(({ data }) => {
    const image = isRecord(data) ? data['image'] : undefined
    if (!isRecord(image) || typeof image['type'] !== 'string' || typeof image['base64'] !== 'string') return []
    return [{ type: 'image' as const, data: image['base64'], mimeType: image['type'] }]
  })
}

/** A report that was cut is kept whole as well. */
function reported(result: ExecutionResult, options: ReportOptions): Pick<Answer, 'text' | 'whole'> {
  const text = formatReport(result, 'llm', options)
  const whole = formatReport(result, 'llm', { ...options, budget: Infinity, outputLimit: Infinity })
  return whole.length > text.length ? { text, whole } : { text }
}

function shown({ action, data, error, code, details, durationMs }: ActionResult): Record<string, unknown> {
  const short = shortValue(data)
  return {
    action,
    ...(short === undefined ? {} : { data: short }),
    ...(error === undefined ? {} : { error, code }),
    ...(details === undefined ? {} : { details: shortValue(details) }),
    ...(durationMs === undefined ? {} : { durationMs }),
  }
}

function refused(action: string, error: ParseError | undefined): Record<string, unknown> {
  if (error === undefined) return { action }
  const { message, code, hint } = error
  return { action, error: message, code, ...(hint === undefined ? {} : { details: { advice: hint } }) }
}

/** The answer to a whole document. */
export function documentAnswer(given: ExecutionResult, options: ReportOptions): Answer {
  const { success, totalBlocks, executedActions, results, parseErrors, ...rest } = withDetail(
    given,
    options.errorDetail,
  )
  const { gitCommit, fatalError, fatalCode, warnings, notExecuted } = rest
  return {
    ...reported(given, options),
    images: imagesIn(given),
    outcome: {
      success,
      totalBlocks,
      executedActions,
      results: results.map((result) => ({ success: result.success, ...shown(result) })),
      parseErrors: parseErrors.map(({ blockId, action, code, message }) => ({ blockId, action, code, message })),
      ...(gitCommit === undefined ? {} : { gitCommit }),
      ...(fatalError === undefined ? {} : { fatalError, fatalCode }),
      ...(warnings === undefined ? {} : { warnings }),
      ...(notExecuted === undefined ? {} : { notExecuted }),
    },
    success,
  }
}

/** The answer to what a document would do. */
export function previewAnswer({ result, diff, diffs }: Preview, options: ReportOptions): Answer {
  const answer = documentAnswer(result, options)
  const limit = options.outputLimit ?? defaultOutputLimit
  const shownDiff = diff === '' ? 'Nothing would change.' : printable(capText(diff.trimEnd(), limit))
  const outcome = { ...answer.outcome, diffs: diffs.map(({ path, change }) => ({ path, change })) }
  return { ...answer, text: `${shownDiff}\n\n${answer.text}`, outcome }
}

/** A value without its long texts and lists: the report has those, and each is in an answer once. */
function shortValue(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return isShort(value) ? value : undefined
  return Object.fromEntries(Object.entries(value).filter(([, field]) => isShort(field)))
}

const isShort = (value: unknown): boolean => (JSON.stringify(value)?.length ?? 0) <= 200

/** The name of the outcome in `_meta`, which clients keep from the model. */
export const outcomeKey = 'clada/outcome'

/**
 * As the protocol sends it. Clients made with the official SDK close the connection on a message of more than 10 MiB, so
 * a longer answer is cut and says so. `link` leads to the whole report.
 */
export function toolResult(answer: Answer, longest: number, link?: ContentBlock): CallToolResult {
  const { text, outcome, success, images = [] } = answer
  const size = Buffer.byteLength(text)
  let room = longest - Math.min(size, longest >> 1)
  const shownImages = images.filter(({ data }) => (room -= data.length) >= 0)
  const warning = `the answer was cut: it would have ${size} bytes, and many clients take no more than ${longest}. Ask for less at a time (file_read_numbered with lines, grep with max), or start clada mcp with --max-output.`
  const shownText = size <= longest ? text : `${capText(text, longest >> 1)}\n⚠️  ${warning}`
  return {
    content: [{ type: 'text', text: shownText }, ...shownImages, ...(link === undefined ? [] : [link])],
    isError: !success,
    ...(JSON.stringify(outcome).length > longest >> 2 ? {} : { _meta: { [outcomeKey]: outcome } }),
  }
}

/** Leaves room for the envelope, and for the escapes of JSON. */
export const usualMessage = 10 * 1024 * 1024 - 128 * 1024
