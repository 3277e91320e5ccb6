import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import http from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import manifest from '../packages/clada/package.json' with { type: 'json' }
import { fill, remove, scratchDir } from './support/scratch.ts'

/**
 * The package as a user gets it: built, packed, and unpacked into a project of its own. What it depends on is linked
 * from here instead of installed, so that no network is needed. The build goes to a scratch directory: it is never
 * stale, and tests beside this one keep their dist/.
 */
const root = path.join(import.meta.dirname, '..')
const scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'clada-pack-')))
const project = path.join(scratch, 'project')
const installed = path.join(project, 'node_modules/clada')

const node = (args: readonly string[], cwd: string): string =>
  execFileSync(process.execPath, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

beforeAll(() => {
  const stage = path.join(scratch, 'stage')
  fs.mkdirSync(stage)
  fs.mkdirSync(installed, { recursive: true })
  node([path.join(root, 'scripts/build.mjs'), '--out', path.join(stage, 'dist')], root)
  for (const name of ['package.json', ...manifest.files]) {
    const file = [path.join(root, 'packages/clada', name), path.join(root, name)].find((place) => fs.existsSync(place))
    if (name !== 'dist' && file !== undefined) fs.cpSync(file, path.join(stage, name), { recursive: true })
  }
  // Must not get into the package.
  fill(stage, { 'src/a.ts': '', 'test/a.test.ts': '', '.clada/lock': '', 'notes.md': '' })
  const pack = ['pack', '--ignore-scripts', '--offline', '--pack-destination', scratch]
  execFileSync('npm', pack, { cwd: stage, stdio: 'pipe', shell: process.platform === 'win32' })
  const tarball = `clada-${manifest.version}.tgz`
  execFileSync('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1'], { cwd: scratch })

  fill(project, { 'package.json': '{ "type": "module", "private": true }' })
  for (const name of [...Object.keys(manifest.dependencies), '@types/node', 'undici-types']) link(name)
})

afterAll(() => remove(scratch))

function link(name: string): void {
  const at = path.join(project, 'node_modules', name)
  fs.mkdirSync(path.dirname(at), { recursive: true })
  fs.symlinkSync(path.join(root, 'node_modules', name), at, 'junction')
}

/** The version, and the commit where the tests run in a repository. */
const says = (name: string): RegExp =>
  new RegExp(
    `^${name} ${manifest.version.replaceAll('.', '\\.')} \\((?:commit [0-9a-f]{7,40}(?:-changed)?, )?Node [0-9.]+\\)\\n$`,
  )

