import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { Clada, type CladaOptions } from '../../packages/clada/src/index.ts'
import { formatReport } from '../../packages/clada/src/report/format.ts'
import { git, repository } from '../history/world.ts'
import { changesByOthers } from '../../packages/clada/src/engine/history-run.ts'
import { settingsFor } from '../support/settings.ts'
import { skipWithout } from '../support/needs.ts'
import { fill, scratchDir } from '../support/scratch.ts'
import { blocks } from './blocks.ts'

const canary = 'API_KEY=hunter2'

interface Setup {
  readonly files?: Readonly<Record<string, string>>
  /** Other names of the secret, by which nothing may show it. */
  readonly names: readonly string[]
  /** The secret is this file. */
  readonly secret: string
  make(root: string): void
}

const link = (root: string, from: string, to: string): void => {
  fs.mkdirSync(path.dirname(path.join(root, to)), { recursive: true })
  fs.linkSync(path.join(root, from), path.join(root, to))
}

const setups: Readonly<Record<string, Setup>> = {
  'a hard link to a blocked file': {
    secret: '.env',
    names: ['notes.txt'],
    make: (root) => link(root, '.env', 'notes.txt'),
  },
  'a hard link to a blocked file among packages': {
    secret: 'config/.env',
    names: ['node_modules/p/a.js', 'node_modules/p/b.js'],
    make: (root) => {
      link(root, 'config/.env', 'node_modules/p/a.js')
      link(root, 'config/.env', 'node_modules/p/b.js')
    },
  },
  'a hard link to a file in a blocked directory': {
    secret: '.ssh/deep/config',
    names: ['node_modules/p/a.js', 'notes.txt'],
    make: (root) => {
      link(root, '.ssh/deep/config', 'node_modules/p/a.js')
      link(root, '.ssh/deep/config', 'notes.txt')
    },
  },
  'a hard link to a blocked file of a package': {
    secret: 'node_modules/q/.env',
    names: ['node_modules/p/a.js', 'notes.txt'],
    make: (root) => {
      link(root, 'node_modules/q/.env', 'node_modules/p/a.js')
      link(root, 'node_modules/q/.env', 'notes.txt')
    },
  },
  'the target of a link with a blocked name': {
    secret: 'config/dev.txt',
    names: ['config/dev.txt'],
    make: (root) => fs.symlinkSync('config/dev.txt', path.join(root, '.env')),
  },
  'the target of a chain of links, the first of which has a blocked name': {
    secret: 'config/dev.txt',
    names: ['config/dev.txt'],
    make: (root) => {
      fs.symlinkSync('dev.txt', path.join(root, 'config/current'))
      fs.mkdirSync(path.join(root, 'app'))
      fs.symlinkSync('../config/current', path.join(root, 'app/server.pem'))
    },
  },
  'a file in the target of a link with the name of a blocked directory': {
    secret: 'keys/mine/k.txt',
    names: ['keys/mine/k.txt'],
    make: (root) => fs.symlinkSync('keys', path.join(root, '.ssh')),
  },
  'a hard link to the target of a link with a blocked name': {
    secret: 'config/dev.txt',
    names: ['config/dev.txt', 'node_modules/p/a.js'],
    make: (root) => {
      fs.symlinkSync('config/dev.txt', path.join(root, '.env'))
      link(root, 'config/dev.txt', 'node_modules/p/a.js')
    },
  },
  'a hard link to a file elsewhere': {
    secret: '../outside.txt',
    names: ['notes.txt'],
    make: (root) => link(root, '../outside.txt', 'notes.txt'),
  },
}

