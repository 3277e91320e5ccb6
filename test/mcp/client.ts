import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import type {
  CallToolResult,
  ClientCapabilities,
  JSONRPCMessage,
  Notification,
} from '@modelcontextprotocol/sdk/types.js'
import { inject, onTestFinished } from 'vitest'
import { outcomeKey } from '../../src/mcp/answers.ts'
import type { Project } from '../../src/mcp/client-roots.ts'
import { makeServer } from '../../src/mcp/server.ts'
import type { McpOptions } from '../../src/mcp/session.ts'
import { scratchDir } from '../support/scratch.ts'

export interface Connected {
  readonly client: Client
  readonly transport: StdioClientTransport
  /** What the server said without being asked. */
  readonly heard: Notification[]
  call(name: string, values?: Record<string, unknown>): Promise<Answer>
}

export interface Answer {
  readonly text: string
  readonly values: Record<string, unknown>
  readonly isError: boolean
}

export interface Setting {
  readonly args?: readonly string[]
  /** All of them, unless it says otherwise. */
  readonly tools?: readonly string[]
  readonly git?: readonly string[]
  /** Whether --root names the project; else it is started there. */
  readonly rooted?: boolean
  readonly capabilities?: ClientCapabilities
  readonly env?: Readonly<Record<string, string>>
  /** The longest message that the client takes, where it is not the usual one. */
  readonly maxBufferSize?: number
  /** Before the connection is made. */
  readonly prepare?: (client: Client) => void
}

/** The official client, connected to the real command line. Its user has no state but what the test gives them. */
export async function connected(root: string, setting: Setting = {}): Promise<Connected> {
  const {
    args = [],
    capabilities = {},
    env = {},
    maxBufferSize,
    prepare,
    rooted = true,
    tools = ['--tools', 'all'],
    git = ['--no-git'],
  } = setting
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [inject('cli'), 'mcp', ...(rooted ? ['--root', root] : []), ...git, ...tools, ...args],
    ...(rooted ? {} : { cwd: root }),
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: scratchDir(),
      XDG_STATE_HOME: process.env['XDG_STATE_HOME'] ?? '',
      CLADA_CODE_CACHE: 'off',
      ...env,
    },
    stderr: 'ignore',
    ...(maxBufferSize === undefined ? {} : { maxBufferSize }),
  })
  const client = new Client({ name: 'test', version: '1' }, { capabilities })
  const heard: Notification[] = []
  client.fallbackNotificationHandler = async (notification) => void heard.push(notification)
  prepare?.(client)
  await client.connect(transport)
  onTestFinished(() => client.close())
  const call = async (name: string, values: Record<string, unknown> = {}): Promise<Answer> =>
    answerOf(await client.callTool({ name, arguments: values }))
  return { client, transport, heard, call }
}

/** What a server in this process is given. */
export function serverFor(root: string, more: Partial<Project> = {}): McpOptions {
  const first = { options: { repoPath: root, gitCommit: false }, rules: [], warnings: [], report: {}, ...more }
  const question: McpOptions['question'] = ({ command }) => command
  return { place: { within: first }, first, tools: 'all', version: '1', question, log: () => undefined }
}

/** The official client, connected to a server in this process. */
export async function linked(
  given: McpOptions,
  { capabilities = {}, prepare }: Pick<Setting, 'capabilities' | 'prepare'> = {},
): Promise<Omit<Connected, 'transport'>> {
  const { peer } = makeServer(given, new AbortController().signal)
  const [own, other] = InMemoryTransport.createLinkedPair()
  const client = new Client({ name: 'test', version: '1' }, { capabilities })
  const heard: Notification[] = []
  client.fallbackNotificationHandler = async (notification) => void heard.push(notification)
  prepare?.(client)
  await Promise.all([peer.connect(other), client.connect(own)])
  onTestFinished(() => client.close())
  const call = async (name: string, values: Record<string, unknown> = {}): Promise<Answer> =>
    answerOf(await client.callTool({ name, arguments: values }))
  return { client, heard, call }
}

/** Every message from now on, as it arrives. */
export function messagesTo({ transport }: Client): JSONRPCMessage[] {
  const messages: JSONRPCMessage[] = []
  const hear = transport?.onmessage
  if (transport !== undefined && hear !== undefined) {
    transport.onmessage = (message, extra) => {
      messages.push(message)
      hear(message, extra)
    }
  }
  return messages
}

export function answerOf(result: Awaited<ReturnType<Client['callTool']>>): Answer {
  const { content, _meta, isError = false } = result as CallToolResult
  const [first] = content
  return { text: first?.type === 'text' ? first.text : '', values: Object(_meta?.[outcomeKey]), isError }
}

/** A document of blocks that each write a file of their own. */
export const writing = (root: string, names: readonly string[]): string =>
  names
    .map((name, at) => {
      const id = `b${String(at).padStart(4, '0')}`
      return `#!SHAM [@three-char-SHA-256: ${id}]\naction = "file_write"\npath = "${root}/${name}"\ncontent = "${name}"\n#!END_SHAM_${id}\n`
    })
    .join('\n')
