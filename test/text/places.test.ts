import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findOccurrences } from '@clada/reply/text/edit.ts'
import { locateSpans } from '@clada/reply/text/places.ts'

const places = (content: string, needle: string, max = 10) =>
  locateSpans(content, findOccurrences(content, needle), { max })

test.each([
  {
    name: 'the lines around each',
    content: 'a\nx1\nb\nc\nx2',
    needle: 'x',
    expected: [
      { line: 2, before: 'a', text: 'x1', after: 'b' },
      { line: 5, before: 'c', text: 'x2' },
    ],
  },
  { name: 'the only line', content: 'x', needle: 'x', expected: [{ line: 1, text: 'x' }] },
  { name: 'nothing behind a final newline', content: 'x\n', needle: 'x', expected: [{ line: 1, text: 'x' }] },
  {
    name: 'twice on a line',
    content: 'x x',
    needle: 'x',
    expected: [
      { line: 1, text: 'x x' },
      { line: 1, text: 'x x' },
    ],
  },
  {
    name: 'after is behind the last line of the match',
    content: 'a\nx\ny\nb\n',
    needle: 'x\ny',
    expected: [{ line: 2, before: 'a', text: 'x', after: 'b' }],
  },
  {
    name: 'also when the match ends with the newline',
    content: 'a\r\nx\r\ny\r\nb\r\n',
    needle: 'x\ny\n',
    expected: [{ line: 2, before: 'a', text: 'x', after: 'b' }],
  },
  {
    name: 'a lone CR ends a line',
    content: 'a\rx\rb',
    needle: 'x',
    expected: [{ line: 2, before: 'a', text: 'x', after: 'b' }],
  },
  { name: 'empty lines', content: '\n\nx\n\n', needle: 'x', expected: [{ line: 3, before: '', text: 'x', after: '' }] },
])('$name', ({ content, needle, expected }) => {
  expect(places(content, needle)).toEqual(expected)
})

test('at most max', () => {
  expect(places('x\n'.repeat(9), 'x', 4).map(({ line }) => line)).toEqual([1, 2, 3, 4])
})

test('of a long line, the part with the match', () => {
  const [place] = places(`${'-'.repeat(5000)}x${'+'.repeat(5000)}`, 'x')
  expect(place?.text).toMatch(/^…-+x\++…$/)
  expect(place?.text.length).toBeLessThan(250)
})

test('a span that starts inside a CRLF does not lose a line', () => {
  const spans = [
    { start: 2, end: 3 },
    { start: 4, end: 5 },
  ]
  expect(locateSpans('a\r\nb\r\nc', spans, { max: 2 }).map(({ line }) => line)).toEqual([1, 2])
})

test('lines are counted as splitting counts them', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', 'x', '\n', '\r\n', '\r') }), (content) => {
      const spans = findOccurrences(content, 'x')
      const expected = spans.map(({ start }) => content.slice(0, start).split(/\r\n|\n|\r/).length)
      expect(locateSpans(content, spans, { max: Infinity }).map(({ line }) => line)).toEqual(expected)
    }),
  )
})
