import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { Clada } from '../../packages/clada/src/api/clada.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'

const csl = (...operations: readonly string[]): string => operations.join('\n')
const write = (file: string, content: string): string => `<---WRITE file="${file}"--->\n${content}\n<---END--->`
const edit = (file: string, from: string, to: string): string =>
  `<---SEARCH file="${file}"--->\n${from}\n<---REPLACE--->\n${to}\n<---END--->`
const atomic = (...operations: readonly string[]): string =>
  ['<---TASKS atomic="true"--->', ...operations, '<---END--->'].join('\n')

describe('what one action of a preview changes', () => {
  it('is told over what those before it did', async () => {
    const root = scratchDir({ 'a.txt': 'one\n' })
    const document = csl(edit('a.txt', 'one', 'two'), edit('a.txt', 'two', 'three'), write('b.txt', 'new'))
    const { changesBy, diffs } = await new Clada({ repoPath: root }).preview(document)
    expect([1, 2, 3, 4].map(changesBy)).toEqual([
      [{ path: 'a.txt', change: 'modify', binary: false, before: 'one\n', after: 'two\n' }],
      [{ path: 'a.txt', change: 'modify', binary: false, before: 'two\n', after: 'three\n' }],
      [{ path: 'b.txt', change: 'create', binary: false, before: null, after: 'new' }],
      [],
    ])
    expect(diffs.map(({ path }) => path)).toEqual(['a.txt', 'b.txt'])
  })

  it('names both ends of a move, and nothing for what changes nothing', async () => {
    const root = scratchDir({ 'a.txt': 'one\n' })
    const document = csl('<---RUN--->\nmv a.txt c/b.txt\n<---END--->', write('d.txt', 'x'), write('d.txt', 'x'))
    const { changesBy } = await new Clada({ repoPath: root }).preview(document)
    expect(changesBy(1).map(({ path, change }) => [path, change])).toEqual([
      ['c/b.txt', 'create'],
      ['a.txt', 'delete'],
    ])
    expect(changesBy(2)).toHaveLength(1)
    expect(changesBy(3)).toEqual([])
  })

  it('is nothing where a group does not land', async () => {
    const root = scratchDir({ 'a.txt': 'one\n' })
    const lands = atomic(edit('a.txt', 'one', 'two'), edit('a.txt', 'two', 'three'))
    const fails = atomic(edit('a.txt', 'one', 'two'), edit('a.txt', 'no such', 'x'))
    const clada = new Clada({ repoPath: root })
    const first = await clada.preview(lands)
    expect([1, 2].map((seq) => first.changesBy(seq)[0]?.after)).toEqual(['two\n', 'three\n'])
    const second = await clada.preview(fails)
    expect([1, 2].map((seq) => second.changesBy(seq))).toEqual([[], []])
    // The same for a document that is atomic as a whole; without that, what succeeds is shown.
    const document = csl(write('b.txt', 'b'), edit('a.txt', 'no such', 'x'))
    const preview = async (atomic: boolean) => (await new Clada({ repoPath: root, atomic }).preview(document)).diffs
    expect((await preview(false)).map(({ path: name }) => name)).toEqual(['b.txt'])
    expect(await preview(true)).toEqual([])
  })
})

describe('only some blocks of a document', () => {
  it('are carried out under their own numbers', async () => {
    const root = scratchDir()
    const document = csl(write('a.txt', 'a'), write('b.txt', 'b'), write('c.txt', 'c'))
    const clada = new Clada({ repoPath: root, gitCommit: false })
    const { result } = await clada.preview(document, { only: ['2'] })
    expect(result).toMatchObject({ totalBlocks: 1, results: [{ seq: 1, task: '2' }] })
    const done = await clada.execute(document, { only: ['1', '3'] })
    expect(done.results.map(({ seq, task }) => [seq, task])).toEqual([
      [1, '1'],
      [2, '3'],
    ])
    expect(filesIn(root)).toEqual({ 'a.txt': 'a', 'c.txt': 'c' })
  })

  it('keep the rules of their group', async () => {
    const root = scratchDir({ 'a.txt': 'one\n' })
    const document = [
      '<---TASKS--->',
      write('b.txt', 'b'),
      edit('a.txt', 'none', 'x'),
      write('c.txt', 'c'),
      '<---END--->',
    ]
    const clada = new Clada({ repoPath: root, gitCommit: false })
    const { results } = await clada.execute(document.join('\n'), { only: ['1.2', '1.3'] })
    expect(results.map(({ task, code }) => [task, code])).toEqual([
      ['1.2', 'match_count_mismatch'],
      ['1.3', 'skipped'],
    ])
  })
})

it('does not make a broken group sound to leave its broken part out', async () => {
  const root = scratchDir()
  // Without layers a process cannot be reverted, so it makes the group unsound.
  const document = atomic(write('b.txt', 'b'), '<---RUN--->\nnpm test\n<---END--->')
  const clada = new Clada({ repoPath: root, gitCommit: false, exec: 'unsandboxed' })
  const { results } = await clada.execute(document, { only: ['1.1'] })
  expect(results.map(({ task, code }) => [task, code])).toEqual([['1.1', 'skipped']])
  expect(filesIn(root)).toEqual({})
})

describe('what others change between executions', () => {
  it('is told with the execution that came upon it, and what is new since', async () => {
    const root = scratchDir()
    const clada = new Clada({ repoPath: root, gitCommit: false })
    const file = path.join(root, 'a.txt')
    await clada.execute(write('a.txt', 'one'))
    await clada.execute(write('a.txt', 'two'))
    fs.writeFileSync(file, 'mine')
    await clada.execute(write('a.txt', 'three'))
    const entries = await clada.history()
    expect(entries.map(({ number, meanwhile }) => [number, meanwhile])).toEqual([
      [1, undefined],
      [2, undefined],
      [3, ['a.txt']],
    ])
    const change = { path: 'a.txt', change: 'modify', binary: false }
    expect(await clada.changesOf(3)).toEqual({
      changes: [{ ...change, before: 'mine', after: 'three' }],
      meanwhile: [{ ...change, before: 'two', after: 'mine' }],
    })
    expect(await clada.changesOf(2)).toMatchObject({ meanwhile: [] })
    expect(await clada.changesOf(9)).toBeUndefined()
    expect(await clada.changedSince()).toEqual([])
    fs.rmSync(file)
    expect(await clada.changedSince()).toEqual([
      { path: 'a.txt', change: 'delete', binary: false, before: 'three', after: null },
    ])
  })
})

it('an error of a call without a document has no line', async () => {
  const clada = new Clada({ repoPath: scratchDir() })
  expect((await clada.call('file_read', {})).parseErrors[0]?.line).toBeUndefined()
  expect((await clada.perform('file_read', {})).parseErrors[0]).toMatchObject({ line: 1, blockStartLine: 1 })
})
