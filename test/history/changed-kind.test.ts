import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { Clada } from '../../packages/clada/src/index.ts'
import { skipWithout } from '../support/needs.ts'
import { fill, scratchDir } from '../support/scratch.ts'
import { type Call, documentOf, execute, git, repository, treeOf, undoIn } from './world.ts'

/** What a user did to `dir` or to `file` without committing it, and what a commit of it says. */
const changes: Readonly<Record<string, { does: (root: string) => void; saved: string }>> = {
  'a directory that became a file': {
    does(root) {
      fs.rmSync(path.join(root, 'dir'), { recursive: true })
      fill(root, { dir: 'now a file\n' })
    },
    saved: 'A\tdir\nD\tdir/deep/g\nD\tdir/f\n',
  },
  'a directory that became a link to a directory with such names': {
    does(root) {
      fs.rmSync(path.join(root, 'dir'), { recursive: true })
      fs.symlinkSync('twin', path.join(root, 'dir'))
    },
    saved: 'A\tdir\nD\tdir/deep/g\nD\tdir/f\n',
  },
  'a directory that became a link out of the project': {
    does(root) {
      fs.rmSync(path.join(root, 'dir'), { recursive: true })
      fs.symlinkSync(scratchDir({ f: 'of somebody else\n' }), path.join(root, 'dir'))
    },
    saved: 'A\tdir\nD\tdir/deep/g\nD\tdir/f\n',
  },
  'a directory that became a link to another repository': {
    does(root) {
      fs.rmSync(path.join(root, 'dir'), { recursive: true })
      fs.symlinkSync(repository({ f: 'of another project\n' }), path.join(root, 'dir'))
    },
    saved: 'A\tdir\nD\tdir/deep/g\nD\tdir/f\n',
  },
  'a directory that became a link to nowhere': {
    does(root) {
      fs.rmSync(path.join(root, 'dir/deep'), { recursive: true })
      fs.symlinkSync('nowhere', path.join(root, 'dir/deep'))
    },
    saved: 'A\tdir/deep\nD\tdir/deep/g\n',
  },
  'a directory that became a link that git ignores': {
    does(root) {
      fs.rmSync(path.join(root, 'dir'), { recursive: true })
      fs.symlinkSync('twin', path.join(root, 'dir'))
      fill(root, { '.git/info/exclude': '/dir\n' })
    },
    saved: 'D\tdir/deep/g\nD\tdir/f\n',
  },
  'a file that became a directory': {
    does(root) {
      fs.rmSync(path.join(root, 'file'))
      fill(root, { 'file/index': 'in it\n' })
    },
    saved: 'D\tfile\nA\tfile/index\n',
  },
  'a file that became an empty directory': {
    does(root) {
      fs.rmSync(path.join(root, 'file'))
      fs.mkdirSync(path.join(root, 'file'))
    },
    saved: 'D\tfile\n',
  },
}

const files = {
  'a.txt': 'one\n',
  'dir/f': 'f\n',
  'dir/deep/g': 'g\n',
  file: 'x\n',
  'twin/f': 't\n',
  'twin/deep/g': 't\n',
}
const edit: Call = ['file_replace_text', { path: 'a.txt', old_text: 'one', new_text: 'ONE' }]
const modes = ['commit', 'shadow'] as const
const isClean = (root: string): boolean => git(root, 'status', '--porcelain') === ''

// Every change meets every way; the modes take turns, for they make no difference to one that is undone.
const ways = Object.entries(changes).map(([name, change], at) => ({ name, ...change, mode: modes[at % 2] ?? 'commit' }))

