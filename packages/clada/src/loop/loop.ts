import { setTimeout as delay } from 'node:timers/promises'
import { Clada } from '../api/clada.ts'
import type { CladaOptions } from '../config/settings.ts'
import type { Code } from '@clada/reply/core/codes.ts'
import { isRecord } from '@clada/reply/core/is-record.ts'
import { type ActionResult, type ExecutionResult } from '../core/result.ts'
import { formatCount } from '@clada/reply/core/words.ts'
import { InputError } from '@clada/reply/core/source.ts'
import { userText } from '../report/failure.ts'
import { formatReport } from '../report/format.ts'
import type { ReportOptions } from '../report/parts.ts'
import { tokenLength, estimateTokens } from '@clada/reply/text/lines.ts'
import { type ChatMessage, type Model, ModelError, pauseBefore } from './model.ts'
import { messagesFor, type Transcript, type Turn } from './transcript.ts'

export interface LoopOptions {
  readonly model: Model
  readonly clada: CladaOptions
  readonly report: ReportOptions
  /** The first message to the model, with the task. */
  readonly prompt: string
  /** The command that says whether the task is done. */
  readonly until?: string | undefined
  readonly limits: LoopLimits
  readonly transcript: Transcript
  /** The rounds before, where a loop is resumed. */
  readonly before?: readonly Turn[]
  readonly signal: AbortSignal
  readonly hear: (event: LoopEvent) => void
}

export interface LoopLimits {
  readonly rounds: number
  /** For one conversation, in tokens. */
  readonly window: number
  /** Of all rounds together. */
  readonly tokens?: number | undefined
  readonly timeMs?: number | undefined
}

export type LoopEvent =
  | { readonly kind: 'round'; readonly round: number; readonly tokens: number }
  | { readonly kind: 'text'; readonly text: string }
  /** A program begins, or the user is asked whether it may. */
  | { readonly kind: 'program'; readonly what: string }
  | { readonly kind: 'action'; readonly result: ActionResult }
  /** The reply is complete, and was applied. */
  | { readonly kind: 'applied'; readonly result: ExecutionResult }
  | { readonly kind: 'until'; readonly success: boolean; readonly result: ExecutionResult }
  /** `attempt`: the next one, of at most `of`; it comes after `afterMs`. */
  | {
      readonly kind: 'retry'
      readonly reason: string
      readonly attempt: number
      readonly of: number
      readonly afterMs: number
    }

/** Why a loop ended. */
export type Ending =
  | 'until'
  | 'refused'
  | 'no-blocks'
  | 'rounds'
  | 'tokens'
  | 'time'
  | 'stopped'
  | 'no-progress'
  | 'model'

export const endings: Readonly<Record<Ending, string>> = {
  until: 'the command of --until succeeds',
  refused: '--until was refused',
  'no-blocks': 'the reply has no blocks',
  rounds: 'the rounds are used up',
  tokens: 'the tokens are used up',
  time: 'the time is used up',
  stopped: 'it was stopped',
  'no-progress': 'there was no progress in three rounds',
  model: 'the model failed',
}

export interface LoopResult {
  readonly ending: Ending
  /** The error of the model, or why --until was refused. */
  readonly reason?: string
  readonly rounds: number
  readonly tokens: number
  /** Whether the command of --until succeeded before the first round, and at the end. */
  readonly until?: { readonly before: boolean; readonly after: boolean }
}

/** Asks the model, applies its reply as it arrives, and answers with the report, until one of the endings. */
export async function runLoop(options: LoopOptions): Promise<LoopResult> {
  const { limits, transcript, hear, before = [] } = options
  const time = limits.timeMs === undefined ? undefined : AbortSignal.timeout(limits.timeMs)
  const signal = time === undefined ? options.signal : AbortSignal.any([options.signal, time])
  const clada = new Clada(options.clada)
  const turns = [...before]
  let [rounds, tokens] = [0, 0]
  const first = await runUntilCommand(clada, options, signal)
  let last = first
  const ended = (ending: Ending, reason?: string): LoopResult => ({
    ending,
    reason,
    rounds,
    tokens,
    until: first === undefined || last === undefined ? undefined : { before: first.success, after: last.success },
  })
  const seen: string[] = []
  if (first?.success === true) return ended('until')
  // It never ran, so it has not failed either.
  if (first?.refused !== undefined) return { ...ended('refused', first.refused), until: undefined }
  for (;;) {
    if (signal.aborted) return ended(options.signal.aborted ? 'stopped' : 'time')
    if (rounds >= limits.rounds) return ended('rounds')
    const messages = messagesFor(options.prompt, turns, limits.window)
    const asked = messages.reduce((sum, { content }) => sum + estimateTokens(content), 0)
    const room = (limits.tokens ?? Infinity) - tokens
    if (asked >= room) return ended('tokens', rounds === 0 ? `the prompt alone has ${asked}` : undefined)
    hear({ kind: 'round', round: transcript.record.rounds + 1, tokens: asked })
    let turned: Turned
    try {
      turned = await takeTurn(clada, messages, { ...options, asked, room }, signal)
    } catch (error) {
      if (signal.aborted) continue
      if (error instanceof ModelError) return ended('model', error.message)
      throw error
    }
    rounds++
    const { reply, result } = turned
    tokens += turned.tokens
    if (!signal.aborted) hear({ kind: 'applied', result })
    if (result.executedActions > 0) last = (await runUntilCommand(clada, options, signal)) ?? last
    const report = reportOn(turned, options, last)
    const done = { reply, report }
    transcript.keepTurn(done, turned.tokens)
    turns.push(done)
    if (last?.success === true) return ended('until')
    if (result.fatalCode === 'input_too_large') return ended('model', result.fatalError)
    if (isWithoutBlocks(result) && turned.cut === undefined) return ended('no-blocks')
    seen.push(roundReason(result, last))
    if (seen.length >= 3 && new Set(seen.slice(-3)).size === 1) return ended('no-progress')
  }
}

