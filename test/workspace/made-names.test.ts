import fs from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { discardNames, makePlaceholders } from '../../packages/clada/src/workspace/made-names.ts'
import { needs } from '../support/needs.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'

needs('posix')

const linked = (): { root: string; outside: string } => {
  const outside = scratchDir({ 'reply.md': 'mine\n', 'dir/deep.txt': 'mine\n', 'empty.md': '' })
  const root = scratchDir({ 'a.txt': 'a\n' })
  fs.symlinkSync(outside, path.join(root, 'notes'))
  return { root, outside }
}

it.each(['notes/reply.md', 'notes/dir', 'notes/dir/deep.txt', 'notes/empty.md'])(
  'removes nothing behind a link: %s',
  (name) => {
    const { root, outside } = linked()
    const before = filesIn(outside)
    expect(discardNames(root, [path.join(root, name)], 'made')).toEqual([])
    expect(discardNames(root, [path.join(root, name)], 'placeholders')).toEqual([])
    fs.mkdirSync(path.join(outside, 'hollow'))
    discardNames(root, [path.join(root, 'notes/hollow')], 'empty directories')
    fs.rmdirSync(path.join(outside, 'hollow'))
    expect(filesIn(outside)).toEqual(before)
  },
)

it('makes nothing behind a link', () => {
  const { root, outside } = linked()
  expect(makePlaceholders(root, [path.join(root, 'notes/new.md'), path.join(root, 'missing/new.md')])).toEqual([])
  expect(fs.existsSync(path.join(outside, 'new.md'))).toBe(false)
})

it('removes a link itself, and not what it leads to', () => {
  const { root, outside } = linked()
  expect(discardNames(root, [path.join(root, 'notes')], 'made')).toEqual([path.join(root, 'notes')])
  expect(fs.existsSync(path.join(outside, 'reply.md'))).toBe(true)
  expect(fs.existsSync(path.join(root, 'notes'))).toBe(false)
})

it('makes placeholders, and removes those that are still empty', () => {
  const root = scratchDir({ 'dir/a.txt': 'a\n', 'there.md': 'x' })
  const [one, other, there] = ['dir/one.md', 'other.md', 'there.md'].map((name) => path.join(root, name))
  expect(makePlaceholders(root, [one ?? '', other ?? '', there ?? ''])).toEqual([one, other])
  fs.writeFileSync(other ?? '', 'filled')
  discardNames(root, [one ?? '', other ?? ''], 'placeholders')
  expect(filesIn(root)).toEqual({ 'dir/a.txt': 'a\n', 'other.md': 'filled', 'there.md': 'x' })
})

it('removes what a program made, with everything in it', () => {
  const root = scratchDir({ 'dir/deep/a.txt': 'a\n', 'b.txt': 'b\n' })
  discardNames(root, [path.join(root, 'dir'), path.join(root, 'none')], 'made')
  expect(filesIn(root)).toEqual({ 'b.txt': 'b\n' })
})

it('removes directories that are still empty', () => {
  const root = scratchDir({ 'full/a.txt': 'a\n', 'b.txt': 'b\n' })
  fs.mkdirSync(path.join(root, 'empty'))
  const names = ['empty', 'full', 'b.txt', 'none'].map((name) => path.join(root, name))
  discardNames(root, names, 'empty directories')
  expect(fs.readdirSync(root).toSorted()).toEqual(['b.txt', 'full'])
})
