import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { Stop } from '../../src/core/problem.ts'
import { DiskBase } from '../../src/workspace/disk-base.ts'
import { exchange } from '../../src/workspace/exchange.ts'
import { beginReplacement } from '../../src/workspace/replacement.ts'
import { Scratch } from '../../src/workspace/scratch.ts'
import { Walk } from '../../src/workspace/walk.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'

const able = process.platform === 'linux' && fs.existsSync('/usr/bin/perl')

describe.skipIf(!able)('two names change places', () => {
  const files = { new: 'new', old: 'old' }

  it('when the second is the file that was expected', () => {
    const root = scratchDir(files)
    const [one, other] = [path.join(root, 'new'), path.join(root, 'old')]
    expect(exchange(one, other, fs.lstatSync(other))).toBe('taken')
    expect(filesIn(root)).toEqual({ new: 'old', old: 'new' })
  })

  it('and back again when it is another', () => {
    const root = scratchDir({ ...files, third: '' })
    const [one, other] = [path.join(root, 'new'), path.join(root, 'old')]
    expect(exchange(one, other, fs.lstatSync(path.join(root, 'third')))).toBe('changed')
    expect(filesIn(root)).toEqual({ ...files, third: '' })
  })

  it('not at all when one is missing', () => {
    const root = scratchDir(files)
    const one = path.join(root, 'new')
    expect(exchange(one, path.join(root, 'none'), fs.lstatSync(one))).toBe('unable')
    expect(filesIn(root)).toEqual(files)
  })
})

/** Somebody who saves the file in the last moment: between the look and the rename. */
class LateSaver extends Scratch {
  override isContended(): boolean {
    fs.writeFileSync(path.join(this.root, 'a.txt~'), 'typed')
    fs.renameSync(path.join(this.root, 'a.txt~'), path.join(this.root, 'a.txt'))
    return true
  }
}

it.skipIf(!able)('a file that is saved in the last moment before it is replaced is not lost', async () => {
  const root = scratchDir({ 'a.txt': 'old' })
  const file = path.join(root, 'a.txt')
  const at = { root, parts: ['a.txt'], absolute: file, given: file }
  const walk = new Walk()
  const fd = fs.openSync(file, 'r')
  const base = new DiskBase(fd, fs.fstatSync(fd), Buffer.from('old'))
  const replacement = beginReplacement({
    at,
    dir: walk.parentOf(at, { missing: 'fail', op: 'open' }),
    base,
    op: 'open',
    fill: (to) => fs.writeSync(to, 'new'),
    scratch: new LateSaver(root),
    recorder: undefined,
  })
  await replacement.write()
  expect(() => replacement.commit()).toThrow(Stop)
  walk.close()
  expect(filesIn(root)).toEqual({ 'a.txt': 'typed' })
  expect(fs.existsSync(path.join(root, '.clada/contended'))).toBe(true)
})
