import { execFileSync, spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type AcceptedConnection, isStranger, ownersIn } from '../../packages/clada/src/state/connection-owner.ts'
import { canBeNobody, nobody, sendAndLeaveAsNobody, statusesAsNobody, waysToLoopback } from '../support/other-user.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'
import { entered, keyIn, request, served } from './page-server.ts'
import { cladaCall } from '../support/cli.ts'

const write = '<---WRITE file="made.txt"--->\nhello\n<---END--->\n'

describe.skipIf(!canBeNobody)('another user of this machine, who has learned every secret', () => {
  for (const [way, from] of Object.entries(waysToLoopback)) {
    it(`gets nothing over ${way}`, async () => {
      const root = scratchDir()
      const page = await served(root)
      const { cookie, key } = await entered(page)
      const { search } = new URL(page.address())
      const code = page.companion.code().replace(/^\d+-/, '')
      const own = { cookie, 'x-clada': key, origin: page.origin }
      const json = { ...own, 'content-type': 'application/json' }
      const extension = { origin: 'chrome-extension://abcdefghijklmnop', 'content-type': 'application/json' }
      const attempts = [
        { path: `/${search}` },
        { path: '/', headers: own },
        { path: '/main.js', headers: own },
        { path: '/api/state', headers: own },
        { path: '/api/document', method: 'POST', headers: { ...own, 'content-type': 'text/markdown' }, body: write },
        { path: '/api/apply', method: 'POST', headers: json, body: '{"tasks":null,"revision":1}' },
        { path: '/api/answer', method: 'POST', headers: json, body: '{"id":1,"answer":"always"}' },
        { path: '/companion/pair', method: 'POST', headers: extension, body: JSON.stringify({ code }) },
        { path: '/code', method: 'POST', headers: json, body: 'code=x' },
      ]
      const statuses = await statusesAsNobody(attempts.map((attempt) => ({ ...attempt, ...from, port: page.port })))
      expect(statuses).toEqual(attempts.map(() => 403))
      expect(filesIn(root)).toEqual({})
      expect(page.companion.isPaired).toBe(false)
      // Nothing was spent: the owner comes in with the same secrets.
      expect((await request(page, `/${search}`)).status).toBe(200)
      const pairing = { method: 'POST', headers: extension, body: JSON.stringify({ code }) }
      expect((await request(page, '/companion/pair', pairing)).status).toBe(200)
    })

    it(`gets nothing over ${way} by leaving before the answer`, async () => {
      const root = scratchDir()
      const page = await served(root)
      const { search } = new URL(page.address())
      const visit = `GET /${search} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`
      for (let times = 0; times < 3; times++) await sendAndLeaveAsNobody({ ...from, port: page.port, path: '/' }, visit)
      expect((await request(page, `/${search}`)).status).toBe(200)
    })
  }

  it('finds no token on any command line, and cannot read the file that leads to the page', async () => {
    const root = scratchDir()
    const [state, bin] = [scratchDir(), scratchDir()]
    for (const dir of [state, bin]) fs.chmodSync(dir, 0o755)
    const seen = path.join(bin, 'seen')
    const opener = `#!/bin/sh\ncat /proc/[0-9]*/cmdline | tr '\\0' '\\n' > '${seen}.new'\nprintf '%s\\n' "$@" > '${seen}.args'\nmv '${seen}.new' '${seen}'\n`
    fs.writeFileSync(path.join(bin, 'xdg-open'), opener, { mode: 0o755 })
    const env = { PATH: `${bin}:${process.env['PATH']}`, HOME: state, XDG_STATE_HOME: state, CLADA_NO_CACHE: '1' }
    const child = spawn(...cladaCall('ui', '--root', root, '--port', '0'), {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    let address: URL | undefined
    for await (const line of createInterface({ input: child.stdout })) {
      if (!line.includes('?token=')) continue
      address = new URL(line.trim())
      break
    }
    child.stdout.resume()
    const token = address?.searchParams.get('token') ?? ''
    expect(token).toMatch(/^[\w-]{43}$/)
    await expect.poll(() => fs.existsSync(seen), { timeout: 10_000 }).toBe(true)
    const commandLines = fs.readFileSync(seen, 'utf8')
    expect(commandLines).toContain('xdg-open')
    expect(commandLines).not.toContain(token)
    const file = new URL(fs.readFileSync(`${seen}.args`, 'utf8').trim())
    expect(fs.readFileSync(file, 'utf8')).toContain(String(address))
    const mode = (one: string): string => (fs.statSync(one).mode & 0o777).toString(8)
    expect([mode(file.pathname), mode(path.dirname(file.pathname))]).toEqual(['600', '700'])
    const read = () =>
      execFileSync('cat', [file.pathname], { ...nobody, env: { PATH: '/usr/bin:/bin' }, stdio: 'pipe' })
    expect(read).toThrow('Permission denied')
    // Gone when it was used, and when the server ends.
    const visited = await request({ port: Number(address?.port) }, `/${address?.search}`)
    expect([visited.status, keyIn(visited.body)]).toEqual([200, expect.any(String)])
    expect(fs.existsSync(file)).toBe(false)
    child.kill('SIGTERM')
    await new Promise((resolve) => child.once('exit', resolve))
    expect(fs.readdirSync(path.dirname(file.pathname))).toEqual([])
  })
})

describe('the owner of a connection', () => {
  const connection: AcceptedConnection = {
    remoteAddress: '127.0.0.1',
    remotePort: 0xd431,
    localAddress: '127.0.0.1',
    localPort: 0x1f90,
  }
  const row = (local: string, remote: string, uid: number, inode = 2): string =>
    `   1: ${local} ${remote} 01 00000000:00000000 00:00000000 00000000  ${uid}        0 ${inode} 1`
  const mapped = (end: string): string => `0000000000000000FFFF0000${end}`

  it.each([
    ['an IPv4 client', connection, row('0100007F:D431', '0100007F:1F90', 1001), [1001]],
    ['a mapped one', connection, row(mapped('0100007F:D431'), mapped('0100007F:1F90'), 1002), [1002]],
    [
      'another loopback source',
      { ...connection, remoteAddress: '127.0.0.2' },
      row('0200007F:D431', '0100007F:1F90', 1003),
      [1003],
    ],
    [
      'IPv6',
      { ...connection, remoteAddress: '::1', localAddress: '::1' },
      row(`${'0'.repeat(24)}01000000:D431`, `${'0'.repeat(24)}01000000:1F90`, 1004),
      [1004],
    ],
    [
      'a server that has a mapped address itself',
      { ...connection, remoteAddress: '::ffff:127.0.0.1', localAddress: '::ffff:127.0.0.1' },
      row('0100007F:D431', '0100007F:1F90', 1005),
      [1005],
    ],
    // The kernel then lists 0, which must not be taken for root.
    ['one that closed its end', connection, row('0100007F:D431', '0100007F:1F90', 0, 0), ['closed']],
    ['our own end of it', connection, row('0100007F:1F90', '0100007F:D431', 0), []],
    ['another port', connection, row('0100007F:D432', '0100007F:1F90', 1001), []],
    ['another source', connection, row('0200007F:D431', '0100007F:1F90', 1001), []],
    ['an empty table', connection, '', []],
    ['a line that is cut off', connection, '   1: 0100007F:D431 0100007F:1F90 01', ['closed']],
    ['no address', {}, row('0100007F:D431', '0100007F:1F90', 1001), []],
    ['a source that is not loopback', { ...connection, remoteAddress: '10.0.0.1' }, '', []],
  ])('is found for %s', (_, given, table, owners) => {
    expect(ownersIn(table, given)).toEqual(owners)
  })

  it.skipIf(process.platform !== 'linux')('is another user where the system names none', () => {
    expect(isStranger({ ...connection, remotePort: 1, localPort: 2 })).toBe(true)
    expect(isStranger({ ...connection, remoteAddress: '192.0.2.1' })).toBe(true)
    expect(isStranger({})).toBe(true)
  })
})
