import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Document } from '@clada/reply/core/block.ts'
import { Source } from '@clada/reply/core/source.ts'
import { Clada } from '../../packages/clada/src/index.ts'
import { formatReport } from '../../packages/clada/src/report/format.ts'
import { findBlocks } from '@clada/reply/syntax/find-blocks.ts'
import { clada } from '../support/cli.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'
import { foreignNames, nativeNames, writes } from '../syntax/samples.ts'

const find = (text: string): Document => findBlocks(new Source(text))

/** How much a document says: blocks, mistakes, warnings and what was not executed. */
const said = ({ blocks, diagnostics, warnings, notExecuted }: Document): number =>
  blocks.length + diagnostics.length + warnings.length + notExecuted.length

/** Whether a document says more than what is around it, or something of it failed. */
const isTold = (document: Document, before = 0): boolean =>
  said(document) > before ||
  [...document.blocks.flatMap(({ diagnostics }) => diagnostics), ...document.diagnostics].length > 0

/** Lines that only a block has. */
const markers: readonly string[] = [
  '#!SHAM [@three-char-SHA-256: abc]',
  '#!END_SHAM_abc',
  '#!NESL [@three-char-SHA-256: abc]',
  '#!nesl [@three-char-SHA-256: abc]',
  '#!end_abc',
  '<---WRITE file="a.txt"--->',
  '<---RUN--->',
  '<---SEARCH file="a.txt"--->',
  '<---REPLACE--->',
  '<---TASKS--->',
  '<---END--->',
  '<write path="a.txt">',
  '<edit path="a.txt">',
  '<remove path="a.txt"/>',
  '<move from="a" to="b"/>',
  '<tasks>\n<run><![CDATA[ls]]></run>',
  '<<<FILE>>>',
  '<<<SEARCH>>>',
  '<<<OVERWRITE>>>',
  '<<<END>>>',
  '<<<<<<< SEARCH',
  '>>>>>>> REPLACE',
  '*** Begin Patch',
  '*** Update File: a.txt',
  '*** End Patch',
  'diff --git a/a.txt b/a.txt',
  '--- a/a.txt\n+++ b/a.txt',
  '@@ -1,2 +1,2 @@',
]

const first = (prefix: string) => (text: string) => prefix + text
const every = (prefix: string) => (text: string) => text.replace(/^/gm, prefix)
const item = (bullet: string) => (text: string) => bullet + text.replaceAll('\n', `\n${' '.repeat(bullet.length)}`)
const prefixes: readonly ((text: string) => string)[] = [
  (text) => text,
  ...['1. ', '1) ', '- ', '* ', '+ ', '• ', '> ', '>', '    ', '  ', '\t', '> - ', '  1. ', '### '].flatMap(
    (prefix) => [first(prefix), every(prefix)],
  ),
  ...['1. ', '- ', '* ', '10. '].map(item),
]

