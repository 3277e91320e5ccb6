import { allActions } from '../actions/registry.ts'
import { type CladaOptions, settingsOf } from '../config/settings.ts'
import type { ActionSpec } from '../core/action.ts'
import { callable } from '../describe/actions.ts'
import { oneLine, spellOut } from '../report/words.ts'
import { findClosestName } from '@clada/reply/text/closest-name.ts'
import { toolList } from './document-tools.ts'
import { Peer } from './peer.ts'
import {
  type ServerAbout,
  codes,
  type Extra,
  metaKeys,
  type Method,
  type Methods,
  modernVersion,
  optionalTextIn,
  type RpcParams,
  protocolError,
  type RpcResult,
  textIn,
} from './protocol.ts'
import { listResources, readResource, templates } from './resources.ts'
import { type ResourceListener, type McpOptions, McpSession } from './session.ts'
import { clipText, describeValue } from '../core/describe-value.ts'
import { isRecord } from '@clada/reply/core/is-record.ts'
import { unlessEmpty } from '@clada/reply/core/optional.ts'

export interface Server {
  readonly methods: Methods
  readonly session: McpSession
}

/** What answers requests that need no connection. Whatever is under way when `gone` is aborted is stopped. */
export function makeServer(given: McpOptions, gone: AbortSignal): Server {
  const session = new McpSession(given, gone)
  const about: ServerAbout = {
    serverInfo: { name: 'clada', version: given.version },
    capabilities: { tools: {}, resources: { subscribe: true, listChanged: true }, prompts: {} },
    instructions: instructionsFor(given),
  }
  const table = {
    'server/discover': { era: 'modern', ttlMs: lasting, answer: () => discoverResult(about) },
    'subscriptions/listen': {
      era: 'modern',
      answer: (params, extra) => openSubscription(session, params, extra, gone),
    },
    ...tools(session, offeredTools(given)),
    ...resources(session),
    ...prompts(session),
  } satisfies Methods['table']
  return { methods: { about, table }, session }
}

/** The same with a connection, for clients of any revision. */
export function makePeer(given: McpOptions, gone: AbortSignal): Server & { readonly peer: Peer } {
  const server = makeServer(given, gone)
  const { methods, session } = server
  const peer = new Peer({ ...methods, table: { ...methods.table, ...subscriptions(session, () => peer) } })
  const client = session.attach(peer)
  peer.onerror = (error) => given.log(oneLine(error.message.replace(/\s+/g, ' ')))
  peer.onNotification = {
    'notifications/initialized': () => {
      // Clients made with the first SDK do not let go of request 0, so that must not be a question to a person.
      peer.request('ping', {}).catch(() => undefined)
      client.ready()
    },
    'notifications/roots/list_changed': () => client.roots.changed(),
  }
  return { ...server, peer }
}

/** What stays as it is while the server runs. */
const lasting = 60 * 60 * 1000

const discoverResult = ({ capabilities, instructions }: ServerAbout): RpcResult => ({
  supportedVersions: [modernVersion],
  capabilities,
  instructions,
})

/** Ends with the server; the client ends it by cancelling the request. */
function openSubscription(
  session: McpSession,
  params: RpcParams,
  { id, signal, notify }: Extra,
  gone: AbortSignal,
): Promise<RpcResult> {
  const wanted = isRecord(params['notifications']) ? params['notifications'] : {}
  const uris = Array.isArray(wanted['resourceSubscriptions'])
    ? wanted['resourceSubscriptions'].filter((uri): uri is string => typeof uri === 'string')
    : []
  const lists = wanted['resourcesListChanged'] === true
  const _meta = { [metaKeys.subscription]: id }
  const listener: ResourceListener = {
    wants: (kind, uri = '') => (kind === 'list' ? lists : uris.includes(uri)),
    notify: (method, given) => notify(method, { ...given, _meta }),
  }
  notify('notifications/subscriptions/acknowledged', {
    _meta,
    notifications: {
      resourcesListChanged: lists ? true : undefined,
      resourceSubscriptions: unlessEmpty(uris),
    },
  })
  session.listeners.add(listener)
  return new Promise((resolve) => {
    const end = (): void => {
      session.listeners.delete(listener)
      resolve({ _meta })
    }
    const over = AbortSignal.any([signal, gone])
    if (over.aborted) end()
    else over.addEventListener('abort', end, { once: true })
  })
}

