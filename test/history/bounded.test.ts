import fs from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { digestOf } from '../../packages/clada/src/core/digest.ts'
import { Clada } from '../../packages/clada/src/index.ts'
import { skipWithout } from '../support/needs.ts'
import { scratchDir, inState } from '../support/scratch.ts'
import { type Call, documentOf, execute, redoIn, treeOf, undoIn } from './world.ts'

const write = (name: string, content: string): Call => ['file_write', { path: name, content }]

it('the history stays below its limit, the oldest executions go, and that is told', async () => {
  const root = scratchDir({ 'a.txt': 'a' })
  const clada = new Clada({ repoPath: root, git: 'off', limits: { historyBytes: 400_000 } })
  const warnings: string[] = []
  for (let at = 0; at < 12; at++) {
    const result = await clada.execute(documentOf(root, [write('a.txt', `${at}`.repeat(50_000))]))
    expect(result.success).toBe(true)
    warnings.push(...(result.warnings ?? []))
  }
  expect(warnings[0]).toMatch(/^executions? 1.* removed from the history to save space and can no longer be undone/)
  const numbers = (await clada.history()).map(({ number }) => number)
  expect(numbers.at(-1)).toBe(12)
  expect(numbers.length).toBeLessThan(12)
  const objects = inState(root, 'objects')
  const bytes = fs.readdirSync(objects).reduce((sum, name) => sum + fs.statSync(path.join(objects, name)).size, 0)
  expect(bytes).toBeLessThan(400_000 + 2 * 50_000)
  expect(await undoIn(root, 'off')).toMatchObject({ success: true, execution: 12 })
})

it('of many texts of one file only the last is written, and each action can be undone by itself', async () => {
  const lines = Array.from({ length: 60 }, (_, at) => `line ${at}. old`)
  const root = scratchDir({ 'a.txt': `${lines.join('\n\n\n\n\n')}\n`, 'b.txt': 'b' })
  const before = treeOf(root)
  const calls = lines.map((line, at): Call => [
    'file_replace_text',
    { path: 'a.txt', old_text: line, new_text: `line ${at}. new` },
  ])
  expect(await execute(root, 'off', [...calls, write('b.txt', 'B')], { atomic: true })).toMatchObject({ success: true })
  expect(fs.readFileSync(path.join(root, 'a.txt'), 'utf8')).not.toContain('old')
  expect(await undoIn(root, 'off', { action: 30 })).toMatchObject({ success: true, restored: ['a.txt'] })
  expect(fs.readFileSync(path.join(root, 'a.txt'), 'utf8').match(/line \d+\. old/g)).toEqual(['line 29. old'])
  expect(await undoIn(root, 'off', { force: true })).toMatchObject({ success: true })
  expect(treeOf(root)).toEqual(before)
})

it('each version of a large file is kept once, and every one of them comes back', async () => {
  const line = (at: number, word: string): string => `line ${at} of a file that is large: ${word}\n`
  const root = scratchDir({ 'a.txt': Array.from({ length: 20_000 }, (_, at) => line(at, 'old')).join('') })
  const first = digestOf(fs.readFileSync(path.join(root, 'a.txt')))
  const versions = [treeOf(root)]
  for (const at of [0, 9000, 19_999]) {
    const call: Call = ['file_replace_text', { path: 'a.txt', old_text: line(at, 'old'), new_text: line(at, 'new!') }]
    expect(await execute(root, 'off', [call])).toMatchObject({ success: true })
    versions.push(treeOf(root))
  }
  const objects = inState(root, 'objects')
  expect(fs.readdirSync(objects)).toHaveLength(versions.length)
  // Of several changes since, the middle one: that needs the texts before and after it.
  expect(await undoIn(root, 'off', { number: 2, force: true })).toMatchObject({ success: true })
  expect(fs.readFileSync(path.join(root, 'a.txt'), 'utf8').match(/^line \d+ .*new!$/gm)).toHaveLength(2)
  expect(await redoIn(root, 'off')).toMatchObject({ success: true })
  expect(treeOf(root)).toEqual(versions[3])
  for (const number of [3, 2, 1]) {
    expect(await undoIn(root, 'off', { number })).toMatchObject({ success: true, execution: number })
    expect(treeOf(root)).toEqual(versions[number - 1])
  }
  fs.truncateSync(path.join(objects, first), 1000)
  expect(await undoIn(root, 'off', { number: 1, force: true })).toMatchObject({ success: false })
})

it('a list of the newest executions reads no other, and knows which of them are undone', async () => {
  const root = scratchDir({ 'a.txt': 'a' })
  const clada = new Clada({ repoPath: root, git: 'off' })
  for (const text of ['b', 'c', 'd']) await clada.execute(documentOf(root, [write('a.txt', text)]))
  await clada.undo()
  // Whoever read it would report it as lost.
  fs.writeFileSync(inState(root, 'history/1/journal'), 'damaged')
  expect(await clada.history({ limit: 2 })).toMatchObject([
    { number: 3, undone: true },
    { number: 4, kind: 'undo' },
  ])
  expect(await clada.history()).toMatchObject([{ number: 1 }, { number: 2 }, { number: 3 }, { number: 4 }])
})

it('the newest executions are found whatever is noted as the last one, and one that is missing is not counted', async () => {
  const root = scratchDir({ 'a.txt': 'a' })
  const clada = new Clada({ repoPath: root, git: 'off' })
  for (let at = 0; at < 6; at++) await clada.execute(documentOf(root, [write('a.txt', `${at}`)]))
  const history = inState(root, 'history')
  const newest = async (limit: number) => (await clada.history({ limit })).map(({ number }) => number)
  fs.rmSync(path.join(history, '4'), { recursive: true })
  for (const note of ['6', '5', '2', '', '0', '-1', '7', '4', '1e3', 'Infinity', '../6']) {
    fs.writeFileSync(path.join(history, 'last'), note)
    expect(await newest(2)).toEqual([5, 6])
    expect(await newest(3)).toEqual([3, 5, 6])
    expect(await newest(9)).toEqual([1, 2, 3, 5, 6])
    expect(await newest(0)).toEqual([])
  }
})

it('a link in place of the note is not written through', async (context) => {
  skipWithout(context, 'posix')
  const root = scratchDir({ 'a.txt': 'a' })
  const clada = new Clada({ repoPath: root, git: 'off' })
  await clada.execute(documentOf(root, [write('a.txt', 'A')]))
  const history = inState(root, 'history')
  const outside = path.join(scratchDir({ kept: 'kept' }), 'kept')
  fs.rmSync(path.join(history, 'last'))
  fs.symlinkSync(outside, path.join(history, 'last'))
  expect(await clada.execute(documentOf(root, [write('a.txt', 'b')]))).toMatchObject({ success: true })
  expect(fs.readFileSync(outside, 'utf8')).toBe('kept')
  expect(await clada.history({ limit: 1 })).toMatchObject([{ number: 2 }])
})
