import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { actions } from '../../packages/clada/src/index.ts'
import {
  addPath,
  Clada,
  clearContext,
  commitChanges,
  ContextError,
  ensureCleanRepo,
  executeCommand,
  executeEdit,
  executeFileOperation,
  executeRun,
  executeWrite,
  FileOpError,
  GitError,
  listPaths,
  parseEdit,
  parseRun,
  parseShamResponse,
  parseWrite,
  removePath,
  transformToAction,
  validateAction,
  validateShamBlock,
} from '../../packages/clada/src/compat/index.ts'
import { clada, cladaCall } from '../support/cli.ts'
import { skipWithout } from '../support/needs.ts'
import { scratchDir } from '../support/scratch.ts'
import design from './author/unified-design.json' with { type: 'json' }

const yaml = memoized(() => parse(execFileSync(...cladaCall('tools', '--format', 'yaml'), { encoding: 'utf8' })))

function memoized<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => (made ??= { value: make() }).value
}

/** What is returned, in one spelling: the design also writes `array of strings`, and `?` is not in every place. */
function shapeOf(returns: object): Record<string, unknown> {
  const text = JSON.stringify(returns)
    .replaceAll('?":', '":')
    .replaceAll('"array of strings"', '{"type":"array","items":"string"}')
    .replaceAll('"timestamp"', '"string"')
    .replaceAll('"file|directory|symlink|other"', '"string"')
  return JSON.parse(text)
}

describe('seed 000: the definitions as unified-design.yaml has them', () => {
  it('have executor, slash_command, constraints, behavior and when; exec is dynamic', () => {
    const { tools } = yaml()
    expect(tools.file_write).toMatchObject({ type: 'write', executor: 'fs-ops', accessibility: ['llm'] })
    expect(tools.exec).toMatchObject({ type: 'dynamic', executor: 'exec', output_display: 'conditional' })
    expect(tools.git_squash).toMatchObject({
      slash_command: true,
      parameters: {
        hours: { when: 'mode=hours' },
        days: { when: 'mode=days' },
        msg_target: { when: 'mode=msg_contains' },
      },
    })
    expect(tools.undo).toMatchObject({ accessibility: ['user'], constraints: ['No changes since last AI operation'] })
    expect(tools.git_step_back.behavior).toBe('Stashes untracked changes')
    expect(tools.git_step_forward.behavior).toBe('Attempts to pop stashed changes')
  })

  it.each(Object.entries(design.tools).filter(([name]) => name !== 'files_replace_text_in_parents'))(
    'are those of the design: %s',
    (name, given) => {
      const { parameters, returns, ...facts } = { returns: {}, ...given }
      const own = yaml().tools[name]
      expect(own).toMatchObject(facts)
      // What docs/seeds.md lists.
      const mode = { ...parameters, mode: { values: expect.arrayContaining(['auto_ai', 'msg_contains']) } }
      const lang = { ...parameters, lang: { values: expect.arrayContaining(['python', 'javascript', 'bash']) } }
      const expected = { git_squash: mode, exec: lang }[name] ?? parameters
      expect(own.parameters).toMatchObject(expected)
      const { replacements_made: replacements, conflicts: _, ...rest } = shapeOf(returns)
      const shape = replacements === undefined ? rest : { ...rest, replacements }
      expect(shapeOf(own.returns)).toMatchObject(shape)
    },
  )

  const block = {
    id: 'abc',
    properties: { action: 'file_edit', path: '/tmp/a', old_text: 'a', new_text: 'b', count: '2' },
    startLine: 1,
    endLine: 7,
  }
  const typed = { ...block, properties: { ...block.properties, count: 2 } }
  const own = actions.find(({ name }) => name === 'file_edit')

  it('are accepted by transformToAction, validateShamBlock and validateAction, as YAML and as actions', () => {
    const document = yaml()
    if (own === undefined) throw new Error('no file_edit')
    for (const definition of [own, document.tools.file_edit]) {
      expect(transformToAction(block, definition).parameters).toMatchObject({ path: '/tmp/a', count: 2 })
      expect(validateShamBlock(block, definition)).toMatchObject({ valid: true, actionType: 'file_edit' })
    }
    for (const schemas of [undefined, actions, document, document.tools]) {
      expect(validateAction(typed, schemas)).toEqual({ valid: true, block: typed })
      expect(validateAction({ ...typed, properties: { ...typed.properties, count: 'all' } }, schemas).valid).toBe(true)
      expect(validateAction(block, schemas)).toMatchObject({ error: { code: 'INVALID_TYPE', param: 'count' } })
    }
  })
})

