import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { Clada } from '../../packages/clada/src/api/clada.ts'
import { ProblemError } from '../../packages/clada/src/core/problem.ts'
import { lockFileOf, takeLock } from '../../packages/clada/src/store/lock.ts'
import { ownOwner } from '../../packages/clada/src/state/own-files.ts'
import { skipWithout } from '../support/needs.ts'
import { fill, scratchDir } from '../support/scratch.ts'
import { type Call, execute, treeOf, undoIn } from './world.ts'

const write = (content: string): Call => ['file_write', { path: 'a.txt', content }]
const lockOf = (root: string): string => lockFileOf(root) ?? ''
const dead = (): object => ({
  ...ownOwner(),
  pid: spawnSync(process.execPath, ['-v']).pid,
  started: '1',
  nonce: 'dead',
})

describe('the lock', () => {
  it('is taken for writes, given back, and not taken for reads', async () => {
    const root = scratchDir({ 'a.txt': 'a' })
    fs.writeFileSync(lockOf(root), JSON.stringify({ ...ownOwner(), nonce: 'held' }))
    const options = { lockTimeout: 0.1 }
    expect(await execute(root, 'off', [['file_read', { path: 'a.txt' }]], options)).toMatchObject({ success: true })
    expect(await execute(root, 'off', [write('A')], options)).toMatchObject({ success: false, fatalCode: 'locked' })
    fs.rmSync(lockOf(root))
    expect(await execute(root, 'off', [write('A')], options)).toMatchObject({ success: true })
    expect(fs.existsSync(lockOf(root))).toBe(false)
  })

  it('says who holds it, and nothing is executed', async () => {
    const root = scratchDir({ 'a.txt': 'a' })
    fs.writeFileSync(lockOf(root), JSON.stringify({ ...ownOwner(), command: 'clada other.md', nonce: 'held' }))
    const result = await execute(root, 'off', [write('A'), write('B')], { lockTimeout: 0.05 })
    expect(result.fatalError).toMatch(
      new RegExp(
        `^clada: locked: clada other.md \\(process ${process.pid}\\) holds '.*/locks/[0-9a-f]+' since \\d{4}-`,
      ),
    )
    expect(result.results.map(({ code }) => code)).toEqual(['locked', 'skipped'])
    expect(treeOf(root)).toEqual({ 'a.txt': '644 a' })
    const impatient = new Clada({ repoPath: root, git: 'off', lockTimeout: 0.05 })
    expect(await impatient.undo()).toMatchObject({ success: false })
  })

  for (const [what, make] of [
    ['a link', (file: string) => fs.symlinkSync('nowhere', file)],
    ['a directory', (file: string) => fs.mkdirSync(file)],
    ['a special file', (file: string) => execFileSync('mkfifo', [file])],
  ] as const) {
    it(`is not taken where ${what} is in its place, and that is said`, async (context) => {
      if (what === 'a special file') skipWithout(context, 'posix')
      const root = scratchDir({ 'a.txt': 'a' })
      await execute(root, 'off', [write('b')])
      make(lockOf(root))
      const reason = `'${lockOf(root)}' is ${what}, not a regular file`
      const result = await execute(root, 'off', [write('A')])
      expect(result.results).toMatchObject([
        { success: false, error: `file_write: ${reason}`, code: 'invalid_parameter' },
      ])
      expect(await undoIn(root, 'off')).toMatchObject({
        success: false,
        error: expect.stringContaining(`clada undo: ${reason}`),
      })
      expect(treeOf(root)).toEqual({ 'a.txt': '644 b' })
    })
  }

  it('sweeps what processes that died on the way to it have left', async () => {
    const root = scratchDir({ 'a.txt': 'a' })
    const [left, alive] = [`${lockOf(root)}.left`, `${lockOf(root)}.alive`]
    fs.writeFileSync(left, JSON.stringify(dead()))
    fs.writeFileSync(alive, JSON.stringify({ ...ownOwner(), nonce: 'alive' }))
    await execute(root, 'off', [write('A')])
    expect([left, alive].map((file) => fs.existsSync(file))).toEqual([false, true])
  })

  it('sweeps nothing of the user that lies beside it', async () => {
    const files = { 'build.js': 'mine', 'build.lock': '', 'build.d': '{"pid":1.5}', 'build.after-x.txt': 'mine' }
    const root = scratchDir(files)
    for (const name of Object.keys(files)) fs.utimesSync(path.join(root, name), 1, 1)
    const before = treeOf(root)
    ;(await takeLock(path.join(root, 'build'), 0, { place: 'named' }))()
    expect(treeOf(root)).toEqual(before)
  })

  it('can lie elsewhere', async () => {
    const root = scratchDir({ 'a.txt': 'a' })
    const lockFile = path.join(scratchDir(), 'my.lock')
    fs.writeFileSync(lockFile, JSON.stringify({ ...ownOwner(), nonce: 'held' }))
    expect(await execute(root, 'off', [write('A')], { lockFile, lockTimeout: 0 })).toMatchObject({
      fatalCode: 'locked',
    })
    expect(await execute(root, 'off', [write('A')], { lockTimeout: 0 })).toMatchObject({ success: true })
  })

  it('never displaces a file of the user who named it by mistake', async () => {
    const root = scratchDir({ 'a.txt': 'a', 'package.json': '{ "name": "mine" }\n' })
    const lockFile = path.join(root, 'package.json')
    fs.utimesSync(lockFile, 1, 1)
    const before = treeOf(root)
    const reason = `'${lockFile}' is not a lock of clada`
    expect(await execute(root, 'off', [write('A')], { lockFile, lockTimeout: 0.05 })).toMatchObject({
      results: [{ success: false, error: `file_write: ${reason}`, code: 'invalid_parameter' }],
    })
    expect(treeOf(root)).toEqual(before)
    // Nothing can be lost with one that holds nothing.
    fs.writeFileSync(lockFile, '')
    fs.utimesSync(lockFile, 1, 1)
    expect(await execute(root, 'off', [write('A')], { lockFile, lockTimeout: 1 })).toMatchObject({ success: true })
  })

  it('says whose it is only where it knows: on another machine, and not at all', async () => {
    const root = scratchDir({ 'a.txt': 'a' })
    const told = async (): Promise<string | undefined> =>
      (await execute(root, 'off', [write('A')], { lockTimeout: 0 })).fatalError
    const elsewhere = { pid: 7, host: 'elsewhere', command: 'clada x.md', time: '2026-01-01T00:00:00Z', nonce: 'far' }
    fs.writeFileSync(lockOf(root), JSON.stringify(elsewhere))
    expect(await told()).toMatch(
      /^clada: locked: clada x\.md \(process 7 on elsewhere\) holds '.*' since 2026-01-01T00:00:00Z/,
    )
    fs.writeFileSync(lockOf(root), '')
    expect(await told()).toMatch(/^clada: locked: '.*\/locks\/\w+' exists and does not say who holds it/)
  })

  it('in a directory that is not there is named as what is missing', async () => {
    const root = scratchDir({ 'a.txt': 'a' })
    const lockFile = path.join(root, 'nowhere/my.lock')
    const [result] = (await execute(root, 'off', [write('A')], { lockFile })).results
    expect(result?.error).toBe(`ENOENT: no such file or directory, lock '${lockFile}'`)
  })

  for (const [what, content] of [
    ['a dead owner', () => JSON.stringify(dead())],
    ['a process that has its number now', () => JSON.stringify({ ...ownOwner(), started: '1', nonce: 'old' })],
    ['nobody', () => ''],
    ['something that is no lock', () => '[]'],
  ] as const) {
    it(`of ${what} is taken over`, async (context) => {
      // Windows does not say when a process began.
      if (what.endsWith('now')) skipWithout(context, 'posix')
      const root = scratchDir({ 'a.txt': 'a' })
      fs.writeFileSync(lockOf(root), content())
      fs.utimesSync(lockOf(root), 1, 1)
      expect(await execute(root, 'off', [write('A')], { lockTimeout: 1 })).toMatchObject({ success: true })
      const [dir, name] = [path.dirname(lockOf(root)), path.basename(lockOf(root))]
      expect(fs.readdirSync(dir).filter((one) => one.startsWith(name))).toEqual([])
    })
  }

  it('is waited for', async () => {
    const dir = scratchDir()
    const lock = path.join(dir, 'lock')
    const release = await takeLock(lock, 0)
    const second = takeLock(lock, 100_000)
    await expect(takeLock(lock, 30)).rejects.toBeInstanceOf(ProblemError)
    release()
    ;(await second)()
    expect(fs.readdirSync(dir)).toEqual([])
  })

  it('is held by one at a time, also when its owner is found dead by many', async () => {
    const root = scratchDir()
    fs.writeFileSync(lockOf(root), JSON.stringify(dead()))
    let inside = 0
    let most = 0
    await Promise.all(
      Array.from({ length: 12 }, async () => {
        const release = await takeLock(lockOf(root), 20_000)
        most = Math.max(most, ++inside)
        await new Promise((done) => setTimeout(done, 2))
        inside--
        release()
      }),
    )
    expect(most).toBe(1)
  })
})