const sound = writes('sham', '/p/own.txt', 'own')
const foreign = writes('apply-patch', 'own.txt', 'own')
/** What a terminal and other keyboards make of lines. */
const disguises: readonly (readonly [string, (text: string) => string])[] = [
  ['colours', (text) => text.replace(/^.*$/gm, '\x1b[32m$&\x1b[0m')],
  ['colours whose control characters are lost', (text) => text.replace(/^.*$/gm, '[1;32m$&[0m')],
  ['colours of each word', (text) => text.replace(/\S+/g, '\x1b[38;5;12m$&\x1b[m')],
  [
    'full-width characters',
    (text) => text.replace(/[!-/:-@[-`{-~]/g, (one) => String.fromCharCode(one.charCodeAt(0) + 0xfee0)),
  ],
]
const places: readonly ((text: string) => string)[] = [
  (text) => `${text}\n`,
  (text) => `Do this:\n\n${text}\n\nDone.\n`,
  (text) => `${sound}\n${text}\n`,
  (text) => `${text}\n\n${sound}`,
  (text) => `${foreign}\n${text}\n`,
]
const around = places.map((place) => said(find(place('Nothing.'))))

describe('every marker is accounted for', () => {
  it.each(markers)('%s, after each prefix, alone and beside other blocks', (marker) => {
    for (const prefix of prefixes) {
      for (const [at, place] of places.entries()) {
        const text = place(prefix(marker))
        const document = find(text)
        const { blocks, notExecuted } = document
        const joined = [...blocks, ...notExecuted.flatMap(({ block }) => block ?? [])]
        // A line at the end of a block may become its content.
        const isContent = joined.some(({ raw }) => raw.includes(prefix(marker)))
        expect(isContent || isTold(document, around[at]), JSON.stringify(text)).toBe(true)
      }
    }
  })

  it.each([...nativeNames, ...foreignNames])(
    'a whole block in %s, after each prefix and cut off anywhere',
    (syntax) => {
      const block = writes(syntax, '/p/a.txt', 'one\ntwo').trimEnd()
      const whole = find(`${block}\n`).blocks[0]
      const opening = block.split('\n').slice(0, 4).join('\n').length + 2
      fc.assert(
        fc.property(
          fc.constantFrom(...prefixes),
          fc.constantFrom(...places),
          fc.integer({ min: opening, max: Math.max(opening, block.length) }),
          (prefix, place, length) => {
            const text = place(prefix(block.slice(0, length)))
            const document = find(text)
            expect(isTold(document, around[places.indexOf(place)]), JSON.stringify(text)).toBe(true)
            // What runs is what was written. CDATA is taken as it is, whatever is before its lines.
            if (length < block.length || syntax === 'cml') return
            for (const { diagnostics, params } of document.blocks) {
              if (diagnostics.length === 0 && params['path'] === whole?.params['path'])
                expect(params).toEqual(whole?.params)
            }
          },
        ),
        { numRuns: 300 },
      )
    },
  )
})

describe.each(disguises)('a block in %s', (_, disguise) => {
  it.each(nativeNames)('is listed, and nothing of it runs: %s', async (syntax) => {
    const text = disguise(writes(syntax, 'a.txt', 'one\ntwo').trimEnd())
    for (const place of places.slice(0, 2)) {
      const { blocks, notExecuted } = find(place(text))
      expect({ blocks, reasons: notExecuted.map(({ reason }) => reason) }, place(text)).toEqual({
        blocks: [],
        reasons: ['unreadable'],
      })
    }
    const beside = find(`${sound}\n${text}\n`)
    expect(beside.blocks.map(({ params }) => params['path'])).toEqual(['/p/own.txt'])
    expect(beside.notExecuted).not.toEqual([])
  })
})

describe('an edit that is missing', () => {
  const diff = '```diff\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+1\n```\n'
  const commands = '<---RUN--->\nls\n<---END--->\n<---WRITE file="b.txt"--->\nx\n<---END--->\n'
  const run = async (text: string) => {
    const root = scratchDir({ 'a.txt': 'one\n' })
    const result = await new Clada({ repoPath: root, gitCommit: false }).execute(text)
    return { result, files: filesIn(root) }
  }

  it.each([['that cannot be read', '1. #!SHAM [@three-char-SHA-256: abc]\n   action = "ls"\n', 'unreadable']])(
    '%s makes the commands after it wait, and nothing else',
    async (_, edit, reason) => {
      const { result, files } = await run(`${edit}\n${commands}`)
      expect(result).toMatchObject({ success: false, notExecuted: [{ reason }] })
      expect(result.results.map(({ action, success, code }) => [action, success, code])).toEqual([
        ['run', false, 'skipped'],
        ['file_write', true, undefined],
      ])
      expect(files).toEqual({ 'a.txt': 'one\n', 'b.txt': 'x' })
      for (const format of ['llm', 'text', 'pretty'] as const) {
        const report = formatReport(result, format)
        expect(report).toContain('was not executed, and this command comes after it')
        expect(report).toContain('Then send this command again.')
      }
    },
  )

  it('in the format of another tool is a proposal, and the commands after it wait for the answer', async () => {
    const { result, files } = await run(`${diff}\n${commands}`)
    expect(result).toMatchObject({ success: false, proposals: [{ line: 2, path: 'a.txt' }] })
    expect(result.results.map(({ action, success, code }) => [action, success, code])).toEqual([
      ['file_patch', false, 'review_required'],
      ['run', false, 'skipped'],
      ['file_write', true, undefined],
    ])
    expect(files).toEqual({ 'a.txt': 'one\n', 'b.txt': 'x' })
    expect(formatReport(result, 'llm')).toContain('waits for the user, and this command comes after it')
  })

  it('does not hold up commands before it, nor is a quotation one', async () => {
    expect((await run(`${commands}\n${diff}`)).result.results.map(({ success }) => success)).toEqual([
      true,
      true,
      false,
    ])
    const quoted = await run(`\`\`\`\n$ git diff\n${diff.slice(8)}\n${commands}`)
    expect(quoted.result).toMatchObject({ success: true, notExecuted: [{ reason: 'quoted' }] })
  })
})