describe('seed 001: validateAction', () => {
  const items = { type: 'object', properties: { old: { type: 'string', required: true }, n: { type: 'integer' } } }
  const schemas = { a: { parameters: { p: { type: 'array', required: true, items } } } }
  const block = (p: unknown) => ({ id: 'abc', properties: { action: 'a', p } })

  it.each([
    [[{ old: 'x', n: 1 }], undefined],
    ['x', { code: 'INVALID_TYPE', param: 'p', expected: 'array', actual: 'string' }],
    [[{ old: 'x' }, 'y'], { code: 'INVALID_TYPE', param: 'p[1]', expected: 'object' }],
    [[{ n: 1 }], { code: 'MISSING_PARAM', param: 'p[0].old' }],
    [[{ old: 'x', n: 1.5 }], { code: 'INVALID_TYPE', param: 'p[0].n', expected: 'integer', actual: 'number' }],
  ])('checks arrays and objects deeply: %j', (value, error) => {
    const expected = error === undefined ? { valid: true } : { valid: false, error }
    expect(validateAction(block(value), schemas)).toMatchObject(expected)
  })

  it('takes custom validators for types and formats, which may warn', () => {
    const own = { a: { parameters: { p: { type: 'color', required: true }, q: { type: 'string', format: 'url' } } } }
    const validators = {
      color: (value: unknown) => (value === 'red' ? undefined : 'expected red'),
      url: () => ({ warning: 'not a secure address' }),
    }
    const given = (p: string, q?: string) => ({ id: 'abc', properties: { action: 'a', p, q } })
    expect(validateAction(given('red'), own, { validators })).toMatchObject({ valid: true })
    expect(validateAction(given('blue'), own, { validators })).toMatchObject({
      error: { code: 'INVALID_TYPE', param: 'p', message: expect.stringContaining('expected red') },
    })
    expect(validateAction(given('red', 'http://x'), own, { validators })).toMatchObject({
      warnings: ['q: not a secure address'],
    })
    expect(validateAction(given('red'), own)).toMatchObject({ error: { code: 'SCHEMA_ERROR' } })
  })

  it('checks the version of the schemas', () => {
    const document = { version: 2, tools: schemas }
    expect(validateAction(block([]), document)).toMatchObject({ error: { code: 'SCHEMA_ERROR' } })
    expect(validateAction(block([]), document, { version: 2 })).toMatchObject({ valid: true })
  })
})

