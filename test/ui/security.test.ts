import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ReportOptions } from '../../packages/clada/src/report/parts.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'
import { type Entered, entered, keyIn, request, type Served, served } from './page-server.ts'

const write = '<---WRITE file="made.txt"--->\nhello\n<---END--->\n'

/** What our own page sends with a change. */
const ours = (page: Served, { cookie, key }: Entered): Record<string, string> => ({
  cookie,
  origin: page.origin,
  'x-clada': key,
  'content-type': 'application/json',
})

/** The machine may have much else to do. */
const soon = <T>(look: () => T) => expect.poll(look)

const everything = [
  'GET /main.js',
  'GET /main.css',
  'GET /index.html',
  'GET /api/state',
  'GET /api/plan',
  'GET /api/document',
  'GET /api/events',
  'GET /api/answer',
  'GET /api/timeline',
  'POST /api/document',
  'POST /api/apply',
  'POST /api/undo',
  'POST /api/answer',
]

describe('who may come in', () => {
  it('is whoever has the address, once', async () => {
    const page = await served(scratchDir())
    const { pathname, search } = new URL(page.address())
    const first = await request(page, pathname + search)
    expect(first.status).toBe(200)
    const [cookie = ''] = first.headers['set-cookie'] ?? []
    expect(cookie).toMatch(new RegExp(`^clada-${page.port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict$`))
    expect(await request(page, pathname + search)).toMatchObject({ status: 401 })
    const known = { cookie: cookie.split(';')[0] ?? '' }
    expect(await request(page, '/', { headers: known })).toMatchObject({ status: 200 })
    const withKey = { ...known, 'x-clada': keyIn(first.body) }
    expect(await request(page, '/api/state', { headers: withKey })).toMatchObject({ status: 200 })
  })

  it('is nobody who learned the cookie, which browsers send to every port of this machine', async () => {
    const root = scratchDir()
    const page = await served(root)
    const who = await entered(page)
    // The page of the cookie's owner is all that it gives, and that holds no key.
    expect(keyIn((await request(page, '/', { headers: { cookie: who.cookie } })).body)).toBeUndefined()
    for (const key of ['1', '', who.cookie.split('=')[1] ?? '', 'A'.repeat(43)]) {
      for (const one of everything.filter((name) => name.includes('/api/'))) {
        const [method = '', target = ''] = one.split(' ')
        const headers = ours(page, { ...who, key })
        const answer = await request(page, target, { method, headers, ...(method === 'POST' ? { body: '{}' } : {}) })
        expect([one, key, answer.status]).toEqual([one, key, 401])
      }
    }
    expect((await request(page, '/api/state', { headers: ours(page, who) })).status).toBe(200)
  })

  it('gives each address a key of its own, also to a browser that is known', async () => {
    const page = await served(scratchDir())
    const first = await entered(page)
    const { search } = new URL(page.address())
    const again = await request(page, `/${search}`, { headers: { cookie: first.cookie } })
    const second = { cookie: again.headers['set-cookie']?.[0]?.split(';')[0] ?? '', key: keyIn(again.body) ?? '' }
    expect(second.key).toMatch(/^[\w-]{43}$/)
    expect(second.key).not.toBe(first.key)
    // The browser has one cookie, the tab before has its own key.
    for (const key of [first.key, second.key]) {
      const headers = ours(page, { cookie: second.cookie, key })
      expect((await request(page, '/api/state', { headers })).status).toBe(200)
    }
    expect(keyIn((await request(page, `/${search}`, { headers: { cookie: second.cookie } })).body)).toBeUndefined()
  })

  it('is nobody else: without the cookie there is nothing at all', async () => {
    const page = await served(scratchDir())
    const who = await entered(page)
    const nearly = [
      { cookie: '' },
      { cookie: `clada-${page.port}=` },
      { cookie: `clada-${page.port}=${'A'.repeat(43)}` },
    ]
    for (const cookie of nearly) {
      for (const one of everything) {
        const [method = '', target = ''] = one.split(' ')
        const headers = { ...ours(page, who), ...cookie }
        const { status, body } = await request(page, target, {
          method,
          headers,
          ...(method === 'POST' ? { body: '{}' } : {}),
        })
        expect([one, status]).toEqual([one, 401])
        expect(body).not.toContain('import')
      }
      expect((await request(page, '/', { headers: cookie })).body).not.toContain('<')
      expect((await request(page, '/?token=', { headers: cookie })).status).toBe(401)
      expect((await request(page, `/?token=${'A'.repeat(43)}`, { headers: cookie })).status).toBe(401)
    }
  })

  it('needs a new address when another was asked for, and the old one is worth nothing', async () => {
    const page = await served(scratchDir())
    const [first, second] = [new URL(page.address()), new URL(page.address())]
    expect((await request(page, `/${first.search}`)).status).toBe(401)
    expect((await request(page, `/${second.search}`)).status).toBe(200)
  })
})

