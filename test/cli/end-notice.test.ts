import { expect, it } from 'vitest'
import { elapsedText, formatNotice } from '../../packages/clada/src/cli/end-notice.ts'
import { called } from '../support/in-process.ts'
import { scratchDir } from '../support/scratch.ts'

it('a notice is one sequence, whatever is in its text', () => {
  expect(formatNotice('clada: done')).toBe('\u001b]9;clada: done\u0007')
  const odd = formatNotice('a\u0007b\u001b]8;;x\nc')
  expect(odd.slice(4, -1)).toMatch(/^[ -~]+$/)
})

it('elapsed time is told in seconds and minutes', () => {
  expect([400, 4200, 59_400, 125_000].map(elapsedText)).toEqual(['0 s', '4 s', '59 s', '2 min 5 s'])
})

it('the history has colours where they are wanted, and none in a pipe', async () => {
  const cwd = scratchDir({ 'a.txt': 'a\n' })
  await called(['do', 'file_write', 'path=a.txt', 'content=b', '--no-git'], { cwd })
  const plain = (await called(['history', '1'], { cwd })).stdout
  expect(plain).not.toContain('\u001b')
  const colored = (await called(['history', '1'], { cwd, env: { FORCE_COLOR: '1' } })).stdout
  expect(colored).toContain('\u001b[32m+b')
  // eslint-disable-next-line no-control-regex -- it is what is removed
  expect(colored.replace(/\u001b\[\d+m/g, '')).toBe(plain)
  expect((await called(['history', '1', '--no-color'], { cwd, env: { FORCE_COLOR: '1' } })).stdout).toBe(plain)
})
