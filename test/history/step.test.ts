import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { Clada } from '../../packages/clada/src/index.ts'
import { skipWithout } from '../support/needs.ts'
import { fill, scratchDir, fillState } from '../support/scratch.ts'
import { asKilled, type Call, execute, git, isBack, repository, treeOf } from './world.ts'

const clada = (root: string): Clada => new Clada({ repoPath: root })
const status = (root: string): string => git(root, 'status', '--porcelain', '-uall')

/** Three commits: a.txt is 1, then 2, then 3; b.txt comes with the second, the third makes run.sh executable. */
function threeCommits(): string {
  const root = repository({ 'a.txt': '1\n', 'run.sh': 'x\n', 'keep.txt': 'k\n' })
  fill(root, { 'a.txt': '2\n', 'dir/b.txt': 'b\n' })
  git(root, 'add', '-A')
  git(root, 'commit', '-q', '-m', 'second')
  fill(root, { 'a.txt': '3\n' })
  fs.chmodSync(path.join(root, 'run.sh'), 0o755)
  git(root, 'commit', '-q', '-am', 'third')
  return root
}

const write: Call = ['file_write', { path: 'a.txt', content: 'written\n' }]

describe('back and forward', () => {
  it('walk along the first parents and return to the branch', async () => {
    const root = threeCommits()
    const tip = treeOf(root)
    const [third, second, first] = git(root, 'rev-list', 'HEAD').trim().split('\n')
    expect(await clada(root).back()).toEqual({ success: true, commit: second })
    expect(git(root, 'rev-parse', 'HEAD').trim()).toBe(second)
    expect(() => git(root, 'symbolic-ref', '-q', 'HEAD')).toThrow()
    expect(treeOf(root)).toMatchObject({ 'a.txt': '644 2\n', 'run.sh': '644 x\n' })
    expect(await clada(root).back()).toEqual({ success: true, commit: first })
    expect(fs.existsSync(path.join(root, 'dir/b.txt'))).toBe(false)
    expect(status(root)).toBe('')
    expect(await clada(root).back()).toMatchObject({ success: false, error: expect.stringContaining('first commit') })
    expect(await clada(root).forward()).toEqual({ success: true, commit: second })
    expect(await clada(root).forward()).toEqual({ success: true, commit: third, branch: 'main' })
    expect(treeOf(root)).toEqual(tip)
    expect(status(root)).toBe('')
    expect(await clada(root).forward()).toMatchObject({
      success: false,
      error: expect.stringContaining('newest commit'),
    })
  })

  it('pass over committed files that are read-only, as git does', async () => {
    const root = threeCommits()
    for (const name of ['a.txt', 'dir/b.txt', 'run.sh']) fs.chmodSync(path.join(root, name), 0o444)
    git(root, 'commit', '-q', '-am', 'no longer executable')
    const tip = treeOf(root)
    for (let step = 0; step < 3; step++) expect(await clada(root).back()).toMatchObject({ success: true })
    expect(treeOf(root)).toMatchObject({ 'a.txt': '444 1\n' })
    expect(fs.existsSync(path.join(root, 'dir/b.txt'))).toBe(false)
    expect(status(root)).toBe('')
    for (let step = 0; step < 3; step++) expect(await clada(root).forward()).toMatchObject({ success: true })
    expect(treeOf(root)).toEqual(tip)
    expect(status(root)).toBe('')
  })

  it('put aside what is uncommitted and staged, and bring it back', async () => {
    const root = threeCommits()
    fill(root, { 'a.txt': 'staged\n', 'new.txt': 'new\n', 'staged.txt': 's\n', '.env': 'SECRET\n' })
    git(root, 'add', 'a.txt', 'staged.txt')
    fill(root, { 'a.txt': 'staged and more\n' })
    fs.rmSync(path.join(root, 'keep.txt'))
    const tree = treeOf(root)
    const before = [status(root), git(root, 'diff', '--cached')]
    const stash = git(root, 'stash', 'list')
    const { success, stashed_files } = await clada(root).back()
    expect([success, stashed_files?.sort()]).toEqual([true, ['a.txt', 'keep.txt', 'new.txt', 'staged.txt']])
    expect(status(root)).toBe('?? .env\n')
    expect(treeOf(root)).toMatchObject({ 'a.txt': '644 2\n', 'keep.txt': '644 k\n', '.env': '644 SECRET\n' })
    await clada(root).back()
    await clada(root).forward()
    expect(await clada(root).forward()).toMatchObject({
      success: true,
      branch: 'main',
      restored_files: ['a.txt', 'keep.txt', 'new.txt', 'staged.txt'],
    })
    expect(treeOf(root)).toEqual(tree)
    expect([status(root), git(root, 'diff', '--cached')]).toEqual(before)
    expect(git(root, 'stash', 'list')).toBe(stash)
    expect(git(root, 'for-each-ref', 'refs/clada')).toBe('')
  })

  it('give files the line endings that git gives them, and give back those that they had', async () => {
    const root = repository({})
    git(root, 'config', 'core.autocrlf', 'true')
    const first = { 'a.txt': 'one\r\n', 'b.txt': 'b\r\nb\r\n', 'lf.txt': 'l\n' }
    const second = { 'a.txt': 'one\r\ntwo\r\n', 'b.txt': 'b\r\n', 'lf.txt': 'l\nf\n', 'new.txt': 'n\r\ne\r\nw\r\n' }
    for (const files of [first, second]) {
      fill(root, files)
      git(root, 'add', '-A')
      git(root, 'commit', '-q', '-m', 'next')
    }
    expect(await clada(root).back()).toMatchObject({ success: true })
    const file = (content: string): string => `644 ${content}`
    expect(treeOf(root)).toEqual({
      'a.txt': file(first['a.txt']),
      'b.txt': file(first['b.txt']),
      'lf.txt': file('l\r\n'),
    })
    expect(status(root)).toBe('')
    expect(await clada(root).forward()).toMatchObject({ success: true, branch: 'main' })
    expect(treeOf(root)).toEqual({
      'a.txt': file(second['a.txt']),
      'b.txt': file(second['b.txt']),
      'lf.txt': file(second['lf.txt']),
      'new.txt': file(second['new.txt']),
    })
    expect(status(root)).toBe('')
  })

  it('know files by every name that they can have', async () => {
    const names = ['new\nline', ' blank', '\ttab', 'quo"te', 'back\\slash', '*', ':(top)x', 'aux.c', 'z']
    const root = repository(Object.fromEntries(names.map((name) => [name, `${name}\n`])))
    const before = treeOf(root)
    for (const name of names) fs.appendFileSync(path.join(root, name), 'more\n')
    git(root, 'commit', '-q', '-am', 'second')
    const after = treeOf(root)
    expect(await clada(root).back()).toMatchObject({ success: true })
    expect(treeOf(root)).toEqual(before)
    expect(await clada(root).forward()).toMatchObject({ success: true })
    expect(treeOf(root)).toEqual(after)
    expect(status(root)).toBe('')
  })

  it('leave out what a sparse checkout leaves out', async () => {
    const root = repository({ 'a.txt': '1\n', 'src/b.txt': '1\n', 'far/c.txt': '1\n' })
    for (const files of [
      { 'src/b.txt': '2\n', 'far/c.txt': '2\n' },
      { 'src/b.txt': '3\n', 'far/c.txt': '3\n' },
    ]) {
      fill(root, files)
      git(root, 'add', '-A')
      git(root, 'commit', '-q', '-m', 'next')
    }
    git(root, 'sparse-checkout', 'set', '--cone', 'src')
    const tip = treeOf(root)
    for (const content of ['2\n', '1\n']) {
      expect(await clada(root).back()).toMatchObject({ success: true })
      expect(treeOf(root)).toEqual({ ...tip, 'src/b.txt': `644 ${content}` })
      expect(status(root)).toBe('')
    }
    await clada(root).forward()
    expect(await clada(root).forward()).toMatchObject({ success: true, branch: 'main' })
    expect(treeOf(root)).toEqual(tip)
    expect(status(root)).toBe('')
    expect(git(root, 'ls-files', '-t', 'far')).toBe('S far/c.txt\n')
  })

  it('tell paths as the project has them, where it is a part of the repository', async () => {
    const top = repository({ 'x/a.txt': '1\n' })
    fill(top, { 'x/a.txt': '2\n' })
    git(top, 'commit', '-q', '-am', 'second')
    const root = path.join(top, 'x')
    fill(root, { 'new.txt': 'n\n' })
    expect(await clada(root).back()).toMatchObject({ success: true, stashed_files: ['new.txt'] })
    fill(root, { 'a.txt': 'mine\n' })
    expect(await clada(root).forward()).toMatchObject({ success: false, conflicts: ['a.txt'] })
    git(top, 'checkout', '-q', '.')
    expect(await clada(root).forward()).toMatchObject({ success: true, restored_files: ['new.txt'] })
  })

  it('execute nothing until the newest commit is reached again', async () => {
    const root = threeCommits()
    await clada(root).back()
    const result = await execute(root, 'commit', [['file_write', { path: 'a.txt', content: 'x' }]])
    expect(result).toMatchObject({
      success: false,
      fatalCode: 'git_operation_failed',
      fatalError: expect.stringContaining('clada back'),
    })
    await clada(root).forward()
    expect(await execute(root, 'commit', [['file_write', { path: 'a.txt', content: 'x' }]])).toMatchObject({
      success: true,
    })
  })

  it('do not go on over what was changed meanwhile', async () => {
    const root = threeCommits()
    await clada(root).back()
    fill(root, { 'a.txt': 'mine\n' })
    expect(await clada(root).forward()).toMatchObject({ success: false, conflicts: ['a.txt'] })
    expect(treeOf(root)['a.txt']).toBe('644 mine\n')
    git(root, 'checkout', '-q', 'a.txt')
    expect(await clada(root).forward()).toMatchObject({ success: true, branch: 'main' })
  })

  it('refuse when the branch was moved', async () => {
    const root = threeCommits()
    await clada(root).back()
    git(root, 'branch', '-f', 'main', 'main~1')
    expect(await clada(root).forward()).toMatchObject({ success: false, error: expect.stringContaining('was moved') })
  })

  it('revert a step that was interrupted', async () => {
    const root = threeCommits()
    fill(root, { 'a.txt': 'uncommitted\n' })
    const tree = treeOf(root)
    const tip = git(root, 'rev-parse', 'HEAD').trim()
    await clada(root).back()
    // Some files had changed already, and HEAD had not moved.
    asKilled(root)
    fill(root, { 'a.txt': 'uncommitted\n' })
    git(root, 'symbolic-ref', 'HEAD', 'refs/heads/main')
    git(root, 'read-tree', 'HEAD')
    const died = 'execution 1 (back) was interrupted: clada was stopped before it was complete.'
    expect(await clada(root).back()).toMatchObject({
      success: false,
      reason: 'the last clada back was interrupted. Revert it with clada forward first.',
      warnings: [`${died} It changed run.sh. To revert it: clada forward.`],
    })
    const { fatalError } = await execute(root, 'commit', [write])
    expect(fatalError).toContain('the last clada back was interrupted')
    expect(await clada(root).forward()).toEqual({
      success: true,
      commit: tip,
      branch: 'main',
      restored_files: ['a.txt'],
    })
    expect([treeOf(root), status(root), await isBack(root)]).toEqual([tree, ' M a.txt\n', false])
  })

  it('sweep what a step or a squash that died has left', async () => {
    const root = threeCommits()
    const isolated = path.join(fillState(root), 'git-abc')
    for (const act of [() => clada(root).back(), () => clada(root).forward(), () => execute(root, 'commit', [write])]) {
      fillState(root, { 'git-abc/HEAD': 'x\n' })
      expect(await act()).toMatchObject({ success: true })
      expect(fs.existsSync(isolated)).toBe(false)
    }
  })

  it('need a repository', async () => {
    expect(await clada(scratchDir()).back()).toMatchObject({ success: false, code: 'git_operation_failed' })
  })
})

