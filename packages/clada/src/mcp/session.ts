import { unlessEmpty } from '@clada/reply/core/optional.ts'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { decodeParams, notAnObject } from '../actions/decode.ts'
import { registry } from '../actions/registry.ts'
import type { ActionSpec } from '../core/action.ts'
import type { Clada } from '../api/clada.ts'
import type { ExecuteOptions } from '../engine/options.ts'
import { type CladaOptions, settingsOf } from '../config/settings.ts'
import type { Code } from '@clada/reply/core/codes.ts'
import { type ActionResult, type ExecutionResult, fatalResult, refusedCall, withWarnings } from '../core/result.ts'
import type { ReportOptions } from '../report/parts.ts'
import { primaryOf, spellOut } from '../report/words.ts'
import { syntaxNames } from '@clada/reply/syntax/table.ts'
import { type ToolAnswer, callAnswer, documentAnswer, previewAnswer, toolResult, usualMessage } from './answers.ts'
import { type AskClient, askThrough, hasForms, type QuestionText } from './ask.ts'
import { ClientRoots, narrowToRoots, type AllowedPlace, type ClientProject, type ClientScope } from './client-roots.ts'
import { executeTool } from './document-tools.ts'
import { type Peer, tooEarly } from './peer.ts'
import { type RequestSender, type RpcParams, type RequestId, type RpcResult, textIn } from './protocol.ts'
import { historyUri, Reports, reportUri } from './resources.ts'
import { type CallRequest, RunningCalls } from './running-calls.ts'
import { messageOf } from '../core/errors.ts'
import { clipText, describeValue, previewValue } from '../core/describe-value.ts'
import { isRecord } from '@clada/reply/core/is-record.ts'

/** What the command line passes to the server. */
export interface McpOptions {
  readonly place: AllowedPlace
  /** What applies before the roots of the client are known. */
  readonly first: ClientProject
  /** The names of the tools that are offered besides `execute`, or all. */
  readonly tools: readonly string[] | 'all'
  readonly version: string
  readonly question: QuestionText
  /** How long a question may stay open; ten minutes unless it says otherwise. */
  readonly patienceMs?: number
  readonly log: (line: string) => void
}

export interface ToolCall extends CallRequest {
  readonly tool: string
  /** As the client sent them, whatever they are. */
  readonly values: unknown
  readonly caller: RequestSender
  readonly id: RequestId
  /** In a call that is sent again with the answer to a question. */
  readonly requestState?: string | undefined
  readonly inputResponses?: unknown
}

/** Hears about changes of resources. */
export interface ResourceListener {
  wants(kind: 'list' | 'resource', uri?: string): boolean
  notify(method: string, params: RpcParams): void
}

/** A client, or all clients of an address that need no session. Calls run one after another, in their order. */
export class McpSession {
  readonly turns = new Turns()
  readonly reports = new Reports()
  readonly listeners = new Set<ResourceListener>()
  /** So that the user can undo everything that this client did. */
  #conversation: CladaOptions['conversation']
  readonly #calls: RunningCalls
  readonly #patienceMs: number
  readonly #given: McpOptions
  readonly #gone: AbortSignal
  #legacy: LegacyClient | undefined

  constructor(given: McpOptions, gone: AbortSignal) {
    this.#given = given
    this.#gone = gone
    this.#patienceMs = given.patienceMs ?? 10 * 60_000
    this.#calls = new RunningCalls({ patienceMs: this.#patienceMs, hurryMs: Math.min(45_000, this.#patienceMs) })
  }

  /** The connection that clients of older revisions are asked through. */
  attach(peer: Peer): LegacyClient {
    this.#legacy = new LegacyClient(peer, this.#given.place)
    return this.#legacy
  }

