import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { applyReplacements, chooseEol, findOccurrences, findRanges } from '@clada/reply/text/edit.ts'
import { toEol } from '@clada/reply/text/lines.ts'

const cut = (content: string, spans: readonly { start: number; end: number }[]) =>
  spans.map(({ start, end }) => content.slice(start, end))

describe('findOccurrences', () => {
  test.each([
    { name: 'none', content: 'abc', needle: 'x', found: [] },
    { name: 'an empty needle is nowhere', content: 'abc', needle: '', found: [] },
    { name: 'no overlap', content: 'aaaaa', needle: 'aa', found: ['aa', 'aa'] },
    { name: 'LF matches CRLF', content: 'a\r\nb\r\nc', needle: 'a\nb', found: ['a\r\nb'] },
    { name: 'in a mixed file LF matches both', content: 'a\r\nb a\nb', needle: 'a\nb', found: ['a\r\nb', 'a\nb'] },
    { name: 'a final LF takes the whole CRLF', content: 'a\r\nb\r\n', needle: 'a\n', found: ['a\r\n'] },
    { name: 'an LF in front takes the whole CRLF', content: 'a\r\nb\r\n', needle: '\nb', found: ['\r\nb'] },
    { name: 'LF alone', content: 'a\r\nb\n', needle: '\n', found: ['\r\n', '\n'] },
    { name: 'text before CRLF leaves it', content: 'a\r\nb\r\n', needle: 'b', found: ['b'] },
    { name: 'a CR before CRLF is not part of it', content: 'a\r\r\nb', needle: '\nb', found: ['\r\nb'] },
    { name: 'a needle with CR is literal', content: 'a\r\nb a\nb', needle: 'a\r\nb', found: ['a\r\nb'] },
    { name: 'and does not match LF', content: 'a\nb', needle: 'a\r\nb', found: [] },
    { name: 'a lone CR is no line end', content: 'a\rb\r\n', needle: 'a\nb', found: [] },
  ])('$name', ({ content, needle, found }) => {
    expect(cut(content, findOccurrences(content, needle))).toEqual(found)
  })

  test('offsets are those of the file', () => {
    expect(findOccurrences('\r\n\r\nx\r\ny\r\n', 'x\ny\n')).toEqual([{ start: 4, end: 10 }])
  })

  test('stops at max', () => {
    expect(findOccurrences('aaaa', 'a', { max: 2 })).toHaveLength(2)
  })
})

describe('applyReplacements', () => {
  const replaced = (content: string, needle: string, newText: string) =>
    applyReplacements(content, findOccurrences(content, needle), newText, { eol: chooseEol(content, needle) })

  test.each([
    { name: 'to the letter', content: 'a b a', needle: 'a', newText: '$&\\1', result: '$&\\1 b $&\\1' },
    {
      name: 'LF becomes CRLF in a CRLF file',
      content: 'a\r\nb\r\n',
      needle: 'a\nb',
      newText: 'x\ny\nz',
      result: 'x\r\ny\r\nz\r\n',
    },
    { name: 'CRLF is not doubled', content: 'a\r\nb\r\n', needle: 'a', newText: 'x\r\ny', result: 'x\r\ny\r\nb\r\n' },
    { name: 'an LF file stays so', content: 'a\nb\n', needle: 'a\nb', newText: 'x\ny', result: 'x\ny\n' },
    { name: 'a CR in the needle: as given', content: 'a\r\nb\r\n', needle: '\r\n', newText: '\n', result: 'a\nb\n' },
    {
      name: 'a mixed file keeps what it has elsewhere',
      content: 'a\nb\r\nc\r\n',
      needle: 'b',
      newText: 'x\ny',
      result: 'a\nx\r\ny\r\nc\r\n',
    },
    { name: 'an empty replacement deletes', content: 'a\r\nb\r\nc', needle: 'b\n', newText: '', result: 'a\r\nc' },
    { name: 'no final newline, none added', content: 'a\r\nb', needle: 'b', newText: 'c', result: 'a\r\nc' },
  ])('$name', ({ content, needle, newText, result }) => {
    expect(replaced(content, needle, newText)).toBe(result)
  })

  const anyText = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\r\n', '\r', '$') })
  const needles = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\r\n'), minLength: 1, maxLength: 4 })

  test('what lies outside the spans never changes', () => {
    fc.assert(
      fc.property(anyText, needles, anyText, (content, needle, newText) => {
        const spans = findOccurrences(content, needle)
        const eol = chooseEol(content, needle)
        const result = applyReplacements(content, spans, newText, { eol })
        const put = eol === '\r\n' ? toEol(newText, eol) : newText
        let from = 0
        let at = 0
        for (const { start, end } of [...spans, { start: content.length, end: content.length }]) {
          const kept = content.slice(from, start)
          expect(result.slice(at, at + kept.length)).toBe(kept)
          at += kept.length
          from = end
          if (start === content.length) continue
          expect(result.slice(at, at + put.length)).toBe(put)
          at += put.length
        }
        expect(at).toBe(result.length)
      }),
    )
  })

  test('each span reads as the needle, and no span splits a CRLF', () => {
    fc.assert(
      fc.property(anyText, needles, (content, needle) => {
        for (const { start, end } of findOccurrences(content, needle)) {
          const text = content.slice(start, end)
          expect(needle.includes('\r') ? text : text.replaceAll('\r\n', '\n')).toBe(needle)
          if (needle.includes('\r')) continue
          for (const edge of [start, end]) expect(content.slice(edge - 1, edge + 1)).not.toBe('\r\n')
        }
      }),
    )
  })

  test('an edit on a CRLF file is the edit on its LF twin', () => {
    const lfText = fc.string({ unit: fc.constantFrom('a', 'b', '\n') })
    fc.assert(
      fc.property(
        lfText,
        fc.string({ unit: fc.constantFrom('a', 'b', '\n'), minLength: 1, maxLength: 3 }),
        lfText,
        (content, needle, newText) => {
          const twin = toEol(content, '\r\n')
          const result = applyReplacements(twin, findOccurrences(twin, needle), newText, { eol: '\r\n' })
          expect(result).toBe(toEol(replaced(content, needle, newText), '\r\n'))
        },
      ),
    )
  })
})

