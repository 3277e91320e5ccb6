import fs from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { Clada } from '../../packages/clada/src/index.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'

const reply = 'a.txt\n```\n<<<<<<< SEARCH\ntyped\n=======\nreplaced\n>>>>>>> REPLACE\n```\n'

it('places edits in the texts that an editor has not saved, and changes nothing on the disk', async () => {
  const root = scratchDir({ 'a.txt': 'old\n' })
  const clada = new Clada({ repoPath: root, gitCommit: false })
  const review = await clada.review(reply, {}, { unsaved: { 'a.txt': 'typed\nmore\n' } })
  expect(review.blocks[0]?.files).toMatchObject([{ before: 'typed\nmore\n', after: 'replaced\nmore\n' }])
  expect(filesIn(root)).toEqual({ 'a.txt': 'old\n' })
})

it('applies what was reviewed once the editor has saved it, and refuses while it has not', async () => {
  const root = scratchDir({ 'a.txt': '\ufeffold\n' })
  const clada = new Clada({ repoPath: root, gitCommit: false })
  const { blocks } = await clada.review(reply, {}, { unsaved: { 'a.txt': 'typed\n' } })
  const choices = { blocks: { '1': { shown: blocks[0]?.shown ?? '' } } }
  const early = await clada.execute(reply, { review: choices })
  expect(early).toMatchObject({ success: false })
  expect(filesIn(root)).toEqual({ 'a.txt': '\ufeffold\n' })
  fs.writeFileSync(path.join(root, 'a.txt'), '\ufefftyped\n')
  expect(await clada.execute(reply, { review: choices })).toMatchObject({ success: true })
  expect(filesIn(root)).toMatchObject({ 'a.txt': '\ufeffreplaced\n' })
})

it('takes no unsaved text for a blocked file, nor for one that is new or not UTF-8', async () => {
  const root = scratchDir({ '.env': 'old\n', 'latin.txt': '' })
  fs.writeFileSync(path.join(root, 'latin.txt'), Buffer.from([0xe9, 10]))
  const clada = new Clada({ repoPath: root, gitCommit: false })
  const unsaved = { '.env': 'typed\n', 'new.txt': 'typed\n', 'latin.txt': 'typed\n', '../out.txt': 'typed\n' }
  const edits = Object.keys(unsaved).map((name) => reply.replace('a.txt', name))
  const { blocks } = await clada.review(edits.join('\n'), {}, { unsaved })
  expect(blocks.flatMap(({ files }) => files)).toEqual([])
})
