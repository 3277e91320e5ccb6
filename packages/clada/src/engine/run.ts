import { ProblemError } from '../core/problem.ts'
import { textsUntilAborted } from '../core/until-aborted.ts'
import type { Code } from '@clada/reply/core/codes.ts'
import { describeValue } from '../core/describe-value.ts'
import { plainReason } from '../core/os-words.ts'
import path from 'node:path'
import { localTime } from '../core/local-time.ts'
import { TotalTimeoutError, withEnd } from '../core/time-limit.ts'
import type { Document } from '@clada/reply/core/block.ts'
import type { Settings } from '../core/settings.ts'
import { commandSettingsOf, readingOptions } from '../config/settings.ts'
import type { PlannedCommit } from '../core/recorder.ts'
import { type ActionResult, fatalResult, isLeftOut } from '../core/result.ts'
import { InputError, withLineFeeds } from '@clada/reply/core/source.ts'
import { readReply, withinReadingTime } from '../core/read-reply.ts'
import { type History, openRecordedWorkspace, type RecordedWorkspace } from '../history/history.ts'
import { type EarlierAction, previousRunOf } from '../store/timeline.ts'
import { makePathJudge, pathPolicyOf } from '../policy/paths.ts'
import { explain } from '../report/explain.ts'
import { contentKindOf } from '@clada/reply/syntax/content-kind.ts'
import { BlockStream } from '@clada/reply/syntax/stream-blocks.ts'
import { openWorkspace } from '../workspace/open.ts'
import { findState } from '../state/project-state.ts'
import { guardCallerCode } from './caller-code.ts'
import type { ExecutionHooks } from './execution-hooks.ts'
import { type ActionLog, Execution, type ExecutionParts } from './execution.ts'
import { type ExecuteOptions, nothingRun, type RunOptions, type RunResult } from './options.ts'
import { messageOf } from '../core/errors.ts'

/* This file alone defines the order of the stages: text, blocks, actions, policy, workspace, result. */

export async function runReply(given: string, options: RunOptions): Promise<RunResult> {
  // What `readFile` returns without an encoding, for one.
  if (typeof given !== 'string')
    return nothingRun(fatalResult(`The reply must be a text; it is ${describeValue(given)}.`, 'invalid_parameter'))
  const text = withLineFeeds(given)
  return withContentKind(await runText(text, options), text)
}

async function runText(text: string, options: RunOptions): Promise<RunResult> {
  const tooLarge = sizeProblem(text, options.settings.limits.inputBytes)
  if (tooLarge !== undefined) return nothingRun(fatalResult(tooLarge, 'input_too_large'))
  const found = readOrRefuse(text, options)
  if (found instanceof InputError) return nothingRun(fatalResult(found.message, found.code))
  const document = options.request.select?.(found) ?? found
  if (options.request.review === undefined) return runDocument(document, options)
  const { runReviewed } = await import('./task-review.ts')
  return runReviewed(text, document, options, runDocument)
}

function readOrRefuse(text: string, { options, settings }: RunOptions): Document | InputError {
  try {
    return readReply(text, readingOptions(options), settings.limits.actionMs)
  } catch (error) {
    if (error instanceof InputError) return error
    throw error
  }
}

/** The same for blocks that are already parsed. */
export async function runDocument(document: Document, options: RunOptions): Promise<RunResult> {
  return inWorkspace(options, async (execution) => {
    execution.note(document)
    await execution.runBlocks(document.blocks)
  })
}

/** The same for a text that is still arriving: each block runs as soon as it is complete. */
export async function runStream(texts: AsyncIterable<string>, options: RunOptions): Promise<RunResult> {
  let whole = ''
  const done = await inWorkspace(options, async (execution) => {
    const stream = new BlockStream(readingOptions(options.options))
    const { inputBytes: limit, actionMs } = options.settings.limits
    let size = 0
    try {
      for await (const text of textsUntilAborted(options.request.signal, texts)) {
        size += Buffer.byteLength(text)
        whole += text
        if (size > limit) throw new InputError(sizeMessage(size, limit), 'input_too_large')
        await execution.runBlocks(withinReadingTime(actionMs, () => stream.push(text)).blocks)
        // Each action is reported before the next text is awaited.
        await execution.allReported()
      }
      const text = withLineFeeds(whole)
      const rest =
        text === whole
          ? withinReadingTime(actionMs, () => stream.end())
          : readReply(text, readingOptions(options.options), actionMs)
      execution.note(rest)
      await execution.runBlocks(rest.blocks)
    } catch (error) {
      const { message, code } = endOfText(error)
      execution.fail(message, code)
    }
  })
  return withContentKind(done, whole)
}

