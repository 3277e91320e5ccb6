import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { Clada } from '../../packages/clada/src/index.ts'
import { clada as run } from '../support/cli.ts'
import { skipWithout } from '../support/needs.ts'
import { scratchDir } from '../support/scratch.ts'
import { execute, git, keptBy, repository, treeOf } from './world.ts'

const clada = (root: string): Clada => new Clada({ repoPath: root })
const subjects = (root: string): string[] => git(root, 'log', '--first-parent', '--format=%s').trim().split('\n')
const at = (root: string, name: string): string => git(root, 'rev-parse', name).trim()

function commit(root: string, ...messages: string[]): void {
  for (const message of messages) {
    fs.appendFileSync(path.join(root, 'log.txt'), `${message}\n`)
    git(root, 'add', 'log.txt')
    git(root, 'commit', '-q', '-m', message)
  }
}

function repositoryWith(...messages: string[]): string {
  const root = repository({ 'a.txt': 'a\n' })
  commit(root, ...messages)
  return root
}

describe('squash leaves alone', () => {
  it.each([
    ['another branch', ['branch', 'other'], 'other'],
    ['a tag', ['tag', 'v1'], 'v1'],
    ['a tag with a message', ['tag', '-a', '-m', 'one', 'v1'], 'v1'],
  ])('what %s holds, unless forced', async (_, args, ref) => {
    const root = repositoryWith('AI: 1', 'AI: 2')
    git(root, ...args)
    const limit = { commit: at(root, 'HEAD'), why: 'shared', ref }
    expect(await clada(root).squash({ contiguous: true })).toEqual({ success: true, runs: [], limit })
    commit(root, 'AI: 3', 'AI: 4')
    expect(await clada(root).squash({ contiguous: true })).toMatchObject({ success: true, limit })
    expect(subjects(root)).toEqual(['AI: 3 and 1 more', 'AI: 2', 'AI: 1', 'first'])
    expect(run(['squash', '--root', root], { cwd: root })).toMatchObject({
      status: 0,
      stdout: `There are no consecutive commits to squash since ${limit.commit.slice(0, 8)}, which ${ref} contains too; --force includes those.\n`,
    })
    await clada(root).squash({ contiguous: true, force: true })
    expect(subjects(root)).toEqual(['AI: 1 and 2 more', 'first'])
  })

  it('the branch, where HEAD is on none', async () => {
    const root = repositoryWith('AI: 1', 'AI: 2')
    git(root, 'checkout', '-q', '--detach')
    expect(await clada(root).squash()).toMatchObject({ runs: [], limit: { why: 'shared', ref: 'main' } })
  })

  it('the commit where a shallow clone begins', async (context) => {
    // Git starts the other side through it.
    skipWithout(context, 'bash')
    const origin = repositoryWith('AI: 1', 'AI: 2', 'AI: 3')
    const root = path.join(scratchDir(), 'clone')
    git(origin, 'clone', '-q', '--depth', '2', `file://${origin}`, root)
    commit(root, 'AI: 4')
    const limit = { commit: at(root, 'HEAD~2'), why: 'shallow' }
    expect(await clada(root).squash({ contiguous: true, force: true })).toMatchObject({ success: true, limit })
    expect(subjects(root)).toEqual(['AI: 3 and 1 more', 'AI: 2'])
    expect(git(root, 'fsck', '--strict', '--no-dangling')).toBe('')
  })

  it('the project in a dry run: nothing is made there', async () => {
    const root = repositoryWith('AI: 1', 'AI: 2')
    expect(await clada(root).squash({ dryRun: true })).toMatchObject({ success: true, runs: [{}] })
    expect(fs.existsSync(path.join(root, '.clada'))).toBe(false)
  })
})

describe('commits that undo each other', () => {
  const makeAndUndo = async (root: string): Promise<void> => {
    await execute(root, 'commit', [['file_write', { path: 'made.txt', content: 'x\n' }]])
    expect(await clada(root).undo()).toMatchObject({ success: true })
  }

  it('are removed and leave no empty commit', async () => {
    const root = repository({ 'a.txt': '1\n' })
    const first = at(root, 'HEAD')
    await makeAndUndo(root)
    const [created, undone] = ['HEAD~1', 'HEAD'].map((name) => at(root, name).slice(0, 8))
    const listed = `  ${undone} AI: undo execution 1\n  ${created} AI: create made.txt\n`
    expect(run(['squash', '--dry-run'], { cwd: root }).stdout).toBe(
      `2 commits undo each other and would be removed\n${listed}`,
    )
    expect(run(['squash'], { cwd: root }).stdout).toBe(
      `2 commits undo each other and were removed\n${listed}To undo it: clada undo 3\n`,
    )
    expect(at(root, 'HEAD')).toBe(first)
    expect(await clada(root).redo()).toMatchObject({ success: true })
    expect(treeOf(root)['made.txt']).toBe('644 x\n')
    expect(git(root, 'status', '--porcelain')).toBe('')
  })

  it('are removed below commits that stay, and above a series that becomes one', async () => {
    const root = repository({ 'a.txt': '1\n' })
    commit(root, 'AI: 1', 'AI: 2', 'mine')
    await makeAndUndo(root)
    commit(root, 'mine too')
    const tree = at(root, 'HEAD^{tree}')
    expect(await clada(root).squash()).toMatchObject({ runs: [{ empty: true, message: '' }, {}] })
    expect(subjects(root)).toEqual(['mine too', 'mine', 'AI: 1 and 1 more', 'first'])
    expect(at(root, 'HEAD^{tree}')).toBe(tree)
    expect(git(root, 'fsck', '--strict', '--no-dangling')).toBe('')
  })

  it('become one where no commit is below them', async () => {
    const root = scratchDir()
    git(root, 'init', '-q', '-b', 'main')
    for (const subject of ['AI: 1', 'AI: 2']) git(root, 'commit', '-q', '--allow-empty', '-m', subject)
    expect(await clada(root).squash()).toMatchObject({ success: true, runs: [{ message: expect.any(String) }] })
    expect(subjects(root)).toEqual(['AI: 1 and 1 more'])
  })
})

