import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { platform } from '../../packages/clada/src/core/platform.ts'
import { Clada } from '../../packages/clada/src/index.ts'
import { ownOwner, readOwn } from '../../packages/clada/src/state/own-files.ts'
import { makePrivateDir, pathSpellings } from '../../packages/clada/src/state/user-state.ts'
import { clada } from '../support/cli.ts'
import { skipWithout } from '../support/needs.ts'
import { fillState, filesIn, inState, scratchDir } from '../support/scratch.ts'
import { block, blocks } from './blocks.ts'
import { leftovers } from './disk.ts'

const write = (root: string, name = 'a.txt') => block('file_write', { path: path.join(root, name), content: 'new' })
const run = (root: string, document: string) => new Clada({ repoPath: root, gitCommit: false }).execute(document)

describe('the state of a project', () => {
  it('is in the git directory, for its owner alone, and the project has no file of it', async () => {
    const root = scratchDir()
    spawnSync('git', ['init', '-q'], { cwd: root })
    await run(root, write(root))
    const [id = ''] = fs.readdirSync(path.join(root, '.git/clada'))
    expect(inState(root)).toBe(path.join(path.resolve(root), '.git/clada', id))
    expect(id).toMatch(/^[0-9a-f]{32}$/)
    if (process.platform !== 'win32') expect(fs.statSync(inState(root)).mode & 0o777).toBe(0o700)
    expect(fs.readdirSync(root).sort()).toEqual(['.git', 'a.txt'])
  })

  it('is in the state directory of the user outside of a repository', async () => {
    const root = scratchDir()
    await run(root, write(root))
    expect(path.dirname(inState(root))).toBe(path.join(process.env['XDG_STATE_HOME'] ?? '', 'clada/projects'))
    expect(fs.readdirSync(root)).toEqual(['a.txt'])
  })

  it('has a directory for each worktree, and for each root in a repository', async () => {
    const base = scratchDir({ 'main/sub/b.txt': 'b' })
    const main = path.join(base, 'main')
    const git = (...args: string[]) =>
      spawnSync('git', ['-c', 'user.name=u', '-c', 'user.email=u@x', ...args], { cwd: main })
    git('init', '-q')
    git('commit', '-q', '--allow-empty', '-m', 'first')
    git('worktree', 'add', '-q', '../tree')
    for (const root of [main, path.join(main, 'sub'), path.join(base, 'tree')]) {
      await run(root, write(root))
      expect((await new Clada({ repoPath: root }).history()).map(({ number }) => number)).toEqual([1])
    }
    expect(path.dirname(inState(path.join(base, 'tree')))).toBe(
      path.join(path.resolve(main), '.git/worktrees/tree/clada'),
    )
    expect(fs.readdirSync(path.join(main, '.git/clada'))).toHaveLength(2)
  })

  it('stays where it is when the project becomes a repository', async () => {
    const root = scratchDir()
    await run(root, write(root))
    const before = inState(root)
    spawnSync('git', ['init', '-q'], { cwd: root })
    await run(root, write(root, 'b.txt'))
    expect(inState(root)).toBe(before)
    expect(await new Clada({ repoPath: root }).history()).toHaveLength(2)
  })

  it('is not made by reads, searches, listings or failures', async () => {
    const root = scratchDir({ 'a.txt': 'a\n', 'd/b.txt': 'b\n' })
    const document = blocks(
      ['file_read', { path: path.join(root, 'a.txt') }],
      ['file_read_numbered', { path: path.join(root, 'a.txt') }],
      ['files_read', { paths: path.join(root, 'a.txt') }],
      ['ls', { path: root }],
      ['glob', { pattern: '**', base_path: root }],
      ['grep', { pattern: 'a', path: root }],
      ['file_replace_text', { path: path.join(root, 'a.txt'), old_text: 'nowhere', new_text: 'x' }],
      ['file_write', { path: path.join(root, 'd'), content: 'x' }],
      ['file_write', { path: path.join(root, '.env'), content: 'x' }],
      ['file_delete', { path: path.join(root, 'gone.txt') }],
    )
    await run(root, document)
    expect(fs.readdirSync(root).sort()).toEqual(['a.txt', 'd'])
  })

  it('is not made by a preview', async () => {
    const root = scratchDir()
    await new Clada({ repoPath: root, gitCommit: false }).preview(write(root, 'x/y/a.txt'))
    expect(fs.readdirSync(root)).toEqual([])
  })

  it('holds no ledger when a run is over', async () => {
    const root = scratchDir({ 'b.txt': 'b' })
    await run(root, write(root) + write(root, 'd/e.txt') + write(root, '.env'))
    expect(fs.readdirSync(inState(root, 'running'))).toEqual([])
    expect(leftovers(root)).toEqual([])
  })

  it('is made with a directory for the files of the project only where there are any', async () => {
    const root = scratchDir({ 'a.txt': 'a' })
    await new Clada({ repoPath: root }).perform('context_add', { path: 'a.txt' })
    expect(fs.readdirSync(path.join(root, '.clada')).sort()).toEqual(['.gitignore', 'context.json'])
    expect(fs.readFileSync(path.join(root, '.clada/.gitignore'), 'utf8')).toBe(
      '# Made by clada. What users approved is the only thing worth sharing.\n*\n!allowed-commands.json\n',
    )
    fs.writeFileSync(path.join(root, '.clada/.gitignore'), 'mine\n')
    await new Clada({ repoPath: root }).perform('context_clear', {})
    expect(fs.readFileSync(path.join(root, '.clada/.gitignore'), 'utf8')).toBe('mine\n')
  })
})

