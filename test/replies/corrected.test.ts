import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { checkDocument, Clada } from '../../packages/clada/src/index.ts'
import { formatReport } from '../../packages/clada/src/report/format.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'

interface Case {
  readonly name: string
  /** ROOT is the project. */
  readonly text: string
}
interface Cases {
  /** `files`: what the block was meant to write. */
  readonly certain: readonly (Case & { readonly files: Readonly<Record<string, string>> })[]
  readonly unsure: readonly Case[]
}
const { certain, unsure }: Cases = JSON.parse(readFileSync(new URL('corrected.json', import.meta.url), 'utf8'))

const before = { 'b.txt': 'one\n' }
const formats = ['llm', 'text', 'xml', 'pretty'] as const

/** The text between the fences below the words. */
const correctedIn = (report: string): string | undefined =>
  /(?:ready to be sent again|Saved as a file)[^\n]*\n(`{3,})\n([\s\S]*?)\n\1(?:\n|$)/.exec(report)?.[2]

describe('a small mistake', () => {
  it.each(certain)('stays an error, and its report has the corrected block: $name', async ({ text, files }) => {
    const root = scratchDir(before)
    const clada = new Clada({ repoPath: root, gitCommit: false })
    const result = await clada.execute(text.replaceAll('ROOT', root))
    expect(result.success).toBe(false)
    expect(result.parseErrors).not.toEqual([])
    // For a person the lines are indented.
    const reports = formats.map((format) =>
      formatReport(result, format).replace(/^ {4}/gm, format === 'pretty' ? '' : '    '),
    )
    const [corrected = '', ...others] = reports.map(correctedIn)
    expect(others).toEqual(others.map(() => corrected))
    const { blocks } = checkDocument(text.replaceAll('ROOT', root), { repoPath: root })
    const checked = blocks.flatMap((block) => block.corrected ?? [])
    expect(checked.join('\n\n')).toBe(corrected)
    const again = await clada.execute(corrected)
    expect(again).toMatchObject({ success: true, parseErrors: [] })
    expect(again.warnings).toBeUndefined()
    expect(filesIn(root)).toMatchObject({ ...before, ...files })
  })

  it.each(unsure)('has no corrected block where two readings exist: $name', async ({ text }) => {
    const root = scratchDir(before)
    const result = await new Clada({ repoPath: root, gitCommit: false }).execute(text.replaceAll('ROOT', root))
    expect(result.success).toBe(false)
    for (const format of formats) expect(formatReport(result, format)).not.toContain('ready to be sent again')
    expect(filesIn(root)).toEqual(before)
  })

  it.each(certain)('is not executed out of a report: $name', async ({ text }) => {
    const root = scratchDir(before)
    const clada = new Clada({ repoPath: root, gitCommit: false })
    const result = await clada.execute(text.replaceAll('ROOT', root))
    const files = filesIn(root)
    for (const format of formats) {
      expect(await clada.execute(formatReport(result, format))).toMatchObject({ executedActions: 0 })
    }
    expect(filesIn(root)).toEqual(files)
  })
})

describe('what is accepted without more', () => {
  it('is True and FALSE for booleans', async () => {
    const root = scratchDir(before)
    const clada = new Clada({ repoPath: root, gitCommit: false })
    const texts = [
      '<---WRITE file="b.txt" append="TRUE"--->\ntwo\n<---END--->\n',
      '<write path="b.txt" append="True"><![CDATA[three]]></write>\n',
      `#!SHAM [@three-char-SHA-256: abc]\naction = "grep"\npattern = "TWO"\npath = "${root}"\nignore_case = "True"\nregex = "FALSE"\n#!END_SHAM_abc\n`,
    ]
    for (const text of texts) expect(await clada.execute(text)).toMatchObject({ success: true })
    expect(filesIn(root)).toEqual({ 'b.txt': 'one\ntwo\nthree' })
  })

  it('is a second REPLACE marker in a replacement, with a warning', async () => {
    const root = scratchDir(before)
    const text = '<---SEARCH file="b.txt"--->\none\n<---REPLACE--->\n1\n<---REPLACE--->\n2\n<---END--->\n'
    const { success, results } = await new Clada({ repoPath: root, gitCommit: false }).execute(text)
    expect(success).toBe(true)
    expect(filesIn(root)).toEqual({ 'b.txt': '1\n<---REPLACE--->\n2\n' })
    expect(results[0]?.warnings).toEqual([
      'line 5: a second REPLACE marker is content of the replacement and was written',
    ])
  })

  it('names what would have run where a group is not closed', async () => {
    const text = '<tasks>\n<write path="a.txt"><![CDATA[x]]></write>\n<run><![CDATA[npm test]]></run>\n'
    const result = await new Clada({ repoPath: scratchDir(before), gitCommit: false }).execute(text)
    expect(result.parseErrors[0]).toMatchObject({ code: 'truncated', meant: ['file_write a.txt', 'run npm test'] })
    for (const format of formats) {
      expect(formatReport(result, format)).toContain('It would have run: file_write a.txt, run npm test')
    }
  })
})

describe('the end of a file that is written whole', () => {
  const text = '<write path="b.txt"><![CDATA[two]]></write>\n<write path="c.txt"><![CDATA[new]]></write>\n'

  it('is as given, with a warning where a line break is lost', async () => {
    const root = scratchDir(before)
    const { results } = await new Clada({ repoPath: root, gitCommit: false }).execute(text)
    expect(filesIn(root)).toEqual({ 'b.txt': 'two', 'c.txt': 'new' })
    expect(results.map(({ warnings }) => warnings?.length)).toEqual([1, undefined])
    expect(results[0]?.warnings?.[0]).toContain('ended with a line break and now does not')
  })

  it('has a line break where that is set', async () => {
    const root = scratchDir(before)
    const { results } = await new Clada({ repoPath: root, gitCommit: false, finalNewline: 'add' }).execute(text)
    expect(filesIn(root)).toEqual({ 'b.txt': 'two\n', 'c.txt': 'new\n' })
    expect(results.map(({ warnings }) => warnings)).toEqual([undefined, undefined])
  })
})
