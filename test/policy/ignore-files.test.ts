import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { Clada } from '../../packages/clada/src/api/clada.ts'
import type { CladaOptions } from '../../packages/clada/src/config/settings.ts'
import { ignoreFileNames } from '../../packages/clada/src/core/reserved-names.ts'
import { connected } from '../mcp/client.ts'
import { clada as run } from '../support/cli.ts'
import { skipWithout } from '../support/needs.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'

const secret = 'the-hidden-words'
const files = {
  '.aiignore': '# what models may not read\nsecret.txt\n/only-top/\nnotes/**/draft?.md\nlogs/\n!keep.log\nRAW*\n',
  'secret.txt': secret,
  'a.txt': 'open\n',
  'deep/er/secret.txt': secret,
  'only-top/x.txt': secret,
  'sub/only-top/x.txt': 'open\n',
  'notes/2026/may/draft1.md': secret,
  'notes/2026/may/final.md': 'open\n',
  'logs/keep.log': secret,
  'raw.bin': secret,
}
const kept = Object.entries(files).flatMap(([name, text]) => (text === secret ? [name] : []))
const open = Object.keys(files).filter((name) => !kept.includes(name))

const inProject = (more: CladaOptions = {}, given: Readonly<Record<string, string>> = files) => {
  const root = scratchDir(given)
  const clada = new Clada({ repoPath: root, git: 'off', ...more })
  const read = async (file: string) => (await clada.call('file_read', { path: file })).results[0]
  return { root, clada, read }
}

