import { isUtf8 } from 'node:buffer'
import { describeValue } from '../core/describe-value.ts'
import { isRecord } from '@clada/reply/core/is-record.ts'

/** The parts of the protocol that both eras share: messages, errors, and the names that they are known by. */

export type RpcParams = Readonly<Record<string, unknown>>
export type RpcResult = Readonly<Record<string, unknown>>
export type RequestId = string | number

export interface RpcMessage extends RpcParams {
  readonly jsonrpc: '2.0'
}

/** The id of a request: a text or an integer. JSON has numbers that none keeps exactly, such as 1e400. */
export const requestIdIn = (id: unknown): RequestId | undefined =>
  typeof id === 'string' || (typeof id === 'number' && Number.isSafeInteger(id)) ? id : undefined

/** Where messages come from and go to. */
export interface Transport {
  onmessage?: ((message: unknown) => void) | undefined
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
  start(): Promise<void>
  /** `relatedTo`: the request that a message belongs to, for transports with a stream for each. */
  send(message: RpcMessage, relatedTo?: RequestId): Promise<void>
}

/** Requests of this revision carry everything that is needed to answer them; there is no handshake. */
export const modernVersion = '2026-07-28'

/** Revisions that begin with `initialize`. Newest first. */
export const legacyVersions: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07']

/** Keys of `_meta` that the protocol defines. */
export const metaKeys = {
  version: 'io.modelcontextprotocol/protocolVersion',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  server: 'io.modelcontextprotocol/serverInfo',
  subscription: 'io.modelcontextprotocol/subscriptionId',
} as const

export const codes = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  /** Up to 2025-11-25; since then a missing resource is an invalid parameter. */
  resourceNotFound: -32002,
  headerMismatch: -32020,
  unsupportedVersion: -32022,
} as const

/** An error that a request is answered with. */
export class ProtocolError extends Error {
  readonly code: number
  readonly data: unknown

  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

export const protocolError = (code: number, message: string, data?: unknown): ProtocolError =>
  new ProtocolError(code, message, data)

/** `id`: null where the request could not be read so far. */
export function errorMessage(id: RequestId | null, error: unknown): RpcMessage {
  const code = error instanceof ProtocolError ? error.code : codes.internal
  // A client that sent a name of megabytes knows it.
  const message = clipMessage(error instanceof Error ? error.message : String(error))
  const data = error instanceof ProtocolError && error.data !== undefined ? { data: error.data } : {}
  return { jsonrpc: '2.0', id, error: { code, message, ...data } }
}

const clipMessage = (message: string): string => (message.length > 4000 ? `${message.slice(0, 3999)}…` : message)

/** What a message says, as sent. Bytes that are not UTF-8 would become other characters in the files that a call writes. */
export function messageIn(bytes: Buffer): { readonly value: unknown } | { readonly reason: string } {
  if (!isUtf8(bytes)) return { reason: 'not valid UTF-8' }
  try {
    return { value: JSON.parse(bytes.toString('utf8')) }
  } catch {
    return { reason: 'not JSON' }
  }
}

/** The version that a request names, if it is one of the modern era. */
export function versionIn(params: unknown): unknown {
  const meta = isRecord(params) ? params['_meta'] : undefined
  return isRecord(meta) ? meta[metaKeys.version] : undefined
}

/** The capabilities of the client that sends a modern request. @throws where the request is not a whole one */
export function capabilitiesIn(params: RpcParams): RpcParams {
  const meta = params['_meta']
  if (!isRecord(meta)) throw protocolError(codes.invalidParams, `_meta must be an object; it is ${describeValue(meta)}`)
  const [version, capabilities] = [meta[metaKeys.version], meta[metaKeys.capabilities]]
  if (typeof version !== 'string')
    throw protocolError(
      codes.invalidParams,
      `_meta must have ${metaKeys.version}, a text; it is ${describeValue(version)}`,
    )
  if (version !== modernVersion) throw unsupportedVersion(version)
  if (!isRecord(capabilities))
    throw protocolError(
      codes.invalidParams,
      `_meta must have ${metaKeys.capabilities}, an object; it is ${describeValue(capabilities)}`,
    )
  return capabilities
}

export const unsupportedVersion = (requested: string): ProtocolError =>
  protocolError(codes.unsupportedVersion, `Unsupported protocol version: ${requested}`, {
    supported: [modernVersion],
    requested,
  })

/** @throws an error of the protocol */
export function textIn(params: RpcParams, name: string): string {
  const value = params[name]
  if (typeof value === 'string') return value
  throw protocolError(codes.invalidParams, `${name} must be a text; it is ${describeValue(value)}`)
}

/** Undefined where it is not given. @throws an error of the protocol */
export const optionalTextIn = (params: RpcParams, name: string): string | undefined =>
  params[name] === undefined || params[name] === null ? undefined : textIn(params, name)

/** What the server says about itself. */
export interface ServerAbout {
  readonly serverInfo: { readonly name: string; readonly version: string }
  readonly capabilities: RpcParams
  readonly instructions: string
}

/** Who sends a request. */
export interface RequestSender {
  readonly era: 'legacy' | 'modern'
  readonly capabilities: RpcParams
}

/** What a handler may use besides the parameters. */
export interface Extra {
  readonly id: RequestId
  readonly caller: RequestSender
  /** Aborted when the client cancels the request. */
  readonly signal: AbortSignal
  /** Sends a notification that belongs to the request. */
  readonly notify: (method: string, params: RpcParams) => void
}

export type Handler = (params: RpcParams, extra: Extra) => RpcResult | Promise<RpcResult>

/** One method of the protocol. */
export interface Method {
  readonly answer: Handler
  /** The era that has it, where it is only one. */
  readonly era?: RequestSender['era']
  /** How long clients may keep the result; without it they may not ask for that. */
  readonly ttlMs?: number
}

export interface Methods {
  readonly about: ServerAbout
  readonly table: Readonly<Record<string, Method>>
}

/** @throws where there is no such method in that era */
export function methodNamed({ table }: Methods, method: string, era: RequestSender['era']): Method {
  const found = Object.hasOwn(table, method) ? table[method] : undefined
  if (found === undefined || (found.era ?? era) !== era)
    throw protocolError(codes.methodNotFound, `Method not found: ${method}`)
  return found
}

/** The result of a modern request, with what that era adds to every one. @throws errors of the protocol */
export async function answerModern(
  methods: Methods,
  { method, params }: { readonly method: string; readonly params: RpcParams },
  extra: Omit<Extra, 'caller'>,
): Promise<RpcResult> {
  const { answer, ttlMs } = methodNamed(methods, method, 'modern')
  const capabilities = capabilitiesIn(params)
  const result = await answer(params, { ...extra, caller: { era: 'modern', capabilities } })
  const meta = isRecord(result['_meta']) ? result['_meta'] : {}
  const { resultType = 'complete' } = result
  const isCached = ttlMs !== undefined && resultType === 'complete'
  return {
    ...result,
    resultType,
    ttlMs: isCached ? ttlMs : undefined,
    cacheScope: isCached ? 'private' : undefined,
    _meta: { ...meta, [metaKeys.server]: methods.about.serverInfo },
  }
}
