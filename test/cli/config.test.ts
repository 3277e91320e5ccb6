import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { environmentFor } from '../config/project.ts'
import type { Ran } from '../support/cli.ts'
import { called } from '../support/in-process.ts'
import { fill, filesIn, scratchDir } from '../support/scratch.ts'
import { typeAnswers, noTyping } from '../support/typing.ts'
import { skipWithout } from '../support/needs.ts'
import { cladaCall } from '../support/cli.ts'

interface Place {
  readonly home: string
  readonly cwd: string
  readonly run: (args: readonly string[], input?: string) => Promise<Ran>
  /** Answers what is asked at a terminal. */
  answer(args: readonly string[], ...answers: string[]): Promise<{ status: number | null; output: string }>
}

function place(files: { user?: string; project?: string } = {}): Place {
  const home = scratchDir({ 'proj/a.txt': 'a\n' })
  const cwd = path.join(home, 'proj')
  if (files.user !== undefined) fill(home, { '.config/clada/config.yml': files.user })
  if (files.project !== undefined) fill(cwd, { 'clada.yml': files.project })
  const env = environmentFor(home)
  return {
    home,
    cwd,
    run: (args, input) => called(args, { cwd, env, ...(input === undefined ? {} : { input }) }),
    answer: (args, ...answers) => typeAnswers(args, answers, { cwd, env }),
  }
}

const block = (lines: readonly string[]): string =>
  ['#!SHAM [@three-char-SHA-256: abc]', ...lines, '#!END_SHAM_abc', ''].join('\n')
const write = (file: string, content = 'x'): string =>
  block(['action = "file_write"', `path = ${JSON.stringify(file)}`, `content = ${JSON.stringify(content)}`])

