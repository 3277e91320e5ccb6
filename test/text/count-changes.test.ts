import fc from 'fast-check'
import { expect, it } from 'vitest'
import { countChanges } from '@clada/reply/text/line-diff.ts'
import { unifiedDiff } from '@clada/reply/text/unified-diff.ts'

it.each([
  [null, 'a\nb\n', 2, 0],
  ['a\nb\n', null, 0, 2],
  ['', '', 0, 0],
  ['same\n', 'same\n', 0, 0],
  ['a\nb\nc\n', 'a\nX\nc\n', 1, 1],
  ['a\nb', 'a\nb\n', 1, 1],
  ['a\na\n', 'a\na\na\n', 1, 0],
])('%j to %j', (before, after, added, removed) => {
  expect(countChanges(before, after)).toEqual({ added, removed })
})

it('counts as the diff that is shown', () => {
  const text = fc
    .array(fc.constantFrom('a\n', 'b\n', 'ab\n', '\n', 'c'), { maxLength: 12 })
    .map((parts) => parts.join(''))
  // Long enough that most of it is compared in stretches.
  const long = 'x\n'.repeat(1500)
  fc.assert(
    fc.property(text, text, fc.constantFrom('', long), (one, other, around) => {
      const [before, after] = [around + one + around, around + other + around]
      const lines = unifiedDiff('f', 'f', before, after).split('\n').slice(3)
      expect(countChanges(before, after)).toEqual({
        added: lines.filter((line) => line.startsWith('+')).length,
        removed: lines.filter((line) => line.startsWith('-')).length,
      })
    }),
  )
})
