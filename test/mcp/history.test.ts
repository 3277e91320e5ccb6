import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { Clada } from '../../packages/clada/src/api/clada.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'
import { connected } from './client.ts'
import { cladaCall } from '../support/cli.ts'

it('saves under refs/clada unless the user asks for commits', async () => {
  const root = scratchDir({ 'a.txt': 'a\n' })
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' })
  git('init', '-q')
  git('add', '-A')
  git('-c', 'user.name=t', '-c', 'user.email=t@t', 'commit', '-qm', 'first')
  const { call } = await connected(root, { git: [] })
  for (const content of ['b\n', 'c\n'])
    expect((await call('file_write', { path: 'a.txt', content })).isError).toBe(false)
  expect(git('rev-list', '--count', 'HEAD').trim()).toBe('1')
  expect(git('for-each-ref', 'refs/clada')).not.toBe('')
  const committing = await connected(root, { git: ['--git', 'commit'] })
  expect((await committing.call('file_write', { path: 'a.txt', content: 'd\n' })).isError).toBe(false)
  expect(Number(git('rev-list', '--count', 'HEAD'))).toBeGreaterThan(1)
})

it('is one conversation, which can be undone as a whole', async () => {
  const root = scratchDir({ 'a.txt': 'a\n' })
  const own = new Clada({ repoPath: root, gitCommit: false })
  await own.perform('file_write', { path: 'own.txt', content: 'own' })
  const { call } = await connected(root)
  for (const content of ['b\n', 'c\n', 'd\n']) await call('file_write', { path: 'a.txt', content })
  await call('file_write', { path: 'new.txt', content: 'x' })
  const history = (...args: string[]): string =>
    execFileSync(...cladaCall('history', '--root', root, ...args), { encoding: 'utf8' })
  expect(history().trim().split('\n')).toEqual([
    expect.stringContaining('own.txt'),
    expect.stringMatching(/^2-5 .*MCP conversation of 4 executions/),
  ])
  expect(history('--all').trim().split('\n')).toHaveLength(5)
  expect(await own.undo({ conversation: 'loop' })).toMatchObject({ success: false })

  // One file that cannot be restored: nothing is undone.
  fs.writeFileSync(path.join(root, 'a.txt'), 'by hand\n')
  expect(await own.undo({ conversation: 'any' })).toMatchObject({ success: false, conflicts: [{ path: 'a.txt' }] })
  expect(filesIn(root)).toEqual({ 'a.txt': 'by hand\n', 'new.txt': 'x', 'own.txt': 'own' })

  fs.writeFileSync(path.join(root, 'a.txt'), 'd\n')
  expect(await own.undo({ conversation: 'any' })).toMatchObject({ success: true, executions: [5, 4, 3, 2] })
  expect(filesIn(root)).toEqual({ 'a.txt': 'a\n', 'own.txt': 'own' })
  expect(await own.undo({ conversation: 'any' })).toMatchObject({ success: false })
})
