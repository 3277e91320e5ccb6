import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  type ActionResult,
  Clada,
  type CladaOptions,
  type ExecutionResult,
  type ParseError,
  type ParseResult,
  parseShamResponse,
  read_structure,
  replace_text_in_structure,
  validateShamBlock,
  type ValidationResult,
} from '../../packages/clada/src/compat/index.ts'
import { clada } from '../support/cli.ts'
import { skipWithout } from '../support/needs.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'

// What the table of docs/seeds.md says and no other test of the seeds does.

describe('seed 000', () => {
  it('names the types of the library as its API does', async () => {
    const options: CladaOptions = { repoPath: scratchDir(), gitCommit: false }
    const text = '#!SHAM [@three-char-SHA-256: abc]\naction = "nothing"\n#!END_SHAM_abc\n'
    const parsed: ParseResult = await parseShamResponse(text)
    expect(parsed.summary).toEqual({ totalBlocks: 1, successCount: 0, errorCount: 1 })
    const done: ExecutionResult = await new Clada(options).execute(text)
    const [error]: readonly ParseError[] = done.parseErrors
    const results: readonly ActionResult[] = done.results
    expect([error?.errorType, results]).toEqual(['validation', []])
    const block = { id: 'abc', properties: { action: 'a' }, startLine: 1, endLine: 2 }
    const definition = { type: 'read' as const, description: '', parameters: {}, returns: {} }
    const valid: ValidationResult = validateShamBlock(block, definition)
    expect(valid).toMatchObject({ valid: true, actionType: 'a' })
  })

  it('ls names links as what they are', async (context) => {
    skipWithout(context, 'posix')
    const root = scratchDir({ 'a.txt': 'a' })
    fs.symlinkSync('a.txt', path.join(root, 'link'))
    const { results } = await new Clada({ repoPath: root, gitCommit: false }).perform('ls', { path: root })
    expect(results[0]?.data).toContainEqual(expect.objectContaining({ name: 'link', type: 'symlink' }))
  })

  it('an id has two to eight letters or digits', async () => {
    const idsOf = async (...ids: string[]) => {
      const text = ids.map(
        (id) => `#!SHAM [@three-char-SHA-256: ${id}]\naction = "ls"\npath = "/tmp"\n#!END_SHAM_${id}\n`,
      )
      return (await parseShamResponse(text.join(''))).actions.map(({ metadata }) => metadata.blockId)
    }
    expect(await idsOf('a', 'ok', 'abc', 'abcd1234', 'abcd12345')).toEqual(['ok', 'abc', 'abcd1234'])
  })

  it('what keeps git_step_forward from going on is in details', async () => {
    const root = scratchDir({ 'a.txt': '1\n' })
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: root })
    git('init', '-q')
    git('add', '.')
    git('commit', '-qm', 'one')
    const clada = new Clada({ repoPath: root })
    await clada.perform('file_write', { path: 'a.txt', content: '2\n' })
    await clada.perform('git_step_back', {})
    fs.writeFileSync(path.join(root, 'a.txt'), 'mine\n')
    const { results } = await clada.perform('git_step_forward', {})
    expect(results[0]).toMatchObject({ success: false, details: { conflicts: ['a.txt'] } })
    expect(fs.readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('mine\n')
  })

  it('a write shows where it changed its file', () => {
    const root = scratchDir()
    const input = `#!SHAM [@three-char-SHA-256: abc]\naction = "file_write"\npath = "${root}/a.txt"\ncontent = "x"\n#!END_SHAM_abc\n`
    expect(clada(['run', '-', '--no-git'], { cwd: root, input }).stdout).toContain('\na.txt new (+1)\n')
    const none = clada(['run', '-', '--no-git'], {
      cwd: scratchDir({ 'clada.yml': 'version: 1\nreport:\n  evidence: none\n' }),
      input: input.replaceAll(`${root}/`, ''),
    })
    expect([none.status, none.stdout]).toEqual([0, expect.not.stringContaining('CHANGES')])
  })
})

