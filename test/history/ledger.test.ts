import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { Clada } from '../../packages/clada/src/index.ts'
import { formatReport } from '../../packages/clada/src/report/format.ts'
import { clada } from '../support/cli.ts'
import { fill, scratchDir } from '../support/scratch.ts'
import { type Call, documentOf, execute, git, type Mode, repository, undoIn } from './world.ts'

const replace = (old_text: string, new_text: string): Call => [
  'file_replace_text',
  { path: 'a.txt', old_text, new_text },
]

describe('the ledger', () => {
  it('knows a block that was carried out', async () => {
    const root = scratchDir({ 'a.txt': 'one\n' })
    const calls = [replace('one', 'two'), replace('nowhere', 'x')]
    const text = documentOf(root, calls)
    const found = new Clada({ repoPath: root, git: 'off' })
    const [first = '', second = ''] = text.trim().split(/(?<=#!END_SHAM_blk\n)\n/)
    expect(await found.wasExecuted(first.trim())).toBeUndefined()
    await found.execute(text)
    expect(await found.wasExecuted(first.trim())).toMatchObject({ execution: 1, action: 1, success: true })
    expect(await found.wasExecuted(second.trim())).toMatchObject({ execution: 1, action: 2, success: false })
    expect(await found.wasExecuted(first.replace('two', 'three'))).toBeUndefined()
  })

  it('tells a failed edit who took its text away', async () => {
    const root = scratchDir({ 'a.txt': 'one\ntwo\n' })
    await execute(root, 'off', [replace('two', 'TWO')])
    await execute(root, 'off', [['file_append', { path: 'a.txt', content: 'three\n' }], replace('one', 'ONE')])
    const result = await execute(root, 'off', [
      replace('one\ntwo', 'x'),
      replace('one', 'x'),
      replace('never', 'x'),
      replace('three', '3'),
      replace('three', '4'),
    ])
    expect(result.results.map(({ details }) => details?.changed_by)).toEqual([
      { execution: 1, action: 1 },
      { execution: 2, action: 2 },
      undefined,
      undefined,
      { action: 4 },
    ])
    expect(formatReport(result, 'llm')).toContain('This text was there until action 2 of execution 2 changed it.')
  })

  const modes: readonly Mode[] = ['commit', 'shadow', 'off']
  it.each(modes)('blames nobody for what the user took away: %s', async (mode) => {
    const root = repository({ 'a.txt': 'one\ntwo\n' })
    const missed = async (text: string) => {
      const { results } = await execute(root, mode, [replace(text, 'x')])
      return results[0]?.details?.changed_by
    }
    await execute(root, mode, [replace('two', 'TWO')])
    expect(await missed('two')).toEqual({ execution: 1, action: 1 })
    // Taken back by an undo, in the same execution, or by hand: it was there again, and who removed it then is not known.
    await undoIn(root, mode)
    fill(root, { 'a.txt': 'one\n' })
    expect(await missed('two')).toBeUndefined()
    fill(root, { 'a.txt': 'one\ntwo\n' })
    await execute(root, mode, [replace('one', 'ONE'), replace('ONE', 'one'), replace('two', '2')])
    fill(root, { 'a.txt': '2\n' })
    expect(await missed('one')).toBeUndefined()
    expect(await missed('two')).toEqual({ execution: 3, action: 3 })
    fill(root, { 'a.txt': 'one\ntwo\n' })
    await execute(root, mode, [replace('one', 'un')])
    fill(root, { 'a.txt': 'un\n' })
    expect(await missed('two')).toBeUndefined()
    expect(await missed('one')).toEqual({ execution: 4, action: 1 })
  })

  it('tells it also of a passage whose beginning or end is gone', async () => {
    const root = scratchDir({ 'a.txt': 'begin\nmiddle\nend\n' })
    await execute(root, 'off', [replace('begin', 'BEGIN'), replace('end', 'END')])
    const range = (old_text_beginning: string, old_text_end: string): Call => [
      'file_replace_text_range',
      { path: 'a.txt', old_text_beginning, old_text_end, new_text: 'x' },
    ]
    const { results } = await execute(root, 'off', [range('begin', 'END'), range('BEGIN', 'end'), range('no', 'END')])
    expect(results.map(({ details }) => details?.changed_by)).toEqual([
      { execution: 1, action: 1 },
      { execution: 1, action: 2 },
      undefined,
    ])
    const csl = '<---SEARCH file="a.txt"--->\nbegin\n<---TO--->\nEND\n<---REPLACE--->\nx\n<---END--->\n'
    const again = await new Clada({ repoPath: root, git: 'off' }).execute(csl)
    expect(again.results[0]?.details?.changed_by).toEqual({ execution: 1, action: 1 })
  })

  it('tells that an undo took a text away', async () => {
    const root = scratchDir({ 'a.txt': 'one\n' })
    await execute(root, 'off', [replace('one', 'two')])
    await undoIn(root, 'off')
    const result = await execute(root, 'off', [replace('two', 'three')])
    expect(result.results[0]?.details?.changed_by).toEqual({ execution: 2, action: 0, kind: 'undo', of: 1 })
    expect(formatReport(result, 'llm')).toContain(
      'This text was there until execution 2 (undo of execution 1) changed it.',
    )
  })

  it('knows what a program left, and what it took', async () => {
    const root = scratchDir({ 'a.txt': 'one\ntwo\n', 'b.txt': 'two\n' })
    const run: Call = ['run', { command: 'cp b.txt a.txt' }]
    expect(await execute(root, 'off', [run])).toMatchObject({ success: true })
    const lost = async (text: string) =>
      (await execute(root, 'off', [replace(text, 'x')])).results[0]?.details?.changed_by
    expect(await lost('one')).toEqual({ execution: 1, action: 1 })
    fill(root, { 'a.txt': 'three\n' })
    expect(await lost('two')).toBeUndefined()
  })

  it('costs nothing where nothing was executed', async () => {
    const root = scratchDir({ 'a.txt': 'one\n' })
    const { results } = await execute(root, 'off', [replace('two', 'x')])
    expect(results).toMatchObject([{ success: false, code: 'match_count_mismatch' }])
    expect(fs.readdirSync(root)).toEqual(['a.txt'])
  })
})

describe('the command line', () => {
  it('shows history, takes back and brings again', () => {
    const root = repository({ 'a.txt': 'one\n' })
    const run = (...args: string[]) => clada(args, { cwd: root })
    expect(run('history').stdout).toBe('Nothing was executed here yet.\n')
    expect(clada(['--json'], { cwd: root, input: documentOf(root, [replace('one', 'two')]) }).status).toBe(0)
    expect(
      clada(['--git', 'shadow'], {
        cwd: root,
        input: documentOf(root, [replace('nowhere', 'x'), ['file_write', { path: 'b.txt', content: 'b' }]]),
      }).status,
    ).toBe(1)

    const lines = run('history').stdout.trim().split('\n')
    expect(lines[0]).toMatch(/^1 {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}edit a\.txt {2}\([0-9a-f]{8}\)$/)
    expect(lines[1]).toMatch(/^2 {2}.{19} {2}create b\.txt {2}\(1 failed, [0-9a-f]{8}\)$/)
    expect(JSON.parse(run('history', '--json').stdout)).toMatchObject([
      { number: 1, mode: 'commit' },
      { number: 2, mode: 'shadow' },
    ])
    const shown = run('history', '1').stdout
    expect(shown).toContain('✓ 1. file_replace_text')
    expect(shown).toContain('-one\n+two')

    expect(run('undo').stdout).toBe('Undone: execution 2, create b.txt\n  b.txt\n')
    expect(run('undo', '1').stdout).toMatch(/^Undone: execution 1, edit a\.txt \([0-9a-f]{8}\)\n {2}a\.txt\n$/)
    expect(run('history').stdout).toContain('undone')
    expect(run('redo').stdout).toMatch(/^Redone: execution 1/)
    fill(root, { 'a.txt': 'mine\n' })
    const refused = run('undo', '1')
    expect(refused).toMatchObject({
      status: 1,
      stdout:
        'Nothing was undone: files changed since execution 1. --force keeps those changes and undoes the rest.\n  ✗ a.txt: it was changed since\n',
    })
    expect(run('undo', 'x')).toMatchObject({
      status: 2,
      stderr: "clada: 'x' is not the number of an execution. See clada history.\n",
    })
    expect(run('history', '99').status).toBe(2)
  })

  it('goes back, forward and squashes', () => {
    const root = repository({ 'a.txt': '0\n' })
    const run = (...args: string[]) => clada(args, { cwd: root })
    for (const text of ['1', '2', '3'])
      clada([], { cwd: root, input: documentOf(root, [['file_write', { path: 'a.txt', content: text }]]) })
    expect(run('back').stdout).toMatch(/^Now at [0-9a-f]{8}\.\nTo return: clada forward\n$/)
    expect(fs.readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('2')
    expect(run('squash')).toMatchObject({ status: 1, stdout: expect.stringContaining('older commit') })
    expect(run('forward').stdout).toMatch(/^Now on main, at [0-9a-f]{8}\.\n$/)
    expect(run('squash', '--dry-run').stdout).toMatch(/^3 commits would become one: AI: edit a\.txt and 2 more\n/)
    expect(run('squash', '--message', 'All of it').stdout).toMatch(/^3 commits became one: All of it\n/)
    expect(run('squash').stdout).toBe('There are no consecutive commits to squash.\n')
    expect(run('squash', '--auto', '--messages').status).toBe(2)
    expect(run('squash', '--message', ' ')).toMatchObject({ status: 2, stderr: 'clada: --message needs a text.\n' })
    git(root, 'update-ref', 'refs/remotes/origin/main', 'HEAD')
    expect(run('squash').stdout).toMatch(
      /^There are no consecutive commits to squash since [0-9a-f]{8}, which was pushed; --force includes those\.\n$/,
    )
  })
})
