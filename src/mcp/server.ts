import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  CallToolRequestSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  RootsListChangedNotificationSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { oneLine } from '../report/words.ts'
import { settingsOf } from '../settings.ts'
import { closestName } from '../text/closest-name.ts'
import { promptList, promptNamed } from './prompts.ts'
import { invalidParams, protocolError } from './protocol-error.ts'
import { listResources, readResource, templates } from './resources.ts'
import { type McpOptions, Session } from './session.ts'
import { callable, toolList } from './tool-list.ts'

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
  offerTools(server, session, callable(allowedActions), gone)
  offerResources(server, session)
  offerPrompts(server, session, door.rules)
  return { server, session }
}

const instructionsFor = (root: string): string =>
  `The project is ${root}; paths are absolute or relative to it. Each action is a tool of its own. execute takes a whole text with action blocks, preview shows what that would change. A call that fails says what to do next. Everything is saved, and the user can take it back.`

/** Answers to questions are checked where they are asked, so the SDK needs no schema library. */
const unused = {
  getValidator: (): never => {
    throw new Error('There is no validator.')
  },
}

function offerTools(server: Server, session: Session, specs: ReturnType<typeof callable>, gone: AbortSignal): void {
  const tools = toolList(specs)
  const names = tools.map(({ name }) => name)
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }))
  server.setRequestHandler(CallToolRequestSchema, ({ params }, { signal, sendNotification }) => {
    const { name: tool, arguments: values = {}, _meta } = params
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
    return session.call({ tool, values, signal: AbortSignal.any([signal, gone]), tell })
  })
}

function offerResources(server: Server, session: Session): void {
  const clada = () => session.clada()
  server.setRequestHandler(ListResourcesRequestSchema, async ({ params }) =>
    listResources(await clada(), params?.cursor),
  )
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: templates }))
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }) =>
    readResource(params.uri, session.lastReport, clada),
  )
  server.setRequestHandler(SubscribeRequestSchema, ({ params }) => {
    session.subscribed.add(params.uri)
    return {}
  })
  server.setRequestHandler(UnsubscribeRequestSchema, ({ params }) => {
    session.subscribed.delete(params.uri)
    return {}
  })
}

function offerPrompts(server: Server, session: Session, rules: readonly string[]): void {
  server.setRequestHandler(ListPromptsRequestSchema, async () => ({ prompts: await promptList() }))
  server.setRequestHandler(GetPromptRequestSchema, async ({ params }) =>
    promptNamed(params.name, params.arguments?.['syntax'], await session.options(), rules),
  )
}
