import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Source } from '@clada/reply/core/source.ts'
import { type LinePair, makeReindenter } from '@clada/reply/text/reindent.ts'
import { foldText } from '@clada/reply/text/characters.ts'
import { FileLines, views } from '@clada/reply/text/file-lines.ts'

describe('folded', () => {
  const cases: Record<string, string> = {
    plain: 'plain',
    '“a” „b‟ ″': '"a" "b" "',
    '‘a’ ‚b‛ ′': "'a' 'b' '",
    'a‐b‑c‒d–e—f―g−h': 'a-b-c-d-e-f-g-h',
    'a\u00a0b\u2009c\u3000d': 'a b c d',
    'so…': 'so...',
    'a\u200bb\u00adc\ufeffd': 'abcd',
    'über 日本 🎉 «x»': 'über 日本 🎉 «x»',
  }
  test.each(Object.entries(cases))('%s', (given, wanted) => {
    expect(foldText(given)).toBe(wanted)
  })
})

describe('reindenter', () => {
  const cases: { name: string; pairs: LinePair[]; given: string; wanted: string | undefined }[] = [
    { name: 'the same', pairs: [['  a', '  a']], given: '    b', wanted: '    b' },
    { name: 'more', pairs: [['a', '  a']], given: '  b', wanted: '    b' },
    { name: 'fewer', pairs: [['    a', '  a']], given: '      b', wanted: '    b' },
    { name: 'fewer than there are', pairs: [['    a', 'a']], given: '  b', wanted: undefined },
    {
      name: 'by an old line of that depth',
      pairs: [
        ['a', '\ta'],
        ['  b', '\t\tb'],
      ],
      given: '  c',
      wanted: '\t\tc',
    },
    {
      name: 'tabs for blanks',
      pairs: [
        ['a', 'a'],
        ['    b', '\tb'],
      ],
      given: '        c',
      wanted: '\t\tc',
    },
    { name: 'blanks for tabs', pairs: [['\ta', '    a']], given: '\t\tc', wanted: '        c' },
    {
      name: 'half a step',
      pairs: [
        ['a', 'a'],
        ['    b', '\tb'],
      ],
      given: '  c',
      wanted: undefined,
    },
    {
      name: 'one depth in two',
      pairs: [
        ['a', ' a'],
        ['b', '  b'],
      ],
      given: 'c',
      wanted: undefined,
    },
    {
      name: 'no way to tell',
      pairs: [
        ['a', ' a'],
        ['  b', '      b'],
      ],
      given: '    c',
      wanted: undefined,
    },
    {
      name: 'blank lines tell nothing',
      pairs: [
        ['', '    '],
        ['a', '  a'],
      ],
      given: 'c',
      wanted: '  c',
    },
    { name: 'a blank line', pairs: [['a', '  a']], given: '', wanted: '' },
    { name: 'nothing to go by', pairs: [], given: '  c', wanted: '  c' },
  ]
  test.each(cases)('$name', ({ pairs, given, wanted }) => {
    expect(makeReindenter(pairs)(given)).toBe(wanted)
  })
})

describe('FileLines', () => {
  const line = fc.constantFrom('a', 'b', 'a ', ' a', '“a”', '"a"', '')
  const lines = fc.array(line, { maxLength: 30 })

  test('finds every place, overlaps included, as one looks line by line', () => {
    fc.assert(
      fc.property(lines, fc.array(line, { minLength: 1, maxLength: 4 }), (all, wanted) => {
        const file = new FileLines(new Source(all.map((one) => `${one}\n`).join('')))
        expect(file.count).toBe(all.length)
        const places = all.flatMap((_, at) => (wanted.every((one, by) => all[at + by] === one) ? [at] : []))
        expect(file.find(wanted, 'exact')).toEqual(places)
      }),
      { numRuns: 500 },
    )
  })

  test('what a stricter way finds, every looser one finds too', () => {
    fc.assert(
      fc.property(lines, fc.array(line, { minLength: 1, maxLength: 3 }), (all, wanted) => {
        const file = new FileLines(new Source(all.join('\n')))
        const found = views.map((view) => file.find(wanted, view))
        for (const [index, places] of found.entries()) {
          for (const looser of found.slice(index)) expect(looser).toEqual(expect.arrayContaining(places))
        }
      }),
      { numRuns: 500 },
    )
  })
})
