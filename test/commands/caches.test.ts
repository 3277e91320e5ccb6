import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { digestOf } from '../../packages/clada/src/core/digest.ts'
import { Clada, type CladaOptions } from '../../packages/clada/src/index.ts'
import { fill, filesIn, scratchDir } from '../support/scratch.ts'
import { needsLayers } from '../support/needs.ts'

let home: string

beforeEach(() => {
  home = scratchDir({ '.npm/kept': 'kept\n', '.cache/pip/x': 'x\n' })
  vi.stubEnv('XDG_STATE_HOME', scratchDir())
  vi.stubEnv('HOME', home)
  onTestFinished(() => void vi.unstubAllEnvs())
})

async function run(root: string, command: string, options: CladaOptions = {}) {
  const limits = { actionMs: 60_000 }
  const clada = new Clada({ repoPath: root, gitCommit: false, limits, approve: [command], ...options })
  const [result] = (await clada.perform('run', { command })).results
  return { code: result?.code, text: JSON.stringify(result) }
}

const withNetwork = (root: string, command: string) => run(root, command, { network: [command] })

/** Everything in the home directory. */
const picture = (): string =>
  digestOf(execFileSync('find', ['.', '-printf', '%P %y %m %s %T@\n'], { cwd: home }).toString())

describe('the caches of tools', () => {
  needsLayers()

  it('of the user are read, and never written to', async () => {
    const before = picture()
    const root = scratchDir({
      '1.sh':
        'cat ~/.npm/kept; echo PLANTED > ~/.npm/kept; rm ~/.cache/pip/x; mkdir -p ~/.npm/_npx/1; echo P > ~/.npm/_npx/1/x',
    })
    expect((await run(root, 'sh 1.sh')).text).toContain('kept')
    expect((await withNetwork(root, 'sh 1.sh')).text).toContain('kept')
    fill(root, { '2.sh': 'echo x > ~/.npm/more' })
    vi.stubEnv('MY_SETTING', 'x')
    await run(root, 'sh 2.sh', { commandEnv: ['MY_SETTING'] })
    expect(picture()).toBe(before)
  })

  it('have what commands with network wrote, for this project only', async () => {
    const [root, other] = [scratchDir(), scratchDir()]
    const look = { 'look.sh': 'cat ~/.npm/kept ~/.npm/fetched ~/.cargo/registry/index; ls ~/.cache/pip' }
    for (const one of [root, other]) fill(one, look)
    fill(root, {
      'fetch.sh':
        'echo new > ~/.npm/kept; echo fetched > ~/.npm/fetched; rm ~/.cache/pip/x; mkdir -p ~/.cargo/registry; echo crate > ~/.cargo/registry/index',
    })
    await withNetwork(root, 'sh fetch.sh')
    for (const again of [await run(root, 'sh look.sh'), await withNetwork(root, 'sh look.sh')])
      expect(again.text).toContain('"new\\nfetched\\ncrate\\n')
    const elsewhere = await run(other, 'sh look.sh')
    expect(elsewhere.text).toContain('kept')
    expect(elsewhere.text).not.toContain('fetched\\n')
    expect(fs.existsSync(path.join(home, '.cargo'))).toBe(false)
  })

  it('lose what commands without network wrote', async () => {
    const root = scratchDir({ '1.sh': 'cat ~/.npm/kept ~/.npm/mine; echo mine > ~/.npm/mine; rm ~/.npm/kept' })
    fill(root, { 'fetch.sh': 'echo first > ~/.npm/mine' })
    await withNetwork(root, 'sh fetch.sh')
    for (let time = 0; time < 2; time++) expect((await run(root, 'sh 1.sh')).text).toContain('kept\\nfirst\\n')
  })

  it('are not there for code', async () => {
    const clada = new Clada({ repoPath: scratchDir(), gitCommit: false })
    const { results } = await clada.perform('exec', { lang: 'bash', code: 'cat ~/.npm/kept || echo none' })
    expect(JSON.stringify(results)).toContain('none')
  })
})

describe('npm', () => {
  needsLayers()

  /** A registry with one package, whose install script tries to get at the user's later runs. */
  async function registry(): Promise<string> {
    const dir = scratchDir({
      'package/package.json': JSON.stringify({
        name: 'dep',
        version: '1.0.0',
        main: 'i.js',
        scripts: { postinstall: 'node poison.js' },
      }),
      'package/i.js': 'module.exports = 41',
      'package/poison.js': `const fs = require('fs'), os = require('os'), dir = os.homedir() + '/.npm/_npx/0'
fs.mkdirSync(dir, { recursive: true })
fs.writeFileSync(dir + '/package.json', '{}')
fs.appendFileSync(os.homedir() + '/.npm/kept', 'PLANTED')
fs.writeFileSync(os.homedir() + '/.bashrc', 'PLANTED')`,
    })
    execFileSync('tar', ['czf', 'dep-1.0.0.tgz', 'package'], { cwd: dir })
    const packed = fs.readFileSync(path.join(dir, 'dep-1.0.0.tgz'))
    const server = http.createServer((asked, answer) => {
      const address = `http://${asked.headers.host}`
      const version = {
        name: 'dep',
        version: '1.0.0',
        main: 'i.js',
        hasInstallScript: true,
        scripts: { postinstall: 'node poison.js' },
        dist: { tarball: `${address}/dep/-/dep-1.0.0.tgz` },
      }
      if (asked.url === '/dep') {
        answer.setHeader('content-type', 'application/json')
        answer.end(JSON.stringify({ name: 'dep', 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': version } }))
      } else if (asked.url === '/dep/-/dep-1.0.0.tgz') answer.end(packed)
      else answer.writeHead(404).end('{}')
    })
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
    onTestFinished(() => void server.close())
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    return `http://127.0.0.1:${address.port}`
  }

  it('installs from a registry, tests, and installs again without network, and the user’s cache stays as it was', async () => {
    const before = picture()
    const url = await registry()
    const root = scratchDir({
      'package.json': JSON.stringify({
        name: 'p',
        version: '1.0.0',
        scripts: { test: 'node check.js' },
        dependencies: { dep: '^1.0.0' },
      }),
      'check.js': 'console.log("sum " + (require("dep") + 1))',
    })
    const install = await withNetwork(root, `npm install --no-audit --no-fund --registry ${url}`)
    expect(install.code, install.text).toBeUndefined()
    expect((await run(root, 'npm test')).text).toContain('sum 42')
    fs.rmSync(path.join(root, 'node_modules'), { recursive: true })
    const again = await run(root, `npm ci --offline --ignore-scripts --no-audit --no-fund --registry ${url}`)
    expect(again.code, again.text).toBeUndefined()
    expect((await run(root, 'npm test')).text).toContain('sum 42')
    expect(Object.keys(filesIn(root)).filter((name) => name.startsWith('node_modules/dep/'))).toHaveLength(3)
    expect(picture()).toBe(before)
  }, 120_000)
})
