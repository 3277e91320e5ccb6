import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { numbersIn, readRecord } from '../../packages/clada/src/store/record.ts'
import { ownOwner } from '../../packages/clada/src/state/own-files.ts'
import { Clada } from '../../packages/clada/src/index.ts'
import { fill, scratchDir, inState } from '../support/scratch.ts'
import { asKilled, type Call, execute, redoIn, treeOf, undoIn, continueJournal, writeJournal } from './world.ts'
import { skipWithout } from '../support/needs.ts'

const files = { 'a.txt': 'one\ntwo\nthree\n', 'src/b.txt': 'b\n', 'src/deep/c.txt': 'c\n', 'run.sh': '#!/bin/sh\n' }

function project(): string {
  const root = scratchDir(files)
  fs.chmodSync(path.join(root, 'run.sh'), 0o755)
  fs.mkdirSync(path.join(root, 'empty'), { mode: 0o700 })
  fs.symlinkSync('a.txt', path.join(root, 'link'))
  return root
}

const edit: Call = ['file_replace_text', { path: 'a.txt', old_text: 'two', new_text: 'TWO' }]

/** The history, as a user sees it. */
const told = async (root: string): Promise<string[]> =>
  (await new Clada({ repoPath: root }).history()).map(({ summary, undone }) => summary + (undone ? ' (undone)' : ''))

const cases: Record<string, readonly Call[]> = {
  'an edit': [['file_replace_text', { path: 'a.txt', old_text: 'two', new_text: 'TWO' }]],
  'several edits of one file': [
    ['file_replace_text', { path: 'a.txt', old_text: 'two', new_text: 'TWO' }],
    ['file_append', { path: 'a.txt', content: 'four\n' }],
    ['file_delete_lines', { path: 'a.txt', lines: '1' }],
  ],
  'a new file in new directories': [['file_write', { path: 'x/y/z.txt', content: 'new' }]],
  'an overwritten file': [['file_write', { path: 'run.sh', content: 'new' }]],
  'a deleted file': [['file_delete', { path: 'run.sh' }]],
  'a deleted link': [['file_delete', { path: 'link' }]],
  'a moved link': [['file_move', { old_path: 'link', new_path: 'src/link' }]],
  'a moved file': [['file_move', { old_path: 'a.txt', new_path: 'moved/a.txt' }]],
  'a file moved over another': [['file_move', { old_path: 'run.sh', new_path: 'a.txt' }]],
  'a moved file that was read and edited then': [
    ['file_move', { old_path: 'a.txt', new_path: 'b.txt' }],
    ['file_read', { path: 'b.txt' }],
    ['file_replace_text', { path: 'b.txt', old_text: 'two', new_text: 'TWO' }],
    ['file_write', { path: 'a.txt', content: 'another' }],
  ],
  'a chain of moves': [
    ['file_move', { old_path: 'a.txt', new_path: 't' }],
    ['file_move', { old_path: 'src/b.txt', new_path: 'a.txt' }],
    ['file_move', { old_path: 't', new_path: 'src/b.txt' }],
  ],
  'a copy': [['file_copy', { old_path: 'run.sh', new_path: 'src/copy.sh' }]],
  'directories made and removed': [
    ['dir_create', { path: 'made/inside' }],
    ['dir_delete', { path: 'empty' }],
  ],
  'a file that became a directory': [
    ['file_delete', { path: 'src/deep/c.txt' }],
    ['dir_delete', { path: 'src/deep' }],
    ['file_write', { path: 'src/deep', content: 'a file now' }],
    ['file_delete', { path: 'a.txt' }],
    ['file_write', { path: 'a.txt/inside', content: 'a directory now' }],
  ],
  'some that failed': [
    ['file_replace_text', { path: 'a.txt', old_text: 'nowhere', new_text: 'TWO' }],
    ['file_write', { path: 'src', content: 'x' }],
    ['file_write', { path: 'src/b.txt', content: 'x' }],
  ],
}

