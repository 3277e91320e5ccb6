import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import http from 'node:http'
import { type AddressInfo } from 'node:net'
import path from 'node:path'
import { expect, inject, it, onTestFinished } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import { commands } from '../packages/clada/src/cli/commands/list.ts'
import { lacks } from './support/needs.ts'
import { fill, scratchDir } from './support/scratch.ts'
import { cladaCommand } from './support/cli.ts'

/** Every command of the README, of the walk-throughs and of the recipes, page by page, in their order. */
const root = path.join(import.meta.dirname, '..')
const pagesIn = (dir: string): string[] => fs.readdirSync(path.join(root, dir)).map((name) => `${dir}/${name}`)
const ways = pagesIn('docs/ways')
const recipes = pagesIn('docs/recipes')
const read = (page: string): string => fs.readFileSync(path.join(root, page), 'utf8')

const withoutComment = (line: string): string => line.replace(/ +# .*$/, '').trim()

const linesOf = (page: string): string[] =>
  [...read(page).matchAll(/^( *)```sh\n([^]*?)^\1```$/gm)]
    .flatMap(([, , lines = '']) => lines.split('\n'))
    .map(withoutComment)
    .filter((line) => line !== '' && !line.startsWith('npm '))

/** The calls of clada in the text, the tables and the indented lines of a page. */
function callsInText(page: string): string[] {
  const text = read(page).replace(/^( *)(```|~~~)[^]*?^\1\2$/gm, '')
  const spans = [...text.matchAll(/`(clada [^`\n]+)`/g)].map(([, span = '']) => span)
  const indented = [...text.matchAll(/^ {4}(clada .*)$/gm)].map(([, line = '']) => withoutComment(line))
  return [...new Set([...spans, ...indented])]
}

it.skipIf(process.platform === 'win32').for(['README.md', ...ways, ...recipes])(
  '%s has commands that work',
  async (page) => {
    const { project, env } = prepare()
    const before = page === 'docs/recipes/undo.md' ? ['clada one.md', 'clada two.md', 'clada three.md'] : []
    const failed: string[] = []
    for (const line of [...before, ...linesOf(page)]) failed.push(...(await problemsOf(line, project, env)))
    expect(failed).toEqual([])
  },
)

it.skipIf(process.platform === 'win32')('every command in the text of the guides works by itself', async () => {
  const { dir, project, env } = prepare()
  // What the guides take for granted: executions, the last of which is undone, and a loop.
  const model = await serveModel()
  const loop = 'clada loop "make the tests pass" --until "npm test" -- ollama run qwen3-coder'
  const before = ['clada watch', 'clada one.md', loop, 'clada two.md', 'clada three.md', 'clada undo']
  const failed: string[] = []
  for (const line of before) failed.push(...(await problemsOf(line, project, env)))
  const kept = scratchDir()
  copyState(dir, kept)

  const guides = ['docs/tutorial.md', 'docs/troubleshooting.md', 'docs/faq.md', ...recipes]
  const lines = guides.flatMap((page) => callsInText(page).map((line) => ({ page, line })))
  expect(lines.length).toBeGreaterThan(30)
  for (const { page, line } of lines) {
    copyState(kept, dir)
    // The ports of the examples may be taken on this machine.
    const here = line.replace('http://127.0.0.1:8080', model).replace('--port 7700', '--port 0')
    failed.push(...(await problemsOf(here, project, env)).map((problem) => `${page}: ${problem}`))
  }
  expect(failed).toEqual([])
})

it('gives the examples of clada help', async () => {
  const loaded = await Promise.all(Object.values(commands).map((load) => load()))
  const examples = loaded.flatMap(({ command }) => command.examples.map(([line]) => line))
  const lines = ['README.md', ...ways].flatMap(linesOf)
  expect(lines.length).toBeGreaterThan(20)
  expect(lines.filter((line) => !examples.includes(line))).toEqual([])
})

it('has the two commands for a clone in a block of their own', () => {
  const [, fence = ''] = /^```sh\n(npm [^]*?)^```$/m.exec(read('README.md')) ?? []
  const lines = fence.split('\n').map((line) => line.replace(/ +# .*$/, '').trim())
  expect(lines.filter((line) => line !== '')).toEqual(['npm run demo', 'npm test'])
  expect(Object.keys(manifest.scripts)).toEqual(expect.arrayContaining(['demo', 'test']))
})

it('installs the package that has the command', () => {
  const [, linked = ''] = /`npm install && npm run build && npm link -w ([\w-]+)`/.exec(read('README.md')) ?? []
  const packages = fs.readdirSync(path.join(root, 'packages')).map((name) => `packages/${name}/package.json`)
  const found = packages.map((file) => JSON.parse(read(file))).find(({ name }) => name === linked)
  expect(found?.bin).toHaveProperty('clada')
})

it('has only files that Windows can check out', () => {
  const files = spawnSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).stdout.split('\0')
  expect(files.filter((file) => /[:*?"<>|\\]|[. ](?:\/|$)|(?:^|\/)(?:con|nul|aux|prn)(?:\.|\/|$)/i.test(file))).toEqual(
    [],
  )
})

/** The project and what clada keeps about it, without the layers of programs, which are made anew. */
function copyState(from: string, to: string): void {
  for (const name of ['project', 'state']) {
    fs.rmSync(path.join(to, name), { recursive: true, force: true })
    const filter = (file: string): boolean => path.basename(file) !== 'layers'
    fs.cpSync(path.join(from, name), path.join(to, name), { recursive: true, preserveTimestamps: true, filter })
  }
}

/** What a line prints if it fails. */
async function problemsOf(line: string, project: string, env: NodeJS.ProcessEnv): Promise<string[]> {
  const { code, output } = await run(line, project, env)
  // Without a sandbox the machine is not in order, and clada doctor says so.
  const expected = line === 'clada doctor' && lacks('sandbox') ? 1 : 0
  return code === expected ? [] : [`${line}: ${code}\n${output}`]
}

/** A server with a model, whose reply makes the tests pass. */
async function serveModel(): Promise<string> {
  const content = blockFor('file_write', 'made.txt', 'x')
  const server = http.createServer((_, response) =>
    response.end(JSON.stringify({ choices: [{ message: { content }, finish_reason: 'stop' }] })),
  )
  onTestFinished(() => void server.close())
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const blockFor = (action: string, file: string, content: string): string =>
  [
    '#!SHAM [@three-char-SHA-256: abd]',
    `action = "${action}"`,
    `path = "${file}"`,
    `content = "${content}"`,
    '#!END_SHAM_abd',
    '',
  ].join('\n')

/** A project with replies, and programs with the names that the docs use. */
function prepare(): { dir: string; project: string; env: NodeJS.ProcessEnv } {
  const dir = scratchDir()
  const project = path.join(dir, 'project')
  fs.cpSync(inject('repository'), project, { recursive: true })
  fill(project, {
    'package.json': JSON.stringify({ scripts: { test: `node -e "fs.statSync('made.txt')"` } }),
    'README.md': '# Cart\n',
    'src/cart.ts': 'export function total(prices: number[]): number {\n  return prices.length\n}\n',
    'reply.md': blockFor('file_append', 'src/cart.ts', '// One more line\\n'),
    'one.md': blockFor('file_write', 'one.txt', '1'),
    'two.md': blockFor('file_write', 'two.txt', '2'),
    'three.md': blockFor('file_write', 'three.txt', '3'),
  })
  const programs = {
    clada: `exec ${cladaCommand()
      .map((word) => `'${word}'`)
      .join(' ')} "$@"`,
    ollama: `cat > /dev/null; printf '%s' '${blockFor('file_write', 'made.txt', 'x')}'`,
    'wl-copy': 'cat > /dev/null',
    'wl-paste': 'true',
  }
  for (const [name, code] of Object.entries(programs)) {
    fill(dir, { [`bin/${name}`]: `#!/bin/sh\n${code}\n` })
    fs.chmodSync(path.join(dir, 'bin', name), 0o755)
  }
  const PATH = `${path.join(dir, 'bin')}:${process.env['PATH'] ?? ''}`
  const state = { XDG_STATE_HOME: path.join(dir, 'state'), WAYLAND_DISPLAY: 'wayland-0' }
  return { dir, project, env: { ...process.env, PATH, NO_COLOR: '1', ...state } }
}

/** The servers run until they say that they are ready. */
function run(line: string, cwd: string, env: NodeJS.ProcessEnv): Promise<{ code: number | null; output: string }> {
  return new Promise((done) => {
    const child = spawn('sh', ['-c', `exec ${line}`], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    let stopped = false
    const onData = (chunk: Buffer): void => {
      output += chunk.toString()
      const ready = /^Watching |http:\/\/127\.0\.0\.1:\d+/m.test(output)
      if (stopped || !ready || !/^clada (?:watch|ui)\b/.test(line)) return
      stopped = true
      child.kill('SIGTERM')
    }
    child.stdout.on('data', onData)
    child.stderr.on('data', onData)
    child.on('close', (code) => done({ code: stopped ? 0 : code, output }))
  })
}
