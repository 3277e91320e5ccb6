import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { type BlockChoice, Clada, type CladaOptions, type Review } from '../../src/index.ts'
import { formatReport } from '../../src/report/format.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'
import { cases, type Decision, edit, write } from './cases.ts'

type Choices = Record<string, BlockChoice>

/** The choices that a person makes who looks at a review: hunks are counted over all files of a block, from 0. */
function decided(review: Review, decisions: Readonly<Record<string, Decision>>): Choices {
  return Object.fromEntries(
    review.blocks.map(({ task, shown, files }) => {
      const { leave = {}, ...more } = decisions[task] ?? {}
      const hunks = files.flatMap((file) => file.hunks)
      const left = Object.entries(leave).map(([index, reason]) => {
        const { id: hunk = `no hunk ${index}` } = hunks[Number(index)] ?? {}
        return reason === '' ? { hunk } : { hunk, reason }
      })
      return [task, { shown, ...(left.length > 0 ? { leave: left } : {}), ...more }]
    }),
  )
}

/** Block after block, as the changes of a later one depend on the choices before it. */
async function reviewed(clada: Clada, text: string, decisions: Readonly<Record<string, Decision>>) {
  let blocks: Choices = {}
  for (let step = 0; step <= Object.keys(decisions).length; step++)
    blocks = decided(await clada.review(text, { blocks }), decisions)
  return { blocks, review: await clada.review(text, { blocks }) }
}

const opened = (files: Readonly<Record<string, string>>, options: CladaOptions = {}) => {
  const root = scratchDir(files)
  return {
    root,
    clada: new Clada({ repoPath: root, gitCommit: false, relativePaths: true, matching: 'tolerant', ...options }),
  }
}

/** The files as a review shows them when it is applied. */
function shownFiles(before: Readonly<Record<string, string>>, { blocks, diffs }: Review): Record<string, string> {
  const files = { ...before }
  // Nothing of an atomic document that fails.
  if (diffs.length === 0) return files
  for (const { leftOut, files: changed } of blocks) {
    for (const { path: name, from, result, hunks } of leftOut ? [] : changed) {
      const isMoved = hunks.some(({ kind, taken }) => kind === 'move' && taken)
      if (from !== undefined && isMoved) delete files[from]
      const at = from === undefined || isMoved ? name : from
      if (result === null) delete files[at]
      else files[at] = result
    }
  }
  expect(diffs.map((diff) => diff.path).sort()).toEqual(
    [...new Set([...Object.keys(before), ...Object.keys(files)])].filter((name) => before[name] !== files[name]).sort(),
  )
  return files
}

describe('a review', () => {
  for (const {
    name,
    before,
    reply,
    decisions = {},
    options,
    after,
    says = [],
    saysNot = [],
    success = true,
  } of cases) {
    it(name, async () => {
      const { root, clada } = opened(before, options)
      const { blocks, review } = await reviewed(clada, reply, decisions)
      expect(filesIn(root)).toEqual(before)
      const result = await clada.execute(reply, { review: { blocks } })
      expect(filesIn(root)).toEqual(after)
      expect(shownFiles(before, review)).toEqual(after)
      expect(result.success).toBe(success)
      for (const format of ['llm', 'text', 'xml', 'pretty', 'json'] as const) {
        const report = formatReport(result, format)
        for (const part of says) expect(report).toContain(part)
        for (const part of saysNot) expect(report).not.toContain(part)
      }
    })
  }

  it('applies nothing when a file has changed since', async () => {
    const before = { 'a.txt': 'one\ntwo\n', 'b.txt': 'b\n' }
    const { root, clada } = opened(before)
    const reply = write('b.txt', 'B\n') + edit('a.txt', 'two', '2')
    const { blocks } = await reviewed(clada, reply, {})
    fs.appendFileSync(path.join(root, 'a.txt'), 'three\n')
    const result = await clada.execute(reply, { review: { blocks } })
    expect(result).toMatchObject({ success: false, fatalCode: 'concurrent_modification', executedActions: 0 })
    expect(result.fatalError).toContain('a.txt')
    expect(filesIn(root)).toEqual({ ...before, 'a.txt': 'one\ntwo\nthree\n' })
  })

  it('shows the model how the user changed the whole reply', async () => {
    const { root, clada } = opened({ 'a.txt': 'one\n' })
    const original = '<write path="a.txt"><![CDATA[two\n]]></write>\n'
    const edited = original.replace('two', 'three')
    const { blocks } = await reviewed(clada, edited, {})
    const result = await clada.execute(edited, { review: { blocks, original } })
    expect(filesIn(root)).toEqual({ 'a.txt': 'three\n' })
    for (const format of ['llm', 'text', 'xml', 'pretty'] as const)
      expect(formatReport(result, format)).toContain('edited the reply before it was applied')
    expect(result.editedReply).toContain('+<write path="a.txt"><![CDATA[three')
  })

  it('can be undone as any other execution', async () => {
    const before = { 'a.txt': 'one\ntwo\nthree\n' }
    const { root, clada } = opened(before)
    const reply = '<write path="a.txt"><![CDATA[1\ntwo\n3\n]]></write>\n'
    const { blocks } = await reviewed(clada, reply, { 1: { leave: { 1: '' } } })
    await clada.execute(reply, { review: { blocks } })
    expect(filesIn(root)).toEqual({ 'a.txt': '1\ntwo\nthree\n' })
    expect((await clada.undo()).success).toBe(true)
    expect(filesIn(root)).toEqual(before)
  })
})
