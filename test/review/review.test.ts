import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  type ActionResult,
  type BlockChoice,
  Clada,
  type CladaOptions,
  type Review,
} from '../../packages/clada/src/index.ts'
import { formatReport } from '../../packages/clada/src/report/format.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'
import { cases, type Decision, edit, patch, write } from './cases.ts'

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
  let review = await clada.review(text)
  let blocks = decided(review, decisions)
  for (let step = 0; step < Object.keys(decisions).length; step++) {
    review = await clada.review(text, { blocks })
    blocks = decided(review, decisions)
  }
  return { blocks, review }
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
    expect(result.fatalError).toMatch(/a\.txt.*Nothing was applied/)
    const { results } = await clada.execute(reply, {
      review: { blocks },
      signal: AbortSignal.abort(new Error('enough')),
    })
    expect(results).toEqual([])
    expect(filesIn(root)).toEqual({ ...before, 'a.txt': 'one\ntwo\nthree\n' })
  })

  it('fails a block whose file changes while others are applied', async () => {
    const before = { 'a.txt': 'a\n', 'b.txt': '1\n2\n3\n', 'c.txt': 'c\n' }
    const { root, clada } = opened(before)
    const reply = edit('a.txt', 'a', 'A') + edit('b.txt', '1\n2\n3', 'one\n2\nthree') + edit('c.txt', 'c', 'C')
    const { blocks } = await reviewed(clada, reply, { 2: { leave: { 0: '' } } })
    const onAction = ({ seq }: ActionResult): void => {
      if (seq === 1) fs.writeFileSync(path.join(root, 'b.txt'), '0\n1\n2\n3\n')
      if (seq === 2) fs.writeFileSync(path.join(root, 'c.txt'), 'c\nmore\n')
    }
    const { results } = await clada.execute(reply, { review: { blocks }, onAction })
    expect(results.map(({ code }) => code)).toEqual([undefined, 'concurrent_modification', 'concurrent_modification'])
    expect(filesIn(root)).toEqual({ 'a.txt': 'A\n', 'b.txt': '0\n1\n2\n3\n', 'c.txt': 'c\nmore\n' })
  })

  it('applies nothing for a choice about a hunk or a file that there is not', async () => {
    const before = { 'a.txt': 'one\n', 'b.txt': 'b\n' }
    const { root, clada } = opened(before)
    const reply = edit('b.txt', 'b', 'B') + edit('a.txt', 'one', '1')
    const wrong: BlockChoice[] = [{ leave: [{ hunk: 'other' }] }, { texts: { 'other.txt': 'x' } }, { shown: 'other' }]
    for (const choice of wrong) {
      const review = { blocks: { 2: choice } }
      expect(await clada.execute(reply, { review })).toMatchObject({ fatalCode: 'concurrent_modification' })
    }
    for (const text of [edit('a.txt', 'two', '2'), patch('a.txt', '-two\n+2')]) {
      const { results } = await clada.execute(text, { review: { blocks: { 1: { place: { line: 7, endLine: 8 } } } } })
      expect(results[0]).toMatchObject({ success: false, code: 'invalid_parameter' })
    }
    expect(filesIn(root)).toEqual(before)
  })

  it('holds without the digest of what was shown, and says no more than was left out', async () => {
    const { root, clada } = opened({ 'a.txt': '1\n2\n3\n' })
    const reply = edit('a.txt', '1\n2\n3', 'one\n2\nthree')
    const { blocks } = await clada.review(reply)
    const { hunks = [] } = blocks[0]?.files[0] ?? {}
    const leave = hunks.slice(1).map(({ id }) => ({ hunk: id }))
    const { results } = await clada.execute(reply, { review: { blocks: { 1: { leave } } } })
    expect(filesIn(root)).toEqual({ 'a.txt': 'one\n2\n3\n' })
    expect(results[0]?.review).toEqual({ hunks: [{ path: 'a.txt', lines: '3', diff: ['-3', '+three'] }] })
  })

  it('keeps the mode of a file, and takes a binary one whole', async () => {
    const { root, clada } = opened({ 'a.sh': '1\n2\n3\n', 'b.bin': 'a\u0000b' })
    fs.chmodSync(path.join(root, 'a.sh'), 0o755)
    const reply = edit('a.sh', '1\n2\n3', 'one\n2\nthree') + write('b.bin', 'text\n') + write('c.txt', 'c\n')
    const { blocks, review } = await reviewed(clada, reply, { 1: { leave: { 0: '' } }, 2: { leave: { 0: '' } } })
    expect(review.blocks[1]).toMatchObject({ leftOut: true, files: [{ binary: true, hunks: [{ kind: 'whole' }] }] })
    await clada.execute(reply, { review: { blocks } })
    expect(filesIn(root)).toEqual({ 'a.sh': '1\n2\nthree\n', 'b.bin': 'a\u0000b', 'c.txt': 'c\n' })
    expect(fs.statSync(path.join(root, 'a.sh')).mode & 0o777).toBe(0o755)
    if (process.platform === 'win32') return
    const { diffs } = await clada.review('<delete path="a.sh"/>\n<delete path="c.txt"/>\n')
    expect(diffs.map(({ diff }) => /mode \d+/.exec(diff)?.[0])).toEqual(['mode 100755', 'mode 100644'])
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
