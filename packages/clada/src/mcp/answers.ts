import { unlessEmpty } from '@clada/reply/core/optional.ts'
import { clipText } from '../core/describe-value.ts'
import { isRecord } from '@clada/reply/core/is-record.ts'
import type { ActionResult, Evidence, ExecutionResult, ParseError, Preview } from '../core/result.ts'
import { formatCall } from '../report/call.ts'
import { formatReport, withDetail } from '../report/format.ts'
import { defaultOutputLimit, type ReportOptions } from '../report/parts.ts'
import { capText, spellOut } from '../report/words.ts'
import type { RpcParams, RpcResult } from './protocol.ts'

/**
 * The answer of a tool, twice: as text and as data. Claude Code passes on the data where there is some, and of a failure the
 * text; others pass on the text alone. So each has everything.
 */
export interface ToolAnswer {
  readonly text: string
  readonly structured: RpcParams
  readonly success: boolean
  /** The whole report, where `text` is only the part of it that the limits allow. */
  readonly whole?: string
  /** Shown to the model beside the text. */
  readonly images?: readonly Image[]
}

export interface ResourceLink {
  readonly type: 'resource_link'
  readonly uri: string
  readonly name: string
  readonly mimeType: string
  readonly size: number
}

interface Image {
  readonly type: 'image'
  readonly data: string
  readonly mimeType: string
}

/** The answer to a single action. */
export function callAnswer(result: ExecutionResult, options: ReportOptions): ToolAnswer {
  const { gitCommit, fatalError, fatalCode, warnings = [] } = result
  const [only] = withDetail(result, options.errorDetail).results
  const facts = only === undefined ? refusedData(result.parseErrors[0]) : resultFacts(only, options)
  const fatal = fatalError === undefined ? undefined : { error: fatalError, code: fatalCode }
  const all = [...(only?.warnings ?? []), ...warnings]
  return {
    ...answerText((more) => formatCall(result, { ...options, ...more })),
    images: imagesIn(result),
    structured: {
      success: result.success,
      ...facts,
      ...fatal,
      gitCommit,
      warnings: unlessEmpty(all),
    },
    success: result.success,
  }
}

/** The answer to a whole document. */
export function documentAnswer(given: ExecutionResult, options: ReportOptions): ToolAnswer {
  const { success, totalBlocks, executedActions, results, parseErrors, ...rest } = withDetail(
    given,
    options.errorDetail,
  )
  const { gitCommit, fatalError, fatalCode, warnings, notExecuted } = rest
  // Many results share what one may take.
  const share = { ...options, outputLimit: (options.outputLimit ?? defaultOutputLimit) / Math.max(1, results.length) }
  return {
    ...answerText((more) => formatReport(given, 'llm', { ...options, frames: 'none', ...more })),
    images: imagesIn(given),
    structured: {
      success,
      totalBlocks,
      executedActions,
      results: results.map((one) => ({
        success: one.success,
        blockId: one.blockId,
        action: one.action,
        ...resultFacts(one, share),
        warnings: one.warnings,
      })),
      parseErrors: parseErrors.map(({ blockId, action, code, message, hint }) => ({
        blockId,
        action,
        code,
        message,
        hint,
      })),
      gitCommit,
      error: fatalError,
      code: fatalError === undefined ? undefined : fatalCode,
      warnings,
      notExecuted,
    },
    success,
  }
}

/** The answer to what a document would do. */
export function previewAnswer(
  { result, diff, diffs }: Preview,
  options: ReportOptions,
  proposals: 'are asked about' | 'are agreed',
): ToolAnswer {
  const answer = documentAnswer(result, options)
  // What seems to be only a part of a file needs a yes of its own.
  const asked = (result.proposals ?? []).filter(({ lacks }) => proposals === 'are asked about' || lacks !== undefined)
  const waiting = asked.map(({ path }) => `${spellOut(path)} is a proposal: it is applied only after the user's yes.\n`)
  const limit = options.outputLimit ?? defaultOutputLimit
  const shownDiff = diff === '' ? 'Nothing would change.' : spellOut(capText(diff.trimEnd(), limit))
  const structured = {
    ...answer.structured,
    diffs: diffs.map(({ path, change, diff }) => ({ path, change, diff: capText(diff, limit / diffs.length) })),
    proposals: unlessEmpty(asked.map(({ line, path, kind, lacks }) => ({ line, path, kind, lacks }))),
  }
  return { ...answer, text: `${shownDiff}\n\n${waiting.join('')}${answer.text}`, structured }
}