/** Up to 2025-11-25 a connection hears of every change of the list, and of the resources that it subscribes to. */
function subscriptions(session: McpSession, peer: () => Peer): Record<string, Method> {
  const uris = new Set<string>()
  session.listeners.add({
    wants: (kind, uri = '') => (kind === 'list' ? peer().client !== undefined : uris.has(uri)),
    notify: (method, params) => peer().notify(method, params),
  })
  const changing = (change: (uri: string) => unknown): Method => ({
    era: 'legacy',
    answer: (params) => {
      change(textIn(params, 'uri'))
      return {}
    },
  })
  return {
    'resources/subscribe': changing((uri) => uris.add(uri)),
    'resources/unsubscribe': changing((uri) => uris.delete(uri)),
  }
}

/** Short: clients put it into every conversation. */
function instructionsFor({ place }: McpOptions): string {
  const root = 'within' in place ? settingsOf(place.within.options).root : 'the first root of the client'
  return `The project is ${root}; paths are absolute or relative to it. execute takes a text with action blocks, and reaches every action. A call that fails says what to do next. Every change is recorded, and the user can undo it.`
}

function offeredTools({ first: { options }, tools: chosen }: McpOptions): ActionSpec[] {
  const allowed = callable(allActions(), { allowedActions: options.allowedActions, exec: options.exec })
  return chosen === 'all' ? allowed : allowed.filter(({ name }) => chosen.includes(name))
}

function tools(session: McpSession, specs: readonly ActionSpec[]): Record<string, Method> {
  const offered = toolList(specs)
  const names = offered.map(({ name }) => name)
  return {
    'tools/list': { ttlMs: lasting, answer: () => ({ tools: offered }) },
    'tools/call': {
      answer: (params, { id, signal, notify, caller }) => {
        const tool = textIn(params, 'name')
        if (!names.includes(tool)) {
          const close = findClosestName(tool, names)
          const meant = close === undefined ? '' : `. Did you mean ${close}?`
          throw protocolError(codes.invalidParams, `Unknown tool: ${clipText(tool)}${meant}`)
        }
        const progressToken = isRecord(params['_meta']) ? params['_meta']['progressToken'] : undefined
        let progress = 0
        const tell = (message: string): void => {
          if (progressToken !== undefined)
            notify('notifications/progress', { progressToken, progress: ++progress, message })
        }
        return session.call({
          tool,
          values: params['arguments'] ?? {},
          caller,
          id,
          signal,
          tell,
          requestState: optionalTextIn(params, 'requestState'),
          inputResponses: params['inputResponses'],
        })
      },
    },
  }
}

function resources(session: McpSession): Record<string, Method> {
  return {
    'resources/list': {
      ttlMs: 0,
      answer: async (params, { caller }) =>
        listResources(await session.clada(caller), optionalTextIn(params, 'cursor')),
    },
    'resources/templates/list': { ttlMs: lasting, answer: () => ({ resourceTemplates: templates }) },
    'resources/read': {
      ttlMs: 0,
      answer: async (params, { caller }) => {
        const uri = textIn(params, 'uri')
        const found = await readResource(uri, session.reports, () => session.clada(caller), session.longestMessage())
        if (found !== undefined) return found
        const code = caller.era === 'modern' ? codes.invalidParams : codes.resourceNotFound
        throw protocolError(code, `There is no resource ${spellOut(clipText(uri))}. List them.`, { uri: clipText(uri) })
      },
    },
  }
}

