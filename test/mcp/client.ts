import {
  type CallToolResult,
  Client,
  type ClientCapabilities,
  InMemoryTransport,
  type JSONRPCMessage,
  type Notification,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { onTestFinished } from 'vitest'
import type { ClientProject } from '../../packages/clada/src/mcp/client-roots.ts'
import { makePeer } from '../../packages/clada/src/mcp/server.ts'
import type { Transport } from '../../packages/clada/src/mcp/protocol.ts'
import type { McpOptions } from '../../packages/clada/src/mcp/session.ts'
import { scratchDir } from '../support/scratch.ts'
import { cladaCommand } from '../support/cli.ts'

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
  /** How the client finds the revision; `legacy` is what it does unless it is told otherwise. */
  readonly mode?: VersionNegotiationMode
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
    mode,
    prepare,
    rooted = true,
    tools = ['--tools', 'all'],
    git = ['--no-git'],
  } = setting
  const [command = '', ...first] = cladaCommand()
  const transport = new StdioClientTransport({
    command,
    args: [...first, 'mcp', ...(rooted ? ['--root', root] : []), ...git, ...tools, ...args],
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
  const client = clientWith(capabilities, mode)
  const heard: Notification[] = []
  client.fallbackNotificationHandler = async (notification) => void heard.push(notification)
  prepare?.(client)
  await client.connect(transport)
  onTestFinished(() => client.close())
  const call = async (name: string, values: Record<string, unknown> = {}): Promise<Answer> =>
    answerOf(await client.callTool({ name, arguments: values }))
  return { client, transport, heard, call }
}

const clientWith = (capabilities: ClientCapabilities, mode?: VersionNegotiationMode): Client =>
  new Client(
    { name: 'test', version: '1' },
    { capabilities, ...(mode === undefined ? {} : { versionNegotiation: { mode } }) },
  )

/** Pinned to the revision without a handshake. */
export const modern: VersionNegotiationMode = { pin: '2026-07-28' }

/** What a server in this process is given. */
export function serverFor(root: string, more: Partial<ClientProject> = {}): McpOptions {
  const first = { options: { repoPath: root, gitCommit: false }, rules: [], warnings: [], report: {}, ...more }
  const question: McpOptions['question'] = ({ command }) => command
  return { place: { within: first }, first, tools: 'all', version: '1', question, log: () => undefined }
}

/** The official client, connected to a server in this process. */
export async function linked(
  given: McpOptions,
  { capabilities = {}, prepare, mode }: Pick<Setting, 'capabilities' | 'prepare' | 'mode'> = {},
): Promise<Omit<Connected, 'transport'>> {
  const { peer } = makePeer(given, new AbortController().signal)
  const [own, other] = InMemoryTransport.createLinkedPair()
  const client = clientWith(capabilities, mode)
  const heard: Notification[] = []
  client.fallbackNotificationHandler = async (notification) => void heard.push(notification)
  prepare?.(client)
  await Promise.all([peer.connect(transportOf(other)), client.connect(own)])
  onTestFinished(() => client.close())
  const call = async (name: string, values: Record<string, unknown> = {}): Promise<Answer> =>
    answerOf(await client.callTool({ name, arguments: values }))
  return { client, heard, call }
}

/** The other end of a pair, as the server takes it. */
function transportOf(end: InMemoryTransport): Transport {
  const transport: Transport = {
    start: () => end.start(),
    send: (message) => end.send(message as unknown as JSONRPCMessage),
  }
  end.onmessage = (message) => transport.onmessage?.(message)
  end.onclose = () => transport.onclose?.()
  end.onerror = (error) => transport.onerror?.(error)
  return transport
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

export function answerOf({ content, structuredContent, isError = false }: CallToolResult): Answer {
  const [first] = content
  return { text: first?.type === 'text' ? first.text : '', values: Object(structuredContent), isError }
}

/** A document of blocks that each write a file of their own. */
export const writing = (root: string, names: readonly string[]): string =>
  names
    .map((name, at) => {
      const id = `b${String(at).padStart(4, '0')}`
      return `#!SHAM [@three-char-SHA-256: ${id}]\naction = "file_write"\npath = "${root}/${name}"\ncontent = "${name}"\n#!END_SHAM_${id}\n`
    })
    .join('\n')
