import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Block, Document } from '@clada/reply/core/block.ts'
import type { Diagnostic } from '@clada/reply/core/diagnostic.ts'
import { type SyntaxName, syntaxNames } from '@clada/reply/syntax/table.ts'
import { Source } from '@clada/reply/core/source.ts'
import { findBlocks } from '@clada/reply/syntax/find-blocks.ts'
import { corpus, fragments, soup, spliced } from './corpus.ts'
import { operationsOf } from './operations.ts'

/** What holds for every text, however it is read. */
function expectSane(text: string, document: Document): void {
  const source = new Source(text)
  const { blocks, diagnostics, notExecuted } = document
  const all = [...blocks, ...notExecuted.flatMap(({ block }) => block ?? [])].toSorted(
    (a, b) => a.startLine - b.startLine,
  )
  expect(blocks.map(({ startLine }) => startLine)).toEqual(
    blocks.map(({ startLine }) => startLine).toSorted((a, b) => a - b),
  )
  for (const block of all) {
    expect(block.startLine).toBeGreaterThanOrEqual(1)
    expect(block.endLine ?? source.lineCount).toBeGreaterThanOrEqual(block.startLine)
    expect(block.endLine ?? source.lineCount).toBeLessThanOrEqual(source.lineCount)
    // What nobody closed is never carried out.
    if (block.endLine === null) expect(block.diagnostics).not.toEqual([])
  }
  for (const diagnostic of [...diagnostics, ...all.flatMap((block) => block.diagnostics)])
    expectInside(source, diagnostic)
  expectApart(blocks)
}

function expectInside(source: Source, { range: { line, column, length } }: Diagnostic): void {
  expect(line).toBeGreaterThanOrEqual(1)
  expect(line).toBeLessThanOrEqual(source.lineCount + 1)
  expect(column).toBeGreaterThanOrEqual(1)
  expect(length).toBeGreaterThanOrEqual(0)
  const width = line > source.lineCount ? 0 : source.line(line).length
  // Behind the end of a line is where something is missing.
  expect(column - 1).toBeLessThanOrEqual(width)
}

/** Blocks that are closed share no line with another, but for elements of CML, which may stand on one line. */
function expectApart(blocks: readonly Block[]): void {
  let last = 0
  for (const { syntax, startLine, endLine } of blocks) {
    if (syntax === 'cml') expect(startLine).toBeGreaterThanOrEqual(last)
    else expect(startLine).toBeGreaterThan(last)
    if (endLine !== null) last = endLine
  }
}

/** As they are written, blocks follow each other in the text. */
function expectDisjoint(text: string, blocks: readonly Block[]): void {
  let end = 0
  for (const { raw, endLine } of blocks) {
    if (endLine === null) continue
    const at = text.indexOf(raw, end)
    expect(at).toBeGreaterThanOrEqual(end)
    end = at + raw.length
  }
}

const texts: readonly (readonly [string, fc.Arbitrary<string>])[] = [
  ['parts of documents', spliced],
  ['fragments', soup],
  ['any characters', fc.string({ unit: 'binary', maxLength: 200 })],
]

describe('every text is read without an exception, block by block', () => {
  it('each document of the tests', () => {
    expect(corpus.length).toBeGreaterThan(500)
    for (const text of corpus) {
      expectSane(text, findBlocks(new Source(text)))
      const strict = findBlocks(new Source(text), { strict: true })
      expectSane(text, strict)
      expectDisjoint(text, strict.blocks)
    }
  })

  it.each(texts)('%s', (_, arbitrary) => {
    fc.assert(
      fc.property(arbitrary, (text) => {
        expectSane(text, findBlocks(new Source(text)))
        const strict = findBlocks(new Source(text), { strict: true })
        expectSane(text, strict)
        expectDisjoint(text, strict.blocks)
      }),
      { numRuns: 700 },
    )
  })

  it('with any of the syntaxes alone, or with delimiters of its own', () => {
    const delimiters = fc.constantFrom(
      { start: '<<<', end: '>>>' },
      { start: '#!', end: ']' },
      { start: '<', end: '>' },
    )
    fc.assert(
      fc.property(spliced, fc.subarray<SyntaxName>([...syntaxNames]), delimiters, (text, syntaxes, cslDelimiters) => {
        const document = findBlocks(new Source(text), { syntaxes, cslDelimiters })
        expectSane(text, document)
        for (const { syntax } of document.blocks) expect(syntaxes).toContain(syntax)
      }),
      { numRuns: 500 },
    )
  })
})

describe('the cost of reading grows with the text, not with its square', () => {
  const cost = (text: string, strict: boolean): number => {
    const source = new Source(text)
    return operationsOf(() => {
      findBlocks(source, { strict })
    })
  }
  /** Twice the text may cost twice as much, and a little more for what is looked up in growing tables. */
  const expectLinear = (make: (count: number) => string, count: number): void => {
    for (const strict of [true, false]) {
      const [once, twice] = [cost(make(count), strict), cost(make(2 * count), strict)]
      expect(twice / once, JSON.stringify(make(1))).toBeLessThan(2.4)
    }
  }

  it('as the count would show', () => {
    const lines = (count: number): string[] => 'x\n'.repeat(count).split('\n')
    const squared = (count: number): number =>
      operationsOf(() => {
        const all = lines(count)
        for (const line of all) all.join(line)
      })
    expect(squared(200) / squared(100)).toBeGreaterThan(3.5)
  })

  it('for every fragment, over and over', () => {
    for (const fragment of fragments) expectLinear((count) => fragment.repeat(count), 150)
  })

  it('for two and more of them', () => {
    type Form = (count: number, parts: readonly string[]) => string
    const forms: readonly Form[] = [
      (count, [a = '', b = '']) => (a + b).repeat(count),
      (count, [a = '', b = '']) => a.repeat(count) + b.repeat(count),
      (count, [a = '', b = '', c = '', d = '']) => a + (b + c).repeat(count) + d.repeat(count),
      (count, parts) => parts.join('').repeat(count),
    ]
    const four = fc.array(fc.constantFrom(...fragments), { minLength: 4, maxLength: 4 })
    fc.assert(
      fc.property(four, fc.constantFrom(...forms), (parts, form) => {
        expectLinear((count) => form(count, parts), 100)
      }),
      { numRuns: 80 },
    )
  })

  it('for every document of the tests', () => {
    for (let at = 0; at < corpus.length; at += 40) {
      const text = corpus[at] ?? ''
      expectLinear((count) => text.repeat(count), Math.ceil(3000 / (text.length + 1)) + 5)
    }
  })
})

// One expression that tries each blank or break of these in all ways took from ten seconds to an hour.
it.each([
  ['blanks below a tag', `<details>\n${' '.repeat(400_000)}`],
  ['blanks before a bar', `a|${'\t'.repeat(400_000)}`],
  ['old line ends of the Macintosh', `${'\r'.repeat(400_000)}"`],
  ['separators of lines', `\`${'\u2028'.repeat(400_000)}`],
  ['a call with a long name', `write_file(${'path'.repeat(100_000)}`],
  ['a heading of stars', `${'*'.repeat(100_000)}${'>>>>>>> REPLACE\n'.repeat(500)}${'*** Begin Patch\n'.repeat(500)}`],
])('reads %s in a moment', (_, text) => {
  expect(findBlocks(new Source(text)).blocks.filter(({ diagnostics }) => diagnostics.length === 0)).toEqual([])
})