describe('squash', () => {
  const commit = (root: string, ...messages: string[]): void => {
    for (const message of messages) {
      fs.appendFileSync(path.join(root, 'log.txt'), `${message}\n`)
      git(root, 'add', 'log.txt')
      git(root, 'commit', '-q', '-m', message)
    }
  }
  const subjects = (root: string): string[] => git(root, 'log', '--first-parent', '--format=%s').trim().split('\n')

  it('makes one commit of the AI: commits that end here, and touches nothing else', async () => {
    const root = repository({ 'a.txt': 'a\n' })
    commit(root, 'AI: zero', 'mine', 'AI: one', 'AI: two', 'AI: three')
    fill(root, { 'a.txt': 'dirty\n', 'staged.txt': 's\n' })
    git(root, 'add', 'staged.txt')
    const index = fs.readFileSync(path.join(root, '.git/index'))
    const tree = git(root, 'rev-parse', 'HEAD^{tree}')
    const result = await clada(root).squash({ contiguous: true })
    expect(result).toMatchObject({
      success: true,
      runs: [{ commits: [{ subject: 'AI: three' }, { subject: 'AI: two' }, { subject: 'AI: one' }] }],
    })
    expect(subjects(root)).toEqual(['AI: one and 2 more', 'mine', 'AI: zero', 'first'])
    expect(git(root, 'log', '-1', '--format=%b')).toBe('- AI: one\n- AI: two\n- AI: three\n\n')
    expect(git(root, 'rev-parse', 'HEAD^{tree}')).toBe(tree)
    expect(fs.readFileSync(path.join(root, '.git/index')).equals(index)).toBe(true)
    expect(git(root, 'status', '--porcelain')).toBe(' M a.txt\nA  staged.txt\n')
    expect(git(root, 'fsck', '--strict', '--no-dangling')).toBe('')
  })

  it('makes one of every run, and keeps the others as they were', async () => {
    const root = repository({ 'a.txt': 'a\n' })
    commit(root, 'AI: 1', 'AI: 2', 'mine', 'AI: 3', 'AI: 4', 'mine too', 'AI: 5')
    const authors = git(root, 'log', '--format=%an %ad %s', '--grep=mine')
    expect(await clada(root).squash({ message: 'AI: squashed' })).toMatchObject({ success: true, runs: [{}, {}] })
    expect(subjects(root)).toEqual(['AI: 5', 'mine too', 'AI: squashed', 'mine', 'AI: squashed', 'first'])
    expect(git(root, 'log', '--format=%an %ad %s', '--grep=mine')).toBe(authors)
  })

  it('only tells with a dry run', async () => {
    const root = repository({ 'a.txt': 'a\n' })
    commit(root, 'AI: 1', 'AI: 2')
    const head = git(root, 'rev-parse', 'HEAD')
    expect(await clada(root).squash({ dryRun: true })).toMatchObject({ success: true, runs: [{ commits: [{}, {}] }] })
    expect(git(root, 'rev-parse', 'HEAD')).toBe(head)
  })

  it('chooses by text and by age', async () => {
    const root = repository({ 'a.txt': 'a\n' })
    commit(root, 'AI: 1', 'fix login', 'fix logout', 'AI: 2')
    expect(await clada(root).squash({ containing: 'fix' })).toMatchObject({
      runs: [{ commits: [{ subject: 'fix logout' }, { subject: 'fix login' }] }],
    })
    expect(subjects(root)).toEqual(['AI: 2', 'AI: fix login and 1 more', 'AI: 1', 'first'])
    expect(await clada(root).squash({ containing: '', hours: 1, dryRun: true })).toMatchObject({
      runs: [{ commits: [{}, {}, {}, {}] }],
    })
    process.env['GIT_COMMITTER_DATE'] = `${Math.floor(Date.now() / 1000) - 30 * 3600} +0000`
    try {
      git(root, 'commit', '-q', '--amend', '--no-edit')
    } finally {
      delete process.env['GIT_COMMITTER_DATE']
    }
    const taken = async (age: { hours?: number; days?: number }): Promise<number> => {
      const { runs } = await clada(root).squash({ containing: '', contiguous: true, dryRun: true, ...age })
      return runs.flatMap(({ commits }) => commits).length
    }
    expect([await taken({ days: 1 }), await taken({ days: 2 })]).toEqual([0, 4])
    expect([await taken({ hours: 29 }), await taken({ hours: 31 }), await taken({ days: 1, hours: 7 })]).toEqual([
      0, 4, 4,
    ])
  })

  it('never goes across what was pushed, unless forced, nor across a merge', async (context) => {
    // Git starts the other side through it.
    skipWithout(context, 'bash')
    const remote = path.join(scratchDir(), 'remote.git')
    const root = repository({ 'a.txt': 'a\n' })
    git(root, 'init', '-q', '--bare', remote)
    git(root, 'remote', 'add', 'origin', remote)
    commit(root, 'AI: 1', 'AI: 2')
    git(root, 'push', '-q', 'origin', 'main')
    commit(root, 'AI: 3', 'AI: 4')
    await clada(root).squash({ contiguous: true })
    expect(subjects(root)).toEqual(['AI: 3 and 1 more', 'AI: 2', 'AI: 1', 'first'])
    const pushed = { commit: git(root, 'rev-parse', 'origin/main').trim(), why: 'pushed', ref: 'origin/main' }
    expect(await clada(root).squash({ contiguous: true })).toEqual({ success: true, runs: [], limit: pushed })
    git(root, 'checkout', '-q', '-b', 'side', 'HEAD~1')
    fill(root, { 'side.txt': 's' })
    git(root, 'add', 'side.txt')
    git(root, 'commit', '-q', '-m', 'AI: side')
    git(root, 'checkout', '-q', 'main')
    git(root, 'merge', '-q', '--no-ff', '-m', 'AI: merge', 'side')
    commit(root, 'AI: 5', 'AI: 6')
    await clada(root).squash({ contiguous: true, force: true })
    expect(subjects(root)).toEqual(['AI: 5 and 1 more', 'AI: merge', 'AI: 3 and 1 more', 'AI: 2', 'AI: 1', 'first'])
    const merge = { commit: git(root, 'rev-parse', 'HEAD~').trim(), why: 'merge' }
    expect(await clada(root).squash({ contiguous: true, force: true })).toEqual({
      success: true,
      runs: [],
      limit: merge,
    })
    git(root, 'reset', '-q', '--hard', 'HEAD~2')
    await clada(root).squash({ contiguous: true, force: true })
    expect(subjects(root)).toEqual(['AI: 1 and 2 more', 'first'])
  })

  it('leaves undo working', async () => {
    const root = repository({ 'a.txt': 'a\n' })
    await execute(root, 'commit', [['file_write', { path: 'a.txt', content: 'b\n' }]])
    await execute(root, 'commit', [['file_write', { path: 'a.txt', content: 'c\n' }]])
    await clada(root).squash({ contiguous: true })
    expect(subjects(root)).toHaveLength(2)
    expect(await clada(root).undo()).toMatchObject({ success: true })
    expect(await clada(root).undo()).toMatchObject({ success: true })
    expect(treeOf(root)['a.txt']).toBe('644 a\n')
    expect(status(root)).toBe('')
  })
})
