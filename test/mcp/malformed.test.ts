import { describe, expect, it } from 'vitest'
import { filesIn, scratchDir } from '../support/scratch.ts'
import { serverFor } from './client.ts'
import { legacyWire } from './wire.ts'

/** Whatever a client may send, past what the types of the official one allow. */
const asking = async (root: string) => (await legacyWire(serverFor(root))).ask

describe('arguments of a tool that are no object', () => {
  it.each([
    [
      'file_write',
      'a.txt',
      'Invalid arguments: they are a text',
      'Give them as one object: {"path": …, "content": …}.',
    ],
    ['file_write', ['a.txt', 'x'], 'Invalid arguments: they are a list', '{"path": …, "content": …}'],
    ['file_write', 7, 'Invalid arguments: they are a number', '{"path": …, "content": …}'],
    ['file_write', null, 'Missing required parameter: path', 'file_write needs path'],
    ['execute', 'blocks', 'Invalid arguments: they are a text', '{"document": …}'],
    ['execute', { document: 7 }, 'Invalid value: 7', "Parameter 'document': Give it as a text, in quotes."],
    ['execute', { documnet: '' }, 'Missing required parameter: document', "You gave 'documnet', which is not known."],
    ['execute', { document: true }, 'Invalid value: true', "Parameter 'document'"],
  ])('%s of %j are answered as any other mistake', async (name, given, message, advice) => {
    const root = scratchDir({ 'a.txt': 'a' })
    const ask = await asking(root)
    const result = await ask('tools/call', { name, arguments: given })
    expect(result).toMatchObject({
      isError: true,
      structuredContent: { success: false, error: message, code: 'invalid_parameter' },
      content: [{ type: 'text', text: expect.stringContaining(advice) }],
    })
    expect(filesIn(root)).toEqual({ 'a.txt': 'a' })
  })
})

it('what is no request of the protocol is an error of it, in plain words', async () => {
  const ask = await asking(scratchDir())
  const wrong: [string, object | undefined, number, string][] = [
    ['tools/call', undefined, -32602, 'name must be a text; it is missing'],
    ['tools/call', { name: 5 }, -32602, 'name must be a text; it is a number'],
    ['resources/read', { uri: ['x'] }, -32602, 'uri must be a text; it is a list'],
    ['resources/subscribe', {}, -32602, 'uri must be a text; it is missing'],
    ['resources/list', { cursor: 5 }, -32602, 'cursor must be a text; it is a number'],
    ['prompts/get', { name: 'clada', arguments: 'sham' }, -32602, 'arguments must be an object; it is a text'],
    ['prompts/get', { name: 'clada', arguments: { syntax: 5 } }, -32602, 'syntax must be a text; it is a number'],
    ['tools/forget', {}, -32601, 'Method not found: tools/forget'],
    ['constructor', {}, -32601, 'Method not found: constructor'],
  ]
  for (const [method, params, code, message] of wrong) {
    await expect(ask(method, params), method).rejects.toMatchObject({ code, message })
  }
})

it('values that are nested too deeply to be repeated are answered as any other mistake', async () => {
  const root = scratchDir()
  const ask = await asking(root)
  const deep: unknown = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`)
  const object: unknown = JSON.parse(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`)
  for (const [name, given] of [
    ['file_write', { path: deep, content: 'x' }],
    ['file_write', { path: 'a.txt', content: object }],
    ['file_edit', { path: 'a.txt', edits: [object] }],
    ['files_read', { paths: [deep] }],
    ['execute', { document: deep }],
    ['execute', { document: '', root: object }],
  ] as const)
    expect(await ask('tools/call', { name, arguments: given }), name).toMatchObject({
      isError: true,
      structuredContent: { success: false, code: 'invalid_parameter' },
    })
  expect(filesIn(root)).toEqual({})
})

describe('what a client sent is repeated in part, however long it is', () => {
  const long = 'x'.repeat(12_000_000)
  it.each<[string, object]>([
    [long, {}],
    ['tools/call', { name: long }],
    ['prompts/get', { name: long }],
    ['prompts/get', { name: 'clada', arguments: { syntax: long } }],
    ['resources/read', { uri: long }],
    ['resources/list', { cursor: long }],
    ['tools/call', { name: 'execute', arguments: { document: '', syntax: long } }],
    ['tools/call', { name: 'execute', arguments: { document: '', atomic: long } }],
    ['tools/call', { name: 'execute', arguments: { document: '', root: long } }],
    ['tools/call', { name: 'files_read', arguments: { paths: [long] } }],
    ['tools/call', { name: 'grep', arguments: { pattern: 'x', max: long } }],
  ])('%.20s', async (method, params) => {
    const ask = await asking(scratchDir())
    const answer: unknown = await ask(method, params).catch(({ code, message, data }) => ({ code, message, data }))
    expect(JSON.stringify(answer).length).toBeLessThan(20_000)
  })
})
