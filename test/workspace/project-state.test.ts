import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { digestOf } from '../../packages/clada/src/core/digest.ts'
import { Clada } from '../../packages/clada/src/index.ts'
import { findState, foreignStateNote, foreignStates } from '../../packages/clada/src/state/project-state.ts'
import { entriesOf, git, repository } from '../history/world.ts'
import { clada as start } from '../support/cli.ts'
import { fill, filesIn, inState, scratchDir } from '../support/scratch.ts'

const write = (root: string, name = 'a.txt', content = `${name}\n`) =>
  new Clada({ repoPath: root, gitCommit: false }).perform('file_write', { path: path.join(root, name), content })
const numbers = async (root: string): Promise<number[]> =>
  (await new Clada({ repoPath: root, gitCommit: false }).history()).map(({ number }) => number)
const note = expect.stringContaining('clada trust --history')
const author = ['-c', 'user.name=u', '-c', 'user.email=u@x']

describe('the directory of a history', () => {
  it('is made whole by the next execution after a kill, and nothing is left beside it', async () => {
    const root = repository({ 'a.txt': 'a\n' })
    await write(root)
    const dir = findState(root) ?? ''
    for (const name of fs.readdirSync(dir)) fs.rmSync(path.join(dir, name), { recursive: true })
    expect(findState(root)).toBeUndefined()
    expect(await write(root, 'b.txt')).toMatchObject({ success: true })
    expect(findState(root)).toBe(dir)
    expect(await numbers(root)).toEqual([1])
    expect(fs.readdirSync(path.dirname(dir))).toEqual([path.basename(dir)])
  })
})

