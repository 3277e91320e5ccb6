import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, inject, it } from 'vitest'
import { type ActionResult, Clada } from '../../packages/clada/src/index.ts'
import { ordinaryUser } from '../support/ordinary-user.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'
import { figure, many } from './endurance.ts'
import { leftovers, makeWork, tornFiles } from './kill.ts'
import { type Call, documentOf, execute, treeOf, undoIn } from './world.ts'
import { needs } from '../support/needs.ts'
import { commandOf } from '../support/cli.ts'

const work = makeWork(4, 8)
const cli = inject('cli')

/** Runs the command line under strace with one fault, after so many of these calls. */
function withFault(root: string, calls: string, fault: string, when: number, args: readonly string[]): void {
  const inject = `inject=${calls}:${fault}:when=${when}`
  const trace = ['-f', '-qq', '-o', '/dev/null', '-e', `trace=${calls}`, '-e', inject]
  spawnSync('strace', [...trace, ...commandOf(cli), '--root', root, '--quiet', ...args], {
    input: documentOf(root, work.calls),
    stdio: ['pipe', 'ignore', 'ignore'],
    timeout: 110_000,
  })
}

describe('faults by injection', () => {
  needs('strace')

  for (const [calls, fault, points] of [
    ['rename,renameat,renameat2', 'signal=KILL', [1, 2, 5, 8, 9]],
    ['link,linkat', 'signal=KILL', [1, 2, 4]],
    ['fsync,fdatasync', 'signal=KILL', [1, 4]],
    ['rename,renameat,renameat2', 'error=EIO', [1, 3]],
    ['fsync,fdatasync', 'error=EIO', [1, 3]],
    ['link,linkat', 'error=ENOSPC', [1, 2, 3]],
    ['mkdir,mkdirat', 'error=ENOSPC', [1, 2, 3]],
  ] as const) {
    for (const when of many ? Array.from({ length: 40 }, (_, at) => at + 1) : points) {
      it(
        `${fault} at the ${when}. ${calls.split(',')[0]}: old, new or told, and undone exactly`,
        { timeout: 60_000 },
        async () => {
          const root = scratchDir(work.files)
          const before = treeOf(root)
          withFault(root, calls, fault, when, ['--no-git'])
          expect(tornFiles(root, work)).toEqual([])
          await undoIn(root, 'off')
          expect(treeOf(root)).toEqual(before)
          expect(leftovers(root)).toEqual([])
          figure('fault', { points: 1 })
        },
      )
    }
  }
})

describe('an undo that meets a full disk', () => {
  needs('strace')

  for (const when of many ? Array.from({ length: 25 }, (_, at) => at + 1) : [3, 4, 9, 11, 12, 15, 17, 18, 20, 22]) {
    it(`at the ${when}. write: told, all or nothing, and gone on with`, { timeout: 60_000 }, async () => {
      // A file that became a directory, and one that a directory became.
      const root = scratchDir({ 'a.txt': 'a', 'd/e/f.txt': 'f', 'g.txt': 'g' })
      const before = treeOf(root)
      await execute(root, 'off', [
        ['file_write', { path: 'a.txt', content: 'A' }],
        ['file_delete', { path: 'd/e/f.txt' }],
        ['dir_delete', { path: 'd/e' }],
        ['file_write', { path: 'd/e', content: 'a file now' }],
        ['file_delete', { path: 'g.txt' }],
        ['file_write', { path: 'g.txt/h.txt', content: 'h' }],
      ])
      const after = treeOf(root)
      const fault = `inject=write,pwrite64:error=ENOSPC:when=${when}`
      const trace = ['-f', '-qq', '-o', '/dev/null', '-e', 'trace=write,pwrite64', '-e', fault]
      const args = [...trace, ...commandOf(cli), 'undo', '--root', root, '--no-git']
      const { stdout, stderr, status } = spawnSync('strace', args, { encoding: 'utf8', timeout: 110_000 })
      expect(stdout + stderr).not.toMatch(/\n\s+at /)
      // Where the fault hits Node itself, it dies like of any other crash.
      if (status !== null) {
        expect([before, after]).toContainEqual(treeOf(root))
        const executions = await new Clada({ repoPath: root }).history()
        // One that was taken back whole has not happened.
        expect(executions).toHaveLength(isDeepStrictEqual(treeOf(root), after) ? 1 : 2)
      }
      await undoIn(root, 'off', { number: 1 })
      expect(treeOf(root)).toEqual(before)
      expect(leftovers(root)).toEqual([])
    })
  }
})

