import fs from 'node:fs'
import path from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { approvalLine, approvalLineOf } from '../../packages/clada/src/approvals/approval-line.ts'
import { Approvals } from '../../packages/clada/src/approvals/approvals.ts'
import { questionText } from '../../packages/clada/src/cli/ask.ts'
import { spellOutCommand } from '../../packages/clada/src/report/words.ts'
import type { ApprovalAnswer, ApprovalRequest } from '../../packages/clada/src/core/commands.ts'
import { Clada, type CladaOptions } from '../../packages/clada/src/index.ts'
import { findProgram } from '../../packages/clada/src/process/programs.ts'
import { clada } from '../support/cli.ts'
import { scratchDir } from '../support/scratch.ts'
import { lacks, skipWithout } from '../support/needs.ts'

beforeEach(() => {
  const before = process.env['XDG_STATE_HOME']
  process.env['XDG_STATE_HOME'] = scratchDir()
  onTestFinished(() => {
    if (before === undefined) delete process.env['XDG_STATE_HOME']
    else process.env['XDG_STATE_HOME'] = before
  })
})

async function run(
  root: string,
  command: string,
  options: CladaOptions = {},
): Promise<{ code?: string; error?: string; output: string }> {
  const { results } = await new Clada({ repoPath: root, gitCommit: false, ...options }).perform('run', { command })
  const [result] = results
  const output = (result?.data as { output?: string } | undefined)?.output ?? ''
  return {
    output,
    ...(result?.code === undefined ? {} : { code: result.code }),
    ...(result?.error === undefined ? {} : { error: result.error }),
  }
}

/** Somebody who answers, and remembers what they were asked. */
function person(...answers: ApprovalAnswer[]): {
  asked: ApprovalRequest[]
  ask: (request: ApprovalRequest) => Promise<ApprovalAnswer>
} {
  const asked: ApprovalRequest[] = []
  return {
    asked,
    ask: async (request) => {
      asked.push(request)
      return answers.shift() ?? 'no'
    },
  }
}

const echo = approvalLine(['echo', 'hi'], '')

describe('an approval that is given', () => {
  it('is in a list that git takes, and nothing else of clada is', () => {
    const root = scratchDir()
    for (let time = 0; time < 2; time++) new Approvals(root).add(echo)
    expect(fs.readdirSync(path.join(root, '.clada'))).toEqual(['.gitignore', 'allowed-commands.json'])
  })

  it.each([
    ['a link out of the project', (at: string) => fs.symlinkSync(scratchDir(), at)],
    ['a link to nowhere', (at: string) => fs.symlinkSync('nowhere', at)],
    ['a file', (at: string) => fs.writeFileSync(at, '')],
  ])('is refused in one sentence where .clada is %s', async (_, make) => {
    const root = scratchDir()
    make(path.join(root, '.clada'))
    const { status, stdout, stderr } = clada(['approve', 'npm test'], { cwd: root })
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toMatch(/^clada: '.*\.clada' is not a directory, so nothing can be kept there\. .*\n$/)
    const answered = new Clada({ repoPath: root, gitCommit: false, ask: async () => 'always' })
    expect((await answered.perform('run', { command: 'echo ran' })).results).toMatchObject([
      {
        success: true,
        warnings: [expect.stringMatching(/^approved for this time only: '.*\.clada' is not a directory/)],
      },
    ])
  })

  it('is refused where models could give it too', () => {
    const root = scratchDir()
    process.env['XDG_STATE_HOME'] = path.join(root, 'state')
    expect(() => new Approvals(root).add(echo)).toThrow(/is inside the project, where models can write/)
    expect(fs.readdirSync(root)).toEqual([])
  })
})