for (const atomic of [false, true]) {
  describe(atomic ? 'undo of what landed together' : 'undo', () => {
    for (const [what, calls] of Object.entries(cases)) {
      if (atomic && what === 'some that failed') continue
      it(`takes back ${what}; redo brings it again`, async () => {
        const root = project()
        const before = treeOf(root)
        await execute(root, 'off', calls, { atomic })
        const after = treeOf(root)
        expect(after).not.toEqual(before)

        expect(await undoIn(root, 'off')).toMatchObject({ success: true, execution: 1, conflicts: [] })
        expect(treeOf(root)).toEqual(before)
        expect(await redoIn(root, 'off')).toMatchObject({ success: true, execution: 1 })
        expect(treeOf(root)).toEqual(after)
        expect(await undoIn(root, 'off')).toMatchObject({ success: true })
        expect(treeOf(root)).toEqual(before)
        expect(await undoIn(root, 'off')).toMatchObject({ success: false, error: 'There is nothing left to undo.' })
      })
    }
  })
}

const write = (content: string, name = 'a.txt'): Call => ['file_write', { path: name, content }]

describe('undo', () => {
  it('goes back step by step, and forth again', async () => {
    const root = scratchDir({ 'a.txt': '0' })
    for (const content of ['1', '2', '3']) await execute(root, 'off', [write(content)])
    const seen: string[] = []
    const look = (): void => void seen.push(fs.readFileSync(path.join(root, 'a.txt'), 'utf8'))
    for (const turn of [undoIn, undoIn, redoIn, undoIn, undoIn, redoIn, redoIn, redoIn]) {
      await turn(root, 'off')
      look()
    }
    expect(seen.join('')).toBe('21210123')
  })

  it('takes back an earlier execution that nothing has touched since', async () => {
    const root = scratchDir({ 'a.txt': 'a', 'b.txt': 'b' })
    await execute(root, 'off', [write('A')])
    await execute(root, 'off', [write('B', 'b.txt')])
    expect(await undoIn(root, 'off', { number: 1 })).toMatchObject({ success: true, restored: ['a.txt'] })
    expect(treeOf(root)).toMatchObject({ 'a.txt': '644 a', 'b.txt': '644 B' })
  })

  it('has no warnings where there is nothing to say, and those of an execution that died', async () => {
    const root = scratchDir({ 'a.txt': 'a' })
    await execute(root, 'off', [write('1')])
    expect((await undoIn(root, 'off')).warnings).toBeUndefined()
    await execute(root, 'off', [write('2')])
    asKilled(root, 3)
    expect((await undoIn(root, 'off')).warnings).toEqual([expect.stringMatching(/^execution 3 was interrupted/)])
  })

  it('leaves a file of a program that git ignores as it was changed since, and says so', async () => {
    const root = scratchDir({ 'a.txt': 'a', 'b.txt': 'b' })
    await execute(root, 'off', [write('A'), write('B', 'b.txt')])
    const history = inState(root, 'history')
    const { paths = [], ...record } = readRecord(history, 1) ?? {}
    const log = continueJournal(root)
    log.addRecord({ ...record, paths: paths.map((entry) => ({ ...entry, ignored: true })) })
    log.flush()
    log.close()
    fill(root, { 'a.txt': 'mine' })
    expect(await undoIn(root, 'off')).toMatchObject({
      success: true,
      restored: ['b.txt'],
      warnings: ['a.txt was not restored: git ignores it, and it was changed since'],
    })
    expect(treeOf(root)).toMatchObject({ 'a.txt': '644 mine', 'b.txt': '644 b' })
  })

  it('goes past an execution whose record is lost only with force', async () => {
    const root = scratchDir({ 'a.txt': 'a' })
    for (const content of ['1', '2']) await execute(root, 'off', [write(content)])
    fs.writeFileSync(inState(root, 'history/2/journal'), 'damaged')
    fill(root, { 'a.txt': '1' })
    expect(await undoIn(root, 'off')).toMatchObject({
      error: expect.stringContaining('execution 2 is lost or damaged'),
    })
    expect(await undoIn(root, 'off', { force: true })).toMatchObject({ success: true, execution: 1 })
    expect(treeOf(root)).toEqual({ 'a.txt': '644 a' })
  })

  it('of a conversation takes back its executions, and no others', async () => {
    const root = scratchDir({ 'a.txt': 'a' })
    const run = (content: string, id?: string) =>
      execute(root, 'off', [['file_write', { path: `${content}.txt`, content }]], {
        ...(id !== undefined && { conversation: { kind: 'mcp', id } }),
      })
    await run('1')
    const clada = new Clada({ repoPath: root, git: 'off' })
    expect(await clada.undo({ conversation: 'any' })).toMatchObject({
      success: false,
      error: expect.stringContaining('no conversation'),
    })
    for (const [content, id] of [
      ['2', 'old'],
      ['3', 'new'],
      ['4', undefined],
      ['5', 'new'],
    ] as const)
      await run(content, id)
    expect(await clada.undo({ conversation: 'loop' })).toMatchObject({ success: false })
    expect(await clada.undo({ conversation: 'mcp' })).toMatchObject({ success: true, executions: [5, 3] })
    expect(Object.keys(treeOf(root))).toEqual(['1.txt', '2.txt', '4.txt', 'a.txt'])
    // What is undone already is no part of it.
    expect(await clada.undo({ conversation: 'mcp' })).toMatchObject({ success: true, executions: [2] })
  })

  it('after a redo takes no file for removed by clada that somebody deleted', async () => {
    const root = scratchDir({ 'a.txt': 'a' })
    await execute(root, 'off', [write('A')])
    await undoIn(root, 'off')
    await redoIn(root, 'off')
    fs.rmSync(path.join(root, 'a.txt'))
    const conflicts = [{ path: 'a.txt', reason: 'it was deleted since' }]
    expect(await undoIn(root, 'off', { number: 1 })).toMatchObject({ success: false, conflicts })
  })

  it('refuses when files changed since, and lists them', async () => {
    const root = scratchDir({ 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' })
    await execute(root, 'off', [
      write('A'),
      write('B', 'b.txt'),
      write('new', 'new.txt'),
      ['file_delete', { path: 'c.txt' }],
    ])
    fs.writeFileSync(path.join(root, 'b.txt'), 'mine')
    fs.rmSync(path.join(root, 'a.txt'))
    fs.writeFileSync(path.join(root, 'c.txt'), 'again')
    const tree = treeOf(root)
    const result = await undoIn(root, 'off')
    expect(result).toMatchObject({ success: false, restored: [] })
    expect(result.conflicts).toEqual([
      { path: 'a.txt', reason: 'it was deleted since' },
      { path: 'b.txt', reason: 'it was changed since' },
      { path: 'c.txt', reason: 'it was created since' },
    ])
    expect([treeOf(root), numbersIn(inState(root, 'history'))]).toEqual([tree, [1]])
  })

  it('keeps a directory that somebody uses by now', async () => {
    const root = scratchDir({ 'a.txt': 'a' })
    await execute(root, 'off', [write('x', 'new/x.txt')])
    fs.writeFileSync(path.join(root, 'new/mine.txt'), 'mine')
    expect(await undoIn(root, 'off')).toMatchObject({ success: true })
    expect(treeOf(root)).toEqual({ 'a.txt': '644 a', 'new/': 'directory 755', 'new/mine.txt': '644 mine' })
  })

  it('does not say that a file is back in whose place somebody uses a directory', async () => {
    const root = scratchDir({ 'a.txt': 'mine' })
    await execute(root, 'off', [
      ['file_delete', { path: 'a.txt' }],
      ['file_write', { path: 'a.txt/x', content: 'x' }],
    ])
    fs.writeFileSync(path.join(root, 'a.txt/other'), 'other')
    const tree = treeOf(root)
    const conflicts = [{ path: 'a.txt', reason: 'it is a directory now, with other files' }]
    expect(await undoIn(root, 'off')).toMatchObject({ success: false, restored: [], conflicts })
    expect(treeOf(root)).toEqual(tree)
    expect(await undoIn(root, 'off', { force: true })).toMatchObject({
      success: true,
      restored: ['a.txt/x'],
      conflicts,
    })
    expect(treeOf(root)).toEqual({ 'a.txt/': 'directory 755', 'a.txt/other': '644 other' })
  })

  it('with force keeps both changes where they do not meet', async () => {
    const root = scratchDir({ 'a.txt': '1\n2\n3\n4\n5\n6\n7\n8\n9\n' })
    await execute(root, 'off', [['file_replace_text', { path: 'a.txt', old_text: '2\n', new_text: 'two\n' }]])
    fs.appendFileSync(path.join(root, 'a.txt'), 'mine\n')
    expect(await undoIn(root, 'off', { force: true })).toMatchObject({ success: true, conflicts: [] })
    expect(fs.readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('1\n2\n3\n4\n5\n6\n7\n8\n9\nmine\n')
  })

  it('with force marks where they do', async () => {
    const root = scratchDir({ 'a.txt': '1\n2\n3\n', 'gone.txt': 'x', bin: 'a\0b' })
    await execute(root, 'off', [
      write('1\ntwo\n3\n'),
      write('y', 'gone.txt'),
      write('new', 'new.txt'),
      ['file_delete', { path: 'bin' }],
    ])
    fs.writeFileSync(path.join(root, 'a.txt'), '1\nmine\n3\n')
    fs.rmSync(path.join(root, 'gone.txt'))
    fs.writeFileSync(path.join(root, 'new.txt'), 'mine')
    const result = await undoIn(root, 'off', { force: true })
    expect(result.success).toBe(true)
    expect(result.conflicts).toEqual([
      { path: 'a.txt', reason: '1 conflict marked in the file: resolve it between <<<<<<< and >>>>>>>' },
      { path: 'gone.txt', reason: 'it was deleted since and is restored' },
      { path: 'new.txt', reason: 'it was changed since and is kept' },
    ])
    expect(fs.readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe(
      '1\n<<<<<<< now\nmine\n=======\n2\n>>>>>>> undone\n3\n',
    )
    expect(treeOf(root)).toMatchObject({ 'gone.txt': '644 x', 'new.txt': '644 mine', bin: '644 a\0b' })
    // And that can be taken back as well.
    expect(await redoIn(root, 'off')).toMatchObject({ success: true })
    expect(fs.readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('1\nmine\n3\n')
  })

  it('refuses where the mode was changed since that it would change; with force that stays', async (context) => {
    skipWithout(context, 'python3')
    const root = scratchDir({ 'a.sh': 'a', 'b.sh': 'b' })
    const chmod = ['import os', 'os.chmod("a.sh", 0o755)', 'open("b.sh", "w").write("B")'].join('\n')
    await execute(root, 'off', [['exec', { lang: 'python', code: chmod }]], { exec: 'unsandboxed' })
    for (const name of ['a.sh', 'b.sh']) fs.chmodSync(path.join(root, name), 0o700)
    expect(await undoIn(root, 'off')).toMatchObject({
      success: false,
      conflicts: [{ path: 'a.sh', reason: 'its mode was changed since' }],
    })
    expect(await undoIn(root, 'off', { force: true })).toMatchObject({
      success: true,
      conflicts: [{ path: 'a.sh', reason: 'its mode was changed since and is kept' }],
    })
    expect(treeOf(root)).toEqual({ 'a.sh': '700 a', 'b.sh': '700 b' })
  })

  it('takes back a directory that a program made a link, and a link that it made a directory', async () => {
    const root = scratchDir({ 'd/f': 'f', 'd/sub/g': 'g', 'other/f': 'o', 'other/sub/g': 'o' })
    fs.symlinkSync('other', path.join(root, 'link'))
    const before = treeOf(root)
    const code = 'rm -rf d link; ln -s other d; mkdir -p link/in; echo new > link/in/new'
    await execute(root, 'off', [['exec', { lang: 'bash', code }]], { exec: 'unsandboxed' })
    const after = treeOf(root)
    expect(after).toMatchObject({ d: '-> other', 'link/in/new': '644 new\n' })
    expect(await undoIn(root, 'off')).toMatchObject({ success: true, conflicts: [] })
    expect(treeOf(root)).toEqual(before)
    expect(await redoIn(root, 'off')).toMatchObject({ success: true })
    expect(treeOf(root)).toEqual(after)
  })

  it('takes back what a program made read-only', async (context) => {
    skipWithout(context, 'python3')
    const root = scratchDir({ 'a.txt': 'a', 'd/b.txt': 'b' })
    const before = treeOf(root)
    const code = [
      'import os',
      'open("new.txt", "w").write("new")',
      'open("a.txt", "w").write("A")',
      'for name in ["new.txt", "a.txt", "d/b.txt"]: os.chmod(name, 0o444)',
    ].join('\n')
    await execute(root, 'off', [['exec', { lang: 'python', code }]], { exec: 'unsandboxed' })
    const after = treeOf(root)
    expect(after).toEqual({ 'a.txt': '444 A', 'd/': 'directory 755', 'd/b.txt': '444 b', 'new.txt': '444 new' })
    expect(await undoIn(root, 'off')).toMatchObject({ success: true })
    expect(treeOf(root)).toEqual(before)
    expect(await redoIn(root, 'off')).toMatchObject({ success: true })
    expect(treeOf(root)).toEqual(after)
  })

  it('takes back one action of several', async () => {
    const root = scratchDir({ 'a.txt': 'a', 'b.txt': 'b' })
    await execute(root, 'off', [write('A'), write('B', 'b.txt'), write('B2', 'b.txt'), write('n', 'n/n.txt')])
    expect(await undoIn(root, 'off', { action: 1 })).toMatchObject({
      success: true,
      execution: 1,
      actions: [1],
      restored: ['a.txt'],
    })
    expect(await undoIn(root, 'off', { action: 2 })).toMatchObject({
      success: false,
      error:
        'Cannot undo only this action: action 3 of execution 1 also changed b.txt. Undo the whole execution: clada undo 1.',
    })
    expect(await undoIn(root, 'off', { action: 4 })).toMatchObject({ success: true })
    expect(await undoIn(root, 'off', { action: 9 })).toMatchObject({
      success: false,
      error: 'Action 9 of execution 1 changed nothing.',
    })
    expect(treeOf(root)).toEqual({ 'a.txt': '644 a', 'b.txt': '644 B2' })
    expect(await undoIn(root, 'off')).toMatchObject({ success: true })
    expect(treeOf(root)).toEqual({ 'a.txt': '644 a', 'b.txt': '644 b' })
  })

  it('takes back one of several edits of a file, where the others do not meet it', async () => {
    const lines = Array.from({ length: 30 }, (_, at) => `line ${at + 1}\n`)
    const root = scratchDir({ 'a.txt': lines.join(''), 'm.txt': 'one\ntwo\n', 'd.txt': 'd' })
    const edited = (line: number): Call => [
      'file_replace_text',
      { path: 'a.txt', old_text: `line ${line}\n`, new_text: `LINE ${line}\n` },
    ]
    await execute(root, 'off', [
      edited(5),
      edited(15),
      edited(25),
      ['file_replace_text', { path: 'a.txt', old_text: 'LINE 25', new_text: 'LINE twenty-five' }],
      ['file_move', { old_path: 'm.txt', new_path: 'moved.txt' }],
      ['file_replace_text', { path: 'moved.txt', old_text: 'two', new_text: 'TWO' }],
      ['file_delete', { path: 'd.txt' }],
      write('again', 'd.txt'),
      write('new', 'n.txt'),
      ['file_append', { path: 'n.txt', content: 'er' }],
    ])
    const after = treeOf(root)
    const undone = async (action: number): Promise<Record<string, string>> => {
      const result = await undoIn(root, 'off', { action })
      expect(result).toMatchObject({ success: true, conflicts: [] })
      const found = treeOf(root)
      await redoIn(root, 'off')
      expect(treeOf(root)).toEqual(after)
      return found
    }
    const twentyFive = 'LINE twenty-five\n'
    const shown = after['a.txt'] ?? ''
    expect(await undone(2)).toEqual({ ...after, 'a.txt': shown.replace('LINE 15', 'line 15') })
    expect(await undone(4)).toEqual({ ...after, 'a.txt': shown.replace(twentyFive, 'LINE 25\n') })
    expect(await undone(6)).toEqual({ ...after, 'moved.txt': '644 one\ntwo\n' })
    expect(await undone(8)).toEqual(Object.fromEntries(Object.entries(after).filter(([name]) => name !== 'd.txt')))
    expect(await undone(10)).toEqual({ ...after, 'n.txt': '644 new' })

    const refused = async (action: number, other: number, name: string): Promise<void> => {
      expect(await undoIn(root, 'off', { action })).toMatchObject({
        success: false,
        error: `Cannot undo only this action: action ${other} of execution 1 also changed ${name}. Undo the whole execution: clada undo 1.`,
      })
      expect(treeOf(root)).toEqual(after)
    }
    await refused(3, 4, 'a.txt')
    await refused(5, 6, 'moved.txt')
    await refused(7, 8, 'd.txt')
    await refused(9, 10, 'n.txt')
  })

  it('takes back one of several edits of a file that changed since only with force', async () => {
    const root = scratchDir({ 'a.txt': '1\n2\n3\n4\n5\n6\n7\n8\n9\n' })
    const edited = (from: string): Call => [
      'file_replace_text',
      { path: 'a.txt', old_text: `${from}\n`, new_text: `${from}${from}\n` },
    ]
    await execute(root, 'off', [edited('2'), edited('8')])
    fs.appendFileSync(path.join(root, 'a.txt'), 'mine\n')
    expect(await undoIn(root, 'off', { action: 1 })).toMatchObject({
      success: false,
      conflicts: [{ path: 'a.txt', reason: 'it was changed since' }],
    })
    expect(await undoIn(root, 'off', { action: 1, force: true })).toMatchObject({ success: true, conflicts: [] })
    expect(treeOf(root)).toEqual({ 'a.txt': '644 1\n2\n3\n4\n5\n6\n7\n88\n9\nmine\n' })
  })

  it('of one execution among others, or of one action, is taken back by its number', async () => {
    const root = project()
    await execute(root, 'off', [edit, ['file_write', { path: 'src/b.txt', content: 'B\n' }]])
    await execute(root, 'off', [['file_write', { path: 'c.txt', content: 'C\n' }]])
    const after = treeOf(root)
    await undoIn(root, 'off', { number: 1, action: 2 })
    await undoIn(root, 'off', { number: 2 })
    expect(await redoIn(root, 'off', { number: 1 })).toMatchObject({
      success: false,
      error: 'Execution 1 is not undone. See clada history.',
    })
    expect(await redoIn(root, 'off', { number: 1, action: 2 })).toMatchObject({
      success: true,
      execution: 1,
      actions: [2],
      restored: ['src/b.txt'],
    })
    expect(await redoIn(root, 'off', { number: 2 })).toMatchObject({ success: true, execution: 2, restored: ['c.txt'] })
    expect(treeOf(root)).toEqual(after)
  })

  it.each([
    [
      'an edit of the same file, and one after it',
      [
        ['file_replace_text', { path: 'a.txt', old_text: 'one', new_text: 'ONE' }],
        ['file_replace_text', { path: 'a.txt', old_text: 'nine', new_text: 'NINE' }],
      ],
      [2],
    ],
    [
      'the first of two edits of the same file',
      [
        ['file_replace_text', { path: 'a.txt', old_text: 'one', new_text: 'ONE' }],
        ['file_replace_text', { path: 'a.txt', old_text: 'nine', new_text: 'NINE' }],
      ],
      [1],
    ],
    [
      'the last of three edits',
      [
        ['file_replace_text', { path: 'a.txt', old_text: 'one', new_text: 'ONE' }],
        ['file_replace_text', { path: 'a.txt', old_text: 'five', new_text: 'FIVE' }],
        ['file_replace_text', { path: 'a.txt', old_text: 'nine', new_text: 'NINE' }],
      ],
      [3],
    ],
    [
      'an edit of a file that the execution made',
      [
        ['file_write', { path: 'n.txt', content: 'one\n2\n3\n4\nfive\n' }],
        ['file_replace_text', { path: 'n.txt', old_text: 'five', new_text: 'FIVE' }],
      ],
      [2],
    ],
  ] as const satisfies readonly (readonly [string, readonly Call[], readonly number[]])[])(
    'undoes the rest of an execution after %s',
    async (_, calls, actions) => {
      const root = scratchDir({ 'a.txt': 'one\n2\n3\n4\nfive\n6\n7\n8\nnine\n' })
      const before = treeOf(root)
      await execute(root, 'off', calls)
      const after = treeOf(root)
      for (const action of actions) expect(await undoIn(root, 'off', { action })).toMatchObject({ success: true })
      const rest = treeOf(root)
      expect(await undoIn(root, 'off', { number: 1 })).toMatchObject({ success: true, conflicts: [] })
      expect(treeOf(root)).toEqual(before)
      expect(await redoIn(root, 'off')).toMatchObject({ success: true })
      expect(treeOf(root)).toEqual(rest)
      for (const _of of actions) expect(await redoIn(root, 'off')).toMatchObject({ success: true })
      expect(treeOf(root)).toEqual(after)
    },
  )

  it('does not undo the rest where somebody else has changed it since', async () => {
    const root = scratchDir({ 'a.txt': 'one\n2\n3\n4\nfive\n' })
    await execute(root, 'off', [
      ['file_replace_text', { path: 'a.txt', old_text: 'one', new_text: 'ONE' }],
      ['file_replace_text', { path: 'a.txt', old_text: 'five', new_text: 'FIVE' }],
    ])
    await undoIn(root, 'off', { action: 2 })
    fill(root, { 'a.txt': 'ONE\nmine\n3\n4\nfive\n' })
    expect(await undoIn(root, 'off', { number: 1 })).toMatchObject({ success: false, code: 'concurrent_modification' })
    expect(treeOf(root)).toEqual({ 'a.txt': '644 ONE\nmine\n3\n4\nfive\n' })
  })

  it('of an action is brought again like any other', async () => {
    const root = project()
    await execute(root, 'off', [edit, ['file_write', { path: 'src/b.txt', content: 'B\n' }]])
    const after = treeOf(root)
    await undoIn(root, 'off', { action: 2 })
    expect(await undoIn(root, 'off', { action: 2 })).toMatchObject({
      success: false,
      error: 'Action 2 of execution 1 is already undone. See clada history.',
    })
    const half = treeOf(root)
    expect(await undoIn(root, 'off')).toMatchObject({ success: true, execution: 1, restored: ['a.txt'] })
    expect(await redoIn(root, 'off')).toMatchObject({ success: true, execution: 1 })
    expect(treeOf(root)).toEqual(half)
    expect(await redoIn(root, 'off')).toMatchObject({ success: true, execution: 1, restored: ['src/b.txt'] })
    expect(treeOf(root)).toEqual(after)
    expect(await told(root)).toEqual([
      'edit 2 files',
      'undo action 2 of execution 1',
      'undo execution 1',
      'redo execution 1',
      'redo action 2 of execution 1',
    ])
  })

  it('of what is undone is refused, so that redo still knows what to bring', async () => {
    const root = project()
    await execute(root, 'off', [edit])
    const after = treeOf(root)
    await undoIn(root, 'off', { number: 1 })
    expect(await undoIn(root, 'off', { number: 1 })).toMatchObject({
      success: false,
      error: 'Execution 1 is already undone. See clada history.',
    })
    expect(await redoIn(root, 'off')).toMatchObject({ success: true, restored: ['a.txt'] })
    expect(treeOf(root)).toEqual(after)
  })

  it('of an undo is a redo, and of a redo an undo', async () => {
    const root = project()
    const before = treeOf(root)
    await execute(root, 'off', [edit])
    const after = treeOf(root)
    await undoIn(root, 'off')
    expect(await undoIn(root, 'off', { number: 2 })).toMatchObject({ success: true, execution: 2 })
    expect(treeOf(root)).toEqual(after)
    expect(await told(root)).toEqual(['edit a.txt', 'undo execution 1', 'redo execution 1'])
    expect(await undoIn(root, 'off', { number: 2 })).toMatchObject({ success: false })
    expect(await redoIn(root, 'off')).toMatchObject({ success: false })
    expect(await undoIn(root, 'off', { number: 3 })).toMatchObject({ success: true, execution: 3 })
    expect(treeOf(root)).toEqual(before)
    expect(await told(root)).toEqual([
      'edit a.txt (undone)',
      'undo execution 1',
      'redo execution 1',
      'undo execution 1',
    ])
    expect(await undoIn(root, 'off', { number: 3 })).toMatchObject({ success: false })
    expect(await redoIn(root, 'off')).toMatchObject({ success: true })
    expect(treeOf(root)).toEqual(after)
  })

  it('finds actions of a group that landed together', async () => {
    const root = scratchDir({ 'a.txt': 'a', 'b.txt': 'b' })
    await execute(root, 'off', [write('A'), write('B', 'b.txt')], { atomic: true })
    expect(await undoIn(root, 'off', { action: 2 })).toMatchObject({ success: true, restored: ['b.txt'] })
    expect(treeOf(root)).toEqual({ 'a.txt': '644 A', 'b.txt': '644 b' })
  })

  it('leaves what nobody changed in place: a file edited in place afterwards does not change what was kept', async () => {
    const root = scratchDir({ 'a.txt': 'old' })
    await execute(root, 'off', [['file_move', { old_path: 'a.txt', new_path: 'b.txt' }]])
    // Many editors write into the file.
    fs.writeFileSync(path.join(root, 'b.txt'), 'mine')
    fs.rmSync(path.join(root, 'b.txt'))
    fs.writeFileSync(path.join(root, 'b.txt'), 'old')
    expect(await undoIn(root, 'off')).toMatchObject({ success: true })
    expect(treeOf(root)).toEqual({ 'a.txt': '644 old' })
  })

  it('does not break on records that are none', async () => {
    const root = project()
    await execute(root, 'off', [edit])
    const history = inState(root, 'history')
    const record = readRecord(history, 1)
    for (const wrong of [
      { actions: [null] },
      { paths: [{ path: 'a.txt', before: { type: 'absent' }, after: { type: 'absent' }, steps: [null] }] },
      { ofActions: '1', of: 1, kind: 'undo' },
      { of: 'x' },
      { commits: { after: '--output=x' } },
      { commits: null },
      { time: 5 },
      { summary: null },
    ]) {
      writeJournal(root, 1, [{ ...ownOwner(), execution: 1, kind: 'run' }])
      const log = continueJournal(root)
      log.addRecord({ ...record, ...wrong })
      log.syncNow()
      log.close()
      const before = treeOf(root)
      expect(await told(root)).toEqual([])
      expect(await undoIn(root, 'off', { number: 1 })).toMatchObject({ success: false })
      expect(treeOf(root)).toEqual(before)
    }
  })

  it('has nothing to say where nothing was executed, and makes nothing', async () => {
    const root = scratchDir({ 'a.txt': 'a' })
    expect(await undoIn(root, 'off')).toMatchObject({ success: false, error: 'Nothing was executed here yet.' })
    expect(fs.readdirSync(root)).toEqual(['a.txt'])
  })

  it('does not touch a file twice that a refused group left alone', async () => {
    const root = scratchDir({ 'a.txt': 'a' })
    await execute(root, 'off', [write('A'), ['file_delete', { path: 'nowhere' }]], { atomic: true })
    expect(await undoIn(root, 'off')).toMatchObject({ success: false })
    expect(treeOf(root)).toEqual({ 'a.txt': '644 a' })
  })
})