/** Why a text ended before it was complete. @throws an error that is none of these */
function endOfText(error: unknown): { readonly message: string; readonly code: Code } {
  if (error instanceof InputError) return error
  if (!(error instanceof ProblemError)) throw error
  const { error: message, code } = explain(error.problem, 'clada')
  return { message, code }
}

/** Says what was seen where no block was. */
function withContentKind(done: RunResult, text: string): RunResult {
  const { results, parseErrors, fatalError } = done.result
  if (results.length + parseErrors.length > 0 || fatalError !== undefined) return done
  return { ...done, result: { ...done.result, contentKind: contentKindOf(text) } }
}

async function inWorkspace(given: RunOptions, work: (execution: Execution) => Promise<void>): Promise<RunResult> {
  let stop: (message: string) => void = () => undefined
  const options = guardCallerCode(given, (listener, error) => stop(`${listener} failed: ${messageOf(error)}`))
  const { settings, effect, request } = options
  const judge = makePathJudge(pathPolicyOf(settings))
  const recorded: RecordedWorkspace | undefined =
    effect === 'show'
      ? undefined
      : openRecordedWorkspace(settings, judge, effect === 'land' ? 'disk' : 'staged', {
          settings: options.history,
          kind: 'run',
          beforeCommit:
            options.options.gitHooks === 'run'
              ? async (commit) => (recorded === undefined ? [] : gitHooksIn(commit, options, recorded))
              : undefined,
        })
  const history = recorded?.history
  const workspace = recorded?.workspace ?? openWorkspace(settings, judge, 'staged', undefined, request.unsaved)
  const hooks = recorded && (await hooksFor(options, recorded))
  // Loads the diff code, which most runs do not need.
  const changeOf = request.onChanges && (await import('./preview.ts')).changeOf
  try {
    const execution: Execution = new Execution(options, workspace, {
      log: history && logInto(history, settings),
      // Loaded when the user calls one: documents must not.
      steps: async () => (await import('../timetravel/steps.ts')).stepsOf(settings, options.history),
      findDone: doneLookupFor(options),
      admit: hooks && ((blocks) => hooks.admit(blocks, execution)),
      onChanges:
        changeOf &&
        ((result, changes) =>
          request.onChanges?.(
            result,
            changes.map((change) => changeOf(change, settings.root)),
          )),
    })
    stop = (message) => execution.fail(message, 'internal_error')
    await work(execution).catch((error: unknown) => execution.fail(unexpectedError(error), 'internal_error'))
    // Finished actions are recorded and reported, even after a failure.
    await execution.allReported()
    const changes = effect === 'show' ? workspace.changes() : []
    if (effect === 'together') await execution.landTogether()
    await execution.checkSyntax()
    await hooks?.after(execution)
    if (history !== undefined) {
      if (options.options.alreadyDone !== 'run') noticeRepeat(execution, history, settings.root)
      await record(execution, history)
    }
    execution.warn(...workspace.notes)
    return { result: execution.result(), changes, changesBy: execution.changes(), reviewed: execution.reviewed() }
  } finally {
    await (recorded ?? workspace).close()
  }
}

/** Loaded only where there are hooks. They work on the disk, also where a document is still staged. */
async function hooksFor(
  options: RunOptions,
  { history, disk }: RecordedWorkspace,
): Promise<ExecutionHooks | undefined> {
  const { before = [], after = [] } = options.options.hooks ?? {}
  if (before.length + after.length === 0) return undefined
  const { ExecutionHooks } = await import('./execution-hooks.ts')
  return new ExecutionHooks(options, history, disk)
}

/** Loaded only where the user wants them. */
async function gitHooksIn(
  commit: PlannedCommit,
  { settings, options, request }: RunOptions,
  { disk }: RecordedWorkspace,
): Promise<string[]> {
  const { runGitHooks } = await import('../hooks/git-hooks.ts')
  const files = disk.filesFor(() => {})
  const [commands, signal] = [commandSettingsOf(options), request.signal]
  try {
    const scope = { settings, commands, files, signal, ask: undefined, onOutput: undefined }
    return await runGitHooks(commit, { ...scope, effect: 'land' })
  } finally {
    files.close()
  }
}

const unexpectedError = (error: unknown): string => `Unexpected error in execute: ${messageOf(error)}`

