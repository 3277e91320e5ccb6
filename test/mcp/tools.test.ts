import fs from 'node:fs'
import path from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { allActions } from '../../packages/clada/src/actions/registry.ts'
import { callable } from '../../packages/clada/src/describe/actions.ts'
import { defaultTools, toolList } from '../../packages/clada/src/mcp/document-tools.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'
import { connected, writing } from './client.ts'

const actions = allActions()

describe('the list of tools', () => {
  it('has every action a model may call, and documents', async () => {
    const { client } = await connected(scratchDir())
    const { tools } = await client.listTools()
    const forModels = actions.filter(({ access }) => access.includes('llm')).map(({ name }) => name)
    expect(tools.map(({ name }) => name)).toEqual(['execute', ...forModels])
    expect(tools.map(({ name }) => name)).not.toContain('undo')
  })

  it('is short unless others are asked for', async () => {
    const root = scratchDir()
    const names = async (...tools: string[]): Promise<string[]> =>
      (await (await connected(root, { tools })).client.listTools()).tools.map(({ name }) => name)
    const { tools } = await (await connected(root, { tools: [] })).client.listTools()
    const known = defaultTools.filter((name) => actions.some((spec) => spec.name === name))
    expect(tools.map(({ name }) => name).toSorted()).toEqual(['execute', ...known].toSorted())
    // The limit is 3,500 tokens of about four characters. What comes out is for programs, and counted apart.
    const taken = JSON.stringify(tools, (key, value: unknown) => (key === 'outputSchema' ? undefined : value))
    expect(taken.length / 4).toBeLessThan(3500)
    expect(JSON.stringify(tools).length / 4).toBeLessThan(7000)
    expect(await names('--tools', 'file_read,glob', '--tools', 'write_file')).toEqual([
      'execute',
      'file_write',
      'file_read',
      'glob',
    ])
  })

  it('reaches every action through execute', async () => {
    const root = scratchDir({ 'a.txt': 'a\n' })
    const { call } = await connected(root, { tools: [] })
    const document = `#!SHAM [@three-char-SHA-256: app]\naction = "file_append"\npath = "${root}/a.txt"\ncontent = "b"\n#!END_SHAM_app\n`
    expect((await call('execute', { document })).isError).toBe(false)
    expect(filesIn(root)['a.txt']).toBe('a\nb')
  })

  it('has schemas that a validator takes', async () => {
    const { client } = await connected(scratchDir())
    const ajv = new Ajv2020({ strict: true, strictTypes: false })
    for (const { name, inputSchema, description } of (await client.listTools()).tools) {
      expect(description, name).toMatch(/\.$/)
      expect(ajv.validateSchema(inputSchema), name).toBe(true)
      expect(ajv.compile(inputSchema)({}), name).toBe((inputSchema.required ?? []).length === 0)
    }
  })

  it('says what each does to the project', async () => {
    const { client } = await connected(scratchDir())
    const { tools } = await client.listTools()
    const hints = (name: string) => tools.find((tool) => tool.name === name)?.annotations
    const local = { openWorldHint: false }
    const [reads, adds] = [
      { readOnlyHint: true, destructiveHint: false, idempotentHint: true, ...local },
      { readOnlyHint: false, destructiveHint: false, idempotentHint: false, ...local },
    ]
    expect(hints('file_read')).toEqual(reads)
    expect(hints('context_list')).toEqual(reads)
    expect(hints('file_append')).toEqual(adds)
    expect(hints('file_write')).toEqual({ ...adds, destructiveHint: true, idempotentHint: true })
    expect(hints('file_edit')).toEqual({ ...adds, destructiveHint: true })
    expect(hints('exec')).toEqual({ ...adds, destructiveHint: true, openWorldHint: true })
    expect(hints('execute')).toEqual({ ...adds, destructiveHint: true, openWorldHint: true })
  })
})

describe('what is allowed', () => {
  it('is what there is', async () => {
    expect(callable(actions, {}).map(({ name }) => name)).toContain('exec')
    const { client } = await connected(scratchDir(), { args: ['--exec', 'off'] })
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
      'execute',
      ...callable(actions, {}).flatMap(({ name }) => (name === 'exec' ? [] : [name])),
    ])
    expect(
      toolList(callable(actions, { allowedActions: ['file_read', 'write_file'] })).map(({ name }) => name),
    ).toEqual(['execute', 'file_write', 'file_read'])
  })
})