/** Everything that a document may try with a file, each by itself. */
function attempts(root: string, name: string): [string, Record<string, string>][] {
  const file = path.join(root, name)
  const to = (more: string): string => path.join(root, `${more}.txt`)
  return [
    ['file_read', { path: file }],
    ['file_read_numbered', { path: file, lines: '1' }],
    ['files_read', { paths: file }],
    ['files_read', { paths: `${root}/**` }],
    ['file_append', { path: file, content: 'x' }],
    ['file_edit', { path: file, old_text: 'API', new_text: 'x' }],
    ['file_replace_text', { path: file, old_text: 'API_KEY=hunter1', new_text: 'x' }],
    ['file_replace_lines', { path: file, lines: '1', new_content: 'x' }],
    ['file_delete_lines', { path: file, lines: '1' }],
    ['file_insert_lines', { path: file, after: '0', content: 'x' }],
    ['file_comment_lines', { path: file, lines: '1' }],
    ['files_replace_all_text', { paths: `${root}/**`, old_text: 'hunter', new_text: 'x' }],
    ['grep', { pattern: 'hunter', path: root }],
    ['grep', { pattern: 'hunter', path: file }],
    ['list_structures', { path: file }],
    ['file_copy', { old_path: file, new_path: to('copy') }],
    ['file_read', { path: to('copy') }],
    ['run', { command: `cat ${name}` }],
    ['run', { command: `head -n 1 ${name}` }],
    ['run', { command: `xxd ${name}` }],
    ['run', { command: `diff ${name} plain.txt` }],
    ['run', { command: 'grep -r hunter .' }],
    ['run', { command: `cp ${name} copied.txt` }],
    ['file_read', { path: to('copied') }],
    ['file_write', { path: file, content: '// ... existing code ...' }],
    ['file_write', { path: file, content: 'x', expect_hash: '0' }],
    ['file_create', { path: file, content: 'x' }],
    ['file_copy', { old_path: to('plain'), new_path: file }],
    ['file_move', { old_path: to('plain'), new_path: file }],
    ['file_move', { old_path: file, new_path: to('moved') }],
    ['file_read', { path: to('moved') }],
    ['run', { command: `mv ${name} elsewhere.txt` }],
    ['file_read', { path: to('elsewhere') }],
    ['file_write', { path: file, content: 'x' }],
    ['file_delete', { path: file }],
    ['run', { command: `rm ${name}` }],
    ['run', { command: 'git diff' }],
    ['run', { command: 'git log -p' }],
    ['run', { command: 'git show' }],
  ]
}

function projectOf({ files = {}, secret, make }: Setup): string {
  const outer = scratchDir()
  const root = path.join(outer, 'project')
  fill(root, { 'plain.txt': 'plain\n', ...files, [secret]: `${canary}\n` })
  make(root)
  return root
}

describe('what may not be read is not shown', () => {
  for (const [what, setup] of Object.entries(setups)) {
    for (const [how, options] of [
      ['', {}],
      [', in a group', { atomic: true }],
      [', with links followed', { symlinks: 'inside' }],
      [', in commits', { git: 'commit' }],
    ] as const satisfies readonly (readonly [string, CladaOptions])[]) {
      it(`${what}${how}`, async () => {
        const root = projectOf(setup)
        if ('git' in options) fs.cpSync(path.join(repository({}), '.git'), path.join(root, '.git'), { recursive: true })
        const clada = new Clada({ repoPath: root, git: 'off', evidence: 'diff', ...options })
        const shown: string[] = []
        for (const name of setup.names) {
          for (const call of attempts(root, name)) {
            // Each on its own, or in a group the first failure would take the others with it.
            const document = blocks(call)
            const { result, ...preview } = await clada.preview(document)
            shown.push(JSON.stringify([result, preview]))
            const done = await clada.execute(document, {
              onChanges: (_, changes) => void shown.push(JSON.stringify(changes)),
            })
            shown.push(
              JSON.stringify(done),
              ...(['llm', 'pretty', 'text', 'xml'] as const).map((format) => formatReport(done, format)),
            )
          }
        }
        for (const { number } of await clada.history()) {
          shown.push(JSON.stringify([await clada.execution(number), await clada.changesOf(number)]))
          shown.push(JSON.stringify(await clada.undo({ number })), JSON.stringify(await clada.redo({ number })))
          await clada.undo({ number, force: true })
        }
        for (const name of setup.names)
          shown.push(JSON.stringify(await clada.execute(blocks(['file_read', { path: path.join(root, name) }]))))
        if ('git' in options)
          shown.push(
            execFileSync('git', ['cat-file', '--batch-all-objects', '--batch'], { cwd: root, encoding: 'latin1' }),
            git(root, 'log', '--all', '--stat'),
          )
        expect(shown.filter((text) => text.includes('hunter2'))).toEqual([])
        expect(fs.readFileSync(path.join(root, setup.secret), 'utf8')).toBe(`${canary}\n`)
      })
    }
  }
})

