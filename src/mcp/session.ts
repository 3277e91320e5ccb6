import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { decodeParams } from '../actions/decode.ts'
import { registry } from '../actions/registry.ts'
import type { Clada } from '../api/clada.ts'
import type { ExecuteOptions } from '../engine/options.ts'
import { type CladaOptions, settingsOf } from '../config/settings.ts'
import type { Code } from '../core/codes.ts'
import {
  type ActionResult,
  type ExecutionResult,
  fatalResult,
  nothingDone,
  type ParseError,
  withWarnings,
} from '../core/result.ts'
import type { ReportOptions } from '../report/parts.ts'
import { primaryOf, printable } from '../report/words.ts'
import { syntaxNames } from '../syntax/table.ts'
import { actionAnswer, type Answer, documentAnswer, previewAnswer, toolResult, usualMessage } from './answers.ts'
import { ClientRoots, type Place, type Project } from './client-roots.ts'
import { executeTool } from './document-tools.ts'
import {
  askThrough,
  canAsk,
  invalidRequest,
  kindOf,
  type Params,
  type Peer,
  protocolError,
  type Question,
  textIn,
} from './peer.ts'
import { historyUri, Reports, reportUri } from './resources.ts'
import { isRecord, messageOf } from '../core/platform.ts'

/** What the command line passes to the server. */
export interface McpOptions {
  readonly place: Place
  /** What applies before the roots of the client are known. */
  readonly first: Project
  /** The names of the tools that are offered besides `execute`, or all. */
  readonly tools: readonly string[] | 'all'
  readonly version: string
  readonly question: Question
  readonly log: (line: string) => void
}

export interface Call {
  readonly tool: string
  /** As the client sent them, whatever they are. */
  readonly values: unknown
  readonly signal: AbortSignal
  /** Receives progress messages. */
  readonly tell: (message: string) => void
}

/** The connection of one client. Calls run one after another, in their order. */
export class Session {
  readonly turns = new Turns()
  readonly roots: ClientRoots
  readonly reports = new Reports()
  /** Resources that the client wants to hear about. */
  readonly subscribed = new Set<string>()
  /** So that the user can undo everything that this client did. */
  #conversation: CladaOptions['conversation']
  #clientIsReady = false
  readonly #peer: Peer
  readonly #given: McpOptions

  constructor(peer: Peer, given: McpOptions) {
    this.#peer = peer
    this.#given = given
    this.roots = new ClientRoots(given.place, async () => {
      // A client that has not said yet whether it has roots must not be treated as one without.
      if (peer.client === undefined) throw new Error('it has not sent initialize yet')
      if (peer.client['roots'] === undefined) return []
      const { roots } = await peer.request('roots/list', {}, { timeout: 10_000 })
      if (!Array.isArray(roots)) throw new Error(`roots must be a list; it is ${kindOf(roots)}`)
      return roots.map((root: unknown) => textIn(isRecord(root) ? root : {}, 'uri'))
    })
  }

  /** Called when the client has sent `initialized`. */
  clientIsReady(): void {
    this.#clientIsReady = true
    this.roots.changed()
    // The client is asked at once, so that the first call need not wait for it. If it sends everything in one go, this
    // is read before its initialize, which the next round handles.
    setImmediate(() => void this.roots.scope())
  }