describe('where the git directory cannot be used', () => {
  const home = process.env['XDG_STATE_HOME']
  afterEach(() => {
    if (home === undefined) delete process.env['XDG_STATE_HOME']
    else process.env['XDG_STATE_HOME'] = home
  })

  for (const [what, make] of [
    ['a link that leads out', (at: string, parent: string) => fs.symlinkSync(path.join(parent, 'outside'), at)],
    ['a dangling link', (at: string, parent: string) => fs.symlinkSync(path.join(parent, 'outside/new'), at)],
    ['a file', (at: string) => fs.writeFileSync(at, 'x')],
  ] as const) {
    it(`because ${what} is in the way: state is kept in the user's directory`, async () => {
      const parent = scratchDir({ 'outside/keep.txt': 'x', 'project/.git/HEAD': 'ref: refs/heads/main\n' })
      const root = path.join(parent, 'project')
      make(path.join(root, '.git/clada'), parent)
      process.env['XDG_STATE_HOME'] = path.join(parent, 'state')
      const { success } = await run(root, write(root))
      expect(success).toBe(true)
      expect(fs.readdirSync(path.join(parent, 'outside'))).toEqual(['keep.txt'])
      expect(fs.readdirSync(path.join(parent, 'state/clada'))).toEqual(['key', 'locks', 'projects'])
    })
  }

  it('because its list in the project is a link: the working set is kept with the state', async () => {
    const parent = scratchDir({ 'outside/keep.txt': 'x', 'project/a.txt': 'a' })
    const root = path.join(parent, 'project')
    fs.symlinkSync(path.join(parent, 'outside'), path.join(root, '.clada'))
    const clada = new Clada({ repoPath: root })
    expect(await clada.perform('context_add', { path: 'a.txt' })).toMatchObject({ success: true })
    expect((await clada.perform('context_list', {})).results[0]?.data).toHaveLength(1)
    expect(fs.readdirSync(path.join(parent, 'outside'))).toEqual(['keep.txt'])
  })

  it.each(['', '{"root":"/elsewhere","inode":""}', '\0\0'])(
    'and its note of the root is %j after a power cut: history, undo and runs go on',
    async (note) => {
      const root = scratchDir()
      const options = { cwd: root, env: { XDG_STATE_HOME: scratchDir() } }
      const apply = (name: string) => clada(['run', '-', '--no-git'], { ...options, input: write(root, name) })
      expect(apply('a.txt').status).toBe(0)
      const projects = path.join(options.env.XDG_STATE_HOME, 'clada/projects')
      const [id = ''] = fs.readdirSync(projects)
      fs.writeFileSync(path.join(projects, id, 'root'), note)
      expect(clada(['history'], options).stdout).toContain('create a.txt')
      expect(clada(['undo'], options).stdout).toContain('Undone: execution 1')
      expect(fs.existsSync(path.join(root, 'a.txt'))).toBe(false)
      expect(apply('b.txt').status).toBe(0)
    },
  )

  for (const given of ['', 'state', './state']) {
    it(`and XDG_STATE_HOME is '${given}': state is kept in the home directory, never in the project`, async () => {
      const parent = scratchDir({ 'project/keep.txt': 'x' })
      const root = path.join(parent, 'project')
      process.env['XDG_STATE_HOME'] = given
      const home = vi.spyOn(os, 'homedir').mockReturnValue(path.join(parent, 'home'))
      const place = vi.spyOn(process, 'cwd').mockReturnValue(root)
      onTestFinished(() => {
        home.mockRestore()
        place.mockRestore()
      })
      const { success } = await run(root, write(root))
      expect(success).toBe(true)
      expect(fs.readdirSync(root).sort()).toEqual(['a.txt', 'keep.txt'])
      expect(fs.readdirSync(path.join(parent, 'home/.local/state/clada'))).toEqual(['key', 'locks', 'projects'])
    })
  }

  it('and the home directory is relative: nothing runs', async () => {
    process.env['XDG_STATE_HOME'] = ''
    const home = vi.spyOn(os, 'homedir').mockReturnValue('home')
    onTestFinished(() => home.mockRestore())
    const root = scratchDir()
    const { fatalError } = await run(root, write(root))
    expect(fatalError).toContain("The home directory 'home' is not an absolute path")
  })

  const asRoot = process.geteuid?.() === 0
  const give = (dir: string): void => fs.chownSync(dir, 12_345, 12_345)
  const foreign: Readonly<Record<string, (state: string) => void>> = {
    'anybody can write to it': (state) => fs.chmodSync(state, 0o777),
    'anybody can write to a directory in it': (state) => fs.chmodSync(path.join(state, 'approvals'), 0o777),
    'anybody can write to a file in it': (state) => fs.chmodSync(path.join(state, 'key'), 0o666),
    ...(asRoot && {
      'it belongs to another user': give,
      'what is in it belongs to another user': (state) => give(path.join(state, 'approvals')),
      'a group of others can write to it': (state) => {
        fs.chownSync(state, 0, 12_345)
        fs.chmodSync(state, 0o770)
      },
    }),
  }
  for (const [why, loosen] of Object.entries(foreign))
    for (const variable of ['XDG_STATE_HOME', 'XDG_CONFIG_HOME'])
      it.skipIf(process.platform === 'win32')(`and ${variable} has a directory of clada's, but ${why}`, async () => {
        const parent = scratchDir({ 'clada/key': `${'0'.repeat(64)}\n`, 'clada/approvals/x.json': '{}' })
        vi.stubEnv(variable, parent)
        onTestFinished(() => void vi.unstubAllEnvs())
        loosen(path.join(parent, 'clada'))
        const root = scratchDir()
        const { fatalError } = await run(root, write(root))
        expect(fatalError).toMatch(/'\/.*\/clada.*' (?:can be written to by other users|belongs to another user)/)
        expect(fatalError).toContain(`set ${variable} to a directory of your own`)
        expect(fs.readdirSync(root)).toEqual([])
      })

  it.skipIf(process.platform === 'win32').each([0o700, 0o755, 0o555])(
    'and one that only its user can write to is used: %o',
    async (mode) => {
      const parent = scratchDir({ 'clada/locks/x': '', 'clada/projects/x': '' })
      fs.chmodSync(path.join(parent, 'clada'), mode)
      process.env['XDG_STATE_HOME'] = parent
      const root = scratchDir()
      expect((await run(root, write(root))).success).toBe(true)
      fs.chmodSync(path.join(parent, 'clada'), 0o755)
    },
  )

  it('and neither can the state directory: says so', async () => {
    const root = scratchDir()
    const file = path.join(scratchDir({ file: '' }), 'file')
    process.env['XDG_STATE_HOME'] = file
    const temporary = vi.spyOn(os, 'tmpdir').mockReturnValue(file)
    onTestFinished(() => temporary.mockRestore())
    const { results } = await run(root, write(root))
    expect(results[0]?.error).toContain("There is no place for clada's own files")
    expect(fs.readdirSync(root)).toEqual([])
  })

  it('a state directory that cannot be made is given up at once', () => {
    if (platform.proc) expect(() => makePrivateDir('/proc/nope/clada/watch')).toThrow('ENOENT')
    const dir = path.join(scratchDir(), 'a/b/c')
    makePrivateDir(dir)
    makePrivateDir(dir)
    if (process.platform !== 'win32') expect(fs.statSync(dir).mode & 0o777).toBe(0o700)
    fs.writeFileSync(path.join(dir, 'file'), '')
    expect(() => makePrivateDir(path.join(dir, 'file/d'))).toThrow(/ENOTDIR|ENOENT|EEXIST/)
  })

  for (const [what, make] of [
    ['a directory', (at: string) => fs.mkdirSync(at)],
    ['a dangling link', (at: string) => fs.symlinkSync('nowhere', at)],
  ] as const) {
    it(`${what} in the place of a ledger stops no write`, async () => {
      const root = scratchDir()
      make(path.join(fillState(root, { 'running/keep': '' }), 'running/0123456789ab'))
      const { results } = await run(root, write(root))
      expect(results).toMatchObject([{ success: true }])
    })
  }
})

