import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { lockFileOf } from '../../packages/clada/src/store/lock.ts'
import { Clada } from '../../packages/clada/src/index.ts'
import { clada } from '../support/cli.ts'
import { fill, filesIn, scratchDir, inState } from '../support/scratch.ts'
import { type Call, documentOf, execute, git, repository } from './world.ts'

const write = (content: string): Call => ['file_write', { path: 'a.txt', content }]
const textOf = (root: string): string => fs.readFileSync(path.join(root, 'a.txt'), 'utf8')
const numbers = (root: string): string[] => fs.readdirSync(inState(root, 'history')).sort()

describe('actions for the user', () => {
  it('are carried out by the library, and are executions themselves once, not twice', async () => {
    const root = scratchDir({ 'a.txt': 'one' })
    const user = new Clada({ repoPath: root, git: 'off' })
    await execute(root, 'off', [write('two')])
    const result = await user.perform('undo', {})
    expect(result).toMatchObject({
      success: true,
      executedActions: 1,
      results: [{ action: 'undo', data: { execution: 1, summary: 'edit a.txt', restored: ['a.txt'], conflicts: [] } }],
    })
    expect(textOf(root)).toBe('one')
    expect(numbers(root)).toEqual(['1', '2', 'last'])
    expect(await user.history()).toMatchObject([{ undone: true }, { kind: 'undo', of: 1 }])
    expect(fs.existsSync(lockFileOf(root) ?? '')).toBe(false)
  })

  it('say why they refuse, in the words and with the codes of every action', async () => {
    const root = repository({ 'a.txt': 'one' })
    const user = new Clada({ repoPath: root })
    const refusal = async (action: string, params = {}) => {
      const { results } = await user.perform(action, params)
      const { error, code } = results[0] ?? {}
      return { error, code }
    }
    expect(await refusal('undo')).toEqual({ error: 'undo: Nothing was executed here yet.', code: 'skipped' })
    await execute(root, 'commit', [write('two')])
    expect(await refusal('undo', { execution: '9' })).toEqual({
      error: 'undo: There is no execution 9. See clada history.',
      code: 'invalid_parameter',
    })
    fill(root, { 'a.txt': 'mine' })
    expect(await refusal('undo')).toEqual({
      error:
        'undo: Nothing was undone: files changed since execution 1. --force keeps those changes and undoes the rest.\n  a.txt: it was changed since',
      code: 'concurrent_modification',
    })
    expect(await refusal('git_step_forward')).toMatchObject({
      error: expect.stringMatching(/^git_step_forward: git_operation_failed: this is the newest commit/),
      code: 'git_operation_failed',
    })
    expect(await refusal('git_squash', { mode: 'days', days: '-1' })).toMatchObject({
      error: expect.stringContaining('days cannot be negative'),
      code: 'invalid_parameter',
    })
    expect(textOf(root)).toBe('mine')
  })

  it('name the files that are in the way', async () => {
    const root = repository({ '.env': '1' })
    fill(root, { '.env': '2' })
    git(root, 'commit', '-q', '-am', 'second')
    fill(root, { '.env': '3' })
    const { results } = await new Clada({ repoPath: root }).perform('git_step_back', {})
    expect(results).toMatchObject([
      { success: false, code: 'concurrent_modification', details: { conflicts: ['.env'] } },
    ])
    expect(results[0]?.error).toContain('\n  .env: it is not committed')
  })

  it('go back and forward, with what is uncommitted, and squash', async () => {
    const root = repository({ 'a.txt': '0' })
    const user = new Clada({ repoPath: root })
    await execute(root, 'commit', [write('1')])
    await execute(root, 'commit', [write('2')])
    fill(root, { 'b.txt': 'mine' })
    expect(await user.perform('git_step_back', {})).toMatchObject({
      results: [{ success: true, data: { stashed_files: ['b.txt'] } }],
    })
    expect(textOf(root)).toBe('1')
    expect(await execute(root, 'commit', [write('3')])).toMatchObject({ success: false })
    fill(root, { 'c.txt': 'here' })
    expect(await user.perform('git_step_forward', {})).toMatchObject({
      results: [
        {
          success: false,
          error: expect.stringContaining('\n  c.txt: it is not committed'),
          details: { conflicts: ['c.txt'] },
        },
      ],
    })
    fs.rmSync(path.join(root, 'c.txt'))
    expect(await user.perform('git_step_forward', {})).toMatchObject({
      results: [{ success: true, data: { branch: 'main', restored_files: ['b.txt'] } }],
    })
    const squashed = await user.perform('git_squash', { mode: 'hours', hours: '1', dry_run: 'true' })
    expect(squashed).toMatchObject({ results: [{ success: true, data: { dry_run: true, runs: [{}] } }] })
    expect(git(root, 'rev-list', '--count', 'HEAD').trim()).toBe('3')
    expect(await user.perform('git_squash', {})).toMatchObject({ results: [{ success: true }] })
    expect(git(root, 'rev-list', '--count', 'HEAD').trim()).toBe('2')
  })

  it('work from the command line', () => {
    const root = repository({ 'a.txt': 'one\n' })
    const run = (...args: string[]) => clada(args, { cwd: root })
    clada([], { cwd: root, input: documentOf(root, [write('two\n')]) })
    clada([], { cwd: root, input: documentOf(root, [write('three\n')]) })
    expect(run('do', 'git_squash', 'message=Both').stdout).toContain('2 commits became one: Both')
    const undone = run('do', 'undo', '--format', 'pretty')
    expect(undone).toMatchObject({ status: 0 })
    expect(undone.stdout).toContain('✓ undo\n    execution 2: edit a.txt\n      restored: a.txt\n1 done')
    expect(textOf(root)).toBe('two\n')
    expect(run('do', 'git_step_back').stdout).toMatch(/now at [0-9a-f]{8}/)
    expect(run('do', 'git_step_forward').stdout).toMatch(/now on main, at [0-9a-f]{8}/)
    expect(run('do', 'undo', 'execution=x')).toMatchObject({ status: 1 })
  })

  it('are refused from documents in every way', async () => {
    const root = repository({ 'a.txt': 'one' })
    await execute(root, 'commit', [write('two')])
    const document = documentOf(root, [['undo', {}]])
    for (const atomic of [true, false]) {
      const { results } = await new Clada({ repoPath: root, atomic }).execute(document)
      expect(results).toMatchObject([{ code: 'action_not_allowed' }])
    }
    expect((await new Clada({ repoPath: root }).preview(document)).result.results).toMatchObject([
      { code: 'action_not_allowed' },
    ])
    expect(clada(['check'], { cwd: root, input: document })).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('the user types: clada undo'),
    })
    expect(filesIn(root)['a.txt']).toBe('two')
  })

  it('are shown as the user’s, and not offered to models', () => {
    const root = scratchDir()
    expect(clada(['tools'], { cwd: root }).stdout).toContain('for the user only: clada squash')
    expect(clada(['tools', 'undo', '--format', 'yaml'], { cwd: root }).stdout).toContain('accessibility: [user]')
    expect(clada(['tools', '--json'], { cwd: root }).stdout).not.toContain('"undo"')
    expect(JSON.parse(clada(['tools', 'undo', '--json'], { cwd: root }).stdout)).toMatchObject([{ name: 'undo' }])
  })
})