describe('a history that comes with a project', () => {
  it.skipIf(process.platform === 'win32').each([
    [
      'an execution with a huge number',
      'mkdir -p .clada/history/999999999; echo "{}" > .clada/history/999999999/journal',
    ],
    ['a step back', `mkdir .clada; echo '{"branch":null,"way":["${'a'.repeat(40)}"],"saved":{}}' > .clada/back.json`],
    ['pipes', 'mkdir -p .clada/history; mkfifo .clada/id .clada/back.json .clada/lock .clada/context.lock'],
    ['an id of its own', `mkdir -p .clada/history; echo ${'0'.repeat(32)} > .clada/id`],
    ['a link for an id', 'mkdir -p .clada/history; ln -s /etc/hostname .clada/id'],
    ['links', 'mkdir .clada; ln -s / .clada/history; ln -s / .clada/running; ln -s / .clada/repo'],
    ['a directory in .git', `git init -q; mkdir -p .git/clada/${'0'.repeat(32)}/history/7`],
    [
      'a link in .git',
      `git init -q; mkdir -p .git/clada; ln -s / .git/clada/${'0'.repeat(32)}; mkdir -p .clada/history`,
    ],
  ])('is not read, which one warning says: %s', async (_, setup) => {
    const root = scratchDir()
    execFileSync('bash', ['-c', setup], { cwd: root })
    const names = (): string[] =>
      execFileSync(
        'find',
        ['.clada', '.git/clada'].filter((name) => fs.existsSync(path.join(root, name))),
        { cwd: root, encoding: 'utf8' },
      ).split('\n')
    const before = names()
    const clada = new Clada({ repoPath: root, gitCommit: false })
    expect(await clada.history()).toEqual([])
    expect(await clada.undo()).toMatchObject({ success: false, error: note })
    expect(await write(root)).toMatchObject({ success: true, warnings: [note] })
    expect((await write(root, 'b.txt')).warnings).toBeUndefined()
    expect(await numbers(root)).toEqual([1, 2])
    expect(await clada.undo()).toMatchObject({ success: true, execution: 2 })
    expect(before.filter((name) => !names().includes(name))).toEqual([])
  })

  const homes: Readonly<Record<string, readonly [dir: string, setup: string]>> = {
    'an older one': ['.clada', 'mkdir .clada'],
    'one of another id': [
      `.git/clada/${'0'.repeat(32)}`,
      `git init -q; mkdir -p .git/clada/${'0'.repeat(32)}; echo '{}' > .git/clada/${'0'.repeat(32)}/root`,
    ],
  }
  const links = ['history', 'objects', 'displaced', 'running', 'conflicts/x']
  const brought = Object.entries(homes).flatMap(([what, home]) => links.map((name) => [what, name, ...home] as const))
  it.skipIf(process.platform === 'win32').each(brought)(
    'is not signed while a link is in it: %s, %s',
    (_, name, dir, setup) => {
      const [root, outside] = [scratchDir(), scratchDir({ '2023/a.jpg': 'a\n', '5-6.5-ab-name': 'b\n' })]
      const plant = `mkdir -p $(dirname ${dir}/${name}) ${dir}/conflicts ${dir}/history/1; rm -rf ${dir}/${name}; ln -s ${outside} ${dir}/${name}`
      execFileSync('bash', ['-c', `${setup}; ${plant}`], { cwd: root })
      const before = filesIn(outside)
      const { status, stderr } = start(['trust', '--history'], { cwd: root })
      expect({ status, stderr }).toEqual({
        status: 2,
        stderr: expect.stringContaining(`${dir}/${name}' is a link or a special file`),
      })
      expect(filesIn(outside)).toEqual(before)
    },
  )

  it('is told of by clada history and clada doctor', async () => {
    const root = scratchDir({ '.clada/history/1/journal': '' })
    const told = start(['history'], { cwd: root })
    expect(told).toMatchObject({ status: 0, stdout: 'Nothing was executed here yet.\n' })
    expect(told.stderr).toContain('clada trust --history')
    expect(start(['doctor'], { cwd: root }).stdout).toContain('was not signed by you for this directory')
    expect(fs.readdirSync(root)).toEqual(['.clada'])
  })

  it('is not there if only approvals, a working set and an output are', async () => {
    const list = '{"commands":["npm test"],"added":{}}'
    const root = scratchDir({ '.clada/allowed-commands.json': list, '.clada/output.md': '=== CLADA RESULTS ===\n' })
    expect((await write(root)).warnings).toBeUndefined()
    expect(fs.readFileSync(path.join(root, '.clada/allowed-commands.json'), 'utf8')).toBe(list)
  })

  it('does not count in a copy of a repository, and the copy has a history of its own', async () => {
    const root = repository({ 'a.txt': 'a\n' })
    await write(root)
    const copy = path.join(scratchDir(), 'copy')
    fs.cpSync(root, copy, { recursive: true })
    expect(await numbers(copy)).toEqual([])
    expect(await write(copy, 'b.txt')).toMatchObject({ warnings: [note] })
    expect(await numbers(copy)).toEqual([1])
    expect(await numbers(root)).toEqual([1])
    expect(foreignStates(root)).toEqual([])
  })

  it('does not count when a pull brings one', async () => {
    const root = repository({ 'a.txt': 'a\n' })
    await write(root)
    const upstream = scratchDir()
    git(upstream, 'clone', '-q', root, '.')
    fill(upstream, { '.clada/history/9/journal': '{}\n' })
    git(upstream, 'add', '-f', '.clada')
    git(upstream, ...author, 'commit', '-qm', 'state')
    fs.rmSync(path.join(root, 'a.txt'))
    git(root, 'checkout', '-q', '.')
    git(root, 'pull', '-q', upstream, 'HEAD')
    expect(await numbers(root)).toEqual([1])
    expect((await write(root, 'b.txt')).warnings).toBeUndefined()
    expect(await numbers(root)).toEqual([1, 2])
  })
})

describe('the log', () => {
  it('of an execution that was changed by hand is lost, and the others are not', async () => {
    const root = scratchDir()
    for (const name of ['a.txt', 'b.txt', 'c.txt']) await write(root, name)
    const file = inState(root, 'history/2/journal')
    fs.writeFileSync(
      file,
      fs.readFileSync(file, 'utf8').replaceAll('b.txt', 'x.txt').replace('"execution":2', '"execution":9'),
    )
    const entries = await new Clada({ repoPath: root, gitCommit: false }).history()
    expect(entries.map(({ summary }) => summary)).toEqual(['create a.txt', 'lost', 'create c.txt'])
  })

  it('of an execution that another one was put in the place of is lost', async () => {
    const root = scratchDir()
    await write(root, 'a.txt', 'one')
    const before = scratchDir()
    fs.cpSync(inState(root, 'history/1'), path.join(before, '1'), { recursive: true })
    fs.rmSync(inState(root, 'history/1'), { recursive: true })
    await write(root, 'a.txt', 'two')
    await write(root, 'a.txt', 'three')
    fs.rmSync(inState(root, 'history/1'), { recursive: true })
    fs.cpSync(path.join(before, '1'), inState(root, 'history/1'), { recursive: true })
    const entries = await new Clada({ repoPath: root, gitCommit: false }).history()
    expect(entries.map(({ summary }) => summary)).toEqual(['lost', 'edit a.txt'])
  })
})

