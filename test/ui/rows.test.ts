import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { makeMap } from '../../packages/page/src/reply/map-rows.ts'
import { compareTexts, findDifference, countScreenLines, makeRows } from '../../packages/page/src/diff/rows.ts'

const numbered = (count: number): string => Array.from({ length: count }, (_, index) => `line ${index}\n`).join('')
const none = new Map<number, { above: number; below: number }>()
const all = { above: Infinity, below: 0 }

describe('the rows of a diff', () => {
  it('stand side by side, or one below the other', () => {
    const comparison = compareTexts('a\nb\nc\n', 'a\nX\nY\nc\n')
    const same = (left: number, right: number) => ({ kind: 'same', left, right })
    expect(makeRows(comparison, 'split', none)).toEqual([
      same(0, 0),
      { kind: 'change', left: 1, right: 1 },
      { kind: 'change', left: null, right: 2 },
      same(2, 3),
    ])
    expect(makeRows(comparison, 'unified', none)).toEqual([
      same(0, 0),
      { kind: 'change', left: 1, right: null, beside: 1 },
      { kind: 'change', left: null, right: 1, beside: 1 },
      { kind: 'change', left: null, right: 2 },
      same(2, 3),
    ])
  })

  it('are folded where nothing changed, until they are opened', () => {
    const before = numbered(40)
    const comparison = compareTexts(before, before.replace('line 20\n', 'other\n'))
    const kinds = makeRows(comparison, 'split', none).map(({ kind, count }) => (kind === 'fold' ? count : kind))
    expect(kinds).toEqual([17, 'same', 'same', 'same', 'change', 'same', 'same', 'same', 16])
    expect(makeRows(comparison, 'split', new Map([[0, all]]))).toHaveLength(20 + 1 + 3 + 1)
    const some = makeRows(comparison, 'split', new Map([[0, { above: 2, below: 5 }]])).map(
      ({ kind, count }) => count ?? kind,
    )
    expect(some).toEqual([
      'same',
      'same',
      10,
      ...Array.from({ length: 8 }, () => 'same'),
      'change',
      'same',
      'same',
      'same',
      16,
    ])
  })

  it('do not differ by white space when that is ignored', () => {
    const [before, after] = ['if (a) {\nb\n}\n', 'if (a)  {\n  b\n  c\n}\n']
    const kinds = (space: 'counts' | 'ignored') =>
      makeRows(compareTexts(before, after, space), 'split', none).map(({ kind }) => kind)
    expect(kinds('counts')).toEqual(['change', 'change', 'change', 'same'])
    expect(kinds('ignored')).toEqual(['same', 'same', 'change', 'same'])
  })

  it('have a heading for each hunk that can be chosen, also where white space is ignored', () => {
    const hunk = (id: string, line: number, end: number) => ({
      id,
      kind: 'lines' as const,
      oldStart: line,
      oldEnd: end,
      newStart: line,
      newEnd: end,
      taken: true,
    })
    const hunks = [hunk('one', 0, 2), hunk('two', 3, 4)]
    const [before, after] = ['a\nb\nc\nd\n', 'a \nB\nc\nD\n']
    const shown = (space: 'counts' | 'ignored') =>
      makeRows(compareTexts(before, after, space), 'split', none, hunks).map(
        ({ kind, hunk: own }) => `${kind} ${own?.id ?? ''}`,
      )
    expect(shown('counts')).toEqual(['hunk one', 'change one', 'change one', 'same ', 'hunk two', 'change two'])
    expect(shown('ignored')).toEqual(['same ', 'hunk one', 'change one', 'same ', 'hunk two', 'change two'])
  })

  it('hold every line of both sides once, in order', () => {
    const text = fc.array(fc.constantFrom('a\n', 'b\n', 'c\n', '\n')).map((lines) => lines.join(''))
    fc.assert(
      fc.property(text, text, fc.constantFrom('split' as const, 'unified' as const), (before, after, mode) => {
        const comparison = compareTexts(before, after)
        const rows = makeRows(comparison, mode, new Map(comparison.stretches.map(({ left }) => [left, all])))
        const numbers = (lines: readonly unknown[]): number[] => lines.map((_, index) => index)
        expect(rows.flatMap(({ left }) => left ?? [])).toEqual(numbers(comparison.left))
        expect(rows.flatMap(({ right }) => right ?? [])).toEqual(numbers(comparison.right))
        for (const { kind, left, right } of rows) {
          if (kind === 'same') expect(comparison.left[left ?? -1]).toBe(comparison.right[right ?? -1])
        }
      }),
    )
  })
})

it.each([
  ['sum = a + b\n', 'sum = a * b\n', { from: 8, to: 9 }],
  ['call(a)\n', 'call(a, b)\n', { from: 6, to: 6 }],
  ['entirely\n', 'different words\n', undefined],
  ['no end', 'no end\n', undefined],
])('%j differs from %j', (line, other, found) => {
  expect(findDifference(line, other)).toEqual(found)
})

it.each([
  ['', 10, 1],
  ['0123456789\n', 10, 1],
  ['01234567890\n', 10, 2],
  ['\t\t\tx', 10, 2],
  // A word goes to the next line with the white space after it; one that is too long is cut.
  ['one three five\n', 10, 2],
  ['abcdef ghijk lmno', 9, 3],
  ['a 0123456789ab c', 10, 3],
  ['漢字漢字漢字\n', 10, 2],
])('%j on %d columns takes %d lines', (line, columns, lines) => {
  expect(countScreenLines(line, columns)).toBe(lines)
})

const block = (key: number, ...paths: string[]) => ({
  key,
  files: paths.map((path) => ({ path, change: 'modify' as const, added: 1, removed: 0 })),
})

it('the map joins blocks that change the same file, and uses a line again when it is free', () => {
  const rows = makeMap([block(0, 'a'), block(1, 'a', 'b'), block(2, 'b', 'c'), block(3, 'c'), block(4)])
  const lanes = rows.map((row) =>
    row.lanes.map(({ lane, from, to, on }) => `${lane}${from ? '<' : ''}${on ? 'o' : '|'}${to ? '>' : ''}`).join(' '),
  )
  expect(lanes).toEqual(['0o>', '0<o 1o>', '0o> 1<o', '0<o', ''])
  expect(rows.map(({ after }) => after)).toEqual([
    [],
    [{ key: 0, path: 'a' }],
    [{ key: 1, path: 'b' }],
    [{ key: 2, path: 'c' }],
    [],
  ])
})

it('the map joins a moved file with the blocks before and after it', () => {
  const move = {
    ...block(1, 'new'),
    files: [{ path: 'new', from: 'old', change: 'modify' as const, added: 0, removed: 0 }],
  }
  const rows = makeMap([block(0, 'old'), move, block(2, 'new')])
  expect(rows.map(({ after }) => after.map(({ key }) => key))).toEqual([[], [0], [1]])
})
