import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Clada, type CladaOptions } from '../../packages/clada/src/index.ts'
import { findSockets } from '../../packages/clada/src/process/sockets.ts'
import { needs } from '../support/needs.ts'
import { scratchDir } from '../support/scratch.ts'
import { canMount, mountAt } from '../workspace/disk.ts'

needs('sandbox')

/** A program outside that answers everybody who connects. Counts them. */
async function listen(file: string): Promise<() => number> {
  let callers = 0
  const server = net.createServer((caller) => {
    callers++
    caller.end('from outside')
  })
  await new Promise<void>((done) => server.listen(file, done))
  onTestFinished(() => void server.close())
  return () => callers
}

const knock = (file: string): string =>
  `require('net').connect(${JSON.stringify(file)}).on('data', (b) => console.log(String(b))).on('error', (e) => console.log(e.code))`

/** Listens at names that the list of the kernel does not have, or not any more. */
const serverCode = `
  const at = '/proc/self/fd/' + require('fs').openSync('.') + '/descriptor'
  let waiting = 4
  for (const name of ['relative', process.cwd() + '/first', process.cwd() + '/second', at])
    require('net').createServer((c) => c.end('from outside')).listen(name, () => --waiting || console.log('ready'))
`

async function said(root: string, code: string, options: CladaOptions = {}): Promise<string> {
  const clada = new Clada({ repoPath: root, git: 'off', ...options })
  const { results } = await clada.perform('exec', { lang: 'javascript', code })
  const data: unknown = results[0]?.data
  return JSON.stringify(data)
}

describe('a socket at which a program outside listens', () => {
  it('is of no use in the project', async () => {
    const root = scratchDir({ 'd/a.txt': 'a\n' })
    const callers = await listen(path.join(root, 'd/s'))
    expect(await said(root, knock('d/s'))).not.toContain('from outside')
    expect(callers()).toBe(0)
  })

  it.skipIf(!canMount())('is of no use in the project without layers', async () => {
    const root = scratchDir({ 'd/a.txt': 'a\n', 'm/b.txt': 'b\n' })
    mountAt(path.join(root, 'm'), 'size=64k')
    const callers = await listen(path.join(root, 'd/s'))
    // What was closed cannot be put somewhere else.
    const code = `try { require('fs').renameSync('d', 'e') } catch {}; ${knock('d/s')}; ${knock('e/s')}`
    expect(await said(root, code)).not.toContain('from outside')
    expect(callers()).toBe(0)
    expect(fs.lstatSync(path.join(root, 'd/s')).isSocket()).toBe(true)
  })

  // Layers were given up for every project of the process, so that code could write what only layers keep from it.
  it.skipIf(!canMount())('takes the layers from no other project', async () => {
    const [root, other] = [scratchDir({ 'm/b.txt': 'b\n' }), scratchDir()]
    mountAt(path.join(root, 'm'), 'size=64k')
    await said(root, '0')
    const code = "require('fs').mkdirSync('.husky'); require('fs').writeFileSync('.husky/pre-commit', 'x')"
    expect(await said(other, code)).toContain('.husky')
    expect(fs.existsSync(path.join(other, '.husky/pre-commit'))).toBe(false)
  })

  it('is of no use in a directory that code may read', async () => {
    const [root, other] = [scratchDir(), scratchDir({ 'd/a.txt': 'a\n' })]
    const callers = await listen(path.join(other, 'd/s'))
    expect(await said(root, knock(path.join(other, 'd/s')), { allowedRoots: [other] })).not.toContain('from outside')
    expect(callers()).toBe(0)
  })

  it('is of no use in a directory of the system', async () => {
    const dir = scratchDir()
    const link = path.join(scratchDir(), 'link')
    fs.symlinkSync(dir, link)
    await listen(path.join(dir, 's'))
    await listen(path.join(link, 't'))
    const found = ['s', 't'].map((name) => ({ path: path.join(dir, name), type: 'file' }))
    expect(findSockets([dir]).toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual(found)
    expect(findSockets([path.join(dir, 'below')])).toEqual([])
  })

  // The kernel lists the name that was given, in one network namespace, and not where the socket is.
  it.skipIf(process.platform !== 'linux')('is of no use beside a language, however it was made', async () => {
    const home = scratchDir({ '.local/bin/d/a.txt': 'a\n' })
    const dir = path.join(home, '.local/bin/d')
    const before = os.homedir()
    process.env['HOME'] = home
    onTestFinished(() => void (process.env['HOME'] = before))
    const server = spawn(process.execPath, ['-e', serverCode], { cwd: dir, stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => void server.kill('SIGKILL'))
    await once(server.stdout, 'data')
    fs.renameSync(path.join(dir, 'first'), path.join(dir, 'renamed'))
    fs.linkSync(path.join(dir, 'second'), path.join(dir, 'linked'))
    execFileSync('mkfifo', [path.join(dir, 'pipe')])
    const fd = fs.openSync(path.join(dir, 'pipe'), fs.constants.O_RDONLY | fs.constants.O_NONBLOCK)
    onTestFinished(() => fs.closeSync(fd))
    const names = ['relative', 'renamed', 'linked', 'second', 'descriptor']
    const code = names.map((name) => knock(path.join(dir, name))).join(';')
    const write = `require('fs').writeFile(${JSON.stringify(path.join(dir, 'pipe'))}, 'from inside', () => process.exit())`
    expect(
      await said(scratchDir(), `${code}; setTimeout(() => ${write}, 200); setTimeout(() => process.exit(), 1000)`),
    ).toBe(JSON.stringify({ stdout: 'ECONNREFUSED\n'.repeat(names.length), stderr: '' }))
    expect(fs.readSync(fd, Buffer.alloc(100))).toBe(0)
  })

  it('may be one that the program made itself', async () => {
    const code =
      "require('net').createServer((c) => c.end('from inside')).listen('/tmp/s', function () { this.unref() });"
    expect(await said(scratchDir(), `${code} setTimeout(() => { ${knock('/tmp/s')} }, 0)`)).toContain('from inside')
  })
})

describe('a named pipe that a program outside reads', () => {
  it('gets nothing from a directory that code may read', async () => {
    const [root, other] = [scratchDir(), scratchDir()]
    const pipe = path.join(other, 'pipe')
    execFileSync('mkfifo', [pipe])
    const fd = fs.openSync(pipe, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK)
    onTestFinished(() => fs.closeSync(fd))
    await said(root, `require('fs').writeFileSync(${JSON.stringify(pipe)}, 'from inside')`, { allowedRoots: [other] })
    expect(fs.readSync(fd, Buffer.alloc(100))).toBe(0)
  })
})
