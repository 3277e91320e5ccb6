import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { watchProcessCount } from '../../packages/clada/src/process/bounds.ts'
import { controlGroup, groupLimitsHere } from '../../packages/clada/src/process/control-group.ts'
import { collectEffects } from '../../packages/clada/src/process/effects.ts'
import { commandEnvironment, variablesNamedIn, withheldNames } from '../../packages/clada/src/process/environment.ts'
import { findBlocked, findBlockedUncached, readableEntries } from '../../packages/clada/src/process/blocked-index.ts'
import { plainConfig } from '../../packages/clada/src/process/isolated-git-dir.ts'
import { kill } from '../../packages/clada/src/process/kill.ts'
import { openNamespaceTree } from '../../packages/clada/src/process/process-tree.ts'
import { placeFor, whyUnmounted } from '../../packages/clada/src/process/overlay.ts'
import { ownProgram, pathOutside, takeNoProgramsFrom } from '../../packages/clada/src/process/programs.ts'
import { changesBetween, modeIn, surveyOf } from '../../packages/clada/src/process/survey.ts'
import { TooMuchWritten, watchWrites } from '../../packages/clada/src/process/write-limits.ts'
import { stateHome } from '../../packages/clada/src/state/user-state.ts'
import { scratchDir } from '../support/scratch.ts'
import { openBelow } from '../workspace/disk.ts'

describe('environment', () => {
  const facts = { path: ['/bin'], home: '/home/u', network: false, unloaded: [], more: [] }
  // Windows needs more of them.
  const own =
    process.platform === 'win32' ? commandEnvironment({}, facts) : { PATH: '/bin', HOME: '/home/u', TMPDIR: '/tmp' }

  it('hands on what is on the list and nothing else', () => {
    const secrets = ['MYSQL_PWD', 'STRIPE_SK', 'PAT_GITHUB', 'LDAP_BINDPW', 'GITHUB_TOKEN', 'X']
    const loaders = ['LD_PRELOAD', 'PYTHONSTARTUP', 'BASH_ENV', 'GIT_DIR', 'RUBYOPT', 'JAVA_TOOL_OPTIONS', 'PERL5OPT']
    const doors = ['SSH_AUTH_SOCK', 'DOCKER_HOST', 'XDG_RUNTIME_DIR', 'DISPLAY', 'MAKEFLAGS', 'MAKEFILES']
    const user = Object.fromEntries([...secrets, ...loaders, ...doors].map((name) => [name, 'x']))
    expect(commandEnvironment({ ...user, NODE_ENV: 'test', LC_ALL: 'C' }, facts)).toEqual({
      ...own,
      NODE_ENV: 'test',
      LC_ALL: 'C',
    })
  })

  it('hands on what toolchains need', () => {
    const names = 'PYTHONPATH VIRTUAL_ENV GIT_AUTHOR_NAME GIT_COMMITTER_EMAIL CFLAGS GOFLAGS RUSTFLAGS TERM_PROGRAM'
    const user = Object.fromEntries(names.split(' ').map((name) => [name, 'x']))
    expect(commandEnvironment(user, facts)).toEqual({ ...own, ...user })
  })

  it.skipIf(process.platform === 'win32')('loads no code of the project where a program may do more than code', () => {
    const user = { LD_LIBRARY_PATH: ':/opt/lib:/proj/lib:lib', PYTHONPATH: '.', NODE_PATH: '/opt/node' }
    const wide = commandEnvironment(user, { ...facts, unloaded: ['/proj'] })
    expect(wide).toEqual({ ...own, LD_LIBRARY_PATH: '/opt/lib', NODE_PATH: '/opt/node' })
    expect(commandEnvironment(user, facts)).toEqual({ ...own, ...user })
  })

  it('hands on options of Node that name no file', () => {
    const NODE_OPTIONS = '--max-old-space-size=8192 --enable-source-maps'
    expect(commandEnvironment({ NODE_OPTIONS }, facts)).toEqual({ ...own, NODE_OPTIONS })
    for (const loading of ['--require /editor/debug.js', '--require=evil', '-r evil', '--enable-source-maps -r evil'])
      expect(commandEnvironment({ NODE_OPTIONS: loading }, facts), loading).toEqual(own)
    for (const loading of ['--import=data:text/javascript,1', '--import evil', '--loader=evil', '--env-file=.env'])
      expect(commandEnvironment({ NODE_OPTIONS: loading }, facts), loading).toEqual(own)
  })

  it('knows what was withheld, without what only the session needs', () => {
    const user = { PATH: '/bin', DATABASE_URL: 'x', FOO: 'y', SHLVL: '2', SSH_AUTH_SOCK: '/s', LS_COLORS: '' }
    expect(withheldNames(user, own)).toEqual(['DATABASE_URL', 'FOO'])
    expect(variablesNamedIn("KeyError: 'FOO'", ['DATABASE_URL', 'FOO'])).toEqual(['FOO'])
  })

  it('hands on what the user added, and proxies only with the network', () => {
    const user = { MY_SETTING: '1', HTTPS_PROXY: 'http://h:80', HTTP_PROXY: 'http://u:p@h', LANG: 'http://u@h' }
    expect(commandEnvironment(user, { ...facts, more: ['MY_SETTING'] })).toEqual({ ...own, MY_SETTING: '1' })
    expect(commandEnvironment(user, { ...facts, network: true })).toEqual({ ...own, HTTPS_PROXY: 'http://h:80' })
  })

  it('keeps the project out of PATH', () => {
    const list = ['/usr/bin', '/proj/bin', 'relative', '', '/proj', '/projx', '/usr/bin'].join(path.delimiter)
    expect(pathOutside(list, ['/proj'])).toEqual(['/usr/bin', '/projx'])
  })

  it.skipIf(process.platform === 'win32')('has programs by their names and paths, but none of a project', () => {
    const project = scratchDir({ tool: '' })
    const tool = path.join(project, 'tool')
    fs.chmodSync(tool, 0o755)
    expect([ownProgram(tool), ownProgram('tool', [project])]).toEqual([tool, tool])
    takeNoProgramsFrom([project])
    expect([ownProgram(tool), ownProgram('tool', [project])]).toEqual([undefined, undefined])
  })
})

