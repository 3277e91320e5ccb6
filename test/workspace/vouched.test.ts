import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { Clada } from '../../packages/clada/src/index.ts'
import { adoptState, isVouched, ownerConflict } from '../../packages/clada/src/state/vouched.ts'
import { clada as start } from '../support/cli.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'

const write = (root: string, name = 'a.txt') =>
  new Clada({ repoPath: root, gitCommit: false }).perform('file_write', {
    path: path.join(root, name),
    content: `${name}\n`,
  })
const note = expect.stringContaining("it was moved to '.clada/set-aside/1'")

/** What is below `.clada/set-aside`, file by file. */
const aside = (root: string): string[] =>
  Object.keys(filesIn(path.join(root, '.clada/set-aside')))
    .filter((name) => !name.includes('/set-aside/'))
    .sort()

describe('state that a repository ships', () => {
  it.skipIf(process.platform === 'win32').each([
    [
      'a history with a huge number',
      'mkdir -p .clada/history/999999999; echo "{}" > .clada/history/999999999/record.json',
    ],
    ['a lock of a process that lives', `mkdir .clada; echo '{"pid":1,"host":"","started":""}' > .clada/lock`],
    ['a back.json', `mkdir .clada; echo '{"branch":null,"way":["${'a'.repeat(40)}"],"saved":{}}' > .clada/back.json`],
    ['FIFOs', 'mkdir -p .clada/history; mkfifo .clada/id .clada/back.json .clada/lock .clada/context.json'],
    ['an id of its own', `mkdir -p .clada/history; echo ${'0'.repeat(32)} > .clada/id`],
    ['a link for an id', 'mkdir -p .clada/history; ln -s /etc/hostname .clada/id'],
    ['links', 'mkdir .clada; ln -s / .clada/history; ln -s / .clada/running; ln -s / .clada/repo'],
    ['a setuid program', 'mkdir -p .clada/history/1; touch .clada/history/1/x; chmod 4755 .clada/history/1/x'],
  ])('%s: is set aside with one warning, and nothing of it counts', async (_, setup) => {
    const root = scratchDir()
    execFileSync('bash', ['-c', setup], { cwd: root })
    const shipped = fs.readdirSync(path.join(root, '.clada')).sort()
    const clada = new Clada({ repoPath: root, gitCommit: false })
    expect(await clada.history()).toEqual([])
    const first = await write(root)
    expect(first).toMatchObject({ success: true, warnings: [note] })
    expect(fs.readdirSync(path.join(root, '.clada/set-aside/1')).sort()).toEqual(shipped)
    const second = await write(root, 'b.txt')
    expect(second.warnings).toBeUndefined()
    expect((await clada.history()).map(({ number }) => number)).toEqual([1, 2])
    expect(await clada.undo()).toMatchObject({ success: true, execution: 2 })
  })

  it('is read by nothing, and moved by nothing that only reads', async () => {
    const mine = scratchDir()
    await write(mine)
    const root = scratchDir()
    fs.cpSync(path.join(mine, '.clada'), path.join(root, '.clada'), { recursive: true })
    fs.writeFileSync(
      path.join(root, '.clada/context.json'),
      '{"version":1,"entries":[{"path":"/etc/passwd","added":""}]}',
    )
    const clada = new Clada({ repoPath: root, gitCommit: false })
    expect(await clada.history()).toEqual([])
    expect(await clada.undo()).toMatchObject({
      success: false,
      error: expect.stringContaining('clada trust --history'),
    })
    expect((await clada.perform('context_list', {})).results[0]?.data).toEqual([])
    expect(fs.existsSync(path.join(root, '.clada/set-aside'))).toBe(false)
    const told = start(['history'], { cwd: root })
    expect(told).toMatchObject({ status: 0, stdout: 'Nothing was executed here yet.\n' })
    expect(told.stderr).toContain('clada trust --history')
  })

  it('that only lists approved commands is no state to warn about', async () => {
    const list = '{"commands":["npm test"],"added":{}}'
    const root = scratchDir({ '.clada/allowed-commands.json': list })
    expect((await write(root)).warnings).toBeUndefined()
    expect(fs.readFileSync(path.join(root, '.clada/allowed-commands.json'), 'utf8')).toBe(list)
  })

  it('leaves the list of approved commands in its place', async () => {
    const list = '{"commands":["npm test"],"added":{}}'
    const root = scratchDir({ '.clada/allowed-commands.json': list, '.clada/history/7/record.json': '{}' })
    expect((await write(root)).warnings).toEqual([note])
    expect(fs.readFileSync(path.join(root, '.clada/allowed-commands.json'), 'utf8')).toBe(list)
  })
})

