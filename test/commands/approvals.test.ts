import fs from 'node:fs'
import path from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { approvalLine } from '../../src/approvals/approval-line.ts'
import { Approvals } from '../../src/approvals/approvals.ts'
import { question } from '../../src/cli/ask.ts'
import { visible } from '../../src/report/words.ts'
import type { ApprovalAnswer, ApprovalRequest } from '../../src/core/commands.ts'
import { Clada, type CladaOptions } from '../../src/index.ts'
import { findProgram } from '../../src/process/programs.ts'
import { scratchDir } from '../support/scratch.ts'
import { skipWithout } from '../support/needs.ts'

beforeEach(() => {
  const before = process.env['XDG_STATE_HOME']
  process.env['XDG_STATE_HOME'] = scratchDir()
  onTestFinished(() => {
    if (before === undefined) delete process.env['XDG_STATE_HOME']
    else process.env['XDG_STATE_HOME'] = before
  })
})

const manifest = (test: string): string => JSON.stringify({ name: 'p', version: '1.0.0', scripts: { test } })

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
    for (let time = 0; time < 2; time++) new Approvals(root).add(echo, { hash: null })
    expect(fs.readdirSync(path.join(root, '.clada'))).toEqual(['.gitignore', 'allowed-commands.json'])
  })

  it('is refused where models could give it too', () => {
    const root = scratchDir()
    process.env['XDG_STATE_HOME'] = path.join(root, 'state')
    expect(() => new Approvals(root).add(echo, { hash: null })).toThrow(/is inside the project, where models can write/)
    expect(fs.readdirSync(root)).toEqual([])
  })
})

describe('an approval', () => {
  it('is asked for once when the answer is always', async () => {
    const root = scratchDir()
    const { asked, ask } = person('always')
    for (let time = 0; time < 3; time++) expect((await run(root, 'echo hi', { ask })).output).toBe('hi\n')
    expect(asked).toEqual([
      {
        root,
        command: 'echo hi',
        about: 'command',
        runs: undefined,
        changed: false,
        installs: false,
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

  it('is for what the command ran then', async () => {
    const root = scratchDir({ 'package.json': manifest('echo one') })
    const { asked, ask } = person('always', 'no')
    expect((await run(root, 'npm test --silent', { ask })).output).toContain('one')
    fs.writeFileSync(path.join(root, 'package.json'), manifest('echo two'))
    expect(await run(root, 'npm test --silent', { ask })).toMatchObject({ code: 'approval_required' })
    expect(asked.map(({ runs, changed }) => ({ runs, changed }))).toEqual([
      { runs: 'echo one', changed: false },
      { runs: 'echo two', changed: true },
    ])
  })

  it('does not come with a repository, unless the user says so', async () => {
    const root = scratchDir({ '.clada/allowed-commands.json': '{"commands":["echo hi"],"added":{}}' })
    expect(await run(root, 'echo hi')).toMatchObject({ code: 'approval_required' })
    expect((await run(root, 'echo hi', { trustApprovals: true })).output).toBe('hi\n')
  })

  it('does not count when the project no longer lists it', async () => {
    const root = scratchDir()
    const approvals = new Approvals(root)
    approvals.add(echo, { hash: null })
    expect(approvals.stateOf(echo)).toMatchObject({ state: 'approved', voucher: { network: false } })
    fs.rmSync(path.join(root, '.clada/allowed-commands.json'))
    expect(approvals.stateOf(echo)).toEqual({ state: 'unknown' })
  })

  it('of one project is none of another', async () => {
    const one = scratchDir()
    const other = scratchDir({ '.clada/allowed-commands.json': '{"commands":["echo hi"],"added":{}}' })
    new Approvals(one).add(echo, { hash: null })
    expect(await run(other, 'echo hi')).toMatchObject({ code: 'approval_required' })
  })

  it('can be taken back', () => {
    const approvals = new Approvals(scratchDir())
    approvals.add(echo, { hash: null }, { network: true })
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
    const shown = visible('npm test\u200b\u001b[2K\u202e x          y \u0435')
    // eslint-disable-next-line no-control-regex -- they are what is looked for
    expect(shown).not.toMatch(/[\u0000-\u001f\u200b\u202e]/)
    expect(shown).toContain('(10 spaces)')
    expect(shown).toContain('\\u{435}')
  })

  it('asks for the command, what it runs, and the network', () => {
    const facts = { root: '/p', command: 'npm ci', changed: true, installs: true, repository: false }
    const text = question({ ...facts, about: 'command', runs: 'vitest run' })
    expect(text).toMatch(/npm ci\n {2}It runs: vitest run\n.*changed.*\n.*caches.*\nRun it\?/)
    expect(question({ ...facts, about: 'network', runs: 'x' })).toMatch(/npm ci\n.*network.*\nLet it use the network\?/)
    expect(question({ ...facts, about: 'command', runs: undefined })).toContain(
      'unknown: the project does not define it',
    )
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
