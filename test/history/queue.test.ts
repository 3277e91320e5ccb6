import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { expect, inject, it } from 'vitest'
import { ProblemError } from '../../packages/clada/src/core/problem.ts'
import { lockProject, takeLock } from '../../packages/clada/src/store/lock.ts'
import { ownOwner } from '../../packages/clada/src/state/own-files.ts'
import { connected } from '../mcp/client.ts'
import { scratchDir } from '../support/scratch.ts'
import { startClada } from './kill.ts'
import { type Call, execute, git, repository } from './world.ts'

const lines = (count: number, word: string): string =>
  Array.from({ length: count }, (_, at) => `line-${at} ${word}\n`).join('')
const edit = (at: number): Call => [
  'file_replace_text',
  { path: 'a.txt', old_text: `line-${at} old`, new_text: `line-${at} new` },
]
const textIn = (root: string): string => fs.readFileSync(path.join(root, 'a.txt'), 'utf8')

it.each([
  ['off', 50],
  ['commit', 10],
] as const)('executions of one file follow each other in mode %s: %s', async (mode, count) => {
  const root = repository({ 'a.txt': lines(count, 'old') })
  const results = await Promise.all(Array.from({ length: count }, (_, at) => execute(root, mode, [edit(at)])))
  expect(results.filter(({ success }) => !success)).toEqual([])
  expect(textIn(root)).toBe(lines(count, 'new'))
})

it('the command line, the library and the server wait for each other', { timeout: 60_000 }, async () => {
  const root = scratchDir({ 'a.txt': lines(15, 'old') })
  const { call } = await connected(root)
  const ends = await Promise.all(
    Array.from({ length: 15 }, async (_, at) => {
      if (at % 3 === 0) return (await execute(root, 'off', [edit(at)])).success
      const [, params] = edit(at)
      if (at % 3 === 1) return !(await call('file_edit', params)).isError
      const child = startClada(inject('cli'), root, [edit(at)], '--no-git')
      await once(child, 'close')
      return child.exitCode === 0
    }),
  )
  expect(ends).not.toContain(false)
  expect(textIn(root)).toBe(lines(15, 'new'))
})

const settings = { git: 'off', author: null, lockFile: null, lockMs: 20_000 } as const

it('all directories and worktrees of a repository share the queue, and nothing waits to read', async () => {
  const root = repository({ 'a.txt': lines(2, 'old'), 'sub/a.txt': 'b' })
  const other = path.join(scratchDir(), 'other')
  git(root, 'worktree', 'add', '-q', other)
  const places = [root, path.join(root, 'sub'), other]
  const leave = await lockProject(settings, root)
  for (const place of places) {
    const write: Call = ['file_write', { path: 'a.txt', content: 'new' }]
    expect(await execute(place, 'off', [write], { lockTimeout: 0 })).toMatchObject({ fatalCode: 'locked' })
    expect(await execute(place, 'off', [['file_read', { path: 'a.txt' }]])).toMatchObject({ success: true })
    expect(fs.existsSync(path.join(place, '.clada'))).toBe(false)
  }
  leave()
})

it('is first come, first served, and whoever died in it is passed over', async () => {
  const root = scratchDir()
  const file = path.join(root, 'lock')
  const leave = await takeLock(file, 0)
  const order: number[] = []
  const waiting: Promise<void>[] = []
  for (let at = 0; at < 8; at++) {
    waiting.push(takeLock(file, 20_000).then((release) => (order.push(at), release())))
    await new Promise((done) => setTimeout(done, 2))
  }
  // Older than all of them.
  const dead = { ...ownOwner(), pid: spawnSync('true').pid, started: '1' }
  fs.writeFileSync(`${file}.${'0'.repeat(23)}`, JSON.stringify({ ...dead, nonce: '0'.repeat(23) }))
  leave()
  await Promise.all(waiting)
  expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  expect(fs.readdirSync(root)).toEqual([])
})

it('a noticeable wait is told once, with the holder', async () => {
  const file = path.join(scratchDir(), 'lock')
  const leave = await takeLock(file, 0)
  const told: unknown[] = []
  let tell = (): void => {}
  const heard = new Promise<void>((resolve) => (tell = resolve))
  const onWait = (holder: { readonly pid: number } | undefined): void => {
    told.push(holder?.pid)
    tell()
  }
  const second = takeLock(file, 20_000, { onWait })
  await heard
  leave()
  ;(await second)()
  expect(told).toEqual([process.pid])
})

it('a queue that moves is waited for, one that does not is not', async () => {
  const file = path.join(scratchDir(), 'lock')
  const holders = Array.from({ length: 6 }, async () => {
    const release = await takeLock(file, 10_000)
    await new Promise((done) => setTimeout(done, 100))
    release()
  })
  const release = await takeLock(file, 400)
  await expect(takeLock(file, 50)).rejects.toBeInstanceOf(ProblemError)
  release()
  await Promise.all(holders)
})

it('time in which the machine is too busy to wake anybody does not count', async () => {
  const file = path.join(scratchDir(), 'lock')
  const release = await takeLock(file, 0)
  const second = takeLock(file, 200)
  // A slow holder, and nobody else gets to run.
  for (let at = 0; at < 4; at++) {
    await new Promise((done) => setTimeout(done, 1))
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
  }
  release()
  ;(await second)()
})
