import { createHash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import http from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import path from 'node:path'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { isInitializeRequest, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { isLoopbackHost, isOwnOrigin } from '../core/loopback.ts'
import { readOwn } from '../state/own-files.ts'
import { isStranger } from '../state/connection-owner.ts'
import { keepForUser, stateHome } from '../state/user-state.ts'
import { invalidRequest } from './peer.ts'
import { makeServer } from './server.ts'
import type { McpOptions, Session } from './session.ts'
import { longestMessage } from './serve.ts'
import { messageOf } from '../core/platform.ts'

/** Serves MCP over streamable HTTP, on this machine only and to those who have the key, until it is stopped. */
export async function serveHttp(given: McpOptions, port: number): Promise<void> {
  const { server, address, close } = await listenHttp(given, port, ownKey())
  given.log(`listening on ${address}; Ctrl-C ends it`)
  given.log(`clients send the header "Authorization: Bearer KEY"; the key is in ${keyFile()}`)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, () => resolve())
  })
  await close()
}

export interface HttpServer {
  readonly server: http.Server
  readonly address: string
  close(): Promise<void>
}

interface Connection {
  readonly transport: StreamableHTTPServerTransport
  readonly session: Session
  readonly gone: AbortController
}

const endpoint = '/mcp'

/** More clients than this on one machine is a mistake: the one that was quiet longest has to begin again. */
const mostConnections = 32

export async function listenHttp(given: McpOptions, port: number, key: string): Promise<HttpServer> {
  const connections = new Map<string, Connection>()
  const server = http.createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      given.log(messageOf(error))
      if (response.headersSent) response.destroy()
      else refuse(response, 500, 'clada itself failed; its log has the reason.')
    })
  })

  const owned = new WeakSet<Socket>()
  server.on('connection', (socket: Socket) => {
    if (!isStranger(socket)) owned.add(socket)
  })

  async function answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const refusal = owned.has(request.socket) ? refusalOf(request, key) : refusedStranger
    if (refusal !== undefined) return refuse(response, ...refusal)
    const id = request.headers['mcp-session-id']
    const body = request.method === 'POST' ? await bodyOf(request) : { value: undefined }
    if ('status' in body) return refuse(response, body.status, body.reason)
    const known = typeof id === 'string' ? connections.get(id) : undefined
    if (known !== undefined && typeof id === 'string') {
      // The most recent one is last.
      connections.delete(id)
      connections.set(id, known)
      return known.transport.handleRequest(request, response, body.value)
    }
    if (id !== undefined) return refuse(response, 404, 'This session has ended: send initialize again.')
    if (!isInitializeRequest(body.value))
      return refuse(response, 400, 'There is no session yet: POST initialize first, then send its Mcp-Session-Id.')
    const { transport } = await open()
    return transport.handleRequest(request, response, body.value)
  }

  async function open(): Promise<Connection> {
    const gone = new AbortController()
    const { peer, session } = makeServer(given, gone.signal)
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      eventStore: new RecentEvents(),
      onsessioninitialized: (id) => {
        connections.set(id, connection)
        const [oldest] = connections.keys()
        if (connections.size > mostConnections && oldest !== undefined) void end(oldest)
      },
      onsessionclosed: (id) => void end(id),
    })
    const connection = { transport, session, gone }
    await peer.connect(transport)
    return connection
  }

  /** Ends and records the current run. */
  async function end(id: string): Promise<void> {
    const connection = connections.get(id)
    if (connection === undefined) return
    connections.delete(id)
    connection.gone.abort(new Error('the client has disconnected'))
    await connection.session.turns.idle()
    await connection.transport.close()
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host, exclusive: true }, resolve)
  })
  const { port: own } = server.address() as AddressInfo
  return {
    server,
    address: `http://${host}:${own}${endpoint}`,
    close: async () => {
      await Promise.all([...connections.keys()].map(end))
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

const host = '127.0.0.1'

const refusedStranger: Refusal = [
  403,
  'This server belongs to another user, or the system does not name the owner of the connection: use clada mcp on stdio.',
]

/** Why a request is not answered: web pages, and clients without the key. */
function refusalOf({ method, url, headers }: http.IncomingMessage, key: string): Refusal | undefined {
  if (!isLoopbackHost(headers.host)) return [421, `Wrong Host header: this server only answers as ${host}.`]
  // Nothing is served from this address that could be a page.
  if (headers.origin !== undefined && !isOwnOrigin(headers.origin, headers.host))
    return [403, 'Web pages may not call this server.']
  const [, given = ''] = /^Bearer (.+)$/i.exec(headers.authorization ?? '') ?? []
  if (!timingSafeEqual(digest(given), digest(key)))
    return [401, `Send the header "Authorization: Bearer KEY"; the key is in ${keyFile()}.`]
  if (url?.split('?')[0] !== endpoint) return [404, `The address is ${endpoint}.`]
  return ['GET', 'POST', 'DELETE'].includes(method ?? '')
    ? undefined
    : [405, `${method} requests are not accepted here.`]
}

type Refusal = readonly [status: number, reason: string]

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

function refuse(response: http.ServerResponse, status: number, message: string): void {
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code: invalidRequest, message }, id: null })
  // What was not read of the body would be taken for the next request.
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' })
  response.end(body)
}

async function bodyOf(
  request: http.IncomingMessage,
): Promise<{ readonly value: unknown } | { readonly status: number; readonly reason: string }> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of request) {
    if (!Buffer.isBuffer(part)) continue
    size += part.length
    if (size > longestMessage) return { status: 413, reason: `A message has at most ${longestMessage} bytes.` }
    parts.push(part)
  }
  try {
    return { value: JSON.parse(Buffer.concat(parts).toString('utf8')) }
  } catch {
    return { status: 400, reason: 'The body is not JSON.' }
  }
}

/** The last messages to a client, so that one that lost its connection can go on where it was. */
class RecentEvents {
  #count = 0
  readonly #events = new Map<string, { readonly stream: string; readonly message: JSONRPCMessage }>()

  async storeEvent(stream: string, message: JSONRPCMessage): Promise<string> {
    const id = `${++this.#count}`
    this.#events.set(id, { stream, message })
    const [oldest] = this.#events.keys()
    if (this.#events.size > keptEvents && oldest !== undefined) this.#events.delete(oldest)
    return id
  }

  async getStreamIdForEventId(id: string): Promise<string | undefined> {
    return this.#events.get(id)?.stream
  }

  async replayEventsAfter(
    last: string,
    { send }: { send: (id: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const from = this.#events.get(last)
    if (from === undefined) throw new Error('this event is no longer kept')
    for (const [id, { stream, message }] of this.#events)
      if (Number(id) > Number(last) && stream === from.stream) await send(id, message)
    return from.stream
  }
}

const keptEvents = 256

const keyFile = (): string => path.join(stateHome(), 'mcp-key')

/** The same for every start, so that it can be in the settings of a client. Only the user can read it. */
function ownKey(): string {
  const kept = readOwn(keyFile())?.trim()
  if (kept !== undefined && kept.length >= 32) return kept
  const key = randomBytes(32).toString('base64url')
  keepForUser(keyFile(), `${key}\n`)
  return key
}
