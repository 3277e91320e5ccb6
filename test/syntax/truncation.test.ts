import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Clada } from '../../packages/clada/src/index.ts'
import { resultFormat } from '../../packages/clada/src/cli/options.ts'
import { formatReport } from '../../packages/clada/src/report/format.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'
import { type BlockName, blockNames, foreignNames, nativeNames, writes } from './samples.ts'

/**
 * A reply that ends too early, for every syntax. `head` is how many lines of the last block it takes to see that there
 * is one, and `tail` what closes it; what lies between is cut everywhere. `holdsBlocks`: a block of ours in its content
 * is content even where its end is missing. It is false where the rest may be no block at all but a conflict or a tag in prose.
 */
interface TruncatedShape {
  readonly head: number
  readonly tail: string
  readonly codes: readonly string[]
  readonly holdsBlocks: boolean
}

const shapes: Readonly<Record<BlockName, TruncatedShape>> = {
  sham: {
    head: 1,
    tail: '#!END_SHAM_a1b',
    codes: ['truncated', 'UNCLOSED_BLOCK', 'MISMATCHED_END'],
    holdsBlocks: true,
  },
  csl: { head: 1, tail: '<---END--->', codes: ['truncated'], holdsBlocks: true },
  cml: { head: 1, tail: '</write>', codes: ['truncated'], holdsBlocks: true },
  replacer: { head: 1, tail: '<<<END>>>', codes: ['truncated'], holdsBlocks: true },
  'search-replace': { head: 3, tail: '>>>>>>> REPLACE', codes: ['truncated'], holdsBlocks: false },
  'apply-patch': { head: 1, tail: '*** End Patch', codes: ['truncated'], holdsBlocks: true },
  'xml-call': { head: 1, tail: '</write_to_file>', codes: ['truncated'], holdsBlocks: false },
  'json-call': { head: 3, tail: '}', codes: ['truncated'], holdsBlocks: true },
  gptme: { head: 1, tail: '````', codes: ['truncated'], holdsBlocks: false },
  'swe-agent': { head: 2, tail: 'end_of_edit', codes: ['truncated'], holdsBlocks: false },
  udiff: { head: 3, tail: '```', codes: ['truncated'], holdsBlocks: true },
}

const contentFor = (syntax: BlockName): string =>
  [...(shapes[syntax].holdsBlocks ? nativeNames : []), ...foreignNames]
    .filter((name) => name !== syntax)
    .map((name) => writes(name, `ROOT/inner-${name}.txt`, 'inner'))
    .join('text\n')
    .trimEnd()

function documentIn(syntax: BlockName) {
  const path = (file: string) => (syntax === 'sham' ? `ROOT/${file}` : file)
  const before = `Two files:\n\n${writes(syntax, path('first.txt'), 'one')}\nand\n\n`
  const last = writes(syntax, path('doc.md'), contentFor(syntax))
  const { head, tail } = shapes[syntax]
  const seen = last.split('\n').slice(0, head).join('\n').length + 1
  const whole = last.lastIndexOf(tail) + tail.length
  return { before, last, seen, whole }
}

async function executed(text: string) {
  const root = scratchDir()
  const result = await new Clada({ repoPath: root, gitCommit: false }).execute(text.replaceAll('ROOT', root))
  return { result, files: filesIn(root) }
}

/** What must hold wherever the last block is cut. */
async function expectTruncated(syntax: BlockName, text: string, open: boolean): Promise<void> {
  const { result, files } = await executed(text)
  const names = Object.keys(files)
  const where = JSON.stringify(text.slice(-60))
  // A mistake in CSL costs every block of it; the others have carried out the first one.
  expect(names, where).toEqual(syntax === 'csl' && !result.success ? [] : ['first.txt'])
  if (!open) return
  expect(result.success, where).toBe(false)
  const told = result.parseErrors.filter(({ code }) => shapes[syntax].codes.includes(code ?? ''))
  expect(told.length, `${where} ${JSON.stringify(result.parseErrors.map(({ code }) => code))}`).toBeGreaterThan(0)
  for (const { hint, line } of told) {
    expect(hint, where).toMatch(/\w/)
    expect(line).toBeLessThanOrEqual(text.split('\n').length + 1)
  }
  const report = formatReport(result, resultFormat(result))
  expect(
    told.some(({ hint = '' }) => report.includes(hint)),
    report,
  ).toBe(true)
}

describe.each(blockNames)('a reply in %s that ends too early', (syntax) => {
  const { before, last, seen, whole } = documentIn(syntax)

  it('is carried out when it does not', async () => {
    const { result, files } = await executed(before + last)
    expect(result.success).toBe(true)
    expect(Object.keys(files)).toEqual(['doc.md', 'first.txt'])
  })

  it('is told so at every line', async () => {
    for (let at = last.indexOf('\n') + 1; at < whole && at > 0; at = last.indexOf('\n', at) + 1) {
      await expectTruncated(syntax, before + last.slice(0, at), at >= seen)
      await expectTruncated(syntax, before + last.slice(0, at - 1), at - 1 >= seen)
    }
  })

  it('is told so at any character', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: whole - 1 }), async (at) => {
        await expectTruncated(syntax, before + last.slice(0, at), at >= seen)
      }),
      { numRuns: 6 },
    )
  })

  it('is told so in its last line', async () => {
    for (let at = last.lastIndexOf('\n', whole - 1) + 1; at < whole; at++) {
      await expectTruncated(syntax, before + last.slice(0, at), at >= seen)
    }
  })
})
