import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { executeFileOperation } from '../../packages/clada/src/compat/execute-file-operation.ts'
import { parseSham, parseShamResponse } from '../../packages/clada/src/compat/parse-sham.ts'
import { delete_structure, list_structures } from '../../packages/clada/src/compat/structures.ts'
import { scratchDir } from '../support/scratch.ts'

const sham = (id: string, ...lines: string[]): string =>
  [`#!SHAM [@three-char-SHA-256: ${id}]`, ...lines, `#!END_SHAM_${id}`, ''].join('\n')
const metadata = { blockId: 'abc', startLine: 1, endLine: 4 }

describe('functions with the signatures of earlier libraries', () => {
  it('return the actions of a reply, and the errors of all blocks by line', async () => {
    const { actions, errors, summary } = await parseShamResponse(
      [
        sham('aaa', 'action = "no_such_action"'),
        sham('bbb', 'action = "file_read"', 'path = "/tmp/a.txt"'),
        sham('ccc', 'action = file_read'),
        sham('ddd', 'action = "file_read"', 'path = "relative.txt"'),
        sham('eee', 'action = “file_read”', 'path = “/tmp/a.txt”'),
        '#!END_SHAM_zzz',
        '#!SHAM [@three-char-SHA-256: fff]\naction = "file_read"\n',
      ].join('\n'),
    )
    expect(actions.map(({ metadata: { blockId } }) => blockId)).toEqual(['bbb'])
    expect(errors.map(({ line }) => line)).toEqual(errors.map(({ line }) => line ?? 0).toSorted((a, b) => a - b))
    expect(new Set(errors.map(({ blockId }) => blockId))).toEqual(new Set(['aaa', 'ccc', 'ddd', 'eee', 'fff']))
    expect(summary).toEqual({ totalBlocks: 6, successCount: 1, errorCount: errors.length })
  })

  it('return errors by line, also of headers in a heredoc that does not end, and no action of a broken block', async () => {
    const unclosed = '#!SHAM [@three-char-SHA-256: bbb]\naction = "file_write"\ncontent = <<\'EOT_SHAM_bbb\'\ntext\n'
    const text = [
      sham('aaa', 'action = "no_such_action"'),
      sham('abc', 'action = "file_read"', 'path = "/tmp/a.txt"', 'this line is no key'),
      unclosed,
      sham('ccc', 'action = "file_read"'),
    ].join('')
    const { actions, errors } = await parseShamResponse(text)
    expect(actions).toEqual([])
    expect(errors.map(({ line, blockId }) => [line, blockId])).toEqual([
      [1, 'aaa'],
      [7, 'abc'],
      [13, 'ccc'],
      [17, 'bbb'],
    ])
    const parsed = parseSham(text)
    expect(parsed.blocks.map(({ id, startLine }) => [id, startLine])).toEqual([
      ['aaa', 1],
      ['abc', 4],
      ['bbb', 9],
    ])
    expect(parsed.errors.map(({ line }) => line)).toEqual([7, 17])
    expect(parsed.skipped).toEqual([{ id: 'ccc', line: 13 }])
  })

  it('run one action, with either data or an error', async () => {
    const root = scratchDir({ 'a.txt': 'a' })
    const options = { repoPath: root, gitCommit: false }
    const read = (name: string) =>
      executeFileOperation({ action: 'file_read', parameters: { path: path.join(root, name) }, metadata }, options)
    expect(Object.keys(await read('a.txt'))).toEqual(['success', 'data'])
    const missing = await read('gone.txt')
    expect(missing).toMatchObject({ success: false })
    expect(missing.error).not.toContain('allowedRoots')
    expect((await read('../outside.txt')).error).toContain("Pass { allowedRoots: ['/its/directory'] }")
    const unknown = await executeFileOperation({ action: 'no_such', parameters: {}, metadata }, options)
    expect(unknown).toEqual({ success: false, error: expect.stringContaining('no_such') })
  })

  it('say why a structure cannot be deleted, also before anything is done', async () => {
    const root = scratchDir({ 'a.ts': 'const a = 1\n' })
    const of = (target: string, repoPath: string) => delete_structure(path.join(root, 'a.ts'), target, { repoPath })
    expect(await of('b', root)).toMatchObject({ error: 'TARGET_NOT_FOUND', message: expect.stringContaining('b') })
    expect(await of('a', path.join(root, 'gone'))).toMatchObject({ message: expect.stringContaining('gone') })
    expect(await list_structures(path.join(root, 'a.ts'), Number.NaN, { repoPath: root })).toMatchObject({
      error: 'invalid_parameter',
      message: 'Invalid integer value: NaN',
    })
  })
})
