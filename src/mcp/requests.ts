import type { Server } from '@modelcontextprotocol/sdk/server/index.js'

export type Params = Readonly<Record<string, unknown>>
type Fallback = NonNullable<Server['fallbackRequestHandler']>
export type Extra = Parameters<Fallback>[1]
export type Handler = (params: Params, extra: Extra) => Awaited<ReturnType<Fallback>> | ReturnType<Fallback>

/**
 * Answers requests by their method. The SDK would hold each against a schema first, and answer what does not fit in the
 * words of its schema library and as a fault of the server; here it is said what is wrong, by those who know.
 */
export function answerRequests(server: Server, handlers: Readonly<Record<string, Handler>>): void {
  server.fallbackRequestHandler = async ({ method, params = {} }, extra) => {
    const handler = Object.hasOwn(handlers, method) ? handlers[method] : undefined
    if (handler === undefined) throw protocolError(methodNotFound, `Method not found: ${method}`)
    return handler(params, extra)
  }
}

/** @throws an error of the protocol */
export function textIn(params: Params, name: string): string {
  const value = params[name]
  if (typeof value === 'string') return value
  throw protocolError(invalidParams, `${name} must be a text; it is ${kindOf(value)}`)
}

/** Undefined where it is not given. @throws an error of the protocol */
export const optionalTextIn = (params: Params, name: string): string | undefined =>
  params[name] === undefined || params[name] === null ? undefined : textIn(params, name)

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What a value is, in a message. */
export function kindOf(value: unknown): string {
  if (value === undefined) return 'missing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'string' ? 'a text' : typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

/** An error of the protocol. The SDK's own class writes the code into the message, where clients write it once more. */
export const protocolError = (code: number, message: string): Error => Object.assign(new Error(message), { code })

export const invalidRequest = -32600

export const methodNotFound = -32601

export const invalidParams = -32602

/** As the protocol has it; the SDK has no name for it. */
export const resourceNotFound = -32002
