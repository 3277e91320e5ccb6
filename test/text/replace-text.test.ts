import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { replaceText } from '../../packages/clada/src/compat/replace-text.ts'
import { unitCases } from './unit-cases.ts'

const cases = unitCases<[string, string, string, number?]>('replaceText')

describe('replaceText', () => {
  test('there are conformance cases', () => {
    expect(cases.length).toBeGreaterThan(10)
  })

  test.each(cases)('$name', ({ args, expected, throws }) => {
    if (throws === undefined) expect(replaceText(...args)).toEqual(expected)
    else expect(() => replaceText(...args)).toThrow(throws)
  })

  const more: { name: string; args: [string, string, string, number?]; result: string; replacements: number }[] = [
    { name: 'takes the replacement to the letter', args: ['a-b', '-', '$&$1$$'], result: 'a$&$1$$b', replacements: 1 },
    { name: 'does not search what it put in', args: ['aa', 'a', 'aa'], result: 'aaaa', replacements: 2 },
    { name: 'count 0', args: ['aa', 'a', 'b', 0], result: 'aa', replacements: 0 },
    { name: 'count beyond what is there', args: ['aa', 'a', 'b', 9], result: 'bb', replacements: 2 },
  ]
  test.each(more)('$name', ({ args, result, replacements }) => {
    expect(replaceText(...args)).toEqual({ result, replacements })
  })

  test('agrees with split and join', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n') })
    fc.assert(
      fc.property(
        text,
        fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 3 }),
        text,
        (content, oldText, newText) => {
          const parts = content.split(oldText)
          expect(replaceText(content, oldText, newText)).toEqual({
            result: parts.join(newText),
            replacements: parts.length - 1,
          })
        },
      ),
    )
  })
})
