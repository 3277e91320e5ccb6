import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { scratchDir } from '../support/scratch.ts'
import { connected } from './client.ts'

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
