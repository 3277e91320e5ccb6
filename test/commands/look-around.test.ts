import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { Clada } from '../../packages/clada/src/index.ts'
import { formatReport } from '../../packages/clada/src/report/format.ts'
import { commandAsAction } from '../../packages/clada/src/policy/commands/as-action.ts'
import { scratchDir } from '../support/scratch.ts'

describe('commands by which models look around', () => {
  it.each([
    ['sed -n 80,125p src/a.ts', 'file_read_numbered', { path: 'src/a.ts', lines: '80-125' }],
    ["sed -n '5p;7,9p' a.ts", 'file_read_numbered', { path: 'a.ts', lines: '5,7-9' }],
    ['nl -ba a.ts', 'file_read_numbered', { path: 'a.ts' }],
    ['cat -n a.ts', 'file_read_numbered', { path: 'a.ts' }],
    ['cat -n a.ts b.ts', 'files_read_numbered', { paths: 'a.ts\nb.ts' }],
    ['rg total', 'grep', { pattern: 'total', path: '.', regex: 'true' }],
    ['rg -n -i -F "f(x)" src', 'grep', { pattern: 'f(x)', path: 'src', regex: 'false', ignore_case: 'true' }],
    ['rg --no-heading --line-number x', 'grep', { pattern: 'x', path: '.', regex: 'true' }],
    ['rg --with-filename -e -x', 'grep', { pattern: '-x', path: '.', regex: 'true' }],
    ["rg -g '*.ts' 'a|b' src", 'grep', { pattern: 'a|b', path: 'src', regex: 'true', include: '*.ts' }],
  ])('%s means %s', (command, action, params) => {
    expect(commandAsAction(command)).toEqual({ action, params, cd: undefined })
  })

  it.each([
    'cat a.ts',
    'cat -A a.ts',
    'npm test',
    'nl',
    'sed',
    'cat src/*.ts',
    'rg x | head',
    'constructor x',
    'toString',
    '__proto__ x',
  ])('%s is not run as an action', (command) => {
    const meant = commandAsAction(command)
    expect(meant === undefined || 'reason' in meant).toBe(true)
  })

  it.each(['sed -i s/a/b/ a.ts', 'sed s/a/b/ a.ts', 'rg --files', 'rg -l x', 'rg x a b'])(
    '%s is answered with the action that does the same',
    (command) =>
      expect(commandAsAction(command)).toMatchObject({ advice: expect.stringMatching(/^Use (?:file_|grep)/) }),
  )

  it('pass nothing of a blocked file on while they run', async () => {
    const root = scratchDir({ 'src/a.ts': 'one = CANARY\n', '.env': 'KEY=CANARY\n' })
    fs.linkSync(path.join(root, '.env'), path.join(root, 'src/second.txt'))
    let streamed = ''
    const text = '<---RUN--->\ngrep -rn CANARY src\n<---END--->\n'
    const onOutput = (_: string, chunk: Buffer): void => void (streamed += chunk.toString())
    const { success } = await new Clada({ repoPath: root, git: 'off' }).execute(text, { onOutput })
    expect(success).toBe(true)
    expect(streamed).toBe('src/a.ts:1:one = CANARY\n')
  })

  it('list a blocked directory and nothing in it', async () => {
    const root = scratchDir({ 'src/a.ts': '', 'src/.git/secret': '', '.git/secret': '' })
    const clada = new Clada({ repoPath: root, git: 'off' })
    const { results } = await clada.perform('run', { command: 'ls -aR' })
    const { output } = Object(results[0]?.data)
    expect(output).toContain('a.ts')
    expect(output).not.toContain('secret')
  })

  it('run in their directory, and their output is that of the action', async () => {
    const root = scratchDir({ 'src/a.ts': 'one\ntwo\nthree\n', 'src/.env': 'SECRET=1\n' })
    const clada = new Clada({ repoPath: root, git: 'off' })
    const run = async (command: string) => clada.perform('run', { command })
    const seen = await run('cd src && sed -n 2,9p a.ts')
    expect(seen.results).toMatchObject([{ success: true, data: { as: 'file_read_numbered', exit_code: 0 } }])
    expect(formatReport(seen, 'llm')).toContain('=== START FILE: [numbered] src/a.ts ===\n2: two\n3: three\n')
    const found = await run('rg -n two')
    expect(formatReport(found, 'llm')).toContain('[do] run rg -n two:\nsrc/a.ts\n  2: two\n')
    expect(await run('sed -n 1p src/.env')).toMatchObject({ success: false, results: [{ code: 'path_denied' }] })
    const narrow = new Clada({ repoPath: root, git: 'off', allowedActions: ['run'] })
    expect(await narrow.execute('<---RUN--->\nrg two\n<---END--->')).toMatchObject({ success: false })
  })

  it('names the action where there is no shell', async () => {
    const root = scratchDir({ 'a.ts': 'x\n' })
    const clada = new Clada({ repoPath: root, git: 'off' })
    const { results } = await clada.perform('run', { command: 'cat a.ts | grep x' })
    expect(results[0]?.details?.advice).toBe(`Use grep with pattern="x" path="${root}/a.ts".`)
  })
})
