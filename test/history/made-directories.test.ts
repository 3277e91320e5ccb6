import { describe, expect, it } from 'vitest'
import { fill } from '../support/scratch.ts'
import { type Call, execute, git, repository, treeOf, undoIn } from './world.ts'

const files = { 'a.txt': 'one\n', 'src/c.txt': 'c\n' }
const edit: Call = ['file_replace_text', { path: 'a.txt', old_text: 'one', new_text: 'ONE' }]

const many = (count: number, name: (nth: number) => string, text = 'x\n'): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, nth) => [name(nth), text]))

const tracked = (root: string): string[] => git(root, 'ls-files').trim().split('\n')

describe('what tools made or brought is never committed', () => {
  it.each<[string, Record<string, string>, string]>([
    [
      'a Python environment',
      { 'env3/pyvenv.cfg': '', 'env3/lib/x.py': 'x\n' },
      'env3/ (2 files, a Python environment)',
    ],
    ['packages', { 'web/node_modules/x/index.js': 'x\n' }, 'web/node_modules/ (1 file, packages)'],
    ['a cache by its tag', { 'c/CACHEDIR.TAG': 'Signature\n' }, 'c/ (1 file, a cache)'],
    ['an output beside its manifest', { 'Cargo.toml': '', 'target/debug/x': 'x' }, 'target/ (1 file, build output)'],
    ['many files', many(201, (nth) => `data/set/${nth}.csv`), 'data/ (201 files, more than anyone writes at once)'],
    [
      'many files in a tracked directory',
      many(201, (nth) => `src/set/${nth}`),
      'src/set/ (201 files, more than anyone writes at once)',
    ],
    ['large files', many(3, (nth) => `big/${nth}`, 'x'.repeat(8 * 2 ** 20)), 'big/ (3 files, 24 MB)'],
  ])('%s', async (_, made, named) => {
    const root = repository(files)
    fill(root, { ...made, 'notes.txt': 'mine\n' })
    const result = await execute(root, 'commit', [edit])
    const dir = named.slice(0, named.indexOf(' '))
    expect(result.warnings?.filter((one) => one.startsWith('not committed'))).toEqual([
      `not committed: ${named}. Put this line into .gitignore: /${dir}`,
    ])
    expect(tracked(root).filter((name) => name.startsWith(dir))).toEqual([])
    expect(tracked(root)).toEqual(expect.arrayContaining(['a.txt', 'notes.txt']))
  })

  it('is committed where the user tracks it, or nothing says that a tool made it', async () => {
    const root = repository({ ...files, 'package.json': '{}\n', 'dist/kept.js': 'x\n' })
    fill(root, {
      'dist/new.js': 'y\n',
      'build/plan.md': 'plan\n',
      'constructor/c.js': 'c\n',
      ...many(200, (nth) => `data/${nth}`),
    })
    const result = await execute(root, 'commit', [edit])
    expect(result.warnings?.filter((one) => one.startsWith('not committed'))).toEqual([])
    expect(tracked(root)).toEqual(
      expect.arrayContaining(['dist/new.js', 'build/plan.md', 'constructor/c.js', 'data/0']),
    )
  })

  it('is named by the first report that sees it, and by no later one', async () => {
    const root = repository({ ...files, 'Cargo.toml': '' })
    const named = async (text: string): Promise<string[]> => {
      const result = await execute(root, 'commit', [['file_write', { path: 'a.txt', content: text }]])
      expect(result.success).toBe(true)
      return result.warnings?.filter((one) => one.startsWith('not committed')) ?? []
    }
    fill(root, { 'node_modules/x/index.js': 'x\n' })
    expect(await named('1\n')).toEqual([expect.stringContaining(': node_modules/ (1 file, packages).')])
    expect(await named('2\n')).toEqual([])
    fill(root, { 'node_modules/y/index.js': 'y\n', 'target/x': 'x' })
    expect(await named('3\n')).toEqual([expect.stringContaining(': target/ (1 file, build output).')])
    expect(await named('4\n')).toEqual([])
    expect(tracked(root)).toEqual(['Cargo.toml', 'a.txt', 'src/c.txt'])
  })

  it('can be undone all the same', async () => {
    const root = repository(files)
    fill(root, { 'node_modules/x/index.js': 'x\n' })
    const before = treeOf(root)
    const result = await execute(root, 'commit', [
      ['file_write', { path: 'node_modules/x/index.js', content: 'y\n' }],
      ['file_write', { path: 'node_modules/y/index.js', content: 'y\n' }],
      edit,
    ])
    expect(result.success).toBe(true)
    expect(tracked(root)).toEqual(['a.txt', 'src/c.txt'])
    expect(await undoIn(root, 'commit')).toMatchObject({ success: true })
    expect(treeOf(root)).toEqual(before)
    expect(tracked(root)).toEqual(['a.txt', 'src/c.txt'])
  })
})
