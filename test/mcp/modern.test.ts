import fs from 'node:fs'
import path from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { ElicitResult, Notification, VersionNegotiationMode } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import { filesIn, scratchDir } from '../support/scratch.ts'
import { type Connected, connected, linked, modern, serverFor } from './client.ts'
import { envelope, legacyWire, wireTo } from './wire.ts'

const modes: [string, VersionNegotiationMode, string][] = [
  ['as it is', 'legacy', '2025-11-25'],
  ['that finds out', 'auto', '2026-07-28'],
  ['that is pinned', modern, '2026-07-28'],
]

describe.each(modes)('the official client %s', (_, mode, version) => {
  const project = (): string => scratchDir({ 'make.sh': 'echo made > made.txt\n', 'a.txt': 'one\n' })
  const answering = async (root: string, answer: ElicitResult): Promise<Connected & { questions: string[] }> => {
    const questions: string[] = []
    const made = await connected(root, {
      mode,
      tools: [],
      capabilities: { elicitation: { form: {} } },
      prepare: (client) =>
        client.setRequestHandler('elicitation/create', ({ params }) => {
          questions.push(params.message)
          return answer
        }),
    })
    return { ...made, questions }
  }

  it('lists and calls', async () => {
    const root = project()
    const { client, call } = await connected(root, { mode, tools: [] })
    expect(client.getNegotiatedProtocolVersion()).toBe(version)
    expect(client.getServerVersion()).toMatchObject({ name: 'clada' })
    expect(client.getInstructions()).toContain(root)
    const { tools } = await client.listTools()
    expect(tools).toHaveLength(15)
    expect((await call('file_read_numbered', { path: 'a.txt' })).text).toBe('1: one\n2: ')
    expect((await call('file_edit', { path: 'a.txt', old_text: 'one', new_text: 'two' })).values).toMatchObject({
      success: true,
      data: { path: 'a.txt', replacements: 1 },
      changes: [{ path: 'a.txt', change: 'modify', added: 1, removed: 1, lines: ['1'] }],
    })
    expect(filesIn(root)['a.txt']).toBe('two\n')
  })

  it.each([
    ['once', false, 'made\n'],
    ['no', true, undefined],
  ])('answers a question with %s', async (answer, isError, made) => {
    const root = project()
    const { call, questions } = await answering(root, { action: 'accept', content: { answer } })
    expect((await call('run', { command: 'bash make.sh' })).isError).toBe(isError)
    expect(questions).toHaveLength(1)
    expect(filesIn(root)['made.txt']).toBe(made)
  })

  it('is asked in the middle of a document, which goes on where it was', async () => {
    const root = project()
    const { call, questions } = await answering(root, { action: 'accept', content: { answer: 'once' } })
    const document =
      '<---WRITE file="log.txt" append="true"--->\nx\n<---END--->\n<---RUN--->\nbash make.sh\n<---END--->\n<---WRITE file="after.txt"--->\ny\n<---END--->\n'
    const { values } = await call('execute', { document })
    expect(values).toMatchObject({ success: true, executedActions: 3 })
    expect(questions).toHaveLength(1)
    expect(filesIn(root)).toMatchObject({ 'log.txt': 'x', 'made.txt': 'made\n', 'after.txt': 'y' })
  })

  it('reads resources and prompts', async () => {
    const { client, call } = await connected(project(), { mode })
    await call('file_write', { path: 'b.txt', content: 'b\n' })
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toContain('clada://history/1')
    expect((await client.readResource({ uri: 'clada://history/1' })).contents).toMatchObject([
      { text: expect.stringContaining('+b\n') },
    ])
    await expect(client.readResource({ uri: 'clada://none' })).rejects.toMatchObject({ code: -32602 })
    expect((await client.getPrompt({ name: 'start', arguments: { task: 'T' } })).messages).toHaveLength(1)
    await expect(client.callTool({ name: 'undo', arguments: {} })).rejects.toMatchObject({ code: -32602 })
  })

  it('gets data that fits the schema of each tool, of success and of failure', async () => {
    const root = project()
    const { client } = await connected(root, { mode })
    const { tools } = await client.listTools()
    const ajv = new Ajv2020({ strict: false })
    const schemas = new Map(tools.map(({ name, outputSchema }) => [name, ajv.compile(Object(outputSchema))]))
    const calls: [string, object][] = [
      ['file_read', { path: 'a.txt' }],
      ['file_read', { path: 'none' }],
      ['files_read', { paths: ['a.txt', 'none'] }],
      ['grep', { pattern: 'one', path: '.' }],
      ['glob', { pattern: '*', base_path: '.' }],
      ['ls', { path: '.' }],
      ['project_map', {}],
      ['list_structures', { path: 'make.sh' }],
      ['run', { command: 'ls' }],
      ['run', { command: 'cat none' }],
      ['run', { command: 'bash make.sh' }],
      ['file_edit', { path: 'a.txt', old_text: 'zwei', new_text: '' }],
      ['file_edit', { path: 'a.txt', old_text: 7 }],
      ['execute', { document: '<---READ file="a.txt"--->' }],
      ['execute', { document: '<---WRITE file="c.txt"--->\nc\n<---END--->', dry_run: true }],
      ['execute', {}],
    ]
    for (const [name, given] of calls) {
      const { structuredContent } = await client.callTool({ name, arguments: { ...given } })
      const validate = schemas.get(name)
      expect([name, given, validate?.(structuredContent), validate?.errors]).toEqual([name, given, true, null])
    }
    for (const { title, outputSchema } of tools) {
      expect(title).toMatch(/^[A-Z]/)
      expect(ajv.validateSchema(Object(outputSchema))).toBe(true)
    }
  })
})

