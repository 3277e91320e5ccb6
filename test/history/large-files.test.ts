import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { digestOfOpen } from '../../packages/clada/src/state/large-files.ts'
import { mostInMemory } from '../../packages/clada/src/core/recorder.ts'
import { scratchDir } from '../support/scratch.ts'
import { type Call, execute, redoIn, undoIn } from './world.ts'

const size = mostInMemory + 12_345

/** A file of which memory never holds the whole content; most of it takes no space on the disk. */
function makeLarge(file: string, end: string): void {
  fs.writeFileSync(file, '')
  fs.truncateSync(file, size - end.length)
  fs.appendFileSync(file, end)
}

function digestAt(file: string): string | undefined {
  if (!fs.existsSync(file)) return undefined
  const fd = fs.openSync(file, 'r')
  try {
    return digestOfOpen(fd)
  } finally {
    fs.closeSync(fd)
  }
}

const run = (command: string): Call => ['run', { command }]
const write = (name: string, content: string): Call => ['file_write', { path: name, content }]

it.each([
  ['deleted', [run('rm data.bin')]],
  ['moved', [run('mv data.bin moved.bin')]],
  ['replaced by another one', [run('mv other.bin data.bin')]],
  ['replaced by a small one', [run('mv small.txt data.bin')]],
  ['copied', [run('cp data.bin copy.bin')]],
] as const)('a file too large for memory that was %s comes back, with everything else', async (_, calls) => {
  const root = scratchDir({ 'a.txt': 'a', 'small.txt': 'small' })
  const names = ['data.bin', 'other.bin', 'moved.bin', 'copy.bin', 'small.txt', 'a.txt']
  const digests = (): (string | undefined)[] => names.map((name) => digestAt(path.join(root, name)))
  makeLarge(path.join(root, 'data.bin'), 'end')
  makeLarge(path.join(root, 'other.bin'), 'END')
  fs.chmodSync(path.join(root, 'data.bin'), 0o640)
  const before = digests()
  expect(await execute(root, 'off', [write('a.txt', 'A'), ...calls])).toMatchObject({ success: true })
  const after = digests()
  expect(after).not.toEqual(before)
  expect(await undoIn(root, 'off')).toMatchObject({ success: true, conflicts: [] })
  expect(digests()).toEqual(before)
  expect(fs.statSync(path.join(root, 'data.bin')).mode & 0o777).toBe(0o640)
  expect(await redoIn(root, 'off')).toMatchObject({ success: true, conflicts: [] })
  expect(digests()).toEqual(after)
})

it('a large file that was changed since is not overwritten by an undo', async () => {
  const root = scratchDir({ 'a.txt': 'a' })
  makeLarge(path.join(root, 'data.bin'), 'end')
  await execute(root, 'off', [write('a.txt', 'A'), run('cp data.bin copy.bin')])
  fs.appendFileSync(path.join(root, 'copy.bin'), 'mine')
  expect(await undoIn(root, 'off')).toMatchObject({ success: false, conflicts: [{ path: 'copy.bin' }] })
  expect(fs.statSync(path.join(root, 'copy.bin')).size).toBe(size + 4)
})

describe('a file with holes that says it has a terabyte', () => {
  it.each<Call>([
    ['file_delete', { path: 'data.bin' }],
    ['file_move', { old_path: 'data.bin', new_path: 'moved.bin' }],
    ['file_copy', { old_path: 'data.bin', new_path: 'copy.bin' }],
    ['file_copy', { old_path: 'a.txt', new_path: 'data.bin' }],
    run('rm data.bin'),
    run('mv data.bin moved.bin'),
    run('cp data.bin copy.bin'),
    run('cp a.txt data.bin'),
  ])('holds %s %j up no longer than the limit of an action, and stays as it was', async (action, params) => {
    const root = scratchDir({ 'a.txt': 'a' })
    fs.writeFileSync(path.join(root, 'data.bin'), '')
    fs.truncateSync(path.join(root, 'data.bin'), 2 ** 40)
    const { results } = await execute(root, 'off', [[action, params]], { limits: { actionMs: 200 } })
    expect(results.map(({ code }) => code)).toEqual(['exec_timeout'])
    expect(fs.readdirSync(root).sort()).toEqual(['a.txt', 'data.bin'])
    expect(fs.statSync(path.join(root, 'data.bin')).size).toBe(2 ** 40)
  })
})