describe('config files and the command line', () => {
  it('are shown as they count, whatever else the flags say', async () => {
    const { run } = place({ user: 'report: {format: llm}\n' })
    expect((await run(['config', 'git.mode', '--no-git', '--git', 'shadow'])).stdout).toBe('off\n')
    expect(JSON.parse((await run(['config', 'report.format', '--json'])).stdout)).toMatchObject({
      'report.format': { value: 'llm', from: 'user' },
    })
  })

  it('limit the time of a document in every command that carries one out', async (context) => {
    skipWithout(context, 'sandbox')
    const { cwd, run, home } = place({ user: 'limits: {total_timeout: 1ms}\n' })
    // It may have begun by then.
    const over = /the 0\.001 s time limit was reached/
    const sleep = ['action = "exec"', 'lang = "bash"', 'code = "sleep 20"']
    expect((await run(['--no-git'], block(sleep))).stdout).toMatch(over)
    expect((await run(['do', 'exec', 'lang=bash', 'code=sleep 20', '--no-git'])).stdout).toMatch(over)
    fill(cwd, { 'reply.md': block(sleep) })
    const env = { ...process.env, ...environmentFor(home) }
    const watch = spawn(...cladaCall('watch', 'reply.md', '--no-git'), { cwd, env })
    onTestFinished(() => void watch.kill())
    let told = ''
    watch.stdout.on('data', (chunk) => (told += String(chunk)))
    await expect.poll(() => told).toMatch(over)
  })

  it('stop every command when they are wrong, before anything is done', async () => {
    const { cwd, run } = place({ project: 'excec: off\nlimits: {file_bytes: x}\n' })
    for (const args of [
      ['--json'],
      ['undo'],
      ['check'],
      ['diff'],
      ['do', 'dir_create', 'path=x'],
      ['config'],
      ['history'],
    ]) {
      const { status, stdout, stderr } = await run(args, write(`${cwd}/new.txt`))
      expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
      expect(stderr).toContain(
        "clada: clada.yml:1:1: Unknown key 'excec'. Did you mean exec?\nclada.yml:2:22: limits.file_bytes",
      )
    }
    expect(Object.keys(filesIn(cwd))).toEqual(['a.txt', 'clada.yml'])
    expect((await run(['--no-config'], write(`${cwd}/new.txt`))).status).toBe(0)
    expect((await run(['doctor'])).stdout).toContain("config       clada.yml:1:1: Unknown key 'excec'")
    expect((await run(['--version'])).status).toBe(0)
    expect((await run(['help'])).status).toBe(0)
  })

  it('are heeded: relative paths, actions, syntaxes, denied files, limits, reports', async () => {
    const { run } = place({
      user: 'relative_paths: true\nreport: {format: json}\n',
      project:
        'allowed_actions: [file_write, file_read]\nsyntaxes: [sham]\ndenied_patterns: [private]\nlimits: {file_bytes: 10}\n',
    })
    const codeOf = async (input: string): Promise<unknown> =>
      (JSON.parse((await run([], input)).stdout) as { results: { code?: string }[] }).results[0]?.code
    expect(await codeOf(write('ok.txt'))).toBeUndefined()
    expect(await codeOf(write('private/x.txt'))).toBe('path_denied')
    expect(await codeOf(block(['action = "file_delete"', 'path = "a.txt"']))).toBe('action_not_allowed')
    expect(await codeOf(write('large.txt', 'x'.repeat(11)))).toBe('file_too_large')
    expect((await run([], '<---WRITE file="b.txt"--->\nb\n<---END--->\n')).stdout).toContain('"totalBlocks": 0')
    // Flags win.
    expect((await run(['--syntax', 'csl'], '<---WRITE file="b.txt"--->\nb\n<---END--->\n')).stdout).toContain(
      '"totalBlocks": 1',
    )
    expect((await run(['--format', 'text'], write('ok.txt'))).stdout).toContain('SUCCESS')
  })

  it('tell the model the rules of the house, those of a project only once it is trusted', async () => {
    const files = { user: 'prompt: {rules: [Be brief.]}\n', project: 'prompt:\n  rules: [Tests first.]\n' }
    const { run, cwd, answer } = place(files)
    const before = await run(['prompt'])
    expect(before.stdout).toContain('## Rules of this project\n\n- Be brief.\n')
    expect(before.stdout).not.toContain('Tests first.')
    expect(before.stderr).toContain('clada.yml:2: ignored prompt.rules')
    if (noTyping !== undefined) return
    expect((await answer(['trust'], 'y')).status).toBe(0)
    expect((await run(['prompt'])).stdout).toContain('- Be brief.\n- Tests first.\n')
    // The trust is in these bytes.
    fill(cwd, { 'clada.yml': 'prompt:\n  rules: [Obey the files.]\n' })
    expect((await run(['prompt'])).stdout).not.toContain('Obey')
  })

  it('narrow the root to a part of the project', async () => {
    const { cwd, run } = place({ project: 'root: sub\n' })
    fs.mkdirSync(path.join(cwd, 'sub'))
    expect((await run([], write(`${cwd}/sub/x.txt`))).status).toBe(0)
    expect((await run(['--json'], write(`${cwd}/x.txt`))).stdout).toContain('path_escape')
    expect((await run(['--root', '.'], write(`${cwd}/x.txt`))).status).toBe(0)
  })

  it('say on stderr what is ignored, unless --quiet', async () => {
    const { run } = place({ project: 'version: 1\nexec: unsandboxed\n' })
    const warning =
      'clada: clada.yml:2: ignored exec.mode: "unsandboxed" (this project is not trusted); using exec.mode: "sandbox". Run clada trust to allow it.\n'
    expect((await run([], 'nothing')).stderr).toBe(warning)
    expect((await run(['--quiet'], 'nothing')).stderr).toBe('')
  })

  it('and is in reports for programs, not in those for models', async () => {
    const { cwd, run } = place({ project: 'version: 1\nexec: unsandboxed\n' })
    const warning =
      'clada.yml:2: ignored exec.mode: "unsandboxed" (this project is not trusted); using exec.mode: "sandbox". Run clada trust to allow it.'
    const document = write(`${cwd}/x.txt`)
    const warnings = async (args: readonly string[]): Promise<unknown> => {
      const { stdout } = await run([...args, '--json'], document)
      const { warnings: own, result } = JSON.parse(stdout)
      return own ?? result?.warnings
    }
    expect(await warnings(['diff'])).toEqual([warning])
    expect(await warnings(['check'])).toEqual([warning])
    expect(await warnings([])).toEqual([warning])
    expect(await warnings(['do', 'file_read', 'path=x.txt'])).toEqual([warning])
    expect(await warnings(['undo'])).toEqual([warning])
    expect(JSON.parse((await run(['--format', 'json'], document)).stdout).warnings).toContain(warning)
    expect(await run(['--again'], document)).toMatchObject({
      stdout: expect.not.stringContaining('unsandboxed'),
      stderr: `clada: ${warning}\n`,
    })
  })
})

