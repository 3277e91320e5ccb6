import { actions } from '../actions/registry.ts'
import { settingsOf } from '../config/settings.ts'
import type { ActionSpec } from '../core/action.ts'
import { callable } from '../describe/actions.ts'
import { oneLine } from '../report/words.ts'
import { closestName } from '../text/closest-name.ts'
import { toolList } from './document-tools.ts'
import { promptList, promptNamed } from './prompts.ts'
import {
  answerRequests,
  type Handler,
  invalidParams,
  isRecord,
  kindOf,
  optionalTextIn,
  protocolError,
  textIn,
} from './requests.ts'
import { listResources, readResource, templates } from './resources.ts'
import { type McpOptions, Session } from './session.ts'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { RootsListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'

/** The server before it is connected. Whatever is under way when `gone` is aborted is stopped. */
export function makeServer(door: McpOptions, gone: AbortSignal): { server: Server; session: Session } {
  const { root, allowedActions } = settingsOf(door.options)
  const server = new Server(
    { name: 'clada', version: door.version },
    {
      capabilities: {
        tools: {},
        resources: { subscribe: true, listChanged: true },
        prompts: {},
      },
      instructions: instructionsFor(root),
      jsonSchemaValidator: unused,
    },
  )
  const session = new Session(server, door)
  server.onerror = (error) => door.log(oneLine(error.message.replace(/\s+/g, ' ')))
  server.oninitialized = () => {
    // Clients made with the SDK do not let go of request 0, so that must not be a question to a person.
    server.ping().catch(() => undefined)
    session.clientIsReady()
  }
  server.setNotificationHandler(RootsListChangedNotificationSchema, () => session.roots.changed())
  answerRequests(server, {
    ...tools(session, callable(actions, { allowedActions, exec: door.options.exec }), gone),
    ...resources(session),
    ...prompts(session, door.rules),
  })
  return { server, session }
}

const instructionsFor = (root: string): string =>
  `The project is ${root}, or the part of it that your roots leave; paths are absolute or relative to it. Each action is a tool of its own. execute takes a whole text with action blocks, preview shows what that would change. A call that fails says what to do next. Everything is saved, and the user can take it back.`

/** Answers to questions are checked where they are asked, so the SDK needs no schema library. */
const unused = {
  getValidator: (): never => {
    throw new Error('There is no validator.')
  },
}

function tools(session: Session, specs: readonly ActionSpec[], gone: AbortSignal): Record<string, Handler> {
  const offered = toolList(specs)
  const names = offered.map(({ name }) => name)
  return {
    'tools/list': () => ({ tools: offered }),
    'tools/call': (params, { signal, sendNotification, _meta }) => {
      const tool = textIn(params, 'name')
      if (!names.includes(tool)) {
        const close = closestName(tool, names)
        const meant = close === undefined ? '' : `. Did you mean ${close}?`
        throw protocolError(invalidParams, `Unknown tool: ${tool}${meant}`)
      }
      const progressToken = _meta?.progressToken
      let progress = 0
      const tell = (message: string): void => {
        if (progressToken === undefined) return
        const notification = { progressToken, progress: ++progress, message }
        sendNotification({ method: 'notifications/progress', params: notification }).catch(() => undefined)
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
    'resources/read': (params) => readResource(textIn(params, 'uri'), session.lastReport, clada),
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

function prompts(session: Session, rules: readonly string[]): Record<string, Handler> {
  return {
    'prompts/list': async () => ({ prompts: await promptList() }),
    'prompts/get': async (params) => {
      const given = params['arguments'] ?? {}
      if (!isRecord(given)) throw protocolError(invalidParams, `arguments must be an object; it is ${kindOf(given)}`)
      const name = textIn(params, 'name')
      return promptNamed(name, optionalTextIn(given, 'syntax'), await session.options(), rules)
    },
  }
}
