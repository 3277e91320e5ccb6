import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { readSignedAnswer, type CompanionKey, sha256, sign } from '../../packages/browser/src/signed.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'
import { entered, request, type Served, served } from './page-server.ts'

const origin = 'chrome-extension://abcdefghijklmnop'
const site = 'https://chat.example'
const write = (root: string): string =>
  `#!nesl [@three-char-SHA-256: b1k]\naction = "file_write"\npath = "${root}/made.txt"\ncontent = "hello"\n#!end_b1k\n`

const json = { origin, 'content-type': 'application/json' }

async function paired(page: Served): Promise<CompanionKey> {
  const { status, body } = await request(page, '/companion/pair', {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ code: codeOf(page) }),
  })
  expect(status).toBe(200)
  return JSON.parse(body)
}

/** The part of the code after the port, in lower case as somebody may type it. */
const codeOf = (page: Served): string => page.companion.code().replace(/^\d+-/, '').toLowerCase()

interface Sent {
  readonly status: number
  readonly value: unknown
}

async function ask(page: Served, key: CompanionKey, route: string, body: object, headers: object = {}): Promise<Sent> {
  const text = JSON.stringify(body)
  const { nonce, header } = await sign(key, page.port, route, text)
  const all = { ...json, 'x-clada-companion': header, ...headers }
  const answer = await request(page, `/companion/${route}`, { method: 'POST', headers: all, body: text })
  const value: unknown = JSON.parse(answer.body)
  const isSigned = typeof value === 'object' && value !== null && 'proof' in value
  return {
    status: answer.status,
    value: isSigned ? JSON.parse(await readSignedAnswer(key, nonce, answer.status, value)) : value,
  }
}

const shownIn = ({ value }: Sent): unknown => Reflect.get(Object(value), 'shown')

/** Looks at a reply, and applies what was shown. */
async function apply(page: Served, key: CompanionKey, text: string): Promise<Sent> {
  const here = { site, tab: 1 }
  const shown = shownIn(await ask(page, key, 'look', { ...here, text }))
  return ask(page, key, 'apply', { ...here, hash: await sha256(text), shown })
}

const sham = (id: string, lines: string): string => `#!SHAM [@three-char-SHA-256: ${id}]\n${lines}\n#!END_SHAM_${id}\n`

