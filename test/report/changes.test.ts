import { describe, expect, it } from 'vitest'
import type { FileChange } from '../../packages/clada/src/index.ts'
import { changeLines } from '../../packages/clada/src/report/action-diff.ts'
import { prettyChanges } from '../../packages/clada/src/report/pretty.ts'
import { renderDiff } from '@clada/reply/text/shown-diff.ts'

const numbers = (count: number): string => Array.from({ length: count }, (_, i) => `${i + 1}\n`).join('')
const all = { maxLines: 100, width: 100 }

describe('a change as a person sees it', () => {
  it('has line numbers and a few lines around', () => {
    const before = numbers(30)
    const after = before.replace('10\n', 'ten\n').replace('20\n', '')
    expect(renderDiff(before, after, all)).toEqual([
      '@@ -8,5 +8,5 @@',
      ' 8',
      ' 9',
      '-10',
      '+ten',
      ' 11',
      ' 12',
      '@@ -18,5 +18,4 @@',
      ' 18',
      ' 19',
      '-20',
      ' 21',
      ' 22',
    ])
    expect(renderDiff(before, before, all)).toEqual([])
  })

  it('is no higher than there is room, and says how much is left out', () => {
    const before = numbers(30)
    const after = before.replace('10\n', 'ten\n').replace('20\n', '')
    for (let maxLines = 2; maxLines <= 13; maxLines++) {
      const lines = renderDiff(before, after, { maxLines, width: 100 })
      expect(lines).toHaveLength(maxLines)
      if (maxLines < 13) expect(lines.at(-1)).toBe(`… ${13 - maxLines + 1} more lines`)
    }
    expect(renderDiff('', 'a\nb\nc\n', { maxLines: 4, width: 100 })).toEqual(['@@ -0,0 +1,3 @@', '+a', '+b', '+c'])
  })

  it('is no wider, and shows of a long line where it differs', () => {
    const long = 'x'.repeat(500)
    const lines = renderDiff(`${long}one${long}\n`, `${long}two${long}\n`, { maxLines: 9, width: 40 })
    expect(lines).toEqual([
      '@@ -1 +1 @@',
      expect.stringMatching(/^-…x{9}one.*…$/),
      expect.stringMatching(/^\+…x{9}two/),
    ])
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(42)
  })

  it('shows line ends only where they are what differs', () => {
    expect(renderDiff('a\r\nb\r\n', 'a\r\nc\r\n', all)).toEqual(['@@ -1,2 +1,2 @@', ' a', '-b', '+c'])
    expect(renderDiff('a\r\n', 'a\n', all)).toEqual(['@@ -1 +1 @@', '-a\r', '+a'])
    expect(renderDiff('a', 'a\n', all)).toEqual(['@@ -1 +1 @@', '-a', '+a', '\\ A line break at the end now'])
    expect(renderDiff('a\n', 'b', all)).toEqual(['@@ -1 +1 @@', '-a', '+b', '\\ No line break at the end now'])
    expect(renderDiff('', 'b', all)).toEqual(['@@ -0,0 +1 @@', '+b', '\\ No line break at the end now'])
  })
})

it('a change has colours for what came and went, and for nothing else', () => {
  expect(prettyChanges(['a.md, new', '@@ -1 +1 @@', '-a', '+b', '  - c', '  + d', ' '], { color: true })).toEqual([
    '    \u001b[2ma.md, new\u001b[0m',
    '    \u001b[2m@@ -1 +1 @@\u001b[0m',
    '    \u001b[31m-a\u001b[0m',
    '    \u001b[32m+b\u001b[0m',
    '      - c',
    '      + d',
    '     ',
  ])
})

describe('what an action did', () => {
  const change = (path: string, before: string | null, after: string | null, binary = false): FileChange => ({
    path,
    change: before === null ? 'create' : after === null ? 'delete' : 'modify',
    binary,
    before,
    after,
  })
  const lines = (path: string, changes: FileChange[], most = 12): string[] =>
    changeLines({ params: { path } }, changes, { lines: most, width: 80 })

  it('names no file that its line names already', () => {
    for (const named of ['/root/src/a.ts', 'src/a.ts', 'src/a.ts@@f@@g'])
      expect(lines(named, [change('src/a.ts', 'a\n', 'b\n')])).toEqual(['@@ -1 +1 @@', '-a', '+b'])
    expect(lines('/root/src', [change('src/a.ts', 'a\n', 'b\n')])).toEqual(['src/a.ts', '@@ -1 +1 @@', '-a', '+b'])
  })

  it('says of a file that it is new, gone, moved, or binary', () => {
    expect(lines('a', [change('a', null, 'one\ntwo\n')])).toEqual(['new, 2 lines', '+one', '+two'])
    expect(lines('a', [change('a', null, '')])).toEqual(['new, 0 lines'])
    expect(lines('a', [change('a', null, 'one')])).toEqual(['new, 1 line', '+one'])
    expect(lines('a', [change('a', 'one\n', null)])).toEqual(['deleted, 1 line', '-one'])
    expect(lines('a', [change('a', 'one\n', null), change('b', null, 'one\n')])).toEqual(['a → b'])
    expect(lines('a', [change('a', '', '', true)])).toEqual(['binary'])
    expect(lines('a', [change('a', null, '', true)])).toEqual(['new, binary'])
  })

  it('stays in its room, with several files and large ones', () => {
    const many = Array.from({ length: 5 }, (_, i) => change(`f${i}`, numbers(9), numbers(30)))
    for (let most = 3; most < 60; most++) expect(lines('', many, most).length).toBeLessThanOrEqual(most + 1)
    expect(lines('', many, 6)).toEqual([
      'f0',
      '@@ -8,2 +8,23 @@',
      ' 8',
      ' 9',
      '+10',
      '… 20 more lines',
      '… and 4 more files',
    ])
    expect(lines('a', [change('a', null, numbers(30))], 60)).toHaveLength(9)
    expect(lines('a', [change('a', null, numbers(30))], 4)).toEqual(['new, 30 lines', '+1', '+2', '… 28 more lines'])
  })
})
