import fs from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { Clada } from '../../packages/clada/src/index.ts'
import { lineOrigins } from '../../packages/clada/src/ui/line-origins.ts'
import { scratchDir } from '../support/scratch.ts'

it('says which execution wrote each line, and nothing about lines of others', async () => {
  const root = scratchDir({ 'a.txt': 'one\ntwo\nthree\n' })
  const options = { repoPath: root, gitCommit: false }
  const clada = new Clada(options)
  const replace = (old_text: string, new_text: string) =>
    clada.perform('file_replace_text', { path: 'a.txt', old_text, new_text })
  await replace('two', 'second')
  fs.writeFileSync(path.join(root, 'a.txt'), 'typed\none\nsecond\nthree\n')
  await replace('three', 'third\nlast')
  const text = 'typed\none\nsecond\nunsaved\nthird\nlast\n'
  const origins = await lineOrigins({ clada, root, options, rules: [] }, 'a.txt', text)
  expect(origins.map((origin) => origin?.number)).toEqual([undefined, undefined, 1, undefined, 2, 2])
})

it('says that an undo brought a line back', async () => {
  const root = scratchDir({ 'a.txt': 'one\n' })
  const options = { repoPath: root, gitCommit: false }
  const clada = new Clada(options)
  await clada.perform('file_replace_text', { path: 'a.txt', old_text: 'one', new_text: 'first' })
  await clada.perform('file_replace_text', { path: 'a.txt', old_text: 'first', new_text: 'other' })
  await clada.undo({})
  const [origin] = await lineOrigins({ clada, root, options, rules: [] }, 'a.txt', 'first\n')
  expect(origin).toMatchObject({ kind: 'undo', of: 2 })
})