describe('findRanges', () => {
  const outcome = (content: string, beginning: string, end: string, mode: 'unique' | 'counted') => {
    const found = findRanges(content, beginning, end, mode)
    if (found.kind === 'found') return { found: cut(content, found.ranges), open: found.open?.start }
    if (found.kind === 'ambiguous') return { ambiguous: found.which, count: found.count }
    return { [found.kind]: found.which }
  }

  test.each([
    { name: 'both ends included', args: ['x<a>y', '<', '>'], is: { found: ['<a>'] } },
    { name: 'empty beginning', args: ['x', '', '>'], is: { empty: 'beginning' } },
    { name: 'empty end', args: ['x', '<', ''], is: { empty: 'end' } },
    { name: 'no beginning', args: ['a>', '<', '>'], is: { absent: 'beginning' } },
    { name: 'an end before the beginning does not count', args: ['> <a', '<', '>'], is: { absent: 'end' } },
    { name: 'nor harm', args: ['> <a>', '<', '>'], is: { found: ['<a>'] } },
    { name: 'the end is searched behind the beginning', args: ['abab', 'aba', 'ab'], is: { absent: 'end' } },
    { name: 'overlapping beginnings count', args: ['aaa>', 'aa', '>'], is: { ambiguous: 'beginning', count: 2 } },
    { name: 'overlapping ends count', args: ['<bbbb', '<', 'bb'], is: { ambiguous: 'end', count: 3 } },
    { name: 'over CRLF', args: ['x\r\n<\r\na\r\n>\r\n', '\n<\n', '\n>\n'], is: { found: ['\r\n<\r\na\r\n>\r\n'] } },
  ] satisfies { name: string; args: [string, string, string]; is: object }[])('unique: $name', ({ args, is }) => {
    expect(outcome(...args, 'unique')).toEqual('found' in is ? { ...is, open: undefined } : is)
  })

  test.each([
    { name: 'lazy', args: ['<a><b>>', '<', '>'], found: ['<a>', '<b>'] },
    { name: 'no overlap', args: ['<<a>>', '<', '>'], found: ['<<a>'] },
    { name: 'none', args: ['abc', '<', '>'], found: [] },
    { name: 'the same text at both ends', args: ['|a|b|c', '|', '|'], found: ['|a|'], open: 4 },
    { name: 'one left open', args: ['<a> <b', '<', '>'], found: ['<a>'], open: 4 },
    { name: 'over CRLF', args: ['<\r\na>\r\n<\r\nb>', '<\n', '>'], found: ['<\r\na>', '<\r\nb>'] },
  ] satisfies { name: string; args: [string, string, string]; found: string[]; open?: number }[])(
    'counted: $name',
    ({ args, found, ...rest }) => {
      expect(outcome(...args, 'counted')).toEqual({ found, open: 'open' in rest ? rest.open : undefined })
    },
  )

  test('overlapping occurrences are counted as a slow search counts them', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 40 })
    fc.assert(
      fc.property(
        text,
        fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 5 }),
        (content, needle) => {
          let count = 0
          for (let at = 0; at < content.length; at++) if (content.startsWith(needle, at)) count++
          const found = findRanges(content, needle, '#', 'unique')
          if (found.kind === 'ambiguous')
            expect(found).toMatchObject({ which: 'beginning', count, spans: { length: count } })
          else expect(found).toMatchObject({ kind: 'absent', which: count === 0 ? 'beginning' : 'end' })
        },
      ),
    )
  })
})