describe('a project that was moved', () => {
  const moved = async (make: () => string): Promise<string> => {
    const base = scratchDir()
    fs.cpSync(make(), path.join(base, 'old'), { recursive: true })
    await write(path.join(base, 'old'))
    fs.renameSync(path.join(base, 'old'), path.join(base, 'new'))
    return path.join(base, 'new')
  }

  it.each([
    ['in a repository', () => repository({ 'keep.txt': 'k\n' })],
    ['outside of one', () => scratchDir({ 'keep.txt': 'k\n' })],
  ])('gets its history back with clada trust --history: %s', async (_, make) => {
    const root = await moved(make)
    expect(await numbers(root)).toEqual([])
    expect(foreignStateNote(root)).toEqual(note)
    expect(start(['trust', '--history'], { cwd: root })).toEqual({
      status: 0,
      stdout: 'The history is signed by you and used from now on. See clada history.\n',
      stderr: '',
    })
    expect(await numbers(root)).toEqual([1])
    expect(await new Clada({ repoPath: root, gitCommit: false }).undo()).toMatchObject({ success: true, execution: 1 })
    expect(start(['trust', '--history'], { cwd: root })).toMatchObject({
      status: 0,
      stdout: 'The history of this project is already used, and there is no other.\n',
    })
  })

  it('gets it back after another one has begun, and that one in turn', async () => {
    const root = await moved(() => repository({ 'keep.txt': 'k\n' }))
    expect((await write(root, 'since.txt')).warnings).toEqual([note])
    const paths = async () => (await new Clada({ repoPath: root, gitCommit: false }).history()).map((one) => one.paths)
    for (const expected of ['a.txt', 'since.txt', 'a.txt']) {
      expect(start(['trust', '--history'], { cwd: root }).status).toBe(0)
      expect(await paths()).toEqual([[expected]])
    }
  })

  it('has nothing to sign where there is none', () => {
    expect(start(['trust', '--history'], { cwd: scratchDir() })).toMatchObject({
      status: 1,
      stdout: 'There is no history to sign.\n',
    })
  })
})

describe('where the state directory cannot be written to', () => {
  it('the key is among the temporary files, and the first execution says so', async () => {
    const base = scratchDir({ file: '' })
    const root = path.join(base, 'p')
    fs.mkdirSync(root)
    fs.mkdirSync(path.join(base, 'tmp'))
    vi.stubEnv('XDG_STATE_HOME', path.join(base, 'file'))
    vi.stubEnv('TMPDIR', path.join(base, 'tmp'))
    try {
      expect((await write(root)).warnings).toEqual([expect.stringContaining('Set XDG_STATE_HOME')])
      expect((await write(root, 'b.txt')).warnings).toBeUndefined()
      expect(await numbers(root)).toEqual([1, 2])
    } finally {
      vi.unstubAllEnvs()
    }
  })
})