describe('a program on layers', () => {
  it.each([
    [{ exitCode: 0, stderr: 'a warning', status: '' }, undefined],
    [{ exitCode: 97, stderr: 'mount: permission denied\n', status: '' }, 'mount: permission denied'],
    [{ exitCode: 97, stderr: '', status: '' }, 'exit 97'],
    [{ exitCode: 1, stderr: 'bwrap: no namespaces', status: '' }, undefined],
    [{ exitCode: 1, stderr: 'of the program', status: '{ "child-pid": 7 }' }, undefined],
  ])('of %j was not mounted: %s', (end, why) => expect(whyUnmounted(end)).toBe(why))

  it.skipIf(process.platform === 'win32')('has a place on the disk of the project, where there is one', () => {
    const root = scratchDir()
    const { dev } = fs.statSync(root)
    const other = ['/dev/shm', '/var/tmp'].find((dir) => fs.existsSync(dir) && fs.statSync(dir).dev !== dev)
    if (other !== undefined) {
      const state = fs.mkdtempSync(path.join(other, 'clada-test-'))
      onTestFinished(() => fs.rmSync(state, { recursive: true, force: true }))
      vi.stubEnv('XDG_STATE_HOME', state)
      onTestFinished(() => void vi.unstubAllEnvs())
    }
    expect(fs.statSync(placeFor(root) ?? '').dev).toBe(dev)
    if (fs.existsSync('/proc')) expect(placeFor('/proc')).toBe(path.join(stateHome(), 'layers'))
  })

  it.skipIf(process.platform === 'win32')('has changed what its own layer has and the project has not', () => {
    // Only the superuser can compare a file of the project that no one may read.
    const shut: Record<string, string> = process.getuid?.() === 0 ? { 'shut.txt': 'shut' } : {}
    const files = { 'same.txt': 'same', ...shut, 'b.txt': 'old', 'd/gone.txt': '' }
    const lower = scratchDir(files)
    const upper = scratchDir({ 'same.txt': 'same', ...shut, 'b.txt': 'new', 'd/new.txt': 'new' })
    const merged = scratchDir({ ...files, 'd/new.txt': '' })
    fs.rmSync(path.join(merged, 'd/gone.txt'))
    const limits = { bytes: 100, entries: 100 }
    for (const dir of [lower, upper]) {
      for (const name of Object.keys(shut)) fs.chmodSync(path.join(dir, name), 0)
      for (const name of ['same.txt', ...Object.keys(shut)]) fs.utimesSync(path.join(dir, name), 1, 1)
    }
    const { effects, notKept } = collectEffects({ lower, upper, merged, unseen: new Set(), began: Infinity, limits })
    expect(effects.map(({ kind, path: name }) => `${kind} ${name}`)).toEqual([
      'file b.txt',
      'gone d/gone.txt',
      'file d/new.txt',
    ])
    expect(notKept).toEqual([])
    // It could only be compared by giving its owner the right to read it.
    for (const name of Object.keys(shut)) expect(fs.statSync(path.join(upper, name)).mode & 0o777).toBe(0o400)
    expect([...openBelow(upper), ...openBelow(lower)]).toEqual([])
  })
})

