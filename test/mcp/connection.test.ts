import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { lockFileOf } from '../../packages/clada/src/store/lock.ts'
import { LineTransport } from '../../packages/clada/src/mcp/serve.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'
import { answerOf, connected, writing } from './client.ts'
import { skipWithout } from '../support/needs.ts'
import { cladaCall } from '../support/cli.ts'

const hello = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
}
const ready = { jsonrpc: '2.0', method: 'notifications/initialized' }
const call = (id: number, name: string, values: object): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: values, _meta: { progressToken: id } },
})
const line = (message: object): string => `${JSON.stringify(message)}\n`

/** The server, without a client around it. */
function started(root: string): ChildProcess & { stdin: NodeJS.WritableStream; stdout: Readable; stderr: Readable } {
  const child = spawn(...cladaCall('mcp', '--root', root, '--no-git', '--tools', 'all'))
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

/** Goes on reading afterwards, as a client does. */
function until(stream: Readable, words: string): Promise<void> {
  let seen = ''
  return new Promise((resolve, reject) => {
    stream.on('data', (chunk) => (seen += String(chunk)).includes(words) && resolve())
    stream.on('end', () => reject(new Error(`'${words}' never came: ${seen}`)))
  })
}

/** The messages of the server, to be waited for. */
function heardFrom(stream: Readable): { first(fits: (message: Message) => boolean): Promise<Message> } {
  const heard: Message[] = []
  const lines = createInterface({ input: stream })
  lines.on('line', (text) => heard.push(JSON.parse(text)))
  return {
    first: async (fits) => {
      for (;;) {
        const found = heard.find(fits)
        if (found !== undefined) return found
        await once(lines, 'line')
      }
    },
  }
}

type Message = Readonly<Record<string, unknown>>

describe('the connection', () => {
  it('holds nothing but messages, whatever comes in', async () => {
    const child = started(scratchDir({ 'a.txt': 'x' }))
    const out = buffer(child.stdout)
    const log = buffer(child.stderr)
    child.stdin.write(line(hello) + line(ready))
    for (const garbage of [
      '',
      'hello',
      '{',
      '[]',
      'null',
      '{"jsonrpc":"2.0"}',
      '\u0000\u001b[2J',
      '{"jsonrpc":"2.0","id":5,"method":7}',
    ])
      child.stdin.write(`${garbage}\n`)
    child.stdin.write(Buffer.from([0xff, 0xfe, 0x0a]))
    child.stdin.write(
      `{"jsonrpc":"2.0","id":6,"method":"nope"}\n{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":3}}\n`,
    )
    child.stdin.end(line(call(8, 'file_read', { path: 'a.txt' })))
    const messages = (await out)
      .toString()
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text))
    const byId = (id: number) => messages.find((message) => message.id === id && message.method === undefined)
    expect(byId(1)).toMatchObject({ result: { serverInfo: { name: 'clada' } } })
    expect(byId(6)).toMatchObject({ error: { code: -32601 } })
    expect(byId(7)).toMatchObject({ error: { code: expect.any(Number) } })
    expect(byId(8)).toMatchObject({ result: { isError: false, structuredContent: { data: { content: 'x' } } } })
    expect((await log).toString()).not.toContain('\u001b')
  })

  it('that is closed after some calls still gives their answers', async () => {
    const root = scratchDir()
    const child = started(root)
    const out = buffer(child.stdout)
    child.stdin.end(
      [hello, ready, call(2, 'file_write', { path: 'a', content: 'a' }), call(3, 'ls', { path: '.' })]
        .map(line)
        .join(''),
    )
    const text = (await out).toString()
    expect(text).toContain('"id":2')
    expect(text).toContain('"id":3')
    expect(filesIn(root)).toEqual({ a: 'a' })
  })

  it('follows the roots of a client that says everything at once', async () => {
    const root = scratchDir({ 'a/x.txt': 'a', 'b/x.txt': 'b' })
    const child = started(root)
    const messages = heardFrom(child.stdout)
    const withRoots = { ...hello, params: { ...hello.params, capabilities: { roots: {} } } }
    child.stdin.write([withRoots, ready, call(2, 'file_read', { path: `${root}/b/x.txt` })].map(line).join(''))
    const asked = await messages.first(({ method }) => method === 'roots/list')
    const roots = [{ uri: pathToFileURL(path.join(root, 'a')).href }]
    child.stdin.write(line({ jsonrpc: '2.0', id: asked['id'], result: { roots } }))
    const early = await messages.first(({ id, method }) => id === 2 && method === undefined)
    expect(early).toMatchObject({ result: { structuredContent: { success: false, code: 'path_escape' } } })
    child.stdin.write(line(call(3, 'file_read', { path: 'x.txt' })))
    const later = await messages.first(({ id, method }) => id === 3 && method === undefined)
    expect(later).toMatchObject({ result: { structuredContent: { data: { content: 'a' } } } })
  })

  const write = call(2, 'file_write', { path: 'a.txt', content: 'a' })
  const beginnings: [string, object[]][] = [
    ['anything is agreed', [write]],
    ['the client says that it is ready', [hello, write]],
    ['the client says what it can', [write, hello, ready]],
    ['the client says hello at all', [ready, write]],
  ]
  for (const [what, sent] of beginnings) {
    it(`carries nothing out before ${what}`, async () => {
      const root = scratchDir()
      const child = started(root)
      const messages = heardFrom(child.stdout)
      const others = [
        { jsonrpc: '2.0', id: 4, method: 'resources/read', params: { uri: 'clada://history' } },
        { jsonrpc: '2.0', id: 5, method: 'prompts/get', params: { name: 'clada' } },
      ]
      child.stdin.write(
        sent
          .flatMap((one) => (one === write ? [write, ...others] : [one]))
          .map(line)
          .join(''),
      )
      for (const asked of [2, 4, 5]) {
        const answer = await messages.first(({ id, method }) => id === asked && method === undefined)
        expect(answer).toMatchObject({ error: { code: -32600, message: expect.stringContaining('initialize') } })
      }
      expect(filesIn(root)).toEqual({})
    })
  }

  const ways: [string, (child: ReturnType<typeof started>) => void][] = [
    ['closes its side', (child) => child.stdin.end()],
    ['stops the server', (child) => void child.kill('SIGTERM')],
    [
      'reads no more',
      (child) => {
        child.stdout.destroy()
        // An answer that cannot be written tells of it. One may still be taken: whatever is just being forked elsewhere
        // in this process holds the other end for a moment.
        const ping = (): unknown => child.stdin.write(line({ jsonrpc: '2.0', id: 3, method: 'ping' }))
        child.stdin.on('error', () => undefined)
        const pinging = setInterval(ping, 200)
        child.once('exit', () => clearInterval(pinging))
        ping()
      },
    ],
  ]
  for (const [how, leave] of ways) {
    it(`ends what is running when the client ${how}`, async (context) => {
      skipWithout(context, 'sandbox')
      const root = scratchDir()
      const child = started(root)
      const sleeping = `#!SHAM [@three-char-SHA-256: slp]\naction = "exec"\nlang = "bash"\ncode = "sleep 30"\n#!END_SHAM_slp\n`
      const document = `${writing(root, ['first.txt'])}${sleeping}${writing(root, ['never.txt'])}`
      child.stdin.write([hello, ready, call(2, 'execute', { document })].map(line).join(''))
      await until(child.stdout, 'notifications/progress')
      leave(child)
      await once(child, 'exit')
      expect(fs.existsSync(lockFileOf(root) ?? '')).toBe(false)
      expect(Object.keys(filesIn(root))).toEqual(['first.txt'])
      // It ended properly: the next server finds a whole history.
      const { client } = await connected(root)
      const { contents } = await client.readResource({ uri: 'clada://history' })
      expect(contents[0]).toMatchObject({ text: expect.stringContaining('"interrupted": false') })
    })
  }
})

