import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { expect, inject, it } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import { commands } from '../packages/clada/src/cli/commands/list.ts'
import { lacks } from './support/needs.ts'
import { fill, scratchDir } from './support/scratch.ts'
import { cladaCommand } from './support/cli.ts'

/** Every command of the README and of the walk-throughs, run once, in their order. */
const root = path.join(import.meta.dirname, '..')
const ways = fs.readdirSync(path.join(root, 'docs/ways')).map((name) => `docs/ways/${name}`)
const read = (page: string): string => fs.readFileSync(path.join(root, page), 'utf8')

const linesOf = (page: string): string[] =>
  [...read(page).matchAll(/^( *)```sh\n([^]*?)^\1```$/gm)]
    .flatMap(([, , lines = '']) => lines.split('\n'))
    .map((line) => line.replace(/ +# .*$/, '').trim())
    .filter((line) => line !== '')

it.skipIf(process.platform === 'win32')('are commands that work', async () => {
  const lines = new Set(['README.md', ...ways].flatMap(linesOf).filter((line) => !line.startsWith('npm ')))
  expect(lines.size).toBeGreaterThan(20)
  const { project, env } = prepare()
  const failed: string[] = []
  for (const line of lines) {
    const { code, output } = await run(line, project, env)
    // Without a sandbox the machine is not in order, and clada doctor says so.
    const expected = line === 'clada doctor' && lacks('sandbox') ? 1 : 0
    if (code !== expected) failed.push(`${line}: ${code}\n${output}`)
  }
  expect(failed).toEqual([])
})

it('gives the examples of clada help', async () => {
  const loaded = await Promise.all(Object.values(commands).map((load) => load()))
  const examples = loaded.flatMap(({ command }) => command.examples.map(([line]) => line))
  const lines = ['README.md', ...ways].flatMap(linesOf).filter((line) => !line.startsWith('npm '))
  expect(lines.filter((line) => !examples.includes(line))).toEqual([])
})

it('begins with two commands that package.json has', () => {
  const lines = linesOf('README.md').filter((line) => line.startsWith('npm '))
  expect(lines).toEqual(['npm run demo', 'npm test'])
  expect(Object.keys(manifest.scripts)).toEqual(expect.arrayContaining(['demo', 'test']))
})

it('links only to what is there', () => {
  const pages = ['README.md', 'docs/README.md', 'docs/platforms.md', ...ways]
  const broken = pages.flatMap((page) =>
    [...read(page).matchAll(/\]\(([^)#]+)[^)]*\)/g)]
      .map(([, to = '']) => path.join(root, path.dirname(page), to))
      .filter((file) => !fs.existsSync(file))
      .map((file) => `${page}: ${path.relative(root, file)}`),
  )
  expect(broken).toEqual([])
})

it('has only files that Windows can check out', () => {
  const files = spawnSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).stdout.split('\0')
  expect(files.filter((file) => /[:*?"<>|\\]|[. ](?:\/|$)|(?:^|\/)(?:con|nul|aux|prn)(?:\.|\/|$)/i.test(file))).toEqual(
    [],
  )
})

/** A project with a reply, and programs with the names that the docs use. */
function prepare(): { project: string; env: NodeJS.ProcessEnv } {
  const dir = scratchDir()
  const project = path.join(dir, 'project')
  fs.cpSync(inject('repository'), project, { recursive: true })
  fill(project, {
    'package.json': JSON.stringify({ scripts: { test: `node -e "fs.statSync('made.txt')"` } }),
    'README.md': '# Cart\n',
    'src/cart.ts': 'export function total(prices: number[]): number {\n  return prices.length\n}\n',
    'reply.md': [
      '#!SHAM [@three-char-SHA-256: abc]',
      'action = "file_append"',
      `path = "${project}/src/cart.ts"`,
      'content = "// One more line\\n"',
      '#!END_SHAM_abc',
      '',
    ].join('\n'),
  })
  const programs = {
    clada: `exec ${cladaCommand()
      .map((word) => `'${word}'`)
      .join(' ')} "$@"`,
    ollama: `cat > /dev/null; printf '%s\\n' '#!SHAM [@three-char-SHA-256: abd]' 'action = "file_write"' 'path = "${project}/made.txt"' 'content = "x"' '#!END_SHAM_abd'`,
  }
  for (const [name, code] of Object.entries(programs)) {
    fill(dir, { [`bin/${name}`]: `#!/bin/sh\n${code}\n` })
    fs.chmodSync(path.join(dir, 'bin', name), 0o755)
  }
  const { DISPLAY: _, WAYLAND_DISPLAY: __, ...rest } = process.env
  const PATH = `${path.join(dir, 'bin')}:${process.env['PATH'] ?? ''}`
  return { project, env: { ...rest, PATH, NO_COLOR: '1', XDG_STATE_HOME: path.join(dir, 'state') } }
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
      if (stopped || !ready || !/^clada (?:watch|ui)$/.test(line)) return
      stopped = true
      child.kill('SIGTERM')
    }
    child.stdout.on('data', onData)
    child.stderr.on('data', onData)
    child.on('close', (code) => done({ code: stopped ? 0 : code, output }))
  })
}