describe('an approval', () => {
  it('is asked for once when the answer is always', async (context) => {
    skipWithout(context, 'sandbox')
    const root = scratchDir()
    const { asked, ask } = person('always')
    for (let time = 0; time < 3; time++) expect((await run(root, 'echo hi', { ask })).output).toBe('hi\n')
    expect(asked).toEqual([
      {
        root,
        command: 'echo hi',
        about: 'command',
        canTry: expect.any(Boolean),
        program: expect.stringMatching(/\/echo$/),
        unsandboxed: lacks('sandbox'),
        changed: false,
        repository: false,
      },
    ])
    expect(JSON.parse(fs.readFileSync(path.join(root, '.clada/allowed-commands.json'), 'utf8'))).toEqual({
      commands: ['echo hi'],
      added: { 'echo hi': expect.stringMatching(/^\d{4}-/) },
    })
  })

  it('holds once when the answer is once', async () => {
    const root = scratchDir()
    const { asked, ask } = person('once', 'no')
    expect((await run(root, 'echo hi', { ask })).output).toBe('hi\n')
    expect(await run(root, 'echo hi', { ask })).toMatchObject({
      code: 'approval_required',
      error: "run: The user refused 'echo hi'",
    })
    expect(asked).toHaveLength(2)
  })

  it('says how to give it where nobody can be asked', async () => {
    const { results } = await new Clada({ repoPath: scratchDir(), gitCommit: false }).perform('run', {
      command: 'npm install',
    })
    expect(results[0]).toMatchObject({
      code: 'approval_required',
      details: { command: 'npm install', advice: expect.stringContaining('clada approve --network "npm install"') },
    })
  })

  it.skipIf(lacks('sandbox')).each([
    ['echo "hello"', "echo 'hello'"],
    ['echo   a\tb', 'echo a b'],
    ["cd sub && echo 'x y'", 'cd ./sub/ && echo "x y"'],
    ['echo a\\ b *', 'echo "a b" c'],
  ])('of %s is stored as it was typed, and holds however it is spelled', async (typed, again) => {
    const root = scratchDir({ 'sub/x': '' })
    const line = approvalLineOf(typed)
    if ('reason' in line) throw new Error(line.reason)
    const approvals = new Approvals(root)
    approvals.add(line)
    const stored = JSON.parse(fs.readFileSync(path.join(root, '.clada/allowed-commands.json'), 'utf8'))
    expect(stored).toEqual({ commands: [typed], added: { [typed]: expect.stringMatching(/^\d{4}-/) } })
    expect(approvals.list().vouchers).toMatchObject([{ command: typed }])
    expect(await run(root, again)).not.toHaveProperty('code')
    expect(approvals.remove(again)).toBe(typed.endsWith('*') ? false : true)
  })

  it('that a question gives is stored as the model typed it', async () => {
    const root = scratchDir({ 'sub/x': '' })
    const { ask } = person('always', 'always', 'always')
    for (const command of ['echo "hello"', 'cd sub && echo "a  b"', "echo \\\n  'hello'"])
      await run(root, command, { ask })
    const { commands } = new Approvals(root).list().list
    expect(commands).toEqual(['echo "hello"', 'cd sub && echo "a  b"'])
  })

  it('is one for a line, however often and in which spelling it is given', () => {
    const root = scratchDir()
    const approvals = new Approvals(root)
    for (const text of ['echo hi', 'echo "hi"', "echo 'hi'"]) {
      const line = approvalLineOf(text)
      if ('line' in line) approvals.add(line, { network: text === 'echo "hi"' })
    }
    expect(approvals.list()).toMatchObject({ list: { commands: ["echo 'hi'"] }, vouchers: [{ network: false }] })
  })

  it('does not come with a repository, unless the user says so', async () => {
    const root = scratchDir({ '.clada/allowed-commands.json': '{"commands":["echo hi"],"added":{}}' })
    expect(await run(root, 'echo hi')).toMatchObject({ code: 'approval_required' })
    expect((await run(root, 'echo hi', { trustApprovals: true })).output).toBe('hi\n')
  })

  it('does not count when the project no longer lists it', async () => {
    const root = scratchDir()
    const approvals = new Approvals(root)
    approvals.add(echo)
    expect(approvals.stateOf(echo)).toMatchObject({ state: 'approved', voucher: { network: false } })
    fs.rmSync(path.join(root, '.clada/allowed-commands.json'))
    expect(approvals.stateOf(echo)).toEqual({ state: 'unknown' })
  })

  it('of one project is none of another', async () => {
    const one = scratchDir()
    const other = scratchDir({ '.clada/allowed-commands.json': '{"commands":["echo hi"],"added":{}}' })
    new Approvals(one).add(echo)
    expect(await run(other, 'echo hi')).toMatchObject({ code: 'approval_required' })
  })

  it('can be taken back', () => {
    const approvals = new Approvals(scratchDir())
    approvals.add(echo, { network: true })
    expect(approvals.remove('echo hi')).toBe(true)
    expect(approvals.remove('echo hi')).toBe(false)
    expect(approvals.list()).toEqual({ list: { commands: [], added: {} }, vouchers: [] })
  })

  it('survives a store that is broken', () => {
    for (const text of ['', '[]', '{"commands":1}', '{"commands":[1,null]}', 'x']) {
      const root = scratchDir({ '.clada/allowed-commands.json': text })
      expect(new Approvals(root).stateOf(echo)).toEqual({ state: 'unknown' })
    }
  })
})

