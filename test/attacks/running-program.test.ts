import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { makeBounds } from '../../packages/clada/src/commands/bounds.ts'
import type { WriterKind } from '../../packages/clada/src/core/effects.ts'
import { makePathJudge, pathPolicyOf, undoPolicyOf } from '../../packages/clada/src/policy/paths.ts'
import { installClada } from '../support/installed-clada.ts'
import { needs } from '../support/needs.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'
import { settingsFor } from '../support/settings.ts'
import { block } from '../workspace/blocks.ts'

interface Installed {
  readonly root: string
  /** Applies a reply with the clada of the project, started by its link. */
  run(...blocks: string[]): string
  /** The same where another file system is in the project, so that programs work on no layers. */
  runBeside(...blocks: string[]): string
  /** What planted code wrote outside the project. */
  planted(): Record<string, string>
}

/** A project in which clada is a dependency, with one package that it needs and without the optional ones. */
function installed(more: Readonly<Record<string, string>> = {}): Installed {
  const root = scratchDir({ 'a.txt': 'one\n', 'node_modules/other/index.js': 'other\n', 'package.json': '{}\n' })
  const outside = scratchDir()
  const link = installClada(root, inject('dist'))
  const started = (before: readonly string[], blocks: readonly string[]): string => {
    const [program = '', ...args] = [...before, process.execPath, link, '--no-git']
    const options = { cwd: root, input: blocks.join('\n'), encoding: 'utf8' } as const
    const env = { ...process.env, PLANTED: outside, CLADA_CODE_CACHE: 'off', ...more }
    const { stdout, stderr } = spawnSync(program, args, { ...options, env })
    return stdout + stderr
  }
  return {
    root,
    run: (...blocks) => started([], blocks),
    runBeside: (...blocks) => {
      fs.mkdirSync(path.join(root, 'data'))
      return started(['unshare', '-m', 'sh', '-c', 'mount -t tmpfs none data && exec "$@"', 'sh'], blocks)
    },
    planted: () => filesIn(outside),
  }
}

/** Code that runs where it is loaded, and goes on with what was there. */
const plant = (name: string) => `require('node:fs').writeFileSync(process.env.PLANTED + '/${name}', 'ran');`

const look = block('grep', { pattern: 'one', path: '.' })

