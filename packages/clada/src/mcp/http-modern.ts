import { lookUp } from '@clada/reply/core/look-up.ts'
import type http from 'node:http'
import { isRecord } from '@clada/reply/core/is-record.ts'
import { EventStream, takesEvents } from './event-stream.ts'
import {
  answerModern,
  capabilitiesIn,
  codes,
  errorMessage,
  legacyVersions,
  type RpcMessage,
  methodNamed,
  type Methods,
  type RpcParams,
  protocolError,
  type RequestId,
  requestIdIn,
  unsupportedVersion,
  versionIn,
} from './protocol.ts'

/** Whether a POST is of the era without sessions: its header or its body names a version of that era. */
export function isModern({ headers }: http.IncomingMessage, body: unknown): boolean {
  const version = headers['mcp-protocol-version']
  if (version !== undefined) return !legacyVersions.includes(String(version))
  return isRecord(body) && versionIn(body['params']) !== undefined
}

/** Answers one POST of revision 2026-07-28. Nothing is known from earlier ones. */
export async function answerPost(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  body: unknown,
  methods: Methods,
): Promise<void> {
  const { id, method, params = {} } = isRecord(body) ? body : {}
  const known = requestIdIn(id)
  if (typeof method !== 'string' || !isRecord(params) || (id !== undefined && known === undefined))
    return reply(
      response,
      400,
      errorMessage(known ?? null, protocolError(codes.invalidRequest, 'This is not a request.')),
    )
  // The only notification of clients is about cancelling, which here is closing the connection.
  if (known === undefined) return void response.writeHead(202).end()
  try {
    checkEnvelope(request, method, params)
  } catch (error) {
    const isUnknown = isRecord(error) && error['code'] === codes.methodNotFound
    return reply(response, isUnknown ? 404 : 400, errorMessage(known, error))
  }
  try {
    methodNamed(methods, method, 'modern')
  } catch (error) {
    return reply(response, 404, errorMessage(known, error))
  }
  await stream(request, response, { id: known, method, params }, methods)
}

async function stream(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  { id, method, params }: { id: RequestId; method: string; params: RpcParams },
  methods: Methods,
): Promise<void> {
  const closed = new AbortController()
  response.on('close', () => closed.abort(new Error('the client has closed the request')))
  const events = takesEvents(request) ? new EventStream(response) : undefined
  const notify = (name: string, given: RpcParams): void => events?.send({ jsonrpc: '2.0', method: name, params: given })
  const answer = await answerModern(methods, { method, params }, { id, signal: closed.signal, notify }).then(
    (result): RpcMessage => ({ jsonrpc: '2.0', id, result }),
    (error: unknown) => errorMessage(id, error),
  )
  if (closed.signal.aborted) return
  // A stream is begun by the first notification; most requests have none.
  if (events?.isOpen) events.end(answer)
  else reply(response, 200, answer)
}

/** @throws where headers and body do not say the same, or the request is not a whole one */
function checkEnvelope({ headers }: http.IncomingMessage, method: string, params: RpcParams): void {
  const version = versionIn(params)
  const named = headers['mcp-protocol-version']
  if (named === undefined) throw headerMismatch('the header MCP-Protocol-Version is missing')
  // What the body lacks is said before what the headers have.
  if (version === undefined) {
    if (named === '2026-07-28') capabilitiesIn(params)
    throw unsupportedVersion(String(named))
  }
  if (named !== version)
    throw headerMismatch(`MCP-Protocol-Version is ${String(named)}, and the body has ${String(version)}`)
  capabilitiesIn(params)
  checkHeader(headers['mcp-method'], method, 'Mcp-Method', 'plain')
  const source = lookUp(sources, method)
  if (source !== undefined) checkHeader(headers['mcp-name'], params[source], 'Mcp-Name', 'encoded')
}

/** What `Mcp-Name` repeats, by method. */
const sources: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
}

function checkHeader(
  given: string | readonly string[] | undefined,
  inBody: unknown,
  name: string,
  form: 'plain' | 'encoded',
): void {
  if (typeof given !== 'string') throw headerMismatch(`the header ${name} is missing`)
  const value = form === 'encoded' ? decodeHeader(given, name) : given
  if (value !== inBody) throw headerMismatch(`${name} is ${value}, and the body has ${String(inBody)}`)
}

/** A name that is no plain ASCII comes as base64 between two marks. */
function decodeHeader(value: string, name: string): string {
  const [, base64] = /^=\?base64\?(.*)\?=$/.exec(value) ?? []
  if (base64 === undefined) return value
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.toString('base64') !== base64) throw headerMismatch(`${name} is not valid base64`)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw headerMismatch(`${name} is not valid UTF-8`)
  }
}

const headerMismatch = (why: string): Error => protocolError(codes.headerMismatch, `Header mismatch: ${why}.`)

function reply(response: http.ServerResponse, status: number, message: RpcMessage): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(message))
}