const canMount = (): boolean => {
  const dir = fs.mkdtempSync('/tmp/clada-mount-')
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', dir], { stdio: 'ignore' })
    execFileSync('umount', [dir], { stdio: 'ignore' })
    return true
  } catch {
    return false
  } finally {
    fs.rmdirSync(dir)
  }
}

describe.skipIf(!canMount())('a small disk (skipped where nothing may be mounted)', () => {
  it('that is full: what did not fit is told, what did can be undone', async () => {
    const root = scratchDir()
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=600k', 'tmpfs', root])
    try {
      const big = 'x'.repeat(100_000)
      fs.writeFileSync(path.join(root, 'a.txt'), 'a')
      const before = treeOf(root)
      const calls = Array.from({ length: 8 }, (_, at) => ['file_write', { path: `f${at}.txt`, content: big }] as const)
      const result = await execute(root, 'off', calls)
      expect(result.success).toBe(false)
      expect(result.results.filter(({ success }) => !success).every(({ code }) => code === 'no_space')).toBe(true)
      expect(result.results.some(({ success }) => success)).toBe(true)
      const full = treeOf(root)
      const refused = await undoIn(root, 'off')
      if (!refused.success) {
        expect(refused).toMatchObject({ code: 'no_space' })
        expect(treeOf(root)).toEqual(full)
        execFileSync('mount', ['-o', 'remount,size=4m', root])
        expect(await undoIn(root, 'off')).toMatchObject({ success: true })
      }
      expect(treeOf(root)).toEqual(before)
    } finally {
      execFileSync('umount', ['-l', root])
    }
  })
})

describe('a directory that may not be written', () => {
  it('costs only what lies in it', () => {
    const root = scratchDir({ 'a.txt': 'a', 'closed/b.txt': 'b' })
    const clada = ordinaryUser(root)
    fs.chmodSync(path.join(root, 'closed'), 0o555)
    const calls: Call[] = [
      ['file_write', { path: 'closed/b.txt', content: 'B' }],
      ['file_write', { path: 'a.txt', content: 'A' }],
    ]
    const { results } = JSON.parse(clada(['--no-git', '--json'], documentOf(root, calls)).stdout)
    expect(results.map(({ code }: ActionResult) => code)).toEqual(['permission_denied', undefined])
    expect(filesIn(root)).toEqual({ 'a.txt': 'A', 'closed/b.txt': 'b' })
    expect(JSON.parse(clada(['undo', '--no-git', '--json']).stdout)).toMatchObject({
      success: true,
      restored: ['a.txt'],
    })
    fs.chmodSync(path.join(root, 'closed'), 0o755)
  })

  it('is refused by the file it holds: one that nobody may write', async () => {
    const root = scratchDir({ 'a.txt': 'a', 'b.txt': 'b' })
    fs.chmodSync(path.join(root, 'b.txt'), 0o444)
    const before = treeOf(root)
    const result = await execute(root, 'off', [
      ['file_write', { path: 'b.txt', content: 'B' }],
      ['file_write', { path: 'a.txt', content: 'A' }],
    ])
    expect(result.results.map(({ code }) => code)).toEqual(['permission_denied', undefined])
    await undoIn(root, 'off')
    expect(treeOf(root)).toEqual(before)
  })
})

it("state is kept in the user's own directory where the project has a link for it", async () => {
  const parent = scratchDir({ 'outside/keep.txt': 'x', 'project/a.txt': 'a' })
  const root = path.join(parent, 'project')
  fs.symlinkSync(path.join(parent, 'outside'), path.join(root, '.clada'))
  const old = process.env['XDG_STATE_HOME']
  process.env['XDG_STATE_HOME'] = path.join(parent, 'state')
  try {
    await execute(root, 'off', [['file_write', { path: 'a.txt', content: 'A' }]])
    expect(await undoIn(root, 'off')).toMatchObject({ success: true })
  } finally {
    if (old === undefined) delete process.env['XDG_STATE_HOME']
    else process.env['XDG_STATE_HOME'] = old
  }
  expect(fs.readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('a')
  expect(fs.readdirSync(path.join(parent, 'outside'))).toEqual(['keep.txt'])
})
