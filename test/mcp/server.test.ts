import { PassThrough } from 'node:stream'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { ApprovalRequest } from '../../packages/clada/src/core/commands.ts'
import { type ExecutionResult, nothingDone } from '../../packages/clada/src/core/result.ts'
import { callAnswer, toolResult } from '../../packages/clada/src/mcp/answers.ts'
import { askThrough } from '../../packages/clada/src/mcp/ask.ts'
import { Peer } from '../../packages/clada/src/mcp/peer.ts'
import { codes, messageIn, protocolError, type Transport } from '../../packages/clada/src/mcp/protocol.ts'
import { readResource, Reports } from '../../packages/clada/src/mcp/resources.ts'
import { LineTransport } from '../../packages/clada/src/mcp/serve.ts'
import { listenHttp } from '../../packages/clada/src/mcp/serve-http.ts'
import { scratchDir } from '../support/scratch.ts'
import { answerOf, linked, serverFor } from './client.ts'

describe('an answer', () => {
  it('has only what there is to say', () => {
    const structured = (result: ExecutionResult) => callAnswer(result, {}).structured
    expect(structured(nothingDone)).toEqual({ success: nothingDone.success })
    expect(structured({ ...nothingDone, warnings: ['look out'] })).toMatchObject({ warnings: ['look out'] })
  })

  it.each([
    [400, true],
    [500, false],
  ])('with data of %i characters in a message of 1000 has it for programs: %s', (length, has) => {
    const answer = { text: 'done', structured: { success: true, data: 'x'.repeat(length) }, success: true }
    const { structuredContent } = toolResult(answer, 1000)
    expect('data' in Object(structuredContent)).toBe(has)
    expect(structuredContent).toMatchObject(has ? {} : { success: true, warnings: [expect.stringContaining('cut')] })
  })

  it('within the budget of the user has a link to the whole', async () => {
    const root = scratchDir({ 'a.txt': 'word\n'.repeat(500) })
    const { client } = await linked(serverFor(root, { report: { budget: 600 } }))
    const result = await client.callTool({ name: 'file_read', arguments: { path: 'a.txt' } })
    expect(answerOf(result).text.length).toBeLessThan(1000)
    expect(result.content).toMatchObject([{ type: 'text' }, { type: 'resource_link', uri: 'clada://report/1' }])
  })

  it('that was cut is kept whole until eight others are', () => {
    const reports = new Reports()
    for (let nth = 1; nth <= 9; nth++) reports.keep({ text: 'short', whole: `whole ${nth}` })
    const kept = ['/1', '/2', '/9', ''].map((end) => reports.at(`clada://report${end}`))
    expect(kept).toEqual([undefined, 'whole 2', 'whole 9', 'whole 9'])
  })

  it('tells a client that asks for it what is done meanwhile', async () => {
    const { client } = await linked(serverFor(scratchDir()))
    const told: (string | undefined)[] = []
    const write = { name: 'file_write', arguments: { path: 'a.txt', content: 'x' } }
    await client.callTool(write, { onprogress: ({ message }) => void told.push(message) })
    expect(told).toEqual(['\u2705 file_write a.txt'])
  })
})

it('an execution is read as its diff, by its number', async () => {
  const asked: number[] = []
  const clada = async () => ({
    history: async () => [],
    execution: async (number: number) => void asked.push(number),
  })
  expect(await readResource('clada://history/27', new Reports(), clada, 1_000_000)).toBeUndefined()
  expect(asked).toEqual([27])
})

it('execute takes one syntax of those that the user allows', async () => {
  const options = { repoPath: scratchDir(), gitCommit: false, syntaxes: ['sham', 'csl'] as const }
  const { call } = await linked(serverFor('', { options }))
  const document = '<---WRITE file="a.txt"--->\nx\n<---END--->\n'
  expect((await call('execute', { document, syntax: 'sham' })).values).toMatchObject({ totalBlocks: 0 })
  expect((await call('execute', { document, syntax: 'csl' })).values).toMatchObject({ executedActions: 1 })
  expect((await call('execute', { document })).values).toMatchObject({ executedActions: 1 })
  expect((await call('execute', { document, syntax: 'cml' })).values).toMatchObject({ code: 'invalid_parameter' })
})

it('without roots of the client, a server for any project works where it was started', async () => {
  const given = serverFor(scratchDir({ 'a.txt': 'here' }))
  const asked: (string | undefined)[] = []
  const anywhere = async (root?: string) => {
    asked.push(root)
    return given.first
  }
  const { call } = await linked({ ...given, place: { anywhere } })
  expect((await call('file_read', { path: 'a.txt' })).values).toMatchObject({ data: { content: 'here' } })
  expect(new Set(asked)).toEqual(new Set([undefined]))
})