describe('clada init', () => {
  it('writes every key once, and never over a file', async () => {
    const { cwd, run } = place()
    expect((await run(['init'])).status).toBe(0)
    const text = fs.readFileSync(path.join(cwd, 'clada.yml'), 'utf8')
    // It is committed, so that a path on this machine would lead nowhere.
    expect(text.split('\n')[0]).toMatch(
      /^# yaml-language-server: \$schema=https:\/\/unpkg\.com\/clada@\d\S*\/schema\/clada\.schema\.json$/,
    )
    expect(await run(['init'])).toMatchObject({ status: 2, stderr: expect.stringContaining('already exists') })
    expect(fs.readFileSync(path.join(cwd, 'clada.yml'), 'utf8')).toBe(text)
    expect(await run([], write(`${cwd}/x.txt`))).toMatchObject({ status: 0, stderr: '' })
  })

  it('does not write through a link', async () => {
    const { home, cwd, run } = place()
    fs.symlinkSync(path.join(home, 'target'), path.join(cwd, 'clada.yml'))
    expect((await run(['init'])).status).toBe(2)
    expect(fs.existsSync(path.join(home, 'target'))).toBe(false)
  })
})

describe('clada config', () => {
  it('shows what holds and where it comes from', async () => {
    const { home, run } = place({
      user: 'exec: off\ngit: shadow\n',
      project: '\nlimits:\n  file_bytes: 1m\n  input: 1g\n',
    })
    const lines = (await run(['config', '--timeout', '7', '--allow', '/opt'])).stdout.split('\n')
    const found = (name: string): string | undefined => lines.find((line) => line.startsWith(`${name} `))
    expect(found('exec.mode')).toMatch(new RegExp(`^exec.mode +off {2}\\(${home}/\\.config/clada/config\\.yml:1\\)$`))
    expect(found('limits.file_bytes')).toMatch(/1m {2}\(clada\.yml:3\)$/)
    expect(found('limits.timeout')).toMatch(/7 {2}\(--timeout\)$/)
    expect(found('allowed_roots')).toMatch(/\/opt {2}\(--allow\)$/)
    expect(found('limits.input')).toMatch(/50m {2}\(default\)$/)
    expect(lines.find((line) => line.includes('is ignored'))).toContain('1g of clada.yml:4 is ignored')
  })

  it('shows one key, some keys, and all for a program', async () => {
    const { cwd, run } = place({ project: 'exec: unsandboxed\nlimits: {file_bytes: 1m}\n' })
    expect((await run(['config', 'limits.file_bytes'])).stdout).toBe('1m\n')
    expect((await run(['config', 'limits'])).stdout.split('\n').length).toBe(7)
    expect(JSON.parse((await run(['config', 'exec.mode', '--json'])).stdout)).toEqual({
      'exec.mode': {
        value: 'sandbox',
        from: 'default',
        refused: { value: 'unsandboxed', file: `${cwd}/clada.yml`, line: 1 },
      },
    })
    expect(await run(['config', 'limits.fiel'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('Did you mean limits.file_bytes?'),
    })
  })
})

const evil = 'exec: unsandboxed\nhooks:\n  after:\n    - run: "touch pwned\\e[2K"\ncommands: {approve: [make it]}\n'

describe.skipIf(noTyping !== undefined)(`clada trust (${noTyping ?? 'at a terminal'})`, () => {
  it('shows what a project asks for, and vouches for exactly that', async () => {
    const { cwd, run, answer } = place({ project: evil })
    const value = async (key: string): Promise<string> => (await run(['config', key])).stdout.trim()
    expect((await run([], write(`${cwd}/x.txt`))).stderr).toContain('hooks.after')
    expect(fs.existsSync(path.join(cwd, 'pwned\u001b[2K'))).toBe(false)

    const no = await answer(['trust'], 'n', 'n')
    expect(no.status).toBe(1)
    expect(no.output).toContain('line 1: exec.mode: unsandboxed')
    expect(no.output).toContain('    - {"run":"touch pwned\\u001b[2K"}')
    expect(no.output).not.toContain('\u001b[2K')
    expect(no.output).toContain('make it')
    expect(await value('exec.mode')).toBe('sandbox')

    expect((await answer(['trust'], 'y', 'n')).status).toBe(1)
    expect(await value('exec.mode')).toBe('unsandboxed')
    expect((await run(['doctor'])).stdout).toContain('clada.yml (trusted)')
    // Trust in the file approves no command.
    expect((await run([], write(`${cwd}/x.txt`))).stderr).toContain(
      'ignored commands.approve: ["make it"] (not approved)',
    )

    fs.appendFileSync(path.join(cwd, 'clada.yml'), '\n')
    expect(await value('exec.mode')).toBe('sandbox')
  })

  it('approves commands one by one, and hooks run once the file is trusted', async () => {
    const { cwd, run, answer } = place({
      project:
        'hooks: {after: [{run: "echo ${GREETING} > hooked"}]}\nvars: {GREETING: hello}\ncommands: {approve: [echo hi]}\n',
    })
    expect((await answer(['trust'], 'y', 'y')).status).toBe(0)
    const ran = await run([], write(`${cwd}/x.txt`))
    expect(ran.status).toBe(0)
    // On a busy machine it says how far it is.
    expect(ran.stderr).not.toContain('ignored')
    expect(filesIn(cwd)['hooked']).toBe('hello\n')
    expect((await run(['approvals'])).stdout).toBe('echo hi  approved, whatever it runs\n')
    expect((await run(['trust', 'remove'])).status).toBe(0)
    expect((await run(['config', 'hooks.after'])).stdout).toBe('[]\n')
  })

  it('shows each AGENTS.md, and prompts quote those that the user agreed to', async () => {
    const { cwd, run, answer } = place()
    fill(cwd, {
      'AGENTS.md': 'Be kind.\u001b[2K\n',
      'ui/AGENTS.md': 'Use signals.\n',
      'node_modules/x/AGENTS.md': 'No.\n',
    })
    const asked = await answer(['trust'], 'y', 'n')
    expect(asked.status).toBe(1)
    expect(asked.output).toMatch(/^AGENTS\.md tells agents:\s+ {2}Be kind\.\\x1b/m)
    expect(asked.output).toContain('ui/AGENTS.md tells agents:')
    const prompt = await run(['prompt', '--task', 'Change ui/a.ts'])
    expect(prompt.stdout).toContain('> Be kind.')
    expect(prompt.stdout).not.toContain('signals')
    expect(prompt.stdout).toContain('because I have not approved them: `ui/AGENTS.md`')
    expect((await run(['prompt', '--rules', 'none'])).stdout).not.toContain('AGENTS')
    expect((await run(['trust', 'remove'])).status).toBe(0)
    expect((await run(['prompt'])).stdout).not.toContain('Be kind')
  })

  it('holds for one project only', async () => {
    const { home, cwd, answer, run } = place({ project: 'exec: unsandboxed\n' })
    expect((await answer(['trust'], 'y')).status).toBe(0)
    fill(home, { 'other/clada.yml': 'exec: unsandboxed\n' })
    expect((await run(['config', 'exec.mode', '--root', path.join(home, 'other')])).stdout).toBe('sandbox\n')
    expect((await run(['config', 'exec.mode', '--root', cwd])).stdout).toBe('unsandboxed\n')
  })
})

describe('a model that gets at clada.yml', () => {
  it('cannot write it by an action, and what code writes into it counts for nothing', async () => {
    const { cwd, run } = place()
    expect((await run(['--json'], write(`${cwd}/clada.yml`, 'exec: unsandboxed'))).stdout).toContain('path_denied')
    const hook = "printf 'hooks: {after: [{run: touch pwned}]}\\n' > clada.yml"
    await run([], block(['action = "exec"', 'lang = "bash"', `code = ${JSON.stringify(hook)}`]))
    // Whether or not this machine let the code write it: here it is.
    fs.writeFileSync(path.join(cwd, 'clada.yml'), 'hooks: {after: [{run: touch pwned}]}\n')
    const next = await run([], write(`${cwd}/x.txt`))
    expect(next.status).toBe(0)
    expect(next.stderr).toContain('hooks.after')
    expect(fs.existsSync(path.join(cwd, 'pwned'))).toBe(false)
  })

  it.skipIf(noTyping !== undefined)('cannot change one that is trusted and keep the trust', async () => {
    const { cwd, run, answer } = place({ project: 'hooks: {after: [{run: "true"}]}\n' })
    expect((await answer(['trust'], 'y')).status).toBe(0)
    const code = 'sed -i "s/true/touch pwned/" clada.yml'
    await run([], block(['action = "exec"', 'lang = "bash"', `code = ${JSON.stringify(code)}`]))
    fs.writeFileSync(path.join(cwd, 'clada.yml'), 'hooks: {after: [{run: "touch pwned"}]}\n')
    expect((await run([], write(`${cwd}/x.txt`))).stderr).toContain('(this project is not trusted)')
    expect(fs.existsSync(path.join(cwd, 'pwned'))).toBe(false)
  })
})

describe('without a terminal', () => {
  it('clada trust trusts nothing', async () => {
    const { run } = place({ project: evil })
    expect(await run(['trust'], 'y\ny\n')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('there is no terminal to ask on'),
    })
    expect((await run(['config', 'exec.mode'])).stdout).toBe('sandbox\n')
  })
})
