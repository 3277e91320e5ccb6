import fs from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { digestOf } from '../../packages/clada/src/core/digest.ts'
import { Clada } from '../../packages/clada/src/index.ts'
import { skipWithout } from '../support/needs.ts'
import { scratchDir } from '../support/scratch.ts'
import { damageKept, execute } from './world.ts'

const diffsOf = async (root: string) => (await new Clada({ repoPath: root }).execution(1))?.diffs

it('what was too large to be kept is read from the disk, or told to be gone; it was not deleted', async () => {
  const root = scratchDir({ 'a.txt': 'a\n' })
  await execute(root, 'off', [
    ['file_write', { path: 'a.txt', content: 'A' }],
    ['file_write', { path: 'b.txt', content: 'b' }],
  ])
  const shown = await diffsOf(root)
  expect(shown?.map(({ path: name, change }) => `${change} ${name}`)).toEqual(['modify a.txt', 'create b.txt'])

  // As if the execution had changed more than is kept a second time.
  for (const text of ['A', 'b']) damageKept(root, digestOf(text), (bytes) => Buffer.alloc(bytes.length))
  expect(await diffsOf(root)).toEqual(shown)

  for (const name of ['a.txt', 'b.txt']) fs.writeFileSync(path.join(root, name), 'mine')
  const gone = (name: string, change: string) => ({
    path: name,
    change,
    binary: true,
    diff: `Its new content was not kept: ${name} (${change})\n`,
  })
  expect(await diffsOf(root)).toEqual([gone('a.txt', 'modify'), gone('b.txt', 'create')])
  expect((await new Clada({ repoPath: root }).changesOf(1))?.changes).toEqual([
    { path: 'a.txt', change: 'modify', binary: true, before: '', after: '' },
    { path: 'b.txt', change: 'create', binary: true, before: '', after: '' },
  ])
})

it('directories are counted like files', async () => {
  const root = scratchDir()
  await execute(root, 'off', [['dir_create', { path: 'a/b' }]])
  await execute(root, 'off', [['dir_delete', { path: 'a/b' }]])
  const entries = await new Clada({ repoPath: root }).history()
  expect(entries.map(({ summary }) => summary)).toEqual(['make 2 directories', 'remove directory a/b'])
})

it('an execution whose journal somebody removed does not promise an undo', async (context) => {
  skipWithout(context, 'bash')
  const root = scratchDir({ 'a.txt': 'a', '.git/HEAD': 'ref: refs/heads/main\n' })
  const code = 'rm -rf .git/clada'
  const { fatalError } = await execute(
    root,
    'off',
    [
      ['file_write', { path: 'a.txt', content: 'A' }],
      ['exec', { lang: 'bash', code }],
    ],
    { exec: 'unsandboxed' },
  )
  expect(fatalError).toMatch(
    /^clada: the record could not be written: there is no such file or directory\. .*so clada undo cannot revert them\.$/,
  )
})
