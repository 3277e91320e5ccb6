import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import type { ExecutionResult } from '../../packages/clada/src/index.ts'
import { lockFileOf } from '../../packages/clada/src/store/lock.ts'
import { replaceIndex } from '../../packages/clada/src/git/index-file.ts'
import { readRecord } from '../../packages/clada/src/store/record.ts'
import { skipWithout } from '../support/needs.ts'
import { fill, scratchDir, inState } from '../support/scratch.ts'
import { figure, many } from './endurance.ts'
import { killAt, leftovers, makeWork, progressOf, startClada, tornFiles } from './kill.ts'
import {
  asKilled,
  type Call,
  execute,
  git,
  type Mode,
  redoIn,
  repository,
  treeOf,
  undoIn,
  entriesOf,
  writeJournal,
  continueJournal,
} from './world.ts'

const work = makeWork(50, 200)
const cli = inject('cli')

describe('kill -9', () => {
  for (const [mode, atomic, few] of [
    ['off', false, 4],
    ['off', true, 3],
    ['shadow', false, 2],
    ['commit', false, 3],
  ] as const satisfies readonly (readonly [Mode, boolean, number])[]) {
    const rounds = many ? few * 25 : few
    it(
      `at ${rounds} moments, ${mode}${atomic ? ', atomic' : ''}: nothing is torn, and undo is exact`,
      { timeout: 3_600_000 },
      async () => {
        const args = ['--git', mode, ...(atomic ? ['--atomic'] : [])]
        const size = await wholeProgress(args, mode)
        let interrupted = 0
        // Goes on until one was hit in the middle, which takes some tries on a fast machine.
        let round = 0
        for (; round < rounds || (interrupted === 0 && round < rounds * 10); round++) {
          const root = mode === 'off' ? scratchDir(work.files) : repository(work.files)
          const before = treeOf(root)
          const point = ((mode === 'off' ? 1 : 1.3) * ((round % rounds) + Math.random())) / rounds
          await killAt(startClada(cli, root, work.calls, ...args), root, point, size)
          expect(tornFiles(root, work)).toEqual([])
          const dirty = JSON.stringify(withoutTemps(treeOf(root))) !== JSON.stringify(before)

          const result = await undoIn(root, mode)
          if (dirty && result.warnings?.some((warning) => warning.includes('was interrupted'))) interrupted++
          expect(result).toMatchObject({ success: dirty || result.success, conflicts: [] })
          expect(treeOf(root)).toEqual(before)
          expect(leftovers(root)).toEqual([])
          if (mode === 'off') continue
          expect(git(root, 'fsck', '--strict', '--no-dangling')).toBe('')
          expect(
            git(root, 'status', '--porcelain')
              .split('\n')
              .filter((line) => line !== '' && !line.includes('.clada')),
          ).toEqual([])
        }
        expect(interrupted).toBeGreaterThan(0)
        figure(`kill ${mode}${atomic ? ' atomic' : ''}`, {
          kills: round,
          interrupted,
          torn: 0,
          lost: 0,
          undoneExactly: round,
        })
      },
    )
  }
})

