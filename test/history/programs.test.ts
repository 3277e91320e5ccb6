import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { Clada } from '../../src/index.ts'
import { fill, scratchDir } from '../support/scratch.ts'
import { type Call, documentOf, git, type Mode, redoIn, repository, treeOf, undoIn } from './world.ts'

const bash = (code: string): Call => ['exec', { lang: 'bash', code }]
const files = { 'a.txt': 'a\n', 'b.txt': 'b\n', 'src/c.txt': 'c\n', '.gitignore': 'ignored/\n' }

const run = (root: string, mode: Mode, calls: readonly Call[]) =>
  new Clada({ repoPath: root, git: mode, exec: 'unsandboxed' }).execute(documentOf(root, calls))

describe('what programs change', () => {
  for (const mode of ['commit', 'shadow', 'off'] as const) {
    for (const where of ['a repository', 'no repository'] as const) {
      it(`is taken back and brought again: ${mode}, ${where}`, async () => {
        const root = where === 'a repository' ? repository(files) : scratchDir(files)
        fill(root, { 'b.txt': 'not committed\n', 'untracked.txt': 'u\n' })
        fs.chmodSync(path.join(root, 'src/c.txt'), 0o600)
        const before = treeOf(root)
        const result = await run(root, mode, [
          ['file_write', { path: 'a.txt', content: 'edited before\n' }],
          bash(
            'echo in place >> a.txt; echo more >> b.txt; rm untracked.txt; echo new > new.txt; echo x >> src/c.txt; chmod +x a.txt',
          ),
          ['file_append', { path: 'b.txt', content: 'edited after\n' }],
          bash('mv new.txt newer.txt'),
        ])
        expect(result.results.map(({ success }) => success)).toEqual([true, true, true, true])
        const after = treeOf(root)
        expect(after['b.txt']).toBe('644 not committed\nmore\nedited after\n')

        expect(await undoIn(root, mode)).toMatchObject({ success: true, conflicts: [] })
        expect(treeOf(root)).toEqual(before)
        expect(await redoIn(root, mode)).toMatchObject({ success: true })
        expect(treeOf(root)).toEqual(after)
        expect(fs.existsSync(path.join(root, '.clada/history/1/room'))).toBe(false)
        if (mode === 'commit' && where === 'a repository')
          expect(git(root, 'status', '--porcelain')).toBe('?? .clada/\n')
      })
    }
  }

  it('is saved without closed files, and what is ignored stays as the program left it', async () => {
    const root = repository(files)
    fill(root, { '.env': 'SECRET\n', 'ignored/x.txt': 'old\n' })
    await run(root, 'shadow', [bash('echo new > ignored/x.txt; echo a >> a.txt')])
    expect(await undoIn(root, 'shadow')).toMatchObject({ success: true, restored: ['a.txt'] })
    expect(fs.readFileSync(path.join(root, 'ignored/x.txt'), 'utf8')).toBe('new\n')
    const objects = git(root, 'cat-file', '--batch-all-objects', '--batch-check=%(objectname)').trim().split('\n')
    for (const oid of objects) expect(git(root, 'cat-file', '-p', oid)).not.toContain('SECRET')
  })
})