describe.skipIf(process.platform === 'win32')('a program that writes', () => {
  const written = () => scratchDir({ 'a.txt': 'a'.repeat(100_000), 'd/b.txt': 'b' })

  it.each([
    ['bytes', { bytes: 100_000, entries: 3 }],
    ['files', { bytes: 100_001, entries: 2 }],
  ])('too many %s leaves nothing to land', (_, limits) => {
    const upper = written()
    const views = { lower: scratchDir(), upper, merged: upper, unseen: new Set<string>(), began: Infinity }
    expect(collectEffects({ ...views, limits: { bytes: 100_001, entries: 3 } }).effects).toHaveLength(3)
    expect(() => collectEffects({ ...views, limits })).toThrow(TooMuchWritten)
  })

  it.each([
    ['more than it may', { bytes: 50_000, entries: 9 }, { bytes: 40_000, entries: 90 }, 'stopped'],
    [
      'too much, most of it without a name',
      { bytes: 150_000, entries: 9 },
      { bytes: 0, entries: 90 },
      'stopped',
      60_000,
    ],
    ['a little without a name', { bytes: 200_000, entries: 9 }, { bytes: 0, entries: 90 }, 'goes on', 50_000],
    ['more files than it may', { bytes: 500_000, entries: 2 }, { bytes: 100_000, entries: 87 }, 'stopped'],
    ['nine tenths of what was free', { bytes: 500_000, entries: 9 }, { bytes: 5000, entries: 90 }, 'stopped'],
    ['little while others fill the disk', { bytes: 200_000, entries: 9 }, { bytes: 0, entries: 90 }, 'goes on'],
  ])('%s: %j', (_, limits, now, fate, nameless = 0) => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const free = [{ bytes: fate === 'stopped' && nameless === 0 ? 100_000 : 1_000_000, entries: 90 }]
    const stopped = vi.fn()
    const timer = watchWrites(
      { dirs: [written()], limits },
      stopped,
      { namelessBytes: () => nameless },
      () => free.shift() ?? now,
    )
    onTestFinished(() => clearInterval(timer))
    vi.advanceTimersByTime(50)
    expect(stopped).toHaveBeenCalledTimes(fate === 'stopped' ? 1 : 0)
  })
})