describe('what is shown', () => {
  it('hides nothing', () => {
    const shown = spellOutCommand('npm test\u200b\u001b[2K\u202e x          y \u0435')
    // eslint-disable-next-line no-control-regex -- they are what is looked for
    expect(shown).not.toMatch(/[\u0000-\u001f\u200b\u202e]/)
    expect(shown).toContain('(10 spaces)')
    expect(shown).toContain('U+0435')
  })

  it('asks for the command, says what is known of it, and asks for the network', () => {
    const facts = {
      root: '/p',
      command: 'npm ci',
      program: '/usr/bin/npm',
      canTry: true,
      unsandboxed: false,
      changed: true,
      repository: false,
    }
    const text = questionText({ ...facts, about: 'command' })
    expect(text).toMatch(
      /npm ci\n {2}Program: \/usr\/bin\/npm\. Yes allows whatever this runs, in the sandbox\.\n.*changed.*\nRun it\?/,
    )
    expect(text).toMatch(/y \(once\), a \(always\), t \(try it first\) or n, then Enter: $/)
    const network = questionText({ ...facts, canTry: false, about: 'network', bound: 'package.json' })
    expect(network).toMatch(/npm ci\n.*network.*whatever this runs.*\n.*package\.json\nLet it use the network\?/)
    expect(network).toMatch(/y \(once\), a \(always\) or n, then Enter: $/)
    const bare = questionText({ ...facts, about: 'command', program: undefined, unsandboxed: true })
    expect(bare).toContain('Program: not found. Yes allows whatever this runs, without a sandbox.')
  })
})

describe('the tools people use, in the sandbox', () => {
  const tools = { limits: { actionMs: 60_000 } }

  it('npm install and npm test', async () => {
    const root = scratchDir({
      'dep/package.json': '{"name":"dep","version":"1.0.0","main":"i.js"}',
      'dep/i.js': 'module.exports = 41',
      'package.json':
        '{"name":"p","version":"1.0.0","scripts":{"test":"node check.js"},"dependencies":{"dep":"file:./dep"}}',
      'check.js': 'console.log("sum " + (require("dep") + 1))',
    })
    const approve = ['npm install --no-audit --no-fund --offline', 'npm test']
    expect(await run(root, 'npm install --no-audit --no-fund --offline', { approve, ...tools })).not.toHaveProperty(
      'code',
    )
    expect((await run(root, 'npm test', { approve, ...tools })).output).toContain('sum 42')
  }, 90_000)

  it.skipIf(findProgram('pytest', (process.env['PATH'] ?? '').split(':')) === undefined)(
    'pytest',
    async () => {
      const root = scratchDir({ 'test_a.py': 'def test_a():\n    assert 1 + 1 == 2\n' })
      expect((await run(root, 'pytest -q', { approve: ['pytest -q'], ...tools })).output).toContain('1 passed')
    },
    90_000,
  )

  it('a program of the project', async () => {
    const root = scratchDir({ 'node_modules/.bin/hello': '#!/bin/sh\necho "hello $1"\n' })
    fs.chmodSync(path.join(root, 'node_modules/.bin/hello'), 0o755)
    expect((await run(root, 'hello you', { approve: ['hello you'] })).output).toBe('hello you\n')
  })

  it('without the network, and without secrets', async (context) => {
    skipWithout(context, 'sandbox')
    process.env['MY_API_KEY'] = 'hidden'
    onTestFinished(() => {
      delete process.env['MY_API_KEY']
    })
    const root = scratchDir()
    const command = "bash -c 'env; cat /proc/net/dev'"
    const { output } = await run(root, command, { approve: [command] })
    expect(output).not.toContain('hidden')
    expect(output).not.toMatch(/eth0|ens\d/)
  })
})
