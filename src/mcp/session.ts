import { decodeParams } from '../actions/decode.ts'
import { registry } from '../actions/registry.ts'
import type { Clada, ExecuteOptions } from '../api/clada.ts'
import { type CladaOptions, settingsOf } from '../config/settings.ts'
import type { Code } from '../core/codes.ts'
import { type ActionResult, type ExecutionResult, type ParseError, withWarnings } from '../core/result.ts'
import type { ReportOptions } from '../report/options.ts'
import { printable } from '../report/printable.ts'
import { primaryOf } from '../report/words.ts'
import { syntaxNames } from '../syntax/table.ts'
import { actionAnswer, type Answer, documentAnswer, previewAnswer, toolResult, usualMessage } from './answers.ts'
import { askThrough, canAsk, type Question } from './approval.ts'
import { ClientRoots } from './client-roots.ts'
import { documentTools, executeTool, previewTool } from './document-tools.ts'
import { invalidRequest, isRecord, kindOf, type Params, protocolError } from './requests.ts'
import { historyUri, reportUri } from './resources.ts'
import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'

/** What the command line passes to the server. */
export interface McpOptions {
  readonly options: CladaOptions
  /** House rules, for the prompt. */
  readonly rules: readonly string[]
  /** What config files ask for and does not count: every answer contains it, because it is shown nowhere else. */
  readonly warnings: readonly string[]
  readonly report: ReportOptions
  readonly version: string
  readonly question: Question
  readonly log: (line: string) => void
}

export interface Call {
  readonly tool: string
  /** As the client sent them, whatever they are. */
  readonly values: unknown
  readonly signal: AbortSignal
  /** Hears how far it is. */
  readonly tell: (message: string) => void
}

/** The connection of one client. Calls run one after another, in their order. */
export class Session {
  readonly turns = new Turns()
  readonly roots: ClientRoots
  /** Resources that the client wants to hear about. */
  readonly subscribed = new Set<string>()
  lastReport: string | undefined
  #clientIsReady = false
  readonly #server: Server
  readonly #door: McpOptions

  constructor(server: Server, door: McpOptions) {
    this.#server = server
    this.#door = door
    this.roots = new ClientRoots(door.options, async () => {
      const capabilities = server.getClientCapabilities()
      // A client that has not said yet whether it has roots must not be treated as one without.
      if (capabilities === undefined) throw new Error('it has not said hello yet')
      if (capabilities.roots === undefined) return []
      return (await server.listRoots(undefined, { timeout: 10_000 })).roots.map(({ uri }) => uri)
    })
  }

  /** The client says that it is. */
  clientIsReady(): void {
    this.#clientIsReady = true
    this.roots.changed()
    // The client is asked at once, so that the first call need not wait for it. Where it says everything in one go, this
    // is heard before its hello, which is dealt with by the next round.
    setImmediate(() => void this.roots.scope())
  }

