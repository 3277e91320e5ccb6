import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { approvalLineOf } from '../../packages/clada/src/approvals/approval-line.ts'
import { Approvals, approvalsFor, type Grant } from '../../packages/clada/src/approvals/approvals.ts'
import { commandSettingsOf, settingsOf } from '../../packages/clada/src/config/settings.ts'
import type { ApprovalAnswer, ApprovalRequest } from '../../packages/clada/src/core/commands.ts'
import { Clada, type CladaOptions } from '../../packages/clada/src/index.ts'
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

async function approve(root: string, command: string, grant: Grant = {}): Promise<void> {
  const line = approvalLineOf(command)
  if ('reason' in line) throw new Error(line.reason)
  const options = { repoPath: root }
  const approvals = await approvalsFor(settingsOf(options), commandSettingsOf(options))
  approvals.add(line, grant)
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

/** A run that may change files by itself has these: sandboxed, with the network of the machine. */
const wide: Grant = { network: true }

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
    await approve(root, 'cd bare && git add -A')
    const { text } = await run(root, 'cd bare && git add -A')
    expect(text).toContain('it belongs to git')
    expect(text).not.toContain('PLANTED')
  })

  it.each(['npm', 'node', 'sh'].flatMap((name) => [`node_modules/.bin/${name}`, `.venv/bin/${name}`]))(
    'that may use the network is not replaced by a planted %s',
    async (planted) => {
      const root = scratchDir({ 'package.json': manifest({ scripts: { test: 'echo fine' } }) })
      program(root, '.venv/bin/python')
      await approve(root, 'npm test', wide)
      program(root, planted)
      expect(await run(root, 'npm test')).toMatchObject({ code: 'approval_required' })
      const named = { approve: ['npm --version'], network: ['npm --version'] }
      expect((await run(root, 'npm --version', named)).text).not.toContain('PLANTED')
    },
    60_000,
  )
})

describe('a plain approval', () => {
  needs('sandbox')

  it.each([
    ['node app.js', 'app.js', 'console.log("one")', 'console.log("two")'],
    ['sh src/go.sh', 'src/go.sh', 'echo one', 'echo two'],
    ['python3 -m pkg', 'pkg/__init__.py', 'print("one")', 'print("two")'],
    [
      'npm test',
      'package.json',
      manifest({ scripts: { test: 'echo one' } }),
      manifest({ scripts: { test: 'echo two' } }),
    ],
    ['make', 'Makefile', 'all:\n\t@echo one\n', 'all:\n\t@echo two\n'],
    ['make', 'rules.mk', 'all:\n\t@echo one\n', 'all:\n\t@echo two\n'],
    ['./run.sh', 'run.sh', '#!/bin/sh\necho one\n', '#!/bin/sh\necho two\n'],
  ])(
    'of %s is for the words, whatever %s says',
    async (command, file, one, two) => {
      const root = scratchDir({ 'pkg/__main__.py': '' })
      if (file === 'rules.mk') fill(root, { Makefile: '$(eval include rules.mk)\n' })
      program(root, file, one)
      const { asked, ask } = person('always')
      expect((await run(root, command, { ask })).text).toContain('one')
      fill(root, { [file]: two })
      expect((await run(root, command, { ask })).text).toContain('two')
      expect(asked).toHaveLength(1)
      expect(new Approvals(root).list().vouchers).toMatchObject([{ command, digest: null }])
    },
    60_000,
  )

  it('takes a tool of the project before one of the user, as it does for code', async () => {
    const root = scratchDir({ 'node_modules/x': '' })
    await approve(root, 'seq 3')
    program(root, 'node_modules/.bin/seq', '#!/bin/sh\necho from the project\n')
    expect((await run(root, 'seq 3')).text).toContain('from the project')
  })

  it('is not one for another directory', async () => {
    const root = scratchDir({ 'sub/x': '' })
    await approve(root, 'echo hi')
    expect(await run(root, 'cd sub && echo hi')).toMatchObject({ code: 'approval_required' })
  })

  it('leaves nothing that other programs run later, as code does', async () => {
    const root = scratchDir({ '1.sh': 'mkdir .husky; echo x > .husky/pre-commit; echo x > .npmrc; echo x > a.txt' })
    await approve(root, 'sh 1.sh')
    const { text } = await run(root, 'sh 1.sh')
    expect(text).toContain('not_kept')
    expect(fs.readdirSync(root).sort()).toEqual(['.clada', '1.sh', 'a.txt'])
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
      await clada.perform('file_write', {
        path: 'package.json',
        content: manifest({ scripts: { test: `node check.js ${round}` } }),
      })
      const { results } = await clada.perform('run', { command: 'npm test' })
      expect(JSON.stringify(results)).toContain(`round ${round}`)
    }
    expect(asked).toHaveLength(1)
  }, 120_000)
})

