import { isSameSecret } from '../core/digest.ts'
import { randomBytes, randomUUID } from 'node:crypto'
import http from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import path from 'node:path'
import { isLoopbackHost, isOwnOrigin } from '../core/loopback.ts'
import { readOwn } from '../state/own-files.ts'
import { isStranger } from '../state/connection-owner.ts'
import { keepForUser, stateHome } from '../state/user-state.ts'
import { takesEvents } from './event-stream.ts'
import { answerPost, isModern } from './http-modern.ts'
import { HttpSession } from './http-session.ts'
import { codes, messageIn } from './protocol.ts'
import { makePeer, makeServer } from './server.ts'
import type { McpOptions, McpSession } from './session.ts'
import { longestMessage } from './serve.ts'
import { messageOf } from '../core/errors.ts'
import { isRecord } from '@clada/reply/core/is-record.ts'

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
  readonly streams: HttpSession
  readonly session: McpSession
  readonly gone: AbortController
}

const endpoint = '/mcp'

/** More clients than this on one machine is a mistake: the one that was quiet longest has to begin again. */
const mostConnections = 32

export async function listenHttp(given: McpOptions, port: number, key: string): Promise<HttpServer> {
  const connections = new Map<string, Connection>()
  const ended = new AbortController()
  // Clients of 2026-07-28 have no session: this one is for all of them.
  const shared = makeServer(given, ended.signal)
  const server = http.createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      given.log(messageOf(error))
      if (response.headersSent) response.destroy()
      else respondRefused(response, 500, 'clada itself failed; its log has the reason.')
    })
  })

  const owned = new WeakSet<Socket>()
  server.on('connection', (socket: Socket) => {
    if (!isStranger(socket)) owned.add(socket)
  })

  async function answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const refusal = owned.has(request.socket) ? httpRefusal(request, key) : refusedStranger
    if (refusal !== undefined) return respondRefused(response, ...refusal)
    const body = request.method === 'POST' ? await requestBody(request) : { value: undefined }
    if ('status' in body) return respondRefused(response, body.status, body.reason, codes.parse)
    if (request.method === 'POST' && isModern(request, body.value))
      return answerPost(request, response, body.value, shared.methods)
    return answerSession(request, response, body.value)
  }

  /** Of a client that begins with initialize. */
  async function answerSession(
    request: http.IncomingMessage,
    response: http.ServerResponse,
    body: unknown,
  ): Promise<void> {
    const id = request.headers['mcp-session-id']
    const known = typeof id === 'string' ? connections.get(id) : undefined
    if (known === undefined && id !== undefined)
      return respondRefused(response, 404, 'This session has ended: send initialize again.')
    if (known === undefined && request.method !== 'POST')
      return respondRefused(response, 405, 'Without a session only POST requests are accepted.')
    if (known === undefined && !(isRecord(body) && body['method'] === 'initialize'))
      return respondRefused(
        response,
        400,
        'There is no session yet: POST initialize first, then send its Mcp-Session-Id.',
      )
    if (request.method !== 'DELETE' && !takesEvents(request))
      return respondRefused(response, 406, 'Accept must have text/event-stream.')
    if (known === undefined || typeof id !== 'string') return (await open()).streams.post(response, body)
    // The most recent one is last.
    connections.delete(id)
    connections.set(id, known)
    if (request.method === 'POST') return known.streams.post(response, body)
    if (request.method === 'GET') {
      const last = request.headers['last-event-id']
      if (!known.streams.listen(response, typeof last === 'string' ? last : undefined))
        respondRefused(response, 409, 'This session has such a stream already.')
      return undefined
    }
    await end(id)
    response.writeHead(200).end()
  }

  async function open(): Promise<Connection> {
    const gone = new AbortController()
    const { peer, session } = makePeer(given, gone.signal)
    const id = randomUUID()
    const streams = new HttpSession(id)
    await peer.connect(streams)
    const connection = { streams, session, gone }
    connections.set(id, connection)
    const [oldest] = connections.keys()
    if (connections.size > mostConnections && oldest !== undefined) void end(oldest)
    return connection
  }

  /** Ends and records the current run. */
  async function end(id: string): Promise<void> {
    const connection = connections.get(id)
    if (connection === undefined) return
    connections.delete(id)
    connection.gone.abort(new Error('the client has disconnected'))
    await connection.session.turns.idle()
    connection.streams.close()
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
      ended.abort(new Error('the server was stopped'))
      await Promise.all([...connections.keys()].map(end))
      await shared.session.turns.idle()
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

const host = '127.0.0.1'

const refusedStranger: HttpRefusal = [
  403,
  'This server belongs to another user, or the system does not name the owner of the connection: use clada mcp on stdio.',
]

/** Why a request is not answered: web pages, and clients without the key. */
function httpRefusal({ method, url, headers }: http.IncomingMessage, key: string): HttpRefusal | undefined {
  if (!isLoopbackHost(headers.host)) return [421, `Wrong Host header: this server only answers as ${host}.`]
  // Nothing is served from this address that could be a page.
  if (headers.origin !== undefined && !isOwnOrigin(headers.origin, headers.host))
    return [403, 'Web pages may not call this server.']
  const [, given = ''] = /^Bearer (.+)$/i.exec(headers.authorization ?? '') ?? []
  if (!isSameSecret(given, key))
    return [401, `Send the header "Authorization: Bearer KEY"; the key is in ${keyFile()}.`]
  if (url?.split('?')[0] !== endpoint) return [404, `The address is ${endpoint}.`]
  return ['GET', 'POST', 'DELETE'].includes(method ?? '')
    ? undefined
    : [405, `${method} requests are not accepted here.`]
}

type HttpRefusal = readonly [status: number, reason: string]

function respondRefused(
  response: http.ServerResponse,
  status: number,
  message: string,
  code: number = codes.invalidRequest,
): void {
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null })
  // What was not read of the body would be taken for the next request.
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' })
  response.end(body)
}

async function requestBody(
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
  const message = messageIn(Buffer.concat(parts))
  return 'value' in message ? message : { status: 400, reason: `The body is ${message.reason}.` }
}

const keyFile = (): string => path.join(stateHome(), 'mcp-key')

/** The same for every start, so that it can be in the settings of a client. Only the user can read it. */
function ownKey(): string {
  const kept = readOwn(keyFile())?.trim()
  if (kept !== undefined && kept.length >= 32) return kept
  const key = randomBytes(32).toString('base64url')
  keepForUser(keyFile(), `${key}\n`)
  return key
}