describe.each(ways)('$name', ({ does, saved, mode }) => {
  it('is saved before an execution', async () => {
    const root = repository(files)
    does(root)
    const before = treeOf(root)
    const { success, fatalError } = await execute(root, 'commit', [edit])
    expect({ success, fatalError }).toEqual({ success: true, fatalError: undefined })
    expect(git(root, 'show', '--format=', '--name-status', '--no-renames', 'HEAD')).toBe('M\ta.txt\n')
    expect(git(root, 'show', '--format=', '--name-status', '--no-renames', 'HEAD~')).toBe(saved)
    expect(isClean(root)).toBe(true)
    expect(git(root, 'fsck', '--strict')).toBe('')
    expect(await undoIn(root, 'commit')).toMatchObject({ success: true })
    expect(treeOf(root)).toEqual(before)
  })

  it(`is there again when a program is undone: ${mode}`, async (context) => {
    skipWithout(context, 'bash')
    const root = repository(files)
    does(root)
    const before = treeOf(root)
    const clada = new Clada({ repoPath: root, git: mode, exec: 'unsandboxed' })
    const code = 'echo more >> a.txt; echo new > new.txt'
    const { success, fatalError } = await clada.execute(documentOf(root, [['exec', { lang: 'bash', code }]]))
    expect({ success, fatalError }).toEqual({ success: true, fatalError: undefined })
    expect(await undoIn(root, mode)).toMatchObject({ success: true, conflicts: [] })
    expect(treeOf(root)).toEqual(before)
  })

  it('waits while the user goes back, and is there again', async () => {
    const root = repository({ 'a.txt': 'zero\n' })
    fill(root, files)
    git(root, 'add', '-A')
    git(root, 'commit', '-q', '-m', 'second')
    does(root)
    const before = treeOf(root)
    const clada = new Clada({ repoPath: root })
    expect(await clada.back()).toMatchObject({ success: true })
    expect(treeOf(root)['a.txt']).toBe('644 zero\n')
    expect(await clada.forward()).toMatchObject({ success: true, branch: 'main' })
    expect(treeOf(root)).toEqual(before)
  })
})

describe.each(['refuse', 'inside'] as const)(
  'a program that puts links in place is undone: symlinks %s',
  (symlinks) => {
    it.each([
      ['a link to a file', 'ln -s a.txt link', 'commit'],
      ['a link instead of a file', 'rm file; ln -s twin/f file', 'shadow'],
      ['a link instead of a directory', 'rm -r dir; ln -s twin dir', 'commit'],
      ['a link instead of a directory in shadow', 'rm -r dir; ln -s twin dir', 'shadow'],
      ['a directory instead of a link', 'rm there; mkdir there; echo x > there/f', 'commit'],
    ] as const)('%s', async (_, code, mode) => {
      const root = repository(files)
      fs.symlinkSync('twin', path.join(root, 'there'))
      git(root, 'add', 'there')
      git(root, 'commit', '-q', '-m', 'a link')
      const before = treeOf(root)
      const clada = new Clada({ repoPath: root, git: mode, exec: 'unsandboxed', symlinks })
      const { success, fatalError } = await clada.execute(documentOf(root, [['exec', { lang: 'bash', code }]]))
      expect({ success, fatalError }).toEqual({ success: true, fatalError: undefined })
      const after = treeOf(root)
      expect(await clada.undo()).toMatchObject({ success: true, conflicts: [] })
      expect(treeOf(root)).toEqual(before)
      expect(await clada.redo()).toMatchObject({ success: true, conflicts: [] })
      expect(treeOf(root)).toEqual(after)
    })
  },
)

describe.each(modes)('a directory without a commit that a reply makes a file: %s', (mode) => {
  it.each<readonly [how: string, calls: readonly Call[]]>([
    ['a program', [['exec', { lang: 'bash', code: 'rm -r new; echo x > new' }]]],
    ['a program that makes a link', [['exec', { lang: 'bash', code: 'rm -r new; ln -s a.txt new' }]]],
    [
      'a command',
      [
        ['run', { command: 'rm -r new' }],
        ['file_write', { path: 'new', content: 'x' }],
      ],
    ],
    [
      'actions',
      [
        ['file_delete', { path: 'new/deep/n' }],
        ['dir_delete', { path: 'new/deep' }],
        ['file_write', { path: 'new/deep', content: 'x' }],
      ],
    ],
  ])('%s', async (_, calls) => {
    const root = repository(files)
    fill(root, { 'new/deep/n': 'n\n' })
    const before = treeOf(root)
    const clada = new Clada({ repoPath: root, git: mode, exec: 'unsandboxed' })
    const { success, fatalError } = await clada.execute(documentOf(root, calls))
    expect({ success, fatalError }).toEqual({ success: true, fatalError: undefined })
    expect(isClean(root)).toBe(mode === 'commit')
    expect(await clada.undo()).toMatchObject({ success: true, conflicts: [] })
    expect(treeOf(root)).toEqual(before)
  })
})

it.each(['file_read', 'list_structures', 'file_delete'])(
  'a path below a file is an error of %s where links are followed',
  async (action) => {
    const root = repository(files)
    const clada = new Clada({ repoPath: root, git: 'off', symlinks: 'inside' })
    const { results } = await clada.execute(documentOf(root, [[action, { path: 'a.txt/below' }]]))
    expect(results).toMatchObject([{ success: false, error: expect.stringContaining('ENOTDIR') }])
    expect(results[0]?.code).not.toBe('internal_error')
  },
)
