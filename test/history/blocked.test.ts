import fs from 'node:fs'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { Clada } from '../../packages/clada/src/api/clada.ts'
import { ordinaryUser } from '../support/ordinary-user.ts'
import { clada } from '../support/cli.ts'
import { scratchDir } from '../support/scratch.ts'
import { type Call, documentOf, execute, git, repository, treeOf, undoIn } from './world.ts'

const write = (content: string): Call => ['file_write', { path: 'a.txt', content }]

for (const [what, name, content] of [
  ['HEAD, empty', '.git/HEAD.lock', () => ''],
  ['the checkpoints', '.git/refs/clada/checkpoints.lock', (commit: string) => `${commit}\n`],
] as const) {
  it(`the lock of ${what} that a killed run left is removed, and that of somebody else is not`, async () => {
    const root = repository({ 'a.txt': 'a' })
    const mode = what === 'the checkpoints' ? 'shadow' : 'commit'
    await execute(root, mode, [write('1')])
    const lock = path.join(root, name)
    const commit = 'c'.repeat(40)
    fs.writeFileSync(lock, content(commit))
    expect(await execute(root, mode, [write('2')])).toMatchObject({ fatalCode: 'git_operation_failed' })
    expect(fs.existsSync(lock)).toBe(true)
    // What the run notes before git takes the lock.
    fs.writeFileSync(path.join(root, `.git/clada-moves-to-${commit}`), '')
    expect(await execute(root, mode, [write('3')])).toMatchObject({ success: true })
    expect(git(root, 'status', '--porcelain')).toBe(mode === 'commit' ? '' : ' M a.txt\n')
    expect(fs.readdirSync(path.join(root, '.git')).filter((one) => /clada-moves|lock/.test(one))).toEqual([])
  })
}

it('a git that hangs is reported, nothing is half done, and a program that it started is not waited for', async () => {
  const root = repository({ 'a.txt': 'a' })
  const bin = scratchDir()
  fs.writeFileSync(path.join(bin, 'git'), `#!/bin/sh\nsleep 60 &\necho $! > ${bin}/pid\nwait\n`, { mode: 0o755 })
  const before = treeOf(root)
  const { status, stdout } = clada(['run', '-', '--git', 'commit', '--total-timeout', '1'], {
    cwd: root,
    input: documentOf(root, [write('b')]),
    env: { PATH: `${bin}:${process.env['PATH']}` },
  })
  // Throws if it has ended.
  process.kill(Number(fs.readFileSync(path.join(bin, 'pid'), 'utf8')), 'SIGKILL')
  expect(stdout).toMatch(/git \S+ gave no answer for 2 s/)
  expect(status).toBe(1)
  expect(treeOf(root)).toEqual(before)
  expect(await execute(root, 'commit', [write('b')])).toMatchObject({ success: true })
})

it('a state directory that cannot be written to does not split the history', () => {
  const root = scratchDir({ 'a.txt': 'a', '.git/HEAD': 'ref: refs/heads/main\n' })
  const run = ordinaryUser(root)
  expect(run(['run', '-', '--no-git'], documentOf(root, [write('b')])).status).toBe(0)
  const [id = ''] = fs.readdirSync(path.join(root, '.git/clada'))
  const state = path.join(root, '.git/clada', id)
  fs.chmodSync(state, 0o555)
  const refused = run(['run', '-', '--no-git'], documentOf(root, [write('c')]))
  fs.chmodSync(state, 0o755)
  expect(refused.stdout + refused.stderr).toContain('cannot be written to, and the history of this project is in it')
  expect([refused.status, fs.readFileSync(path.join(root, 'a.txt'), 'utf8')]).toEqual([1, 'b'])
  expect(run(['undo', '--no-git'])).toMatchObject({ status: 0 })
})

it.skipIf(process.geteuid?.() !== 0)('a run as root leaves the history of somebody else as it is', async () => {
  const root = scratchDir({ 'a.txt': 'a', '.git/HEAD': 'ref: refs/heads/main\n' })
  const run = ordinaryUser(root)
  const document = (content: string): string => documentOf(root, [write(content)])
  expect(run(['run', '-', '--no-git'], document('b')).status).toBe(0)
  const before = treeOf(path.join(root, '.git/clada'))
  expect(await new Clada({ repoPath: root, git: 'off' }).execute(document('c'))).toMatchObject({ success: true })
  expect(await undoIn(root, 'off')).toMatchObject({ success: true, execution: 1 })
  expect(await undoIn(root, 'off')).toMatchObject({ success: false })
  expect(treeOf(path.join(root, '.git/clada'))).toEqual(before)
  expect(run(['undo', '--no-git'])).toMatchObject({ status: 0 })
  expect(fs.readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('a')
})

it.skipIf(!fs.existsSync('/dev/shm'))('a project in shared memory works', async () => {
  const root = fs.mkdtempSync('/dev/shm/clada-test-')
  onTestFinished(() => fs.rmSync(root, { recursive: true, force: true }))
  fs.writeFileSync(path.join(root, 'a.txt'), 'a')
  expect(await execute(root, 'off', [write('b')])).toMatchObject({ success: true })
  expect(await undoIn(root, 'off')).toMatchObject({ success: true })
})
