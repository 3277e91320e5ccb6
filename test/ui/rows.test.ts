import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compare, difference, heightOf, rowsOf } from '../../ui/diff/rows.ts'

const numbered = (count: number): string => Array.from({ length: count }, (_, index) => `line ${index}\n`).join('')
const none = new Set<number>()

describe('the rows of a diff', () => {
  it('stand side by side, or one below the other', () => {
    const comparison = compare('a\nb\nc\n', 'a\nX\nY\nc\n')
    const same = (left: number, right: number) => ({ kind: 'same', left, right })
    expect(rowsOf(comparison, 'split', none)).toEqual([
      same(0, 0),
      { kind: 'change', left: 1, right: 1 },
      { kind: 'change', left: null, right: 2 },
      same(2, 3),
    ])
    expect(rowsOf(comparison, 'unified', none)).toEqual([
      same(0, 0),
      { kind: 'change', left: 1, right: null, beside: 1 },
      { kind: 'change', left: null, right: 1, beside: 1 },
      { kind: 'change', left: null, right: 2 },
      same(2, 3),
    ])
  })

  it('are folded where nothing changed, until they are opened', () => {
    const before = numbered(40)
    const comparison = compare(before, before.replace('line 20\n', 'other\n'))
    const kinds = rowsOf(comparison, 'split', none).map(({ kind, count }) => (kind === 'fold' ? count : kind))
    expect(kinds).toEqual([17, 'same', 'same', 'same', 'change', 'same', 'same', 'same', 16])
    expect(rowsOf(comparison, 'split', new Set([0]))).toHaveLength(20 + 1 + 3 + 1)
  })

  it('hold every line of both sides once, in order', () => {
    const text = fc.array(fc.constantFrom('a\n', 'b\n', 'c\n', '\n')).map((lines) => lines.join(''))
    fc.assert(
      fc.property(text, text, fc.constantFrom('split' as const, 'unified' as const), (before, after, mode) => {
        const comparison = compare(before, after)
        const rows = rowsOf(comparison, mode, new Set(comparison.stretches.map(({ left }) => left)))
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
  expect(difference(line, other)).toEqual(found)
})

it.each([
  ['', 10, 1],
  ['0123456789\n', 10, 1],
  ['01234567890\n', 10, 2],
  ['\t\t\tx', 10, 2],
  ['漢字漢字漢字\n', 10, 2],
])('%j on %d columns takes %d lines', (line, columns, lines) => {
  expect(heightOf(line, columns)).toBe(lines)
})
