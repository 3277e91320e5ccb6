import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { Client, StreamableHTTPClientTransport, type VersionNegotiationMode } from '@modelcontextprotocol/client'
import { describe, expect, it, onTestFinished } from 'vitest'
import { skipWithout } from '../support/needs.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'
import { request } from '../ui/page-server.ts'
import { canBeNobody, statusesAsNobody, waysToLoopback } from '../support/other-user.ts'
import { answerOf, modern, writing } from './client.ts'
import { envelope } from './wire.ts'
import { cladaCall } from '../support/cli.ts'

interface Listening {
  readonly address: string
  readonly key: string
}

/** The real command line, as a user starts it. */
async function listening(root: string, args: readonly string[] = []): Promise<Listening> {
  const state = scratchDir()
  const child = spawn(...cladaCall('mcp', '--http', '--root', root, '--no-git', ...args), {
    env: { PATH: process.env['PATH'], HOME: state, XDG_STATE_HOME: state, CLADA_CODE_CACHE: 'off' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  for await (const line of createInterface({ input: child.stderr })) {
    const address = /listening on (\S+);/.exec(line)?.[1]
    if (address === undefined) continue
    child.stderr.resume()
    return { address, key: fs.readFileSync(path.join(state, 'clada/mcp-key'), 'utf8').trim() }
  }
  throw new Error('it does not listen')
}

async function client(
  { address, key }: Listening,
  prepare?: (client: Client) => void,
  mode: VersionNegotiationMode = 'legacy',
): Promise<Client> {
  const requestInit = { headers: { authorization: `Bearer ${key}` } }
  const connecting = new Client(
    { name: 'test', version: '1' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode } },
  )
  prepare?.(connecting)
  await connecting.connect(new StreamableHTTPClientTransport(new URL(address), { requestInit }))
  onTestFinished(() => connecting.close())
  return connecting
}

describe('MCP over HTTP', () => {
  it('serves several clients, each in a session of its own', async () => {
    const root = scratchDir({ 'a.txt': 'one\n' })
    const at = await listening(root)
    const [one, two] = [await client(at), await client(at)]
    const write = (by: Client, name: string) =>
      by.callTool({ name: 'file_write', arguments: { path: name, content: name } })
    const answers = await Promise.all([write(one, 'x'), write(two, 'y'), write(one, 'z')])
    expect(answers.map((answer) => answerOf(answer).isError)).toEqual([false, false, false])
    expect(filesIn(root)).toEqual({ 'a.txt': 'one\n', x: 'x', y: 'y', z: 'z' })
    expect((await two.listTools()).tools.map(({ name }) => name)).toContain('execute')
  })

  it('asks for approvals through the stream', async () => {
    const root = scratchDir({ 'x.mjs': 'console.log("ran")' })
    const asked: string[] = []
    const one = await client(await listening(root, ['--exec', 'unsandboxed']), (connecting) =>
      connecting.setRequestHandler('elicitation/create', ({ params }) => {
        asked.push(params.message)
        return { action: 'accept', content: { answer: 'no' } }
      }),
    )
    const answer = await one.callTool({ name: 'run', arguments: { command: 'node x.mjs' } })
    expect(answerOf(answer)).toMatchObject({ isError: true, values: { code: 'approval_required' } })
    expect(asked).toEqual([expect.stringContaining('node x.mjs')])
  })

  it('answers to loopback names at any port, and to no others', async () => {
    const { address, key } = await listening(scratchDir())
    const at = { port: Number(new URL(address).port) }
    const status = async (host: string, origin?: string) =>
      (await request(at, '/other', { headers: { host, authorization: `Bearer ${key}`, ...(origin && { origin }) } }))
        .status
    for (const host of ['localhost', 'localhost:9', '127.0.0.1:1', '127.0.0.9', '[::1]:7700']) {
      expect([host, await status(host)]).toEqual([host, 404])
      expect([host, await status(host, `http://${host}`)]).toEqual([host, 404])
      expect([host, await status(host, 'http://localhost:8')]).toEqual([host, 403])
    }
    for (const host of [
      'evil.example',
      'localhost.evil.example',
      '0.0.0.0',
      '[::2]',
      '10.0.0.1',
      'localhost@evil.example',
    ])
      expect([host, await status(host)]).toEqual([host, 421])
  })

  describe.skipIf(!canBeNobody)('refuses other users of this machine who know the key', () => {
    it.each(Object.entries(waysToLoopback))('over %s', async (_, from) => {
      const root = scratchDir()
      const { address, key } = await listening(root)
      const write = { name: 'file_write', arguments: { path: 'a', content: 'b' } }
      const bodies = [
        {
          jsonrpc: '2.0',
          id: 1,
          method: 'initialize',
          params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: {} },
        },
        { jsonrpc: '2.0', id: 2, method: 'tools/call', params: write },
      ]
      const headers = {
        authorization: `Bearer ${key}`,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
      }
      const attempts = bodies.map((body) => ({
        ...from,
        port: Number(new URL(address).port),
        path: '/mcp',
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      }))
      expect(await statusesAsNobody(attempts)).toEqual([403, 403])
      expect(filesIn(root)).toEqual({})
    })
  })

  it('refuses whoever has no key, web pages, other names, and sessions that are over', async () => {
    const root = scratchDir({ 'a.txt': 'x' })
    const { address, key } = await listening(root)
    const own = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const accept = { accept: 'application/json, text/event-stream' }
    const initialize = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
    }
    const post = (headers: Record<string, string>, body: string, at = address): Promise<number> =>
      fetch(at, { method: 'POST', headers, body }).then(({ status }) => status)
    const body = JSON.stringify(initialize)
    const call = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list' })
    expect(await post({ ...own, ...accept }, body)).toBe(200)
    expect(await post({ ...own, ...accept, authorization: 'Bearer wrong' }, body)).toBe(401)
    expect(await post({ ...accept, 'content-type': 'application/json' }, body)).toBe(401)
    expect(await post({ ...own, ...accept, origin: 'https://example.org' }, body)).toBe(403)
    expect(await post({ ...own, ...accept, origin: 'null' }, body)).toBe(403)
    const { origin, port } = new URL(address)
    expect(await post({ ...own, ...accept, origin }, body)).toBe(200)
    expect(await post({ ...own, ...accept, origin: `http://127.0.0.1:${Number(port) + 1}` }, body)).toBe(403)
    expect(await post({ ...own, ...accept }, body, address.replace('/mcp', '/other'))).toBe(404)
    expect(await post({ ...own, ...accept }, call)).toBe(400)
    expect(await post({ ...own, ...accept }, '{')).toBe(400)
    expect(await post({ ...own, ...accept, 'mcp-session-id': 'nobody' }, call)).toBe(404)
    expect(await fetch(address, { method: 'PUT', headers: own }).then(({ status }) => status)).toBe(405)
    expect(filesIn(root)).toEqual({ 'a.txt': 'x' })
  })

  it('ends a session that the client deletes', async () => {
    const at = await listening(scratchDir())
    const one = await client(at)
    const { transport } = one
    if (!(transport instanceof StreamableHTTPClientTransport)) throw new Error('another transport')
    const id = transport.sessionId ?? ''
    await transport.terminateSession()
    const headers = { authorization: `Bearer ${at.key}`, 'mcp-session-id': id, accept: 'text/event-stream' }
    expect((await fetch(at.address, { headers })).status).toBe(404)
  })
})