  /** Only a malformed request, or one that comes too early, is an error of the protocol. @throws for the latter */
  call(call: Call): Promise<CallToolResult> {
    this.#refuseEarly()
    return this.turns.take(async () => {
      const answer = await this.#answer(call).catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error)
        return this.#refuse(call, reason, 'internal_error')
      })
      return toolResult(answer, this.#longest())
    })
  }

  /** For looking at what was done. @throws where the client leaves nothing to look at */
  async clada(): Promise<Clada> {
    return makeClada(await this.options())
  }

  /** The options within the roots of the client. @throws where they leave nothing, or are not known yet */
  async options(): Promise<CladaOptions> {
    this.#refuseEarly()
    const scope = await this.roots.scope()
    if ('refusal' in scope) throw new Error(adviceFor(scope))
    return scope.options
  }

  /** What a client allows is known when it has said what it can, and that it is ready to be asked. */
  #refuseEarly(): void {
    if (this.#clientIsReady && this.#server.getClientCapabilities() !== undefined) return
    throw protocolError(invalidRequest, 'Too early: first initialize, then notifications/initialized, then this.')
  }

  async #answer(call: Call): Promise<Answer> {
    const scope = await this.roots.scope()
    if ('refusal' in scope) return this.#refuse(call, adviceFor(scope), 'path_escape')
    return this.#carryOut(call, scope.options)
  }

  #refuse({ tool }: Call, fatalError: string, fatalCode: Code): Answer {
    return actionAnswer(tool, this.#withWarnings({ ...nothingDone, fatalError, fatalCode }), this.#report())
  }

  async #carryOut({ tool, values, signal, tell }: Call, options: CladaOptions): Promise<Answer> {
    if (!isRecord(values)) return actionAnswer(tool, this.#withWarnings(notAnObject(tool, values)), this.#report())
    const ask = askThrough(this.#server, this.#door.question, signal)
    const asking: CladaOptions = {
      ...options,
      tryFirst: () => canAsk(this.#server, settingsOf(options).root),
      ask: (request) => {
        tell(printable(`waiting for approval: ${request.command}`))
        return ask(request)
      },
    }
    const following: ExecuteOptions = { signal, onAction: (result) => tell(progressLine(result)) }
    const report = this.#report()
    if (tool === previewTool.name) {
      const asked = documentIn(previewTool, values, asking)
      if (!asked.ok) return actionAnswer(tool, this.#withWarnings(asked.result), report)
      const preview = await (await makeClada(asked.options)).preview(asked.document, following)
      return previewAnswer({ ...preview, result: this.#withWarnings(preview.result, asked.warnings) }, report)
    }
    if (tool === executeTool.name) {
      const asked = documentIn(executeTool, values, asking)
      if (!asked.ok) return actionAnswer(tool, this.#withWarnings(asked.result), report)
      const result = await (await makeClada(asked.options)).execute(asked.document, following)
      return this.#done(result, documentAnswer(this.#withWarnings(result, asked.warnings), report))
    }
    const result = await (await makeClada(asking)).call(tool, values, following)
    return this.#done(result, actionAnswer(tool, this.#withWarnings(result), report))
  }

  #withWarnings(result: ExecutionResult, own: readonly string[] = []): ExecutionResult {
    return withWarnings(result, [...own, ...this.#door.warnings])
  }

  #done({ results }: ExecutionResult, answer: Answer): Answer {
    this.lastReport = answer.text
    this.#changed(reportUri)
    if (results.some(({ success, action }) => success && !/^(read|meta)$/.test(registry.get(action)?.effect ?? ''))) {
      this.#changed(historyUri)
      this.#server.sendResourceListChanged().catch(() => undefined)
    }
    return answer
  }

  #changed(uri: string): void {
    if (this.subscribed.has(uri)) this.#server.sendResourceUpdated({ uri }).catch(() => undefined)
  }

  /** More output needs longer messages. */
  #longest(): number {
    return Math.max(usualMessage, 4 * (this.#door.report.outputLimit ?? 0))
  }

  #report(): ReportOptions {
    const { report } = this.#door
    return { ...report, color: false, budget: Math.min(report.budget ?? Infinity, this.#longest() >> 2) }
  }
}

/** Loaded with the first call: a client that only looks at the list need not wait for it. */
async function makeClada(options: CladaOptions): Promise<Clada> {
  const { Clada } = await import('../api/clada.ts')
  return new Clada(options)
}

const nothingDone: ExecutionResult = {
  success: false,
  totalBlocks: 0,
  executedActions: 0,
  results: [],
  parseErrors: [],
}

const adviceFor = ({ refusal }: { refusal: string }): string =>
  `Nothing can be done: ${refusal}. The user can start clada mcp with a --root inside them, or open that directory in the client.`

const progressLine = (result: ActionResult): string =>
  printable(`${result.success ? '✅' : '❌'} ${result.action} ${primaryOf(result)}`.trimEnd())

/** In the words of any other wrong parameter. */
function notAnObject(tool: string, given: unknown): ExecutionResult {
  const params = [...documentTools, registry.get(tool)].find((one) => one?.name === tool)?.params ?? {}
  const needed = Object.keys(params).filter((name) => params[name]?.required)
  const shown = needed.map((name) => `"${name}": …`).join(', ')
  return refusedCall(tool, {
    errorType: 'type',
    message: `Invalid arguments: they are ${kindOf(given)}`,
    code: 'invalid_parameter',
    hint: `Give them as one object: {${shown}}.`,
  })
}

const refusedCall = (action: string, error: Omit<ParseError, 'blockId' | 'action'>): ExecutionResult => ({
  ...nothingDone,
  parseErrors: [{ blockId: 'call', action, ...error }],
})

type Asked =
  | {
      readonly ok: true
      readonly document: string
      readonly options: CladaOptions
      readonly warnings: readonly string[]
    }
  | { readonly ok: false; readonly result: ExecutionResult }

/** The parameters of a document tool, on top of the options that hold anyway. */
function documentIn({ name, params }: typeof executeTool, values: Params, options: CladaOptions): Asked {
  // A number is a text as well where actions take one; no document is a number.
  const given = values['document'] ?? ''
  if (typeof given !== 'string') {
    const hint = `Parameter 'document': Give it as one text.`
    const message = `Invalid value: ${JSON.stringify(given).slice(0, 200)}`
    return { ok: false, result: refusedCall(name, { errorType: 'type', message, code: 'invalid_parameter', hint }) }
  }
  // There is no path among them.
  const decoded = decodeParams({ params }, name, values, { root: '', relativePaths: true })
  if (!decoded.ok) {
    const { ok: _, ...error } = decoded
    return { ok: false, result: refusedCall(name, error) }
  }
  const { document, atomic, syntax } = decoded.args
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
    options: {
      ...options,
      ...(atomic === true ? { atomic } : {}),
      ...(known.length === 0 ? {} : { syntaxes: known }),
    },
    warnings: decoded.warnings,
  }
}

/** One thing after another, in the order in which they were asked for. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve()

  take<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work)
    this.#last = turn.catch(() => undefined)
    return turn
  }

  /** When everything that was asked for so far is over. */
  async idle(): Promise<void> {
    await this.#last
  }
}
