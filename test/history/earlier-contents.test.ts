import fs from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { readPackPlaces, readPackedContent } from '../../packages/clada/src/store/content-pack.ts'
import { inState, scratchDir } from '../support/scratch.ts'
import { asKilled, type Call, execute, redoIn, treeOf, undoIn } from './world.ts'

const calls: readonly Call[] = [
  ['file_replace_text', { path: 'a.txt', old_text: 'two', new_text: 'TWO' }],
  ['file_write', { path: 'large.txt', content: 'small' }],
  ['file_delete', { path: 'c.txt' }],
]
const files = { 'a.txt': 'one\ntwo\n\n\n\nlast\n', 'large.txt': 'large line\n'.repeat(40_000), 'c.txt': 'gone\n' }

/** As earlier versions kept contents: each in a file of its own. */
function unpack(root: string): void {
  const dir = inState(root, 'objects')
  for (const name of fs.readdirSync(dir).filter((one) => one.endsWith('.pack'))) {
    const fd = fs.openSync(path.join(dir, name), 'r')
    for (const [digest, place] of readPackPlaces(fd).places)
      fs.writeFileSync(path.join(dir, digest), readPackedContent(fd, place))
    fs.closeSync(fd)
    fs.rmSync(path.join(dir, name))
  }
}

it('what an earlier version has changed is undone, redone and merged', async () => {
  const root = scratchDir(files)
  const before = treeOf(root)
  expect(await execute(root, 'off', calls)).toMatchObject({ success: true })
  const after = treeOf(root)
  unpack(root)
  expect(await undoIn(root, 'off')).toMatchObject({ success: true })
  expect(treeOf(root)).toEqual(before)
  expect(await redoIn(root, 'off')).toMatchObject({ success: true })
  expect(treeOf(root)).toEqual(after)
  expect(await execute(root, 'off', [['file_append', { path: 'a.txt', content: 'three\n' }]])).toMatchObject({
    success: true,
  })
  expect(await undoIn(root, 'off', { number: 1, force: true })).toMatchObject({ success: true })
  expect(treeOf(root)).toEqual({ ...before, 'a.txt': '644 one\ntwo\n\n\n\nlast\nthree\n' })
})

it('an execution of an earlier version that died is recovered', async () => {
  const root = scratchDir(files)
  const before = treeOf(root)
  await execute(root, 'off', calls)
  unpack(root)
  asKilled(root)
  const next = await execute(root, 'off', [['file_write', { path: 'd.txt', content: 'd' }]])
  expect(next.warnings?.join()).toContain('execution 1 was interrupted')
  expect(await undoIn(root, 'off')).toMatchObject({ success: true, execution: 2 })
  expect(await undoIn(root, 'off')).toMatchObject({ success: true, execution: 1 })
  expect(treeOf(root)).toEqual(before)
})