describe('a question to the user', () => {
  const request = { command: 'make', program: undefined, unsandboxed: false, changed: false, repository: false }
  const asking = (answer: unknown, about: ApprovalRequest['about'] = 'command', canTry = false) => {
    const asked: unknown[] = []
    const client = async ({ requestedSchema }: Readonly<Record<string, unknown>>) => {
      asked.push(requestedSchema)
      return { action: 'accept', content: answer }
    }
    const ask = askThrough(client, ({ command }) => command, new AbortController().signal)
    const done = ask({ root: scratchDir(), ...request, about, canTry })
    return done.then((said) => ({ said, asked }))
  }

  it.each([
    ['command', 'Allow it?'],
    ['tried', 'Approve it and keep this result?'],
    ['proposal', 'Apply it?'],
  ] as const)('about %s is: %s; there are ten minutes for it', async (about, title) => {
    const { asked } = await asking({ answer: 'once' }, about)
    expect(asked).toMatchObject([{ properties: { answer: { title, enum: ['once', 'always', 'no'] } } }])
  })

  it('can be answered by trying the command, where that is offered only', async () => {
    const { said, asked } = await asking({ answer: 'try' }, 'command', true)
    expect(said).toBe('try')
    expect(asked[0]).toMatchObject({
      properties: { answer: { enum: ['once', 'always', 'no', 'try'], description: expect.stringContaining('try: ') } },
    })
    expect((await asking({ answer: 'try' })).said).toBe('no')
  })

  it.each([
    [{ answer: 'always' }, 'always'],
    [{ answer: 'sudo' }, 'no'],
    ['once', 'no'],
  ])('answered with %j is taken for %s', async (answer, said) => {
    expect((await asking(answer)).said).toBe(said)
  })
})

describe('a line of the connection', () => {
  it('is a message, however it arrives', async () => {
    const [stdin, heard] = [new PassThrough(), Array<unknown>()]
    const lines = new LineTransport({ stdin, write: () => true }, 40)
    lines.onmessage = (message) => void heard.push(message)
    const wrong: string[] = []
    lines.onerror = ({ message }) => void wrong.push(message)
    await lines.start()
    for (const part of ['{"a":1}\n{"b":2}\n{"c"', ':3}\n']) stdin.write(part)
    stdin.write('x'.repeat(41))
    await new Promise(setImmediate)
    expect(heard).toEqual([{ a: 1 }, { b: 2 }, { c: 3 }])
    expect([wrong, stdin.isPaused()]).toEqual([['a message has at most 40 bytes'], true])
  })

  it('that is not JSON is answered as such, and the next ones are heard', async () => {
    const [stdin, heard, sent] = [new PassThrough(), Array<unknown>(), Array<unknown>()]
    const lines = new LineTransport({ stdin, write: (text) => sent.push(JSON.parse(text)) })
    lines.onmessage = (message) => void heard.push(message)
    await lines.start()
    stdin.write('{"jsonrpc":"2.0","id":1,\n\n \r\n{"a":1}\n')
    await new Promise(setImmediate)
    const error = { code: -32700, message: 'This line is not JSON.' }
    expect({ heard, sent }).toEqual({ heard: [{ a: 1 }], sent: [{ jsonrpc: '2.0', id: null, error }] })
  })
})

describe('bytes that are not UTF-8', () => {
  const written = (...bytes: number[]): Buffer =>
    Buffer.concat([Buffer.from('{"content":"a'), Buffer.from(bytes), Buffer.from('b"}')])
  const latin = written(0xe9)
  it.each([
    ['Latin-1', latin],
    ['a character that is cut off', written(0xe2, 0x82)],
    ['a surrogate', written(0xed, 0xa0, 0x80)],
    ['UTF-16', Buffer.from('{"content":"a"}', 'utf16le')],
    ['an overlong slash', written(0xc0, 0xaf)],
  ])('%s are refused, because they would become others in a file', async (_, line) => {
    const [stdin, heard, sent] = [new PassThrough(), Array<unknown>(), Array<unknown>()]
    const lines = new LineTransport({ stdin, write: (text) => sent.push(JSON.parse(text)) })
    lines.onmessage = (message) => void heard.push(message)
    await lines.start()
    stdin.write(Buffer.concat([line, Buffer.from('\n{"a":"\u20ac"}\n')]))
    await new Promise(setImmediate)
    expect(heard).toEqual([{ a: '\u20ac' }])
    expect(sent).toMatchObject([{ id: null, error: { code: -32700 } }])
    expect(messageIn(latin)).toEqual({ reason: 'not valid UTF-8' })
  })
})