describe('a reply without a block', () => {
  const prose = 'The function looks right to me. I would not change it.\n<run> is a tag and <tasks>\n<tasks> too.\n'

  it.each([
    ['sham', '#!SHAM [@three-char-SHA-256: abc]'],
    ['csl', '<---WRITE file="PATH"--->'],
    ['cml', '<write path="PATH">'],
    ['replacer', '<<<OVERWRITE>>>'],
    ['search-replace', '<<<<<<< SEARCH'],
    ['apply-patch', '*** Begin Patch'],
    ['udiff', '+++ b/PATH'],
  ] as const)('gets a reminder of at most five lines in %s, which is not a document', async (syntax, marker) => {
    const root = scratchDir()
    const syntaxes = syntax === 'sham' ? {} : { syntaxes: [syntax] }
    const result = await new Clada({ repoPath: root, gitCommit: false, ...syntaxes }).execute(prose)
    expect(result).toMatchObject({ success: true, results: [], parseErrors: [] })
    for (const format of ['llm', 'text'] as const) {
      const report = formatReport(result, format)
      const lines = report.split('\n').filter((line) => line !== '' && !line.startsWith('==='))
      expect(lines.length).toBeLessThanOrEqual(5)
      expect(report).toContain(marker)
      expect(find(report)).toMatchObject({ blocks: [], diagnostics: [], notExecuted: [] })
    }
  })

  it('ends with 0, and with 1 where something like an edit was seen', () => {
    const cwd = scratchDir({ 'a.txt': 'one\n' })
    expect(clada(['run', '--no-git'], { cwd, input: prose }).status).toBe(0)
    const edits = ['<invoke name="edit_file">\n</invoke>\n', '- *** Begin Patch\n', '1. <write path="a.txt">\n']
    for (const input of edits) expect(clada(['run', '--no-git'], { cwd, input }).status).toBe(1)
  })
})

describe('a call of another agent', () => {
  it('inserts at several lines, whose numbers are those of the file before it', async () => {
    const root = scratchDir({ 'a.ts': '1\n2\n3\n' })
    const list =
      '[{"start_line": 1, "content": "a"}, {"start_line": 3, "content": "b"}, {"start_line": 3, "content": "c"}]'
    const text = `<insert_content>\n<path>a.ts</path>\n<operations>${list}</operations>\n</insert_content>\n`
    const { success } = await new Clada({ repoPath: root, gitCommit: false }).execute(text)
    expect(success).toBe(true)
    expect(filesIn(root)).toEqual({ 'a.ts': 'a\n1\n2\nb\nc\n3\n' })
  })

  const patch = '*** Begin Patch\n*** Add File: a.ts\n+x\n*** End Patch'
  it.each([
    [{ name: 'apply_patch', arguments: { input: patch } }, 'file_create'],
    [{ name: 'apply_patch', arguments: JSON.stringify({ patch }) }, 'file_create'],
    [{ type: 'custom_tool_call', name: 'apply_patch', input: patch }, 'file_create'],
    [{ command: ['bash', '-lc', `apply_patch <<'EOF'\n${patch}\nEOF`] }, 'file_create'],
    [{ name: 'shell', arguments: { command: ['bash', '-lc', `apply_patch <<'EOF'\n${patch}\nEOF\nls`] } }, 'run'],
    [{ name: 'shell', arguments: { command: ['bash', '-lc', 'ls src'] } }, 'run'],
  ])('%j is %s', (call, action) => {
    expect(find(`${JSON.stringify(call)}\n`).blocks.map((block) => [block.action, block.diagnostics])).toEqual([
      [action, []],
    ])
  })

  it.each([
    ['export const b = 3\n', 'a.ts', false, undefined],
    ['export const b = 3\n', 'new.ts', true, 'export const b = 3\n'],
    ['// ... existing code ...\nexport const b = 3\n', 'a.ts', false, undefined],
  ])('that gives only the lines that change never replaces a file by them: %j in %s', async (code, path, ok, made) => {
    const before = 'export const a = 1\nexport const b = 2\n'
    const root = scratchDir({ 'a.ts': before })
    const call = { name: 'edit_file', arguments: { target_file: path, instructions: 'x', code_edit: code } }
    const clada = new Clada({ repoPath: root, git: 'off', relativePaths: true })
    const { results } = await clada.execute(`\`\`\`json\n${JSON.stringify(call)}\n\`\`\`\n`)
    expect(results.map(({ success }) => success)).toEqual([ok])
    expect(filesIn(root)[path]).toBe(made ?? before)
  })
})

