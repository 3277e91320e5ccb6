import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { defaultSyntax } from '@clada/reply/syntax/table.ts'
import type { Registry } from '../core/action.ts'
import type { Block, Document, ExplainedDiagnostic } from '@clada/reply/core/block.ts'
import { explainDocument } from '../report/explain-diagnostic.ts'
import { type ExecutionResult, fatalResult, type FileChange, type Preview, withWarnings } from '../core/result.ts'
import type { Review, ReviewChoices } from '../core/review.ts'
import type { HistorySettings } from '../core/settings.ts'
import type { ExecutionChanges, ExecutionDetail, HistoryEntry, HistoryQuery } from '../engine/history-run.ts'
import {
  type ExecuteOptions,
  nothingRun,
  type PreviewOptions,
  type RunOptions,
  type RunResult,
} from '../engine/options.ts'
import { refuseUnknownRequest } from '../engine/request-names.ts'
import { runReply, runDocument, runStream, withinTime } from '../engine/run.ts'
import type { Executed } from '../store/timeline.ts'
import type { SquashOptions, SquashResult } from '../timetravel/squash.ts'
import type { StepResult } from '../timetravel/back-forward.ts'
import type { UndoOptions, UndoResult } from '../timetravel/undo.ts'
import {
  canonical,
  type CladaOptions,
  historySettingsOf,
  readingOptions,
  SettingsError,
  settingsOf,
} from '../config/settings.ts'
import { narrowTo } from '../config/narrow-to-roots.ts'
import { Source } from '@clada/reply/core/source.ts'
import { findBlocks } from '@clada/reply/syntax/find-blocks.ts'
import { messageOf } from '../core/errors.ts'
import { isRecord } from '@clada/reply/core/is-record.ts'
import { isInside } from '../core/paths.ts'
import { estimateTokens, tokenLength } from '@clada/reply/text/lines.ts'
import type { ContextText, ContextTextOptions, PromptWithContext, UnreadContext } from './context-text.ts'
import type { ActionTool } from '../describe/json-schema.ts'
import type { PromptRequest } from './project-prompt.ts'

/** Finds the action blocks in a text and runs them. Holds options, no state. */
export class Clada {
  readonly #options: CladaOptions

  constructor(options: CladaOptions = {}) {
    this.#options = options
  }

