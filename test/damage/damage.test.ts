import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { Clada } from '../../packages/clada/src/index.ts'
import { scratchDir } from '../support/scratch.ts'
import { cleanCase, damages } from './damages.ts'
import { applied, calls, type Edit, editOf, syntaxes } from './edit.ts'
import { classOf, combinationsOf, judge } from './judge.ts'

const before = fs.readFileSync(path.join(import.meta.dirname, 'judge.ts'), 'utf8')

/** Edits of a real file: one that changes a line, one that adds some, one at two places. */
const edits: readonly Edit[] = [
  before.replace(
    'const failed = !result.success',
    "const failed = result.success === false || result.parseErrors.length > 0 && 'no'",
  ),
  before.replace(
    'const others: string[] = []\n',
    "const others: string[] = []\n  const seen = new Set<string>(['a', \"b\"])\n  if (seen.size < 2 && seen.has('a')) seen.clear()\n",
  ),
  before
    .replace('const { hunks } = one.edit', 'const { hunks, lines } = one.edit')
    .replace('let rest = after.replaceAll', 'let left = after.replaceAll'),
].flatMap((after) => editOf('lib/judge.ts', before, after) ?? [])

test('the edits are what they are meant to be', () => {
  expect(edits.map(({ hunks }) => hunks.length)).toEqual([1, 1, 2])
})

describe('an edit under damage', () => {
  test.each(damages.map(({ name }) => name))('%s', async (name) => {
    const root = scratchDir()
    for (const edit of edits.slice(1)) {
      const outcomes = new Map<string, string[]>()
      for (const { damages: all, syntax, one } of combinationsOf(edit, 'none')) {
        if (all[0]?.name !== name) continue
        const { outcome, unwarned } = await judge(
          root,
          one,
          syntax,
          all.some(({ warns }) => warns),
        )
        outcomes.set(outcome, [...(outcomes.get(outcome) ?? []), syntax])
        // On Windows it is the same path, and nothing to repair.
        const isSame = process.platform === 'win32' && name === 'path in another case'
        expect(unwarned && !isSame, `${syntax}: repaired without a warning`).toBe(false)
      }
      const wanted = damages.find((one) => one.name === name)?.class === 'must-refuse' ? 'refused' : 'right'
      const others = [...outcomes].filter(([outcome]) => outcome !== wanted)
      expect(others).toEqual([])
    }
  })

  test.each(syntaxes)('keeps the end of every line in a file that has both: %s', async (syntax) => {
    const root = scratchDir()
    const mixed = (lines: readonly string[], ends: readonly string[]): string =>
      lines.map((line, at) => line + (ends[at] ?? '')).join('')
    for (const edit of edits.slice(0, 1)) {
      const ends = edit.lines.map((_, at) => (at % 3 === 0 ? '\r\n' : '\n'))
      const one = { ...cleanCase(edit), file: mixed(edit.lines, ends), expected: mixed(applied(edit), ends) }
      expect((await judge(root, one, syntax, false)).outcome).toBe('right')
    }
  })

  test('the second element of one item of a list', async () => {
    const root = scratchDir()
    fs.writeFileSync(path.join(root, 'a.txt'), 'one\ntwo\nthree\nfour\n  five\n')
    const edit = (old: string, fresh: string): string =>
      `<edit path="a.txt">\n<search><![CDATA[${old}]]></search>\n<replace><![CDATA[${fresh}]]></replace>\n</edit>`
    const blocks = `${edit('one\ntwo', 'one\nTWO')}\n\n${edit('four\n  five', 'four\n  FIVE')}`
    const preview = await new Clada({ repoPath: root, gitCommit: false, relativePaths: true }).preview(
      `- ${blocks.replaceAll(/\n(?=.)/g, '\n  ')}\n`,
    )
    const changes = preview.result.results.flatMap(({ seq }) => preview.changesBy(seq))
    expect(changes.at(-1)?.after).toBe('one\nTWO\nthree\nfour\n  FIVE\n')
    expect(preview.result.results.map(({ warnings = [] }) => warnings.length)).toEqual([2, 1])
  })

  test('two damages at once: right or refused, and the same in every syntax', async () => {
    const root = scratchDir()
    const results = new Map<string, Map<string, string[]>>()
    const chosen = new Map<string, boolean>()
    for (const edit of edits.slice(0, 1)) {
      for (const { damages: all, syntax, one } of combinationsOf(edit, 'all')) {
        if (all.length < 2 || all.some(({ name }) => name === 'cut off')) continue
        // A few of the pairs, in all syntaxes.
        const pair = all.map(({ name }) => name).join(' + ')
        if (!chosen.has(pair)) chosen.set(pair, chosen.size % 29 === 0)
        if (chosen.get(pair) !== true) continue
        const { outcome, file = '' } = await judge(root, one, syntax, false)
        expect(['right', 'refused'], `${pair} in ${syntax}`).toContain(outcome)
        if (classOf(all) === 'must-refuse') expect(outcome, `${pair} in ${syntax}`).toBe('refused')
        if (all.some((damage) => damage.syntaxes !== undefined)) continue
        const found = results.get(pair) ?? new Map<string, string[]>()
        results.set(pair, found.set(file, [...(found.get(file) ?? []), syntax]))
        if (syntax !== 'sham' || all.some(({ part }) => part === 'document')) continue
        for (const [name, call] of Object.entries(calls)) {
          const judged = await judge(root, one, call, false)
          expect(['right', 'refused'], `${pair} in ${name}`).toContain(judged.outcome)
          // Through damage to their own marks, calls of other tools are not recognised.
          if (pair.includes('in markers')) continue
          found.set(judged.file ?? '', [...(found.get(judged.file ?? '') ?? []), name])
        }
      }
    }
    expect([...results].flatMap(([pair, found]) => (found.size > 1 ? [[pair, [...found.values()]]] : []))).toEqual([])
  })
})