describe('seed 000: errors', () => {
  it('of the syntax hold their block once, without the next header', async () => {
    const text = `#!SHAM [@three-char-SHA-256: abc]
action = "file_write"
foo
#!END_SHAM_abc
#!SHAM [@three-char-SHA-256: def]
action = "file_read"
path = "/tmp/x"
#!END_SHAM_def
`
    const { errors } = await parseShamResponse(text)
    expect(errors).toMatchObject([
      { blockId: 'abc', errorType: 'syntax', blockStartLine: 1, shamContent: text.split('\n').slice(0, 4).join('\n') },
    ])
  })

  it('of actions keep their stack, which --error-detail debug shows', () => {
    const root = scratchDir()
    const input = `#!SHAM [@three-char-SHA-256: abc]\naction = "file_read"\npath = "${root}/gone"\n#!END_SHAM_abc\n`
    const run = (...flags: string[]) => clada(['run', '-', '--json', ...flags], { cwd: root, input }).stdout
    expect(JSON.parse(run('--error-detail', 'debug')).results[0].failure.stack).toMatch(/\n +at /)
    expect(run()).not.toContain('stack')
  })

  it.each(['text', 'xml', 'llm', 'pretty'])('show their stack in the format %s with --error-detail debug', (format) => {
    const root = scratchDir()
    const input = `#!SHAM [@three-char-SHA-256: abc]\naction = "file_read"\npath = "${root}/gone"\n#!END_SHAM_abc\n`
    const run = (detail: string) =>
      clada(['run', '-', '--format', format, '--error-detail', detail], { cwd: root, input }).stdout
    expect(run('debug')).toMatch(/ProblemError: .*\n(?: +at .*\n)+/)
    expect(run('full')).not.toMatch(/^ +at /m)
    expect(run('minimal')).not.toMatch(/^ +at /m)
  })

  it('of files keep their stack', () => {
    const error = new FileOpError('x', 'ENOENT', '/a', 'open')
    expect(error).toMatchObject({ name: 'FileOpError', code: 'ENOENT', path: '/a', operation: 'open' })
    expect(error.stack).toContain('library.test.ts')
  })

  it.each([null, {}, { action: 'file_read' }, { action: 'file_read', parameters: null }])(
    'executeFileOperation never throws: %j',
    async (action) => {
      // @ts-expect-error JavaScript may call with anything.
      const done = await executeFileOperation(action, { repoPath: scratchDir(), gitCommit: false })
      expect(done).toEqual({
        success: false,
        error: expect.stringMatching(/^Unexpected error in executeFileOperation: ./),
      })
    },
  )

  it.each([
    [{ path: 'a.txt', content: {} }, 'Unexpected error in executeFileOperation: content must be a text, '],
    [{ path: 'a.txt', content: undefined }, 'Missing required parameter: content'],
    [{ path: 'a.txt', content: null }, 'Missing required parameter: content'],
  ])('executeFileOperation writes no value that is no text: %j', async (parameters, error) => {
    const root = scratchDir()
    const action = { action: 'file_write', parameters, metadata: { blockId: 'abc', startLine: 1, endLine: 2 } }
    const options = { repoPath: root, gitCommit: false, relativePaths: true }
    const done = await executeFileOperation(action, options)
    expect(done).toEqual({ success: false, error: expect.stringContaining(error) })
    expect(fs.readdirSync(root)).toEqual([])
  })

  it('of executeFileOperation have it as the cause of their result, which has no further field', async () => {
    const root = scratchDir()
    const action = {
      action: 'file_read',
      parameters: { path: `${root}/gone` },
      metadata: { blockId: 'abc', startLine: 1, endLine: 4 },
    }
    const done = await executeFileOperation(action, { repoPath: root, gitCommit: false })
    expect(Object.keys(done)).toEqual(['success', 'error'])
    expect(done.cause).toBeInstanceOf(FileOpError)
    expect(done.cause).toMatchObject({
      code: 'ENOENT',
      path: `${root}/gone`,
      operation: 'file_read',
      message: done.error,
    })
    expect(done.cause?.stack).toMatch(/\n +at /)
  })
})

describe('seed 000: the planned components', () => {
  it('executeCommand runs code', async (context) => {
    skipWithout(context, 'bash')
    const options = { repoPath: scratchDir(), gitCommit: false, exec: 'unsandboxed' } as const
    const done = await executeCommand({ code: 'echo hi; exit 3', lang: 'bash' }, options)
    expect(done).toMatchObject({ success: false, stdout: 'hi\n', stderr: '', exit_code: 3 })
    expect(await executeCommand({ code: 'x', lang: 'cobol' }, options)).toMatchObject({ success: false })
  })

  it('ensureCleanRepo and commitChanges work on the repository', async () => {
    const root = scratchDir({ 'a.txt': 'one\n', '.env': 'KEY=1\n' })
    const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' })
    await expect(ensureCleanRepo({ repoPath: root })).rejects.toBeInstanceOf(GitError)
    git('init', '-q')
    await expect(ensureCleanRepo({ repoPath: root })).rejects.toThrow('a.txt')
    const clada = new Clada({ repoPath: root, gitCommit: false })
    const { results } = await clada.perform('file_write', { path: 'a.txt', content: 'two\n' })
    const first = await commitChanges(results, { repoPath: root })
    expect(git('log', '-1', '--format=%H %s').trim()).toBe(`${first} AI: 1 actions: a.txt`)
    expect(git('ls-files')).toBe('a.txt\n')
    expect(await commitChanges(results, { repoPath: root })).toBeUndefined()
    fs.rmSync(path.join(root, '.env'))
    await ensureCleanRepo({ repoPath: root })
    const removed = await clada.perform('file_delete', { path: 'a.txt' })
    expect(await commitChanges(removed.results, { repoPath: root })).toMatch(/^[0-9a-f]{40}$/)
    expect(git('status', '--porcelain')).toBe('')
  })

  it('addPath, removePath, listPaths and clearContext keep the working set', async () => {
    const root = scratchDir({ 'a.txt': 'one\n', 'b.txt': 'b' })
    const options = { repoPath: root, gitCommit: false }
    await addPath('a.txt', options)
    await addPath('b.txt', options)
    expect(await listPaths(options)).toEqual([
      { path: `${root}/a.txt`, size: 4 },
      { path: `${root}/b.txt`, size: 1 },
    ])
    await removePath('a.txt', options)
    await expect(removePath('a.txt', options)).rejects.toBeInstanceOf(ContextError)
    await expect(addPath('gone.txt', options)).rejects.toMatchObject({ code: 'file_not_found' })
    await clearContext(options)
    expect(await listPaths(options)).toEqual([])
  })
})

