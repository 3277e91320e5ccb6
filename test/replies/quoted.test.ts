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