describe('squash keeps', () => {
  it('who wrote what: where a person’s commits become part of one, the oldest of them names author and date', async () => {
    const root = repositoryWith('AI: run of 4', 'my run')
    git(
      root,
      'commit',
      '-q',
      '--amend',
      '--no-edit',
      '--date=2001-02-03T04:05:06+0700',
      '--author=Jörg <j@example.com>',
    )
    commit(root, 'another run', 'AI: run to the end')
    await clada(root).squash({ containing: 'run', message: 'Jörg’s run' })
    expect(git(root, 'log', '-1', '--format=%an <%ae> %ai, %cn: %B')).toBe(
      'Jörg <j@example.com> 2001-02-03 04:05:06 +0700, clada: Jörg’s run\n\n',
    )
    expect(subjects(root)).toEqual(['Jörg’s run', 'first'])
    expect(git(root, 'fsck', '--strict', '--no-dangling')).toBe('')
  })

  it('clada the author of what models wrote, or who is named', async () => {
    const root = repositoryWith('AI: 1', 'AI: 2')
    await clada(root).squash()
    expect(git(root, 'log', '-1', '--format=%an <%ae>')).toBe('clada <clada@localhost>\n')
    commit(root, 'mine')
    await new Clada({ repoPath: root, gitAuthor: 'Zoë <zoe@example.com>' }).squash({ containing: '' })
    expect(git(root, 'log', '-1', '--format=%an <%ae>')).toBe('Zoë <zoe@example.com>\n')
  })

  it('a way back, and says it', async () => {
    const root = repositoryWith('AI: 1', 'AI: 2')
    const before = at(root, 'HEAD')
    const { stdout } = run(['squash'], { cwd: root })
    expect(stdout).toContain(`To undo it: clada undo 1\n`)
    commit(root, 'AI: 3')
    expect(await clada(root).squash()).toMatchObject({ before: at(root, 'HEAD@{1}'), gitCommit: at(root, 'HEAD') })
    expect(at(root, keptBy(root, 1))).toBe(before)
  })

  it('no signature that no longer holds, and says whose', async () => {
    const root = repositoryWith('AI: 1', 'AI: 2', 'mine')
    const raw = git(root, 'cat-file', 'commit', 'HEAD').replace(
      '\n\n',
      '\ngpgsig -----BEGIN\n x\n -----END\n\nmine and ',
    )
    fs.writeFileSync(path.join(root, 'raw'), raw)
    const signed = git(root, 'hash-object', '-t', 'commit', '-w', 'raw').trim()
    git(root, 'reset', '-q', '--soft', signed)
    commit(root, 'AI: 3', 'AI: 4')
    const warnings = [`these commits lose their signatures: ${signed.slice(0, 8)}`]
    expect(await clada(root).squash()).toMatchObject({ success: true, runs: [{}, {}], warnings })
  })

  it('executions and steps working', async () => {
    const root = repository({ 'a.txt': '1\n' })
    for (const content of ['2\n', '3\n']) await execute(root, 'commit', [['file_write', { path: 'a.txt', content }]])
    await clada(root).squash()
    expect(await clada(root).back()).toMatchObject({ success: true })
    expect(treeOf(root)['a.txt']).toBe('644 1\n')
    expect(await clada(root).squash()).toMatchObject({
      success: false,
      error: expect.stringContaining('clada forward'),
    })
    expect(await clada(root).forward()).toMatchObject({ success: true, branch: 'main' })
    expect(await clada(root).undo()).toMatchObject({ success: true })
    expect(treeOf(root)['a.txt']).toBe('644 2\n')
  })
})

describe('under any message format', () => {
  const formats = ['chore: {operation_summary} [bot]', '{operation_summary}', 'AI: {operation_summary}']

  it.each(formats)('squash finds the commits that clada made: %s', async (commitMessageFormat) => {
    const root = repositoryWith()
    const own = new Clada({ repoPath: root, commitMessageFormat })
    for (const content of ['1', '2', '3']) await own.perform('file_write', { path: 'b.txt', content })
    expect(await own.squash({ contiguous: true })).toMatchObject({ success: true, runs: [{ commits: [{}, {}, {}] }] })
    expect(subjects(root)).toHaveLength(2)
    // The author is clada, as of each of them, and the new commit can be squashed with the next.
    expect(git(root, 'log', '-1', '--format=%an').trim()).toBe('clada')
    await own.perform('file_write', { path: 'b.txt', content: '4' })
    expect(await own.squash({ contiguous: true })).toMatchObject({ runs: [{ commits: [{}, {}] }] })
    expect(subjects(root)).toHaveLength(2)
    expect(
      git(root, 'log', '-1', '--format=%(trailers:key=Clada-Execution,valueonly)').trim().split('\n'),
    ).toHaveLength(4)
  })

  it('leaves a commit of the user alone that only speaks of clada', async () => {
    const root = repositoryWith('Clada-Execution: how it works', 'another\n\nClada-Execution: 3\n\nEnd.')
    expect(await clada(root).squash({ contiguous: true })).toMatchObject({ runs: [] })
  })
})
