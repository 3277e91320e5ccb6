import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { approvalLineOf } from '../../src/approvals/approval-line.ts'
import { Approvals, type Grant } from '../../src/approvals/approvals.ts'
import type { ApprovalAnswer, ApprovalRequest } from '../../src/core/commands.ts'
import { Clada, type CladaOptions } from '../../src/index.ts'
import { fill, scratchDir } from '../support/scratch.ts'
import { needs, skipWithout } from '../support/needs.ts'

beforeEach(() => {
  const before = process.env['XDG_STATE_HOME']
  process.env['XDG_STATE_HOME'] = scratchDir()
  onTestFinished(() => {
    if (before === undefined) delete process.env['XDG_STATE_HOME']
    else process.env['XDG_STATE_HOME'] = before
  })
})

function approve(root: string, command: string, grant: Grant = {}): void {
  const line = approvalLineOf(command)
  if ('reason' in line) throw new Error(line.reason)
  const approvals = new Approvals(root)
  approvals.add(line, approvals.runs(line)[0], grant)
}

async function run(root: string, command: string, options: CladaOptions = {}) {
  const limits = { actionMs: 60_000 }
  const { results } = await new Clada({ repoPath: root, gitCommit: false, limits, ...options }).perform('run', {
    command,
  })
  const [result] = results
  return { code: result?.code, text: JSON.stringify(result), warnings: result?.warnings ?? [] }
}

/** Answers in turn, and remembers the questions. */
function person(...answers: ApprovalAnswer[]) {
  const asked: ApprovalRequest[] = []
  return {
    asked,
    ask: async (request: ApprovalRequest) => {
      asked.push(request)
      return answers.shift() ?? ('no' as const)
    },
  }
}

const evil = '#!/bin/sh\necho PLANTED\n'

function program(root: string, name: string, text = evil): void {
  fill(root, { [name]: text })
  fs.chmodSync(path.join(root, name), 0o755)
}

const manifest = (more: object): string => JSON.stringify({ name: 'p', version: '1.0.0', ...more })

describe('an approved program', () => {
  it('finds no repository in a directory of the project that looks like one', async () => {
    const root = scratchDir()
    execFileSync('git', ['init', '-q'], { cwd: root })
    execFileSync('git', ['init', '-q', '--bare', 'bare'], { cwd: root })
    program(root, 'evil.sh')
    fs.appendFileSync(
      path.join(root, 'bare/config'),
      `[core]\n\tbare = false\n\tworktree = ${root}\n\tfsmonitor = ${root}/evil.sh\n`,
    )
    approve(root, 'cd bare && git add -A')
    const { text } = await run(root, 'cd bare && git add -A')
    expect(text).toMatch(/bare repository|not a git repository/)
    expect(text).not.toContain('PLANTED')
  })

  it.each(['npm', 'node', 'sh'].flatMap((name) => [`node_modules/.bin/${name}`, `.venv/bin/${name}`]))(
    'is not replaced by a planted %s',
    async (planted) => {
      const root = scratchDir({ 'package.json': manifest({ scripts: { test: 'echo fine' } }) })
      program(root, '.venv/bin/python')
      approve(root, 'npm test')
      program(root, planted)
      const { code, text } = await run(root, 'npm test')
      expect(code).toBeUndefined()
      expect(text).toContain('fine')
      expect(text).not.toContain('PLANTED')
      expect((await run(root, 'npm --version', { approve: ['npm --version'] })).text).not.toContain('PLANTED')
    },
    60_000,
  )

  it('of the project is asked about again when its content changed', async () => {
    const root = scratchDir()
    program(root, 'node_modules/hello/cli.sh', '#!/bin/sh\necho hello\n')
    fs.mkdirSync(path.join(root, 'node_modules/.bin'))
    fs.symlinkSync('../hello/cli.sh', path.join(root, 'node_modules/.bin/hello'))
    const { asked, ask } = person('always')
    expect((await run(root, 'hello', { ask })).text).toContain('hello')
    program(root, 'node_modules/hello/cli.sh')
    expect(await run(root, 'hello', { ask })).toMatchObject({ code: 'approval_required' })
    expect(asked.map(({ runs, changed }) => ({ runs, changed }))).toEqual([
      { runs: 'node_modules/.bin/hello → node_modules/hello/cli.sh', changed: false },
      { runs: 'node_modules/.bin/hello → node_modules/hello/cli.sh', changed: true },
    ])
  })

  it('of the user stays the one that was approved when the project gets one of the same name', async () => {
    const root = scratchDir({ 'node_modules/x': '' })
    approve(root, 'seq 3')
    program(root, 'node_modules/.bin/seq')
    expect((await run(root, 'seq 3')).text).toContain('1\\n2\\n3')
  })
})