describe('a wide approval', () => {
  needs('sandbox')

  const evilManifest = manifest({ name: 'evil', scripts: { postinstall: 'echo PLANTED > {P}/planted' } })
  const install = 'npm install --offline --no-audit --no-fund'

  it.each([
    ['the script', 'npm test', 'package.json', manifest({ scripts: { test: 'echo PLANTED' } })],
    ['a script through a byte order mark', 'npm test', 'package.json', `\uFEFF${manifest({ scripts: { test: 'x' } })}`],
    ['a workspace', install, 'packages/a/package.json', evilManifest],
    ['a linked workspace', install, 'linked/package.json', evilManifest],
    [
      'a manifest of more than 5 MB',
      install,
      'package.json',
      manifest({ x: 'x'.repeat(6_000_000), scripts: { postinstall: 'x' } }),
    ],
    ['a package in a directory of builds', install, 'target/evil/package.json', evilManifest],
    ['a package that is installed', 'npm rebuild', 'node_modules/evil/package.json', evilManifest],
    ['an archive', install, 'dep.tgz', 'packed'],
    ['a lock file', install, 'package-lock.json', '{}'],
    ['a repository that a dependency names', install, 'dep.git/refs/heads/main', 'x'],
    ['another package manager', 'yarn install', '.yarnrc.yml', 'yarnPath: ./src/evil.cjs\n'],
    ['the release of a package manager', 'yarn install', '.yarn/releases/yarn.cjs', 'PLANTED'],
    ['binding.gyp', install, 'binding.gyp', '{}'],
    ['a rule', 'make', 'Makefile', 'all:\n\t@echo PLANTED\n'],
    ['rules that a function includes', 'make', 'rules.mk', 'all:\n\t@echo PLANTED\n'],
    ['a task', 'rake', 'rakelib/x.rake', 'PLANTED'],
    ['a script', 'sh scripts/go.sh', 'scripts/go.sh', 'echo PLANTED\n'],
    ['a program of the project', 'tool', 'node_modules/tool/cli.sh', evil],
  ])('is asked for again when %s has changed', async (_, command, file, text) => {
    const root = scratchDir({
      'package.json': manifest({ scripts: { test: 'echo one' }, workspaces: ['packages/*'] }),
      'packages/a/package.json': manifest({ name: 'a' }),
      'linked/package.json': manifest({ name: 'linked' }),
      'target/evil/package.json': manifest({ name: 'evil' }),
      'node_modules/evil/package.json': manifest({ name: 'evil' }),
      Makefile: '$(eval include rules.mk)\n',
      'rules.mk': 'all:\n\t@echo one\n',
      'scripts/go.sh': 'echo one\n',
      'dep.git/HEAD': 'ref: refs/heads/main\n',
      'dep.git/objects/x': '',
      'dep.git/refs/x': '',
    })
    program(root, 'node_modules/tool/cli.sh', '#!/bin/sh\necho one\n')
    fs.mkdirSync(path.join(root, 'node_modules/.bin'))
    fs.symlinkSync('../tool/cli.sh', path.join(root, 'node_modules/.bin/tool'))
    fs.symlinkSync('../linked', path.join(root, 'node_modules/linked'))
    await approve(root, command, wide)
    expect(new Approvals(root).approved()).toEqual([command])
    fill(root, { [file]: text.replace('{P}', root) })
    const { asked, ask } = person('no')
    expect(await run(root, command, { ask })).toMatchObject({ code: 'approval_required' })
    expect(asked).toMatchObject([{ changed: true }])
    expect(new Approvals(root).approved()).toEqual([])
    expect(fs.existsSync(path.join(root, 'planted'))).toBe(false)
  })

  it('holds while only source code changes', async () => {
    const root = scratchDir({ 'package.json': manifest({ scripts: { test: 'node src/a.js' } }), 'src/a.js': '' })
    await approve(root, 'npm test', wide)
    fill(root, { 'src/a.js': 'console.log("edited")' })
    expect((await run(root, 'npm test')).text).toContain('edited')
  })

  it('holds after the changes that the command itself made, and not after others', async () => {
    const root = scratchDir({
      'package.json': manifest({ dependencies: { dep: 'file:dep' } }),
      'dep/package.json': manifest({ name: 'dep' }),
    })
    await approve(root, install, wide)
    for (let time = 0; time < 2; time++) expect((await run(root, install)).code).toBeUndefined()
    expect(fs.existsSync(path.join(root, 'package-lock.json'))).toBe(true)
    fill(root, { 'dep/package.json': evilManifest })
    expect(await run(root, install)).toMatchObject({ code: 'approval_required' })
  }, 60_000)

  it('is not taken over for files that changed while it ran', async () => {
    const root = scratchDir({ Makefile: 'all:\n\t@touch new.mk; echo begun\n' })
    await approve(root, 'make', wide)
    const clada = new Clada({ repoPath: root, gitCommit: false })
    const onOutput = (): void => fill(root, { 'scripts/evil.sh': 'echo PLANTED' })
    expect(await clada.perform('run', { command: 'make' }, { onOutput })).toMatchObject({ success: true })
    expect(await run(root, 'make')).toMatchObject({ code: 'approval_required' })
  })

  it('cannot be given for files that cannot be read whole', async () => {
    const root = scratchDir()
    execFileSync('mkfifo', [path.join(root, 'package.json')])
    const { asked, ask } = person('always', 'once')
    for (let time = 0; time < 2; time++) await run(root, 'git init', { ask })
    expect(asked).toHaveLength(2)
    expect(asked[1]?.bound).toContain('cannot be read whole')
  })

  it.each<[string, CladaOptions]>([
    ['code is switched off', { exec: 'off' }],
    ['code is not an allowed action', { allowedActions: ['run', 'file_write'] }],
    ['there is no sandbox', { exec: 'unsandboxed' }],
    ['commands see further variables', { commandEnv: ['MY_SETTING'] }],
  ])(
    'is every one where %s',
    async (_, options) => {
      const root = scratchDir({ 'package.json': manifest({ scripts: { test: 'echo one' } }) })
      const { asked, ask } = person('always')
      expect((await run(root, 'npm test', { ask, ...options })).text).toContain('one')
      expect((await run(root, 'npm test', { ask, ...options })).text).toContain('one')
      expect(asked).toMatchObject([{ bound: 'package.json' }])
      fill(root, { 'package.json': manifest({ scripts: { test: 'echo two' } }) })
      expect(await run(root, 'npm test', options)).toMatchObject({ code: 'approval_required' })
      // The words alone are enough where code could do the same.
      expect((await run(root, 'npm test')).text).toContain('two')
    },
    60_000,
  )

  it('is not a plain one that was given elsewhere', async () => {
    const root = scratchDir()
    await approve(root, 'echo hi')
    expect(await run(root, 'echo hi', { exec: 'off' })).toMatchObject({ code: 'approval_required' })
    expect((await run(root, 'echo hi')).code).toBeUndefined()
  })
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
      await approve(root, './net.sh', grant)
      return (await run(root, './net.sh')).text.split('\\n').length
    }
    const outside = execFileSync('sh', ['-c', command], { encoding: 'utf8' }).split('\n').length
    expect(await lines({ network: true })).toBeGreaterThanOrEqual(outside)
    expect(await lines({})).toBeLessThan(outside)
  })

  it('of an approval of the first version is not taken over', async () => {
    const root = scratchDir()
    await approve(root, 'npm install', { network: true })
    const dir = path.join(process.env['XDG_STATE_HOME'] ?? '', 'clada', 'approvals')
    const file = path.join(dir, fs.readdirSync(dir)[0] ?? '')
    const { version, ...old } = JSON.parse(fs.readFileSync(file, 'utf8')) as Record<string, unknown>
    expect(version).toBe(3)
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
    await approve(root, 'npm test *')
    expect((await run(root, 'npm test -- one two')).text).toContain('got one two')
    expect((await run(root, 'npm test')).code).toBeUndefined()
    for (const line of ['npm run other', 'npx test', 'npm tests', 'cd sub && npm test'])
      expect(await run(root, line), line).toMatchObject({ code: 'approval_required' })
  })

  it('holds for a run by a flag too', async () => {
    const approvals = { approve: ['seq 1 *'] }
    const root = scratchDir()
    expect((await run(root, 'seq 1 2', approvals)).text).toContain('1\\n2')
    // With the network no file of the project takes the place of a program of the user.
    program(root, 'node_modules/.bin/seq')
    expect((await run(root, 'seq 1 2', { ...approvals, network: ['seq 1 *'] })).text).toContain('1\\n2')
    expect(await run(scratchDir(), 'seq 2 3', approvals)).toMatchObject({ code: 'approval_required' })
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

  it('sees a variable that its approval names, for as long as nothing changes that could decide what it runs', async () => {
    for (const name of ['DATABASE_URL', 'OTHER_URL']) environment(name, 'db://user:CANARY@host')
    const root = scratchDir({ Makefile: 'all:\n\t@env\n' })
    await approve(root, 'make', { env: ['DATABASE_URL'] })
    const { text } = await run(root, 'make')
    expect(text.match(/[A-Z_]+=db:/g)).toEqual(['DATABASE_URL=db:'])
    fill(root, { Makefile: 'all:\n\t@env; true\n' })
    expect(await run(root, 'make')).toMatchObject({ code: 'approval_required' })
  })

  it('reads a denied file that its approval names, and cannot change it', async () => {
    const root = scratchDir({ '.env': 'CANARY', 'sub/.env': 'OTHER' })
    const command = "sh -c 'cat .env sub/.env; echo x > .env'"
    await approve(root, command)
    expect((await run(root, command)).text).not.toMatch(/CANARY|OTHER/)
    await approve(root, command, { reads: ['.env'] })
    const { text } = await run(root, command)
    expect(text).toContain('CANARY')
    expect(text).not.toContain('OTHER')
    expect(fs.readFileSync(path.join(root, '.env'), 'utf8')).toBe('CANARY')
  })

  it('has the time that its approval gives it', async () => {
    const root = scratchDir()
    const limits = { actionMs: 300 }
    await approve(root, 'sleep 1')
    const late = await run(root, 'sleep 1', { limits })
    expect(late).toMatchObject({ code: 'exec_timeout' })
    expect(late.text).toContain('clada approve --timeout 1m \\"sleep 1\\"')
    await approve(root, 'sleep 1', { timeoutMs: 20_000 })
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
    await approve(root, 'git add a.txt')
    await approve(root, 'git commit -m second')
    expect((await run(root, 'git add a.txt')).code).toBeUndefined()
    expect((await run(root, 'git commit -m second')).code).toBeUndefined()
    expect(git(root, 'log', '--format=%an %s')).toBe('Ada second\nAda first\n')
    // Edits of files, and commits, are not what decides what git runs.
    fill(root, { 'a.txt': 'more\n' })
    expect((await run(root, 'git add a.txt')).code).toBeUndefined()
    expect((await run(root, 'git commit -m second')).code).toBeUndefined()
    await approve(root, 'git stash *')
    fill(root, { 'a.txt': 'three\n' })
    expect((await run(root, 'git stash push')).code).toBeUndefined()
    expect(fs.readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('more\n')
  })

  it('shows the hooks that it runs, and keeps them contained', async () => {
    const root = repository()
    const outside = scratchDir()
    program(root, '.git/hooks/pre-commit', `#!/bin/sh\necho HOOKED\ntouch ${outside}/x\necho x >> .git/config\n`)
    const { asked, ask } = person('always')
    const config = fs.readFileSync(path.join(root, '.git/config'), 'utf8')
    await run(root, 'git commit -a -m second', { ask })
    expect(asked[0]).toMatchObject({ bound: expect.stringContaining('.git/hooks/pre-commit'), repository: true })
    expect(fs.readdirSync(outside)).toEqual([])
    expect(fs.readFileSync(path.join(root, '.git/config'), 'utf8')).toBe(config)
    program(root, '.git/hooks/pre-commit', evil)
    expect(await run(root, 'git commit -a -m second')).toMatchObject({ code: 'approval_required' })
  })

  it('leaves nothing that decides what git runs later', async () => {
    const root = repository()
    program(root, '.git/hooks/pre-commit', '#!/bin/sh\nmkdir -p x\necho ../x > .git/commondir\n')
    await approve(root, 'git commit -a -m second')
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
    expect(await clada.undo()).toMatchObject({ success: false, error: expect.stringContaining('not moved back') })
    expect(git(root, 'branch', '--show-current')).toBe('two\n')
  })

  it('to another commit is taken back where no branch has the first one any more', async () => {
    const root = repository()
    const base = git(root, 'rev-parse', 'HEAD')
    const clada = new Clada({ repoPath: root, approve: ['git commit --amend -m other'] })
    expect(await clada.perform('run', { command: 'git commit --amend -m other' })).toMatchObject({ success: true })
    git(root, 'reflog', 'expire', '--expire=now', '--all')
    git(root, 'gc', '-q', '--prune=now')
    expect(await clada.undo()).toMatchObject({ success: true })
    expect(git(root, 'rev-parse', 'HEAD')).toBe(base)
  })

  it('takes no option that leads to another repository or config', async () => {
    const root = repository()
    for (const line of ['git -c core.hooksPath=x commit -m y', 'git -C .. add .', 'git --git-dir=x add .'])
      expect(await run(root, line), line).toMatchObject({ code: 'command_not_allowed' })
  })
})