describe('a message to the server', () => {
  const answersTo = async (...messages: unknown[]): Promise<unknown[]> => {
    const sent: unknown[] = []
    const peer = new Peer({
      about: { serverInfo: { name: '', version: '' }, capabilities: {}, instructions: '' },
      table: {
        fail: { answer: () => Promise.reject(new Error('it failed')) },
        refuse: { answer: () => Promise.reject(protocolError(codes.invalidParams, 'no', { why: 'not' })) },
        ok: { answer: () => ({ fine: true }) },
      },
    })
    peer.client = {}
    const transport: Transport = { start: async () => undefined, send: async (message) => void sent.push(message) }
    await peer.connect(transport)
    for (const message of messages) transport.onmessage?.(message)
    await new Promise(setImmediate)
    return sent
  }
  it.each([
    ['that fails', { id: 1, method: 'fail' }, { code: -32603, message: 'it failed' }],
    ['that is refused', { id: 1, method: 'refuse' }, { code: -32602, message: 'no', data: { why: 'not' } }],
    ['for nothing known', { id: 1, method: 'other' }, { code: -32601, message: 'Method not found: other' }],
    ['without a method', { id: 1 }, { code: -32600, message: 'This is not a request.' }],
    ['with a list', { id: 1, method: 'ok', params: [] }, { code: -32600, message: 'This is not a request.' }],
  ])('%s is answered with an error', async (_, message, error) => {
    expect(await answersTo(message)).toMatchObject([{ id: 1, error }])
  })

  it.each([Infinity, 1.5, 2 ** 53, null, true, {}])('with the id %j is answered without it', async (id) => {
    const error = { code: -32600, message: 'This is not a request.' }
    expect(await answersTo({ id, method: 'ok' })).toEqual([{ jsonrpc: '2.0', id: null, error }])
  })

  it('that is no object is answered without an id', async () => {
    const answer = { id: null, error: { code: -32600 } }
    expect(await answersTo(7, [{ id: 1, method: 'ok' }])).toMatchObject([answer, answer])
  })

  it('is answered only where it is a request', async () => {
    expect(await answersTo({ method: 'ok' }, { id: 'x', method: 'ok' })).toMatchObject([
      { id: 'x', result: { fine: true } },
    ])
    expect(await answersTo({ id: 0, result: {} }, { id: null, error: {} })).toEqual([])
  })
})

it('before the client is ready no tool is called', async () => {
  const given = serverFor(scratchDir())
  const { client } = await linked(given, {
    prepare: (one) => {
      const send = one.notification.bind(one)
      one.notification = async (message, ...rest) =>
        message.method === 'notifications/initialized' ? undefined : send(message, ...rest)
    },
  })
  await expect(client.callTool({ name: 'ls', arguments: { path: '.' } })).rejects.toThrow('Too early')
})

describe('over HTTP', () => {
  const serving = async (root: string) => {
    const { address, close } = await listenHttp(serverFor(root), 0, 'key')
    onTestFinished(close)
    const headers = { authorization: 'Bearer key', accept: 'application/json, text/event-stream' }
    const post = (method: string, more: Record<string, string> = {}, at = address) =>
      fetch(at, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', ...more },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: initial }),
      })
    return { address, post }
  }
  const initial = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } }

  it('the quietest of too many clients has to begin again', async () => {
    const { post } = await serving(scratchDir())
    const ids: string[] = []
    const status = async (id = ''): Promise<number> => (await post('ping', { 'mcp-session-id': id })).status
    for (let nth = 0; nth < 33; nth++) {
      const response = await post('initialize')
      await response.text()
      ids.push(response.headers.get('mcp-session-id') ?? '')
      if (nth === 31) expect(await status(ids[0])).toBe(200)
    }
    expect([await status(ids[0]), await status(ids[1]), await status(ids[2])]).toEqual([200, 404, 200])
  })

  it('other addresses, names and calls without a session are refused', async () => {
    const { post, address } = await serving(scratchDir())
    const statusOf = async (answer: Promise<Response>): Promise<number> => (await answer).status
    expect(await statusOf(post('initialize', {}, `${address}?x=1?y`))).toBe(200)
    expect(await statusOf(post('initialize', {}, `${address}x`))).toBe(404)
    expect(await statusOf(post('initialize', {}, address.replace('127.0.0.1', 'localhost')))).toBe(200)
    expect(await statusOf(post('tools/list'))).toBe(400)
    expect(await statusOf(post('tools/list', { 'mcp-session-id': 'x' }))).toBe(404)
  })
})
