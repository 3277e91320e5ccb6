import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { Clada } from '../../packages/clada/src/index.ts'
import { scratchDir } from '../support/scratch.ts'
import { block } from '../workspace/blocks.ts'

/** Files with every line ending, committed by git under a configuration, then one of them edited by clada. */
describe.each([
  ['core.autocrlf=true of the user', '[core]\n\tautocrlf = true\n', ''],
  ['core.autocrlf=input of the user', '[core]\n\tautocrlf = input\n', ''],
  ['core.eol=crlf of the user', '[core]\n\teol = crlf\n', '* text=auto\n'],
  ['attributes', '', '*.txt text eol=crlf\n*.sh text eol=lf\n*.bin -text\n'],
])('%s', (_, config, attributes) => {
  it('commits the edited file and no other', async () => {
    const home = scratchDir({ '.gitconfig': `${config}[user]\n\tname = U\n\temail = u@example.com\n` })
    const root = scratchDir({
      ...(attributes === '' ? {} : { '.gitattributes': attributes }),
      'lf.txt': 'one\ntwo\n',
      'crlf.txt': 'one\r\ntwo\r\n',
      'mixed.txt': 'one\r\ntwo\n',
      'run.sh': 'one\n',
      'data.bin': 'a\r\nb\n',
    })
    vi.stubEnv('HOME', home)
    try {
      const git = (...args: string[]): string =>
        execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: 'pipe' })
      git('init', '-q')
      git('add', '-A')
      git('commit', '-q', '-m', 'one')
      for (const name of ['lf.txt', 'crlf.txt']) {
        const edit = block('file_edit', { path: path.join(root, name), old_text: 'two', new_text: '2' })
        const result = await new Clada({ repoPath: root }).execute(edit)
        expect(result).toMatchObject({ success: true })
        expect(git('show', '--name-only', '--format=', 'HEAD').trim()).toBe(name)
        expect(git('show', '--numstat', '--format=', 'HEAD')).toBe(`1\t1\t${name}\n`)
        expect(git('status', '--porcelain')).toBe('')
      }
      expect(fs.readFileSync(path.join(root, 'lf.txt'), 'utf8')).toBe('one\n2\n')
      expect(fs.readFileSync(path.join(root, 'crlf.txt'), 'utf8')).toBe('one\r\n2\r\n')
    } finally {
      vi.unstubAllEnvs()
    }
  })
})