describe('a browser extension', () => {
  it('looks at a reply and applies it, once, from the tab and the site where it was looked at', async () => {
    const root = scratchDir()
    const page = await served(root)
    const key = await paired(page)
    const [text, here] = [write(root), { site, tab: 1 }]
    const hash = await sha256(text)
    expect(await ask(page, key, 'apply', { ...here, hash })).toMatchObject({ status: 409 })
    // What a person looks at on the page stays there.
    const { cookie, key: own } = await entered(page)
    const shown = async () =>
      (await request(page, '/api/document', { headers: { host: new URL(page.origin).host, cookie, 'x-clada': own } }))
        .body
    expect(JSON.parse(await shown())).toEqual({ text: '' })
    const looked = await ask(page, key, 'look', { ...here, text })
    const block = { key: 0, action: 'file_write', target: 'made.txt', state: 'ready' }
    expect(looked).toMatchObject({ status: 200, value: { hash, blocks: [block], files: [{ path: 'made.txt' }] } })
    const shownDigest = shownIn(looked)
    const detail = { raw: text.trimEnd(), files: [{ path: 'made.txt', before: null, after: 'hello' }] }
    expect(await ask(page, key, 'block', { ...here, hash, key: 0 })).toMatchObject({ status: 200, value: detail })
    expect(filesIn(root)).toEqual({})
    expect(JSON.parse(await shown())).toEqual({ text: '' })
    for (const other of [{ tab: 2 }, { site: 'https://evil.example' }, { hash: await sha256(`${text} `) }])
      expect(await ask(page, key, 'apply', { ...here, hash, shown: shownDigest, ...other })).toMatchObject({
        status: 409,
      })
    for (const shown of [undefined, '', hash])
      expect(await ask(page, key, 'apply', { ...here, hash, shown })).toMatchObject({ status: 409 })
    expect(filesIn(root)).toEqual({})
    const done = { status: 200, value: { state: 'done', results: [{ success: true, key: 0 }], canUndo: true } }
    const applied = await ask(page, key, 'apply', { ...here, hash, shown: shownDigest })
    expect(applied).toMatchObject(done)
    expect(JSON.stringify(applied.value)).toContain('=== CLADA RESULTS ===')
    expect(filesIn(root)).toEqual({ 'made.txt': 'hello' })
    fs.writeFileSync(path.join(root, 'made.txt'), 'mine')
    expect(await ask(page, key, 'apply', { ...here, hash, shown: shownDigest })).toMatchObject(done)
    expect(await ask(page, key, 'look', { ...here, text })).toMatchObject({ value: { done: { results: [{}] } } })
    expect(filesIn(root)).toEqual({ 'made.txt': 'mine' })
  })

  it('says in another tab that a reply was applied, and undoes it there', async () => {
    const root = scratchDir()
    const page = await served(root)
    const key = await paired(page)
    const text = write(root)
    await apply(page, key, text)
    const there = { site, tab: 2 }
    const looked = await ask(page, key, 'look', { ...there, text })
    expect(looked.value).toMatchObject({ done: { results: [{ success: true, key: 0 }], canUndo: true } })
    const hash = await sha256(text)
    expect(await ask(page, key, 'undo', { ...there, hash })).toMatchObject({ value: { success: true } })
    expect(filesIn(root)).toEqual({})
    expect((await ask(page, key, 'look', { ...there, text })).value).not.toHaveProperty('done')
    expect((await ask(page, key, 'look', { site, tab: 1, text })).value).not.toHaveProperty('done')
  })

  it('hears why a block failed, and nothing of one that could not be read', async () => {
    const root = scratchDir({ 'a.txt': 'one\n' })
    const page = await served(root)
    const key = await paired(page)
    const wrong = sham('abc', `action = "file_replace_text"\npath = "${root}/a.txt"\nold_text = "two"\nnew_text = "x"`)
    const text = `${wrong}\n${sham('def', 'action = "file_reed"')}`
    const { value } = await apply(page, key, text)
    const why = expect.stringContaining('not found')
    expect(value).toMatchObject({ state: 'done', results: [{ success: false, key: 0, why }] })
  })

  it('hears the results when the page shows them, not before', async () => {
    const root = scratchDir()
    const page = await served(root)
    const key = await paired(page)
    const blocks = Array.from({ length: 40 }, (_, at) =>
      write(root)
        .replaceAll('b1k', `b${10 + at}`)
        .replace('made', `${at}`),
    )
    const text = blocks.join('\n')
    const { value } = await apply(page, key, text)
    expect(Reflect.get(Object(value), 'results')).toHaveLength(40)
  })

  it('is shown every block whole, whatever its length', async () => {
    const root = scratchDir()
    const page = await served(root)
    const key = await paired(page)
    const long = 'x'.repeat(1_500_000)
    const text = [1, 2]
      .map((at) => write(root).replace('made', `made${at}`).replace('hello', `${at}${long}!`))
      .join('\n')
    const here = { site, tab: 1 }
    await ask(page, key, 'look', { ...here, text })
    const hash = await sha256(text)
    for (const at of [0, 1]) {
      const { value } = await ask(page, key, 'block', { ...here, hash, key: at })
      const after = `${at + 1}${long}!`
      expect(value).toMatchObject({ raw: expect.stringContaining(after), files: [{ before: null, after }] })
    }
  })

  it('applies nothing when a file has changed since its diff was shown', async () => {
    const root = scratchDir({ 'a.txt': 'one\ntwo\n' })
    const page = await served(root)
    const key = await paired(page)
    const text = sham('abc', `action = "file_replace_text"\npath = "${root}/a.txt"\nold_text = "one"\nnew_text = "1"`)
    const here = { site, tab: 1, hash: await sha256(text) }
    const shown = shownIn(await ask(page, key, 'look', { ...here, text }))
    fs.writeFileSync(path.join(root, 'a.txt'), 'two\none\n')
    const error = expect.stringContaining('Files have changed')
    expect(await ask(page, key, 'apply', { ...here, shown })).toMatchObject({ status: 409, value: { error } })
    expect(filesIn(root)).toEqual({ 'a.txt': 'two\none\n' })
    const again = shownIn(await ask(page, key, 'look', { ...here, text }))
    expect(again).not.toBe(shown)
    await ask(page, key, 'apply', { ...here, shown: again })
    expect(filesIn(root)).toEqual({ 'a.txt': 'two\n1\n' })
  })

  it('undoes what it applied, and may apply it again', async () => {
    const root = scratchDir({ 'made.txt': 'before' })
    const page = await served(root)
    const key = await paired(page)
    const text = write(root)
    const here = { site, tab: 1, hash: await sha256(text) }
    expect(await ask(page, key, 'undo', here)).toMatchObject({ status: 409 })
    await apply(page, key, text)
    expect(filesIn(root)).toEqual({ 'made.txt': 'hello' })
    const undone = await ask(page, key, 'undo', here)
    expect(undone).toMatchObject({ value: { success: true, restored: ['made.txt'], conflicts: [] } })
    expect(filesIn(root)).toEqual({ 'made.txt': 'before' })
    expect(await ask(page, key, 'undo', here)).toMatchObject({ status: 409 })
    expect((await ask(page, key, 'look', { ...here, text })).value).not.toHaveProperty('done')
    await apply(page, key, text)
    fs.writeFileSync(path.join(root, 'made.txt'), 'mine')
    const conflicts = [{ path: 'made.txt', reason: expect.any(String) }]
    expect(await ask(page, key, 'undo', here)).toMatchObject({ value: { success: false, conflicts } })
    expect(filesIn(root)).toEqual({ 'made.txt': 'mine' })
  })

  it('answers the questions of its own run, and of no other', async () => {
    const root = scratchDir({ 'package.json': '{"scripts":{"hi":"node -e 1"}}' })
    const page = await served(root)
    const key = await paired(page)
    const text = sham('abc', 'action = "run"\ncommand = "npm run hi"')
    const here = { site, tab: 1, hash: await sha256(text) }
    for (const route of ['answer', 'stop']) expect(await ask(page, key, route, here)).toMatchObject({ status: 409 })
    const { value } = await apply(page, key, text)
    expect(value).toMatchObject({ state: 'running', questions: [{ command: 'npm run hi' }] })
    const [{ id }] = Reflect.get(Object(value), 'questions')
    expect(await ask(page, key, 'answer', { ...here, tab: 2, id, answer: 'once' })).toMatchObject({ status: 409 })
    expect(await ask(page, key, 'answer', { ...here, id: id + 1, answer: 'once' })).toMatchObject({ status: 409 })
    expect(await ask(page, key, 'answer', { ...here, id, answer: 'yes' })).toMatchObject({ status: 400 })
    const done = await ask(page, key, 'answer', { ...here, id, answer: 'no' })
    expect(done).toMatchObject({ value: { state: 'done', results: [{ success: false }] } })
  })

  it('is remembered by the process alone where the state of the user is in the project', async () => {
    const root = scratchDir()
    vi.stubEnv('XDG_STATE_HOME', path.join(root, 'clada-page-state'))
    onTestFinished(() => void vi.unstubAllEnvs())
    const page = await served(root)
    expect(await ask(page, await paired(page), 'projects', {})).toMatchObject({ status: 200, value: { others: [] } })
    expect(page.companion.isPaired).toBe(true)
  })

  it('gets the page on the reply, and the prompt with a task', async () => {
    const root = scratchDir()
    const page = await served(root)
    const key = await paired(page)
    const text = write(root)
    await ask(page, key, 'look', { site, tab: 1, text })
    const { value } = await ask(page, key, 'show', { site, tab: 1, hash: await sha256(text) })
    const [, query] =
      /^http:\/\/127\.0\.0\.1:\d+\/(\?token=[\w-]+)$/.exec(String(Reflect.get(Object(value), 'address'))) ?? []
    expect((await request(page, `/${query}`)).status).toBe(200)
    const prompt = await ask(page, key, 'prompt', { task: 'Fix the login' })
    expect(JSON.stringify(prompt.value)).toMatch(/How to work on my project.*## The task\\n\\nFix the login/s)
  })

  it('needs the key, the extension that it was given to, this port and a new signature', async () => {
    const page = await served(scratchDir())
    const key = await paired(page)
    const other = await served(scratchDir())
    const fine = await ask(page, key, 'projects', {})
    expect(fine).toMatchObject({ status: 200, value: { port: page.port, others: [other.port] } })
    const refused: Promise<Sent>[] = [
      ask(page, { ...key, key: 'A'.repeat(43) }, 'projects', {}),
      ask(page, { ...key, id: 'other' }, 'projects', {}),
      ask(page, key, 'projects', {}, { 'x-clada-companion': '' }),
      ask(page, key, 'projects', {}, { origin: 'chrome-extension://ponmlkjihgfedcba' }),
      ask(page, key, 'projects', {}, { origin: site }),
      ask(page, key, 'projects', {}, { origin: page.origin }),
      ask(page, key, 'projects', {}, { origin: 'null' }),
      ask(page, key, 'projects', {}, { host: `evil.example:${page.port}` }),
      ask(page, key, 'projects', {}, { host: 'evil.example' }),
    ]
    for (const { status, value } of await Promise.all(refused))
      expect([status, value]).toEqual([expect.toBeOneOf([401, 403, 421]), { error: expect.any(String) }])
    const { header } = await sign(key, page.port, 'projects', '{}')
    const again = { method: 'POST', headers: { ...json, 'x-clada-companion': header }, body: '{}' }
    expect((await request(other, '/companion/projects', again)).status).toBe(401)
    expect((await request(page, '/companion/prompt', again)).status).toBe(401)
    expect((await request(page, '/companion/projects', { ...again, body: '{ }' })).status).toBe(401)
    expect((await request(page, '/companion/projects', again)).status).toBe(200)
    expect((await request(page, '/companion/projects', again)).status).toBe(403)
    // The key of an extension opens nothing of the page, and that of the page nothing here.
    const { cookie, key: own } = await entered(page)
    const asPage = { ...json, cookie, 'x-clada': key.key }
    expect((await request(page, '/api/apply', { method: 'POST', headers: asPage, body: '{}' })).status).toBe(403)
    const asExtension = { ...json, origin: page.origin, cookie, 'x-clada': own }
    expect(
      (await request(page, '/companion/projects', { method: 'POST', headers: asExtension, body: '{}' })).status,
    ).toBe(403)
    await ask(page, key, 'forget', {})
    expect((await ask(page, key, 'projects', {})).status).toBe(401)
  })

  it('is paired by a code that works once and allows five tries', async () => {
    const page = await served(scratchDir())
    const pair = (code: string) =>
      request(page, '/companion/pair', { method: 'POST', headers: json, body: JSON.stringify({ code }) })
    const code = codeOf(page)
    expect((await pair('')).status).toBe(403)
    expect((await pair(code)).status).toBe(200)
    expect((await pair(code)).status).toBe(403)
    const next = codeOf(page)
    for (let tries = 0; tries < 5; tries++) expect((await pair('AAAA-AAAA')).status).toBe(403)
    expect((await pair(next)).status).toBe(403)
    const asked = { method: 'POST', headers: { ...json, origin: site }, body: JSON.stringify({ code: codeOf(page) }) }
    expect((await request(page, '/companion/pair', asked)).status).toBe(403)
  })
})
