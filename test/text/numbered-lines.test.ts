import { describe, expect, test } from 'vitest'
import { extractNumberedLines, parseLineSpec } from '@clada/reply/text/lines.ts'
import { unitCases } from './unit-cases.ts'

const cases = unitCases<[string, string | null, string]>('extractNumberedLines')

describe('extractNumberedLines', () => {
  test('there are conformance cases', () => {
    expect(cases.length).toBeGreaterThan(10)
  })

  test.each(cases)('$name', ({ args: [content, spec, delimiter], expected, throws }) => {
    const run = () => extractNumberedLines(content, spec ?? undefined, delimiter)
    if (throws === undefined) expect(run()).toEqual(expected)
    else expect(run).toThrow(throws)
  })

  test.each([
    {
      name: 'a final newline is followed by an empty line',
      content: 'a\n',
      spec: undefined,
      result: '1: a\n2: ',
      lineCount: 2,
    },
    { name: 'CRLF and a lone CR end lines', content: 'a\r\nb\rc', spec: '', result: '1: a\n2: b\n3: c', lineCount: 3 },
    { name: 'blanks around numbers', content: 'a\nb\nc', spec: ' 2 - 3 ', result: '2: b\n3: c', lineCount: 3 },
    { name: 'an empty file has no lines, whatever is asked', content: '', spec: 'junk', result: '', lineCount: 0 },
  ])('$name', ({ content, spec, result, lineCount }) => {
    expect(extractNumberedLines(content, spec)).toEqual({ result, lineCount })
  })

  test('is strict where parseInt is not', () => {
    expect(() => extractNumberedLines('a\nb', '2junk')).toThrow("Invalid line specification '2junk'")
  })
})

describe('parseLineSpec', () => {
  test.each([
    ['4', { first: 4, last: 4 }],
    ['23-43', { first: 23, last: 43 }],
    ['7-7', { first: 7, last: 7 }],
    [' 1 - 2 ', { first: 1, last: 2 }],
    ['43-23', { error: 'order' }],
    ['0', { error: 'form' }],
    ['0-3', { error: 'form' }],
    ['3-0', { error: 'form' }],
    ['-5', { error: 'form' }],
    ['1-2-3', { error: 'form' }],
    ['2junk', { error: 'form' }],
    ['1.5', { error: 'form' }],
    ['1e3', { error: 'form' }],
    ['+1', { error: 'form' }],
    ['', { error: 'form' }],
    ['1-', { error: 'form' }],
    ['１', { error: 'form' }],
  ])('%j', (spec, expected) => {
    expect(parseLineSpec(spec)).toEqual(expected)
  })
})
