import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { filesIn, scratchDir } from '../support/scratch.ts'
import { request } from '../ui/page-server.ts'
import { canBeNobody, statusesAsNobody, waysToLoopback } from '../support/other-user.ts'
import { answerOf } from './client.ts'

interface Listening {
  readonly address: string
  readonly key: string
}

/** The real command line, as a user starts it. */
async function listening(root: string, args: readonly string[] = []): Promise<Listening> {
  const state = scratchDir()
  const child = spawn(process.execPath, [inject('cli'), 'mcp', '--http', '--root', root, '--no-git', ...args], {
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

async function client({ address, key }: Listening, prepare?: (client: Client) => void): Promise<Client> {
  const requestInit = { headers: { authorization: `Bearer ${key}` } }
  const connecting = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: {} } })
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
      connecting.setRequestHandler(ElicitRequestSchema, ({ params }) => {
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