function prompts(session: McpSession): Record<string, Method> {
  return {
    'prompts/list': { ttlMs: lasting, answer: async () => ({ prompts: await promptList() }) },
    'prompts/get': {
      answer: async (params, { caller }) => {
        const given = params['arguments'] ?? {}
        if (!isRecord(given))
          throw protocolError(codes.invalidParams, `arguments must be an object; it is ${describeValue(given)}`)
        const { options, rules } = await session.project(caller)
        return promptNamed(textIn(params, 'name'), given, options, rules)
      },
    },
  }
}

interface McpPrompt {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly arguments: readonly { readonly name: string; readonly description: string; readonly required: boolean }[]
}

interface OwnPrompt extends McpPrompt {
  readonly text: (given: RpcParams, options: CladaOptions, rules: readonly string[]) => Promise<string> | string
}

/** Loaded on demand: few clients ask for it. */
const table = () => import('@clada/reply/syntax/table.ts')

async function ownPrompts(): Promise<readonly OwnPrompt[]> {
  const { taughtNames } = await table()
  return [
    {
      name: 'start',
      title: 'Start a task',
      description: 'Start a task in this project.',
      arguments: [{ name: 'task', description: 'What is to be done.', required: true }],
      text: (given, options, rules) => taskText(textIn(given, 'task'), settingsOf(options).root, rules),
    },
    {
      name: 'clada',
      title: 'Write action blocks',
      description: 'How to write action blocks for this project, for `execute`.',
      arguments: [{ name: 'syntax', description: `One of ${taughtNames.join(', ')}.`, required: false }],
      text: (given, options, rules) => blocksText(optionalTextIn(given, 'syntax'), options, rules),
    },
  ]
}

const promptList = async (): Promise<McpPrompt[]> =>
  (await ownPrompts()).map(({ name, title, description, arguments: given }) => ({
    name,
    title,
    description,
    arguments: given,
  }))

async function promptNamed(
  name: string,
  given: RpcParams,
  options: CladaOptions,
  rules: readonly string[],
): Promise<RpcResult> {
  const all = await ownPrompts()
  const prompt = all.find((one) => one.name === name)
  if (prompt === undefined)
    throw protocolError(
      codes.invalidParams,
      `Unknown prompt: ${name}. There are ${all.map((one) => one.name).join(', ')}.`,
    )
  const text = await prompt.text(given, options, rules)
  return { messages: [{ role: 'user', content: { type: 'text', text } }] }
}

async function taskText(task: string, root: string, rules: readonly string[]): Promise<string> {
  const { markdownList, toolTips } = await import('../describe/prompt.ts')
  const tips = [...toolTips.map(({ text }) => text), 'Several changes at once: execute.', ...rules]
  return `${task}\n\nThe project is ${root}. Use the clada tools:\n${markdownList(tips)}\n`
}

/** The text of `clada prompt`. */
async function blocksText(
  syntax: string | undefined,
  options: CladaOptions,
  rules: readonly string[],
): Promise<string> {
  const { taughtNames } = await table()
  const taught = taughtNames.filter((one) => one === syntax)
  if (syntax !== undefined && taught.length === 0) {
    const close = findClosestName(syntax, taughtNames)
    const meant = close === undefined ? '' : ` Did you mean ${close}?`
    throw protocolError(
      codes.invalidParams,
      `The syntax must be one of ${taughtNames.join(', ')}, not '${syntax}'.${meant}`,
    )
  }
  const { syntaxes } = options
  if (taught.some((one) => syntaxes?.includes(one) === false))
    throw protocolError(
      codes.invalidParams,
      `The user allows blocks of ${syntaxes?.join(', ')} only, and not of ${syntax}.`,
    )
  const { projectPrompt } = await import('../api/project-prompt.ts')
  return projectPrompt(syntax === undefined ? options : { ...options, syntaxes: taught }, { rules }).text
}