  /** Only a malformed request, or one that comes too early, is an error of the protocol. @throws for these */
  async call(call: ToolCall): Promise<RpcResult> {
    const { caller, tool, values, requestState, inputResponses } = call
    if (requestState === undefined || caller.era === 'legacy') this.#calls.hurry()
    if (caller.era === 'legacy') {
      this.#legacy?.refuseEarly()
      const ask: AskClient = (form, signal) => this.#ask(form, signal, call.id)
      return this.#take(call, call, hasForms(caller.capabilities) ? ask : undefined, () => this.#scope(caller))
    }
    const scope = await this.#scope(caller)
    const narrower = narrowToTool(scope, rootIn(tool, values))
    const root = 'project' in narrower ? settingsOf(narrower.project.options).root : ''
    const identity = { tool, arguments: values, root }
    if (requestState !== undefined) return this.#calls.resume(requestState, identity, inputResponses, call)
    return this.#calls.start(identity, call, (running) => {
      const ask: AskClient = (form, signal) => running.ask(form, signal)
      // Which request hears of it changes with every answer.
      const request = { signal: running.signal, tell: (message: string) => running.tell(message) }
      return this.#take(call, request, hasForms(caller.capabilities) ? ask : undefined, () => scope)
    })
  }

  /** For looking at the history. @throws where the client leaves nothing to look at */
  async clada(caller: RequestSender): Promise<Clada> {
    return makeClada((await this.project(caller)).options)
  }

  /** The project as far as the client lets it be used. @throws where nothing is left, or it is not known yet */
  async project(caller: RequestSender): Promise<ClientProject> {
    if (caller.era === 'legacy') this.#legacy?.refuseEarly()
    const scope = await this.#scope(caller)
    if ('refusal' in scope) throw new Error(adviseOnRoots(scope))
    return scope.project
  }

  async #scope(caller: RequestSender): Promise<ClientScope> {
    const { place } = this.#given
    if (caller.era === 'legacy' && this.#legacy !== undefined) return this.#legacy.roots.scope()
    // Roots are deprecated since 2026-07-28: what counts is where the user has started the server.
    if ('within' in place) return { project: place.within }
    try {
      return { project: await place.anywhere() }
    } catch (error) {
      return { refusal: messageOf(error) }
    }
  }

  #take(
    call: ToolCall,
    request: CallRequest,
    ask: AskClient | undefined,
    scopeOf: () => ClientScope | Promise<ClientScope>,
  ): Promise<RpcResult> {
    return this.turns.take(async () => {
      const answered = async (): Promise<ToolAnswer> => this.#answer(call, request, ask, await scopeOf())
      const answer = await answered().catch((error: unknown) => this.#refuse(messageOf(error), 'internal_error'))
      return toolResult(answer, this.longestMessage(), this.reports.keep(answer))
    })
  }

  async #answer(
    call: ToolCall,
    { signal, tell }: CallRequest,
    ask: AskClient | undefined,
    scope: ClientScope,
  ): Promise<ToolAnswer> {
    if ('refusal' in scope) return this.#refuse(adviseOnRoots(scope), 'path_escape')
    const { tool, values } = call
    const report = this.#report(scope.project)
    const warned = (result: ExecutionResult): ExecutionResult => withWarnings(result, scope.project.warnings)
    if (!isRecord(values)) return callAnswer(warned(notAnObject(tool, definedParams(tool), values)), report)
    const root = rootIn(tool, values)
    if (root !== undefined && typeof root !== 'string') return callAnswer(warned(notAPath(tool, root)), report)
    const narrower = narrowToTool(scope, root)
    if ('refusal' in narrower) return this.#refuse(`Nothing can be done: ${narrower.refusal}.`, 'path_escape')
    const over = AbortSignal.any([signal, this.#gone])
    return this.#perform(call, narrower.project, withoutRoot(tool, values), { signal: over, tell, ask })
  }

  #refuse(fatalError: string, fatalCode: Code): ToolAnswer {
    const { first } = this.#given
    const result = withWarnings(fatalResult(fatalError, fatalCode), first.warnings)
    return callAnswer(result, this.#report(first))
  }

  async #perform(
    { tool }: ToolCall,
    project: ClientProject,
    values: RpcParams,
    { signal, tell, ask: askClient }: CallRequest & { readonly ask: AskClient | undefined },
  ): Promise<ToolAnswer> {
    const report = this.#report(project)
    const warned = (result: ExecutionResult, own: readonly string[] = []): ExecutionResult =>
      withWarnings(result, [...own, ...project.warnings])
    const ask = askThrough(askClient, this.#given.question, signal)
    const options: CladaOptions = {
      ...project.options,
      conversation: (this.#conversation ??= { kind: 'mcp', id: newId() }),
      ask: (request) => {
        tell(spellOut(`waiting for approval: ${request.command}`))
        return ask(request)
      },
    }
    const following: ExecuteOptions = { signal, onAction: (result) => tell(progressLine(result)) }
    if (tool !== executeTool.name) {
      const result = await (await makeClada(options)).call(tool, values, following)
      return this.#done(result, callAnswer(warned(result), report))
    }
    const asked = documentIn(values, options)
    if (!asked.ok) return callAnswer(warned(asked.result), report)
    const clada = await makeClada(asked.options)
    if (asked.dryRun) {
      const preview = await clada.preview(asked.document, following)
      const proposals = asked.options.proposals === 'apply' ? 'are agreed' : 'are asked about'
      return previewAnswer({ ...preview, result: warned(preview.result, asked.warnings) }, report, proposals)
    }
    const result = await clada.execute(asked.document, following)
    return this.#done(result, documentAnswer(warned(result, asked.warnings), report))
  }

  #done({ results }: ExecutionResult, answer: ToolAnswer): ToolAnswer {
    this.#changed(reportUri)
    if (results.some(({ success, action }) => success && !/^(read|meta)$/.test(registry.get(action)?.effect ?? ''))) {
      this.#changed(historyUri)
      for (const listener of this.listeners)
        if (listener.wants('list')) listener.notify('notifications/resources/list_changed', {})
    }
    return answer
  }

  #changed(uri: string): void {
    for (const listener of this.listeners)
      if (listener.wants('resource', uri)) listener.notify('notifications/resources/updated', { uri })
  }

  async #ask(form: RpcParams, signal: AbortSignal, relatedTo: RequestId): Promise<unknown> {
    try {
      return await this.#legacy?.peer.request('elicitation/create', form, {
        signal,
        timeout: this.#patienceMs,
        relatedTo,
      })
    } catch {
      // The client failed or has gone.
      return undefined
    }
  }

  /** The longest message; more output needs longer ones. */
  longestMessage(): number {
    return Math.max(usualMessage, 4 * (this.#given.first.report.outputLimit ?? 0))
  }

  #report({ report }: ClientProject): ReportOptions {
    return { ...report, color: false, budget: Math.min(report.budget ?? Infinity, this.longestMessage() >> 2) }
  }
}