describe('a project that was moved', () => {
  const moved = async (): Promise<string> => {
    const base = scratchDir({ 'old/keep.txt': 'k\n' })
    await write(path.join(base, 'old'))
    fs.renameSync(path.join(base, 'old'), path.join(base, 'new'))
    return path.join(base, 'new')
  }

  it('gets its history back with clada trust --history', async () => {
    const root = await moved()
    expect(isVouched(root)).toBe(false)
    expect(start(['trust', '--history'], { cwd: root })).toEqual({
      status: 0,
      stdout: 'The state in .clada is used from now on. See clada history.\n',
      stderr: '',
    })
    const clada = new Clada({ repoPath: root, gitCommit: false })
    expect((await clada.history()).map(({ number }) => number)).toEqual([1])
    expect(await clada.undo()).toMatchObject({ success: true, execution: 1 })
    expect(start(['trust', '--history'], { cwd: root }).stdout).toContain('is already used')
  })

  it('gets it back after it was set aside, and what came since is set aside in turn', async () => {
    const root = await moved()
    expect((await write(root, 'since.txt')).warnings).toEqual([note])
    expect(adoptState(root)).toBe('adopted')
    const clada = new Clada({ repoPath: root, gitCommit: false })
    expect((await clada.history()).map(({ paths }) => paths)).toEqual([['a.txt']])
    expect(aside(root).some((name) => name.startsWith('1/history/1/'))).toBe(true)
    expect(adoptState(root)).toBe('adopted')
    expect((await clada.history()).map(({ paths }) => paths)).toEqual([['since.txt']])
  })

  it('stays out of commits, whatever was left out of it', async () => {
    const root = await moved()
    await write(root, 'since.txt')
    fs.rmSync(path.join(root, '.clada/set-aside/1/.gitignore'))
    expect(adoptState(root)).toBe('adopted')
    expect(fs.readFileSync(path.join(root, '.clada/.gitignore'), 'utf8')).toContain('\n*\n')
  })

  it('has nothing to adopt where there is none', () => {
    expect(start(['trust', '--history'], { cwd: scratchDir() }).status).toBe(1)
  })
})

describe('where the state directory cannot be written to', () => {
  it('the temporary directory vouches, and the first run says so', async () => {
    const base = scratchDir({ file: '' })
    const root = path.join(base, 'p')
    fs.mkdirSync(root)
    fs.mkdirSync(path.join(base, 'tmp'))
    vi.stubEnv('XDG_STATE_HOME', path.join(base, 'file'))
    vi.stubEnv('TMPDIR', path.join(base, 'tmp'))
    try {
      expect((await write(root)).warnings).toEqual([expect.stringContaining('Set XDG_STATE_HOME')])
      expect((await write(root, 'b.txt')).warnings).toBeUndefined()
      expect(await new Clada({ repoPath: root, gitCommit: false }).history()).toHaveLength(2)
      vi.stubEnv('XDG_STATE_HOME', path.join(base, 'new/state'))
      fs.mkdirSync(path.join(base, 'q'))
      expect((await write(path.join(base, 'q'))).warnings).toBeUndefined()
      expect(fs.readdirSync(path.join(base, 'new/state/clada/vouched'))).toHaveLength(1)
    } finally {
      vi.unstubAllEnvs()
    }
  })
})

describe.skipIf(process.geteuid === undefined)('state that the superuser made', () => {
  it('is not used by others, nor that of others by the superuser', async () => {
    const root = scratchDir()
    await write(root)
    expect(ownerConflict(root)).toBeUndefined()
    const isRoot = process.geteuid?.() === 0
    const user = vi.spyOn(process, 'geteuid').mockReturnValue(isRoot ? 12_345 : 0)
    try {
      expect(ownerConflict(root)).toContain(isRoot ? 'sudo chown -R 12345' : 'and clada runs as root')
      expect(isVouched(root)).toBe(false)
    } finally {
      user.mockRestore()
    }
  })
})