describe('what an approved command runs', () => {
  it('is read through a byte order mark', async () => {
    const root = scratchDir({ 'package.json': `\uFEFF${manifest({ scripts: { test: 'echo one' } })}` })
    approve(root, 'npm test')
    expect((await run(root, 'npm test')).text).toContain('one')
    fill(root, { 'package.json': `\uFEFF${manifest({ scripts: { test: 'echo two' } })}` })
    expect(await run(root, 'npm test')).toMatchObject({ code: 'approval_required' })
  })

  it.for([
    ['include', 'include rules.mk', 'rules.mk'],
    ['a pattern', '-include ru*.mk', 'rules.mk'],
    ['an include of an include', 'include a.mk', 'b.mk'],
    ['another make', 'all:\n\t$(MAKE) -C sub', 'sub/Makefile'],
  ])('is followed by make through %s', async ([, text = '', file = ''], context) => {
    skipWithout(context, 'make')
    const rules = 'all:\n\t@echo one\n'
    const root = scratchDir({
      Makefile: `${text}\n`,
      'rules.mk': rules,
      'a.mk': 'include b.mk\n',
      'b.mk': rules,
      'sub/Makefile': rules,
    })
    approve(root, 'make')
    expect((await run(root, 'make')).text).toContain('one')
    fill(root, { [file]: 'all:\n\t@echo PLANTED\n' })
    expect(await run(root, 'make')).toMatchObject({ code: 'approval_required' })
  })

  it('is said to be unknown where only the program can tell', async () => {
    const root = scratchDir({ Makefile: 'include $(shell echo x.mk)\nall:\n\t@echo one\n' })
    const { asked, ask } = person('no')
    await run(root, 'make', { ask })
    expect(asked[0]?.runs).toContain('whatever include $(shell echo x.mk) leads to')
  })

  it.each([
    ['a directory', 'file:./target/evil', 'target/evil/package.json'],
    ['a directory that another names', 'file:./lib', 'node_modules/evil/package.json'],
  ])('holds the install scripts of %s', async (_, dependency, file) => {
    const harmless = manifest({ name: 'evil' })
    const root = scratchDir({
      'package.json': manifest({ dependencies: { evil: dependency } }),
      'lib/package.json': manifest({ name: 'lib', dependencies: { evil: '../node_modules/evil' } }),
      'target/evil/package.json': harmless,
      'node_modules/evil/package.json': harmless,
    })
    const command = 'npm install --offline --no-audit --no-fund'
    approve(root, command)
    const script = 'echo PLANTED > ../../planted'
    fill(root, { [file]: manifest({ name: 'evil', scripts: { postinstall: script } }) })
    const { asked, ask } = person('no')
    expect(await run(root, command, { ask })).toMatchObject({ code: 'approval_required' })
    expect(asked[0]?.runs).toContain(script)
    expect(fs.existsSync(path.join(root, 'planted'))).toBe(false)
  })

  it('stays approved through rounds of edits', async () => {
    const root = scratchDir({
      'package.json': manifest({ scripts: { pretest: 'node -e 0', test: 'node check.js' } }),
      'check.js': 'console.log("round 0")\n',
    })
    const { asked, ask } = person('always')
    const clada = new Clada({ repoPath: root, gitCommit: false, limits: { actionMs: 60_000 }, ask })
    for (let round = 0; round < 3; round++) {
      await clada.perform('file_write', { path: 'check.js', content: `console.log("round ${round}")\n` })
      const { results } = await clada.perform('run', { command: 'npm test' })
      expect(JSON.stringify(results)).toContain(`round ${round}`)
    }
    expect(asked).toHaveLength(1)
  }, 120_000)
})

