import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { withSlashes } from '../../packages/clada/src/core/paths.ts'
import { Clada } from '../../packages/clada/src/index.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'
import { block, blocks } from './blocks.ts'
import { diskIn, leftovers, locationIn, stopOf, workspaceIn } from './disk.ts'

const argFor = (root: string, name: string) => ({ given: path.join(root, name), absolute: path.join(root, name) })

describe('somebody else changes a file between two actions of a run', () => {
  /** Reads, lets somebody else do something as soon as that is told, and goes on after a search, which takes a while. */
  async function meanwhile(root: string, change: () => void, last: string) {
    const pause = blocks(
      ['grep', { pattern: 'nothing like it', path: root }],
      ['grep', { pattern: 'nor this', path: root }],
    )
    const document = block('file_read', { path: path.join(root, 'a.txt') }) + pause + last
    let told = 0
    const { results } = await new Clada({ repoPath: root, gitCommit: false }).execute(document, {
      onAction: () => {
        told++
        if (told === 1) change()
      },
    })
    return results
  }

  it('the edit fails and their text stays', async () => {
    const root = scratchDir({ 'a.txt': 'old\n' })
    const file = path.join(root, 'a.txt')
    const results = await meanwhile(
      root,
      () => fs.writeFileSync(file, 'theirs old\n'),
      block('file_replace_text', { path: file, old_text: 'old', new_text: 'new' }),
    )
    expect(results.at(-1)).toMatchObject({
      success: false,
      error: `file_replace_text: '${withSlashes(file)}' was changed by another program in the meantime`,
      code: 'concurrent_modification',
    })
    expect(filesIn(root)).toEqual({ 'a.txt': 'theirs old\n' })
  })

  it('a whole write fails too', async () => {
    const root = scratchDir({ 'a.txt': 'old\n' })
    const file = path.join(root, 'a.txt')
    const results = await meanwhile(
      root,
      () => fs.writeFileSync(file, 'theirs\n'),
      block('file_write', { path: file, content: 'new' }),
    )
    expect(results.at(-1)).toMatchObject({ success: false, code: 'concurrent_modification' })
    expect(filesIn(root)).toEqual({ 'a.txt': 'theirs\n' })
  })

  it('a file that is gone is not made again', async () => {
    const root = scratchDir({ 'a.txt': 'old\n' })
    const file = path.join(root, 'a.txt')
    const results = await meanwhile(root, () => fs.rmSync(file), block('file_write', { path: file, content: 'new' }))
    expect(results.at(-1)).toMatchObject({ success: false, code: 'concurrent_modification' })
    expect(filesIn(root)).toEqual({})
  })

  it('it is told once; the next action works on what is there now', async () => {
    const root = scratchDir({ 'a.txt': 'old\n' })
    const file = path.join(root, 'a.txt')
    const results = await meanwhile(
      root,
      () => fs.writeFileSync(file, 'theirs\n'),
      blocks(
        ['file_read', { path: file }],
        ['file_replace_text', { path: file, old_text: 'theirs', new_text: 'ours' }],
      ),
    )
    expect(results.slice(-2)).toMatchObject([{ success: false, code: 'concurrent_modification' }, { success: true }])
    expect(filesIn(root)).toEqual({ 'a.txt': 'ours\n' })
  })

  it('the same bytes again are no change', async () => {
    const root = scratchDir({ 'a.txt': 'old\n' })
    const file = path.join(root, 'a.txt')
    const results = await meanwhile(
      root,
      () => fs.writeFileSync(file, 'old\n'),
      block('file_replace_text', { path: file, old_text: 'old', new_text: 'new' }),
    )
    expect(results.at(-1)).toMatchObject({ success: true })
    expect(filesIn(root)).toEqual({ 'a.txt': 'new\n' })
  })
})

describe('somebody else changes a file between the read and the write of one action', () => {
  for (const [how, change] of [
    ['writes into it', (file: string) => fs.writeFileSync(file, 'theirs!\n')],
    ['writes as many bytes into it', (file: string) => fs.writeFileSync(file, 'new\n')],
    ['appends to it', (file: string) => fs.appendFileSync(file, 'theirs\n')],
    [
      'puts another in its place',
      (file: string) => (fs.writeFileSync(`${file}2`, 'theirs\n'), fs.renameSync(`${file}2`, file)),
    ],
    ['takes it away', (file: string) => fs.rmSync(file)],
    ['puts a link in its place', (file: string) => (fs.rmSync(file), fs.symlinkSync('elsewhere', file))],
  ] as const) {
    it(`${how}: nothing is written`, async () => {
      const root = scratchDir({ 'a.txt': 'old\n' })
      const file = path.join(root, 'a.txt')
      const landings: Promise<unknown>[] = []
      const files = workspaceIn(root).filesFor(({ written }) => landings.push(written))
      const read = await files.read(argFor(root, 'a.txt'))
      change(file)
      const theirs = fs.lstatSync(file, { throwIfNoEntry: false })?.isFile() ? fs.readFileSync(file, 'utf8') : undefined
      await files.save(read, 'ours\n')
      expect(await stopOf(() => Promise.all(landings))).toEqual({ kind: 'changed-meanwhile', path: file })
      expect(fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : undefined).toBe(theirs)
      expect(leftovers(root)).toEqual([])
      files.close()
    })
  }

  it('a file that was not there is there: theirs stays', async () => {
    const root = scratchDir()
    const disk = diskIn(root)
    const replacement = disk.prepare(locationIn(root, 'd/a.txt'), Buffer.from('ours'), null)
    fs.writeFileSync(path.join(root, 'd/a.txt'), 'theirs')
    await replacement.write()
    expect(await stopOf(() => replacement.commit())).toEqual({
      kind: 'changed-meanwhile',
      path: path.join(root, 'd/a.txt'),
    })
    expect(filesIn(root)).toEqual({ 'd/a.txt': 'theirs' })
  })

  it('a dangling link is there now: it is not written through', async () => {
    const root = scratchDir()
    const replacement = diskIn(root).prepare(locationIn(root, 'a.txt'), Buffer.from('ours'), null)
    fs.symlinkSync('elsewhere', path.join(root, 'a.txt'))
    await replacement.write()
    expect(await stopOf(() => replacement.commit())).toMatchObject({ kind: 'changed-meanwhile' })
    expect(fs.readdirSync(root).sort()).toEqual(['a.txt'])
  })
})
