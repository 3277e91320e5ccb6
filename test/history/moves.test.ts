import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { Clada } from '../../packages/clada/src/index.ts'
import { adoptHistory } from '../../packages/clada/src/history/take-over.ts'
import { clada as run } from '../support/cli.ts'
import { fill, inState, scratchDir } from '../support/scratch.ts'
import { asKilled, type Call, execute, git, isBack, keptBy, repository, treeOf } from './world.ts'

const clada = (root: string): Clada => new Clada({ repoPath: root })
const at = (root: string, name: string): string => git(root, 'rev-parse', name).trim()
const status = (root: string): string => git(root, 'status', '--porcelain', '-uall')
const refs = (root: string): string => git(root, 'for-each-ref', '--format=%(refname)', 'refs/clada/kept')
const write = (content: string): Call => ['file_write', { path: 'a.txt', content }]

/** a.txt is 1, 2, then 3, by two executions. */
async function twoExecutions(): Promise<string> {
  const root = repository({ 'a.txt': '1\n' })
  for (const content of ['2\n', '3\n']) await execute(root, 'commit', [write(content)])
  return root
}

describe('the history', () => {
  it('lists steps and squashes, with what they changed and whether they are reverted', async () => {
    const root = await twoExecutions()
    await clada(root).back()
    await clada(root).back()
    await clada(root).forward()
    const [tip, middle, first] = git(root, 'rev-list', 'main').trim().split('\n')
    const short = (commit = ''): string => commit.slice(0, 8)
    const steps = (await clada(root).history()).slice(2)
    expect(
      steps.map(({ number, kind, of, summary, undone, paths }) => [number, kind, of, summary, undone, paths]),
    ).toEqual([
      [3, 'back', undefined, `back to ${short(middle)}`, false, ['a.txt']],
      [4, 'back', undefined, `back to ${short(first)}`, true, ['a.txt']],
      [5, 'forward', 4, `forward to ${short(middle)}`, false, ['a.txt']],
    ])
    expect((await clada(root).execution(3))?.diffs).toMatchObject([
      { path: 'a.txt', diff: expect.stringContaining('-3\n+2') },
    ])
    const { fatalError } = await execute(root, 'off', [write('x')])
    expect(fatalError).toContain('the project is at an older commit since clada back: 1 step back from main')
    await clada(root).forward()
    await clada(root).squash()
    const lines = run(['history', '--root', root], { cwd: root }).stdout.trim().split('\n')
    expect(lines.map((line) => line.replace(/^(\d+) +\S+ \S+ +/, '$1 ')).slice(2)).toEqual([
      `3 back to ${short(middle)}  (undone)`,
      `4 back to ${short(first)}  (undone)`,
      `5 forward to ${short(middle)}`,
      '6 forward to main',
      '7 squash 2 commits',
    ])
    expect(at(root, keptBy(root, 7))).toBe(tip)
  })

  it('takes what a step changed for nobody’s change', async () => {
    const root = await twoExecutions()
    fill(root, { 'a.txt': 'mine\n' })
    await clada(root).back()
    expect(await clada(root).changedSince()).toEqual([])
    await clada(root).forward()
    expect((await clada(root).history()).map(({ meanwhile }) => meanwhile)).toEqual([
      undefined,
      undefined,
      ['a.txt'],
      undefined,
    ])
    fill(root, { 'a.txt': '3\n' })
    const edit: Call = ['file_replace_text', { path: 'a.txt', old_text: '2', new_text: 'x' }]
    const { results } = await execute(root, 'off', [edit])
    expect(results[0]?.details?.changed_by).toEqual({ execution: 2, action: 1 })
  })

  it('knows a document again that ran before a step', async () => {
    const root = await twoExecutions()
    await clada(root).back()
    await clada(root).forward()
    expect((await execute(root, 'commit', [write('3\n')])).warnings?.join()).toContain('execution 2')
  })
})

