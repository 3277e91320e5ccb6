import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Document } from '@clada/reply/core/block.ts'
import { Source } from '@clada/reply/core/source.ts'
import { Clada } from '../../packages/clada/src/index.ts'
import { findBlocks } from '@clada/reply/syntax/find-blocks.ts'
import { BlockStream } from '@clada/reply/syntax/stream-blocks.ts'
import { becomesOf, frames, prompts } from './chats.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'

interface Cases {
  readonly quoted: readonly { readonly name: string; readonly text: string; readonly reasons: readonly string[] }[]
  readonly meant: readonly { readonly name: string; readonly text: string; readonly runs: number }[]
}
const { quoted, meant }: Cases = JSON.parse(readFileSync(new URL('quoted.json', import.meta.url), 'utf8'))

const find = (text: string): Document => findBlocks(new Source(text))

/** What a text gives that comes in two parts. */
function streamed(text: string, cut: number): Document {
  const stream = new BlockStream({})
  const { blocks } = stream.push(text.slice(0, cut))
  const { blocks: more } = stream.push(text.slice(cut))
  const rest = stream.end()
  return { ...rest, blocks: [...blocks, ...more, ...rest.blocks] }
}

describe('what is quoted', () => {
  it.each(quoted)('is listed and not executed: $name', async ({ text, reasons }) => {
    const files = { 'src/a.ts': 'one\ntwo\n', 'src/b.ts': 'three\n' }
    const root = scratchDir(files)
    const result = await new Clada({ repoPath: root, gitCommit: false }).execute(text)
    expect(result).toMatchObject({ success: true, results: [], parseErrors: [] })
    expect(result.notExecuted?.map(({ reason }) => reason)).toEqual(reasons)
    expect(filesIn(root)).toEqual(files)
  })
})

/** Whole blocks of the native syntaxes that write one file. */
const native: Readonly<Record<string, string>> = {
  SHAM: '#!SHAM [@three-char-SHA-256: abc]\naction = "file_write"\npath = "new.txt"\ncontent = "x"\n#!END_SHAM_abc',
  'SHAM with a heredoc': `#!nesl [@label: ab]\naction = "file_write"\npath = "new.txt"\ncontent = <<'EOT_ab'\nx\nEOT_ab\n#!end_ab`,
  CSL: '<---WRITE file="new.txt"--->\nx\n<---END--->',
  'a command of CSL': '<---RUN--->\ntouch new.txt\n<---END--->',
  CML: '<write path="new.txt"><![CDATA[x]]></write>',
  'a group of CML': '<tasks version="1.0">\n<write path="new.txt"><![CDATA[x]]></write>\n</tasks>',
  'the syntax of the replacer': '<<<FILE>>>\nnew.txt\n<<<OVERWRITE>>>\nx\n<<<END>>>',
}

const behind = (mark: string, text: string): string => text.replaceAll(/^/gm, mark)

/** How a part of a reply is a quotation. */
const quotations: Readonly<Record<string, (block: string) => string>> = {
  'below a sentence': (block) => `You wrote this:\n\n${behind('> ', block)}\n`,
  'above a sentence': (block) => `${behind('> ', block)}\n\nI would not do that.\n`,
  'without a space': (block) => `This one:\n\n${behind('>', block)}\n\nIs it needed?\n`,
  'a quotation in a quotation': (block) => `Ada answered:\n\n${behind('> > ', block)}\n> No.\n`,
  'in a list': (block) => `Two things:\n\n- ${behind('  > ', block).trimStart()}\n- Nothing else.\n`,
  'with a fence around it': (block) => `You wrote this:\n\n${behind('> ', `\`\`\`\n${block}\n\`\`\``)}\n`,
  'in a fence': (block) => `You wrote this:\n\n\`\`\`\n${behind('> ', block)}\n\`\`\`\n`,
}

describe.each(Object.entries(native))('a whole block behind >, in %s', (_, block) => {
  it.each(Object.entries(quotations))('is named and does not run: %s', async (_how, quote) => {
    const root = scratchDir()
    const result = await new Clada({ repoPath: root, gitCommit: false, relativePaths: true }).execute(quote(block))
    expect(result).toMatchObject({ success: true, results: [], parseErrors: [] })
    expect(new Set(result.notExecuted?.map(({ reason }) => reason))).toEqual(new Set(['quoted']))
    expect(filesIn(root)).toEqual({})
  })

  it('is named beside a block that runs', async () => {
    const root = scratchDir({ 'a.txt': 'one' })
    const read = '#!SHAM [@three-char-SHA-256: def]\naction = "file_read"\npath = "a.txt"\n#!END_SHAM_def\n'
    const clada = new Clada({ repoPath: root, gitCommit: false, relativePaths: true })
    const result = await clada.execute(`${behind('> ', block)}\n\n${read}`)
    expect(result).toMatchObject({ success: true, results: [{ blockId: 'def', success: true }] })
    expect(new Set(result.notExecuted?.map(({ reason }) => reason))).toEqual(new Set(['quoted']))
    expect(filesIn(root)).toEqual({ 'a.txt': 'one' })
  })

  it('runs with a warning if every line of the reply has it, except when read as written', async () => {
    const [root, asWritten] = [scratchDir(), scratchDir()]
    const options = { gitCommit: false, relativePaths: true } as const
    const whole = await new Clada({ ...options, repoPath: root }).execute(`${behind('> ', block)}\n`)
    expect(whole).toMatchObject({ success: true, results: [{ success: true }] })
    expect(JSON.stringify(whole)).toContain('read without the \\">\\" before every line')
    expect(Object.keys(filesIn(root))).toEqual(['new.txt'])
    const strict = await new Clada({ ...options, repoPath: asWritten, strict: true }).execute(
      `${behind('> ', block)}\n`,
    )
    expect(strict).toMatchObject({ success: true, results: [] })
    expect(new Set(strict.notExecuted?.map(({ reason }) => reason))).toEqual(new Set(['quoted']))
    expect(filesIn(asWritten)).toEqual({})
  })
})

describe('a diff that a chat shows', () => {
  const diff = (text: string): string =>
    `diff --git a/src/a.ts b/src/a.ts\nindex 83db48f..bf2a1c3 100644\n--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1,2 +1,2 @@\n one\n-two\n+${text}`
  const commit = { sha: 'a'.repeat(40), author: 'Ada <a@b.c>', date: 'Mon Mar 2 10:00:00 2026 +0100', subject: 'Two' }

  // npm run quoted does so with the diffs of this repository and the Markdown of its packages.
  it.each(Object.entries(frames))('is not executed: %s', (_, frame) => {
    for (const text of ['2', '=== CLADA RESULTS ===', '<think>', '> 2'])
      for (const n of prompts.keys()) expect(becomesOf(frame({ ...commit, diff: diff(text) }, n)).runs).toEqual([])
  })
})

describe('what is meant', () => {
  it.each(meant)('runs: $name', ({ text, runs }) => {
    const { blocks, diagnostics, notExecuted } = find(text)
    expect(blocks.map((block) => block.diagnostics.map(({ code }) => code))).toEqual(Array(runs).fill([]))
    expect(diagnostics).toEqual([])
    expect(notExecuted.filter(({ reason }) => reason !== 'thought')).toEqual([])
  })
})

describe('a text that comes in parts', () => {
  it.each([...quoted, ...meant])('is read in the same way, wherever it is split: $name', ({ text }) => {
    const whole = find(text)
    for (let cut = 1; cut < text.length; cut++) expect(streamed(text, cut)).toEqual(whole)
  })
})
