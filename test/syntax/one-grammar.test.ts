import { describe, expect, it } from 'vitest'
import { Source } from '@clada/reply/core/source.ts'
import { readBlocks } from '@clada/reply/syntax/find-blocks.ts'
import { syntaxNames, syntaxOf } from '@clada/reply/syntax/table.ts'
import { LineView } from '@clada/reply/syntax/tokens.ts'
import { corpus } from './corpus.ts'

/** Every block of this syntax that stands alone and has nothing wrong, with the text it is in. */
function* completeBlocks(syntax: (typeof syntaxNames)[number]) {
  for (const text of corpus) {
    const source = new Source(text)
    const { blocks, diagnostics } = readBlocks(source, { syntaxes: [syntax] })
    if (diagnostics.length > 0) continue
    for (const { group, startLine, endLine, diagnostics: own } of blocks)
      if (group === undefined && own.length === 0 && endLine !== null) yield { source, startLine, endLine }
  }
}

/** Spaces around markers and between the attributes of a tag do not matter, nor does a byte order mark. */
const squeezed = (line: string): string => line.replace(/\s+/g, '')

describe('the same grammar reads clean and damaged markers', () => {
  const natives = syntaxNames.filter((name) => syntaxOf(name).kind === 'native')

  it.each(natives)('%s: a text without damage has no damaged marker', (name) => {
    const syntax = syntaxOf(name)
    const read = syntax.kind === 'native' ? syntax.throughDamage({}) : undefined
    let count = 0
    for (const { source, startLine, endLine } of completeBlocks(name)) {
      const found = read?.(new LineView(source, '', { lines: Infinity }), startLine)
      // Where more markers follow, the end may be content, and nothing is repaired.
      if (found === undefined) continue
      count++
      expect(found, source.text).toMatchObject({ start: startLine, end: endLine })
      for (const { line, clean } of found.markers) expect(squeezed(clean)).toBe(squeezed(source.line(line)))
    }
    expect(count).toBeGreaterThan(10)
  })
})