/** A client that began with `initialize`: it may have roots, and says when it is ready. */
class LegacyClient {
  readonly peer: Peer
  readonly roots: ClientRoots
  #isReady = false

  constructor(peer: Peer, place: AllowedPlace) {
    this.peer = peer
    this.roots = new ClientRoots(place, async () => {
      // A client that has not said yet whether it has roots must not be treated as one without.
      if (peer.client === undefined) throw new Error('it has not sent initialize yet')
      if (peer.client['roots'] === undefined) return []
      const { roots } = await peer.request('roots/list', {}, { timeout: 10_000 })
      if (!Array.isArray(roots)) throw new Error(`roots must be a list; it is ${describeValue(roots)}`)
      return roots.map((root: unknown) => textIn(isRecord(root) ? root : {}, 'uri'))
    })
  }

  /** Called when the client has sent `initialized`. */
  ready(): void {
    this.#isReady = true
    this.roots.changed()
    // The client is asked at once, so that the first call need not wait for it. If it sends everything in one go, this
    // is read before its initialize, which the next round handles.
    setImmediate(() => void this.roots.scope())
  }

  /** What a client allows is known when it has said what it can, and that it is ready to be asked. */
  refuseEarly(): void {
    if (!this.#isReady || this.peer.client === undefined) throw tooEarly()
  }
}

/** The directory that a call narrows the project to. Every tool takes it, besides its own parameters. */
function rootIn(tool: string, values: unknown): unknown {
  if (!isRecord(values) || Object.hasOwn(toolParams(tool), 'root')) return undefined
  return values['root'] ?? undefined
}

function withoutRoot(tool: string, values: RpcParams): RpcParams {
  if (Object.hasOwn(toolParams(tool), 'root')) return values
  const { root: _, ...own } = values
  return own
}

const toolParams = (tool: string): Readonly<Record<string, unknown>> =>
  (tool === executeTool.name ? executeTool : registry.get(tool))?.params ?? {}

function narrowToTool(scope: ClientScope, dir: unknown): ClientScope {
  if ('refusal' in scope || typeof dir !== 'string') return scope
  const { options } = scope.project
  const { root } = settingsOf(options)
  const found = narrowToRoots(options, [pathToFileURL(path.resolve(root, dir)).href])
  return 'refusal' in found
    ? { refusal: `root '${clipText(dir)}' is not inside the root of this server (${root})` }
    : { project: { ...scope.project, options: found.options } }
}

/** Loaded with the first call: a client that only looks at the list need not wait for it. */
async function makeClada(options: CladaOptions): Promise<Clada> {
  const { Clada } = await import('../api/clada.ts')
  return new Clada(options)
}

/** Not imported, for the same reason. */
const newId = (): string => process.getBuiltinModule('node:crypto').randomUUID()

const adviseOnRoots = ({ refusal }: { refusal: string }): string =>
  `Nothing can be done: ${refusal}. The user can start clada mcp with a --root inside them, or open that directory in the client.`

const progressLine = (result: ActionResult): string =>
  spellOut(`${result.success ? '✅' : '❌'} ${result.action} ${primaryOf(result)}`.trimEnd())

const definedParams = (tool: string): ActionSpec['params'] =>
  (tool === executeTool.name ? executeTool : registry.get(tool))?.params ?? {}

const notAPath = (tool: string, given: unknown): ExecutionResult =>
  refusedCall(tool, {
    errorType: 'type',
    message: `Invalid value: ${previewValue(given)}`,
    code: 'invalid_parameter',
    hint: "Parameter 'root': Give a directory inside the root, as a text.",
  })

type DocumentRequest =
  | {
      readonly ok: true
      readonly document: string
      readonly dryRun: boolean
      readonly options: CladaOptions
      readonly warnings: readonly string[]
    }
  | { readonly ok: false; readonly result: ExecutionResult }

/** The parameters of `execute`, on top of the options that hold anyway. */
function documentIn(values: RpcParams, options: CladaOptions): DocumentRequest {
  const { name, params } = executeTool
  // There is no path among them.
  const decoded = decodeParams({ params }, name, values, { root: '', relativePaths: true })
  if (!decoded.ok) {
    const { ok: _, ...error } = decoded
    return { ok: false, result: refusedCall(name, error) }
  }
  const { document, atomic, dry_run: dryRun, syntax } = decoded.args
  const known = syntaxNames.filter((one) => one === syntax)
  const { syntaxes } = options
  // A client can ask for less than the user allows, never for more.
  if (known.some((one) => syntaxes?.includes(one) === false)) {
    const message = `Invalid value: the user allows blocks of ${syntaxes?.join(', ')} only, and not of ${known.join('')}`
    const hint = `Parameter 'syntax': Leave it out, and write the blocks in ${syntaxes?.join(' or ')}.`
    return {
      ok: false,
      result: refusedCall(name, { errorType: 'validation', message, code: 'invalid_parameter', hint }),
    }
  }
  return {
    ok: true,
    document: String(document),
    dryRun: dryRun === true,
    options: {
      ...options,
      atomic: atomic === true || options.atomic,
      syntaxes: unlessEmpty(known) ?? options.syntaxes,
    },
    warnings: decoded.warnings,
  }
}

/** Runs tasks one after another, in order. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve()

  take<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work)
    this.#last = turn.catch(() => undefined)
    return turn
  }

  /** Resolves when all tasks so far have ended. */
  async idle(): Promise<void> {
    await this.#last
  }
}