describe.skipIf(process.platform !== 'linux')('what a program starts', () => {
  it('is ended with the sandbox, also when that was stopped before it had begun', async () => {
    const child = spawn('sleep', ['60'], { detached: true })
    onTestFinished(() => kill(child.pid ?? 0, 'SIGKILL'))
    const [status, gate] = [new PassThrough(), new PassThrough()]
    const kin = openNamespaceTree(status, gate, { add: async () => {}, end: () => {}, close: () => {} }, async () => {})
    kin.stop()
    const ended = once(child, 'exit').then(([, signal]) => String(signal))
    status.write(JSON.stringify({ 'child-pid': child.pid }))
    expect(await Promise.race([ended, once(gate, 'finish').then(() => 'let in')])).toBe('SIGKILL')
  })

  it('is ended with its group, and starts nothing more', async (context) => {
    if (!groupLimitsHere().has('tasks')) return context.skip('no control group can be made here')
    const group = controlGroup({ tasks: 100, memoryBytes: 2 ** 30 })
    onTestFinished(() => group.close())
    // Its children are in sessions of their own, and it answers each that ends with another.
    const code = 'read; while :; do setsid sh -c "echo; exec sleep 60" & wait $!; done'
    const child = spawn('bash', ['-c', code], { detached: true, stdio: ['pipe', 'pipe', 'ignore'] })
    onTestFinished(() => kill(child.pid ?? 0, 'SIGKILL'))
    await group.add(child.pid ?? 0)
    child.stdin.write('\n')
    await once(child.stdout, 'data')
    group.end()
    // Whoever lived on would hold the pipe open.
    const [[, signal]] = await Promise.all([once(child, 'exit'), once(child.stdout.resume(), 'close')])
    expect(signal).toBe('SIGKILL')
  })

  it.skipIf(process.platform !== 'linux')('notices a crowd that comes while others end', () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const threads = [1000, 900, 800, 800]
    const looked = vi.spyOn(fs, 'readFileSync').mockImplementation(() => `0 0 0 1/${threads.shift() ?? 800} 1`)
    onTestFinished(() => looked.mockRestore())
    const crowded = vi.fn()
    const timer = watchProcessCount({ count: (most) => Math.min(300, most) }, 100, crowded)
    onTestFinished(() => clearInterval(timer))
    vi.advanceTimersByTime(1000)
    expect(crowded).toHaveBeenCalledOnce()
  })

  it('is watched, and has no control group when it is over', () => {
    const timer = watchProcessCount({ count: () => 1 }, 1000, () => {})
    clearInterval(timer)
    expect(timer).toBeDefined()
    const made = vi.spyOn(fs, 'mkdirSync')
    onTestFinished(() => made.mockRestore())
    groupLimitsHere()
    expect(made.mock.calls.filter(([dir]) => fs.existsSync(dir))).toEqual([])
  })
})

describe('the config of an isolated git directory', () => {
  it('takes over plain values and no program', () => {
    const config = plainConfig(`[core]
	filemode = false
	fsmonitor = /tmp/evil
	pager = evil
	autocrlf = input
	hooksPath = x
[include]
	path = ../evil
[diff "x"]
	command = evil
[filter "x"]
	clean = evil
[branch "main"]
	remote = origin
	merge = refs/heads/main
[remote "origin"]
	url = ext::evil
	uploadpack = evil
	fetch = +refs/heads/*:refs/remotes/origin/*
[core] fsmonitor = evil
[extensions]
	objectFormat = sha256
`)
    expect(config).not.toMatch(/evil|path|url/)
    expect(config).toContain('filemode = false')
    expect(config).toContain('autocrlf = input')
    expect(config).toContain('[branch "main"]\n\tmerge = refs/heads/main')
    expect(config).toContain('objectFormat = sha256')
  })
})