describe('what another web page can do', () => {
  it('is nothing under another name (DNS rebinding), with any cookie', async () => {
    const page = await served(scratchDir())
    const who = await entered(page)
    const names = ['evil.example', `evil.example:${page.port}`, 'localhost.evil.example', '127.0.0.1.evil.example']
    const nearly = ['0.0.0.0', '128.0.0.1', '[::2]', '[::ffff:7f00:1]', 'localhost:1:2', 'a@localhost', '127.0.0.1:x']
    for (const host of [...names, ...nearly, '127.1', 'localhost.', `[::1`]) {
      for (const target of ['/', '/api/state', '/main.js']) {
        const headers = { ...ours(page, who), host, origin: `http://${host}` }
        expect([host, (await request(page, target, { headers })).status]).toEqual([host, 421])
      }
    }
  })

  it('answers to every loopback name, at any port, from its own origin only', async () => {
    const page = await served(scratchDir())
    const who = await entered(page)
    const names = ['localhost', '127.0.0.1', '127.0.0.2', '[::1]', 'LOCALHOST']
    for (const host of names.flatMap((name) => [name, `${name}:${page.port}`, `${name}:9999`])) {
      const headers = { ...ours(page, who), host, origin: `http://${host.toLowerCase()}` }
      expect([host, (await request(page, '/api/state', { headers })).status]).toEqual([host, 200])
      for (const origin of [`http://${host}0`, 'http://127.0.0.3', `https://${host}`, 'null', 'http://localhost:1'])
        expect([host, origin, (await request(page, '/api/state', { headers: { ...headers, origin } })).status]).toEqual(
          [host, origin, 403],
        )
    }
  })

  it('is nothing from another origin or site', async () => {
    const root = scratchDir()
    const page = await served(root)
    const who = await entered(page)
    const own = ours(page, who)
    const foreign: Record<string, string>[] = [
      { ...own, origin: 'http://evil.example' },
      { ...own, origin: 'null' },
      { ...own, origin: `http://127.0.0.1:${page.port + 1}` },
      { ...own, 'sec-fetch-site': 'cross-site' },
      { ...own, 'sec-fetch-site': 'same-site' },
      { cookie: who.cookie, 'x-clada': who.key, 'content-type': 'application/json' },
      { cookie: who.cookie, origin: page.origin, 'content-type': 'application/json' },
    ]
    for (const headers of foreign) {
      const answer = await request(page, '/api/apply', { method: 'POST', headers, body: '{"tasks":null}' })
      expect([headers, answer.status]).toEqual([headers, 403])
    }
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', '']) {
      const answer = await request(page, '/api/document', {
        method: 'POST',
        headers: { ...own, 'content-type': type },
        body: write,
      })
      expect([type, answer.status]).toEqual([type, 415])
    }
    expect(filesIn(root)).toEqual({})
  })

  it('neither embeds nor reads: every answer says so', async () => {
    const page = await served(scratchDir())
    const who = await entered(page)
    for (const target of ['/', '/main.js', '/api/state', '/nothing', '/api/nothing']) {
      const { headers } = await request(page, target, { headers: ours(page, who) })
      expect([target, headers]).toEqual([
        target,
        expect.objectContaining({
          'x-content-type-options': 'nosniff',
          'referrer-policy': 'no-referrer',
          'cross-origin-opener-policy': 'same-origin',
          'cross-origin-resource-policy': 'same-origin',
          'cache-control': 'no-store',
          'content-security-policy': expect.stringMatching(/^default-src 'none'.*frame-ancestors 'none'/),
        }),
      ])
      expect(headers['access-control-allow-origin']).toBeUndefined()
    }
    const { headers } = await request(page, '/', { headers: { cookie: who.cookie } })
    const policy = String(headers['content-security-policy'])
    expect(policy).not.toMatch(/unsafe|\*|https?:/)
    expect(policy).toMatch(/script-src 'self'; style-src 'self' 'nonce-[\w+/]{24}';/)
    const iframe = { cookie: who.cookie, 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'iframe' }
    expect((await request(page, '/', { headers: iframe })).status).toBe(403)
  })

  it('is to follow the address like a person', async () => {
    const page = await served(scratchDir())
    const { search } = new URL(page.address())
    const visit = { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate' }
    expect((await request(page, `/${search}`, { headers: visit })).status).toBe(200)
  })
})