describe('revision 2026-07-28', () => {
  it('is told by server/discover, and every result says what it is and who sends it', async () => {
    const { ask } = await wireTo(serverFor(scratchDir({ 'a.txt': 'x' })))
    const server = { 'io.modelcontextprotocol/serverInfo': { name: 'clada', version: '1' } }
    expect(await ask('server/discover', envelope())).toMatchObject({
      resultType: 'complete',
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {}, prompts: {}, resources: { subscribe: true, listChanged: true } },
      ttlMs: expect.any(Number),
      cacheScope: 'private',
      _meta: server,
    })
    for (const method of ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'])
      expect(await ask(method, envelope())).toMatchObject({
        resultType: 'complete',
        ttlMs: expect.any(Number),
        _meta: server,
      })
    const called = await ask('tools/call', { ...envelope(), name: 'file_read', arguments: { path: 'a.txt' } })
    expect(called).toMatchObject({ resultType: 'complete', isError: false, _meta: server })
    expect(called).toMatchObject({ ttlMs: undefined })
  })

  it('needs its metadata in every request', async () => {
    const root = scratchDir()
    const { ask } = await wireTo(serverFor(root))
    const write = { name: 'file_write', arguments: { path: 'a', content: 'a' } }
    const wrong: [unknown, number][] = [
      [{ ...envelope({}, '2027-01-01'), ...write }, -32022],
      [{ ...envelope({}, '2025-11-25'), ...write }, -32022],
      [{ ...write, _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } }, -32602],
      [{ ...write, _meta: { 'io.modelcontextprotocol/protocolVersion': 7 } }, -32602],
      [{ ...envelope([] as never), ...write }, -32602],
      [write, -32600],
    ]
    for (const [params, code] of wrong)
      await expect(ask('tools/call', params), JSON.stringify(params)).rejects.toMatchObject({ code })
    await expect(ask('server/discover')).rejects.toMatchObject({ code: -32602 })
    await expect(ask('tools/call', wrong[0]?.[0])).rejects.toMatchObject({
      data: { supported: ['2026-07-28'], requested: '2027-01-01' },
    })
    expect(filesIn(root)).toEqual({})
  })

  it('has no methods of older ones, and they none of it', async () => {
    const { ask } = await wireTo(serverFor(scratchDir()))
    for (const method of ['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe'])
      await expect(ask(method, { ...envelope(), uri: 'clada://report' })).rejects.toMatchObject({ code: -32601 })
    const legacy = await legacyWire(serverFor(scratchDir()))
    expect(await legacy.ask('ping')).toEqual({})
    await expect(legacy.ask('subscriptions/listen', {})).rejects.toMatchObject({ code: -32602 })
    expect(await legacy.ask('tools/list')).not.toHaveProperty('resultType')
  })

  it('can be served beside an older one on the same connection', async () => {
    const root = scratchDir({ 'a.txt': 'x' })
    const { ask } = await legacyWire(serverFor(root))
    const read = { name: 'file_read', arguments: { path: 'a.txt' } }
    expect(await ask('tools/call', read)).not.toHaveProperty('resultType')
    expect(await ask('tools/call', { ...envelope(), ...read })).toMatchObject({ resultType: 'complete' })
  })

  it('tells of changes to those who listen, as long as they do', async () => {
    const { client, call } = await linked(serverFor(scratchDir()), { mode: modern })
    const heard: Notification[] = []
    client.setNotificationHandler('notifications/resources/updated', (one) => void heard.push(one))
    client.setNotificationHandler('notifications/resources/list_changed', (one) => void heard.push(one))
    await call('file_write', { path: 'a.txt', content: 'x' })
    expect(heard).toEqual([])
    const listening = await client.listen({
      resourcesListChanged: true,
      toolsListChanged: true,
      resourceSubscriptions: ['clada://history'],
    })
    expect(listening.honoredFilter).toEqual({ resourcesListChanged: true, resourceSubscriptions: ['clada://history'] })
    await call('file_write', { path: 'b.txt', content: 'x' })
    expect(heard.map(({ method }) => method)).toEqual([
      'notifications/resources/updated',
      'notifications/resources/list_changed',
    ])
    await listening.close()
    await call('file_write', { path: 'c.txt', content: 'x' })
    expect(heard).toHaveLength(2)
  })

  it('ends a stream of changes with the server, and says so', async () => {
    const gone = new AbortController()
    const { ask, heard } = await wireTo(serverFor(scratchDir()), gone.signal)
    const listening = ask('subscriptions/listen', { ...envelope(), notifications: { resourcesListChanged: true } })
    await new Promise(setImmediate)
    expect(heard).toMatchObject([
      {
        method: 'notifications/subscriptions/acknowledged',
        params: {
          notifications: { resourcesListChanged: true },
          _meta: { 'io.modelcontextprotocol/subscriptionId': expect.any(Number) },
        },
      },
    ])
    gone.abort()
    expect(await listening).toMatchObject({ resultType: 'complete' })
  })
})