/** Whether blocks already ran. The history is read once, for the first block. */
function doneLookupFor({ options, request, settings, effect }: RunOptions): ExecutionParts['findDone'] {
  const { alreadyDone } = options
  if (alreadyDone !== 'resume' && (alreadyDone !== 'skip' || effect === 'show')) return undefined
  let ledger: Promise<(block: string) => EarlierAction | undefined> | undefined
  return async ({ block, decoded }) => {
    // Only a block that changed files is found, so what only reads need not wait for the history. A test run that left
    // files behind was reported as done, although the reply had changed what it tests.
    const { spec, params } = decoded
    if (alreadyDone === 'resume' && (spec.effect === 'read' || spec.startsProcess?.(params) === true)) return undefined
    ledger ??= import('./history-run.ts').then(({ openDoneLookup, openStandingLookup }) =>
      alreadyDone === 'skip' ? openDoneLookup(settings, request.again) : openStandingLookup(settings),
    )
    return (await ledger)(block.raw)
  }
}

/** Running the same document twice is rarely intended. It is harmless if nothing changed or failed. */
function noticeRepeat(execution: Execution, history: History, root: string): void {
  const { document, begun } = history
  const { results } = execution.result()
  if (document === undefined || results.some(({ details }) => details?.already_done !== undefined)) return
  if (!begun && results.every((result) => result.success || isLeftOut(result))) return
  const stateDir = history.stateDir ?? findState(root)
  const before = stateDir === undefined ? undefined : previousRunOf(document, path.join(stateDir, 'history'))
  if (before === undefined) return
  history.warnings.push(`the same reply already ran as execution ${before.execution} (${localTime(before.time)})`)
}

/** Records actions, and adds to one that misses a text which action removed it. */
function logInto(history: History, settings: Settings): ActionLog {
  return {
    begin: (seq, raw, explanation) => history.act(seq, raw, explanation),
    end: (result) => {
      history.acted(result)
      const { success, code, details } = result
      const isMissing = !success && code === 'match_count_mismatch' && details?.places === undefined
      return isMissing ? addLostBy(result, history, settings) : undefined
    },
  }
}

async function addLostBy(result: ActionResult, history: History, settings: Settings): Promise<void> {
  const { details, params } = result
  const { [details?.missing ?? 'old_text']: wanted, path: given } = params
  if (typeof wanted !== 'string' || typeof given !== 'string') return
  const absolute = path.resolve(settings.root, given)
  // Most runs never need it.
  const { textLostBy } = await import('./history-run.ts')
  const lost = history.lostBy(absolute, wanted) ?? (await textLostBy(settings, absolute, wanted))
  if (lost !== undefined) result.details = { ...details, changed_by: lost }
}

/** A record that cannot be written is a failure; the changes stay. */
async function record(execution: Execution, history: History): Promise<void> {
  const kept = 'The changes were kept; clada undo reverts them.'
  const lost = 'The changes were kept. Their journal was removed in the meantime, so clada undo cannot revert them.'
  try {
    const { results } = execution.result()
    const ended = await history.end(results)
    execution.setCommit(ended.commit, ended.warnings)
    if (ended.failure === undefined) return
    const { problem } = ended.failure
    const { error, code } = explain(problem, 'clada')
    const gone = problem.kind === 'record-unwritten' && problem.code === 'ENOENT'
    execution.fail(`${error}. ${gone ? lost : kept}`, code)
  } catch (error) {
    const reason = plainReason(error)
    execution.fail(`clada: the record could not be written: ${reason}. ${kept}`, 'io_error')
  }
}

function sizeProblem(text: string, limit: number): string | undefined {
  // A UTF-16 unit is at most three bytes, so most texts need no counting.
  if (text.length * 3 <= limit) return undefined
  const size = Buffer.byteLength(text)
  return size <= limit ? undefined : sizeMessage(size, limit)
}

const sizeMessage = (size: number, limit: number): string =>
  `input_too_large: the document has at least ${size} bytes, the limit is ${limit}. Split it into several documents.`

/** Limits work to a number of seconds, if given: its signal is then aborted, and no action begins later. */
export async function withinTime<T, Request extends ExecuteOptions>(
  seconds: number | undefined,
  request: Request,
  work: (limited: Request) => Promise<T>,
): Promise<T> {
  if (seconds === undefined) return work(request)
  const { signal: given, timeLimit = Infinity } = request
  const over = new AbortController()
  const end = (): void => over.abort(new TotalTimeoutError(seconds * 1000))
  const timer = setTimeout(end, Math.min(seconds * 1000, longestTimer))
  const signal = given === undefined ? over.signal : AbortSignal.any([given, over.signal])
  try {
    return await withEnd(seconds * 1000, () =>
      work({ ...request, signal, timeLimit: Math.min(seconds * 1000, timeLimit) }),
    )
  } finally {
    clearTimeout(timer)
  }
}

/** A timer with a longer delay fires at once. */
const longestTimer = 2 ** 31 - 1