it('a file that became another name of a blocked one is not shown as changed since', async () => {
  const root = scratchDir({ '.env': canary, 'a.txt': 'a' })
  const clada = new Clada({ repoPath: root, git: 'off' })
  await clada.execute(blocks(['file_write', { path: path.join(root, 'a.txt'), content: 'b' }]))
  fs.unlinkSync(path.join(root, 'a.txt'))
  link(root, '.env', 'a.txt')
  const settings = settingsFor(root)
  expect(await changesByOthers(settings)).toEqual([
    { path: 'a.txt', change: 'modify', binary: true, before: '', after: '' },
  ])
  const reason = 'it is another name of a blocked file now and is kept'
  expect(await clada.undo({ force: true })).toMatchObject({ success: true, conflicts: [{ path: 'a.txt', reason }] })
  expect(fs.statSync(path.join(root, 'a.txt')).nlink).toBe(2)
  expect(fs.readFileSync(path.join(root, '.env'), 'utf8')).toBe(canary)
})

describe('code', () => {
  for (const [what, setup] of Object.entries(setups)) {
    it(`does not read ${what}`, async (context) => {
      skipWithout(context, 'sandbox')
      const root = projectOf(setup)
      const clada = new Clada({ repoPath: root, git: 'off' })
      const code = `cat plain.txt; cat ${setup.names.join(' ')}; grep -r hunter . ; true`
      const { results } = await clada.execute(blocks(['exec', { lang: 'bash', code }]))
      expect(JSON.stringify(results)).toContain('plain')
      expect(JSON.stringify(results)).not.toContain('hunter2')
    })
  }
})

describe('files that are not blocked', () => {
  it('are read where package managers link them, in every language', async () => {
    const root = scratchDir({ 'store/x': 'x\n' })
    const names = ['node_modules/p/a.js', '.venv/lib/python3.13/site-packages/p/a.py']
    for (const name of names) link(root, 'store/x', name)
    const clada = new Clada({ repoPath: root, git: 'off' })
    for (const name of names)
      expect(await clada.execute(blocks(['file_read', { path: path.join(root, name) }]))).toMatchObject({
        success: true,
      })
  })

  it('may have links with other names, and links that lead nowhere or round in circles', async () => {
    const root = scratchDir({ 'a.txt': 'a\n', 'd/b.txt': 'b\n' })
    for (const [name, target] of [
      ['link.txt', 'a.txt'],
      ['.env.example', 'a.txt'],
      ['.env', 'gone'],
      ['x.pem', 'x.pem'],
      ['y.pem', '.'],
      ['z.pem', '/'],
      ['d/.env', '..'],
    ] as const)
      fs.symlinkSync(target, path.join(root, name))
    const clada = new Clada({ repoPath: root, git: 'off' })
    const read = (name: string) => clada.execute(blocks(['file_read', { path: path.join(root, name) }]))
    for (const name of ['a.txt', 'd/b.txt']) expect(await read(name)).toMatchObject({ success: true })
  })

  it('says why a file is blocked', async () => {
    const root = scratchDir({ '.env': 'x', 'config/dev.txt': 'x' })
    fs.symlinkSync('config/dev.txt', path.join(root, 'app.key'))
    link(root, '.env', 'node_modules/a.js')
    const clada = new Clada({ repoPath: root, git: 'off' })
    const error = async (name: string) =>
      (await clada.execute(blocks(['file_read', { path: path.join(root, name) }]))).results[0]?.error
    expect(await error('config/dev.txt')).toContain("the link 'app.key', which is blocked, leads to it")
    expect(await error('node_modules/a.js')).toContain('it is another name of a blocked file')
  })
})
