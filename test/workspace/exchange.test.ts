import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { Stop } from '../../packages/clada/src/core/problem.ts'
import { DiskBase } from '../../packages/clada/src/workspace/disk-file.ts'
import { beginExchanges, exchange, startExchanging } from '../../packages/clada/src/workspace/exchange.ts'
import { beginReplacement, NameTaker } from '../../packages/clada/src/workspace/replacement.ts'
import { Scratch } from '../../packages/clada/src/workspace/scratch.ts'
import { Walk } from '../../packages/clada/src/workspace/walk.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'
import { diskIn, locationIn } from './disk.ts'

const able = process.platform === 'linux' && fs.existsSync('/usr/bin/perl')

describe.skipIf(!able)('two names change places', () => {
  const files = { new: 'new', old: 'old' }
  const begun = async (more = {}) => {
    const root = scratchDir({ ...files, ...more })
    await startExchanging()
    return { root, one: path.join(root, 'new'), other: path.join(root, 'old') }
  }

  it('when the second is the file that was expected', async () => {
    const { root, one, other } = await begun()
    expect(exchange(one, other, fs.lstatSync(other), 'unless open')).toBe('taken')
    expect(filesIn(root)).toEqual({ new: 'old', old: 'new' })
  })

  it('and back again when it is another', async () => {
    const { root, one, other } = await begun({ third: '' })
    expect(exchange(one, other, fs.lstatSync(path.join(root, 'third')), 'unless open')).toBe('changed')
    expect(filesIn(root)).toEqual({ ...files, third: '' })
  })

  it('not at all when one is missing', async () => {
    const { root, one } = await begun()
    expect(exchange(one, path.join(root, 'none'), fs.lstatSync(one), 'unless open')).toBe('unable')
    expect(filesIn(root)).toEqual(files)
  })

  it('several pairs at once, each as if it were alone', async () => {
    const { root, one, other } = await begun({ third: '3', fourth: '4', 'fi\nfth': '5' })
    const [third, fourth, odd] = ['third', 'fourth', 'fi\nfth'].map((name) => path.join(root, name))
    const request = (from = '', to = '', expected = to) => ({
      one: from,
      other: to,
      expected: fs.lstatSync(expected),
      when: 'unless open' as const,
    })
    const requests = [request(one, other), request(third, fourth, third), request(odd, third), request(fourth, third)]
    expect(beginExchanges(requests)()).toEqual(['taken', 'changed', 'unable', 'taken'])
    expect(filesIn(root)).toEqual({ new: 'old', old: 'new', third: '4', fourth: '3', 'fi\nfth': '5' })
  })

  it('while other work is done, also another exchange: the answers wait', async () => {
    const { root, one, other } = await begun({ third: '3', fourth: '4' })
    const [third, fourth] = ['third', 'fourth'].map((name) => path.join(root, name))
    const wrong = { one: fourth ?? '', other: third ?? '', expected: fs.lstatSync(one), when: 'unless open' } as const
    const answers = beginExchanges([{ one, other, expected: fs.lstatSync(other), when: 'unless open' }, wrong])
    expect(exchange(third ?? '', fourth ?? '', fs.lstatSync(fourth ?? ''), 'unless open')).toBe('taken')
    expect(answers()).toEqual(['taken', 'changed'])
    expect(filesIn(root)).toEqual({ new: 'old', old: 'new', third: '4', fourth: '3' })
  })

  it('not while somebody has the second open for writing, unless that is wanted', async () => {
    const { root, one, other } = await begun()
    const editor = fs.openSync(other, 'a')
    expect(exchange(one, other, fs.lstatSync(other), 'unless open')).toBe('open')
    expect(filesIn(root)).toEqual(files)
    expect(exchange(one, other, fs.lstatSync(other), 'also open')).toBe('open')
    expect(filesIn(root)).toEqual({ new: 'old', old: 'new' })
    fs.closeSync(editor)
  })
})

/** A replacement of a file, with somebody who does something in the last moment, between the look and the rename. */
async function replacing(content: string, lastMoment: (file: string) => void) {
  const root = scratchDir({ 'a.txt': content })
  const file = path.join(root, 'a.txt')
  const at = { root, parts: ['a.txt'], absolute: file, given: file }
  class Watched extends DiskBase {
    override isAt(safePath: string): boolean {
      const is = super.isAt(safePath)
      lastMoment(file)
      lastMoment = () => {}
      looked()
      return is
    }
  }
  let looked = (): void => {}
  const atWork = new Promise<void>((done) => (looked = done))
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
    scratch: new Scratch(root),
    names: new NameTaker(undefined),
  })
  await replacement.write()
  return { root, replacement, dir, atWork }
}

describe.skipIf(!able)('a file that is saved in the last moment before it is replaced', () => {
  it('by another file stays', async () => {
    const { root, replacement } = await replacing('old', (file) => {
      fs.writeFileSync(`${file}~`, 'typed')
      fs.renameSync(`${file}~`, file)
    })
    await expect(replacement.commit()).rejects.toThrow(Stop)
    expect(filesIn(root)).toEqual({ 'a.txt': 'typed' })
  })

  it('by writing into it stays too, with what is written later', async () => {
    let editor = -1
    const { root, replacement, atWork } = await replacing('old', (file) => (editor = fs.openSync(file, 'w')))
    const committed = replacement.commit()
    await atWork
    fs.writeSync(editor, 'typed')
    fs.closeSync(editor)
    await expect(committed).rejects.toThrow(Stop)
    expect(filesIn(root)).toEqual({ 'a.txt': 'typed' })
  })

  it('by writing into it and closing it at once stays as well', async () => {
    const { root, replacement } = await replacing('old', (file) => fs.writeFileSync(file, 'typed'))
    await expect(replacement.commit()).rejects.toThrow(Stop)
    expect(filesIn(root)).toEqual({ 'a.txt': 'typed' })
  })

  it('and is only open for writing: it is replaced once it is closed', async () => {
    let editor = -1
    const { root, replacement, dir, atWork } = await replacing('old', (file) => (editor = fs.openSync(file, 'a')))
    const committed = replacement.commit()
    await atWork
    fs.closeSync(editor)
    expect(await committed).toEqual({})
    expect(filesIn(root)).toEqual({ 'a.txt': 'new' })
    // Nobody can write into the old file any more, so nothing is kept for the next run.
    expect(fs.existsSync(path.join(root, '.clada/displaced'))).toBe(false)
    // To discard what was committed does nothing: the directory is still held for the next file in it.
    replacement.discard()
    expect(fs.existsSync(dir.at('a.txt'))).toBe(true)
  })

  it('and stays open for writing: it is replaced in the end, and what is written into it is saved', async () => {
    let editor = -1
    const { root, replacement } = await replacing('old', (file) => (editor = fs.openSync(file, 'a')))
    const clock = vi.spyOn(process, 'uptime').mockReturnValueOnce(0).mockReturnValue(60)
    onTestFinished(() => clock.mockRestore())
    const { displaced = '' } = await replacement.commit()
    fs.writeSync(editor, ' typed')
    fs.closeSync(editor)
    expect(path.dirname(displaced)).toBe(path.join(root, '.clada/conflicts'))
    expect([filesIn(root), fs.readFileSync(displaced, 'utf8')]).toEqual([{ 'a.txt': 'new' }, 'old typed'])
  })
})

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
