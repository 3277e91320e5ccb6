import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { platform } from '../../packages/clada/src/core/platform.ts'
import type { DiskBase } from '../../packages/clada/src/workspace/disk-file.ts'
import { Scratch } from '../../packages/clada/src/workspace/scratch.ts'
import { filesIn, scratchDir, inState } from '../support/scratch.ts'
import { diskIn, locationIn, openBelow, stopOf } from './disk.ts'

/** Without the package that swaps names. */
const without = (root: string, scratch = new Scratch(root)) => diskIn(root, scratch, () => undefined)

describe('somebody writes in the very moment of the replacement, where names cannot be exchanged', () => {
  /** Does what nobody can prevent: writes between the last look and the taking of the name. */
  async function displaced(root: string, name: string, late: (file: string) => void, scratch?: Scratch) {
    const disk = without(root, scratch)
    const at = locationIn(root, name)
    const base = disk.read(at, 1000)
    const isAt = base.isAt.bind(base)
    Object.assign(base, {
      isAt: (safePath: string) => {
        const same = isAt(safePath)
        late(at.absolute)
        return same
      },
    } satisfies Partial<DiskBase>)
    const replacement = disk.prepare(at, Buffer.from('ours\n'), base)
    await replacement.write()
    return replacement.commit()
  }

  it('their text is saved, and where is told', async () => {
    const root = scratchDir({ 'src/a.txt': 'old\n' })
    const note = await displaced(root, 'src/a.txt', (file) => fs.writeFileSync(file, 'theirs\n'))
    expect(fs.readFileSync(path.join(root, 'src/a.txt'), 'utf8')).toBe('ours\n')
    expect(path.dirname(note.displaced ?? '')).toBe(inState(root, 'conflicts'))
    expect(path.basename(note.displaced ?? '')).toMatch(/-a\.txt$/)
    expect(fs.readFileSync(note.displaced ?? '', 'utf8')).toBe('theirs\n')
  })

  it('also when they made it longer than a buffer', async () => {
    const root = scratchDir({ 'a.txt': 'old\n' })
    const theirs = 'x'.repeat(200_000)
    const note = await displaced(root, 'a.txt', (file) => fs.appendFileSync(file, theirs))
    expect(fs.readFileSync(note.displaced ?? '', 'utf8')).toBe(`old\n${theirs}`)
  })

  it('what they write before the last look stays, also as many bytes', async () => {
    const root = scratchDir({ 'a.txt': 'old\n' })
    const disk = without(root)
    const at = locationIn(root, 'a.txt')
    const replacement = disk.prepare(at, Buffer.from('ours\n'), disk.read(at, 1000))
    await replacement.write()
    fs.writeFileSync(at.absolute, 'new\n')
    fs.utimesSync(at.absolute, 1, 1)
    expect(await stopOf(() => replacement.commit())).toEqual({ kind: 'changed-meanwhile', path: at.absolute })
    expect(filesIn(root)).toEqual({ 'a.txt': 'new\n' })
  })

  it('where a file cannot have two names, their text is saved as it is at the end, and then nothing is held', async () => {
    const root = scratchDir({ 'a.txt': 'old\n' })
    let editor = -1
    const link = vi.spyOn(fs, 'linkSync').mockImplementation(() => {
      throw Object.assign(new Error('no links here'), { code: 'EPERM' })
    })
    onTestFinished(() => link.mockRestore())
    const scratch = new Scratch(root)
    const { displaced: saved = '' } = await displaced(
      root,
      'a.txt',
      (file) => fs.writeSync((editor = fs.openSync(file, 'a')), 'theirs'),
      scratch,
    )
    fs.writeSync(editor, ' and more\n')
    fs.closeSync(editor)
    await scratch.finish()
    expect([filesIn(root), fs.readFileSync(saved, 'utf8')]).toEqual([{ 'a.txt': 'ours\n' }, 'old\ntheirs and more\n'])
    expect(openBelow(path.join(root, 'a.txt'))).toEqual([])
  })

  it('nothing is saved when nobody did', async () => {
    const root = scratchDir({ 'a.txt': 'old\n' })
    expect(await displaced(root, 'a.txt', () => {})).toEqual({})
    expect(fs.existsSync(inState(root, 'conflicts'))).toBe(false)
  })

  it('two of the same name are both saved', async () => {
    const root = scratchDir({ 'a/x.txt': 'old\n', 'b/x.txt': 'old\n' })
    const first = await displaced(root, 'a/x.txt', (file) => fs.writeFileSync(file, 'first'))
    const second = await displaced(root, 'b/x.txt', (file) => fs.writeFileSync(file, 'second'))
    expect(fs.readFileSync(first.displaced ?? '', 'utf8')).toBe('first')
    expect(fs.readFileSync(second.displaced ?? '', 'utf8')).toBe('second')
  })

  it.skipIf(!platform.replacesOpenFiles)('what is written later is found by the next run', async () => {
    const root = scratchDir({ 'a.txt': 'old\n' })
    const editor = fs.openSync(path.join(root, 'a.txt'), 'a')
    expect(await displaced(root, 'a.txt', () => {})).toEqual({})
    fs.writeSync(editor, 'later\n')
    fs.closeSync(editor)
    vi.useFakeTimers({ now: Date.now() + 1000, toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const scratch = new Scratch(root)
    scratch.sweep()
    const [, saved = ''] =
      /^another program saved a\.txt while clada was replacing it; that version is kept in (.*)$/.exec(
        scratch.notes[0] ?? '',
      ) ?? []
    expect(fs.readFileSync(saved, 'utf8')).toBe('old\nlater\n')
  })

  it('a replaced file that nobody wrote to is forgotten', async () => {
    const root = scratchDir({ 'a.txt': 'old\n' })
    expect(await displaced(root, 'a.txt', () => {})).toEqual({})
    const kept = inState(root, 'displaced')
    expect(fs.readdirSync(kept)).toHaveLength(1)
    vi.useFakeTimers({ now: Date.now() + 10_000, toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const scratch = new Scratch(root)
    scratch.sweep()
    expect([fs.readdirSync(kept), scratch.notes]).toEqual([[], []])
  })
})
