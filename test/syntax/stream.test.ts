import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { Source } from '@clada/reply/core/source.ts'
import { Clada, type ExecutionResult } from '../../packages/clada/src/index.ts'
import { findBlocks } from '@clada/reply/syntax/find-blocks.ts'
import { BlockStream } from '@clada/reply/syntax/stream-blocks.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'
import { corpus, soup, spliced } from './corpus.ts'
import { type BlockName, foreignNames, writes } from './samples.ts'
import { documentOf, throughStream } from './streamed.ts'

/** Text by text, and what is done before the next one comes. */
async function streamed(texts: readonly string[]) {
  const root = scratchDir()
  const seen: string[][] = []
  async function* slowly(): AsyncGenerator<string> {
    for (const text of texts) {
      yield text.replaceAll('ROOT', root)
      seen.push(Object.keys(filesIn(root)))
    }
  }
  const result = await new Clada({ repoPath: root, gitCommit: false }).executeStream(slowly())
  return { result, seen, files: filesIn(root) }
}

describe('a block that is complete', () => {
  const two = (syntax: BlockName, eager: string[], both = ['a.txt', 'b.txt']) => ({ syntax, eager, both })
  it.each([
    two('sham', ['a.txt']),
    two('cml', ['a.txt']),
    two('replacer', ['a.txt']),
    two('csl', []),
    ...foreignNames.map((name) => two(name, [])),
  ])('is carried out at once in $syntax, if that may be: $eager', async ({ syntax, eager, both }) => {
    const path = (name: string) => (syntax === 'sham' ? `ROOT/${name}` : name)
    const first = writes(syntax, path('a.txt'), 'one\ntwo')
    const second = writes(syntax, path('b.txt'), 'one\ntwo')
    const half = second.length - 12
    const texts = ['prose\n', first.slice(0, 20), first.slice(20), 'more\n', second.slice(0, half), second.slice(half)]
    const { result, seen, files } = await streamed(texts)
    expect(result.success).toBe(true)
    const last = eager.length === 0 ? [] : both
    expect(seen).toEqual([[], [], eager, eager, eager, last])
    expect(Object.keys(files)).toEqual(both)
  })

  it('waits behind what waits', async () => {
    for (const before of [
      writes('csl', 'c.txt', 'x'),
      writes('udiff', 'u.txt', 'x'),
      '#!SHAM [@wrong: abc]\n',
      '<!--\n',
    ]) {
      const { seen, files } = await streamed([before, writes('replacer', 'a.txt', 'x'), 'prose\n'])
      expect(seen).toEqual([[], [], []])
      expect(files['a.txt']).toBe('x')
    }
  })

  it('does not wait behind prose that is like a marker, nor behind a comment that is closed', async () => {
    const prose = [
      '<div>\n',
      '# Title\n',
      '> quoted\n',
      '<!-- note -->\n',
      '<p>`<write>`</p>\n',
      '```sh\n',
      '&lt;b&gt;\n',
    ]
    for (const before of prose) {
      const { seen } = await streamed([before, writes('cml', 'a.txt', 'x'), 'prose\n'])
      expect([before, ...seen]).toEqual([before, [], ['a.txt'], ['a.txt']])
    }
  })

  it.each([false, true])('waits after a marker that is not read, which is listed (strict: %s)', (strict) => {
    const stream = new BlockStream({ strict })
    const text = `- *** Begin Patch\n\n${writes('replacer', 'a.txt', 'x')}prose\n`
    expect(stream.push(text).blocks).toEqual([])
    expect(stream.end()).toEqual(findBlocks(new Source(text), { strict }))
    expect(findBlocks(new Source(text), { strict }).notExecuted.map(({ line }) => line)).toEqual([1])
  })

  it('is not executed inside a comment whose beginning is long gone', async () => {
    const texts = ['<!-- for later:\n', writes('cml', 'a.txt', 'x'), 'prose -->\n', writes('cml', 'b.txt', 'x')]
    const { files } = await streamed(texts)
    expect(Object.keys(files)).toEqual(['b.txt'])
  })

  it('does not run out of a block that damage hides', async () => {
    const inner = writes('replacer', 'inner.txt', 'x')
    const hidden = writes('sham', 'ROOT/doc.md', inner)
      .replaceAll('#!', '\\#!')
      .split(/(?<=\n)/)
    const { files } = await streamed(hidden)
    expect(Object.keys(files)).toEqual(['doc.md'])
  })
})

/** What a result says, without what takes time or memory. */
const shape = ({ results, parseErrors, totalBlocks, success, warnings }: ExecutionResult) => ({
  success,
  totalBlocks,
  warnings,
  results: results.map((result) => ({ ...result, durationMs: 0, data: undefined })),
  parseErrors: parseErrors.map((error) => ({ ...error, shamContent: '' })),
})

test('a document of all syntaxes gives the same results as the whole, wherever it is cut', async () => {
  const template = [
    'intro\n',
    writes('sham', 'ROOT/a.txt', 'é漢😀\nline'),
    '<tasks>\n<write path="b.txt"><![CDATA[x]]></write>\n<edit path="none"><search><![CDATA[x]]></search><replace><![CDATA[]]></replace></edit>\n<write path="c.txt"><![CDATA[x]]></write>\n</tasks>\n',
    writes('replacer', 'd.txt', writes('cml', 'inner.txt', 'x').trimEnd()),
    '#!SHAM [@three-char-SHA-256: bad]\naction = "file_wirte"\npath = x\n#!END_SHAM_bad\n',
    writes('udiff', 'u.txt', 'x'),
    '<---TASKS--->\n<---WRITE file="e.txt"--->\nx\n<---END--->\n<---WRITE--->\ny\n<---END--->\n<---END--->\n',
    writes('csl', 'f.txt', 'x'),
    '> > \\<write path="g.txt">\n',
    writes('cml', 'h.txt', 'cut off').slice(0, -12),
  ].join('\n')
  const root = (text: string, dir: string) => text.replaceAll('ROOT', dir)
  const whole = scratchDir()
  const expected = await new Clada({ repoPath: whole, gitCommit: false }).execute(root(template, whole))
  for (const size of [1, 2, 7, 31, 64, 200, 333, 500, 1000]) {
    const dir = scratchDir()
    const text = root(template, dir)
    async function* cut(): AsyncGenerator<string> {
      for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size)
    }
    const result = await new Clada({ repoPath: dir, gitCommit: false }).executeStream(cut())
    const plain = (value: unknown, own: string) => JSON.parse(JSON.stringify(value).replaceAll(own, 'ROOT'))
    expect(plain(shape(result), dir)).toEqual(plain(shape(expected), whole))
    expect(filesIn(dir)).toEqual(filesIn(whole))
  }
})

describe('any text, cut anywhere, is read as the whole', () => {
  const cuts = fc.array(fc.nat(), { maxLength: 12 })

  it('for every document of the tests, line by line', () => {
    for (const text of corpus) {
      const lines = [...text.matchAll(/\n/g)].map(({ index }) => index + 1)
      expect(documentOf(throughStream(text, lines)), text).toEqual(documentOf(findBlocks(new Source(text))))
    }
  })

  it.each([
    ['parts of documents', spliced],
    ['fragments', soup],
  ])('for %s', (_, texts) => {
    fc.assert(
      fc.property(texts, cuts, (text, places) => {
        expect(documentOf(throughStream(text, places))).toEqual(documentOf(findBlocks(new Source(text))))
      }),
      { numRuns: 500 },
    )
  })
})