describe('the network', () => {
  it.each(['npx vitest', 'mvn test', './gradlew test', 'npm install'])(
    'is a question of its own for %s',
    async (line) => {
      const root = scratchDir({ 'package.json': manifest({}) })
      program(root, 'gradlew', '#!/bin/sh\n')
      const { asked, ask } = person('always', 'no')
      await run(root, line, { ask, limits: { actionMs: 1000 } })
      expect(asked.map(({ about }) => about)).toEqual(['command', 'network'])
      expect(new Approvals(root).list().vouchers).toMatchObject([{ command: line, network: false }])
    },
    60_000,
  )

  it('is not asked about where the command does without', async () => {
    const { asked, ask } = person('once')
    await run(scratchDir(), 'echo hi', { ask })
    expect(asked.map(({ about }) => about)).toEqual(['command'])
  })

  it('is there only after it was allowed', async (context) => {
    skipWithout(context, 'sandbox')
    const command = 'cat /proc/net/route /proc/net/dev'
    const lines = async (grant: Grant): Promise<number> => {
      const root = scratchDir()
      program(root, 'net.sh', `#!/bin/sh\n${command}\n`)
      approve(root, './net.sh', grant)
      return (await run(root, './net.sh')).text.split('\\n').length
    }
    const outside = execFileSync('sh', ['-c', command], { encoding: 'utf8' }).split('\n').length
    expect(await lines({ network: true })).toBeGreaterThanOrEqual(outside)
    expect(await lines({})).toBeLessThan(outside)
  })

  it('of an approval of the first version is not taken over', () => {
    const root = scratchDir()
    approve(root, 'npm install', { network: true })
    const dir = path.join(process.env['XDG_STATE_HOME'] ?? '', 'clada', 'approvals')
    const file = path.join(dir, fs.readdirSync(dir)[0] ?? '')
    const { version, ...old } = JSON.parse(fs.readFileSync(file, 'utf8')) as Record<string, unknown>
    expect(version).toBe(2)
    expect(new Approvals(root).list().vouchers).toMatchObject([{ network: true }])
    fs.writeFileSync(file, JSON.stringify(old))
    expect(new Approvals(root).list().vouchers).toMatchObject([{ network: false }])
  })
})

describe('an approval with a star', () => {
  it('is for any further arguments, and for no other program or script', async () => {
    const root = scratchDir({
      'package.json': manifest({ scripts: { test: 'echo got', other: 'echo PLANTED' } }),
      'sub/package.json': manifest({ scripts: { test: 'echo PLANTED' } }),
    })
    approve(root, 'npm test *')
    expect((await run(root, 'npm test -- one two')).text).toContain('got one two')
    expect((await run(root, 'npm test')).code).toBeUndefined()
    for (const line of ['npm run other', 'npm test --prefix sub', 'npx test', 'npm tests', 'cd sub && npm test'])
      expect(await run(root, line), line).toMatchObject({ code: 'approval_required' })
  })

  it('holds for a run by a flag too', async () => {
    const approvals = { approve: ['seq 1 *'] }
    const root = scratchDir()
    // The one of the project has not been looked at by anyone.
    program(root, 'node_modules/.bin/seq')
    expect((await run(root, 'seq 1 2', approvals)).text).toContain('1\\n2')
    expect(await run(scratchDir(), 'seq 2 3', approvals)).toMatchObject({ code: 'approval_required' })
  })

  it('is bound to the words before the star', async () => {
    const root = scratchDir({ 'a.sh': 'echo one $1\n', 'b.txt': 'x' })
    approve(root, 'sh a.sh *')
    expect((await run(root, 'sh a.sh b.txt')).text).toContain('one b.txt')
    fill(root, { 'a.sh': 'echo PLANTED\n' })
    expect(await run(root, 'sh a.sh b.txt')).toMatchObject({ code: 'approval_required' })
  })
})

