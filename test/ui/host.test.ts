import { describe, expect, it } from 'vitest'
import { filesIn, scratchDir } from '../support/scratch.ts'
import { canBeNobody, statusesAsNobody } from '../support/other-user.ts'
import { keyIn, request, served } from './page-server.ts'

const form = (page: { readonly origin: string }) => ({
  origin: page.origin,
  'content-type': 'application/x-www-form-urlencoded',
})

describe('--host', () => {
  it('lets a browser in that types the code, once', async () => {
    const page = await served(scratchDir(), {}, 0, {}, '127.0.0.1')
    const code = page.code() ?? ''
    expect(code).toMatch(/^[A-Z2-9]{4}-[A-Z2-9]{4}$/)
    const asked = await request(page, '/')
    expect([asked.status, asked.body]).toEqual([401, expect.stringContaining('<form method="post" action="/code">')])
    expect(asked.headers['content-security-policy']).toContain("form-action 'self'")
    const typed = `code=${encodeURIComponent(` ${code.toLowerCase()} `)}`
    const entered = await request(page, '/code', { method: 'POST', headers: form(page), body: typed })
    expect([entered.status, keyIn(entered.body)]).toEqual([200, expect.stringMatching(/^[\w-]{43}$/)])
    const again = await request(page, '/code', { method: 'POST', headers: form(page), body: typed })
    expect([again.status, keyIn(again.body)]).toEqual([403, undefined])
  })

  it('takes no code after five wrong ones, from another origin, or without the option', async () => {
    const page = await served(scratchDir(), {}, 0, {}, '127.0.0.1')
    const send = async (body: string, headers: Record<string, string> = form(page)) =>
      (await request(page, '/code', { method: 'POST', headers, body })).status
    const code = page.code() ?? ''
    expect(await send(`code=${code}`, { ...form(page), origin: 'http://evil.example' })).toBe(403)
    expect(await send(`code=${code}`, { ...form(page), origin: 'null' })).toBe(403)
    expect(await send(`code=${code}`, { ...form(page), 'sec-fetch-site': 'cross-site' })).toBe(403)
    for (let wrong = 0; wrong < 5; wrong++) expect(await send('code=AAAA-AAAA')).toBe(403)
    expect(await send(`code=${code}`)).toBe(403)
    expect(await send(`code=${page.code()}`)).toBe(200)
    const closed = await served(scratchDir())
    expect(closed.code()).toBeUndefined()
    for (const body of ['code=', 'code=undefined', '', 'code=AAAA-AAAA'])
      expect((await request(closed, '/code', { method: 'POST', headers: form(closed), body })).status).not.toBe(200)
  })

  it('answers to its name and to loopback names, and to no other', async () => {
    const page = await served(scratchDir(), {}, 0, {}, 'localhost')
    const named = await served(scratchDir(), {}, 0, {}, '0.0.0.0')
    const status = async (host: string) => (await request(named, '/', { headers: { host } })).status
    expect(await status('0.0.0.0:1')).toBe(401)
    expect(await status(`localhost:${named.port}`)).toBe(401)
    expect(await status('evil.example')).toBe(421)
    expect((await request(page, '/', { headers: { host: '0.0.0.0' } })).status).toBe(421)
  })

  it.skipIf(!canBeNobody)('gives another user the form and nothing more, whatever else they know', async () => {
    const root = scratchDir()
    const page = await served(root, {}, 0, {}, '127.0.0.1')
    page.code()
    const { search } = new URL(page.address())
    const asked = ['/', `/${search}`, '/main.js', '/api/state'].map((at) => ({ path: at, host: '127.0.0.1' }))
    expect(await statusesAsNobody(asked.map((one) => ({ ...one, port: page.port })))).toEqual([401, 401, 401, 401])
    // The token was not spent by it.
    expect((await request(page, `/${search}`)).status).toBe(200)
    expect(filesIn(root)).toEqual({})
  })
})
