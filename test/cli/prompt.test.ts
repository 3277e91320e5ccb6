import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { carriesToken, quotesInstruction } from '../../packages/clada/src/watch/token.ts'
import { Display, displayNeeds } from '../clipboard/support/display.ts'
import type { Ran } from '../support/cli.ts'
import { called as start } from '../support/in-process.ts'
import { fill, filesIn, remove, scratchDir } from '../support/scratch.ts'
import { needs } from '../support/needs.ts'

const state = fs.mkdtempSync(path.join(os.tmpdir(), 'clada-state-'))
afterAll(() => remove(state))

/** Without a desktop, and with a state directory of its own. */
const clada = (args: readonly string[], options: { cwd: string }): Promise<Ran> =>
  start(args, { ...options, env: { XDG_STATE_HOME: state, DISPLAY: '', WAYLAND_DISPLAY: '' } })

const cart = 'export class Cart {\n  total() {\n    return 0\n  }\n}\n'

describe('clada prompt', () => {
  it('prints the prompt, and its length beside it', async () => {
    const cwd = scratchDir()
    const { status, stdout, stderr } = await clada(['prompt'], { cwd })
    expect(status).toBe(0)
    expect(stdout).toContain(`The project is \`${path.basename(cwd)}\`. Paths are relative to its root.`)
    // A chat need not learn where the project is.
    expect(stdout).not.toContain(cwd)
    expect(stdout).toContain('- `file_write(path, content)` Write a whole file.')
    expect(stderr).toBe(`clada: ${Math.ceil(stdout.length / 4)} tokens\n`)
    expect(await clada(['prompt', '-q'], { cwd })).toEqual({ status: 0, stdout, stderr: '' })
    expect(filesIn(cwd)).toEqual({})
  })

  it.each(['sham', 'csl', 'cml', 'replacer'])('teaches %s', async (syntax) => {
    const { status, stdout } = await clada(['prompt', '--syntax', syntax], { cwd: scratchDir() })
    expect(status).toBe(0)
    expect(stdout).toContain('## Another example')
  })

  it('is short for a format that models know by themselves', async () => {
    const { status, stdout } = await clada(['prompt', '--syntax', 'udiff'], { cwd: scratchDir() })
    expect(status).toBe(0)
    expect(stdout).toContain('+++ b/src/greet.js')
    expect(stdout.length).toBeLessThan(1600)
    expect((await clada(['prompt', 'csl'], { cwd: scratchDir() })).status).toBe(2)
  })

  it.each(['sham', 'csl', 'cml', 'replacer', 'search-replace', 'apply-patch', 'udiff'])(
    'is no reply: nothing of it runs in %s',
    async (syntax) => {
      const cwd = scratchDir({ 'src/greet.js': "export function greet(name) {\n  return 'Hello ' + name\n}\n" })
      for (const flags of [[], ['--all'], ['--task', 'Fix it']]) {
        const { stdout: input } = await clada(['prompt', '--syntax', syntax, ...flags], { cwd })
        const { status, stdout } = await start(['diff', '--json'], { cwd, input, env: { XDG_STATE_HOME: state } })
        expect({ status, ...JSON.parse(stdout) }).toMatchObject({ status: 0, result: { results: [] } })
        expect(stdout).not.toContain('+++')
      }
    },
  )

  it('has the task and the map of the project, and the words of what is approved', async () => {
    const cwd = scratchDir({
      'src/cart.js': 'export function total(items) {}\n',
      'package.json': '{"scripts":{"test":"true"}}',
    })
    expect((await clada(['approve', 'npm test'], { cwd })).status).toBe(0)
    const { stdout } = await clada(['prompt', '--task', 'The total is wrong'], { cwd })
    expect(stdout).toContain('Approved, by these words (* is any arguments): `npm test`.')
    expect(stdout).toContain('src/cart.js: function total(items)')
    expect(stdout.endsWith('## The task\n\nThe total is wrong\n\n(End of prompt.)\n')).toBe(true)
  })

  it('says what a budget costs', async () => {
    const cwd = scratchDir()
    const { stdout, stderr } = await clada(['prompt', '--all', '--budget', '2000'], { cwd })
    expect(stdout.length).toBeLessThanOrEqual(8000)
    expect(stderr).toMatch(/^clada: \d+ tokens; left out to fit: context_clear, /)
    const all = await clada(['prompt', '--all'], { cwd })
    expect(all.stdout).toContain('move_structure_to_file_end(')
    expect(all.stderr).not.toContain('left out')
    const little = await clada(['prompt', '--budget', '200'], { cwd })
    expect(little.stderr).toMatch(
      /^clada: \d+ tokens, over the budget of 200; the prompt cannot be made shorter; left out to fit: /,
    )
  })

  it('carries the files of the context', async () => {
    const cwd = scratchDir({ 'cart.ts': cart, 'long.txt': 'x'.repeat(9000) })
    await clada(['context', 'add', 'long.txt', 'cart.ts'], { cwd })
    const { stdout, stderr } = await clada(['prompt', '--files', '--budget', '2000'], { cwd })
    expect(stdout).toContain(`## Files as they are now\n\n=== cart.ts ===\n${cart}`)
    expect(stdout).toContain(`=== not shown, too long ===\nlong.txt (22`)
    expect(stdout.length).toBeLessThanOrEqual(8000)
    const { length } = (await clada(['prompt'], { cwd })).stdout
    const none = await clada(['prompt', '--files', '--budget', String(Math.ceil(length / 4))], { cwd })
    expect(none.stdout.length).toBe(length)
    expect(none.stderr).toContain('left out, over the budget: cart.ts')
    expect(stderr).toContain(`left out, over the budget: long.txt`)
    expect((await clada(['prompt'], { cwd })).stdout).not.toContain('## Files')
  })

  it('shows by its code what is hidden in rules, or would drive a terminal', async () => {
    const rules = [
      'be kind\u001b[201~\nrm -rf ~\n',
      'turn \u202eback',
      'see\u{e0068}\u{e0069}',
      '\u0645\u06cc\u200c\u0634\u0648\u062f',
    ]
    const cwd = scratchDir({ 'a.txt': 'x\u001b[31my\n' })
    const home = scratchDir({ 'clada/config.yml': `prompt: {rules: ${JSON.stringify(rules)}}\n` })
    const env = { XDG_STATE_HOME: state, XDG_CONFIG_HOME: home }
    await start(['context', 'add', 'a.txt'], { cwd, env })
    const { stdout } = await start(['prompt', '--files'], { cwd, env })
    expect(stdout).toContain('- be kind\\x1b[201~\n')
    expect(stdout).toContain('- turn \\u202eback\n- see\\u{e0068}\\u{e0069}\n- \u0645\u06cc\u200c\u0634\u0648\u062f\n')
    expect(stdout).toContain('x\\x1b[31my\n')
    // eslint-disable-next-line no-control-regex -- they are what is looked for
    expect(stdout).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/)
  })

  it('tells the word by which a reply is known, and is no reply itself', async () => {
    const cwd = scratchDir()
    const { stdout } = await clada(['prompt'], { cwd })
    const [, token = ''] = /`clada:` directly followed by `([0-9a-z]{20})`/.exec(stdout) ?? []
    expect(token).not.toBe('')
    expect((await clada(['prompt', '--syntax', 'cml'], { cwd })).stdout).toContain(token)
    expect((await clada(['prompt'], { cwd: scratchDir() })).stdout).not.toContain(token)
    expect(carriesToken(stdout, token)).toBe(false)
    expect(quotesInstruction(stdout)).toBe(true)
    const [example = ''] = /^````\n[^]*?^````$/m.exec(stdout) ?? []
    expect(carriesToken(`${example}\nDone.\n\nclada:${token}\n`, token)).toBe(true)
  })

  it('teaches nothing where nothing can be said', async () => {
    const cwd = scratchDir({ 'clada.yml': 'allowed_actions: [grep]\n' })
    expect(await clada(['prompt', '--syntax', 'csl'], { cwd })).toEqual({
      status: 2,
      stdout: '',
      stderr:
        'clada: No action that is allowed here can be written in csl. See clada config allowed_actions; --syntax sham can write all of them.\n',
    })
    expect((await clada(['prompt'], { cwd })).status).toBe(0)
  })

  it('says when what it teaches would not be looked for', async () => {
    const cwd = scratchDir({ 'clada.yml': 'syntaxes: [sham]\n' })
    expect((await clada(['prompt', '--syntax', 'csl'], { cwd })).stderr).toMatch(
      /^clada: the config has syntaxes: \[sham\], so blocks in csl are found only with --syntax csl$/m,
    )
    expect((await clada(['prompt', '--syntax', 'sham'], { cwd })).stderr).toMatch(/^clada: \d+ tokens\n$/)
  })

  it('asks the terminal to copy with --osc52 alone, and where the config says so', async () => {
    const cwd = scratchDir({ 'a.txt': 'A\n' })
    await clada(['context', 'add', 'a.txt'], { cwd })
    const { stdout } = await clada(['prompt'], { cwd })
    const refused = /^clada: Not copied by OSC 52: neither stderr nor stdout is a terminal\.$/m
    expect(await clada(['prompt', '--osc52'], { cwd })).toMatchObject({
      status: 1,
      stdout,
      stderr: expect.stringMatching(refused),
    })
    expect((await clada(['context', 'print', '--osc52'], { cwd })).stderr).toMatch(refused)
    expect((await clada(['prompt', '--copy'], { cwd })).stderr).not.toMatch(refused)
    fill(cwd, { 'config/clada/config.yml': 'clipboard: {osc52: true}\n' })
    const env = { XDG_STATE_HOME: state, XDG_CONFIG_HOME: path.join(cwd, 'config'), DISPLAY: '', WAYLAND_DISPLAY: '' }
    const root = scratchDir()
    expect((await start(['prompt', '--copy'], { cwd: root, env })).stderr).toMatch(refused)
    expect((await start(['prompt'], { cwd: root, env })).stderr).not.toMatch(refused)
  })

  it('prints what no clipboard takes', async () => {
    const cwd = scratchDir()
    const { stdout } = await clada(['prompt'], { cwd })
    expect(await clada(['prompt', '--copy', '-q'], { cwd })).toEqual({
      status: 1,
      stdout,
      stderr: expect.stringMatching(/^clada: No clipboard: .*\n$/),
    })
  })

  it('has help with examples', async () => {
    const { stdout } = await clada(['prompt', '--help'], { cwd: scratchDir() })
    expect(stdout).toContain('clada prompt --files --budget 20000')
    expect(stdout).toContain('--syntax NAME')
  })
})

