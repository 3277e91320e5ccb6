import fs from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { Clada } from '../../packages/clada/src/index.ts'
import { scratchDir } from '../support/scratch.ts'
import { block } from './blocks.ts'

async function hitIn(line: string): Promise<string> {
  const root = scratchDir({ 'long.js': `first\n${line}\r\n` })
  const result = await new Clada({ repoPath: root, git: 'off' }).execute(
    block('grep', { pattern: 'needle', path: root }),
  )
  const data = result.results[0]?.data as { line: string; line_number: number }[] | undefined
  const hit = data?.[0]
  expect(hit?.line_number).toBe(2)
  return hit?.line ?? ''
}

it.each([
  ['a line of usual length', 'x:1:needle:', 'x:1:needle:'],
  [
    'the beginning of a long line',
    `needle${'y'.repeat(3000)}`,
    `needle${'y'.repeat(1994)}… (characters 1 to 2000 of 3006)`,
  ],
  [
    'the middle of a long line',
    `${'ä'.repeat(3000)}needle${'y'.repeat(3000)}`,
    `…${'ä'.repeat(500)}needle${'y'.repeat(1494)}… (characters 2501 to 4500 of 6006)`,
  ],
  [
    'the end of a long line',
    `${'x'.repeat(3000)}needle`,
    `…${'x'.repeat(500)}needle (characters 2501 to 3006 of 3006)`,
  ],
])('what was looked for is shown: %s', async (_, line, shown) => {
  expect(await hitIn(line)).toBe(shown)
})

it.skipIf(process.platform !== 'linux')(
  'stops ripgrep before a rule file without an end takes all memory',
  async () => {
    const root = scratchDir({ 'a.txt': 'needle\n' })
    fs.symlinkSync('/dev/zero', path.join(root, '.ignore'))
    const { results } = await new Clada({ repoPath: root, git: 'off' }).perform('grep', {
      pattern: 'needle',
      path: root,
    })
    expect(results[0]?.error).toMatch(/ripgrep was stopped by SIG\w+: .*\.gitignore, may be too large/)
  },
)