it.skipIf(process.platform === 'win32')('no lock is put into a temporary directory of others', () => {
  const tmp = scratchDir({ file: '' })
  const { TMPDIR, XDG_STATE_HOME } = process.env
  const own = path.join(tmp, `clada-${process.getuid?.()}`)
  try {
    Object.assign(process.env, { TMPDIR: tmp, XDG_STATE_HOME: path.join(tmp, 'file') })
    fs.mkdirSync(own)
    fs.chmodSync(own, 0o777)
    expect([lockFileOf('/project'), fs.readdirSync(own)]).toEqual([undefined, []])
    fs.chmodSync(own, 0o700)
    expect(path.dirname(lockFileOf('/project') ?? '')).toBe(path.join(own, 'locks'))
  } finally {
    for (const [name, value] of Object.entries({ TMPDIR, XDG_STATE_HOME })) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
})

it('a file that an editor saves in the middle is not overwritten', async () => {
  const root = scratchDir({ 'a.txt': 'a' })
  const { Clada } = await import('../../packages/clada/src/index.ts')
  const clada = new Clada({ repoPath: root, git: 'off', relativePaths: true })
  async function* texts(): AsyncGenerator<string> {
    yield '#!SHAM [@three-char-SHA-256: aaa]\naction = "file_read"\npath = "a.txt"\n#!END_SHAM_aaa\n'
    fill(root, { 'a.txt': 'mine' })
    yield '#!SHAM [@three-char-SHA-256: bbb]\naction = "file_write"\npath = "a.txt"\ncontent = "theirs"\n#!END_SHAM_bbb\n'
  }
  const result = await clada.executeStream(texts())
  expect(result.results.map(({ code }) => code)).toEqual([undefined, 'concurrent_modification'])
  expect(treeOf(root)).toEqual({ 'a.txt': '644 mine' })
})