/** As an earlier version left it: everything in `.clada`, entries with a digest, an id that the user's state vouches for. */
async function oldProject(root: string): Promise<string> {
  for (const [name, content] of [
    ['a.txt', 'one\n'],
    ['a.txt', 'two\n'],
  ] as const)
    await write(root, name, content)
  const state = inState(root)
  for (const number of [1, 2]) {
    const lines = entriesOf(root, number).map((entry) => {
      const { previous: _previous, before: _before, ...rest } = entry as Record<string, unknown>
      const json = JSON.stringify('record' in entry ? rest : 'path' in entry ? entry : rest)
      return `${digestOf(json)} ${json}\n`
    })
    fs.writeFileSync(path.join(state, 'history', String(number), 'journal'), lines.join(''))
  }
  fs.rmSync(path.join(state, 'root'))
  const old = path.join(root, '.clada')
  fs.cpSync(state, old, { recursive: true, preserveTimestamps: true })
  fs.rmSync(state, { recursive: true })
  const id = 'ab'.repeat(16)
  fill(old, {
    id: `${id}\n`,
    '.gitignore': '*\n',
    'conflicts/kept': 'text',
    'context.json': '{"version":1,"entries":[]}\n',
  })
  fill(path.join(process.env['XDG_STATE_HOME'] ?? '', 'clada/vouched'), {
    [`${digestOf(path.resolve(root))}-${id}`]: root,
  })
  return old
}

describe('a history that an earlier version kept in the project', () => {
  it.each([
    ['in a repository', () => repository({ 'keep.txt': 'k\n' })],
    ['outside of one', () => scratchDir({ 'keep.txt': 'k\n' })],
  ])('is moved once, with a word, and can be undone: %s', async (_, make) => {
    const root = make()
    const old = await oldProject(root)
    expect(start(['history'], { cwd: root }).stderr).toContain('the next execution moves it')
    const first = await write(root, 'b.txt')
    expect(first).toMatchObject({ success: true, warnings: [expect.stringContaining('was moved from')] })
    expect((await write(root, 'c.txt')).warnings).toBeUndefined()
    expect(await numbers(root)).toEqual([1, 2, 3, 4])
    expect(fs.readdirSync(old).sort()).toEqual(['.gitignore', 'context.json'])
    expect(fs.readFileSync(inState(root, 'conflicts/kept'), 'utf8')).toBe('text')
    const clada = new Clada({ repoPath: root, gitCommit: false })
    for (const execution of [4, 3, 2, 1]) expect(await clada.undo()).toMatchObject({ success: true, execution })
    expect(filesIn(root)).toMatchObject({ 'keep.txt': 'k\n' })
    expect(fs.existsSync(path.join(root, 'a.txt'))).toBe(false)
  })

  it('is moved by an undo too', async () => {
    const root = scratchDir()
    await oldProject(root)
    const undone = await new Clada({ repoPath: root, gitCommit: false }).undo()
    expect(undone).toMatchObject({ success: true, execution: 2 })
    expect(fs.readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('one\n')
  })

  it('is not moved when a pull has put files into it, until the user signs it', async () => {
    const root = repository({ 'keep.txt': 'k\n' })
    await oldProject(root)
    git(root, 'add', '-f', '.clada/history/1')
    expect((await write(root, 'b.txt')).warnings).toEqual([note])
    expect(await numbers(root)).toEqual([1])
    expect(start(['trust', '--history'], { cwd: root }).stdout).toContain('was moved from')
    expect(await numbers(root)).toEqual([1, 2])
  })

  it('in a form that cannot be read is kept and named', async () => {
    const root = scratchDir()
    const old = await oldProject(root)
    fs.writeFileSync(path.join(old, 'history/1/journal'), 'older\n')
    expect((await write(root, 'b.txt')).warnings).toEqual([
      expect.stringMatching(/Execution 1 was written in a form that is not read any more, and kept in '.*unreadable'/),
    ])
    expect(await numbers(root)).toEqual([2, 3])
    expect(fs.readFileSync(inState(root, 'unreadable/1/journal'), 'utf8')).toBe('older\n')
  })
})

it('reading makes nothing', async () => {
  const root = repository({ 'a.txt': 'a\n' })
  const clada = new Clada({ repoPath: root })
  await clada.history()
  await clada.undo()
  await clada.perform('context_list', {})
  for (const words of [
    ['history'],
    ['doctor'],
    ['approvals'],
    ['check', 'a.txt'],
    ['diff', 'a.txt'],
    ['context', 'list'],
  ])
    start(words, { cwd: root })
  expect(findState(root)).toBeUndefined()
  expect(fs.existsSync(path.join(root, '.git/clada'))).toBe(false)
  expect(fs.readdirSync(root).sort()).toEqual(['.git', 'a.txt'])
})
