import fs from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { digestOf } from '../../packages/clada/src/core/digest.ts'
import { ProblemError } from '../../packages/clada/src/core/problem.ts'
import type { Recorder } from '../../packages/clada/src/core/recorder.ts'
import { makePathJudge, undoPolicyOf } from '../../packages/clada/src/policy/paths.ts'
import { openWorkspace, type WantedState } from '../../packages/clada/src/workspace/open.ts'
import { treeOf } from '../history/world.ts'
import { scratchDir } from '../support/scratch.ts'
import { settingsFor } from '../support/settings.ts'
import { leftovers, openBelow, stopOf } from './disk.ts'

/** Lets everything through but changes of one file, for which there is no room. */
const noRoomFor = (name: string): Recorder => ({
  acting: 0,
  ofProgram: false,
  queue: async () => {},
  begin: async () => {},
  enter: async () => {},
  prepare: async () => {},
  beginChange: (changes) => {
    if (changes.some(({ absolute }) => absolute.endsWith(name)))
      throw new ProblemError({ kind: 'os', code: 'ENOSPC', op: 'write', path: name })
    return () => {}
  },
  passed: () => {},
  reverted: () => {},
  beforeProgram: async () => {},
  beforeGit: async () => {},
  afterGit: async () => {},
  changedByProgram: async () => new Map(),
  namesOf: () => 0,
  noting: () => () => [],
})

async function restore(root: string, wanted: readonly WantedState[], recorder?: Recorder) {
  const settings = settingsFor(root)
  const workspace = openWorkspace(settings, makePathJudge(undoPolicyOf(settings)), 'disk', recorder)
  try {
    return await stopOf(() => workspace.restore(wanted))
  } finally {
    await workspace.close()
    expect(openBelow(root)).toEqual([])
  }
}

const file = (content: string, mode = 0o644) => ({ type: 'file', mode, bytes: Buffer.from(content) }) as const

it('that fails half way leaves everything as it was, also where a directory was to take the place of a file', async () => {
  const root = scratchDir({ d: 'a file', 'e/f/g.txt': 'g', 'z.txt': 'z' })
  fs.symlinkSync('z.txt', path.join(root, 'link'))
  fs.mkdirSync(path.join(root, 'empty'), { mode: 0o750 })
  const before = treeOf(root)
  const at = (name: string): string => path.join(root, name)
  const wanted: WantedState[] = [
    { absolute: at('d'), to: { type: 'directory', mode: 0o755 } },
    { absolute: at('d/new.txt'), to: file('new') },
    { absolute: at('e/f/g.txt'), to: { type: 'absent' } },
    { absolute: at('e/f'), to: file('a file now') },
    { absolute: at('link'), to: { type: 'directory', mode: 0o755 } },
    { absolute: at('link/inside.txt'), to: file('x') },
    { absolute: at('empty'), to: { type: 'absent' } },
    { absolute: at('z.txt'), to: file('Z') },
  ]
  expect(await restore(root, wanted, noRoomFor('z.txt'))).toMatchObject({ kind: 'os', code: 'ENOSPC' })
  expect(treeOf(root)).toEqual(before)
  expect(leftovers(root)).toEqual([])
})

it('does not remove a file that somebody has written to meanwhile', async () => {
  const root = scratchDir({ 'a.txt': 'a', 'new.txt': 'theirs' })
  const before = treeOf(root)
  const wanted: WantedState[] = [
    { absolute: path.join(root, 'a.txt'), to: file('A'), expect: digestOf('a') },
    { absolute: path.join(root, 'new.txt'), to: { type: 'absent' }, expect: digestOf('ours') },
  ]
  expect(await restore(root, wanted)).toMatchObject({ kind: 'changed-meanwhile' })
  expect(treeOf(root)).toEqual(before)
})

it('goes over a file that nobody may write only where it was left so', async () => {
  const root = scratchDir({ 'a.txt': 'a', 'b.txt': 'b' })
  for (const name of ['a.txt', 'b.txt']) fs.chmodSync(path.join(root, name), 0o444)
  const wanted: WantedState[] = [
    { absolute: path.join(root, 'a.txt'), to: file('A') },
    { absolute: path.join(root, 'b.txt'), to: { type: 'absent' } },
  ]
  for (const one of wanted) expect(await restore(root, [one])).toMatchObject({ kind: 'os', code: 'EACCES' })
  expect(
    await restore(
      root,
      wanted.map((one) => ({ ...one, readOnly: 'left so' })),
    ),
  ).toBeUndefined()
  expect(treeOf(root)).toEqual({ 'a.txt': '444 A' })
})

it.skipIf(process.platform === 'win32')('gives a directory that is still there its mode back', async () => {
  const root = scratchDir({ 'd/a.txt': 'a' })
  fs.chmodSync(path.join(root, 'd'), 0o777)
  expect(
    await restore(root, [{ absolute: path.join(root, 'd'), to: { type: 'directory', mode: 0o750 } }]),
  ).toBeUndefined()
  expect(fs.statSync(path.join(root, 'd')).mode & 0o7777).toBe(0o750)
})

it('gives a directory of unknown mode the usual one', async () => {
  const root = scratchDir()
  const usual = path.join(root, 'usual')
  fs.mkdirSync(usual)
  expect(await restore(root, [{ absolute: path.join(root, 'new'), to: { type: 'directory' } }])).toBeUndefined()
  expect(treeOf(root)['new/']).toBe(treeOf(root)['usual/'])
})
