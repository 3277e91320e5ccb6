import type { GetPromptResult, Prompt } from '@modelcontextprotocol/sdk/types.js'
import { allActions } from '../actions/registry.ts'
import { type CladaOptions, settingsOf } from '../config/settings.ts'
import type { ActionSpec } from '../core/action.ts'
import { callable } from '../describe/actions.ts'
import { oneLine } from '../report/words.ts'
import { closestName } from '../text/closest-name.ts'
import { toolList } from './document-tools.ts'
import {
  type Handler,
  invalidParams,
  kindOf,
  optionalTextIn,
  type Params,
  Peer,
  protocolError,
  textIn,
} from './peer.ts'
import { listResources, readResource, templates } from './resources.ts'
import { type McpOptions, Session } from './session.ts'
import { isRecord } from '../core/platform.ts'

/** The server before it is connected. Whatever is under way when `gone` is aborted is stopped. */
export function makeServer(given: McpOptions, gone: AbortSignal): { peer: Peer; session: Session } {
  const peer = new Peer({
    serverInfo: { name: 'clada', version: given.version },
    capabilities: { tools: {}, resources: { subscribe: true, listChanged: true }, prompts: {} },
    instructions: instructionsFor(given),
  })
  const session = new Session(peer, given)
  peer.onerror = (error) => given.log(oneLine(error.message.replace(/\s+/g, ' ')))
  peer.heard = {
    'notifications/initialized': () => {
      // Clients made with the SDK do not let go of request 0, so that must not be a question to a person.
      peer.request('ping', {}).catch(() => undefined)
      session.clientIsReady()
    },
    'notifications/roots/list_changed': () => session.roots.changed(),
  }
  peer.handlers = { ...tools(session, offeredTools(given), gone), ...resources(session), ...prompts(session) }
  return { peer, session }
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

function tools(session: Session, specs: readonly ActionSpec[], gone: AbortSignal): Record<string, Handler> {
  const offered = toolList(specs)
  const names = offered.map(({ name }) => name)
  return {
    'tools/list': () => ({ tools: offered }),
    'tools/call': (params, { signal, notify }) => {
      const tool = textIn(params, 'name')
      if (!names.includes(tool)) {
        const close = closestName(tool, names)
        const meant = close === undefined ? '' : `. Did you mean ${close}?`
        throw protocolError(invalidParams, `Unknown tool: ${tool}${meant}`)
      }
      const progressToken = isRecord(params['_meta']) ? params['_meta']['progressToken'] : undefined
      let progress = 0
      const tell = (message: string): void => {
        if (progressToken !== undefined)
          notify('notifications/progress', { progressToken, progress: ++progress, message })
      }
      const values = params['arguments'] ?? {}
      return session.call({ tool, values, signal: AbortSignal.any([signal, gone]), tell })
    },
  }
}

function resources(session: Session): Record<string, Handler> {
  const clada = () => session.clada()
  return {
    'resources/list': async (params) => listResources(await clada(), optionalTextIn(params, 'cursor')),
    'resources/templates/list': () => ({ resourceTemplates: templates }),
    'resources/read': (params) => readResource(textIn(params, 'uri'), session.reports, clada),
    'resources/subscribe': (params) => {
      session.subscribed.add(textIn(params, 'uri'))
      return {}
    },
    'resources/unsubscribe': (params) => {
      session.subscribed.delete(textIn(params, 'uri'))
      return {}
    },
  }
}

function prompts(session: Session): Record<string, Handler> {
  return {
    'prompts/list': async () => ({ prompts: await promptList() }),
    'prompts/get': async (params) => {
      const given = params['arguments'] ?? {}
      if (!isRecord(given)) throw protocolError(invalidParams, `arguments must be an object; it is ${kindOf(given)}`)
      const { options, rules } = await session.project()
      return promptNamed(textIn(params, 'name'), given, options, rules)
    },
  }
}

interface OwnPrompt extends Prompt {
  readonly text: (given: Params, options: CladaOptions, rules: readonly string[]) => Promise<string> | string
}

/** Loaded on demand: few clients ask for it. */
const table = () => import('../syntax/table.ts')

async function ownPrompts(): Promise<readonly OwnPrompt[]> {
  const { taughtNames } = await table()
  return [
    {
      name: 'start',
      description: 'Start a task in this project.',
      arguments: [{ name: 'task', description: 'What is to be done.', required: true }],
      text: (given, options, rules) => taskText(textIn(given, 'task'), settingsOf(options).root, rules),
    },
    {
      name: 'clada',
      description: 'How to write action blocks for this project, for `execute`.',
      arguments: [{ name: 'syntax', description: `One of ${taughtNames.join(', ')}.`, required: false }],
      text: (given, options, rules) => blocksText(optionalTextIn(given, 'syntax'), options, rules),
    },
  ]
}

const promptList = async (): Promise<Prompt[]> =>
  (await ownPrompts()).map(({ name, description, arguments: given }) => ({ name, description, arguments: given }))

async function promptNamed(
  name: string,
  given: Params,
  options: CladaOptions,
  rules: readonly string[],
): Promise<GetPromptResult> {
  const all = await ownPrompts()
  const prompt = all.find((one) => one.name === name)
  if (prompt === undefined)
    throw protocolError(invalidParams, `Unknown prompt: ${name}. There are ${all.map((one) => one.name).join(', ')}.`)
  const text = await prompt.text(given, options, rules)
  return { messages: [{ role: 'user', content: { type: 'text', text } }] }
}

function taskText(task: string, root: string, rules: readonly string[]): string {
  const steps = [
    'Look at the project first (project_map, grep, list_structures), and read what you are going to change.',
    'Change files with file_edit, replace_structure or file_write; several changes at once with execute.',
    'Then run the tests with run. When a call fails, its answer says what to do next.',
    ...rules,
  ]
  return `${task}\n\nThe project is ${root}. Use the clada tools:\n${steps.map((step) => `- ${step}`).join('\n')}\n`
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
    const close = closestName(syntax, taughtNames)
    const meant = close === undefined ? '' : ` Did you mean ${close}?`
    throw protocolError(invalidParams, `The syntax must be one of ${taughtNames.join(', ')}, not '${syntax}'.${meant}`)
  }
  const { syntaxes } = options
  if (taught.some((one) => syntaxes?.includes(one) === false))
    throw protocolError(invalidParams, `The user allows blocks of ${syntaxes?.join(', ')} only, and not of ${syntax}.`)
  const { projectPrompt } = await import('../api/project-prompt.ts')
  return projectPrompt(syntax === undefined ? options : { ...options, syntaxes: taught }, { rules }).text
}
