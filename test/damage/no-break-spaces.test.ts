import fs from 'node:fs'
import path from 'node:path'
import { structuredPatch } from 'diff'
import { describe, expect, test } from 'vitest'
import { Clada } from '../../packages/clada/src/index.ts'
import { scratchDir } from '../support/scratch.ts'

/**
 * A browser makes no-break spaces of spaces at the start of a line, of every second one in a row, or of all. In a diff that
 * hits the mark of context lines too. Judged byte by byte: the file is as the diff meant it.
 */

/** Small programs, each with a version that has one change more. */
function* edits(): Generator<{ name: string; before: string; after: string }> {
  const unit = '    '
  const file = (depth: number): string[] => {
    const indent = unit.repeat(depth)
    return [
      'import os',
      '',
      ...Array.from({ length: depth }, (_, at) => `${unit.repeat(at)}class A${at}:`),
      `${indent}def first(self, a):`,
      `${indent}    total = 0`,
      `${indent}    for x in a:`,
      `${indent}        total += x`,
      '',
      `${indent}    return total`,
      '',
      `${indent}def second(self):`,
      `${indent} # odd by one`,
      `${indent}    return  "two  spaces"`,
      'END = 1',
    ]
  }
  for (const depth of [0, 2]) {
    const lines = file(depth)
    const indent = unit.repeat(depth)
    const at = (text: string): number => lines.findIndex((line) => line.includes(text))
    const changed = (from: number, count: number, ...added: readonly string[]): string =>
      [...lines.slice(0, from), ...added, ...lines.slice(from + count)].map((line) => `${line}\n`).join('')
    const before = changed(0, 0)
    const of = (name: string, after: string) => ({ name: `${name}, ${depth} deep`, before, after })
    yield of('lines added', changed(at('for x') + 2, 0, `${indent}        print(x)`, `${indent}    # done`))
    yield of('a line added that is less deep', changed(at('return total') + 1, 0, `${indent}CACHE = {}`))
    yield of('a line changed', changed(at('total = 0'), 1, `${indent}    total = 1`))
    yield of('a line removed', changed(at('total += x'), 1, `${indent}        pass`))
    yield of('a line indented by one space added', changed(at('# odd') + 1, 0, `${indent} # even`))
    yield of('a line at the end', changed(at('END') + 1, 0, 'MORE  =  2'))
    yield of('two places', changed(at('import') + 1, 0, 'import re').replace('second(self)', 'second(self, b)'))
    yield of('the first line', changed(0, 1, 'import sys'))
  }
}

/** Each edit at one of the two depths. */
const someEdits = [...edits()].filter((_, at) => (at + Math.floor(at / 8)) % 2 === 0)

const formats: Readonly<Record<string, (before: string, after: string) => string>> = {
  udiff: (before, after) => `\`\`\`diff\n${diffOf(before, after, 'numbers')}\n\`\`\`\n`,
  'udiff without a fence': (before, after) => `${diffOf(before, after, 'numbers')}\n\nThat is all.\n`,
  'udiff without numbers': (before, after) => `\`\`\`diff\n${diffOf(before, after, 'none')}\n\`\`\`\n`,
  'udiff of git': (before, after) =>
    `\`\`\`diff\ndiff --git a/a.py b/a.py\nindex 83db48f..bf2a1c3 100644\n${diffOf(before, after, 'numbers')}\n\`\`\`\n`,
  'apply-patch': (before, after) =>
    `*** Begin Patch\n*** Update File: a.py\n${hunksOf(before, after, 'none')}\n*** End Patch\n`,
  'apply-patch in a fence': (before, after) =>
    `\`\`\`\n*** Begin Patch\n*** Update File: a.py\n${hunksOf(before, after, 'none')}\n*** End Patch\n\`\`\`\n`,
}

const diffOf = (before: string, after: string, numbers: 'numbers' | 'none'): string =>
  `--- a/a.py\n+++ b/a.py\n${hunksOf(before, after, numbers)}`

const hunksOf = (before: string, after: string, numbers: 'numbers' | 'none'): string =>
  structuredPatch('a.py', 'a.py', before, after, '', '', { context: 3 })
    .hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) => {
      const header = numbers === 'none' ? '@@' : `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`
      return [header, ...lines].join('\n')
    })
    .join('\n')

const odd = (spaces: string, at: 0 | 1, space: string): string =>
  [...spaces].map((own, n) => (n % 2 === at ? space : own)).join('')

const damages: Readonly<Record<string, (text: string) => string>> = {
  'at the start of lines': (text) => text.replace(/^ +/gm, (spaces) => '\xa0'.repeat(spaces.length)),
  'the first of a line': (text) => text.replace(/^ /gm, '\xa0'),
  'every second one of a row': (text) => text.replace(/^ | {2,}/gm, (spaces) => odd(spaces, 0, '\xa0')),
  'every second one at the start, from the first': (text) => text.replace(/^ +/gm, (spaces) => odd(spaces, 0, '\xa0')),
  'every second one at the start, from the second': (text) => text.replace(/^ +/gm, (spaces) => odd(spaces, 1, '\xa0')),
  everywhere: (text) => text.replaceAll(' ', '\xa0'),
  'everywhere but in markers': (text) =>
    text.replace(/^(?!@@|\*\*\*|---|\+\+\+|diff|index).*$/gm, (row) => row.replaceAll(' ', '\xa0')),
  'narrow ones at the start': (text) => text.replace(/^ +/gm, (spaces) => '\u202f'.repeat(spaces.length)),
  'as entities at the start': (text) => text.replace(/^ +/gm, (spaces) => '&nbsp;'.repeat(spaces.length)),
}

async function run(before: string, reply: string) {
  const root = scratchDir({ 'a.py': before })
  const clada = new Clada({ repoPath: root, gitCommit: false, matching: 'tolerant' })
  const { success, results, parseErrors, notExecuted } = await clada.execute(reply)
  return {
    success,
    text: fs.readFileSync(path.join(root, 'a.py'), 'utf8'),
    warned: results.some(({ warnings = [] }) => warnings.length > 0),
    why: [...results.map(({ error }) => error), ...parseErrors.map(({ message }) => message), notExecuted],
  }
}

describe.each(Object.entries(formats))('%s', (format, render) => {
  test.each(Object.entries(damages))('means the same with no-break spaces: %s', async (damage, by) => {
    for (const { name, before, after } of someEdits) {
      const reply = by(render(before, after))
      const { success, text, warned, why } = await run(before, reply)
      // Without a mark nothing says where a diff without a fence ends.
      const mayRefuse = damage.startsWith('as entities') && !format.startsWith('apply-patch')
      if (mayRefuse && !success) expect(text, name).toBe(before)
      else
        expect({ name, success, text, warned, why: success ? [] : why }).toEqual({
          name,
          success: true,
          text: after,
          warned: true,
          why: [],
        })
    }
  })

  test('is never applied with another indentation if its context lines have no mark', async () => {
    for (const { name, before, after } of someEdits)
      for (const by of [(text: string) => text, ...Object.values(damages)]) {
        const { success, text } = await run(before, by(render(before, after).replace(/^ (?=[^\n]*$)/gm, '')))
        expect(success ? after : before, name).toBe(text)
      }
  })
})

test('the diffs are right without damage', async () => {
  for (const { name, before, after } of edits())
    for (const render of Object.values(formats)) {
      const { success, text, warned } = await run(before, render(before, after))
      expect({ name, success, text, warned }).toEqual({ name, success: true, text: after, warned: false })
    }
})
