import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { expect, inject, it } from 'vitest'
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

const linesOf = (page: string): string[] =>
  [...read(page).matchAll(/^( *)```sh\n([^]*?)^\1```$/gm)]
    .flatMap(([, , lines = '']) => lines.split('\n'))
    .map((line) => line.replace(/ +# .*$/, '').trim())
    .filter((line) => line !== '' && !line.startsWith('npm '))

it.skipIf(process.platform === 'win32').for(['README.md', ...ways, ...recipes])(
  '%s has commands that work',
  async (page) => {
    const { project, env } = prepare()
    const failed: string[] = []
    // What the page takes for granted: that replies were applied.
    const before =
      page === 'docs/recipes/undo.md' ? ['clada reply.md', 'clada reply.md --again', 'clada reply.md --again'] : []
    for (const line of [...before, ...linesOf(page)]) {
      const { code, output } = await run(line, project, env)
      // Without a sandbox the machine is not in order, and clada doctor says so.
      const expected = line === 'clada doctor' && lacks('sandbox') ? 1 : 0
      if (code !== expected) failed.push(`${line}: ${code}\n${output}`)
    }
    expect(failed).toEqual([])
  },
)

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