describe('MCP over HTTP without sessions', () => {
  it.each([
    ['auto', 'auto'],
    ['pinned', modern],
  ] as const)('serves the official client, %s', async (_, mode) => {
    const root = scratchDir({ 'x.mjs': 'console.log("ran")', 'a.txt': 'x' })
    const asked: string[] = []
    const one = await client(
      await listening(root),
      (connecting) =>
        connecting.setRequestHandler('elicitation/create', ({ params }) => {
          asked.push(params.message)
          return { action: 'accept', content: { answer: 'once' } }
        }),
      mode,
    )
    expect(one.getNegotiatedProtocolVersion()).toBe('2026-07-28')
    expect((await one.listTools()).tools).toHaveLength(15)
    const told: (string | undefined)[] = []
    const write = { name: 'file_write', arguments: { path: 'ä.txt', content: 'y' } }
    await one.callTool(write, { onprogress: ({ message }) => void told.push(message) })
    expect(told).toEqual(['✅ file_write ä.txt'])
    expect(filesIn(root)['ä.txt']).toBe('y')
    const run = await one.callTool({ name: 'run', arguments: { command: 'node x.mjs' } })
    expect(answerOf(run).text).toBe('ran')
    expect(asked).toEqual([expect.stringContaining('node x.mjs')])
    await expect(one.readResource({ uri: 'clada://nö' })).rejects.toMatchObject({ code: -32602 })
    const listening2 = await one.listen({ resourcesListChanged: true })
    const heard: string[] = []
    one.setNotificationHandler('notifications/resources/list_changed', ({ method }) => void heard.push(method))
    await one.callTool({ name: 'file_write', arguments: { path: 'b.txt', content: 'b' } })
    await expect.poll(() => heard).toEqual(['notifications/resources/list_changed'])
    await listening2.close()
  })

  it('holds headers against the body, and tells each mistake by its status and code', async () => {
    const root = scratchDir({ 'a.txt': 'x' })
    const { address, key } = await listening(root)
    const post = async (method: string, params: object, headers: Record<string, string>) => {
      const response = await fetch(address, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 5, method, params }),
      })
      const body = Object(await response.json())
      expect(body.id).toBe(5)
      return [response.status, body.error?.code ?? 'result']
    }
    const version = { 'mcp-protocol-version': '2026-07-28' }
    const list = { ...version, 'mcp-method': 'tools/list' }
    const call = { ...version, 'mcp-method': 'tools/call', 'mcp-name': 'file_write' }
    const write = { ...envelope(), name: 'file_write', arguments: { path: 'b.txt', content: 'b' } }
    expect(await post('tools/list', envelope(), list)).toEqual([200, 'result'])
    expect(await post('tools/list', {}, list)).toEqual([400, -32602])
    expect(await post('tools/list', envelope(), { 'mcp-method': 'tools/list' })).toEqual([400, -32020])
    expect(await post('tools/list', envelope(), version)).toEqual([400, -32020])
    expect(await post('tools/list', envelope(), { ...list, 'mcp-method': 'tools/call' })).toEqual([400, -32020])
    expect(await post('tools/list', envelope({}, '2030-01-01'), list)).toEqual([400, -32020])
    const future = { ...list, 'mcp-protocol-version': '2030-01-01' }
    expect(await post('tools/list', envelope({}, '2030-01-01'), future)).toEqual([400, -32022])
    expect(await post('tools/forget', envelope(), { ...version, 'mcp-method': 'tools/forget' })).toEqual([404, -32601])
    for (const method of ['initialize', 'ping', 'resources/subscribe'])
      expect(await post(method, envelope(), { ...version, 'mcp-method': method })).toEqual([404, -32601])
    for (const name of [undefined, 'file_read', 'FILE_WRITE', '=?base64?####?=', '=?base64?ZmlsZV9yZWFk?='])
      expect(
        await post('tools/call', write, { ...version, 'mcp-method': 'tools/call', ...(name && { 'mcp-name': name }) }),
      ).toEqual([400, -32020])
    expect(filesIn(root)).toEqual({ 'a.txt': 'x' })
    const encoded = `=?base64?${Buffer.from('file_write').toString('base64')}?=`
    expect(await post('tools/call', write, { ...call, 'mcp-name': encoded })).toEqual([200, 'result'])
    expect(await post('tools/call', { ...write, name: 'undo' }, { ...call, 'mcp-name': 'undo' })).toEqual([200, -32602])
    for (const method of ['GET', 'DELETE']) {
      const response = await fetch(address, { method, headers: { authorization: `Bearer ${key}`, ...version } })
      expect([method, response.status]).toEqual([method, 405])
    }
  })

  it('ends a call whose request the client closes', async (context) => {
    skipWithout(context, 'sandbox')
    const root = scratchDir()
    const one = await client(await listening(root), undefined, modern)
    const sleeping = '<---EXEC lang="bash"--->\nsleep 20\n<---END--->\n'
    const document = `${writing(root, ['first.txt'])}\n${sleeping}\n${writing(root, ['never.txt'])}`
    const stop = new AbortController()
    const running = one.callTool(
      { name: 'execute', arguments: { document } },
      { signal: stop.signal, onprogress: () => stop.abort('enough') },
    )
    await expect(running).rejects.toThrow('enough')
    // The next call waits until the cancelled one has ended.
    expect(answerOf(await one.callTool({ name: 'glob', arguments: { pattern: '*', base_path: '.' } })).text).toBe(
      'first.txt',
    )
    const { contents } = await one.readResource({ uri: 'clada://history' })
    expect(contents[0]).toMatchObject({ text: expect.stringContaining('"interrupted": false') })
  })
})

