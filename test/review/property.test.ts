import fs from 'node:fs'
import path from 'node:path'
import { applyPatch } from 'diff'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type BlockChoice, Clada } from '../../packages/clada/src/index.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'
import { write } from './cases.ts'

const line = fc.constantFrom('a', 'b', 'c', '', '  a', 'the same line', 'a\r')
const lines = fc.array(line, { maxLength: 12 })
const ending = fc.constantFrom('', '\n')
const text = fc.tuple(lines, ending).map(([rows, end]) => (rows.length === 0 ? '' : rows.join('\n') + end))

/** A file before, and what blocks make of it one after the other, with a bit for each hunk: whether it is left out. */
const story = fc.record({
  before: fc.option(text, { nil: undefined }),
  blocks: fc.array(fc.record({ after: text, left: fc.array(fc.boolean(), { maxLength: 8 }) }), {
    minLength: 1,
    maxLength: 3,
  }),
})

/** More with CLADA_RUNS, for a proof that takes longer. */
const numRuns = Number(process.env['CLADA_RUNS'] ?? 12)

describe('any part of any change', () => {
  it('is applied as it was shown', async () => {
    const root = scratchDir()
    const file = path.join(root, 'f.txt')
    const clada = new Clada({ repoPath: root, gitCommit: false })
    await fc.assert(
      fc.asyncProperty(story, async ({ before, blocks: made }) => {
        fs.rmSync(file, { force: true })
        if (before !== undefined) fs.writeFileSync(file, before)
        // A carriage return in XML would be read as a line feed.
        const reply = made.map(({ after }) => write('f.txt', after.replaceAll('\r', ''))).join('')
        const choices: Record<string, BlockChoice> = {}
        for (const [index, { left }] of made.entries()) {
          const { blocks } = await clada.review(reply, { blocks: choices })
          const hunks = blocks[index]?.files.flatMap((one) => one.hunks) ?? []
          const leave = hunks.filter((_, nth) => left[nth] === true).map(({ id }) => ({ hunk: id }))
          choices[index + 1] = { leave }
        }
        const review = await clada.review(reply, { blocks: choices })
        for (const { task, shown, stale } of review.blocks) {
          expect(stale).toEqual([])
          choices[task] = { ...choices[task], shown }
        }
        const result = await clada.execute(reply, { review: { blocks: choices } })
        expect(result.fatalError).toBeUndefined()

        const now = filesIn(root)['f.txt']
        const last = review.blocks.at(-1)
        const [shown] = last?.files ?? []
        const [diff] = review.diffs
        // As the diff says that a person looks at, and as the last block shows the file.
        expect(now ?? '').toBe(diff === undefined ? (before ?? '') : applyPatch(before ?? '', diff.diff))
        if (shown !== undefined) expect(now).toBe(shown.result ?? undefined)
      }),
      { numRuns },
    )
  })
})