interface Turned {
  readonly reply: string
  /** Sent and received, in all attempts. */
  readonly tokens: number
  readonly result: ExecutionResult
  /** Why the reply is not complete. */
  readonly cut?: string
}

/** One reply. It is asked for again only as long as nothing of it was applied. */
async function takeTurn(
  clada: Clada,
  messages: readonly ChatMessage[],
  { model, hear, asked, room }: LoopOptions & { readonly asked: number; readonly room: number },
  signal: AbortSignal,
): Promise<Turned> {
  let before = 0
  for (let attempt = 0; ; attempt++) {
    let reply = ''
    const longest = (room - before - asked) * tokenLength
    let failure: ModelError | undefined
    let isUsedUp = false
    const arriving = async function* (): AsyncIterable<string> {
      try {
        for await (const whole of model.reply(messages, signal)) {
          const text = whole.slice(0, longest - reply.length)
          reply += text
          hear({ kind: 'text', text })
          yield text
          isUsedUp = text.length < whole.length
          if (isUsedUp) break
        }
      } catch (error) {
        if (signal.aborted) throw new InputError('the loop was stopped', 'truncated')
        if (!(error instanceof ModelError)) throw error
        failure = error
        // What is not complete must not be applied as if it were.
        throw new InputError(`the reply was cut off (${error.message})`, 'truncated')
      }
      if (isUsedUp) throw new InputError(`the reply was cut off (${endings.tokens})`, 'truncated')
    }
    const onAction = (result: ActionResult): void => hear({ kind: 'action', result })
    const onProgram = (what: string): void => hear({ kind: 'program', what })
    const result = await clada.executeStream(arriving(), { signal, onAction, onProgram })
    const tokens = before + asked + estimateTokens(reply)
    if (signal.aborted) return { reply, tokens, result, cut: 'it was stopped' }
    if (isUsedUp) return { reply, tokens, result, cut: endings.tokens }
    if (failure === undefined) return { reply, tokens, result }
    if (result.executedActions > 0 || result.results.length > 0) return { reply, tokens, result, cut: failure.message }
    if (failure.retry === undefined || attempt >= mostAttempts - 1) throw failure
    // Another attempt would send everything again.
    if (tokens + asked >= room) return { reply, tokens, result, cut: endings.tokens }
    before = tokens
    const afterMs = pauseBefore(attempt, failure.retry)
    hear({ kind: 'retry', reason: failure.message, attempt: attempt + 2, of: mostAttempts, afterMs })
    await delay(afterMs, undefined, { signal })
  }
}

const mostAttempts = 5

interface TriedReply {
  readonly success: boolean
  readonly text: string
  /** Why the command may not run at all. */
  readonly refused?: string
}

const refusals: readonly (Code | undefined)[] = ['command_not_allowed', 'action_not_allowed', 'approval_required']

/** Runs the command of --until: approved for this loop, in the sandbox like any other, and judged by its exit code alone. */
async function runUntilCommand(
  clada: Clada,
  options: LoopOptions,
  signal: AbortSignal,
): Promise<TriedReply | undefined> {
  const { until, report, hear } = options
  if (until === undefined || signal.aborted) return undefined
  const onProgram = (what: string): void => hear({ kind: 'program', what })
  const result = await clada.call('run', { command: until }, { signal, onProgram })
  const [action] = result.results
  const { code, data } = action ?? {}
  // A search that finds nothing is a success in reports.
  const exitCode = result.success && isRecord(data) ? (data['exit_code'] ?? 0) : 0
  const success = result.success && exitCode === 0
  const text = `${formatReport(result, 'llm', report)}${exitCode === 0 ? '' : `\nexit code ${exitCode}`}`
  hear({ kind: 'until', success, result })
  return { success, text, refused: action !== undefined && refusals.includes(code) ? userText(action) : undefined }
}

/** What the model reads next. */
function reportOn({ result, cut }: Turned, { report, until }: LoopOptions, last: TriedReply | undefined): string {
  const parts = [formatReport(result, 'llm', report)]
  if (cut !== undefined)
    parts.push('Your reply was cut off. Blocks that are listed above were applied; send only what is missing.')
  if (last !== undefined && !last.success)
    parts.push(`The task is done when \`${until}\` succeeds. It does not yet:\n${last.text}`)
  return parts.join('\n')
}

/** One that ended the execution, such as a reply beyond the limit, has not been read to its end. */
const isWithoutBlocks = ({ totalBlocks, parseErrors, fatalError }: ExecutionResult): boolean =>
  totalBlocks === 0 && parseErrors.length === 0 && fatalError === undefined

/** The same text for two rounds that came to the same. A round in which everything failed is compared by its errors. */
function roundReason({ results, parseErrors }: ExecutionResult, last: TriedReply | undefined): string {
  const failedAll = results.every(({ success }) => !success)
  const done = results.map(({ action, params, success, code }) => [
    action,
    failedAll ? params['path'] : params,
    success,
    code,
  ])
  return JSON.stringify([done, parseErrors.map(({ code, action }) => [code, action]), withoutTimes(last?.text ?? '')])
}

const withoutTimes = (text: string): string => text.replace(/\d+(?:\.\d+)?\s*m?s\b/g, '')

/** One line on how a loop ended. */
export const endingLine = ({ ending, reason, rounds, tokens }: LoopResult): string =>
  `Ended after ${formatCount(rounds, 'round')}, ${formatCount(tokens, 'token')}: ${endings[ending]}${reason === undefined ? '' : `: ${reason}`}.`
