import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { lockFileOf } from '../../packages/clada/src/store/lock.ts'
import { Clada } from '../../packages/clada/src/index.ts'
import { many } from './endurance.ts'
import { scratchDir } from '../support/scratch.ts'
import { type Call, documentOf, execute, git, redoIn, repository, undoIn } from './world.ts'

const descriptors = '/proc/self/fd'

/** What the process holds open below a directory, also what is deleted there by now. */
const openBelow = (root: string): string[] =>
  fs.readdirSync(descriptors).flatMap((fd) => {
    try {
      const target = fs.readlinkSync(path.join(descriptors, fd))
      return target.startsWith(root) ? [target.slice(root.length)] : []
    } catch {
      // The one that listed the directory is closed by now.
      return []
    }
  })

const write = (name: string, content: string): Call => ['file_write', { path: name, content }]
const missing: Call = ['file_replace_text', { path: 'a.txt', old_text: 'nowhere', new_text: 'x' }]
const large = 'x'.repeat(300 * 1024)

/** What one after another may do to an execution: nothing, failures, all or nothing, an end in the middle, a lock. */
const ways: readonly ((root: string, round: number) => Promise<unknown>)[] = [
  (root, round) => run(root, [write('a.txt', `${round}`), write(`dir/${round % 5}/b.txt`, large + round)]),
  (root, round) => run(root, [missing, write('a.txt', `failed ${round}`), ['file_read', { path: 'gone.txt' }]]),
  (root, round) => run(root, [write('a.txt', `atomic ${round}`), missing], { atomic: true }),
  (root, round) => run(root, [write('a.txt', `whole ${round}`), write('c.txt', large)], { atomic: true }),
  async (root, round) => {
    const stop = new AbortController()
    const calls = Array.from({ length: 20 }, (_, at) => write(`d${at}.txt`, `${round}`))
    const onAction = ({ seq }: { seq: number }): void => (seq === 3 ? stop.abort() : undefined)
    await new Clada({ repoPath: root, git: 'off' }).execute(documentOf(root, calls), { signal: stop.signal, onAction })
  },
  (root) =>
    run(root, [
      ['file_move', { old_path: 'c.txt', new_path: 'moved.txt' }],
      ['file_delete', { path: 'd1.txt' }],
    ]),
  (root) => undoIn(root, 'off'),
  (root) => redoIn(root, 'off'),
  async (root, round) => {
    const lock = lockFileOf(root) ?? ''
    fs.writeFileSync(lock, JSON.stringify({ pid: process.pid, started: '', host: os.hostname(), nonce: 'held' }))
    await run(root, [write('a.txt', `locked ${round}`)], { lockTimeout: 0 })
    fs.rmSync(lock)
  },
  (root, round) => {
    // Whoever listens breaks down in the middle.
    const onAction = (): never => {
      throw new Error('not listening')
    }
    const calls = [write('a.txt', `heard ${round}`), write('e.txt', `${round}`)]
    return new Clada({ repoPath: root, git: 'off' }).execute(documentOf(root, calls), { onAction })
  },
  async (root, round) => {
    async function* texts(): AsyncGenerator<string> {
      yield documentOf(root, [write('a.txt', `came ${round}`)])
      throw new Error('the line is dead')
    }
    await new Clada({ repoPath: root, git: 'off' }).executeStream(texts())
  },
  async (root) => {
    // The directory of what was moved is swapped for a link before the record is written.
    const home = path.join(root, 'home')
    fs.rmSync(home, { recursive: true, force: true })
    fs.mkdirSync(home)
    fs.writeFileSync(path.join(root, 'guest.txt'), 'g')
    const onAction = (): void => {
      fs.rmSync(home, { recursive: true })
      fs.symlinkSync(root, home)
    }
    const calls: Call[] = [['file_move', { old_path: 'guest.txt', new_path: 'home/guest.txt' }]]
    await new Clada({ repoPath: root, git: 'off' }).execute(documentOf(root, calls), { onAction })
  },
  async (root) => {
    const clada = new Clada({ repoPath: root, git: 'off' })
    const { number = 0 } = (await clada.history())[0] ?? {}
    await Promise.all([clada.execution(number), clada.changesOf(number), clada.changedSince()])
  },
  (root, round) => new Clada({ repoPath: root, git: 'off' }).preview(documentOf(root, [write('a.txt', `${round}`)])),
]

const run = (root: string, calls: readonly Call[], options = {}): Promise<unknown> =>
  new Clada({ repoPath: root, git: 'off', ...options }).execute(documentOf(root, calls))

it.skipIf(!fs.existsSync(descriptors))(
  'a process that executes hundreds of documents holds nothing of them',
  { timeout: 300_000 },
  async () => {
    const root = scratchDir({ 'a.txt': 'a', 'c.txt': 'c' })
    const rounds = async (count: number): Promise<void> => {
      for (let round = 0; round < count; round++) await ways[round % ways.length]?.(root, round)
    }
    await rounds(ways.length * 3)
    expect(openBelow(root)).toEqual([])
    const before = { descriptors: fs.readdirSync(descriptors).length, memory: process.memoryUsage().heapUsed }
    await rounds(many ? 3000 : 200)
    expect(openBelow(root)).toEqual([])
    // A history of hundreds of executions is read again and again, but not kept: what is used then is used once.
    expect(process.memoryUsage().heapUsed - before.memory).toBeLessThan(200 * 1024 * 1024)
    // Other tests in the same process have some open too, but not for ever.
    const more = (): number => fs.readdirSync(descriptors).length - before.descriptors
    await expect.poll(more, { timeout: 60_000, interval: 200 }).toBeLessThan(20)
  },
)

it.skipIf(!fs.existsSync(descriptors))('an execution that git refuses leaves no process of git', async () => {
  const root = repository({ 'a.txt': 'a' })
  fs.writeFileSync(path.join(root, '.git/MERGE_HEAD'), git(root, 'rev-parse', 'HEAD'))
  const before = fs.readdirSync(descriptors).length
  for (let round = 0; round < 8; round++)
    expect(await execute(root, 'commit', [write('a.txt', 'b')])).toMatchObject({ success: false })
  await expect.poll(() => fs.readdirSync(descriptors).length - before, { timeout: 20_000 }).toBeLessThan(10)
})

it('what was done before a listener or the input broke down is written down and told', async () => {
  const root = scratchDir({ 'a.txt': 'a' })
  const calls = [write('a.txt', 'b'), write('b.txt', 'b')]
  const deaf = await new Clada({ repoPath: root, git: 'off' }).execute(documentOf(root, calls), {
    onAction: () => {
      throw new Error('not listening')
    },
  })
  expect(deaf).toMatchObject({ success: false, fatalError: 'onAction failed: not listening' })
  expect(deaf.results[0]).toMatchObject({ success: true })
  async function* texts(): AsyncGenerator<string> {
    yield documentOf(root, [write('a.txt', 'c')])
    throw new Error('the line is dead')
  }
  const broken = await new Clada({ repoPath: root, git: 'off' }).executeStream(texts())
  expect(broken).toMatchObject({
    fatalError: 'Unexpected error in execute: the line is dead',
    results: [{ success: true }],
  })
  expect(fs.existsSync(lockFileOf(root) ?? '')).toBe(false)
  await undoIn(root, 'off')
  await undoIn(root, 'off')
  expect(fs.readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('a')
})
