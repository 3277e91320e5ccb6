import { metaKeys, modernVersion, type RpcParams, type Transport } from '../../packages/clada/src/mcp/protocol.ts'
import { makePeer } from '../../packages/clada/src/mcp/server.ts'
import type { McpOptions } from '../../packages/clada/src/mcp/session.ts'

/** A client that sends whatever it is told to, past what the types of the official one allow. */
export interface Wire {
  /** The result, or an error with its code. */
  ask(method: string, params?: unknown): Promise<RpcParams>
  tell(method: string, params?: RpcParams): void
  /** Everything that came without being the answer to a request. */
  readonly heard: RpcParams[]
}

let last = 0

export async function wireTo(given: McpOptions, gone = new AbortController().signal): Promise<Wire> {
  const waiting = new Map<unknown, (message: RpcParams) => void>()
  const heard: RpcParams[] = []
  const transport: Transport = {
    start: async () => undefined,
    send: async (message) => {
      const answered = message['method'] === undefined ? waiting.get(message['id']) : undefined
      if (answered === undefined) heard.push(message)
      else answered(message)
    },
  }
  const { peer } = makePeer(given, gone)
  await peer.connect(transport)
  return {
    heard,
    tell: (method, params) => transport.onmessage?.({ jsonrpc: '2.0', method, ...(params && { params }) }),
    ask: async (method, params) => {
      const id = ++last
      const answer = new Promise<RpcParams>((resolve) => waiting.set(id, resolve))
      transport.onmessage?.({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) })
      const { result, error } = await answer
      if (error !== undefined) throw Object.assign(new Error(Object(error).message), Object(error))
      return Object(result)
    },
  }
}

/** The same after the handshake of older revisions. */
export async function legacyWire(given: McpOptions, capabilities: RpcParams = {}): Promise<Wire> {
  const wire = await wireTo(given)
  await wire.ask('initialize', {
    protocolVersion: '2025-11-25',
    capabilities,
    clientInfo: { name: 'wire', version: '1' },
  })
  wire.tell('notifications/initialized')
  return wire
}

/** What every request of 2026-07-28 carries. */
export const envelope = (capabilities: RpcParams = {}, version: string = modernVersion): RpcParams => ({
  _meta: { [metaKeys.version]: version, [metaKeys.capabilities]: capabilities },
})
