import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Stop } from '../../src/core/problem.ts'
import { DiskBase } from '../../src/workspace/disk-base.ts'
import { beginReplacement, exchange } from '../../src/workspace/replacement.ts'
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

/** A replacement of a file, with somebody who does something in the last moment, between the look and the rename. */
async function replacing(content: string, lastMoment: (file: string) => boolean) {
  const root = scratchDir({ 'a.txt': content })
  const file = path.join(root, 'a.txt')
  const at = { root, parts: ['a.txt'], absolute: file, given: file }
  class Watched extends Scratch {
    override isContended(): boolean {
      return lastMoment(file)
    }
  }
  const scratch = new Watched(root)
  const walk = new Walk()
  onTestFinished(() => walk.close())
  const fd = fs.openSync(file, 'r')
  const replacement = beginReplacement({
    at,
    dir: walk.parentOf(at, { missing: 'fail', op: 'open' }),
    base: new DiskBase(fd, fs.fstatSync(fd), Buffer.from(content)),
    op: 'open',
    fill: (to) => fs.writeSync(to, 'new'),
    scratch,
    recorder: undefined,
  })
  await replacement.write()
  return { root, scratch, replacement }
}

describe('a file that is saved in the last moment before it is replaced', () => {
  it.skipIf(!able)('by another file stays, where that is known to happen', async () => {
    const { root, replacement } = await replacing('old', (file) => {
      fs.writeFileSync(`${file}~`, 'typed')
      fs.renameSync(`${file}~`, file)
      return true
    })
    expect(() => replacement.commit()).toThrow(Stop)
    expect(filesIn(root)).toEqual({ 'a.txt': 'typed' })
    expect(fs.existsSync(path.join(root, '.clada/contended'))).toBe(true)
  })

  it.skipIf(!able)('by writing into it stays too, with what is written later', async () => {
    let editor = -1
    const { root, replacement } = await replacing('old', (file) => {
      editor = fs.openSync(file, 'w')
      return true
    })
    expect(() => replacement.commit()).toThrow(Stop)
    fs.writeSync(editor, 'typed')
    fs.closeSync(editor)
    expect(filesIn(root)).toEqual({ 'a.txt': 'typed' })
  })

  it('by writing into it is saved apart as a whole, where nobody expected it', async () => {
    let editor = -1
    const { root, replacement, scratch } = await replacing('old', (file) => {
      editor = fs.openSync(file, 'w')
      return false
    })
    const { displaced = '' } = replacement.commit()
    fs.writeSync(editor, 'typed')
    fs.closeSync(editor)
    await scratch.finish()
    expect(filesIn(root)).toEqual({ 'a.txt': 'new' })
    expect(fs.readFileSync(displaced, 'utf8')).toBe('typed')
  })
})