describe('odd requests', () => {
  it('lead to no other file', async () => {
    const page = await served(scratchDir({ 'secret.txt': 'secret' }))
    const who = await entered(page)
    const targets = [
      '/../package.json',
      '/..%2f..%2fpackage.json',
      '/%2e%2e/package.json',
      '//etc/passwd',
      '/main.js/../../cli.cjs',
      '/main.js%00.txt',
      '/constructor',
      '/__proto__',
      '/api/../secret.txt',
    ]
    for (const target of targets) {
      const { status, body } = await request(page, target, { headers: ours(page, who) })
      expect([target, status, body.includes('secret')]).toEqual([target, 404, false])
    }
    expect(
      (await request(page, '/api/__proto__', { method: 'POST', headers: ours(page, who), body: '{}' })).status,
    ).toBe(404)
  })

  it('are refused with a reason', async () => {
    const page = await served(scratchDir(), { limits: { inputBytes: 1000 } })
    const who = await entered(page)
    const headers = ours(page, who)
    const post = (target: string, body: string, more = {}) =>
      request(page, target, { method: 'POST', headers: { ...headers, ...more }, body })
    expect((await request(page, '/', { method: 'DELETE', headers })).status).toBe(405)
    expect((await request(page, '/', { method: 'OPTIONS', headers })).status).toBe(405)
    expect(await post('/api/document', 'x'.repeat(1001), { 'content-type': 'text/markdown' })).toMatchObject({
      status: 413,
      body: expect.stringContaining('the limit'),
    })
    expect((await post('/api/apply', '[]')).status).toBe(400)
    expect((await post('/api/apply', '{"tasks":3,"revision":1}')).status).toBe(400)
    expect((await post('/api/apply', '{"tasks":null}')).status).toBe(400)
    expect((await post('/api/apply', '{"tasks":null,"revision":1}')).status).toBe(409)
    expect((await post('/api/answer', '{"id":1,"answer":"yes"}')).status).toBe(400)
    expect((await post('/api/answer', '{"id":1,"answer":"once"}')).status).toBe(409)
    expect((await request(page, '/api/block?key=-1', { headers })).status).toBe(400)
    expect((await request(page, '/api/block?key=5&revision=0', { headers })).body).toBe('null')
  })
})

