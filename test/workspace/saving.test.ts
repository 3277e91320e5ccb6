import fs from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { execute } from '../history/world.ts'
import { readWhole } from '../../packages/clada/src/workspace/disk-file.ts'
import { scratchDir } from '../support/scratch.ts'

it('a file that an editor has just emptied is read once it is filled', async () => {
  const root = scratchDir({ 'a.txt': 'old\n' })
  const file = path.join(root, 'a.txt')
  const text = 'typed\n'.repeat(1000)
  fs.truncateSync(file, 0)
  const saved = new Promise<void>((done) =>
    setTimeout(() => {
      fs.writeFileSync(file, text, { flag: 'r+' })
      done()
    }, 60),
  )
  const result = await execute(root, 'off', [['file_append', { path: 'a.txt', content: 'added' }]])
  await saved
  // On a busy machine the editor may be so late that the action fails; its text is there in any case.
  expect(fs.readFileSync(file, 'utf8')).toBe(result.success ? `${text}added` : text)
})

it.each([0, 9, 10, 11, 200_000])('a file is read whole when %i bytes were expected', (expected) => {
  const bytes = Buffer.from('0123456789'.repeat(expected > 11 ? 1 : 10_000))
  const root = scratchDir()
  const file = path.join(root, 'a.txt')
  fs.writeFileSync(file, bytes)
  const fd = fs.openSync(file, 'r')
  expect(readWhole(fd, expected).equals(bytes)).toBe(true)
  fs.closeSync(fd)
})