describe('MCP over HTTP with sessions', () => {
  it('gives a client that lost a stream what it has missed', async () => {
    const root = scratchDir({ 'a.txt': 'x' })
    const { address, key } = await listening(root)
    const own = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    }
    const post = (message: object, headers = {}): Promise<Response> =>
      fetch(address, {
        method: 'POST',
        headers: { ...own, ...headers },
        body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      })
    const clientInfo = { name: 't', version: '1' }
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }
    const hello = await post({ id: 1, method: 'initialize', params })
    await hello.text()
    const session = { 'mcp-session-id': hello.headers.get('mcp-session-id') ?? '' }
    expect((await post({ method: 'notifications/initialized' }, session)).status).toBe(202)
    const write = (path: string) => ({
      method: 'tools/call',
      params: { name: 'file_write', arguments: { path, content: 'y' }, _meta: { progressToken: path } },
    })
    const whole = await (await post({ id: 2, ...write('b.txt') }, session)).text()
    const ids = [...whole.matchAll(/^id: (\d+)$/gm)].map(([, id]) => id ?? '')
    expect(ids).toHaveLength(2)
    const again = await fetch(address, { headers: { ...own, ...session, 'last-event-id': ids[0] ?? '' } })
    const missed = await again.text()
    expect(missed).toContain('"id":2')
    expect(missed).not.toContain('notifications/progress')
    const open = await fetch(address, { headers: { ...own, ...session } })
    expect([open.status, open.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
    expect((await fetch(address, { headers: { ...own, ...session } })).status).toBe(409)
    await open.body?.cancel()
    const only = { authorization: own.authorization, accept: 'application/json', ...session }
    expect((await fetch(address, { headers: only })).status).toBe(406)
  })
})
