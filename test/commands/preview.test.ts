import { needs } from '../support/needs.ts'
import { describe, expect, it } from 'vitest'
import { Clada, type CladaOptions } from '../../packages/clada/src/index.ts'
import { formatReport } from '../../packages/clada/src/report/format.ts'
import { clada } from '../support/cli.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'

const document = (...commands: string[]): string =>
  commands.map((command) => `<---RUN--->\n${command}\n<---END--->\n`).join('')

it('a preview says what would be run, and starts no program', async () => {
  const root = scratchDir({ 'a.txt': 'x\n' })
  const clada = new Clada({ repoPath: root, gitCommit: false, approve: ['touch-it'] })
  const { result, diff } = await clada.preview(document('mv a.txt b.txt', 'cat b.txt', 'touch-it'))
  expect(result.results.map(({ success, data, warnings }) => ({ success, data, warnings }))).toMatchObject([
    { success: true, data: { exit_code: 0 } },
    { success: true, data: { output: 'x\n', exit_code: 0 } },
    { success: true, data: { would_run: 'touch-it' }, warnings: [expect.stringContaining('cannot be foreseen')] },
  ])
  expect(diff).toContain('b.txt')
  expect(filesIn(root)).toEqual({ 'a.txt': 'x\n' })
})

describe('what depends on a program that a preview does not run', () => {
  needs('sandbox')

  const exec = (code: string): string => `<---EXEC lang="bash"--->\n${code}\n<---END--->\n`
  const replace = (name: string): string => `<---SEARCH file="${name}"--->\nold\n<---REPLACE--->\nnew\n<---END--->\n`

  const preview = async (text: string, options: CladaOptions = {}) => {
    const root = scratchDir({ 'a.txt': 'a\n' })
    const shown = await new Clada({ repoPath: root, gitCommit: false, approve: ['make gen'], ...options }).preview(text)
    expect(filesIn(root)).toEqual({ 'a.txt': 'a\n' })
    return shown.result
  }

  it.each([
    ['code', exec('echo old > gen.txt')],
    ['an approved command', document('make gen')],
  ])('is unknown after %s, and has not failed', async (_, program) => {
    const result = await preview(program + replace('gen.txt') + replace('a.txt') + document('cp gen.txt b.txt'))
    expect(result.success).toBe(true)
    expect(result.results).toMatchObject([
      { success: true, data: { would_run: expect.any(String) } },
      { success: true, unknown: expect.stringContaining('gen.txt') },
      { success: true, unknown: expect.stringContaining('found 0') },
      { success: true, unknown: expect.stringContaining('gen.txt') },
    ])
    expect(result.results[1]?.warnings?.join()).toMatch(/unknown: it depends on '.+', which is not run in a preview/)
  })

  it('is unknown after a command that is not approved, which itself waits for approval', async () => {
    const { results } = await preview(document('make other') + replace('gen.txt'))
    expect(results).toMatchObject([{ code: 'approval_required' }, { success: true, unknown: expect.any(String) }])
  })

  it.each([
    ['before it', replace('gen.txt') + exec('echo old > gen.txt')],
    ['that is refused in any case', exec('true') + document('mv a.txt ../b.txt')],
    ['that no file would help', exec('true') + document('cat a.txt | wc')],
    ['after a command that only looks', document('cat a.txt') + replace('gen.txt')],
    ['after a command of the workspace', document('touch b.txt') + replace('gen.txt')],
  ])('is not an action %s', async (_, text) => {
    const result = await preview(text)
    expect(result.success).toBe(false)
    expect(result.results.filter(({ unknown }) => unknown !== undefined)).toEqual([])
  })

  it('goes on in an atomic group and document', async () => {
    const text = exec('echo old > gen.txt') + replace('gen.txt') + document('touch c.txt')
    const grouped = await preview(`<---TASKS atomic="true"--->\n${text}<---END--->\n`)
    expect(grouped.results).toMatchObject([{ success: true }, { unknown: expect.any(String) }, { success: true }])
    expect((await preview(text, { atomic: true })).success).toBe(true)
  })

  it('is marked in a report for a model, and does not make clada diff fail', async () => {
    const text = exec('echo old > gen.txt') + replace('gen.txt')
    expect(formatReport(await preview(text), 'llm', {})).toMatch(/^\S+ ❔ \S+ .*gen\.txt$/m)
    const { status, stdout, stderr } = clada(['diff'], { cwd: scratchDir(), input: text })
    expect([status, stdout]).toEqual([0, ''])
    expect(stderr).toMatch(/would run: echo old > gen\.txt/)
    expect(stderr).toMatch(/unknown: it depends on 'echo old > gen\.txt'.*As things are: .*gen\.txt/)
    expect(clada(['diff'], { cwd: scratchDir(), input: replace('gen.txt') }).status).toBe(1)
  })
})

it('an atomic group takes file commands', async () => {
  const root = scratchDir({ 'a.txt': 'x\n' })
  const clada = new Clada({ repoPath: root, gitCommit: false })
  const text = `<---TASKS atomic="true"--->\n${document('mv a.txt b.txt', 'mkdir d')}<---END--->\n`
  expect(await clada.execute(text)).toMatchObject({ success: true })
  expect(filesIn(root)).toEqual({ 'b.txt': 'x\n' })
})