describe('the root', () => {
  const roots = (): string => scratchDir({ 'p/a/x.txt': 'a', 'p/x.txt': 'p', 'p/.git/config': 'g', 'other/x.txt': 'o' })

  it('comes from the user; roots of a client of 2026-07-28 are not asked for', async () => {
    const dir = roots()
    const { client, call } = await connected(path.join(dir, 'p'), {
      mode: modern,
      capabilities: { roots: {} },
      prepare: (one) =>
        one.setRequestHandler('roots/list', () => {
          throw new Error('asked')
        }),
    })
    expect((await call('file_read', { path: 'x.txt' })).text).toBe('p')
    expect(client.getInstructions()).toContain(path.join(dir, 'p'))
    const started = await connected(path.join(dir, 'other'), { mode: modern, rooted: false })
    expect((await started.call('file_read', { path: 'x.txt' })).text).toBe('o')
  })

  it.each([
    ['of 2026-07-28', modern],
    ['of an older one', 'legacy'],
  ] as const)('is narrowed by a parameter of a client %s, and never widened', async (_, mode) => {
    const dir = roots()
    const { call } = await connected(path.join(dir, 'p'), { mode })
    expect((await call('file_read', { path: 'x.txt', root: 'a' })).text).toBe('a')
    expect((await call('file_read', { path: 'x.txt', root: path.join(dir, 'p/a') })).text).toBe('a')
    expect((await call('file_read', { path: '../x.txt', root: 'a' })).values).toMatchObject({ code: 'path_escape' })
    expect((await call('execute', { document: '<---READ file="x.txt"--->', root: 'a' })).text).toContain('a')
    // What is around it leaves it as it is.
    for (const root of [dir, '/', '.', '..'])
      expect([root, (await call('file_read', { path: 'x.txt', root })).text]).toEqual([root, 'p'])
    for (const root of ['../other', path.join(dir, 'other'), '.git'])
      expect((await call('file_write', { path: 'x.txt', content: '!', root })).values).toMatchObject({
        success: false,
        code: 'path_escape',
      })
    for (const root of [7, ['a'], { path: 'a' }])
      expect((await call('file_read', { path: 'x.txt', root })).values).toMatchObject({ code: 'invalid_parameter' })
    expect(fs.readFileSync(path.join(dir, 'other/x.txt'), 'utf8')).toBe('o')
  })
})