describe('an approved command', () => {
  needs('sandbox')

  const environment = (name: string, value: string): void => {
    vi.stubEnv(name, value)
    onTestFinished(() => void vi.unstubAllEnvs())
  }

  it('sees no variable that is not on the list', async () => {
    for (const name of ['MYSQL_PWD', 'STRIPE_SK', 'PAT_GITHUB', 'LDAP_BINDPW', 'MY_SETTING'])
      environment(name, 'CANARY')
    const root = scratchDir()
    expect((await run(root, 'env', { approve: ['env'] })).text).not.toContain('CANARY')
    const { text } = await run(root, 'env', { approve: ['env'], commandEnv: ['MY_SETTING'] })
    expect(text.match(/[A-Z_]+=CANARY/g)).toEqual(['MY_SETTING=CANARY'])
  })

  it('cannot change the caches of tools, unless it installs', async () => {
    const home = scratchDir({ '.npm/kept': 'kept' })
    environment('HOME', home)
    const root = scratchDir({
      'package.json': manifest({ scripts: { test: 'cat ~/.npm/kept; echo PLANTED > ~/.npm/kept' } }),
    })
    approve(root, 'npm test')
    expect((await run(root, 'npm test')).text).toContain('kept')
    const kept = (): string => fs.readFileSync(path.join(home, '.npm/kept'), 'utf8')
    expect(kept()).toBe('kept')
    const install = 'npm install --offline --no-audit --no-fund'
    fill(root, { 'package.json': manifest({ scripts: { postinstall: 'echo WRITTEN > ~/.npm/kept' } }) })
    await run(root, install, { approve: ['npm *'] })
    expect(kept()).toBe('kept')
    await run(root, install, { approve: [install] })
    expect(kept()).toBe('WRITTEN\n')
  })

  it('reads a denied file that its approval names, and cannot change it', async () => {
    const root = scratchDir({ '.env': 'CANARY', 'sub/.env': 'OTHER' })
    const command = "sh -c 'cat .env sub/.env; echo x > .env'"
    approve(root, command)
    expect((await run(root, command)).text).not.toMatch(/CANARY|OTHER/)
    approve(root, command, { reads: ['.env'] })
    const { text } = await run(root, command)
    expect(text).toContain('CANARY')
    expect(text).not.toContain('OTHER')
    expect(fs.readFileSync(path.join(root, '.env'), 'utf8')).toBe('CANARY')
  })

  it('has the time that its approval gives it', async () => {
    const root = scratchDir()
    const limits = { actionMs: 300 }
    approve(root, 'sleep 1')
    const late = await run(root, 'sleep 1', { limits })
    expect(late).toMatchObject({ code: 'exec_timeout' })
    expect(late.text).toContain('clada approve --timeout 1m \\"sleep 1\\"')
    approve(root, 'sleep 1', { timeoutMs: 20_000 })
    expect((await run(root, 'sleep 1', { limits })).code).toBeUndefined()
  })
})