const packed = (): string[] =>
  fs
    .readdirSync(installed, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(installed, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'))

describe('the package', () => {
  it('holds what it should and nothing else', () => {
    const outside = packed().filter((file) => !file.startsWith('dist/') && !/^docs\/.*\.(?:md|svg|png)$/.test(file))
    const wanted = [
      'CHANGELOG.md',
      'CONTRIBUTING.md',
      'LICENSE',
      'README.md',
      'package.json',
      'schema/clada.schema.json',
      'skills/clada/SKILL.md',
    ]
    expect(wanted).toEqual(expect.arrayContaining(outside))
    expect(
      packed().filter(
        (file) =>
          file.startsWith('dist/') &&
          !/\.c?js$|^dist\/(ui\/)?THIRD-PARTY\.txt$|^dist\/types\/.*\.d\.ts$|^dist\/grammars\/[a-z_-]+\.wasm\.br$|^dist\/ui\/(index\.html|main\.css|icon\.svg)$/.test(
            file,
          ),
      ),
    ).toEqual([])
    expect(packed()).toEqual(
      expect.arrayContaining([
        'dist/index.js',
        'dist/cli.cjs',
        'dist/types/clada/src/index.d.ts',
        'dist/ui/index.html',
      ]),
    )
  })

  it('has every file that its pages link to', () => {
    const broken = packed()
      .filter((file) => file.endsWith('.md'))
      .flatMap((page) =>
        [...fs.readFileSync(path.join(installed, page), 'utf8').matchAll(/(?:\]\(|(?:src|srcset|href)=")([^)"#\s]+)/g)]
          .map(([, to = '']) => to)
          .filter((to) => !/^[a-z]+:/.test(to) && !fs.existsSync(path.join(installed, path.dirname(page), to)))
          .map((to) => `${page}: ${to}`),
      )
    expect(broken).toEqual([])
  })

  it('names no path of the machine it was built on', () => {
    // At the start of a path only: `/proc/1/root/` is no home.
    const places = [root, scratch, os.homedir() + path.sep].map(
      (place) => new RegExp(`(?<![\\w}/])${place.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`),
    )
    const telling = packed().filter((file) => {
      const text = fs.readFileSync(path.join(installed, file), 'utf8')
      return places.some((place) => place.test(text))
    })
    expect(telling).toEqual([])
  })

  it('has every file its manifest points to', () => {
    for (const file of [...Object.values(manifest.exports['.']), manifest.bin.clada]) {
      expect(fs.existsSync(path.join(installed, file)), file).toBe(true)
    }
  })

  it('carries out a document', () => {
    fill(project, {
      'use.mjs': `
        import fs from 'node:fs'
        import { actions, Clada } from 'clada'
        const file = process.cwd() + '/made.txt'
        const block = [
          '#!SHAM [@three-char-SHA-256: abc]',
          'action = "file_write"',
          'path = ' + JSON.stringify(file),
          'content = "hello"',
          '#!END_SHAM_abc',
          '#!SHAM [@three-char-SHA-256: abd]',
          'action = "grep"',
          'pattern = "hell"',
          'path = ' + JSON.stringify(file),
          '#!END_SHAM_abd',
        ]
        const { success, results } = await new Clada({ repoPath: process.cwd(), gitCommit: false }).execute(block.join('\\n'))
        console.log(JSON.stringify({ success, hits: results[1].data.length, text: fs.readFileSync(file, 'utf8'), some: actions.length > 0 }))
      `,
    })
    expect(JSON.parse(node(['use.mjs'], project))).toEqual({ success: true, hits: 1, text: 'hello', some: true })
  })

  it('names every package that the page is made of, with its licence', () => {
    const told = fs.readFileSync(path.join(installed, 'dist/ui/THIRD-PARTY.txt'), 'utf8')
    for (const name of ['preact', '@preact/signals', '@lezer/common', '@lezer/javascript', 'diff']) {
      expect(told).toMatch(new RegExp(`^${name} \\d+\\.\\d+`, 'm'))
    }
    expect(told.match(/Copyright/g)?.length).toBeGreaterThan(10)
  })

  it('has a command', () => {
    const cli = path.join(installed, manifest.bin.clada)
    expect(fs.readFileSync(cli, 'utf8').startsWith('#!/usr/bin/env node\n')).toBe(true)
    if (process.platform !== 'win32') expect(fs.statSync(cli).mode & 0o111).toBe(0o111)
    expect(node([cli, '--version'], project)).toContain(manifest.version)
    expect(node([cli, 'tools', '--format', 'json'], project)).toContain('"file_write"')
  })

  it('points editors to the schema that it holds', () => {
    const cli = path.join(installed, manifest.bin.clada)
    const told = (dir: string): string => {
      fs.mkdirSync(dir, { recursive: true })
      node([cli, 'init', '--root', dir], project)
      const [line = ''] = fs.readFileSync(path.join(dir, 'clada.yml'), 'utf8').split('\n')
      return /^# yaml-language-server: \$schema=(\S+)$/.exec(line)?.[1] ?? ''
    }
    const here = told(project)
    expect(here).toBe('./node_modules/clada/schema/clada.schema.json')
    expect(fs.existsSync(path.resolve(project, here))).toBe(true)
    // A path of this machine would be wrong on every other one.
    expect(told(path.join(scratch, 'elsewhere'))).toBe(
      `https://unpkg.com/clada@${manifest.version}/schema/clada.schema.json`,
    )
  })

  it('says which Nodes it needs on one that cannot require ES modules', () => {
    const cli = path.join(installed, manifest.bin.clada)
    const args = ['--no-experimental-require-module', cli, '--version']
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: project, encoding: 'utf8' })
    const told = `clada needs Node 20.19, 22.13 or newer; this is ${process.version}.\n`
    expect({ status, stdout, stderr }).toEqual({ status: 2, stdout: '', stderr: told })
  })

  it('can be required, with no warning', () => {
    fill(project, {
      'use.cjs': `
        const { Clada } = require('clada')
        new Clada({ repoPath: process.cwd(), gitCommit: false }).execute('').then(({ success }) => console.log(success))
      `,
    })
    const { stdout, stderr } = spawnSync(process.execPath, ['use.cjs'], { cwd: project, encoding: 'utf8' })
    expect({ stdout, stderr }).toEqual({ stdout: 'true\n', stderr: '' })
  })

  // Node 22 and newer keep it themselves, where they are told to and without a look at who can write there.
  it('keeps what V8 made of it where only the user can write, and of few builds', () => {
    const base = path.join(scratch, 'kept')
    const cache = path.join(base, 'clada/code')
    const start = (at = base): string => {
      const env = { ...process.env, XDG_STATE_HOME: at, CLADA_CODE_CACHE: '' }
      const args = [path.join(installed, 'dist/cli.cjs'), '--version']
      return execFileSync(process.execPath, args, { env, encoding: 'utf8', timeout: 60_000 })
    }
    start()
    const [name = ''] = fs.readdirSync(cache)
    const build = path.join(cache, name)
    expect(name).toMatch(/^v[\d.]+-\w+-[0-9A-Z]{8}$/)
    expect(fs.statSync(cache).mode & 0o777).toBe(0o700)
    expect(fs.readdirSync(build)).not.toEqual([])

    fs.rmSync(build, { recursive: true })
    for (const [at, old] of ['a', 'b', 'c', 'd'].entries()) {
      fs.mkdirSync(path.join(cache, old))
      fs.utimesSync(path.join(cache, old), at, at)
    }
    start()
    expect(fs.readdirSync(cache).sort()).toEqual(['c', 'd', name])

    fs.rmSync(build, { recursive: true })
    fs.chmodSync(cache, 0o777)
    start()
    expect(fs.readdirSync(cache).sort()).toEqual(['c', 'd'])

    // Below these nothing can be made; below the last, Node's own way of making directories never ends.
    for (const none of [path.join(scratch, 'project/package.json'), '/proc/none']) {
      expect(start(none)).toMatch(says('clada'))
    }
  })

  it('keeps it in a directory of its own where the user says, which no code of a reply can write', () => {
    const base = path.join(scratch, 'caches')
    for (const name of ['a', 'b', 'c', 'd', 'e']) fill(base, { [`${name}/file`]: name })
    const cli = path.join(installed, 'dist/cli.cjs')
    const start = (...args: string[]): string => {
      const env = { ...process.env, CLADA_CODE_CACHE: base }
      return spawnSync(process.execPath, [cli, ...args], { env, cwd: base, encoding: 'utf8', timeout: 60_000 }).stdout
    }
    start('--version')
    expect(fs.readdirSync(base)).toEqual(['a', 'b', 'c', 'clada-code', 'd', 'e'])
    const [build = ''] = fs.readdirSync(path.join(base, 'clada-code'))
    for (const at of ['', '/x', `/${build}/tools`])
      expect(start('do', 'file_write', `path=clada-code${at}`, 'content=x', '--no-git', '--json')).toContain(
        'path_denied',
      )
    expect(fs.readdirSync(path.join(base, 'clada-code', build)).sort()).toEqual(['do', 'run'])
  })

  it('serves MCP without installing an SDK, and ships its licence', () => {
    const clientInfo = { name: 'pack', version: '1' }
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }
    const requests = [
      { jsonrpc: '2.0', id: 1, method: 'initialize', params },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      {
        jsonrpc: '2.0',
        id: 2,
        method: 'tools/call',
        params: { name: 'glob', arguments: { pattern: '*.json', base_path: '.' } },
      },
    ]
    const answers = execFileSync(process.execPath, [path.join(installed, manifest.bin.clada), 'mcp'], {
      cwd: project,
      encoding: 'utf8',
      input: requests.map((request) => `${JSON.stringify(request)}\n`).join(''),
    })
    expect(answers).toContain(`"serverInfo":{"name":"clada","version":"${manifest.version}"}`)
    expect(answers).toContain('"data":["package.json"')
    const licences = fs.readFileSync(path.join(installed, 'dist/THIRD-PARTY.txt'), 'utf8')
    expect(licences).toMatch(/^picomatch [\d.]+\n\nThe MIT License/m)
    expect(licences).not.toMatch(/^(?:@modelcontextprotocol|zod)\b/m)
  })

  it('is not published while the public home, the changelog or the tag is missing', () => {
    const project = path.join(scratch, 'release')
    const git = (...args: string[]): string => execFileSync('git', args, { cwd: project, encoding: 'utf8' })
    const check = (files: Record<string, string>): { status: number | null; stderr: string } => {
      fill(project, files)
      const script = path.join(root, 'scripts/release-check.mjs')
      const { status, stderr } = spawnSync(process.execPath, [script, project], { encoding: 'utf8' })
      return { status, stderr }
    }
    fs.cpSync(inject('repository'), project, { recursive: true })
    fill(project, {
      'packages/clada/package.json': '{ "version": "1.2.0" }',
      'CHANGELOG.md': '## 1.2.0 (not released yet)\n',
    })
    git('add', '.')
    git('commit', '-qm', 'A release')
    const refused = check({})
    expect(refused.status).toBe(1)
    for (const missing of ['"repository"', '"homepage"', '"bugs"', 'CHANGELOG.md', 'tag v1.2.0']) {
      expect(refused.stderr).toContain(missing)
    }
    const home = 'https://www.npmjs.com/package/clada'
    const manifest = {
      version: '1.2.0',
      repository: { url: `git+${home}.git` },
      homepage: `${home}/`,
      bugs: `${home}/bugs`,
    }
    fill(project, {
      'packages/clada/package.json': JSON.stringify(manifest),
      'CHANGELOG.md': '## 1.2.0 (2026-01-02)\n',
    })
    git('commit', '-qam', 'A home')
    git('tag', 'v1.2.0')
    expect(check({})).toEqual({ status: 0, stderr: '' })
    const invented = { ...manifest, homepage: 'https://example.com/clada' }
    expect(check({ 'packages/clada/package.json': JSON.stringify(invented) }).stderr).toContain('"homepage"')
    const owned = { ...manifest, name: 'clada', repository: { url: 'git+https://github.com/someone/clada.git' } }
    const misnamed = { ...owned, mcpName: 'io.github.other/clada' }
    expect(check({ 'packages/clada/package.json': JSON.stringify(misnamed) }).stderr).toContain(
      'wants io.github.someone/clada',
    )
  })

  it('has types that a strict project can use', () => {
    fill(project, {
      'tsconfig.json': JSON.stringify({
        compilerOptions: {
          module: 'NodeNext',
          target: 'ES2022',
          strict: true,
          exactOptionalPropertyTypes: true,
          noUncheckedIndexedAccess: true,
          noEmit: true,
          types: [],
        },
        files: ['use.ts', 'uses.ts'],
      }),
      'uses.ts': fs
        .readFileSync(path.join(root, 'test/library/uses.ts'), 'utf8')
        .replace('../../packages/clada/src/index.ts', 'clada'),
      'use.ts': `
        import { Clada, createClada, parseSham, validateAction, actions, SettingsError } from 'clada'
        import type { ActionResult, ActionSpec, CladaOptions, ExecutionResult } from 'clada'
        const options: CladaOptions = { repoPath: '.', gitCommit: false, allowedRoots: ['/tmp'] }
        const result: ExecutionResult = await new Clada(options).execute('', { onAction: (one: ActionResult) => one.seq })
        const names: string[] = actions.map((spec: ActionSpec) => spec.name)
        const code: string | undefined = result.results[0]?.code
        // @ts-expect-error Types are there, not any.
        const wrong: number = result.success
        export { names, code, wrong, createClada, parseSham, validateAction, SettingsError }
      `,
    })
    expect(typeCheck()).toBe('')
  })
})

describe('the example programs of the library', () => {
  const writing = (file: string, content: string): string =>
    ['#!SHAM [@three-char-SHA-256: abc]', 'action = "file_write"', `path = ${JSON.stringify(file)}`]
      .concat(`content = ${JSON.stringify(content)}`, '#!END_SHAM_abc', '')
      .join('\n')
  const example = (name: string): string => path.join(project, 'library', name)

  beforeAll(() => fs.cpSync(path.join(root, 'examples/library'), path.join(project, 'library'), { recursive: true }))

  it('include an agent that works until the model is done', async () => {
    const dir = scratchDir({ 'a.js': 'let a\n' })
    const replies = [`I write it.\n\n${writing(`${dir}/b.js`, 'let b\n')}`, 'It is done.']
    const asked: string[] = []
    const model = http.createServer((request, response) => {
      void text(request).then((body) => {
        asked.push(body)
        response.end(JSON.stringify({ choices: [{ message: { content: replies[asked.length - 1] } }] }))
      })
    })
    await once(model.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => void model.close())
    const address = model.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const env = { ...process.env, MODEL_URL: `http://127.0.0.1:${port}/v1/chat/completions` }
    const { stdout } = await promisify(execFile)(process.execPath, [example('agent.mjs'), dir, 'Add b'], { env })
    expect(fs.readFileSync(path.join(dir, 'b.js'), 'utf8')).toBe('let b\n')
    expect(asked).toHaveLength(2)
    expect(asked[0]).toContain('Add b')
    expect(asked[1]).toContain('CLADA RESULTS')
    expect(stdout).toMatch(/\d+ tokens sent, \d+ received/)
  })

  it('include a backend whose visitors review, apply and undo', async () => {
    const dir = scratchDir({ 'a.js': 'let a\n' })
    const server = spawn(process.execPath, [example('backend.mjs'), dir], { stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => void server.kill())
    const [line] = await once(server.stdout, 'data')
    const post = async (place: string, body: unknown = {}): Promise<Record<string, unknown>> => {
      const answer = await fetch(String(line).trim() + place, { method: 'POST', body: JSON.stringify(body) })
      return JSON.parse(await answer.text())
    }
    const { id, prompt } = await post('/sessions')
    expect(prompt).toContain('file_write')
    const reply = writing(`${dir}/a.js`, 'let b\n')
    const { blocks } = await post(`/sessions/${id}/review`, { reply })
    expect(blocks).toMatchObject([{ task: '1', files: [{ path: 'a.js', after: 'let b\n' }] }])
    expect(fs.readFileSync(path.join(dir, 'a.js'), 'utf8')).toBe('let a\n')
    expect(await post(`/sessions/${id}/apply`, { reply })).toMatchObject({ success: true })
    expect(fs.readFileSync(path.join(dir, 'a.js'), 'utf8')).toBe('let b\n')
    expect(await post(`/sessions/${id}/undo`)).toMatchObject({ success: true })
    expect(fs.readFileSync(path.join(dir, 'a.js'), 'utf8')).toBe('let a\n')
    expect(await post('/sessions/other/undo')).toEqual({ error: 'no such session' })
  })

  it('include a test runner whose action does what its examples say', () => {
    expect(node([example('test-runner.mjs'), '--check-examples'], project)).toBe('The examples are right.\n')
    const dir = scratchDir({ 'a.test.mjs': "import test from 'node:test'\ntest('holds', () => {})\n" })
    const input = ['#!SHAM [@three-char-SHA-256: abc]', 'action = "run_tests"', '#!END_SHAM_abc', ''].join('\n')
    const report = execFileSync(process.execPath, [example('test-runner.mjs'), dir], { input, encoding: 'utf8' })
    expect(report).toContain('1 passed, 0 failed')
  })
})

function typeCheck(): string {
  try {
    return node([path.join(root, 'node_modules/typescript/bin/tsc'), '-p', '.'], project)
  } catch (error) {
    return error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error)
  }
}