describe.skipIf(process.platform === 'win32')('a clada that is installed in the project', () => {
  needs('sandbox')

  it('loads nothing that code of the same reply wrote', () => {
    const { root, run, planted } = installed()
    const before = filesIn(path.join(root, 'node_modules'))
    const code = `const fs = require('node:fs')
for (const file of fs.readdirSync('node_modules/clada/dist/cli'))
  fs.writeFileSync('node_modules/clada/dist/cli/' + file, ${JSON.stringify(plant('chunk'))})
fs.writeFileSync('node_modules/@vscode/ripgrep/index.js', ${JSON.stringify(plant('package'))})
fs.mkdirSync('node_modules/fs-native-extensions')
fs.writeFileSync('node_modules/fs-native-extensions/index.js', ${JSON.stringify(plant('missing'))})
fs.mkdirSync('node_modules/clada/node_modules/fs-native-extensions', { recursive: true })
fs.writeFileSync('node_modules/clada/node_modules/fs-native-extensions/index.js', ${JSON.stringify(plant('nearer'))})
fs.rmSync('node_modules/.bin/clada.cjs')
fs.writeFileSync('node_modules/.bin/clada.cjs', ${JSON.stringify(plant('started'))})
fs.writeFileSync('node_modules/other/index.js', 'changed\\n')`
    const report = run(block('exec', { lang: 'javascript', code }), look, block('list_structures', { path: 'a.txt' }))
    expect(report).toContain('it is part of the clada that is running')
    expect(run(block('file_write', { path: 'a.txt', content: 'two\n' }), look)).toContain('file_write a.txt')
    expect(planted()).toEqual({})
    expect(filesIn(path.join(root, 'node_modules'))).toEqual({ ...before, 'other/index.js': 'changed\n' })
  })

  it.each([
    ['a file of it', { path: 'node_modules/clada/dist/cli.cjs' }],
    ['its manifest', { path: 'node_modules/clada/package.json' }],
    ['a package that it needs', { path: 'node_modules/@vscode/ripgrep/index.js' }],
    ['a package that it would load if it were there', { path: 'node_modules/fs-native-extensions/index.js' }],
    ['one that would come before', { path: 'node_modules/clada/node_modules/@vscode/ripgrep/index.js' }],
    ['the link that starts it', { path: 'node_modules/.bin/clada.cjs' }],
  ])('lets no document write %s', (_, { path: name }) => {
    const { run, root } = installed()
    const before = filesIn(root)
    expect(run(block('file_write', { path: name, content: plant('written') }))).toMatch(/❌ file_write/)
    expect(filesIn(root)).toEqual(before)
  })

  it.each([
    'mv node_modules packages',
    'mv node_modules/clada packages',
    'rm -rf node_modules/clada',
    'rm node_modules/.bin/clada.cjs',
    'cp a.txt node_modules/clada/dist/cli.cjs',
  ])('is not moved or deleted by %s', (command) => {
    const { run, root } = installed()
    const before = filesIn(root)
    expect(run(block('run', { command }))).toMatch(/❌ run/)
    expect(filesIn(root)).toEqual(before)
  })

  it('loads no package from where Node looks besides, and no code that Node kept', () => {
    const { root, run, planted } = installed({ NODE_PATH: 'src', NODE_COMPILE_CACHE: '.cache' })
    const name = 'oxc-parser/src-js/bindings.js'
    expect(run(block('file_write', { path: `src/${name}`, content: plant('parser') }))).toContain('✅ file_write')
    const edited = run(
      block('file_write', { path: 'a.ts', content: 'export const a = 1\n' }),
      block('file_replace_text', { path: 'a.ts', old_text: '1', new_text: '(1' }),
      block('file_write', { path: '.cache/v22/0123abcd', content: 'compiled' }),
      block('exec', { lang: 'bash', code: 'mkdir -p .cache; echo > .cache/compiled' }),
    )
    expect(edited).toContain('✅ file_replace_text')
    expect(edited).toContain('❌ file_write')
    expect(planted()).toEqual({})
    // Newer Nodes make the directory themselves.
    const kept = ['.cache/v22/0123abcd', '.cache/compiled'].filter((file) => fs.existsSync(path.join(root, file)))
    expect(kept).toEqual([])
  })

  it('lets no reply write what Node loads before it', () => {
    const { root, run, planted } = installed({ NODE_OPTIONS: '--require ./pre.cjs --require="./a b.cjs" -r ./c.cjs' })
    const names = ['pre.cjs', 'a b.cjs', 'c.cjs']
    for (const name of names) fs.writeFileSync(path.join(root, name), '')
    for (const name of names)
      expect(run(block('file_write', { path: name, content: plant(name) }))).toContain('it is part of the clada')
    run(block('exec', { lang: 'bash', code: 'echo "throw 1" | tee pre.cjs "a b.cjs" > c.cjs' }))
    expect(run(look)).toContain('✅ grep')
    expect(planted()).toEqual({})
  })

  it('stays where code moves the directory above it', () => {
    const { run, root, planted } = installed()
    const before = filesIn(path.join(root, 'node_modules'))
    const moving =
      'mv node_modules packages; mkdir -p node_modules/clada/dist; echo x > node_modules/clada/dist/cli.cjs'
    run(block('exec', { lang: 'bash', code: moving }), look)
    expect(filesIn(path.join(root, 'node_modules'))).toMatchObject({
      'clada/dist/cli.cjs': before['clada/dist/cli.cjs'],
      '@vscode/ripgrep/index.js': before['@vscode/ripgrep/index.js'],
    })
    expect(planted()).toEqual({})
  })

  it.skipIf(process.getuid?.() !== 0)('loads nothing that appeared where programs work on no layers', () => {
    const { root, runBeside, planted } = installed()
    const before = filesIn(path.join(root, 'node_modules'))
    const code = `for dir in node_modules node_modules/clada/node_modules; do
  mkdir -p $dir/fs-native-extensions && echo '${plant('missing').replaceAll("'", '"')}' > $dir/fs-native-extensions/index.js
done; echo changed > node_modules/other/index.js`
    const report = runBeside(block('exec', { lang: 'bash', code }), look)
    expect(report).toContain('node_modules/other/index.js')
    expect(planted()).toEqual({})
    expect(filesIn(path.join(root, 'node_modules'))).toEqual({ ...before, 'other/index.js': 'changed\n' })
    expect(fs.readdirSync(path.join(root, 'node_modules'))).not.toContain('fs-native-extensions')
  })

  it('leaves the rest of the packages to replies', () => {
    const { run, root } = installed()
    const report = run(
      block('file_write', { path: 'node_modules/other/index.js', content: 'changed\n' }),
      block('file_read', { path: 'node_modules/clada/package.json' }),
      block('exec', { lang: 'bash', code: 'mkdir node_modules/.cache; echo x > node_modules/.cache/y' }),
    )
    expect(report).not.toContain('❌')
    expect(filesIn(path.join(root, 'node_modules'))).toMatchObject({ 'other/index.js': 'changed\n', '.cache/y': 'x\n' })
  })
})

describe('the program of clada itself', () => {
  const root = path.resolve('/proj')
  const own = path.join(root, 'node_modules/clada')
  const settings = { ...settingsFor(root), runningProgram: [own] }
  const policy = pathPolicyOf(settings)
  const file = path.join(own, 'dist/cli.cjs')

  it.each([
    ['code', 'deny'],
    ['plain', 'deny'],
    // An install that the user approved with the network may bring another version.
    ['wide', 'allow'],
  ] as const)('is changed by %s: %s', (by, verdict) => {
    expect(makePathJudge(policy).written(file, by).verdict).toBe(verdict)
  })

  it('may not appear where it is missing', () => {
    const found = scratchDir({ 'node_modules/@a/b': '' })
    const missing = ['@a/node_modules/c', '@a/b', 'c', 'link/c'].map((name) => path.join(found, 'node_modules', name))
    fs.symlinkSync('@a', path.join(found, 'node_modules/link'))
    const what = { file: 'x', caches: 'none', network: false, memoryBytes: 1 } as const
    const settings = { ...settingsFor(found), runningProgram: missing }
    const absent = (by: WriterKind) =>
      makeBounds({ ...what, by }, { blocked: [], repositories: [], doors: [] }, { settings }).absent
    const places = ['node_modules/@a/node_modules', 'node_modules/c']
    expect(absent('code')).toEqual(expect.arrayContaining(places))
    expect(absent('wide')).not.toEqual(expect.arrayContaining(places))
    expect(absent('code').filter((name) => name.startsWith('node_modules'))).toEqual(places)
  })

  it('is read by all, and put back by an undo', () => {
    expect(makePathJudge(policy).path('x', file, 'read').verdict).toBe('allow')
    expect(makePathJudge(policy).blocking(file)).toBe('never')
    expect(makePathJudge(undoPolicyOf(settings)).path('x', file, 'write').verdict).toBe('allow')
  })
})
