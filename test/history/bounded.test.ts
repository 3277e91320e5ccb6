import fs from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { Clada } from '../../src/index.ts'
import { scratchDir } from '../support/scratch.ts'
import { type Call, documentOf, execute, treeOf, undoIn } from './world.ts'

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
  const sizes = numbers.map((number) => fs.statSync(path.join(root, `.clada/history/${number}/journal`)).size)
  expect(sizes.reduce((sum, one) => sum + one, 0)).toBeLessThan(400_000 + 2 * Math.max(...sizes))
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