describe('a call', () => {
  it('reads', async () => {
    const root = scratchDir({ 'a.txt': 'one\ntwo\n' })
    const { call } = await connected(root)
    for (const file of ['a.txt', path.join(root, 'a.txt')]) {
      const { text, values, isError } = await call('file_read', { path: file })
      expect(isError).toBe(false)
      expect(text).toBe('one\ntwo\n')
      expect(values).toMatchObject({ success: true, data: { path: file, content: 'one\ntwo\n' } })
    }
    expect(fs.existsSync(path.join(root, '.clada'))).toBe(false)
  })

  it('gives an image as an image, described in the report, alone and in a document', async () => {
    const root = scratchDir()
    const png = Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), Buffer.alloc(20, 1)])
    fs.writeFileSync(path.join(root, 'a.png'), png)
    const { client } = await connected(root)
    const image = { type: 'image', data: png.toString('base64'), mimeType: 'image/png' }
    const text = {
      type: 'text',
      text: expect.stringContaining('a.png: PNG image, 16843009 x 16843009 pixels, 36 bytes'),
    }
    const alone = await client.callTool({ name: 'file_read', arguments: { path: 'a.png' } })
    expect(alone.content).toEqual([text, image])
    const inDocument = { document: '<---READ file="a.png"--->' }
    expect((await client.callTool({ name: 'execute', arguments: inDocument })).content).toEqual([text, image])
  })

  it('writes, as an execution that can be undone', async () => {
    const root = scratchDir({ 'a.txt': 'old\n' })
    const { call, client } = await connected(root)
    const { values } = await call('file_write', { path: 'a.txt', content: 'new\n' })
    expect(values).toMatchObject({ success: true, data: { bytesWritten: 4 } })
    expect(filesIn(root)).toEqual({ 'a.txt': 'new\n' })
    const { contents } = await client.readResource({ uri: 'clada://history/1' })
    expect(contents[0]).toMatchObject({ mimeType: 'text/x-diff', text: expect.stringContaining('-old\n+new\n') })
  })

  it('that fails says what to do next', async () => {
    const { call } = await connected(scratchDir({ 'a.txt': 'one\ntwo\n' }))
    const { text, values, isError } = await call('file_replace_text', {
      path: 'a.txt',
      old_text: 'twoo',
      new_text: '3',
    })
    expect(isError).toBe(true)
    expect(text).toMatch(/^file_replace_text: old_text not found in file \[match_count_mismatch\]\nnearest: line 2/)
    expect(text).not.toContain('===')
    expect(values).toMatchObject({
      success: false,
      code: 'match_count_mismatch',
      error: 'file_replace_text: old_text not found in file',
      details: { nearest: [{ line: 2 }], advice: expect.any(String) },
    })
  })

  it('takes numbers, booleans and lists for what they are', async () => {
    const root = scratchDir({ 'a.txt': 'x\nX\nx\n', 'b.txt': 'b\n' })
    const { call } = await connected(root)
    expect(
      (await call('grep', { pattern: 'x', path: '.', ignore_case: true, max: 2, include: null })).values,
    ).toMatchObject({
      data: [{ line_number: 1 }, { line_number: 2 }],
    })
    expect((await call('file_edit', { path: 'a.txt', old_text: 'x', new_text: 'y', count: 2 })).isError).toBe(false)
    expect((await call('files_read', { paths: ['a.txt', 'b.txt'] })).values).toMatchObject({
      data: { paths: ['a.txt', 'b.txt'], content: '=== a.txt ===\ny\nX\ny\n\n\n=== b.txt ===\nb\n' },
    })
  })

  it('with wrong arguments changes nothing and says what is wrong', async () => {
    const root = scratchDir({ 'a.txt': 'x\n' })
    const { call } = await connected(root)
    const wrong: [string, Record<string, unknown>, string, string][] = [
      ['file_write', { path: 'a.txt' }, 'Missing required parameter: content', 'file_write needs content'],
      ['file_write', { path: 'a.txt', content: { a: 1 } }, 'Invalid value: {"a":1}', "Parameter 'content'"],
      ['file_edit', { path: 'a.txt', old_text: 'x', new_text: 'y', count: 1.5 }, 'Invalid count value: 1.5', 'from 1'],
      ['grep', { pattern: 'x', path: '.', regex: 'yes' }, 'Invalid boolean value: yes', '"true" or "false"'],
      ['exec', { code: '1', lang: 'cobol' }, 'Invalid enum value: cobol', "'lang'"],
      ['files_read', { paths: ['a.txt\nb.txt'] }, 'Invalid path value: "a.txt\\nb.txt"', 'a text of its own'],
      ['files_read', { paths: ['a.txt', 7] }, 'Invalid path value: 7', 'a text of its own'],
      ['file_write', { path: 'a.txt', content: '\ud800' }, 'lone surrogate U+D800', 'whole character'],
      ['execute', { document: ['a'] }, 'Invalid value: ["a"]', "Parameter 'document'"],
      ['execute', { document: '', syntax: 'yaml' }, 'Invalid enum value: yaml', "'syntax'"],
      ['execute', {}, 'Missing required parameter: document', 'execute needs document'],
      ['file_write', { path: 5, content: 'x' }, 'Invalid value: 5', 'in quotes'],
      ['file_write', { path: 'n.txt', content: 12.5 }, 'Invalid value: 12.5', 'in quotes'],
      ['exec', { code: true, lang: 'bash' }, 'Invalid value: true', 'in quotes'],
    ]
    for (const [tool, values, message, advice] of wrong) {
      const answer = await call(tool, values)
      expect(answer.isError, tool).toBe(true)
      expect(answer.values, tool).toMatchObject({ success: false, code: 'invalid_parameter' })
      expect(answer.text).toContain(message)
      expect(answer.text).toContain(advice)
      expect(answer.text).not.toMatch(/line \d|undefined/)
    }
    expect(filesIn(root)).toEqual({ 'a.txt': 'x\n' })
  })

  it('makes several edits given as a list, or as the text of one, all or none', async () => {
    const root = scratchDir({ 'a.txt': 'one\ntwo\nthree\n' })
    const { call } = await connected(root)
    const edits = [
      { old_text: 'one\n', new_text: '' },
      { old_string: 'three', new_string: '=======' },
    ]
    expect((await call('file_edit', { path: 'a.txt', edits })).values).toMatchObject({ data: { replacements: 2 } })
    expect(filesIn(root)).toEqual({ 'a.txt': 'two\n=======\n' })
    const text = JSON.stringify([{ old_text: 'two', new_text: '2' }])
    expect((await call('file_edit', { path: 'a.txt', edits: text })).isError).toBe(false)
    const wrong = [
      { old_text: '2', new_text: '3' },
      { old_text: 'nowhere', new_text: '' },
    ]
    const { text: report, values } = await call('file_edit', { path: 'a.txt', edits: wrong })
    expect(values).toMatchObject({ code: 'match_count_mismatch' })
    expect(report).toContain('edit 2: old_text not found in file')
    for (const bad of [[], [7], [{ old_text: 'x' }], '[{', {}])
      expect((await call('file_edit', { path: 'a.txt', edits: bad })).values).toMatchObject({
        code: 'invalid_parameter',
      })
    expect(filesIn(root)).toEqual({ 'a.txt': '2\n=======\n' })
  })

  it('warns of arguments it does not know', async () => {
    const { call } = await connected(scratchDir({ 'a.txt': 'x' }))
    const warning = "parameter 'pth' is not known and was ignored; did you mean 'path'?"
    const { text, values } = await call('file_read', { path: 'a.txt', pth: { deep: [1] } })
    expect(values).toMatchObject({ success: true, warnings: [warning] })
    expect(text).toContain(warning)
  })

  it('in a project that is gone says so', async () => {
    const root = scratchDir({ 'p/a.txt': 'x' })
    const { call } = await connected(path.join(root, 'p'))
    fs.rmSync(path.join(root, 'p'), { recursive: true })
    for (const [tool, values] of [
      ['file_read', { path: 'a.txt' }],
      ['execute', { document: writing(root, ['x.txt']) }],
    ] as const) {
      const { isError, text } = await call(tool, values)
      expect(isError).toBe(true)
      expect(text).toContain('is not a directory')
    }
  })

  it('of an unknown tool is an error of the protocol', async () => {
    const { client } = await connected(scratchDir())
    for (const name of ['file_reed', 'undo', 'constructor', '']) {
      await expect(client.callTool({ name, arguments: {} })).rejects.toMatchObject({ code: -32602 })
    }
    await expect(client.callTool({ name: 'file_reed' })).rejects.toThrow('Did you mean file_read?')
  })

  it('gets out of the project as little as a document does', async () => {
    const root = scratchDir({ 'p/a.txt': 'x', 'p/.env': 'KEY=1', 'p/.git/config': 'g', 'secret.txt': 's' })
    fs.symlinkSync(path.join(root, 'secret.txt'), path.join(root, 'p/link'))
    const before = filesIn(root)
    const { call } = await connected(path.join(root, 'p'))
    const attacks: [string, Record<string, unknown>, string][] = [
      ['file_read', { path: '../secret.txt' }, 'path_escape'],
      ['file_read', { path: path.join(root, 'secret.txt') }, 'path_escape'],
      ['file_read', { path: `file://${root}/secret.txt` }, 'invalid_parameter'],
      ['file_read', { path: 'link' }, 'symlink_not_allowed'],
      ['file_read', { path: '.env' }, 'path_denied'],
      ['files_read', { paths: ['a.txt', '../secret.txt'] }, 'path_escape'],
      ['file_write', { path: '.git/config', content: 'x' }, 'path_denied'],
      ['file_write', { path: '.clada/x', content: 'x' }, 'path_denied'],
      ['file_move', { old_path: 'a.txt', new_path: '../b.txt' }, 'path_escape'],
      ['run', { command: 'cat ../secret.txt' }, 'path_escape'],
      ['run', { command: 'cat a.txt; rm a.txt' }, 'command_not_allowed'],
      ['file_read', { path: 'a.txt\u202e' }, 'invalid_parameter'],
    ]
    for (const [tool, values, code] of attacks) {
      const { isError, values: told } = await call(tool, values)
      expect({ tool, values, isError, code: told['code'] }).toEqual({ tool, values, isError: true, code })
    }
    const { values } = await call('execute', { document: writing(path.dirname(root), ['x.txt']) })
    expect(values).toMatchObject({ success: false, results: [{ code: 'path_escape' }] })
    expect(filesIn(root)).toEqual(before)
  })
})