describe('a long message', () => {
  it('has the content as text and as data, because clients pass on only one of them', async () => {
    const content = `${'x'.repeat(99)}\n`.repeat(400)
    const { client } = await connected(scratchDir({ 'a.txt': content }))
    const answer = await client.callTool({ name: 'file_read', arguments: { path: 'a.txt' } })
    expect(answerOf(answer)).toMatchObject({ text: content, values: { data: { content } } })
    expect(JSON.stringify(answer).length).toBeLessThan(2.1 * JSON.stringify(content).length)
  })

  it('is cut, and the whole report can be read', async () => {
    const content = Array.from({ length: 100_000 }, (_, at) => `line ${at + 1}\n`).join('')
    const { client } = await connected(scratchDir({ 'big.txt': content }))
    const answer = await client.callTool({ name: 'file_read', arguments: { path: 'big.txt' } })
    const { text, isError } = answerOf(answer)
    expect(isError).toBe(false)
    expect(text.length).toBeLessThan(60_000)
    const [, link] = answer.content as { type: string; uri: string }[]
    expect(link).toMatchObject({ type: 'resource_link', uri: 'clada://report/1' })
    const { contents } = await client.readResource({ uri: link?.uri ?? '' })
    expect(String(contents[0] && 'text' in contents[0] && contents[0].text).includes(content)).toBe(true)
  })

  it('that clients would close the connection on is cut and says so', async () => {
    const { call } = await connected(scratchDir({ 'big.txt': 'x\n'.repeat(3_000_000) }), {
      args: ['--max-output', '2m'],
    })
    const { values, text, isError } = await call('file_read', { path: 'big.txt' })
    expect(isError).toBe(false)
    expect(values).toMatchObject({ success: true, data: { path: 'big.txt' } })
    expect(text.length).toBeLessThan(3_000_000)
  })

  it('is sent to those who say that they take it', async () => {
    const content = '0123456789abcde\n'.repeat(375_000)
    const { call } = await connected(scratchDir({ 'big.txt': content }), {
      args: ['--max-output', '11m'],
      maxBufferSize: 64 * 1024 * 1024,
    })
    const { text } = await call('file_read', { path: 'big.txt' })
    expect(text.includes(content)).toBe(true)
  })

  it('is taken in', async () => {
    const root = scratchDir()
    const { call } = await connected(root)
    const content = '"\\\n'.repeat(3_000_000)
    expect((await call('file_write', { path: 'big.txt', content })).isError).toBe(false)
    expect(fs.readFileSync(path.join(root, 'big.txt'), 'utf8') === content).toBe(true)
  })

  it('is read in any pieces, up to a length', async () => {
    const read = async (chunks: string[], longest?: number): Promise<unknown[]> => {
      const stdin = Readable.from(chunks.map((chunk) => Buffer.from(chunk)))
      const lines = new LineTransport({ stdin, write: () => undefined }, longest)
      const found: unknown[] = []
      lines.onmessage = (message) => found.push(message)
      lines.onerror = ({ message }) => found.push(message)
      const ended = new Promise<void>((resolve) => {
        lines.onclose = resolve
        stdin.on('end', resolve)
      })
      await lines.start()
      await ended
      return found
    }
    expect(await read(['1', '2\n3', '\n', '4\n5\n6', '7\r\n'])).toEqual([12, 3, 4, 5, 67])
    expect(await read(['{\n1\n'])).toEqual([expect.stringContaining('a line is not a message'), 1])
    expect(await read(['1\n22', '222', '2\n3\n'], 5)).toEqual([1, 'a message has at most 5 bytes'])
  })
})
