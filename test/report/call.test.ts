import { describe, expect, it } from 'vitest'
import { Clada } from '../../packages/clada/src/api/clada.ts'
import { formatCall } from '../../packages/clada/src/report/call.ts'
import type { ReportOptions } from '../../packages/clada/src/report/parts.ts'
import { scratchDir } from '../support/scratch.ts'

const project = (): Clada =>
  new Clada({
    repoPath: scratchDir({ 'a.txt': 'one\n=== END ===\ntwo\n', 'b.txt': 'b', 'empty.txt': '' }),
    gitCommit: false,
    evidence: 'diff',
  })

const said = async (action: string, values: Record<string, unknown>, options: ReportOptions = {}): Promise<string> =>
  formatCall(await project().call(action, values), options)

describe('the text of one call', () => {
  it.each([
    ['of a file is the file, to the letter', 'file_read', { path: 'a.txt' }, 'one\n=== END ===\ntwo\n'],
    ['of an empty file says so', 'file_read', { path: 'empty.txt' }, '[empty file]'],
    [
      'of several files has each below its path',
      'files_read',
      { paths: ['b.txt', 'a.txt'] },
      '=== b.txt ===\nb\n\n=== a.txt ===\none\n=== END ===\ntwo\n',
    ],
    [
      'of an edit is what changed',
      'file_edit',
      { path: 'a.txt', old_text: 'one', new_text: '1' },
      'a.txt:1 (+1 −1)\n  -one\n  +1',
    ],
    ['of an action without output is a sentence', 'dir_create', { path: 'd' }, 'dir_create d: done'],
    ['of a search is what was found', 'glob', { pattern: 'b*', base_path: '.' }, 'b.txt'],
  ])('%s', async (_, action, values, text) => {
    expect(await said(action, values)).toBe(text)
  })

  it('that fails is the reason and what to do, then what there is to show', async () => {
    expect(await said('files_read', { paths: ['b.txt', 'none.txt'] })).toMatch(
      /^Failed to read 1 file:\n {2}none\.txt: There is no file 'none\.txt' \[file_not_found\]\n→ .*\n=== b\.txt ===\nb$/s,
    )
    expect(await said('file_read', {})).toBe(
      'Missing required parameter: path [invalid_parameter]\n→ file_read needs path: File to read; `file@@Class@@method` reads one structure of it.',
    )
    expect(await said('file_read', { path: 'none' }, { errorDetail: 'minimal' })).toMatch(/\[file_not_found\]$/)
  })

  it('has warnings after it, and never more than its budget', async () => {
    expect(await said('file_read', { path: 'b.txt', pth: 1 })).toBe(
      "b\n⚠️  parameter 'pth' is not known and was ignored; did you mean 'path'?",
    )
    const long = await said('grep', { pattern: 'o', path: '.' }, { budget: 5 })
    expect(long).toContain('[output truncated]')
  })
})
