import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { type Call, execute, git, repository, undoIn } from './world.ts'

const edit = (name: string): Call => ['file_write', { path: name, content: 'edited\n' }]

it('a repository of 50,000 files is committed, saved and undone like any other', { timeout: 240_000 }, async () => {
  const root = repository({})
  const blob = execFileSync('git', ['hash-object', '-w', '--stdin'], {
    cwd: root,
    input: 'text\n',
    encoding: 'utf8',
  }).trim()
  const entries = Array.from({ length: 50_000 }, (_, at) => `100644 ${blob}\td${at % 250}/f${at}.txt\n`)
  execFileSync('git', ['update-index', '--index-info'], { cwd: root, input: entries.join('') })
  git(root, 'checkout-index', '-a')
  git(root, 'commit', '-q', '-m', 'first')
  git(root, 'status')

  fs.writeFileSync(path.join(root, 'd7/f7.txt'), 'mine\n')
  expect(await execute(root, 'commit', [edit('d0/f0.txt')])).toMatchObject({
    success: true,
    gitCommit: expect.any(String),
  })
  expect(git(root, 'show', '--format=', '--name-only', 'HEAD')).toBe('d0/f0.txt\n')
  expect(git(root, 'show', '--format=', '--name-only', 'HEAD~1')).toBe('d7/f7.txt\n')
  expect(git(root, 'ls-tree', '-r', '--name-only', 'HEAD').split('\n')).toHaveLength(50_001)
  expect(await execute(root, 'shadow', [edit('d1/f1.txt')])).toMatchObject({ success: true })
  expect(git(root, 'diff-tree', '-r', '--name-only', 'refs/clada/checkpoints~1', 'refs/clada/checkpoints')).toBe(
    'd1/f1.txt\n',
  )
  expect(await undoIn(root, 'shadow')).toMatchObject({ success: true })
  expect(await undoIn(root, 'commit')).toMatchObject({ success: true })
  expect(git(root, 'status', '--porcelain')).toBe('')
})
