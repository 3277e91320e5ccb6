import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Source } from '@clada/reply/core/source.ts'
import { findBlocks } from '@clada/reply/syntax/find-blocks.ts'
import { cleanDocument } from './clean-document.ts'
import { damageLines, lineDamages, textDamages } from './damage.ts'
import { carriedOut, someOf, succeeded } from './world.ts'

const numRuns = 12

describe('a damaged document does what the clean one did, action by action, or less', () => {
  test.each(Object.keys(lineDamages))('%s', async (name) => {
    const damage = lineDamages[name] ?? String
    await fc.assert(
      fc.asyncProperty(
        cleanDocument(3),
        fc.constantFrom('all', 'markers'),
        async ({ text, markers, before }, where) => {
          const damaged = damageLines(text, damage, (line) => where === 'all' || markers.has(line))
          const done = await carriedOut(damaged, before)
          const good = succeeded(done)
          const clean = await carriedOut(text, before)
          expect([...succeeded(clean)]).toEqual(expect.arrayContaining([...good]))
          expect(done.files).toEqual((await someOf(text, good, before, clean)).files)
        },
      ),
      { numRuns },
    )
  })

  test.each(Object.keys(lineDamages))('%s in content only: that, or what it says to the letter', async (name) => {
    const damage = lineDamages[name] ?? String
    await fc.assert(
      fc.asyncProperty(cleanDocument(1), async ({ text, markers, before }) => {
        const damaged = damageLines(text, damage, (line) => !markers.has(line))
        const { files } = await carriedOut(damaged, before)
        const clean = await carriedOut(text, before)
        const literal = await carriedOut(damaged, before, 'strict')
        expect([{}, clean.files, literal.files]).toContainEqual(files)
      }),
      { numRuns: 5 },
    )
  })

  test.each(Object.keys(textDamages))('%s: exactly that', async (name) => {
    const damage = textDamages[name] ?? String
    await fc.assert(
      fc.asyncProperty(cleanDocument(3), async ({ text, before }) => {
        const done = await carriedOut(damage(text), before)
        const clean = await carriedOut(text, before)
        expect(succeeded(done)).toEqual(succeeded(clean))
        expect(done.files).toEqual(clean.files)
      }),
      { numRuns: 5 },
    )
  })
})

test('a clean document is read as it stands', () => {
  fc.assert(
    fc.property(cleanDocument(3), ({ text }) => {
      expect(findBlocks(new Source(text))).toEqual(findBlocks(new Source(text), { strict: true }))
    }),
    { numRuns: 1000 },
  )
})

test('any text is read without throwing, with as many lines as it has', () => {
  const piece = fc.constantFrom(
    '\\#!SHAM \\[@three-char-SHA-256: ab\\]',
    '#!SHAM [@three-char-SHA-256: ab]',
    '> ',
    '\n',
    '\xa0',
    '&lt;',
    '\u200b',
    "k = <<'EOT_SHAM_ab'",
    '\nEOT\\_SHAM\\_ab\n',
    '\n#!END\\_SHAM\\_ab\n',
    'action = \u201cls\u201d',
    '<---',
    '\u2014',
    'END',
    'WRITE file="x"',
    '--->',
    '<write path=',
    '&lt;![CDATA[',
    ']]&gt;',
    '&lt;/write&gt;',
    '<<<',
    'FILE>>>',
  )
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, fc.string({ unit: 'binary' })), { maxLength: 40 }), (pieces) => {
      const source = new Source(pieces.join(''))
      for (const { startLine } of findBlocks(source).blocks) expect(startLine).toBeLessThanOrEqual(source.lineCount)
    }),
    { numRuns: 2000 },
  )
})