describe('own files', () => {
  it('name the command that made them, cut where it is long', () => {
    const { argv } = process
    process.argv = ['/usr/bin/node', '/usr/bin/clada', 'run', 'x'.repeat(300)]
    onTestFinished(() => void (process.argv = argv))
    expect(ownOwner().command).toBe(`clada run ${'x'.repeat(190)}`)
  })

  it('that cannot be read are not missing', () => {
    const dir = scratchDir({ file: 'x' })
    for (const name of ['gone', 'file/below', '.']) expect(readOwn(path.join(dir, name))).toBeUndefined()
    expect(() => readOwn(path.join(dir, 'x'.repeat(300)))).toThrow('ENAMETOOLONG')
  })

  it('have the names of every link on the way, as many as the system follows', () => {
    const dir = scratchDir({ end: '' })
    for (let at = 0; at < 45; at++) fs.symlinkSync(at === 0 ? 'end' : `l${at - 1}`, path.join(dir, `l${at}`))
    const names = (from: string) => pathSpellings(path.join(dir, from)).map((name) => path.relative(dir, name))
    expect(names('l2')).toEqual(['l2', 'l1', 'l0', 'end'])
    // Linux follows 40.
    expect(names('l39').at(-1)).toBe('end')
    expect(names('l40')).not.toContain('end')
  })
})