describe('clada context', () => {
  it('adds, lists, removes, clears', async () => {
    const cwd = scratchDir({ 'a.txt': 'hello\n', 'cart.ts': cart })
    const context = (...args: string[]) => clada(['context', ...args], { cwd })
    expect(await context()).toEqual({
      status: 0,
      stdout: 'The working set is empty. Add files with: clada context add PATH…\n',
      stderr: '',
    })
    expect((await context('add', 'a.txt', 'cart.ts@@Cart@@total')).stdout).toBe(
      'a.txt (2 tokens) added\ncart.ts@@Cart@@total (6 tokens) added\n',
    )
    expect((await context('add', 'a.txt')).stdout).toBe('a.txt (2 tokens) is in the working set already\n')
    expect((await context('list')).stdout).toBe(
      'a.txt  6 bytes, 2 tokens\ncart.ts@@Cart@@total  23 bytes, 6 tokens\n2 entries, 8 tokens\n',
    )
    expect((await context('remove', 'a.txt')).stdout).toBe('a.txt removed\n')
    expect((await context('prune')).stdout).toBe('Nothing to remove.\n')
    expect(JSON.parse((await context('list', '--json')).stdout)).toMatchObject([
      { success: true, data: [{ path: `${cwd}/cart.ts@@Cart@@total`, size: 23 }] },
    ])
    expect((await context('clear')).stdout).toBe('The working set is empty now.\n')
    expect((await context('list')).stdout).toBe('The working set is empty. Add files with: clada context add PATH…\n')
  })

  it('takes directories and globs, and leaves out what is ignored, blocked or binary', async () => {
    const cwd = scratchDir({
      '.gitignore': 'gen.ts\n',
      'src/a.ts': 'a\n',
      'src/deep/b.ts': 'b\n',
      'src/gen.ts': 'c\n',
      'src/key.pem': 'k\n',
      'docs/one.md': '1\n',
      'docs/two.txt': '2\n',
    })
    fs.writeFileSync(path.join(cwd, 'src/logo.png'), Buffer.from([0x89, 0x50, 0x4e, 0x47]))
    const context = (...args: string[]) => clada(['context', ...args], { cwd })
    const { stdout } = await context('add', 'src', 'docs/*.md')
    expect(stdout).toContain('src (2 tokens) added: 2 files\n  src/a.ts\n  src/deep/b.ts\n! left out src/key.pem: ')
    expect(stdout).toContain('! left out src/logo.png: ')
    expect(stdout).toContain('docs/*.md (1 token) added: 1 file\n  docs/one.md\n')
    expect((await context('remove', 'src')).stdout).toBe('src removed\n')
    expect((await context('list')).stdout).toBe('docs/one.md  2 bytes, 1 token\n')
    expect((await context('remove', 'docs/*.md')).stdout).toBe('docs/*.md removed\n')
    expect((await context('add', 'docs/*.ts')).stderr).toContain('no file matches it')
  })

  it('goes on after a path that it refuses, and says why', async () => {
    const cwd = scratchDir({ 'a.txt': 'A', '.env': 'KEY=1' })
    const { status, stdout, stderr } = await clada(['context', 'add', '.env', 'none.txt', 'a.txt'], { cwd })
    expect(status).toBe(1)
    expect(stdout).toBe('a.txt (1 token) added\n')
    expect(stderr).toContain("Path not allowed '.env': it matches the denied pattern '*.env' (path_denied)")
    expect(stderr).toContain("There is no file 'none.txt'")
  })

  it('is called right', async () => {
    const cwd = scratchDir()
    for (const words of [['add'], ['remove'], ['list', 'a'], ['print', 'a'], ['show']])
      expect(await clada(['context', ...words], { cwd })).toMatchObject({ status: 2, stdout: '' })
    expect(filesIn(cwd)).toEqual({})
  })
})