describe('seed 003: text in a structure', () => {
  it.each([
    ['as it is in the file', '        if x:\n            return 1'],
    ['as read_structure shows it', '    if x:\n        return 1'],
  ])('%s', async (_, old) => {
    const root = scratchDir({ 'a.py': 'class A:\n    def f(self):\n        if x:\n            return 1\n' })
    const file = path.join(root, 'a.py')
    const options = { repoPath: root, gitCommit: false }
    const shown = await read_structure(file, 'A\nf', options)
    expect(shown).toMatchObject({ matches: [{ text: 'def f(self):\n    if x:\n        return 1\n' }] })
    const done = await replace_text_in_structure(file, 'A\nf', old, old.replace('1', '2'), options)
    expect(done).toEqual({ affected_lines: [3, 4] })
    expect(fs.readFileSync(file, 'utf8')).toContain('        if x:\n            return 2\n')
  })
})

describe('seed 003: anonymous functions', () => {
  it.each([
    ['a call with a function', 'app.get("/x", (req) => {', [1, 3]],
    ['a function of an object', 'on', [5, 5]],
    ['a function inside a line', '(a) => a.b', undefined],
  ])('%s', async (_, target, lines) => {
    const root = scratchDir({
      'a.ts': 'app.get("/x", (req) => {\n  go()\n})\nconst x = {\n  on: () => go(),\n}\ny.sort((a) => a.b)\n',
    })
    const options = { repoPath: root, gitCommit: false }
    const found = await read_structure(path.join(root, 'a.ts'), target, options)
    const matches = lines === undefined ? [] : [expect.objectContaining({ line_range_inclusive: lines })]
    expect(found).toEqual({ matches })
  })
})

describe('seed 004', () => {
  it('a name that begins with two dots is a name', () => {
    const root = scratchDir()
    const input = '<write path="..name"><![CDATA[x]]></write>\n<write path="../name"><![CDATA[x]]></write>\n'
    const { stdout } = clada(['run', '-', '--no-git'], { cwd: root, input })
    expect(stdout).toContain('[task-1] Success')
    expect(stdout).toContain('[task-2] Error: path_escape')
    expect(fs.readdirSync(path.dirname(root))).not.toContain('name')
  })

  it('commands that find nothing, or a difference, succeed', (context) => {
    skipWithout(context, 'posix')
    const root = scratchDir({ 'a.txt': 'x\n', 'b.txt': 'y\n' })
    const input = ['grep zzz a.txt', 'diff a.txt b.txt', 'cat gone.txt']
      .map((command) => `<run><![CDATA[${command}]]></run>\n`)
      .join('')
    const { stdout } = clada(['run', '-', '--no-git'], { cwd: root, input })
    expect(stdout).toContain('[task-1] Success')
    expect(stdout).toContain('[task-2] Success')
    expect(stdout).toContain('[task-3] Error: exec_failed in cat gone.txt')
  })

  it.each([
    ['<write path="a"><![CDATA[x]]></wrte>\n<write path="b"><![CDATA[x]]></write>\n', 'truncated', {}],
    ['<write path=a><![CDATA[x]]></write>\n<write path="b"><![CDATA[x]]></write>\n', 'malformed_xml', { b: 'x' }],
    [
      '<tasks>\n<write path="a"><![CDATA[x]]></wrte>\n</tasks>\n<write path="b"><![CDATA[x]]></write>\n',
      'malformed_xml',
      { b: 'x' },
    ],
  ])('%j is %s', (input, code, files) => {
    const root = scratchDir()
    const { status, stdout } = clada(['run', '-', '--no-git'], { cwd: root, input })
    expect([status, filesIn(root)]).toEqual([1, files])
    expect(stdout).toContain(`[task-1] Error: ${code}`)
  })

  it('approvals are for words', (context) => {
    skipWithout(context, 'sandbox')
    const root = scratchDir({ 'package.json': '{}' })
    clada(['approve', 'sh  -c   "echo hi"'], { cwd: root })
    const input = '<run><![CDATA[sh -c "echo hi"]]></run>\n<run><![CDATA[sh -c "echo ho"]]></run>\n'
    const { stdout } = clada(['run', '-', '--no-git'], { cwd: root, input })
    expect(stdout).toContain('[task-1:exec] hi')
    expect(stdout).toContain('[task-2] Error: approval_required')
  })
})
