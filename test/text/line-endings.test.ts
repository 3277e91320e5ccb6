import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dominantEol, toEol } from '@clada/reply/text/lines.ts'

test.each([
  ['', '\n'],
  ['one line', '\n'],
  ['a\nb\n', '\n'],
  ['a\r\nb\r\n', '\r\n'],
  ['a\r\nb\r\nc\n', '\r\n'],
  ['a\r\nb\nc\n', '\n'],
  ['a\r\nb\n', '\n'],
  ['a\rb\rc\r\n', '\r\n'],
  ['\n', '\n'],
])('dominantEol of %j is %j', (text, expected) => {
  expect(dominantEol(text)).toBe(expected)
})

test.each([
  ['a\nb\r\nc\rd', '\r\n', 'a\r\nb\r\nc\rd'],
  ['a\nb\r\nc\rd', '\n', 'a\nb\nc\rd'],
  ['a\r\r\nb', '\n', 'a\r\nb'],
  ['', '\r\n', ''],
] satisfies [string, '\n' | '\r\n', string][])('toEol of %j to %j is %j', (text, eol, expected) => {
  expect(toEol(text, eol)).toBe(expected)
})

test('LF text goes to CRLF and back', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', ' ', '\n') }), (text) => {
      expect(toEol(toEol(text, '\r\n'), '\n')).toBe(text)
    }),
  )
})