describe('an ignore file for agents', () => {
  it('keeps what it names from being read and written', async () => {
    const { root, clada, read } = inProject()
    for (const name of kept) {
      expect([name, await read(name)]).toMatchObject([name, { code: 'path_denied' }])
      const write = await clada.call('file_write', { path: name, content: 'x' })
      expect([name, write.results[0]?.code]).toEqual([name, 'path_denied'])
    }
    for (const name of open) expect([name, (await read(name))?.success]).toEqual([name, true])
    expect((await read('secret.txt'))?.error).toContain('.aiignore of the project leaves it out')
    expect(filesIn(root)).toMatchObject(files)
  })

  it.each(ignoreFileNames)('may be called %s', async (name) => {
    const { read } = inProject({}, { [name]: 'a.txt\n', 'a.txt': secret, 'b.txt': 'open' })
    expect((await read('a.txt'))?.code).toBe('path_denied')
    expect((await read('b.txt'))?.success).toBe(true)
  })

  it('can leave out everything but a part', async () => {
    const { read } = inProject(
      {},
      { '.agentsignore': '*\n!src/\n!src/**\nsrc/x.js', 'a.js': 'a', 'src/a/b.js': 'b', 'src/x.js': 'x' },
    )
    expect((await read('a.js'))?.code).toBe('path_denied')
    expect((await read('src/a/b.js'))?.success).toBe(true)
    expect((await read('src/x.js'))?.code).toBe('path_denied')
  })

  it('allows nothing that is blocked without it, nor what another one leaves out', async () => {
    const { read } = inProject(
      { deniedPatterns: ['.env*', 'private/x'] },
      {
        '.aiignore': '!.env\n!private/x\n!a.txt\n',
        '.cursorignore': 'a.txt',
        '.env': 'K=1',
        'private/x': 'x',
        'a.txt': 'a',
      },
    )
    for (const name of ['.env', 'private/x', 'a.txt'])
      expect([name, (await read(name))?.code]).toEqual([name, 'path_denied'])
  })

  it('is changed by nobody but the user', async () => {
    const { root, clada } = inProject({ exec: 'off' })
    for (const call of [
      clada.call('file_write', { path: '.aiignore', content: '' }),
      clada.call('file_delete', { path: '.aiignore' }),
      clada.call('file_move', { old_path: '.aiignore', new_path: 'a' }),
      clada.call('file_move', { old_path: 'a.txt', new_path: '.AIIgnore' }),
      clada.call('run', { command: 'rm .aiignore' }),
    ])
      expect((await call).results[0]?.code).toBe('path_denied')
    expect(filesIn(root)).toMatchObject(files)
  })

  it('holds for every way to look around', async () => {
    const { root, clada } = inProject()
    execFileSync('git', ['init', '-q'], { cwd: root })
    execFileSync('git', ['add', '-A'], { cwd: root })
    execFileSync('git', ['-c', 'user.name=u', '-c', 'user.email=u@x', 'commit', '-qm', 'c'], { cwd: root })
    const calls: [string, Record<string, string>][] = [
      ['grep', { pattern: 'hidden', path: '.' }],
      ['files_read', { paths: kept.join('\n') }],
      ['project_map', {}],
      ['file_move', { old_path: 'deep', new_path: 'elsewhere' }],
      ['file_move', { old_path: 'logs', new_path: 'elsewhere' }],
      ...[
        'grep -r hidden .',
        'rg hidden',
        'cat secret.txt',
        'cat notes/2026/may/draft1.md',
        'head logs/keep.log',
        'diff a.txt raw.bin',
        'diff -r deep sub',
        'git show HEAD',
        'git log -p',
        'git diff HEAD',
        'cp -r notes elsewhere',
      ].map((command): [string, Record<string, string>] => ['run', { command }]),
    ]
    for (const [action, params] of calls) {
      const result = await clada.perform(action, params)
      expect([action, params, JSON.stringify(result).includes(secret)]).toEqual([action, params, false])
    }
    const found = await clada.perform('grep', { pattern: 'open', path: '.' })
    expect(JSON.stringify(found)).toContain('final.md')
    const texts = Object.entries(filesIn(root)).filter(([name, text]) => text === secret && !kept.includes(name))
    expect(texts).toEqual([])
  })

  it('holds for code in the sandbox', async (context) => {
    skipWithout(context, 'sandbox', 'bash')
    const { clada } = inProject()
    const { results } = await clada.call('exec', {
      lang: 'bash',
      code: 'grep -r . . || true; cat a.txt; rm -f .aiignore; true',
    })
    expect(results[0]).toMatchObject({ success: true })
    expect(JSON.stringify(results)).toContain('final.md')
    expect(JSON.stringify(results)).not.toContain(secret)
    expect((await clada.call('file_read', { path: 'secret.txt' })).results[0]?.code).toBe('path_denied')
  })

  it('applies in every part of the project, by whatever way one works only there', async () => {
    const { root, clada } = inProject()
    const part = path.join(root, 'deep/er')
    const inSession = await clada.session({ directory: 'deep/er' }).call('file_read', { path: 'secret.txt' })
    expect(inSession.results[0]?.code).toBe('path_denied')
    const { call } = await connected(root, { mode: { pin: '2026-07-28' } })
    expect((await call('file_read', { path: 'secret.txt', root: 'deep/er' })).values).toMatchObject({
      code: 'path_denied',
    })
    fs.mkdirSync(path.join(root, '.git'))
    const parted = new Clada({ repoPath: part, git: 'off' })
    expect((await parted.call('file_read', { path: 'secret.txt' })).results[0]?.code).toBe('path_denied')
  })

  it('applies where clada.yml names a part of the project', () => {
    const { root } = inProject({}, { ...files, 'clada.yml': 'root: deep\n' })
    expect(run(['do', 'file_read', 'path=er/secret.txt'], { cwd: root }).stdout).toContain('leaves it out')
  })

  it.each([
    ['that cannot be read as text', Buffer.from([0xff, 0xfe, 0x61])],
    ['that is too large', Buffer.alloc(200_000, '#')],
    ['with too many rules', Buffer.from('a\n'.repeat(1001))],
  ])('%s lets nothing run', async (_, bytes) => {
    const { root, clada } = inProject({}, { 'a.txt': 'a' })
    fs.writeFileSync(path.join(root, '.aiignore'), bytes)
    const { fatalError, results } = await clada.call('file_read', { path: 'a.txt' })
    expect([fatalError, results]).toEqual([expect.stringContaining('.aiignore'), []])
  })

  it('that is a pipe lets nothing run, and nothing wait', async (context) => {
    skipWithout(context, 'posix')
    const { root, clada } = inProject({}, { 'a.txt': 'a' })
    execFileSync('mkfifo', [path.join(root, '.aiignore')])
    expect((await clada.call('file_read', { path: 'a.txt' })).fatalError).toContain('not a regular file')
  })
})
