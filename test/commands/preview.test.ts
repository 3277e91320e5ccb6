import { expect, it } from 'vitest'
import { Clada } from '../../src/index.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'

const document = (...commands: string[]): string =>
  commands.map((command) => `<---RUN--->\n${command}\n<---END--->\n`).join('')

it('a preview says what would be run, and runs nothing', async () => {
  const root = scratchDir({ 'a.txt': 'x\n' })
  const clada = new Clada({ repoPath: root, gitCommit: false, approve: ['touch-it'] })
  const { result, diff } = await clada.preview(document('mv a.txt b.txt', 'cat b.txt', 'touch-it'))
  expect(result.results.map(({ success, data, warnings }) => ({ success, data, warnings }))).toMatchObject([
    { success: true, data: { exit_code: 0 } },
    { success: true, data: { would_run: 'cat b.txt' }, warnings: [expect.stringContaining('only looks')] },
    { success: true, data: { would_run: 'touch-it' }, warnings: [expect.stringContaining('cannot be foreseen')] },
  ])
  expect(diff).toContain('b.txt')
  expect(filesIn(root)).toEqual({ 'a.txt': 'x\n' })
})

it('an atomic group takes file commands', async () => {
  const root = scratchDir({ 'a.txt': 'x\n' })
  const clada = new Clada({ repoPath: root, gitCommit: false })
  const text = `<---TASKS atomic="true"--->\n${document('mv a.txt b.txt', 'mkdir d')}<---END--->\n`
  expect(await clada.execute(text)).toMatchObject({ success: true })
  expect(filesIn(root)).toEqual({ 'b.txt': 'x\n' })
})
