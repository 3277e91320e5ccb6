import fs from 'node:fs'
import path from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import {
  actionFailed,
  checkExamples,
  Clada,
  type CladaOptions,
  createClada,
  defineAction,
  ok,
  param,
} from '../../packages/clada/src/index.ts'
import { scratchDir } from '../support/scratch.ts'

let calls = 0
const addHeader = defineAction({
  name: 'add_header',
  aliases: ['header_add'],
  description: 'Put the licence header at the top of a file.',
  effect: 'write',
  params: { path: param.path('The file.'), year: param.integer('The year.') },
  returns: { path: 'string' },
  output: { text: ({ data }) => `header in ${data?.path}` },
  examples: [
    {
      title: 'adds the header',
      before: { 'a.js': 'x\n' },
      params: { path: 'a.js', year: '2026' },
      after: { 'a.js': '// (c) 2026\nx\n' },
    },
  ],
  async run({ path: file, year }, { files, signal }) {
    signal.throwIfAborted()
    const read = await files.read(file)
    if (read.text.startsWith('// (c)')) return actionFailed('it has a header already', 'Leave it.')
    await files.save(read, `// (c) ${year}\n${read.text}`)
    return ok({ path: file.given })
  },
})
const deploy = defineAction({
  name: 'deploy',
  description: 'Deploy it.',
  effect: 'exec',
  params: {},
  returns: { calls: 'integer' },
  examples: [],
  run: async () => ok({ calls: ++calls }),
})

const block = (action: string, params: Record<string, string>): string =>
  ['```sh sham', '#!SHAM [@three-char-SHA-256: abc]', `action = "${action}"`]
    .concat(Object.entries(params).map(([name, value]) => `${name} = "${value}"`))
    .concat('#!END_SHAM_abc', '```', '')
    .join('\n')

function project(): { root: string; clada: ReturnType<typeof createClada> } {
  const root = scratchDir()
  fs.writeFileSync(path.join(root, 'a.js'), 'x\n')
  return { root, clada: createClada({ repoPath: root, git: 'off', actions: [addHeader, deploy] }) }
}

const textOf = (root: string): string => fs.readFileSync(path.join(root, 'a.js'), 'utf8')

describe('an action of the program that uses clada', () => {
  it('runs, is reported and is undone like those of clada', async () => {
    const { root, clada } = project()
    const result = await clada.execute(block('header_add', { path: path.join(root, 'a.js'), year: '2026' }))
    expect(result.results[0]).toMatchObject({ success: true })
    expect(textOf(root)).toBe('// (c) 2026\nx\n')
    expect(await clada.report(result)).toContain('header in ')
    expect((await clada.undo()).success).toBe(true)
    expect(textOf(root)).toBe('x\n')
  })

  it('is staged in a preview', async () => {
    const { root, clada } = project()
    const { diff } = await clada.preview(block('add_header', { path: path.join(root, 'a.js'), year: '2026' }))
    expect(diff).toContain('+// (c) 2026')
    expect(textOf(root)).toBe('x\n')
  })

  it('is only named in a preview if it is a program', async () => {
    const { clada } = project()
    const { result } = await clada.preview(block('deploy', {}))
    expect(result.results[0]?.data).toEqual({ would_run: 'deploy' })
    expect(calls).toBe(0)
    await clada.execute(block('deploy', {}))
    expect(calls).toBe(1)
  })

  it('may not leave the project', async () => {
    const { clada } = project()
    const { results } = await clada.execute(block('add_header', { path: '/etc/hosts', year: '2026' }))
    expect(results[0]?.code).toBe('path_denied')
  })

  it('fails in its own words, and with wrong parameters like any other', async () => {
    const { root, clada } = project()
    const twice = block('add_header', { path: path.join(root, 'a.js'), year: '2026' })
    await clada.execute(twice)
    const { results } = await clada.execute(twice)
    expect(results[0]).toMatchObject({ success: false, code: 'action_failed' })
    expect(results[0]?.error).toContain('it has a header already')
    const wrong = await clada.execute(block('add_header', { path: path.join(root, 'a.js'), year: 'soon' }))
    expect(wrong.results[0]?.code ?? wrong.parseErrors[0]?.code).toBe('invalid_parameter')
  })

  it('is in the prompt, and no other project knows it', async () => {
    const { root, clada } = project()
    expect((await clada.prompt()).text).toContain('add_header')
    const other = createClada({ repoPath: root, git: 'off' })
    expect((await other.prompt()).text).not.toContain('add_header')
    expect((await other.execute(block('deploy', {}))).parseErrors[0]?.code).toBe('unknown_action')
  })

  it('cannot replace one of clada', async () => {
    const again = { ...deploy, name: 'file_write' }
    const { fatalError } = await createClada({ repoPath: scratchDir(), actions: [again] }).execute('')
    expect(fatalError).toBe("There is an action 'file_write' already. Give yours another name.")
  })

  it('has examples that can be checked', async () => {
    expect(await checkExamples(addHeader)).toEqual([])
    const wrong = { ...addHeader, examples: [{ title: 'wrong', params: { path: 'a.js', year: '1' } }] }
    expect(await checkExamples(wrong)).toEqual([expect.stringMatching(/^wrong: it failed: .*no such file/)])
  })
})