  /** Never throws: failures are in the result. */
  async execute(text: string, options: ExecuteOptions = {}): Promise<ExecutionResult> {
    return (await this.#run({ request: options }, (own) => runReply(text, own))).result
  }

  /** The same for a text that is still arriving: each block runs as soon as it is complete. */
  async executeStream(texts: AsyncIterable<string>, options: ExecuteOptions = {}): Promise<ExecutionResult> {
    return (await this.#run({ request: options }, (own) => runStream(texts, own))).result
  }

  /** The changes that an execution would make, without making them. */
  async preview(text: string, options: PreviewOptions = {}): Promise<Preview> {
    return this.#previewOf(await this.#run({ request: options, effect: 'show' }, (own) => runReply(text, own)))
  }

  /**
   * A preview whose blocks have their changes as hunks, under the decisions of the user so far. The same choices, with the
   * `shown` of each block, go to `execute` as `review`.
   */
  async review(text: string, choices: ReviewChoices = {}, options: PreviewOptions = {}): Promise<Review> {
    const ran = await this.#run({ request: { ...options, review: choices }, effect: 'show' }, (own) =>
      runReply(text, own),
    )
    return { ...(await this.#previewOf(ran)), blocks: [...ran.reviewed] }
  }

  /** Runs one action for the user; paths may be relative. */
  perform(
    action: string,
    params: Readonly<Record<string, string>>,
    options: Omit<ExecuteOptions, 'only'> = {},
  ): Promise<ExecutionResult> {
    return this.#one({ ...bare, id: 'do', action, params }, 'user', options)
  }

  /**
   * Runs one action for a model, with typed values, or with the JSON text in which it wrote them. Null counts as missing;
   * paths may be relative. Never throws.
   */
  async call(
    action: string,
    values: Readonly<Record<string, unknown>> | string,
    options: Omit<ExecuteOptions, 'only'> = {},
  ): Promise<ExecutionResult> {
    const read: unknown = typeof values === 'string' ? jsonIn(values) : values
    if (!isRecord(read)) {
      const { notAnObject } = await import('../actions/decode.ts')
      return notAnObject(action, this.#registry()?.get(action)?.params ?? {}, read)
    }
    const given = Object.fromEntries(Object.entries(read).filter(([, value]) => value !== null))
    return this.#one({ ...bare, startLine: 0, endLine: 0, id: 'call', action, values: given }, 'document', options)
  }

  /** What to tell a model so that it writes blocks for this project, or uses the tools. @throws SettingsError */
  async prompt({ context, ...request }: CladaPromptOptions = {}): Promise<PromptWithContext> {
    const { projectPrompt } = await import('./project-prompt.ts')
    if (context === undefined) return projectPrompt(this.#options, request)
    const { contextFiles, promptWithContext } = await import('./context-text.ts')
    const files = [...(request.files ?? []), ...(await contextFiles(this))]
    const prompt = projectPrompt(this.#options, { ...request, files })
    return promptWithContext(this, settingsOf(this.#options), prompt, { ...context, budget: request.budget })
  }

  /**
   * The actions as tools of a model that calls functions: `call` runs what it asks for. `everyday` are those that prompts
   * teach; yours are always among them. @throws SettingsError
   */
  async tools({ include = 'everyday' }: { readonly include?: 'everyday' | 'all' } = {}): Promise<ActionTool[]> {
    const { registry, allowedActions } = settingsOf(this.#options)
    const { toolsFor } = await import('../describe/json-schema.ts')
    const own = new Set(this.#options.actions?.map(({ name }) => name))
    const { exec } = this.#options
    return toolsFor([...new Set(registry.values())], { allowedActions, exec, include, own })
  }

  /** The files of the working set as one text to send along. */
  async context(options: ContextTextOptions = {}): Promise<ContextText | UnreadContext> {
    return (await import('./context-text.ts')).contextText(this, settingsOf(this.#options), options)
  }

  /** A result as text. `model`: to send back in a chat. `tool`: the answer to one call. `person`, `program`: for logs, as JSON. */
  async report(result: ExecutionResult, options: CladaReportOptions = {}): Promise<string> {
    const { for: reader = 'model', budget, outputLimit } = options
    const characters = budget === undefined ? undefined : budget * tokenLength
    const shown = { budget: characters, outputLimit, registry: settingsOf(this.#options).registry }
    if (reader === 'tool') return (await import('../report/call.ts')).formatCall(result, shown)
    const { formatReport } = await import('../report/format.ts')
    return formatReport(result, readers[reader], shown)
  }

  /** A conversation with a model: it has a working set and a token count of its own, and is undone as a whole. */
  session(options: SessionOptions = {}): Session {
    return new Session(this.#options, options)
  }

  /** Reverts the file changes of an execution: the last one, unless a number is given. */
  async undo(options: UndoOptions = {}): Promise<UndoResult> {
    const settings = settingsOf(this.#options)
    if (options.conversation !== undefined) {
      const { undoConversation } = await import('../timetravel/undo.ts')
      return undoConversation(settings, this.#history(), options.conversation, options)
    }
    const { undoExecution } = await import('../timetravel/undo.ts')
    return undoExecution(settings, this.#history(), options)
  }

  /** Reverts an undo: the last one, unless an execution is named. */
  async redo(options: Omit<UndoOptions, 'conversation'> = {}): Promise<UndoResult> {
    const { redoExecution } = await import('../timetravel/undo.ts')
    return redoExecution(settingsOf(this.#options), this.#history(), options)
  }

  /** Checks out the parent commit; uncommitted changes are stashed until `forward` returns. */
  async back(): Promise<StepResult> {
    const { stepBack } = await import('../timetravel/back-forward.ts')
    return stepBack(settingsOf(this.#options), this.#history())
  }

  /** One step towards the commit where `back` began. */
  async forward(): Promise<StepResult> {
    const { stepForward } = await import('../timetravel/back-forward.ts')
    return stepForward(settingsOf(this.#options), this.#history())
  }

  /** Combines several commits into one. */
  async squash(options: SquashOptions = {}): Promise<SquashResult> {
    const { squashCommits } = await import('../timetravel/squash.ts')
    return squashCommits(settingsOf(this.#options), this.#history(), options)
  }

  /** The executions in this project, oldest first. */
  async history(query: HistoryQuery = {}): Promise<HistoryEntry[]> {
    const { listHistory } = await import('../engine/history-run.ts')
    return listHistory(settingsOf(this.#options), query)
  }

  /** One execution with its diffs. */
  async execution(number: number): Promise<ExecutionDetail | undefined> {
    const { readExecution } = await import('../engine/history-run.ts')
    return readExecution(settingsOf(this.#options), number)
  }

  /** The files of one execution before and after, and changes by others before it. */
  async changesOf(number: number): Promise<ExecutionChanges | undefined> {
    const { readChanges } = await import('../engine/history-run.ts')
    return readChanges(settingsOf(this.#options), number)
  }

  /** Changes by others since, in files that clada changed. */
  async changedSince(): Promise<FileChange[]> {
    const { changesByOthers } = await import('../engine/history-run.ts')
    return changesByOthers(settingsOf(this.#options))
  }

  /** The last run of a block with exactly this text. */
  async wasExecuted(block: string): Promise<Executed | undefined> {
    const { findLastRun } = await import('../engine/history-run.ts')
    return findLastRun(settingsOf(this.#options), block)
  }

  async #previewOf({ result, changes, changesBy }: RunResult): Promise<Preview> {
    const { changeOf, diffOf } = await import('../engine/preview.ts')
    // If there are changes, the settings are valid.
    const root = changes.length + changesBy.size === 0 ? '' : settingsOf(this.#options).root
    // An atomic run with a failure changes nothing.
    const fails = this.#options.atomic === true && !result.success
    const diffs = fails ? [] : changes.map((change) => diffOf(change, root))
    return {
      result: fails && changes.length > 0 ? withWarnings(result, [nothingChanges]) : result,
      diffs,
      diff: diffs.map(({ diff }) => diff).join(''),
      changesBy: (seq) => (changesBy.get(seq) ?? []).map((change) => changeOf(change, root)),
    }
  }

  async #one(
    block: Block,
    origin: RunOptions['origin'],
    request: Omit<ExecuteOptions, 'only'>,
  ): Promise<ExecutionResult> {
    const options = { ...this.#options, relativePaths: true }
    const document = { blocks: [block], diagnostics: [], warnings: [], notExecuted: [] }
    const { result } = await this.#run({ request, origin, effect: 'land', options }, (own) =>
      runDocument(document, own),
    )
    return result
  }

  /** Runs within the project's time limit. Never throws. */
  async #run(
    given: Partial<RunOptions> & Pick<RunOptions, 'request'>,
    work: (own: RunOptions) => Promise<RunResult>,
  ): Promise<RunResult> {
    const { options = this.#options, request, origin = 'document' } = given
    try {
      refuseUnknownRequest(request)
      const [settings, history] = [settingsOf(options), historySettingsOf(options)]
      const { effect = options.atomic ? 'together' : 'land' } = given
      return await withinTime(options.totalTimeout, request, (limited) =>
        work({ options, settings, history, origin, effect, request: limited }),
      )
    } catch (error) {
      return nothingRun(failedRun(error))
    }
  }

  /** Undefined where the options are wrong. */
  #registry(): Registry | undefined {
    try {
      return settingsOf(this.#options).registry
    } catch {
      return undefined
    }
  }

  #history(): HistorySettings {
    return historySettingsOf(this.#options)
  }
}

function failedRun(error: unknown): ExecutionResult {
  const message = messageOf(error)
  return error instanceof SettingsError
    ? fatalResult(message, 'invalid_parameter')
    : fatalResult(`Unexpected error in execute: ${message}`, 'internal_error')
}

const readers = { model: 'llm', person: 'text', program: 'json' } as const

/** Options of a prompt. */
export interface CladaPromptOptions extends PromptRequest {
  /** Adds the files of the working set, in what the budget has left. */
  readonly context?: Omit<ContextTextOptions, 'budget'> | undefined
}

/** Options of a report. */
export interface CladaReportOptions {
  /** Who reads it. Default: a model. */
  readonly for?: 'model' | 'tool' | 'person' | 'program' | undefined
  /** The longest report, in tokens. Default: 6000 for a model, else no limit. */
  readonly budget?: number | undefined
  /** The most characters of the output of one action. Default: 50,000. */
  readonly outputLimit?: number | undefined
}

/** Options of a session. */
export interface SessionOptions {
  /** To continue a session, also in another process. Default: a new one. */
  readonly id?: string | undefined
  /**
   * A directory of the project, to which the session is confined: its paths are relative to it, and its history is kept for
   * it. Default: the project.
   */
  readonly directory?: string | undefined
}

/** Tokens, estimated from the characters. */
export interface SessionTokens {
  /** Of prompts, contexts and reports that were made. */
  readonly sent: number
  /** Of replies that were executed, and of calls. */
  readonly received: number
}

/** One conversation of a project with a model. `Clada` with its own working set, directory and token count. */
export class Session extends Clada {
  readonly id: string

  readonly #tokens = { sent: 0, received: 0 }

  constructor(options: CladaOptions, { id = randomUUID(), directory }: SessionOptions = {}) {
    const own = directory === undefined ? options : confinedTo(options, directory)
    super({
      ...own,
      session: id,
      conversation: { kind: 'session', id },
    })
    this.id = id
  }

  /** What the model was sent and what it wrote, so far. */
  get tokens(): SessionTokens {
    return { ...this.#tokens }
  }

  override execute(text: string, options: ExecuteOptions = {}): Promise<ExecutionResult> {
    this.#receive(text)
    return super.execute(text, options)
  }

  override executeStream(texts: AsyncIterable<string>, options: ExecuteOptions = {}): Promise<ExecutionResult> {
    return super.executeStream(
      withEach(texts, (text) => this.#receive(text)),
      options,
    )
  }

  override call(
    action: string,
    values: Readonly<Record<string, unknown>> | string,
    options: Omit<ExecuteOptions, 'only'> = {},
  ): Promise<ExecutionResult> {
    this.#receive(values)
    return super.call(action, values, options)
  }

  override async prompt(options: CladaPromptOptions = {}): Promise<PromptWithContext> {
    const prompt = await super.prompt(options)
    this.#tokens.sent += prompt.tokens
    return prompt
  }

  override async report(result: ExecutionResult, options: CladaReportOptions = {}): Promise<string> {
    const report = await super.report(result, options)
    this.#tokens.sent += estimateTokens(report)
    return report
  }

  /** Never throws: what cannot be counted is refused later. */
  #receive(given: unknown): void {
    try {
      this.#tokens.received += estimateTokens(typeof given === 'string' ? given : JSON.stringify(given))
    } catch {
      // A value that is no JSON, such as one that contains itself.
    }
  }

  /** The executions of the session, oldest first. */
  override async history(query: HistoryQuery = {}): Promise<HistoryEntry[]> {
    return (await super.history(query)).filter(({ conversation }) => conversation?.id === this.id)
  }

  /** Undoes every execution of the session: all of them or none. */
  undoAll(options: Pick<UndoOptions, 'force'> = {}): Promise<UndoResult> {
    return this.undo({ ...options, conversation: { kind: 'session', id: this.id } })
  }
}

async function* withEach(texts: AsyncIterable<string>, see: (text: string) => void): AsyncIterable<string> {
  for await (const text of texts) {
    see(text)
    yield text
  }
}

/** @throws SettingsError */
function confinedTo(options: CladaOptions, directory: string): CladaOptions {
  const { root, allowedRoots } = settingsOf(options)
  const inside = canonical(path.resolve(root, directory))
  const narrowed = isInside(inside, root) ? narrowTo(options, [inside, ...allowedRoots]) : undefined
  if (narrowed?.repoPath === inside) return narrowed
  throw new SettingsError(`The directory of a session is one inside the project that may be changed: ${directory}`)
}

const nothingChanges = 'nothing would change: the run is atomic and at least one action would fail'

/** The value, or the text itself if it is no JSON. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** A block outside any document. */
const bare = { syntax: defaultSyntax, params: {}, startLine: 1, endLine: 1, diagnostics: [], raw: '' }

/** The same as `new Clada(options)`. */
export const createClada = (options?: CladaOptions): Clada => new Clada(options)

/** How a text is read. */
export type ParseOptions = Pick<CladaOptions, 'syntaxes' | 'ownSyntaxes' | 'strict' | 'cslDelimiters'>

/** The blocks of a text in every syntax, with their lines and diagnostics. Nothing is executed, and the disk is not read. */
export const parse = (text: string, options: ParseOptions = {}): Document<ExplainedDiagnostic> =>
  explainDocument(findBlocks(new Source(text), readingOptions(options)))
