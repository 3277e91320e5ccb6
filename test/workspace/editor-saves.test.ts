import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ProblemError } from '../../packages/clada/src/core/problem.ts'
import { DiskBase } from '../../packages/clada/src/workspace/disk-file.ts'
import { nativeCalls } from '../../packages/clada/src/workspace/native.ts'
import { beginReplacement } from '../../packages/clada/src/workspace/replacement.ts'
import { Scratch } from '../../packages/clada/src/workspace/scratch.ts'
import { Walk } from '../../packages/clada/src/workspace/walk.ts'
import { filesIn, scratchDir, inState } from '../support/scratch.ts'
import { diskIn, locationIn } from './disk.ts'

const able = nativeCalls() !== undefined

/** A replacement of a file, with somebody who does something in the last moment, between the look and the rename. */
async function replacing(content: string, lastMoment: (file: string) => void, native = nativeCalls()) {
  const root = scratchDir({ 'a.txt': content })
  const file = path.join(root, 'a.txt')
  const at = { root, parts: ['a.txt'], absolute: file, given: file }
  class Watched extends DiskBase {
    override isAt(safePath: string): boolean {
      const is = super.isAt(safePath)
      lastMoment(file)
      lastMoment = () => {}
      return is
    }
  }
  const scratch = new Scratch(root)
  const walk = new Walk()
  onTestFinished(() => walk.close())
  const dir = walk.parentOf(at, { missing: 'fail', op: 'open' })
  const fd = fs.openSync(file, 'r')
  const replacement = beginReplacement({
    at,
    dir,
    base: new Watched(fd, fs.fstatSync(fd), Buffer.from(content)),
    op: 'open',
    fill: (to) => fs.writeSync(to, 'new'),
    scratch,
    recorder: undefined,
    native,
  })
  await replacement.write()
  return { root, replacement, dir, scratch }
}

describe.skipIf(!able)('a file that is saved in the last moment before it is replaced', () => {
  it('by another file stays', async () => {
    const { root, replacement } = await replacing('old', (file) => saveByRename(file, 'typed'))
    await expect(replacement.commit()).rejects.toThrow(ProblemError)
    expect(filesIn(root)).toEqual({ 'a.txt': 'typed' })
  })

  it('by another file, and once more while the first gets its name back, stays as the last one', async () => {
    const native = nativeCalls()
    if (native === undefined) return
    let swaps = 0
    const swapSync = (one: string, other: string): void => {
      if (++swaps === 2) saveByRename(other, 'typed last')
      native.swapSync(one, other)
    }
    const { root, replacement } = await replacing('old', (file) => saveByRename(file, 'typed first'), {
      ...native,
      swapSync,
    })
    await expect(replacement.commit()).rejects.toThrow(ProblemError)
    expect(filesIn(root)).toEqual({ 'a.txt': 'typed last' })
    expect(conflictsIn(root)).toEqual(['typed first'])
  })

  it('by emptying it to write into it stays too, with what is written later', async () => {
    let editor = -1
    const { root, replacement } = await replacing('old', (file) => (editor = fs.openSync(file, 'w')))
    await expect(replacement.commit()).rejects.toThrow(ProblemError)
    fs.writeSync(editor, 'typed')
    fs.closeSync(editor)
    expect(filesIn(root)).toEqual({ 'a.txt': 'typed' })
  })

  it('by writing into it and closing it at once stays as well', async () => {
    const { root, replacement } = await replacing('old', (file) => fs.writeFileSync(file, 'typed'))
    await expect(replacement.commit()).rejects.toThrow(ProblemError)
    expect(filesIn(root)).toEqual({ 'a.txt': 'typed' })
  })
})

describe('a file that another program has open for writing while it is replaced', () => {
  it.each([
    ['by a swap', nativeCalls()],
    ['by a rename', undefined],
  ])('is kept %s, with what is written into it later, and that is said', async (_, native) => {
    let editor = -1
    const { root, replacement, dir, scratch } = await replacing(
      'old',
      (file) => (editor = fs.openSync(file, 'a')),
      native,
    )
    expect(await replacement.commit()).toEqual({})
    fs.writeSync(editor, ' typed')
    fs.closeSync(editor)
    scratch.reviewOwnDisplaced()
    expect([filesIn(root), conflictsIn(root)]).toEqual([{ 'a.txt': 'new' }, ['old typed']])
    expect(scratch.notes).toEqual([
      expect.stringMatching(/^another program saved a\.txt while clada was replacing it; that version is kept in /),
    ])
    // To discard what was committed does nothing: the directory is still held for the next file in it.
    replacement.discard()
    expect(fs.existsSync(dir.at('a.txt'))).toBe(true)
  })
})

function saveByRename(file: string, text: string): void {
  fs.writeFileSync(`${file}~`, text)
  fs.renameSync(`${file}~`, file)
}

const conflictsIn = (root: string): string[] => {
  const dir = inState(root, 'conflicts')
  return fs.readdirSync(dir).map((name) => fs.readFileSync(path.join(dir, name), 'utf8'))
}

it('of files that are replaced at the same time, only those fail that another program has saved', async () => {
  const root = scratchDir({ 'a.txt': 'old', 'b.txt': 'old', 'c.txt': 'old' })
  const disk = diskIn(root)
  const replacements = ['a.txt', 'b.txt', 'c.txt'].map((name) => {
    const at = locationIn(root, name)
    return disk.prepare(at, Buffer.from('new'), disk.read(at, 100))
  })
  await Promise.all(replacements.map((one) => one.write()))
  fs.writeFileSync(path.join(root, 'b.txt'), 'typed')
  const ends = await Promise.allSettled(replacements.map((one) => one.commit()))
  expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(filesIn(root)).toMatchObject({ 'a.txt': 'new', 'b.txt': 'typed', 'c.txt': 'new' })
})
