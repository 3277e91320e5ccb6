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
  validateShamBlock,
  type ValidationResult,
} from '../../packages/clada/src/compat/index.ts'
import { clada } from '../support/cli.ts'
import { skipWithout } from '../support/needs.ts'
import { scratchDir } from '../support/scratch.ts'

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