describe('what a killed run left behind', () => {
  const dead = (time = new Date()) =>
    JSON.stringify({ pid: spawnSync(process.execPath, ['-e', '']).pid, started: '1', time: time.toISOString() })

  it('is swept at the next write, and nothing else is', async () => {
    const root = scratchDir({
      '.clada-0123456789ab-0.tmp': 'torn',
      'src/.clada-0123456789ab-1.tmp': 'torn',
      'src/.clada-aaaaaaaaaaaa-1.tmp': "another run's",
      'src/a.txt': 'a\n',
      'other/.clada-0123456789ab-2.tmp': 'in a directory that is not in the ledger',
    })
    fs.mkdirSync(path.join(fillState(root), 'running'), { recursive: true })
    const ledger = [
      dead(),
      JSON.stringify(root),
      JSON.stringify(path.join(root, 'src')),
      JSON.stringify(path.join(root, 'gone')),
    ]
    fs.writeFileSync(inState(root, 'running/0123456789ab'), ledger.join('\n') + '\n"torn li')
    await run(root, write(root, 'new.txt'))
    expect(Object.keys(filesIn(root)).sort()).toEqual([
      'new.txt',
      'other/.clada-0123456789ab-2.tmp',
      'src/.clada-aaaaaaaaaaaa-1.tmp',
      'src/a.txt',
    ])
    expect(fs.readdirSync(inState(root, 'running'))).toEqual([])
  })

  for (const [what, ledger] of [
    ['has only its first line', () => `${dead(new Date(Date.now() - os.uptime() * 1000 - 1000))}\n`],
    ['has another directory', () => `${dead(new Date(0))}\n"/gone"\n`],
    ['is empty', () => ''],
    ['is full of zeros', () => '\0'.repeat(300)],
  ] as const) {
    it(`is searched for after a power cut: the ledger ${what}`, async () => {
      const root = scratchDir({
        '.clada-0123456789ab-0.tmp': 'torn',
        'a/b/.clada-0123456789ab-1.tmp': 'torn',
        'node_modules/x/.clada-0123456789ab-2.tmp': 'torn',
        'a/.clada-aaaaaaaaaaaa-1.tmp': "another run's",
        'outside/.clada-0123456789ab-3.tmp': 'reached through a link only',
      })
      const outside = `${root}-outside`
      fs.renameSync(path.join(root, 'outside'), outside)
      onTestFinished(() => fs.rmSync(outside, { recursive: true }))
      fs.symlinkSync(outside, path.join(root, 'a/link'))
      fs.mkdirSync(path.join(fillState(root), 'running'), { recursive: true })
      fs.writeFileSync(inState(root, 'running/0123456789ab'), ledger())
      await run(root, write(root, 'new.txt'))
      fs.unlinkSync(path.join(root, 'a/link'))
      expect(leftovers(root)).toEqual(['a/.clada-aaaaaaaaaaaa-1.tmp'])
      expect(fs.readdirSync(outside)).toEqual(['.clada-0123456789ab-3.tmp'])
      expect(fs.readdirSync(inState(root, 'running'))).toEqual([])
    })
  }

  it.for(['an edit', 'a command', 'code', 'a step back'] as const)(
    'is in no commit that %s makes',
    async (what, context) => {
      if (what === 'code') skipWithout(context, 'sandbox')
      const root = scratchDir({ 'src/a.txt': 'a\n' })
      const git = (...args: string[]) =>
        spawnSync('git', ['-c', 'user.name=n', '-c', 'user.email=e', ...args], { cwd: root, encoding: 'utf8' }).stdout
      git('init', '-q')
      git('add', '.')
      git('commit', '-qm', 'first')
      git('commit', '-qm', 'second', '--allow-empty')
      fs.mkdirSync(path.join(fillState(root), 'running'), { recursive: true })
      fs.writeFileSync(inState(root, 'running/0123456789ab'), `${dead()}\n${JSON.stringify(path.join(root, 'src'))}\n`)
      fs.writeFileSync(path.join(root, 'src/.clada-0123456789ab-0.tmp'), 'torn')
      const clada = new Clada({ repoPath: root, git: 'commit' })
      const { success } = await {
        'an edit': () => clada.execute(write(root, 'new.txt')),
        'a command': () => clada.call('run', { command: 'cp src/a.txt src/b.txt' }),
        code: () => clada.call('exec', { lang: 'bash', code: 'echo b > src/b.txt' }),
        'a step back': () => clada.back(),
      }[what]()
      expect(success).toBe(true)
      expect(git('log', '--all', '--name-only', '--format=')).not.toContain('.clada-')
      expect(git('status', '--porcelain')).toBe('')
      expect(leftovers(root)).toEqual([])
    },
  )

  it('in its own directory is swept too, unless its process is alive', async () => {
    const { pid } = spawnSync(process.execPath, ['-e', ''])
    const root = scratchDir()
    fillState(root, { [`back.json.${pid}-abc.new`]: '{', [`x.${process.ppid}-abc.new`]: '{' })
    await run(root, write(root))
    expect(fs.readdirSync(inState(root)).filter((name) => name.endsWith('.new'))).toEqual([`x.${process.ppid}-abc.new`])
  })

  it('is left to a run that is still alive', async () => {
    const root = scratchDir({ '.clada-0123456789ab-0.tmp': 'being written' })
    fs.mkdirSync(path.join(fillState(root), 'running'), { recursive: true })
    const stat = platform.proc ? fs.readFileSync(`/proc/${process.pid}/stat`, 'latin1') : ''
    const started = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
    const ledger = inState(root, 'running/0123456789ab')
    fs.writeFileSync(ledger, `${JSON.stringify({ pid: process.pid, started })}\n${JSON.stringify(root)}\n`)
    await run(root, write(root))
    expect(leftovers(root)).toEqual(['.clada-0123456789ab-0.tmp'])
    expect(fs.existsSync(ledger)).toBe(true)
  })

  it.skipIf(!platform.proc)('is swept although another process has its number now', async () => {
    const root = scratchDir({ '.clada-0123456789ab-0.tmp': 'torn' })
    fs.mkdirSync(path.join(fillState(root), 'running'), { recursive: true })
    const ledger = inState(root, 'running/0123456789ab')
    fs.writeFileSync(ledger, `${JSON.stringify({ pid: process.pid, started: '1' })}\n${JSON.stringify(root)}\n`)
    await run(root, write(root))
    expect(leftovers(root)).toEqual([])
  })

  it('is swept although the ledger never got its first line', async () => {
    const root = scratchDir()
    fs.mkdirSync(path.join(fillState(root), 'running'), { recursive: true })
    fs.writeFileSync(inState(root, 'running/0123456789ab'), '')
    const { success } = await run(root, write(root))
    expect(success).toBe(true)
    expect(fs.readdirSync(inState(root, 'running'))).toEqual([])
  })

  it('kill -9 at any time leaves each file old or new, and the next run sweeps', async () => {
    const root = scratchDir()
    const { buildSync } = await import('esbuild')
    const program = path.join(root, 'clada.mjs')
    buildSync({
      entryPoints: [path.join(import.meta.dirname, '../../packages/clada/src/index.ts')],
      bundle: true,
      platform: 'node',
      format: 'esm',
      external: ['@vscode/ripgrep'],
      outfile: program,
      logLevel: 'error',
    })
    const names = ['a.txt', 'd/b.txt', 'd/e/c.txt']
    const texts = ['1', '2'].map((digit) => digit.repeat(300_000))
    const project = path.join(root, 'project')
    for (const name of names) {
      fs.mkdirSync(path.dirname(path.join(project, name)), { recursive: true })
      fs.writeFileSync(path.join(project, name), texts[0] ?? '')
    }
    const calls = Array.from(
      { length: 60 },
      (_, at) =>
        ['file_write', { path: path.join(project, names[at % 3] ?? ''), content: texts[(at >> 2) % 2] ?? '' }] as const,
    )
    fs.writeFileSync(path.join(root, 'input.md'), blocks(...calls))
    const script = path.join(root, 'child.mjs')
    fs.writeFileSync(
      script,
      `import fs from 'node:fs'
import { Clada } from './clada.mjs'
const text = fs.readFileSync(new URL('input.md', import.meta.url), 'utf8')
const options = { repoPath: ${JSON.stringify(project)}, gitCommit: false, atomic: process.argv[2] === 'atomic' }
console.log('ready')
for (;;) await new Clada(options).execute(text)
`,
    )
    let left = 0
    // Half of them at any time, half while a file is written, until one of those was still there.
    for (let round = 0; round < 8 || left === 0; round++) {
      const child = spawn(process.execPath, [script, round % 2 ? 'atomic' : 'plain'], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      await once(child.stdout, 'data')
      if (round % 4 < 2) await new Promise((done) => setTimeout(done, 50 * round))
      else while (leftovers(project).length === 0) await new Promise((done) => setImmediate(done))
      child.kill('SIGKILL')
      await once(child, 'close')
      left += leftovers(project).length
      for (const name of names) expect(texts).toContain(fs.readFileSync(path.join(project, name), 'utf8'))
    }
    await run(project, write(project, 'last.txt'))
    expect(leftovers(project)).toEqual([])
    expect(fs.readdirSync(inState(project, 'running'))).toEqual([])
  })
})