describe('a survey', () => {
  const isBlocked = (name: string): boolean => name.endsWith('.env')
  const blocking = (name: string) => (isBlocked(name) ? 'always' : 'never')

  it('finds what is blocked, second names included', () => {
    const dir = scratchDir({
      '.env': 'x',
      'src/a.txt': 'a',
      'src/b.txt': 'b',
      'node_modules/p/.env': 'y',
      '.git/config': '',
    })
    const elsewhere = scratchDir({ 's.txt': 's' })
    fs.linkSync(path.join(dir, '.env'), path.join(dir, 'second'))
    fs.linkSync(path.join(elsewhere, 's.txt'), path.join(dir, 'src/out'))
    fs.linkSync(path.join(dir, 'src/a.txt'), path.join(dir, 'src/twin'))
    const { blocked, repositories } = findBlockedUncached(dir, blocking)
    expect(blocked.map(({ path: name }) => name).toSorted()).toEqual([
      '.env',
      'node_modules/p/.env',
      'second',
      'src/out',
    ])
    expect(repositories).toEqual(['.git'])
  })

  it('knows files by their modes, and directories that it cannot read', () => {
    const dir = scratchDir({ 'd/a.txt': 'a', '.git/x': '' })
    fs.chmodSync(path.join(dir, 'd/a.txt'), 0o444)
    const survey = surveyOf(dir, isBlocked)
    expect([[...survey.files.keys()], [...survey.dirs.keys()], survey.repositories]).toEqual([
      ['d/a.txt'],
      ['d'],
      ['.git'],
    ])
    expect([modeIn(survey, 'd/a.txt'), modeIn(survey, 'none')]).toEqual([0o444, undefined])
    expect([readableEntries(path.join(dir, 'none')), readableEntries(path.join(dir, 'd/a.txt'))]).toEqual([
      [],
      undefined,
    ])
  })

  it('sees a change that hides its time', () => {
    const dir = scratchDir({ 'a.txt': 'one', 'b.txt': 'two' })
    const before = surveyOf(dir, isBlocked)
    const { atime, mtime } = fs.statSync(path.join(dir, 'a.txt'))
    fs.writeFileSync(path.join(dir, 'a.txt'), 'eno')
    fs.utimesSync(path.join(dir, 'a.txt'), atime, mtime)
    fs.rmSync(path.join(dir, 'b.txt'))
    fs.writeFileSync(path.join(dir, 'c.txt'), '')
    expect(changesBetween(before, surveyOf(dir, isBlocked))).toEqual([
      { path: 'a.txt', change: 'modify' },
      { path: 'b.txt', change: 'delete' },
      { path: 'c.txt', change: 'create' },
    ])
  })
})

describe('the list of blocked files', () => {
  const blocking = (name: string) => (/(^|\/)\.env$/.test(name) ? 'always' : 'never')
  const names = (dir: string): string[] =>
    findBlocked(dir, blocking, ['.env'])
      .blocked.map(({ path: name }) => name)
      .toSorted()

  it('has files at any depth, whatever the directory is called, and is right after every change', async () => {
    const dir = scratchDir({
      'src/.env': '',
      'node_modules/a/.env': '',
      'target/.env': '',
      '.venv/x/.env': '',
      '.git/.env': '',
    })
    const first = ['.venv/x/.env', 'node_modules/a/.env', 'src/.env', 'target/.env']
    expect(names(dir)).toEqual(first)
    await new Promise((done) => setTimeout(done, 100))
    expect(names(dir)).toEqual(first)
    expect(names(dir)).toEqual(first)
    fs.writeFileSync(path.join(dir, 'node_modules/.env'), '')
    fs.rmSync(path.join(dir, 'src/.env'))
    expect(names(dir)).toEqual(['.venv/x/.env', 'node_modules/.env', 'node_modules/a/.env', 'target/.env'])
    fs.renameSync(path.join(dir, 'node_modules'), path.join(dir, 'modules'))
    expect(names(dir)).toEqual(['.venv/x/.env', 'modules/.env', 'modules/a/.env', 'target/.env'])
  })

  it('has second names that came later, and no file with two open names', async () => {
    const dir = scratchDir({ '.env': 'x', 'a/one.txt': '1', 'b/two.txt': '2' })
    const elsewhere = scratchDir({ 's.txt': 's' })
    await new Promise((done) => setTimeout(done, 100))
    expect(names(dir)).toEqual(['.env'])
    // Only one directory is otherwise, and the other name of its new file is in another one.
    fs.linkSync(path.join(dir, 'a/one.txt'), path.join(dir, 'b/twin'))
    expect(names(dir)).toEqual(['.env'])
    fs.linkSync(path.join(dir, '.env'), path.join(dir, 'a/second'))
    expect(names(dir)).toEqual(['.env', 'a/second'])
    fs.linkSync(path.join(elsewhere, 's.txt'), path.join(dir, 'b/out'))
    expect(names(dir)).toEqual(['.env', 'a/second', 'b/out'])
  })
})