describe('clada context print', () => {
  const project = async (): Promise<string> => {
    const cwd = scratchDir({ 'a.txt': 'one\ntwo\n', 'cart.ts': `${cart}\nexport const tax = 7\n`, 'b.txt': 'B' })
    await clada(['context', 'add', 'a.txt', 'cart.ts@@Cart@@total', 'b.txt'], { cwd })
    return cwd
  }

  it('shows files and structures as one text, sizes beside it', async () => {
    const cwd = await project()
    const { status, stdout, stderr } = await clada(['context', 'print'], { cwd })
    expect(status).toBe(0)
    expect(stdout).toBe(
      `=== a.txt ===\none\ntwo\n\n\n=== cart.ts@@Cart@@total ===\ntotal() {\n  return 0\n}\n\n\n=== b.txt ===\nB\n`,
    )
    expect(stderr).toContain('\nb.txt  ')
    expect(stderr).toMatch(/\n3 files, \d+ tokens\n$/)
  })

  it('has the form of files_read', async () => {
    const cwd = scratchDir({ 'a.txt': 'one\n', 'b.txt': 'B' })
    await clada(['context', 'add', 'a.txt', 'b.txt'], { cwd })
    const read = await clada(['do', 'files_read', `paths=a.txt\nb.txt`, '--json'], { cwd })
    expect((await clada(['context', 'print'], { cwd })).stdout).toBe(
      `${JSON.parse(read.stdout).results[0].data.content}\n`,
    )
  })

  it('numbers lines as they are in the file', async () => {
    const cwd = await project()
    const { stdout } = await clada(['context', 'print', '--numbered'], { cwd })
    expect(stdout).toContain(`=== cart.ts@@Cart@@total ===\n2:   total() {\n3:     return 0\n4:   }\n`)
  })

  it('shows only headers with --outline', async () => {
    const cwd = await project()
    await clada(['context', 'add', 'cart.ts'], { cwd })
    const { stdout } = await clada(['context', 'print', '--outline'], { cwd })
    expect(stdout).toContain(`=== a.txt ===\n[no outline, 3 lines: LANGUAGE_UNSUPPORTED]\n`)
    expect(stdout).toContain('export class Cart  (class)')
    expect(stdout).not.toContain('return 0')
    await clada(['context', 'remove', 'cart.ts'], { cwd })
    const part = (await clada(['context', 'print', '--outline'], { cwd })).stdout
    expect(part).toContain(`=== cart.ts@@Cart@@total ===\n      2-4  total()  (method)`)
    expect(part).not.toContain('class Cart')
  })

  it('shows a structure once: not again where its file is shown', async () => {
    const cwd = await project()
    await clada(['context', 'add', 'cart.ts'], { cwd })
    expect((await clada(['context', 'print'], { cwd })).stdout.match(/total\(\)/g)).toHaveLength(1)
  })

  it('names what a budget leaves out', async () => {
    const cwd = await project()
    fill(cwd, { 'a.txt': 'long '.repeat(400) })
    const { status, stdout } = await clada(['context', 'print', '--budget', '120'], { cwd })
    expect(status).toBe(0)
    expect(stdout.length).toBeLessThanOrEqual(481)
    expect(stdout).toContain(`=== b.txt ===\nB\n`)
    expect(stdout).toContain(`\n\n=== not shown, too long ===\na.txt (5`)
  })

  it('refuses what was denied since, and what is gone', async () => {
    const cwd = scratchDir({ 'a.txt': 'A', 'key.pem': 'secret' })
    fill(cwd, {
      '.clada/context.json': JSON.stringify({
        version: 1,
        entries: ['key.pem', 'gone.txt', '/etc/hostname', 'a.txt'].map((path) => ({
          path,
          added: '2026-01-01T00:00:00Z',
        })),
      }),
    })
    await clada(['trust', '--history'], { cwd })
    const { status, stdout, stderr } = await clada(['context', 'print'], { cwd })
    expect(status).toBe(1)
    expect(stdout).toBe(`=== a.txt ===\nA\n`)
    expect(stderr).toContain(`refused: key.pem: Path not allowed`)
    expect(stderr).toContain(`refused: gone.txt: `)
    expect(stderr).toContain('refused: /etc/hostname: ')
  })

  it('says when the list cannot be read', async () => {
    const cwd = scratchDir({ '.clada/context.json': '{' })
    await clada(['trust', '--history'], { cwd })
    expect(await clada(['context', 'print'], { cwd })).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining('clada: context_list: The working set cannot be read'),
    })
  })
})

describe('--copy', () => {
  needs(...displayNeeds)

  it('puts the text on the clipboard, and nothing on stdout', async () => {
    const display = await Display.open()
    onTestFinished(() => display.close())
    const cwd = scratchDir({ 'a.txt': 'grün ✓\n' })
    const env = { XDG_STATE_HOME: state, DISPLAY: `:${display.number}`, WAYLAND_DISPLAY: '' }
    expect(await start(['prompt', '--copy'], { cwd, env })).toMatchObject({
      status: 0,
      stdout: '',
      stderr: expect.stringMatching(/^clada: \d+ tokens\nclada: copied to the clipboard\n$/),
    })
    // xclip takes the selection in a child of its own, which may be slower than its parent.
    await expect.poll(() => display.paste()).toBe((await clada(['prompt'], { cwd })).stdout)
    await clada(['context', 'add', 'a.txt'], { cwd })
    expect(await start(['context', 'print', '--copy', '-q'], { cwd, env })).toEqual({
      status: 0,
      stdout: '',
      stderr: '',
    })
    await expect.poll(() => display.paste()).toBe(`=== a.txt ===\ngrün ✓\n`)
  })
})