describe('a group that died before its first change', () => {
  const large = 'a line of a large file\n'.repeat(20_000)
  const files = { 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n', 'large.txt': large }
  const move = (from: string, to: string): Call => ['file_move', { old_path: from, new_path: to }]
  const append = (name: string): Call => ['file_append', { path: name, content: 'more' }]
  for (const [what, calls] of [
    ['a file is moved and edited', [move('a.txt', 'new.txt'), append('new.txt')]],
    ['a large file is moved and edited', [move('large.txt', 'd/new.txt'), append('d/new.txt')]],
    ['a file is moved over another and edited', [move('a.txt', 'b.txt'), append('b.txt')]],
    ['a file is moved twice and edited', [move('a.txt', 'b.txt'), move('b.txt', 'c.txt'), append('c.txt')]],
    ['two files exchange their names', [move('a.txt', 'x.txt'), move('b.txt', 'a.txt'), move('x.txt', 'b.txt')]],
    ['a copy is edited', [['file_copy', { old_path: 'large.txt', new_path: 'copy.txt' }], append('copy.txt')]],
    [
      'a file is deleted and made again',
      [
        ['file_delete', { path: 'large.txt' }],
        ['file_write', { path: 'large.txt', content: 'new' }],
      ],
    ],
    [
      'a file is moved and another one made at its old name',
      [move('a.txt', 'new.txt'), ['file_write', { path: 'a.txt', content: 'new' }], append('a.txt'), append('new.txt')],
    ],
  ] as const satisfies readonly (readonly [string, readonly Call[]])[]) {
    it(`is undone to what was there: ${what}`, async () => {
      const whole = scratchDir(files)
      const before = treeOf(whole)
      expect(await execute(whole, 'off', calls, { atomic: true })).toMatchObject({ success: true })
      const journal = entriesOf(whole)
      asKilled(whole)
      const dead = entriesOf(whole)
      expect(dead.length).toBeLessThan(journal.length)
      // Any number of its entries, while everything is as it was: changes that were announced and not made.
      for (let count = 1; count <= dead.length; count++) {
        const root = scratchDir(files)
        await execute(root, 'off', [append('a.txt')])
        await undoIn(root, 'off')
        fs.cpSync(inState(whole, 'objects'), inState(root, 'objects'), { recursive: true })
        const moved: object[] = JSON.parse(JSON.stringify(dead.slice(0, count)).replaceAll(whole, root))
        writeJournal(root, 3, moved)
        await execute(root, 'off', [append('b.txt')])
        await undoIn(root, 'off')
        const undone = await undoIn(root, 'off', { number: 3 })
        expect([undone.conflicts, undone.restored]).toEqual([[], []])
        expect(treeOf(root)).toEqual(before)
      }
    })
  }
})

const withoutTemps = (tree: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(tree).filter(([name]) => !/\.clada-.*\.tmp$/.test(name)))

/** How much is recorded when nobody kills it. */
async function wholeProgress(args: readonly string[], mode: Mode): Promise<number> {
  const root = mode === 'off' ? scratchDir(work.files) : repository(work.files)
  await once(startClada(cli, root, work.calls, ...args), 'close')
  return progressOf(root)
}

describe('an execution that died', () => {
  it('is told of at the next start, with what was and was not done', async () => {
    const root = scratchDir({ 'a.txt': 'a', 'b.txt': 'b' })
    await execute(root, 'off', [['file_write', { path: 'a.txt', content: 'A' }]])
    const dead = asKilled(root)
    fs.appendFileSync(inState(root, 'history/1/journal'), '{"torn li')
    fs.writeFileSync(lockFileOf(root) ?? '', JSON.stringify({ ...dead, nonce: 'abc' }))

    const next = await execute(root, 'off', [['file_write', { path: 'b.txt', content: 'B' }]])
    expect(next.success).toBe(true)
    expect(next.warnings).toEqual([
      'execution 1 was interrupted: clada was stopped before it was complete. Action 1 is complete; all others are ' +
        'missing or partial. It changed a.txt. To revert it: clada undo 1. To continue instead: run the missing ' +
        'actions again.',
    ])
    // As the warning says: the last one is another by now.
    expect(await undoIn(root, 'off', { number: 1 })).toMatchObject({ success: true, execution: 1 })
    expect(treeOf(root)).toEqual({ 'a.txt': '644 a', 'b.txt': '644 B' })
    expect(await undoIn(root, 'off')).toMatchObject({ success: true, execution: 2 })
    expect(treeOf(root)).toEqual({ 'a.txt': '644 a', 'b.txt': '644 b' })
  })

  it('while git saved it is told of once, and what it left on its way is swept', async () => {
    const root = repository({ 'a.txt': 'a', 'b.txt': 'b' })
    await execute(root, 'commit', [['file_write', { path: 'a.txt', content: 'A' }]])
    const dir = inState(root, 'history/1')
    // As if it had been killed between its record and its commit.
    git(root, 'reset', '-q', '--mixed', 'HEAD~')
    const record = readRecord(path.dirname(dir), 1)
    asKilled(root)
    const log = continueJournal(root)
    log.addRecord({ ...record, mode: 'off' })
    log.syncNow()
    log.close()
    fill(dir, { 'git/x': '' })

    const next = (content: string): Promise<ExecutionResult> =>
      execute(root, 'commit', [['file_append', { path: 'b.txt', content }]])
    expect((await next('1')).warnings).toEqual([
      'execution 1 was interrupted at its end: clada was stopped while it saved the result. All changes are complete; ' +
        'its commit may be missing. It changed a.txt. To revert it: clada undo 1.',
      expect.stringMatching(/^uncommitted changes \(a\.txt\) were committed first, as /),
    ])
    expect(fs.readdirSync(dir).sort()).toEqual(['journal'])
    expect((await next('2')).warnings ?? []).toEqual([])
    expect(await undoIn(root, 'commit', { number: 1 })).toMatchObject({ success: true, restored: ['a.txt'] })
  })

  it('may be an undo, which can be taken back or gone on with', async () => {
    const died = async (): Promise<string> => {
      const root = scratchDir({ 'a.txt': 'a', 'b.txt': 'b' })
      await execute(root, 'off', [
        ['file_write', { path: 'a.txt', content: 'A' }],
        ['file_write', { path: 'b.txt', content: 'B' }],
      ])
      await undoIn(root, 'off')
      asKilled(root, 2)
      fill(root, { 'b.txt': 'B' })
      return root
    }
    const first = await died()
    const undone = await undoIn(first, 'off')
    expect(undone).toMatchObject({ success: true, execution: 2, restored: ['a.txt'] })
    expect(undone.warnings).toEqual([
      'execution 2 (undo of execution 1) was interrupted: clada was stopped before it was complete. It changed a.txt. ' +
        'To revert it: clada undo 2. To continue instead: clada undo 1.',
    ])
    expect(treeOf(first)).toEqual({ 'a.txt': '644 A', 'b.txt': '644 B' })
    expect(await undoIn(first, 'off')).toMatchObject({ success: true, execution: 1 })
    expect(treeOf(first)).toEqual({ 'a.txt': '644 a', 'b.txt': '644 b' })

    const second = await died()
    expect(await undoIn(second, 'off', { number: 1 })).toMatchObject({ success: true, restored: ['b.txt'] })
    expect(treeOf(second)).toEqual({ 'a.txt': '644 a', 'b.txt': '644 b' })
    expect(await undoIn(second, 'off')).toMatchObject({ success: false, error: 'There is nothing left to undo.' })
  })

  it('is an undo or redo that has happened, where everything is as it was to be', async () => {
    const root = scratchDir({ 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' })
    await execute(root, 'off', [['file_write', { path: 'c.txt', content: 'C' }]])
    await execute(root, 'off', [
      ['file_write', { path: 'a.txt', content: 'A' }],
      ['file_move', { old_path: 'b.txt', new_path: 'd/b.txt' }],
    ])
    const died = (number: number): object => asKilled(root, number)
    const told = (number: number, kind: string): string =>
      `execution ${number} (${kind} of execution 2) was interrupted at its end: clada was stopped while it saved the ` +
      'result. All changes are complete; its commit may be missing. It changed '
    await undoIn(root, 'off')
    died(3)
    const redone = await redoIn(root, 'off')
    expect(redone).toMatchObject({ success: true, execution: 2 })
    expect(redone.warnings).toEqual([expect.stringContaining(told(3, 'undo'))])
    expect(treeOf(root)).toMatchObject({ 'a.txt': '644 A', 'd/b.txt': '644 b' })
    died(4)
    const undone = await undoIn(root, 'off')
    expect(undone).toMatchObject({ success: true, execution: 2 })
    expect(undone.warnings).toEqual([expect.stringContaining(told(4, 'redo'))])
    died(5)
    expect(await undoIn(root, 'off')).toMatchObject({ success: true, execution: 1 })
    expect(treeOf(root)).toEqual({ 'a.txt': '644 a', 'b.txt': '644 b', 'c.txt': '644 c' })
  })

  it('is no complete undo while a file is missing where a directory was', async () => {
    const root = scratchDir({ 'a.txt': 'a', 'g.txt': 'g' })
    const before = treeOf(root)
    await execute(root, 'off', [
      ['file_write', { path: 'a.txt', content: 'A' }],
      ['file_delete', { path: 'g.txt' }],
      ['file_write', { path: 'g.txt/h.txt', content: 'h' }],
    ])
    await undoIn(root, 'off')
    // Killed when the directory was gone and the file not there yet.
    asKilled(root, 2)
    fs.rmSync(path.join(root, 'g.txt'))
    expect(await undoIn(root, 'off', { number: 1 })).toMatchObject({ success: true })
    expect(treeOf(root)).toEqual(before)
  })

  it('gives back modes that a program changed', async (context) => {
    skipWithout(context, 'sandbox')
    const root = scratchDir({ 'a.txt': 'a', 'dir/b.txt': 'b' })
    const before = treeOf(root)
    await execute(root, 'off', [['exec', { lang: 'bash', code: 'chmod 600 a.txt; chmod 700 dir' }]])
    expect(treeOf(root)).not.toEqual(before)
    asKilled(root)
    expect(await undoIn(root, 'off')).toMatchObject({ success: true, conflicts: [] })
    expect(treeOf(root)).toEqual(before)
    expect(fs.statSync(path.join(root, 'dir')).mode & 0o777).toBe(0o755)
  })

  it('does not take what the user wrote after it', async () => {
    const root = scratchDir({ 'a.txt': 'a' })
    await execute(root, 'off', [['file_write', { path: 'a.txt', content: 'A' }]])
    asKilled(root)
    fill(root, { 'a.txt': 'mine' })
    expect(await undoIn(root, 'off')).toMatchObject({
      success: false,
      conflicts: [{ path: 'a.txt', reason: 'it was changed since' }],
    })
    expect(treeOf(root)).toEqual({ 'a.txt': '644 mine' })
  })

  it.each([
    ['finishes an index that was half replaced', true, 'commit'],
    ['reverts it where the branch has not moved', false, 'commit'],
    ['does so without git too, for the git of the user', true, 'off'],
  ] as const)('%s', async (_, moved, mode) => {
    const root = repository({ 'a.txt': 'a' })
    await execute(root, 'commit', [['file_write', { path: 'a.txt', content: 'A' }]])
    // The moment between the two steps: the branch has moved (or not), the index has not.
    const copy = inState(root, 'history/1/git/index-0')
    fs.mkdirSync(path.dirname(copy))
    fs.copyFileSync(path.join(root, '.git/index'), copy)
    const commit = git(root, 'rev-parse', 'HEAD').trim()
    git(root, 'read-tree', 'HEAD~1')
    if (!moved) git(root, 'update-ref', 'HEAD', 'HEAD~1')
    await dieWithLock(root, copy, commit)
    asKilled(root)
    const write = ['file_write', { path: 'b.txt', content: 'B' }] as const
    expect(await execute(root, mode, [write])).toMatchObject({ success: true })
    expect(leftovers(root)).toEqual([])
    expect(git(root, 'status', '--porcelain')).toBe(mode === 'off' ? '?? b.txt\n' : '')
  })

  it('leaves the index lock of another git, whatever it left itself', async () => {
    const root = repository({ 'a.txt': 'a' })
    const copy = path.join(root, '.git/index-0')
    fs.copyFileSync(path.join(root, '.git/index'), copy)
    await dieWithLock(root, copy, git(root, 'rev-parse', 'HEAD').trim())
    fs.writeFileSync(path.join(root, '.git/index.lock'), 'of another git')
    const write = ['file_write', { path: 'b.txt', content: 'B' }] as const
    expect(await execute(root, 'commit', [write])).toMatchObject({ fatalCode: 'git_operation_failed' })
    expect(fs.readFileSync(path.join(root, '.git/index.lock'), 'utf8')).toBe('of another git')
  })
})

/** Holds the index lock as a run that was killed: its copy of the index is gone, as after a power cut. */
async function dieWithLock(root: string, copy: string, commit: string): Promise<void> {
  const gitDir = path.join(root, '.git')
  await new Promise<void>((locked) => {
    const move = (): Promise<boolean> => {
      locked()
      return new Promise(() => {})
    }
    void replaceIndex({ gitDir, commonDir: gitDir, top: root }, { copy, commit, move })
  })
  fs.rmSync(copy)
}