describe('the way of a reply, without a browser', () => {
  it('is looked at, carried out in part, answered and taken back', async () => {
    const root = scratchDir({ 'a.txt': 'one\n' })
    const page = await served(root)
    const who = await entered(page)
    const headers = ours(page, who)
    const get = async (target: string) => JSON.parse((await request(page, target, { headers })).body)
    const post = async (target: string, value: object) =>
      JSON.parse((await request(page, target, { method: 'POST', headers, body: JSON.stringify(value) })).body)
    const document = `${write}<---SEARCH file="a.txt"--->\none\n<---REPLACE--->\ntwo\n<---END--->\n<---RUN--->\nno-such-program\n<---END--->\n<---WRITE file="../out.txt"--->\nx\n<---END--->\n`
    const looked = await request(page, '/api/document?name=reply.md', {
      method: 'POST',
      headers: { ...headers, 'content-type': 'text/markdown' },
      body: document,
    })
    const plan = JSON.parse(looked.body)
    expect(
      plan.blocks.map(({ task, state, action, target }: Record<string, unknown>) => [task, state, action, target]),
    ).toEqual([
      ['1', 'ready', 'file_write', 'made.txt'],
      ['2', 'ready', 'file_edit', 'a.txt'],
      ['3', 'approval', 'run', 'no-such-program'],
      ['4', 'refused', 'file_write', '../out.txt'],
    ])
    expect(plan.files).toEqual([
      { path: 'a.txt', change: 'modify', added: 1, removed: 1 },
      { path: 'made.txt', change: 'create', added: 1, removed: 0 },
    ])
    expect(await get(`/api/block?key=1&revision=${plan.revision}`)).toMatchObject({
      files: [{ before: 'one\n', after: 'two\n' }],
    })
    expect(await get('/api/file?path=a.txt&revision=1')).toMatchObject({ before: 'one\n', after: 'two\n' })
    expect((await get('/api/answer')).text).toContain('Nothing was applied yet')
    expect(filesIn(root)).toEqual({ 'a.txt': 'one\n' })

    await post('/api/apply', { tasks: ['2', '4'], revision: plan.revision })
    await soon(async () => (await get('/api/state')).running).toBe(null)
    expect(filesIn(root)).toEqual({ 'a.txt': 'two\n' })
    const after = await get('/api/plan')
    expect(after.blocks.map(({ outcome }: Record<string, unknown>) => outcome)).toEqual([
      undefined,
      { success: true, warnings: 0 },
      undefined,
      { success: false, warnings: 0, why: expect.stringContaining('outside') },
    ])
    const { text } = await get('/api/answer')
    expect(text).toContain('2 ✅ file_edit a.txt')
    expect(text).toContain('left out by the user: 1, 3')

    expect(await get('/api/timeline')).toMatchObject({ entries: [{ number: 1, undone: false }], since: [] })
    expect(await get('/api/execution?number=1')).toMatchObject({ changes: [{ path: 'a.txt', after: 'two\n' }] })
    fs.writeFileSync(path.join(root, 'a.txt'), 'mine\n')
    expect(await get('/api/timeline')).toMatchObject({ since: [{ path: 'a.txt' }] })
    expect(await post('/api/undo', {})).toMatchObject({ success: false, conflicts: [{ path: 'a.txt' }] })
    fs.writeFileSync(path.join(root, 'a.txt'), 'two\n')
    expect(await post('/api/undo', {})).toMatchObject({ success: true, execution: 1, restored: ['a.txt'] })
    expect(filesIn(root)).toEqual({ 'a.txt': 'one\n' })
    // What was undone is to be done again.
    const again = await get('/api/plan')
    expect(again.blocks[1]).toMatchObject({ state: 'ready' })
    expect(again.blocks[1].outcome).toBeUndefined()
  })

  it('and the prompt keep to what the user allows', async () => {
    const page = await served(scratchDir(), { syntaxes: ['cml', 'udiff'], allowedActions: ['write_file'], exec: 'off' })
    const headers = ours(page, await entered(page))
    const facts = JSON.parse((await request(page, '/api/project', { headers })).body)
    expect(facts).toMatchObject({ syntaxes: ['cml'], actions: [{ name: 'file_write' }] })
    const asked = { syntax: 'sham', include: 'all', actions: ['file_write', 'exec'], show: 'none' }
    const post = { method: 'POST', headers, body: JSON.stringify(asked) }
    const { text } = JSON.parse((await request(page, '/api/prompt', post)).body)
    expect(text).toContain('<write path=')
    expect(text).not.toMatch(/#!SHAM|exec\(/)

    const foreign = await served(scratchDir(), { syntaxes: ['udiff'] })
    const other = ours(foreign, await entered(foreign))
    expect(await request(foreign, '/api/prompt', { ...post, headers: other })).toMatchObject({
      status: 200,
      body: expect.stringContaining('+++ b/src/greet.js'),
    })
  })

  it('is answered as long and as exactly as the user wants it', async () => {
    const root = scratchDir({ 'a.txt': 'one\n' })
    const document = `<---SEARCH file="a.txt"--->\nonne\n<---REPLACE--->\ntwo\n<---END--->\n<---RUN--->\ncat a.txt\n<---END--->\n`
    const answerWith = async (report: ReportOptions): Promise<string> => {
      const page = await served(root, { gitCommit: false }, 0, report)
      const headers = ours(page, await entered(page))
      const asMarkdown = { ...headers, 'content-type': 'text/markdown' }
      const sent = { method: 'POST', headers: asMarkdown, body: document }
      const plan = JSON.parse((await request(page, '/api/document?name=a.md', sent)).body)
      const body = JSON.stringify({ tasks: null, revision: plan.revision })
      await request(page, '/api/apply', { method: 'POST', headers, body })
      const get = async (target: string) => JSON.parse((await request(page, target, { headers })).body)
      await soon(async () => (await get('/api/state')).running).toBe(null)
      return (await get('/api/answer')).text
    }
    expect(await answerWith({})).toContain('nearest')
    expect(await answerWith({ errorDetail: 'minimal' })).not.toContain('nearest')
    expect((await answerWith({ budget: 200 })).length).toBeLessThan((await answerWith({})).length)
  })

  it('does one thing at a time, and keeps groups whole', async () => {
    const root = scratchDir({ 'a.txt': 'one\n' })
    const page = await served(root)
    const headers = ours(page, await entered(page))
    const post = (target: string, body: string, type = 'application/json') =>
      request(page, target, { method: 'POST', headers: { ...headers, 'content-type': type }, body })
    const apply = async (tasks: string[] | null) => {
      const { revision } = JSON.parse((await request(page, '/api/plan', { headers })).body)
      return post('/api/apply', JSON.stringify({ tasks, revision }))
    }
    const group = `<---TASKS atomic="true"--->\n${write}<---WRITE file="b.txt"--->\nb\n<---END--->\n<---END--->\n`
    await post('/api/document', `${group}<---RUN--->\nmake all\n<---END--->\n`, 'text/markdown')
    expect(await apply(['1.1'])).toMatchObject({
      status: 409,
      body: expect.stringContaining('land together or not at all'),
    })
    // Waits for an answer, so it runs until somebody gives one.
    expect((await apply(null)).status).toBe(200)
    const state = async () => JSON.parse((await request(page, '/api/state', { headers })).body)
    await soon(async () => (await state()).questions.length).toBe(1)
    expect(await apply(null)).toMatchObject({ status: 409 })
    expect(await post('/api/undo', '{}')).toMatchObject({ status: 409 })
    expect(await post('/api/document', 'other', 'text/markdown')).toMatchObject({ status: 409 })
    const [{ id, command }] = (await state()).questions
    expect(command).toBe('make all')
    await post('/api/answer', JSON.stringify({ id, answer: 'no' }))
    await soon(async () => (await state()).running).toBe(null)
    expect(filesIn(root)).toEqual({ 'a.txt': 'one\n', 'made.txt': 'hello', 'b.txt': 'b' })

    // Stopping takes the question away and says no to it.
    await post('/api/document', `<---RUN--->\nmake all\n<---END--->\n${write.replace('made', 'late')}`, 'text/markdown')
    await apply(null)
    await soon(async () => (await state()).questions.length).toBe(1)
    await post('/api/stop', '{}')
    await soon(async () => (await state()).running).toBe(null)
    expect((await state()).questions).toEqual([])
    expect(Object.keys(filesIn(root))).not.toContain('late.txt')
  })

  it('applies a part only where that does what was shown, and decisions only where they are sound', async () => {
    const root = scratchDir({ 'a.txt': 'one\n' })
    const page = await served(root, { gitCommit: false })
    const headers = ours(page, await entered(page))
    const post = async (target: string, value: object | string) => {
      const type = typeof value === 'string' ? { 'content-type': 'text/markdown' } : {}
      const body = typeof value === 'string' ? value : JSON.stringify(value)
      const { status, body: text } = await request(page, target, {
        method: 'POST',
        headers: { ...headers, ...type },
        body,
      })
      return { status, value: JSON.parse(text) }
    }
    const edit = (from: string, to: string) =>
      `<---SEARCH file="a.txt"--->\n${from}\n<---REPLACE--->\n${to}\n<---END--->\n`
    const state = async () => JSON.parse((await request(page, '/api/state', { headers })).body)
    const { value: plan } = await post('/api/document?name=', `${edit('one', 'two')}${edit('two', 'three')}${write}`)
    await post('/api/apply', { tasks: ['2'], revision: plan.revision })
    await soon(async () => (await state()).running).toBe(null)
    expect((await state()).remarks).toEqual([expect.stringContaining('block 2 builds on another block')])
    expect(filesIn(root)).toEqual({ 'a.txt': 'one\n' })
    // Without the first there is nothing for the second to build on, and the plan says so.
    const { value: next } = await post('/api/choice', { task: '1', choice: { leaveOut: true, reason: 'no' } })
    expect(next.blocks.map((block: Record<string, unknown>) => block['state'])).toEqual(['left', 'fails', 'ready'])
    for (const choice of [
      null,
      { leave: [{}] },
      { place: { line: 0, endLine: 1 } },
      { place: { line: 2, endLine: 1 } },
    ])
      expect((await post('/api/choice', { task: '1', choice })).status).toBe(400)
    expect((await post('/api/choice', { task: '9', choice: {} })).status).toBe(404)
    expect((await post('/api/choice', { choice: {} })).status).toBe(400)
  })

  it('carries out what was shown, and nothing that came in its place', async () => {
    const root = scratchDir()
    const page = await served(root)
    const headers = ours(page, await entered(page))
    const get = async (target: string) => JSON.parse((await request(page, target, { headers })).body)
    const post = (target: string, value: object) =>
      request(page, target, { method: 'POST', headers, body: JSON.stringify(value) })
    const target = async () => (await get('/api/plan'))?.blocks[0]?.target
    const input = path.join(root, 'clada_input.md')
    fs.writeFileSync(input, write)
    await post('/api/follow', { on: true })
    await soon(target).toBe('made.txt')
    const { revision } = await get('/api/plan')
    fs.writeFileSync(input, write.replace('made', 'other'))
    await soon(target).toBe('other.txt')
    for (const tasks of [null, ['1']]) {
      const refused = { status: 409, body: expect.stringContaining('Look at it') }
      expect(await post('/api/apply', { tasks, revision })).toMatchObject(refused)
    }
    expect(Object.keys(filesIn(root))).toEqual(['clada_input.md'])
    const { revision: shown } = await get('/api/plan')
    expect((await post('/api/apply', { tasks: ['1'], revision: shown })).status).toBe(200)
    await soon(async () => (await get('/api/state')).running).toBe(null)
    expect(Object.keys(filesIn(root)).sort()).toEqual(['clada_input.md', 'other.txt'])

    // No reply writes the next one.
    fs.writeFileSync(input, write.replace('made.txt', 'clada_input.md'))
    await soon(target).toBe('clada_input.md')
    expect((await get('/api/plan')).blocks[0]).toMatchObject({ state: 'refused' })
  })

  it('follows a file when asked to', async () => {
    const root = scratchDir()
    const page = await served(root)
    const headers = ours(page, await entered(page))
    const state = async () => JSON.parse((await request(page, '/api/state', { headers })).body)
    expect((await state()).follow).toBe(null)
    fs.writeFileSync(path.join(root, 'clada_input.md'), write)
    expect((await state()).follow).toEqual({ file: 'clada_input.md', on: false })
    await request(page, '/api/follow', { method: 'POST', headers, body: '{"on":true}' })
    const targets = async () => {
      const plan = JSON.parse((await request(page, '/api/plan', { headers })).body)
      return plan?.blocks.map(({ target }: { target: string }) => target)
    }
    await soon(targets).toEqual(['made.txt'])
    fs.writeFileSync(path.join(root, 'clada_input.md'), write.replace('made', 'other'))
    await soon(targets).toEqual(['other.txt'])
    expect(Object.keys(filesIn(root))).toEqual(['clada_input.md'])
  })
})