describe('undo', () => {
  it('of a squash puts the branch back, with what is staged, and redo squashes again', async () => {
    const root = await twoExecutions()
    const before = at(root, 'HEAD')
    fill(root, { 'a.txt': 'dirty\n', 'b.txt': 'staged\n' })
    git(root, 'add', 'b.txt')
    const seen = [treeOf(root), status(root)]
    await clada(root).squash()
    const squashed = at(root, 'HEAD')
    git(root, 'reflog', 'expire', '--expire=now', '--all')
    git(root, 'gc', '-q', '--prune=now')
    expect(await clada(root).undo({ number: 3 })).toMatchObject({
      success: true,
      execution: 3,
      summary: 'squash 2 commits',
      restored: [],
      warnings: [expect.stringMatching(/^main is at [0-9a-f]{8} again; /)],
    })
    expect([at(root, 'HEAD'), treeOf(root), status(root)]).toEqual([before, ...seen])
    expect(await clada(root).undo({ number: 3 })).toMatchObject({
      success: false,
      error: expect.stringContaining('already undone'),
    })
    git(root, 'reflog', 'expire', '--expire=now', '--all')
    git(root, 'gc', '-q', '--prune=now')
    expect(await clada(root).redo()).toMatchObject({ success: true, execution: 3 })
    expect([at(root, 'HEAD'), treeOf(root), status(root)]).toEqual([squashed, ...seen])
    expect(git(root, 'fsck', '--strict', '--no-dangling')).toBe('')
  })

  it('of a squash is refused where the branch has moved on', async () => {
    const root = await twoExecutions()
    await clada(root).squash()
    git(root, 'commit', '-q', '--allow-empty', '-m', 'mine')
    const head = at(root, 'HEAD')
    expect(await clada(root).undo({ number: 3 })).toMatchObject({
      success: false,
      code: 'concurrent_modification',
      error: expect.stringMatching(
        /^Nothing was undone: the branch is not moved back to [0-9a-f]{8}: it has moved on since\.$/,
      ),
    })
    expect([at(root, 'HEAD'), (await clada(root).history()).length]).toEqual([head, 3])
  })

  it('without a number is of what was executed, not of how HEAD moved', async () => {
    const root = await twoExecutions()
    await clada(root).squash()
    await clada(root).back()
    await clada(root).forward()
    expect(await clada(root).undo()).toMatchObject({ success: true, execution: 2 })
    expect(treeOf(root)['a.txt']).toBe('644 2\n')
  })

  it('of a step names the command for it', async () => {
    const root = await twoExecutions()
    await clada(root).back()
    expect(await clada(root).undo({ number: 3 })).toMatchObject({
      success: false,
      error: expect.stringContaining('Return to the newest commit with clada forward first.'),
    })
    await clada(root).forward()
    expect(await clada(root).undo({ number: 3 })).toMatchObject({
      success: false,
      error: 'Execution 3 went one commit back, and clada forward has reverted it.',
    })
    expect(await clada(root).undo({ number: 4 })).toMatchObject({
      success: false,
      error: 'Execution 4 went one commit forward. To go back: clada back.',
    })
    expect(await clada(root).redo()).toMatchObject({ success: false, error: 'There is nothing to redo.' })
  })
})

describe('a move of HEAD that died', () => {
  it('after it was done is recorded as it is', async () => {
    const root = await twoExecutions()
    fill(root, { 'b.txt': 'mine\n' })
    const tip = treeOf(root)
    const steps = [() => clada(root).back(), () => clada(root).forward(), () => clada(root).squash()]
    const kinds = ['back', 'forward', 'squash']
    const ways = ['clada forward', 'clada back', 'clada undo 5']
    for (const [nth, step] of steps.entries()) {
      expect(await step()).toMatchObject({ success: true })
      asKilled(root, nth + 3)
      if (nth === 1) git(root, 'update-ref', keptBy(root, 3), 'HEAD')
      const next = nth === 0 ? await clada(root).back() : await clada(root).undo({ number: 99 })
      const died = `execution ${nth + 3} (${kinds[nth]}) was interrupted at its end: clada was stopped while it saved the result.`
      const changed = nth === 2 ? '' : ' It changed a.txt, b.txt.'
      expect(next.warnings).toEqual([`${died} All changes are complete.${changed} To revert it: ${ways[nth]}.`])
      if (nth === 0) await clada(root).forward()
      expect(refs(root) === '').toBe(nth === 1)
      const { kind, interrupted } = (await clada(root).history())[nth + 2] ?? {}
      expect([kind, interrupted]).toEqual([kinds[nth], false])
      if (nth === 0) fs.rmSync(inState(root, 'history/4'), { recursive: true })
      if (nth === 0) fs.rmSync(inState(root, 'history/5'), { recursive: true })
    }
    expect(treeOf(root)).toEqual(tip)
  })

  it('before it began has not happened, and leaves nothing', async () => {
    const root = await twoExecutions()
    fill(root, { 'b.txt': 'mine\n' })
    const before = [treeOf(root), status(root), at(root, 'HEAD')]
    await clada(root).back()
    await clada(root).forward()
    fs.rmSync(inState(root, 'history/4'), { recursive: true })
    asKilled(root, 3)
    git(root, 'update-ref', keptBy(root, 3), 'HEAD')
    expect(await execute(root, 'off', [['file_write', { path: 'c.txt', content: 'c' }]])).toMatchObject({
      success: true,
    })
    expect([(await clada(root).history()).map(({ kind }) => kind), refs(root)]).toEqual([['run', 'run', 'run'], ''])
    fs.rmSync(path.join(root, 'c.txt'))
    expect([treeOf(root), status(root), at(root, 'HEAD')]).toEqual(before)
  })

  it('is an undo that has not moved the branch back yet: it goes on', async () => {
    const root = await twoExecutions()
    await clada(root).squash()
    const squashed = at(root, 'HEAD')
    await clada(root).undo({ number: 3 })
    asKilled(root, 4)
    git(root, 'reset', '-q', '--soft', squashed)
    expect(await clada(root).undo({ number: 3 })).toMatchObject({ success: true })
    expect(git(root, 'rev-list', '--count', 'HEAD').trim()).toBe('3')
  })
})