describe('tools for a model that calls functions', () => {
  it('are those that prompts teach and the own ones, and run by their names', async () => {
    const { clada } = project()
    const tools = await clada.tools()
    const names = tools.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['file_edit', 'run', 'exec', 'add_header']))
    expect(names).not.toContain('undo')
    expect((await clada.tools({ include: 'all' })).length).toBeGreaterThan(names.length)
    const ajv = new Ajv2020({ strict: false })
    for (const { inputSchema, description } of tools) {
      expect(ajv.validateSchema(inputSchema)).toBe(true)
      expect(description).not.toBe('')
    }
    const own = tools.find(({ name }) => name === 'add_header')
    expect(own?.inputSchema).toMatchObject({ properties: { path: { type: 'string' } }, required: ['path', 'year'] })
    expect((await clada.call('add_header', { path: 'a.js', year: 2026 })).success).toBe(true)
  })

  it('take the JSON that the model wrote, whatever it is', async () => {
    const { root, clada } = project()
    expect((await clada.call('add_header', '{"path": "a.js", "year": 2026, "note": null}')).success).toBe(true)
    expect(textOf(root)).toBe('// (c) 2026\nx\n')
    for (const wrong of ['{"path": "a.js", ', '', '[1]', 'null', '"a.js"', null as never, [1] as never]) {
      const result = await clada.call('add_header', wrong)
      expect([wrong, result.success, result.parseErrors[0]?.code]).toEqual([wrong, false, 'invalid_parameter'])
      expect(await clada.report(result, { for: 'tool' })).toContain('{"path": …, "year": …}')
    }
  })

  it('have a prompt of their own, with what the project says', async () => {
    const { clada } = project()
    const request = { task: 'Fix a.js', rules: ['Keep it short.'], map: 'a.js' }
    const { text, actions } = await clada.prompt({ for: 'tools', ...request })
    for (const part of ['Fix a.js', 'Keep it short.', '````\na.js\n````']) expect(text).toContain(part)
    expect(text).not.toMatch(/#!SHAM|action block|paste/)
    // One way to run tests, not two.
    expect(text.match(/run (?:the )?tests/gi)).toHaveLength(1)
    expect(actions).toContain('add_header')
    await clada.perform('context_add', { path: 'a.js' })
    expect((await clada.prompt({ for: 'tools', context: {} })).text).toContain('## Files as they are now')
  })

  it('are what the settings allow', async () => {
    const { root } = project()
    const names = async (more: CladaOptions): Promise<string[]> =>
      (await new Clada({ repoPath: root, ...more }).tools({ include: 'all' })).map(({ name }) => name)
    expect(await names({ allowedActions: ['grep'] })).toEqual(['grep'])
    expect(await names({ exec: 'off' })).not.toContain('exec')
  })
})

describe('a session', () => {
  const write = (file: string): string => block('file_write', { path: file, content: 'new' })

  it('has a working set and a token count of its own', async () => {
    const { clada } = project()
    const [one, two] = [clada.session(), clada.session()]
    await one.perform('context_add', { path: 'a.js' })
    expect(await one.context()).toMatchObject({ shown: [{ path: expect.stringContaining('a.js') }] })
    expect(await two.context()).toMatchObject({ shown: [], text: '' })
    const prompt = await one.prompt({ context: {} })
    expect(prompt.text).toContain('## Files as they are now')
    expect(one.tokens).toEqual({ sent: prompt.tokens, received: 0 })
    await one.execute('Nothing to do.')
    expect(one.tokens.received).toBeGreaterThan(0)
    expect(two.tokens).toEqual({ sent: 0, received: 0 })
  })

  it('counts what a model that calls functions wrote, and knows its own executions', async () => {
    const { clada } = project()
    const [one, two] = [clada.session(), clada.session({ directory: '.' })]
    await one.call('file_write', { path: 'one.txt', content: 'one' })
    await two.call('file_write', '{"path": "two.txt", "content": "two"}')
    expect([one.tokens.received > 0, two.tokens.received > 0]).toEqual([true, true])
    expect((await one.history()).map(({ number }) => number)).toEqual([1])
    expect((await two.history()).map(({ number }) => number)).toEqual([2])
    expect((await clada.history()).map(({ number }) => number)).toEqual([1, 2])
  })

  it('is undone as a whole, and without what others did', async () => {
    const { root, clada } = project()
    const [one, two] = [clada.session(), clada.session()]
    await one.execute(write(path.join(root, 'one.txt')))
    await two.execute(write(path.join(root, 'two.txt')))
    await clada.session({ id: one.id }).execute(write(path.join(root, 'three.txt')))
    const undone = await one.undoAll()
    expect(undone).toMatchObject({ success: true, executions: [3, 1] })
    expect(fs.readdirSync(root).filter((name) => name.endsWith('.txt'))).toEqual(['two.txt'])
    expect(await one.undoAll()).toMatchObject({ success: false })
  })

  it('is confined to its directory, which is inside the project', async () => {
    const { root, clada } = project()
    fs.mkdirSync(path.join(root, 'sub'))
    const session = clada.session({ directory: 'sub' })
    expect((await session.call('file_write', { path: 'b.txt', content: 'b' })).success).toBe(true)
    expect(fs.existsSync(path.join(root, 'sub/b.txt'))).toBe(true)
    expect((await session.call('file_write', { path: '../c.txt', content: 'c' })).results[0]?.code).toBe('path_escape')
    expect(() => clada.session({ directory: '..' })).toThrow('inside the project')
  })
})

describe('a report', () => {
  it('is for a model, the result of a tool, a person or a program', async () => {
    const { clada } = project()
    const result = await clada.call('file_read', { path: 'a.js' })
    expect(await clada.report(result)).toContain('=== CLADA RESULTS ===')
    expect(await clada.report(result, { for: 'tool' })).toBe('x\n')
    expect(await clada.report(result, { for: 'person' })).toContain('SUCCESS')
    expect(JSON.parse(await clada.report(result, { for: 'program' }))).toMatchObject({ success: true })
  })
})
