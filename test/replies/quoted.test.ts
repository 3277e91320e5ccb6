import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Document } from '../../src/core/block.ts'
import { Source } from '../../src/core/source.ts'
import { Clada } from '../../src/index.ts'
import { findBlocks } from '../../src/syntax/find-blocks.ts'
import { BlockStream } from '../../src/syntax/stream-blocks.ts'
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

describe('what is meant', () => {
  it.each(meant)('runs: $name', ({ text, runs }) => {
    const { blocks, faults, notExecuted } = find(text)
    expect(blocks.map((block) => block.faults.map(({ message }) => message))).toEqual(Array(runs).fill([]))
    expect(faults).toEqual([])
    expect(notExecuted.filter(({ reason }) => reason !== 'thought')).toEqual([])
  })
})

describe('a text that comes in parts', () => {
  it.each([...quoted, ...meant])('is read in the same way, wherever it is split: $name', ({ text }) => {
    const whole = find(text)
    for (let cut = 1; cut < text.length; cut++) expect(streamed(text, cut)).toEqual(whole)
  })
})
