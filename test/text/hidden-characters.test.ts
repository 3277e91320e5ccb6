import path from 'node:path'
import { expect, it } from 'vitest'
import { Clada } from '../../packages/clada/src/index.ts'
import { findHidden } from '@clada/reply/text/spell-out.ts'
import { scratchDir } from '../support/scratch.ts'

it.each([
  ['a right-to-left override', 'a\nif (x) { // \u202e } \u2066', [2, 2]],
  ['a zero-width space in a name', 'us\u200ber = 1', [1]],
  ['a joiner in an ASCII name', 'admin\u200d', [1]],
  ['tag characters', 'x\u{e0041}', [1]],
  ['a byte order mark in the middle', 'a\ufeffb', [1]],
])('%s is found', (_, text, lines) => {
  expect(findHidden(text).map(({ line }) => line)).toEqual(lines)
})

it.each([
  ['Persian', '\u0645\u06cc\u200c\u0634\u0648\u062f'],
  ['a family', '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}'],
  ['a byte order mark', '\ufeffa\n'],
  ['ordinary text', 'naïve – “quoted” …\n\tx'],
])('%s is no such text', (_, text) => {
  expect(findHidden(text)).toEqual([])
})

it('is warned about where an action writes it, and not where it was there before', async () => {
  const root = scratchDir({ 'old.ts': 'x = "\u202e"\n' })
  const clada = new Clada({ repoPath: root, gitCommit: false })
  const warnings = async (action: string, params: Record<string, string>) =>
    (await clada.perform(action, params)).results[0]?.warnings
  const [a, old] = [path.join(root, 'a.ts'), path.join(root, 'old.ts')]
  expect(await warnings('file_write', { path: a, content: 'a\n// \u202e\n' })).toEqual([
    'line 2 of content has U+202E (right-to-left override): the text is not what it looks like. Check it before you use it',
  ])
  expect(await warnings('file_append', { path: a, content: 'b\u200bc\n' })).toHaveLength(1)
  expect(await warnings('file_replace_text', { path: a, old_text: 'a\n', new_text: 'p\u2066\u2069q\n' })).toHaveLength(
    1,
  )
  expect(
    await warnings('file_replace_text', { path: old, old_text: 'x = "\u202e"', new_text: 'y = "\u202e"' }),
  ).toBeUndefined()
  // Nothing is written.
  expect(await warnings('file_replace_text', { path: old, old_text: 'nowhere', new_text: 'y\u202e' })).toBeUndefined()
})

it('is warned about in a patch also where another hunk has it among its context', async () => {
  const root = scratchDir({ 'a.py': 'a = 1\nb = 2\nc = 3\nd = 4\n' })
  const patch = '@@\n a = 1\u202e\n-b = 2\n+b = 3\n@@\n c = 3\n-d = 4\n+d = 4 # \u202e} else\n'
  const done = await new Clada({ repoPath: root, gitCommit: false }).perform('file_patch', { path: 'a.py', patch })
  expect(done.success).toBe(true)
  expect(done.results[0]?.warnings).toContainEqual(expect.stringContaining('has U+202E (right-to-left override)'))
})
