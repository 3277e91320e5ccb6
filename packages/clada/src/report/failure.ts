import { isRecord } from '@clada/reply/core/is-record.ts'
import type { ActionResult, Failure } from '../core/result.ts'
import { oneLine, primaryOf } from './words.ts'

type FailedResult = Pick<ActionResult, 'error' | 'failure'>

/** The whole message, as models and programs get it. */
export function errorText(failure: Failure, action: string): string {
  const { head = action, below } = failure
  return `${head === '' ? '' : `${head}: `}${withLabel(failure)}${tagOf(failure)}${below === undefined ? '' : `\n${below}`}`
}

/** On one line, without the name of the action and the code, which the report has already printed. */
export function sentenceOf({ failure, error = '' }: FailedResult): string {
  if (failure === undefined) return oneLine(error)
  if (failure.plain !== undefined) return onOneLine(failure.plain)
  return onOneLine(`${failure.head ? `${failure.head}: ` : ''}${wholeSentence(failure)}${tagOf(failure)}`)
}

/** For the user: without the name of the action and without codes. */
export function userText({ failure, error = '' }: FailedResult): string {
  if (failure === undefined) return error
  const { below, plain, user } = failure
  if (plain !== undefined) return plain
  const sentence = user?.sentence ?? wholeSentence(failure)
  return below === undefined ? sentence : `${sentence}\n${below}`
}

/** The same in a list, whose row names what it is about. What would introduce further lines ends without a colon. */
export function userReason(result: Parameters<typeof reasonOf>[0]): string {
  const { failure } = result
  if (isPartial(result)) return reasonOf(result)
  if (failure === undefined || failure.plain !== undefined || failure.user?.sentence !== undefined)
    return oneLine(userText(result)).replace(/:$/, '')
  const { subject, ...unnamed } = failure
  return oneLine(onOneLine(wholeSentence(subject === primaryOf(result) ? unnamed : failure))).replace(/:$/, '')
}

/** The next step for a person who looks at the page; the advice in the report is for the model. */
export function pageAdvice({ failure, details = {} }: Pick<ActionResult, 'failure' | 'details'>): string | undefined {
  const { nearest = [], places = [], advice } = details
  if (nearest.length + places.length > 0)
    return 'Use one of these places, edit the block, or copy the report: it shows the model what the file has.'
  if (failure?.user?.advice !== undefined) return failure.user.advice
  return advice === undefined ? undefined : 'Copy the report: it tells the model how to correct this.'
}

/** Why an action failed, in a few words. */
export function reasonOf(result: FailedResult & Pick<ActionResult, 'code' | 'data' | 'details' | 'params'>): string {
  const { error, code, data, details, failure } = result
  const said = code === 'exec_failed' ? lastLineOf(data) : undefined
  if (said !== undefined) return oneLine(said.trim())
  if (isPartial(result)) {
    const [changed, read, failed] = [countChangedFiles(data), failedPaths(data).length, details?.failures?.length ?? 0]
    const what =
      changed === undefined ? `Read ${read} of ${read + failed}` : `Changed ${changed.done} of ${changed.all}`
    return `${what} files (${failed} failed)`
  }
  if (failure === undefined) return oneLine(error || 'Unknown error')
  // The line names what the action is about, and codes after a sentence are for programs.
  const { brief, subject, ...unnamed } = failure
  return oneLine(onOneLine(brief ?? withLabel(subject === primaryOf(result) ? unnamed : failure)))
}

const wholeSentence = ({ what, subject, rest = '' }: Failure): string =>
  subject === undefined ? `${what}${rest}` : `${what} '${subject}'${rest}`

const withLabel = (failure: Failure): string =>
  `${failure.label === undefined ? '' : `${failure.label}: `}${wholeSentence(failure)}`

const tagOf = ({ tag }: Failure): string => (tag === undefined ? '' : ` (${tag})`)

const onOneLine = (text: string): string => text.replaceAll('\n', '⏎')

/** Whether some of several files could be read or changed. */
export const isPartial = ({ data, details }: Pick<ActionResult, 'data' | 'details'>): boolean =>
  details?.failures !== undefined && (failedPaths(data).length > 0 || (countChangedFiles(data)?.done ?? 0) > 0)

function failedPaths(data: unknown): readonly unknown[] {
  return typeof data === 'object' && data !== null && 'paths' in data && Array.isArray(data.paths) ? data.paths : []
}

/** How many of several files were changed; undefined where none was to be. */
function countChangedFiles(data: unknown): { readonly done: number; readonly all: number } | undefined {
  if (typeof data !== 'object' || data === null || !('results' in data) || !Array.isArray(data.results))
    return undefined
  const each: readonly { replacements_made?: unknown }[] = data.results
  return { done: each.filter(({ replacements_made }) => replacements_made !== 0).length, all: each.length }
}

const thrown = /^(?:Uncaught )?\w*(?:Error|Exception)\b[^:]*: /

/** Of a compiler, or of the linker. */
const compilerError = /(?:^|\s)(?:fatal )?error(?:\[\w+\])?: (?!could not compile|aborting due to)/

/** What programs write below the reason: frames of the stack, marks below a line of code, counts, advice, their version. */
const belowReason =
  /^(?:\s+at .+|\s+from .+:\d+:in .+|\s*\.\.\. \d+ more|[\s|\d]*[\^~|][\s^~|]*|\d+ (?:errors?|warnings?)(?: generated)?\.?|compilation terminated\.|error: (?:could not compile|aborting due to) .+|For more information about .+|Node\.js v\d.*|npm (?:error|ERR!)(?: A complete log of this run .*)?|[^\s:]+:\d+:(?:\d+:)? note: .+|make(?:\[\d+\])?: \*\*\* .+)$/

/** The line that a program wrote about the reason of its failure: usually the last one. */
function lastLineOf(data: unknown): string | undefined {
  if (!isRecord(data) || typeof data['stderr'] !== 'string') return undefined
  const lines = data['stderr'].split('\n').filter((line) => line.trim() !== '')
  const last = lines.at(-1)
  if (last === undefined || !belowReason.test(last)) return last
  return (
    lines.findLast((line) => thrown.test(line)) ??
    lines.find((line) => compilerError.test(line)) ??
    lines.findLast((line) => !belowReason.test(line)) ??
    last
  )
}