describe('a call in a whole file', () => {
  const calls = [
    'Action: write_file\nAction Input: {"path": "a.ts", "content": "x"}',
    '<tool_call>\n{"name": "write_file", "arguments": {"path": "a.ts", "content": "x"}}\n</tool_call>',
    '<modify file="a.ts">\n<old>\nx\n</old>\n<new>\ny\n</new>\n</modify>',
  ]

  it.each(calls)('is a line of it: %j', (call) => {
    for (const text of [
      `**prompts/agent.md**\n\n~~~md\nWrite:\n${call}\n~~~\n`,
      `~~~md prompts/agent.md\n${call}\n~~~\n`,
    ]) {
      const { blocks } = find(text)
      expect(blocks.map(({ syntax, params }) => [syntax, params['path']])).toEqual([['proposal', 'prompts/agent.md']])
    }
  })

  it.each(calls)('is a call where the fence is not the file: %j', (call) => {
    for (const text of [`\`a.ts\`:\n\n~~~\n${call}\n~~~\n`, `I change it.\n\n~~~\n${call}\n~~~\n`])
      expect(find(text).blocks.map(({ syntax }) => syntax)).not.toContain('proposal')
  })
})

describe('a call of another agent that looks', () => {
  it.each([
    ['<list_files>\n<path>src</path>\n</list_files>\n', 'ls', 'a.ts'],
    ['<list_files>\n<path>src</path>\n<recursive>true</recursive>\n</list_files>\n', 'glob', 'deep/b.ts'],
    [
      '<search_files>\n<path>src</path>\n<regex>o.e</regex>\n<file_pattern>*.ts</file_pattern>\n</search_files>\n',
      'grep',
      'one()',
    ],
  ])('%j is %s', async (text, action, found) => {
    const root = scratchDir({ 'src/a.ts': 'one()\n', 'src/deep/b.ts': 'two()\n' })
    const result = await new Clada({ repoPath: root, gitCommit: false }).execute(text)
    expect(result.results.map((one) => [one.action, one.success])).toEqual([[action, true]])
    expect(JSON.stringify(result.results[0]?.data)).toContain(found)
  })
})

describe('a list that explains markers', () => {
  const list = (bullet: string) =>
    [`${bullet} <<<<<<< SEARCH`, `${bullet} the old lines`, `${bullet} =======`, `${bullet} >>>>>>> REPLACE`].join('\n')

  it.each(['-', '*', '1.'])('is no edit: %s', (bullet) => {
    const bold = list(bullet).replace(/(?<= )([<>=]{7}.*)/g, '**$1**: a marker')
    for (const text of [list(bullet), bold])
      expect(find(`It works like this:\n\n${text}\n`).notExecuted.map(({ reason }) => reason)).toEqual(['example'])
  })

  it('is an edit that nobody can read, below a file name or with other lines between', () => {
    for (const text of [`a.txt\n${list('-')}\n`, `It:\n\n${list('-').replace('- the', 'the')}\n`])
      expect(find(text).notExecuted.map(({ reason }) => reason)).toEqual(['unreadable'])
  })
})