describe('what git keeps for an execution', () => {
  it('is each directory’s and each worktree’s own', async () => {
    const top = repository({ 'x/a.txt': '1\n', 'y/a.txt': '1\n' })
    fill(top, { 'x/a.txt': '2\n', 'y/a.txt': '2\n' })
    git(top, 'commit', '-q', '-am', 'second')
    const other = path.join(scratchDir(), 'other')
    git(top, 'worktree', 'add', '-q', '-b', 'other', other)
    const roots = [path.join(top, 'x'), other]
    for (const root of roots) {
      fill(root, { 'new.txt': `${root}\n` })
      await clada(root).back()
    }
    expect(refs(top).trim().split('\n').sort()).toEqual(roots.map((root) => keptBy(root, 1)).sort())
    expect(await clada(path.join(top, 'y')).back()).toMatchObject({ success: false })
    for (const root of roots)
      expect(await clada(root).forward()).toMatchObject({ success: true, restored_files: ['new.txt'] })
    expect(refs(top)).toBe('')
  })

  it('goes with the record', async () => {
    const root = await twoExecutions()
    const small = new Clada({ repoPath: root, limits: { historyBytes: 1000 } })
    await small.squash()
    expect(refs(root)).toBe(`${keptBy(root, 3)}\n`)
    await execute(root, 'commit', [write('large\n'.repeat(200))])
    expect(await small.perform('file_write', { path: 'a.txt', content: 'x' })).toMatchObject({
      warnings: [expect.stringContaining('executions 1 to 3 were removed')],
    })
    expect(refs(root)).toBe('')
  })

  it('stays as long as a step back is in effect, whatever it takes', async () => {
    const root = repository({ 'a.txt': '1\n' })
    for (let count = 0; count < 17; count++) git(root, 'commit', '-q', '--allow-empty', '-m', `${count}`)
    const small = new Clada({ repoPath: root, limits: { historyBytes: 1000 } })
    fill(root, { 'a.txt': 'uncommitted\n'.repeat(200) })
    const tip = [treeOf(root), status(root)]
    for (let count = 0; count < 17; count++) expect(await small.back()).toMatchObject({ success: true })
    for (let count = 0; count < 17; count++) expect(await small.forward()).toMatchObject({ success: true })
    expect([treeOf(root), status(root), await isBack(root)]).toEqual([...tip, false])
    expect(fs.readdirSync(inState(root, 'objects')).length).toBeGreaterThan(0)
    // What git has again is not kept for long.
    git(root, 'checkout', '-q', 'a.txt')
    for (let number = 35; number < 49; number++) await execute(root, 'off', [write(`${number}`)])
    await small.perform('file_write', { path: 'a.txt', content: 'x' })
    const left = fs
      .readdirSync(inState(root, 'objects'))
      .map((name) => fs.statSync(inState(root, 'objects', name)).size)
    expect(left.reduce((sum, size) => sum + size, 0)).toBeLessThan(1000)
  })

  it('moves along with a project that is trusted again', async () => {
    const parent = scratchDir()
    const [root, moved] = [path.join(parent, 'one'), path.join(parent, 'two')]
    fs.cpSync(await twoExecutions(), root, { recursive: true })
    await execute(root, 'commit', [write('4\n')])
    await clada(root).squash()
    const old = refs(root)
    fs.renameSync(root, moved)
    await adoptHistory(moved, { git: 'commit', author: null, lockFile: null, lockMs: 1000 })
    expect(refs(moved)).not.toBe(old)
    expect(refs(moved)).toBe(`${keptBy(moved, 2)}\n`)
  })
})