describe('seed 004: components with Result<T, E>', () => {
  it('parseEdit and executeEdit', async () => {
    const root = scratchDir({ 'a.js': 'x\ny\n' })
    const options = { repoPath: root, gitCommit: false }
    const edit = parseEdit('<edit path="a.js"><search><![CDATA[x]]></search><replace><![CDATA[z]]></replace></edit>')
    expect(edit).toEqual({
      ok: true,
      value: { mode: 'exact', path: 'a.js', search: 'x', replace: 'z', count: 1 },
    })
    if (!edit.ok) return
    expect(await executeEdit(edit.value, options)).toEqual({ ok: true, value: { path: 'a.js', replacements: 1 } })
    expect(fs.readFileSync(path.join(root, 'a.js'), 'utf8')).toBe('z\ny\n')
    expect(await executeEdit(edit.value, options)).toMatchObject({ ok: false, error: { type: 'match_count_mismatch' } })
    expect(parseEdit('<edit><search><![CDATA[x]]></search><replace><![CDATA[]]></replace></edit>')).toMatchObject({
      ok: false,
      error: { type: 'missing_path_attribute' },
    })
    expect(
      parseEdit(
        '<edit path="a" count="2"><search-start><![CDATA[a]]></search-start><search-end><![CDATA[b]]></search-end><replace><![CDATA[c]]></replace></edit>',
      ),
    ).toMatchObject({ ok: true, value: { mode: 'range', searchStart: 'a', searchEnd: 'b', replace: 'c', count: 2 } })
  })

  it('parseWrite and executeWrite', async () => {
    const root = scratchDir()
    const write = parseWrite('<write path="d/a.txt"><![CDATA[one]]></write>')
    expect(write).toEqual({ ok: true, value: { path: 'd/a.txt', content: 'one', append: false } })
    if (!write.ok) return
    const options = { repoPath: root, gitCommit: false }
    expect(await executeWrite(write.value, options)).toEqual({ ok: true, value: { path: 'd/a.txt', bytesWritten: 3 } })
    const more = { ...write.value, content: 'two', append: true }
    expect(await executeWrite(more, options)).toMatchObject({ ok: true })
    expect(fs.readFileSync(path.join(root, 'd/a.txt'), 'utf8')).toBe('one\ntwo')
    expect(parseWrite('no element')).toMatchObject({ ok: false, error: { type: 'malformed_xml' } })
  })

  it('parseRun and executeRun', async () => {
    const options = { repoPath: scratchDir({ 'a.txt': 'x\n' }), gitCommit: false }
    const run = parseRun('<run dir="d"><![CDATA[npm test]]></run>')
    expect(run).toEqual({ ok: true, value: { command: 'npm test', dir: 'd' } })
    expect(await executeRun({ command: 'cat a.txt' }, options)).toEqual({
      ok: true,
      value: { output: 'x\n', exit_code: 0 },
    })
    expect(await executeRun({ command: 'npm test' }, options)).toMatchObject({
      ok: false,
      error: { type: 'approval_required' },
    })
  })
})