  /** Only a malformed request, or one that comes too early, is an error of the protocol. @throws for the latter */
  call(call: Call): Promise<CallToolResult> {
    this.#refuseEarly()
    return this.turns.take(async () => {
      const answer = await this.#answer(call).catch((error: unknown) => {
        const reason = messageOf(error)
        return this.#refuse(call, reason, 'internal_error')
      })
      return toolResult(answer, this.#longest(), this.reports.keep(answer))
    })
  }

  /** For looking at the history. @throws where the client leaves nothing to look at */
  async clada(): Promise<Clada> {
    return makeClada((await this.project()).options)
  }

  /** The project within the roots of the client. @throws where they leave nothing, or are not known yet */
  async project(): Promise<Project> {
    this.#refuseEarly()
    const scope = await this.roots.scope()
    if ('refusal' in scope) throw new Error(adviceFor(scope))
    return scope.project
  }

  /** What a client allows is known when it has said what it can, and that it is ready to be asked. */
  #refuseEarly(): void {
    if (this.#clientIsReady && this.#peer.client !== undefined) return
    throw protocolError(invalidRequest, 'Too early: first initialize, then notifications/initialized, then this.')
  }

  async #answer(call: Call): Promise<Answer> {
    const scope = await this.roots.scope()
    if ('refusal' in scope) return this.#refuse(call, adviceFor(scope), 'path_escape')
    return this.#perform(call, scope.project)
  }

  #refuse({ tool }: Call, fatalError: string, fatalCode: Code): Answer {
    const { first } = this.#given
    const result = withWarnings(fatalResult(fatalError, fatalCode), first.warnings)
    return actionAnswer(tool, result, this.#report(first))
  }

  async #perform({ tool, values, signal, tell }: Call, project: Project): Promise<Answer> {
    const report = this.#report(project)
    const warned = (result: ExecutionResult, own: readonly string[] = []): ExecutionResult =>
      withWarnings(result, [...own, ...project.warnings])
    if (!isRecord(values)) return actionAnswer(tool, warned(notAnObject(tool, values)), report)
    const ask = askThrough(this.#peer, this.#given.question, signal)
    const options: CladaOptions = {
      ...project.options,
      conversation: (this.#conversation ??= { kind: 'mcp', id: newId() }),
      tryFirst: () => canAsk(this.#peer, settingsOf(project.options).root),
      ask: (request) => {
        tell(printable(`waiting for approval: ${request.command}`))
        return ask(request)
      },
    }
    const following: ExecuteOptions = { signal, onAction: (result) => tell(progressLine(result)) }
    if (tool !== executeTool.name) {
      const result = await (await makeClada(options)).call(tool, values, following)
      return this.#done(result, actionAnswer(tool, warned(result), report))
    }
    const asked = documentIn(values, options)
    if (!asked.ok) return actionAnswer(tool, warned(asked.result), report)
    const clada = await makeClada(asked.options)
    if (asked.dryRun) {
      const preview = await clada.preview(asked.document, following)
      return previewAnswer({ ...preview, result: warned(preview.result, asked.warnings) }, report)
    }
    const result = await clada.execute(asked.document, following)
    return this.#done(result, documentAnswer(warned(result, asked.warnings), report))
  }

  #done({ results }: ExecutionResult, answer: Answer): Answer {
    this.#changed(reportUri)
    if (results.some(({ success, action }) => success && !/^(read|meta)$/.test(registry.get(action)?.effect ?? ''))) {
      this.#changed(historyUri)
      this.#peer.notify('notifications/resources/list_changed')
    }
    return answer
  }

  #changed(uri: string): void {
    if (this.subscribed.has(uri)) this.#peer.notify('notifications/resources/updated', { uri })
  }

  /** More output needs longer messages. */
  #longest(): number {
    return Math.max(usualMessage, 4 * (this.#given.first.report.outputLimit ?? 0))
  }

  #report({ report }: Project): ReportOptions {
    return { ...report, color: false, budget: Math.min(report.budget ?? Infinity, this.#longest() >> 2) }
  }
}

/** Loaded with the first call: a client that only looks at the list need not wait for it. */
async function makeClada(options: CladaOptions): Promise<Clada> {
  const { Clada } = await import('../api/clada.ts')
  return new Clada(options)
}

/** Not imported, for the same reason. */
const newId = (): string => process.getBuiltinModule('node:crypto').randomUUID()

const adviceFor = ({ refusal }: { refusal: string }): string =>
  `Nothing can be done: ${refusal}. The user can start clada mcp with a --root inside them, or open that directory in the client.`

const progressLine = (result: ActionResult): string =>
  printable(`${result.success ? '✅' : '❌'} ${result.action} ${primaryOf(result)}`.trimEnd())

/** Reported like any other wrong parameter. */
function notAnObject(tool: string, given: unknown): ExecutionResult {
  const params = (tool === executeTool.name ? executeTool : registry.get(tool))?.params ?? {}
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
      readonly dryRun: boolean
      readonly options: CladaOptions
      readonly warnings: readonly string[]
    }
  | { readonly ok: false; readonly result: ExecutionResult }

/** The parameters of `execute`, on top of the options that hold anyway. */
function documentIn(values: Params, options: CladaOptions): Asked {
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
      ...(atomic === true ? { atomic } : {}),
      ...(known.length === 0 ? {} : { syntaxes: known }),
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