/** A text that was cut is kept whole as well. */
function answerText(format: (more: ReportOptions) => string): Pick<ToolAnswer, 'text' | 'whole'> {
  const text = format({})
  const whole = format({ budget: Infinity, outputLimit: Infinity })
  return whole.length > text.length ? { text, whole } : { text }
}

/** What a result says besides whether it is a success. */
function resultFacts({ data, error, code, details, changes }: ActionResult, { outputLimit }: ReportOptions): RpcParams {
  const limit = outputLimit ?? defaultOutputLimit
  return {
    data: data === undefined ? undefined : fitValue(withoutImage(data), limit),
    error,
    code: error === undefined ? undefined : code,
    details: details === undefined ? undefined : fitValue(details, limit),
    changes: changes === undefined || changes.length === 0 ? undefined : changes.map(changeData),
  }
}

const changeData = ({ path, change, to, added, removed, lines }: Evidence): RpcParams => ({
  path,
  change,
  to,
  added,
  removed,
  lines,
})

function refusedData(error: ParseError | undefined): RpcParams {
  if (error === undefined) return {}
  const { message, code, hint } = error
  return { error: message, code, details: hint === undefined ? undefined : { advice: hint } }
}

/** Images are content of their own. */
function withoutImage(data: unknown): unknown {
  if (!isRecord(data) || data['image'] === undefined) return data
  const { image: _, ...rest } = data
  return rest
}

function imagesIn({ results }: ExecutionResult): Image[] {
  return results.flatMap(({ data }) => {
    const image = isRecord(data) ? data['image'] : undefined
    if (!isRecord(image) || typeof image['type'] !== 'string' || typeof image['base64'] !== 'string') return []
    return [{ type: 'image' as const, data: image['base64'], mimeType: image['type'] }]
  })
}

/** A value of the same shape that is not much longer than a limit: long texts are cut and say so, lists end earlier. */
function fitValue(value: unknown, limit: number): unknown {
  let room = limit
  const fit = (one: unknown): unknown => {
    if (typeof one === 'string') {
      const text = one.length <= room ? one : capText(one, Math.max(room, 0))
      room -= text.length
      return text
    }
    if (Array.isArray(one)) {
      const items: unknown[] = []
      for (const item of one) {
        if (room <= 0) break
        items.push(fit(item))
        room -= 4
      }
      return items
    }
    return isRecord(one) ? Object.fromEntries(Object.entries(one).map(([name, field]) => [name, fit(field)])) : one
  }
  return fit(value)
}

/**
 * As the protocol sends it. Clients made with the official SDK close the connection on a message of more than 10 MiB, so
 * a longer answer is cut and says so. `link` leads to the whole report.
 */
export function toolResult(answer: ToolAnswer, longest: number, link?: ResourceLink): RpcResult {
  const { text, structured, success, images = [] } = answer
  const size = Buffer.byteLength(text)
  let room = longest - Math.min(size, longest >> 1)
  const shownImages = images.filter(({ data }) => (room -= data.length) >= 0)
  const cut = `the answer was cut: it would have ${size} bytes, and many clients take no more than ${longest}. Ask for less at a time (file_read_numbered with lines, grep with max), or start clada mcp with --max-output.`
  const shownText = size <= longest >> 1 ? text : `${capText(text, longest >> 2)}\n⚠️  ${cut}`
  return {
    content: [{ type: 'text', text: shownText }, ...shownImages, ...(link === undefined ? [] : [link])],
    structuredContent: fitsInto(structured, longest >> 1) ? structured : withoutData(structured, cut, longest),
    isError: !success,
  }
}

function withoutData(
  { data: _data, results: _results, details: _details, warnings: given, ...rest }: RpcParams,
  why: string,
  longest: number,
): RpcParams {
  const warnings = Array.isArray(given) ? given : []
  const whole = { ...rest, warnings: [why, ...warnings] }
  if (fitsInto(whole, longest >> 1)) return whole
  // Each text is short; there may be very many, such as of lines that are no blocks.
  const { success, totalBlocks, executedActions, gitCommit, error, code } = rest
  const kept = { success, totalBlocks, executedActions, gitCommit, code }
  return { ...kept, error: typeof error === 'string' ? clipText(error) : undefined, warnings: [why] }
}

const fitsInto = (value: unknown, bytes: number): boolean => Buffer.byteLength(JSON.stringify(value)) <= bytes

/** A text that is no longer than a message may be, as JSON writes it. */
export const fitMessage = (text: string, longest: number): string =>
  fitsInto(text, longest) ? text : capText(text, longest >> 3)

/** Leaves room for the envelope, and for the escapes of JSON. */
export const usualMessage = 10 * 1024 * 1024 - 128 * 1024
