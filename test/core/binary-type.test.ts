import fs from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { Clada } from '../../packages/clada/src/index.ts'
import { formatReport } from '../../packages/clada/src/report/format.ts'
import { describeBinary } from '../../packages/clada/src/core/binary-type.ts'
import { scratchDir } from '../support/scratch.ts'

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAD0lEQVR4nGP4z8AARGAAAAjmAf8mBxlvAAAAAElFTkSuQmCC',
  'base64',
)
const jpeg = Buffer.from('ffd8ffe000104a46494600010100000100010000ffc0001108000500090301220002110103110100ffd9', 'hex')
const gif = Buffer.from('47494638396107000400f00000', 'hex')

it.each([
  [png, /^PNG image, 3 x 2 pixels, \d+ bytes$/],
  [jpeg, /^JPEG image, 9 x 5 pixels, /],
  [jpeg.subarray(0, 29), /^JPEG image, 9 x 5 pixels, /],
  [jpeg.subarray(0, 28), /^JPEG image, 28 bytes$/],
  [gif, /^GIF image, 7 x 4 pixels, /],
  [gif.subarray(0, 10), /^GIF image, 7 x 4 pixels, /],
  [Buffer.from('%PDF-1.7\n\0'), /^PDF document, 10 bytes$/],
  [Buffer.from([0, 1, 2]), /^binary data, 3 bytes$/],
  [Buffer.from([0xff, 0xd8, 0xff]), /^JPEG image, 3 bytes$/],
])('is said of files that are not text (%#)', (bytes, described) => {
  expect(describeBinary(bytes)).toMatch(described)
})

it('is in the answer to a reading, and the file can be moved and restored', async () => {
  const root = scratchDir()
  fs.writeFileSync(path.join(root, 'a.png'), png)
  const clada = new Clada({ repoPath: root, git: 'off' })
  const read = await clada.perform('file_read', { path: 'a.png' })
  expect(read.results[0]?.data).toEqual({
    path: 'a.png',
    described: expect.stringMatching(/^PNG image, 3 x 2 pixels, \d+ bytes$/),
    image: { type: 'image/png', base64: png.toString('base64') },
  })
  expect(formatReport(read, 'llm')).toContain('a.png: PNG image, 3 x 2 pixels, ')
  expect(formatReport(read, 'llm')).not.toContain('iVBORw0')
  const edited = await clada.perform('file_replace_text', { path: 'a.png', old_text: 'a', new_text: 'b' })
  expect(edited.results[0]?.details?.advice).toMatch(/^It is a PNG image, 3 x 2 pixels, \d+ bytes\. /)
  expect((await clada.perform('file_move', { old_path: 'a.png', new_path: 'b.png' })).success).toBe(true)
  expect((await clada.perform('file_delete', { path: 'b.png' })).success).toBe(true)
  expect((await clada.undo()).success).toBe(true)
  expect(fs.readFileSync(path.join(root, 'b.png')).equals(png)).toBe(true)
})