describe('an approved git command', () => {
  needs('sandbox')

  function repository(files: Readonly<Record<string, string>> = {}): string {
    const root = scratchDir({ 'a.txt': 'one\n', ...files })
    const git = (...args: string[]): void => void execFileSync('git', args, { cwd: root, stdio: 'ignore' })
    git('init', '-q', '-b', 'main')
    git('config', 'user.name', 'Ada')
    git('config', 'user.email', 'ada@example.org')
    git('add', '-A')
    git('commit', '-q', '-m', 'first')
    fill(root, { 'a.txt': 'two\n' })
    return root
  }
  const git = (root: string, ...args: string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' })

  it('changes the real repository', async () => {
    const root = repository()
    expect(await run(root, 'git add a.txt')).toMatchObject({ code: 'approval_required' })
    approve(root, 'git add a.txt')
    approve(root, 'git commit -m second')
    expect((await run(root, 'git add a.txt')).code).toBeUndefined()
    expect((await run(root, 'git commit -m second')).code).toBeUndefined()
    expect(git(root, 'log', '--format=%an %s')).toBe('Ada second\nAda first\n')
    approve(root, 'git stash *')
    fill(root, { 'a.txt': 'three\n' })
    expect((await run(root, 'git stash push')).code).toBeUndefined()
    expect(fs.readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('two\n')
  })

  it('shows the hooks that it runs, and keeps them contained', async () => {
    const root = repository()
    const outside = scratchDir()
    program(root, '.git/hooks/pre-commit', `#!/bin/sh\necho HOOKED\ntouch ${outside}/x\necho x >> .git/config\n`)
    const { asked, ask } = person('always')
    const config = fs.readFileSync(path.join(root, '.git/config'), 'utf8')
    await run(root, 'git commit -a -m second', { ask })
    expect(asked[0]).toMatchObject({ runs: 'the hooks .git/hooks/pre-commit', repository: true })
    expect(fs.readdirSync(outside)).toEqual([])
    expect(fs.readFileSync(path.join(root, '.git/config'), 'utf8')).toBe(config)
    program(root, '.git/hooks/pre-commit', evil)
    expect(await run(root, 'git commit -a -m second')).toMatchObject({ code: 'approval_required' })
  })

  it('leaves nothing that decides what git runs later', async () => {
    const root = repository()
    program(root, '.git/hooks/pre-commit', '#!/bin/sh\nmkdir -p x\necho ../x > .git/commondir\n')
    approve(root, 'git commit -a -m second')
    expect((await run(root, 'git commit -a -m second')).text).toContain('"path":".git/commondir"')
    expect(fs.existsSync(path.join(root, '.git/commondir'))).toBe(false)
  })

  it('is taken back by undo as far as the branch goes, and brought back by redo', async () => {
    const root = repository()
    git(root, 'commit', '-q', '-a', '-m', 'base')
    const clada = new Clada({ repoPath: root, approve: ['git commit -a -m second'] })
    const base = git(root, 'rev-parse', 'HEAD')
    const { success } = await clada.execute(
      '<---WRITE file="a.txt"--->\nthree\n<---END--->\n\n<---RUN--->\ngit commit -a -m second\n<---END--->\n\n<---WRITE file="b.txt"--->\nb\n<---END--->\n',
    )
    expect(success).toBe(true)
    expect(git(root, 'log', '--format=%s')).toMatch(/^AI: .*\nsecond\nbase\nfirst\n$/)
    expect(await clada.undo()).toMatchObject({ success: true, restored: ['a.txt', 'b.txt'] })
    expect(git(root, 'rev-parse', 'HEAD')).toBe(base)
    expect(git(root, 'status', '--porcelain', '--untracked-files=no')).toBe('')
    expect(fs.readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('two\n')
    expect(await clada.redo()).toMatchObject({ success: true })
    expect(git(root, 'log', '--format=%s')).toMatch(/^AI: .*\nsecond\nbase\nfirst\n$/)
    expect(fs.readFileSync(path.join(root, 'b.txt'), 'utf8').trim()).toBe('b')
  })

  it('finds work that nobody has committed, and undo brings it back', async () => {
    const root = repository()
    const clada = new Clada({ repoPath: root, approve: ['git add a.txt', 'git commit -m second', 'git stash'] })
    for (const command of ['git add a.txt', 'git commit -m second'])
      expect(await clada.perform('run', { command })).toMatchObject({ success: true })
    expect(git(root, 'log', '--format=%s')).toBe('second\nfirst\n')
    fill(root, { 'a.txt': 'three\n' })
    await clada.perform('run', { command: 'git stash' })
    expect(fs.readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('two\n')
    expect(git(root, 'stash', 'list')).toContain('stash@{0}')
    expect(await clada.undo()).toMatchObject({ success: true, restored: ['a.txt'] })
    expect(fs.readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('three\n')
    expect(git(root, 'log', '--format=%s')).toMatch(/second\nfirst\n$/)
  })

  it('to another branch is taken back too, and not once the user has moved on', async () => {
    const root = repository()
    git(root, 'commit', '-q', '-a', '-m', 'base')
    const clada = new Clada({ repoPath: root, approve: ['git checkout *'] })
    const checkout = (name: string) => clada.perform('run', { command: `git checkout -b ${name}` })
    await checkout('one')
    expect(git(root, 'branch', '--show-current')).toBe('one\n')
    await clada.undo()
    expect(git(root, 'branch', '--show-current')).toBe('main\n')
    await checkout('two')
    git(root, 'commit', '-q', '--allow-empty', '-m', 'more')
    expect((await clada.undo()).warnings?.join()).toContain('not moved back')
    expect(git(root, 'branch', '--show-current')).toBe('two\n')
  })

  it('takes no option that leads to another repository or config', async () => {
    const root = repository()
    for (const line of ['git -c core.hooksPath=x commit -m y', 'git -C .. add .', 'git --git-dir=x add .'])
      expect(await run(root, line), line).toMatchObject({ code: 'command_not_allowed' })
  })
})
