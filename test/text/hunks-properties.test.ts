import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { applyHunks, type AppliedHunks } from '@clada/reply/text/hunks-apply.ts'
import { parseHunks } from '@clada/reply/text/hunks.ts'
import { unifiedDiff } from '@clada/reply/text/unified-diff.ts'
import { scratchDir } from '../support/scratch.ts'

function apply(text: string, patch: string): AppliedHunks {
  const parsed = parseHunks(patch)
  if (!('hunks' in parsed)) throw new Error(parsed.message)
  return applyHunks(text, parsed.hunks)
}

/** Few different lines, so that places are alike; among them what means something in a patch. */
const line = fc.constantFrom(
  'a',
  'b',
  'c',
  '',
  ' ',
  '  a',
  '-- a',
  '++ b',
  '@@',
  '@@ -1 +1 @@',
  '\\ No',
  '*** End of File',
  'é',
)
const ending = fc.constantFrom('\n', '\n', '\n', '\r\n')
const mixed = fc.array(fc.tuple(line, ending), { maxLength: 25 }).map((rows) => rows.flat().join(''))
const uniform = fc
  .tuple(fc.array(line, { maxLength: 25 }), ending)
  .map(([rows, eol]) => rows.map((row) => row + eol).join(''))
const cut = (text: string) => text.replace(/\r?\n$/, '')
const text = fc.oneof(mixed, uniform, mixed.map(cut), uniform.map(cut))

/** A text and the same with some lines gone, changed or new. */
const edit = fc
  .tuple(
    text,
    fc.array(fc.tuple(fc.nat(), fc.constantFrom('drop', 'put', 'change'), line), { maxLength: 5 }),
    fc.boolean(),
  )
  .map(([before, changes, cutsEnd]) => {
    const rows = before.split(/(?<=\n)/)
    const eol = before.includes('\r\n') ? '\r\n' : '\n'
    for (const [where, what, put] of changes) {
      const at = where % (rows.length + 1)
      if (what === 'put') rows.splice(at, 0, put + eol)
      else rows.splice(at, 1, ...(what === 'change' ? [put + eol] : []))
    }
    const after = rows.join('')
    return { before, after: cutsEnd ? cut(after) : after }
  })

describe('a diff of ours', () => {
  test('applies back exactly', () => {
    fc.assert(
      fc.property(edit, ({ before, after }) => {
        const diff = unifiedDiff('f', 'f', before, after)
        if (diff === '') return
        expect(apply(before, diff)).toMatchObject({ ok: true, text: after, warnings: [] })
      }),
      { numRuns: 3000 },
    )
  })

  test('applies as git applies it', () => {
    const dir = scratchDir()
    const file = path.join(dir, 'f')
    fc.assert(
      fc.property(edit, ({ before, after }) => {
        const diff = unifiedDiff('f', 'f', before, after)
        if (diff === '') return
        fs.writeFileSync(file, before)
        execFileSync('git', ['apply', '--whitespace=nowarn', '-'], {
          cwd: dir,
          input: diff,
          env: { ...process.env, GIT_DIR: '/nowhere' },
        })
        const done = apply(before, diff)
        expect(done.ok && done.text).toBe(fs.readFileSync(file, 'utf8'))
      }),
      { numRuns: 100 },
    )
  })

  test('without its numbers it applies back exactly or is refused', () => {
    fc.assert(
      fc.property(edit, ({ before, after }) => {
        const diff = unifiedDiff('f', 'f', before, after).replace(/^@@ -\d.*@@$/gm, '@@')
        if (diff === '') return
        const done = apply(before, diff)
        if (done.ok) expect(done.text).toBe(after)
        else for (const { reason } of done.failures) expect(reason).not.toBe('absent')
      }),
      { numRuns: 2000 },
    )
  })

  test('with any numbers at all it applies back exactly where no two places are alike', () => {
    const numbered = fc
      .integer({ min: 2, max: 30 })
      .chain((count) => fc.tuple(fc.constant(count), fc.nat(count - 1), fc.nat(99)))
    fc.assert(
      fc.property(numbered, ([count, changed, number]) => {
        const rows = Array.from({ length: count }, (_, at) => `line ${at}\n`)
        const before = rows.join('')
        const after = rows.with(changed, 'new\n').join('')
        const diff = unifiedDiff('f', 'f', before, after).replace(
          /^@@ -\d.*@@$/gm,
          `@@ -${number},${number} +${number} @@`,
        )
        expect(apply(before, diff)).toMatchObject({ ok: true, text: after })
      }),
    )
  })
})

describe('any patch', () => {
  const row = fc.oneof(
    line,
    line.map((one) => ` ${one}`),
    line.map((one) => `-${one}`),
    line.map((one) => `+${one}`),
  )
  const patch = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(row).map((rows) => rows.join('\n')),
  )

  test('is read and applied, or not, without throwing', () => {
    fc.assert(
      fc.property(text, patch, (before, given) => {
        const parsed = parseHunks(given)
        if ('hunks' in parsed) applyHunks(before, parsed.hunks)
      }),
      { numRuns: 2000 },
    )
  })

  test('changes no line that it does not name', () => {
    fc.assert(
      fc.property(text, patch, (before, given) => {
        const parsed = parseHunks(given)
        if (!('hunks' in parsed)) return
        const done = applyHunks(before, parsed.hunks)
        if (!done.ok) return
        const count = (side: string) => side.split('\n').length
        const marks = parsed.hunks.flatMap((hunk) => hunk.lines.map(({ mark }) => mark))
        const grown = marks.filter((mark) => mark === '+').length - marks.filter((mark) => mark === '-').length
        // A final newline more or less is one line more or less here.
        expect(Math.abs(count(done.text) - count(before) - grown)).toBeLessThanOrEqual(1)
      }),
      { numRuns: 2000 },
    )
  })
})

test('a hunk whose lines are there twice is refused, however many lines of context it has', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', '  c', ''), { minLength: 1, maxLength: 5 })
  fc.assert(
    fc.property(lines, fc.nat(9), (part, between) => {
      const filler = Array.from({ length: between + 1 }, (_, at) => `other ${at}`)
      const before = [...part, ...filler, ...part].map((row) => `${row}\n`).join('')
      const patch = ['@@', ...part.map((row) => ` ${row}`), '+new'].join('\n')
      expect(apply(before, patch)).toMatchObject({ ok: false, failures: [{ reason: 'ambiguous' }] })
    }),
  )
})
