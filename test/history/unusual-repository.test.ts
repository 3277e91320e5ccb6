import { execFile, execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { clada, cladaCall } from '../support/cli.ts'
import { ordinaryUser } from '../support/ordinary-user.ts'
import { fill, scratchDir, inState } from '../support/scratch.ts'
import { type Call, documentOf, execute, git, type Mode, repository, treeOf, undoIn } from './world.ts'

const edit: Call = ['file_replace_text', { path: 'a.txt', old_text: 'one', new_text: 'ONE' }]
const write = (name: string, content = name): Call => ['file_write', { path: name, content }]
const files = { 'a.txt': 'one\n', 'b.txt': 'b\n', 'src/c.txt': 'c\n' }
const checkpoints = 'refs/clada/checkpoints'
const subjects = (root: string, ref = 'HEAD'): string[] => git(root, 'log', '--format=%s', ref).trim().split('\n')
const textOf = (root: string, name = 'a.txt'): string => fs.readFileSync(path.join(root, name), 'utf8')

describe('an index in two parts', () => {
  it.each([1, 30])('is whole after an execution that adds %i files', async (count) => {
    const root = repository(files)
    git(root, 'update-index', '--split-index')
    const before = treeOf(root)
    const calls = Array.from({ length: count }, (_, at) => write(`new-${at}.txt`))
    expect(await execute(root, 'commit', calls)).toMatchObject({ success: true })
    expect(git(root, 'status', '--porcelain')).toBe('')
    expect(git(root, 'ls-files').trim().split('\n')).toHaveLength(3 + count)
    expect(await undoIn(root, 'commit')).toMatchObject({ success: true })
    expect(git(root, 'status', '--porcelain')).toBe('')
    expect(treeOf(root)).toEqual(before)
  })
})

describe('a configuration that changed since the last execution in this process', () => {
  it('decides what is ignored', async () => {
    const root = repository(files)
    expect(await execute(root, 'commit', [edit])).toMatchObject({ success: true })
    const ignored = path.join(scratchDir({ mine: 'new.txt\nb.txt\n' }), 'mine')
    git(root, 'config', 'core.excludesFile', ignored)
    expect(await execute(root, 'commit', [write('new.txt'), write('other.txt')])).toMatchObject({ success: true })
    expect(git(root, 'show', '--format=', '--name-only').trim()).toBe('other.txt')
  })

  it('decides whose files they are', async () => {
    const root = repository(files)
    expect(await execute(root, 'commit', [edit])).toMatchObject({ success: true })
    git(root, 'config', 'core.worktree', scratchDir(files))
    expect(await execute(root, 'commit', [write('new.txt')])).toMatchObject({ success: true })
    expect(subjects(root)).toEqual(['AI: edit a.txt', 'first'])
  })
})

describe('a repository whose files are elsewhere', () => {
  it('is none of the project: nothing is committed, and checkpoints are in one of their own', async () => {
    const root = repository(files)
    const real = scratchDir(files)
    git(root, 'config', 'core.worktree', real)
    fill(root, { 'a.txt': 'one\n' })
    expect(await execute(root, 'commit', [edit])).toMatchObject({ success: true })
    expect(subjects(root)).toEqual(['first'])
    expect(git(root, '--git-dir', inState(root, 'repo'), 'log', '--format=%s', checkpoints)).toContain('AI:')
    expect(git(root, 'for-each-ref', 'refs/clada')).toBe('')
    expect(await undoIn(root, 'commit')).toMatchObject({ success: true })
    expect(textOf(root)).toBe('one\n')
  })

  it('is one of the project all the same when only the user says so, to whom git does not listen there', () => {
    const root = repository(files)
    const home = scratchDir({ '.gitconfig': '[core]\n\tworktree = /\n\tbare = true\n' })
    git(root, 'config', '--unset', 'core.bare')
    const run = clada(['run'], { cwd: root, input: documentOf(root, [edit]), env: { HOME: home } })
    expect(run).toMatchObject({ status: 0 })
    expect(subjects(root)).toEqual(['AI: edit a.txt', 'first'])
  })

  it('is that of a project below it when these are its files', async () => {
    const top = scratchDir({ 'work/a.txt': 'one\n', 'other.txt': 'mine\n' })
    git(top, 'init', '-q')
    git(top, 'config', 'core.worktree', '../work')
    const root = path.join(top, 'work')
    git(root, 'add', '-A')
    git(root, 'commit', '-q', '-m', 'first')
    expect(await execute(root, 'commit', [edit])).toMatchObject({ success: true })
    expect(git(root, 'show', '--format=%s', '--name-status')).toBe('AI: edit a.txt\n\nM\ta.txt\n')
  })

  it('is none of the project when it has no files at all', async () => {
    const top = scratchDir({ 'a.txt': 'one\n' })
    git(top, 'clone', '-q', '--bare', repository(files), '.bare')
    fill(top, { '.git': 'gitdir: ./.bare\n' })
    git(top, 'worktree', 'add', '-q', 'work', 'main')
    expect(await execute(top, 'commit', [edit])).toEqual(expect.objectContaining({ success: true }))
    expect(git(top, 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/main\n')
    expect(subjects(top, 'main')).toEqual(['first'])
    // A worktree of it is a project like any other.
    const root = path.join(top, 'work')
    const { gitCommit } = await execute(root, 'commit', [edit])
    expect(gitCommit).toBe(git(root, 'rev-parse', 'main').trim())
    expect(git(root, 'status', '--porcelain')).toBe('')
  })
})

describe('git that cannot work', () => {
  const broken: readonly (readonly [what: string, spoil: (root: string) => void, says: RegExp, ...modes: Mode[]])[] = [
    [
      'in a repository of a later kind',
      (root) => {
        git(root, 'config', 'core.repositoryformatversion', '1')
        git(root, 'config', 'extensions.fromTheFuture', 'true')
      },
      /fromthefuture/,
    ],
    ['without the commit that is checked out', (root) => head(root, '1'.repeat(40)), /1111111.* cannot be read/],
    ['without its tree', (root) => lose(root, 'HEAD^{tree}'), /cannot be read/],
    ['when a branch leads nowhere', (root) => head(root, 'nonsense'), /refs\/heads\/main/],
    ['when a file leads to no repository', (root) => lead(root, '/nowhere/at/all'), /\/nowhere\/at\/all/],
    ['with an index that is none', (root) => fill(root, { '.git/index': 'nonsense' }), /index/],
    ['with HEAD locked', (root) => fill(root, { '.git/HEAD.lock': '' }), /HEAD.lock' exists/, 'commit'],
    [
      'with the branch locked',
      (root) => fill(root, { '.git/refs/heads/main.lock': '' }),
      /main.lock' exists/,
      'commit',
    ],
    [
      'with the checkpoints locked',
      (root) => fill(root, { '.git/refs/clada/checkpoints.lock': '' }),
      /checkpoints.lock' exists/,
      'shadow',
    ],
    [
      'where something else has the name of the checkpoints',
      (root) => git(root, 'update-ref', 'refs/clada', 'HEAD'),
      /refs\/clada'/,
      'shadow',
    ],
  ]
  for (const [what, spoil, says, ...modes] of broken)
    for (const mode of modes.length === 0 ? (['commit', 'shadow'] as const) : modes)
      it(`stops before anything is done: ${what}, ${mode}`, async () => {
        const root = repository(files)
        spoil(root)
        const { fatalError, results } = await execute(root, mode, [edit])
        expect(fatalError).toMatch(/^clada: git_operation_failed: /)
        expect(fatalError).toMatch(says)
        expect(fatalError).not.toContain('not installed')
        expect(results).toMatchObject([{ success: false, code: 'git_operation_failed' }])
        expect(textOf(root)).toBe('one\n')
        expect(await execute(root, 'off', [edit])).toMatchObject({ success: true })
      })

  const head = (root: string, text: string): void => fill(root, { '.git/refs/heads/main': `${text}\n` })
  const lead = (root: string, to: string): void => {
    fs.rmSync(path.join(root, '.git'), { recursive: true })
    fill(root, { '.git': `gitdir: ${to}\n` })
  }
  const lose = (root: string, name: string): void => {
    const id = git(root, 'rev-parse', name).trim()
    fs.rmSync(path.join(root, '.git/objects', id.slice(0, 2), id.slice(2)))
  }

  const closed: readonly (readonly [what: string, name: string, mode: Mode])[] = [
    ['the branches', '.git/refs/heads', 'commit'],
    ['the log of HEAD', '.git/logs/HEAD', 'commit'],
    ['the references', '.git/refs', 'shadow'],
  ]
  for (const [what, name, mode] of closed)
    it(`stops before anything is done: ${what} may not be written, ${mode}`, () => {
      const root = repository(files)
      const run = ordinaryUser(root)
      execFileSync('chmod', ['-R', 'a-w', path.join(root, name)])
      const { status, stdout } = run(['run', '--git', mode], documentOf(root, [edit]))
      execFileSync('chmod', ['-R', 'u+w', path.join(root, name)])
      expect({ status, text: textOf(root) }).toEqual({ status: 1, text: 'one\n' })
      expect(stdout).toMatch(/git_operation_failed: '.*' cannot be written: permission denied/)
    })
})

describe.each(['.gitignore', '.gitattributes', 'src/.gitignore'])('%s that never ends', (name) => {
  it('as a link is not followed', () => {
    const root = repository(files)
    fs.symlinkSync('/dev/zero', path.join(root, name))
    const input = documentOf(root, [edit, write('src/new.txt')])
    expect(clada(['run'], { cwd: root, input })).toMatchObject({ status: 0 })
    expect(git(root, 'show', '--format=', '--name-only')).toBe('a.txt\nsrc/new.txt\n')
  })

  it.runIf(name.startsWith('.'))('as a pipe is refused before anything is done', () => {
    const root = repository(files)
    execFileSync('mkfifo', [path.join(root, name)])
    const { status, stdout } = clada(['run'], { cwd: root, input: documentOf(root, [edit]) })
    expect(status).toBe(1)
    expect(stdout).toContain(`'${name}' is not a regular file, and git would wait for it`)
    expect(textOf(root)).toBe('one\n')
  })
})

describe.each(['core.excludesFile', 'core.attributesFile'])('%s of a repository that never ends', (setting) => {
  it.each([
    ['a device', () => '/dev/zero'],
    ['a link to one', (root: string) => linkIn(root, '/dev/zero')],
    ['a pipe outside', () => pipeIn(scratchDir())],
    ['a pipe in the project', (root: string) => path.relative(root, pipeIn(root))],
  ])('is not read: %s', (_, make) => {
    const root = repository(files)
    git(root, 'config', setting, make(root))
    const input = documentOf(root, [edit, write('src/new.txt')])
    expect(clada(['run'], { cwd: root, input })).toMatchObject({ status: 0 })
    expect(clada(['undo'], { cwd: root })).toMatchObject({ status: 0 })
    git(root, 'config', '--unset', setting)
    expect(git(root, 'show', '--format=', '--name-only', 'HEAD~1')).toBe('a.txt\nsrc/new.txt\n')
    expect(textOf(root)).toBe('one\n')
  })
})

const pipeIn = (dir: string): string => {
  execFileSync('mkfifo', [path.join(dir, 'pipe')])
  return path.join(dir, 'pipe')
}

const linkIn = (dir: string, target: string): string => {
  fs.symlinkSync(target, path.join(dir, 'link'))
  return path.join(dir, 'link')
}

describe('a submodule that nobody describes', () => {
  for (const mode of ['commit', 'shadow'] as const)
    it(`stays a submodule when a file is written where it would be: ${mode}`, async () => {
      const root = repository(files)
      git(root, 'update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},sub`)
      git(root, 'commit', '-q', '-m', 'sub')
      fs.mkdirSync(path.join(root, 'sub'))
      expect(await execute(root, mode, [edit, write('sub/x.txt'), write('sub/deep/y.txt')])).toMatchObject({
        success: true,
      })
      const saved = mode === 'commit' ? 'HEAD' : checkpoints
      expect(git(root, 'show', '--format=', '--name-only', saved)).toBe('a.txt\n')
      expect(git(root, 'ls-files', '-s', 'sub')).toMatch(/^160000/)
      expect(await undoIn(root, mode)).toMatchObject({ success: true })
      expect(fs.readdirSync(path.join(root, 'sub'))).toEqual([])
    })
})

describe('a log that is switched off', () => {
  it('stays off', async () => {
    const root = repository(files)
    git(root, 'config', 'core.logAllRefUpdates', 'false')
    fs.rmSync(path.join(root, '.git/logs'), { recursive: true })
    expect(await execute(root, 'commit', [edit])).toMatchObject({ success: true })
    expect(fs.existsSync(path.join(root, '.git/logs'))).toBe(false)
  })
})

describe('a repository that takes the disk for a poorer one', () => {
  const saved = (root: string, at: string): string =>
    git(root, 'diff', '--raw', '--no-renames', '--abbrev=4', 'HEAD', at)

  it('has names in its checkpoints as they are, though it does not tell large letters from small ones', async () => {
    const root = repository(files)
    git(root, 'config', 'core.ignoreCase', 'true')
    const move: Call = ['file_move', { old_path: 'a.txt', new_path: 'A.TXT' }]
    expect(await execute(root, 'shadow', [move, write('B.txt')])).toMatchObject({ success: true })
    expect(saved(root, `${checkpoints}~`)).toBe('')
    expect(git(root, 'ls-tree', '-r', '--name-only', checkpoints)).toBe('A.TXT\nB.txt\nb.txt\nsrc/c.txt\n')
  })

  it('keeps the modes that it has in its checkpoints', async () => {
    const root = repository({ ...files, 'run.sh': 'one\n' })
    fs.symlinkSync('a.txt', path.join(root, 'link'))
    git(root, 'add', 'link')
    git(root, 'update-index', '--chmod=+x', 'run.sh')
    git(root, 'commit', '-q', '-m', 'second')
    git(root, 'config', 'core.fileMode', 'false')
    git(root, 'config', 'core.symlinks', 'false')
    fs.rmSync(path.join(root, 'link'))
    git(root, 'checkout', '-q', '--', 'link')
    const calls = [write('run.sh', 'two\n'), write('link', 'b.txt'), write('new.txt')]
    expect(await execute(root, 'shadow', calls)).toMatchObject({ success: true })
    expect(saved(root, `${checkpoints}~`)).toBe('')
    expect(git(root, 'ls-tree', '--format=%(objectmode) %(path)', checkpoints, 'run.sh', 'link', 'new.txt')).toBe(
      '120000 link\n100644 new.txt\n100755 run.sh\n',
    )
  })
})

describe('an allowed directory', () => {
  it('of the same repository is saved like the project: what the user did there is in no commit of clada’s', async () => {
    const top = repository({ 'app/a.txt': 'one\n', 'lib/b.txt': 'b\n', 'far/c.txt': 'c\n' })
    const root = path.join(top, 'app')
    const lib = path.join(top, 'lib')
    fill(top, { 'lib/b.txt': 'b\nmine\n', 'lib/.env': 'SECRET\n', 'far/c.txt': 'mine\n' })
    const calls: Call[] = [edit, ['file_replace_text', { path: '../lib/b.txt', old_text: 'b', new_text: 'B' }]]
    expect(await execute(root, 'commit', calls, { allowedRoots: [lib] })).toMatchObject({ success: true })
    expect(git(top, 'show', '--format=', 'HEAD', '--', 'lib')).not.toContain('+mine')
    expect(git(top, 'show', '--format=', '--name-only', 'HEAD')).toBe('app/a.txt\nlib/b.txt\n')
    expect(git(top, 'show', '--format=', '--name-only', 'HEAD~')).toBe('lib/b.txt\n')
    expect(git(top, 'status', '--porcelain', '-uall', '--', ':!app/.clada')).toBe(' M far/c.txt\n?? lib/.env\n')
  })

  it('is put back with the project, and as it was after a redo', () => {
    const root = repository(files)
    const other = scratchDir({ 'b.txt': 'b\n' })
    const text = documentOf(root, [edit]) + documentOf(other, [write('b.txt', 'c\n'), write('new.txt')])
    expect(clada(['run', '--allow', other], { cwd: root, input: text })).toMatchObject({ status: 0 })
    expect(clada(['undo'], { cwd: root })).toMatchObject({ status: 0 })
    expect({ ...treeOf(root), ...treeOf(other) }).toMatchObject({ 'a.txt': '644 one\n', 'b.txt': '644 b\n' })
    expect(fs.readdirSync(other)).toEqual(['b.txt'])
    expect(clada(['redo'], { cwd: root })).toMatchObject({ status: 0 })
    expect(fs.readdirSync(other)).toEqual(['b.txt', 'new.txt'])
  })
})

describe('executions in several worktrees at once', () => {
  it('keep every checkpoint', async () => {
    const root = repository(files)
    const trees = ['one', 'two', 'three'].map((name) => path.join(scratchDir(), name))
    for (const tree of trees) git(root, 'worktree', 'add', '-q', '--detach', tree)
    const rounds = [1, 2, 3]
    const cli = promisify(execFile)
    await Promise.all(
      trees.map(async (tree) => {
        for (const round of rounds) {
          const file = path.join(
            scratchDir({ doc: documentOf(tree, [write(`${path.basename(tree)}-${round}`)]) }),
            'doc',
          )
          await cli(...cladaCall('run', '--git', 'shadow', file), { cwd: tree })
        }
      }),
    )
    const wanted = trees.flatMap((tree) => rounds.map((round) => `AI: create ${path.basename(tree)}-${round}`))
    const saved = subjects(root, checkpoints).filter((subject) => subject.startsWith('AI: '))
    expect(saved.toSorted()).toEqual(wanted.toSorted())
  })
})

describe('executions in several directories of one repository at once', () => {
  it('are each a commit on the branch', async () => {
    const top = repository({ 'p1/a.txt': 'a', 'p2/a.txt': 'a', 'p3/a.txt': 'a' })
    const results = await Promise.all(
      ['p1', 'p2', 'p3'].map(async (name) => {
        const root = path.join(top, name)
        const said: string[] = []
        for (let at = 0; at < 4; at++) {
          const args = ['--git', 'commit', '--json', '--root', root]
          const run = promisify(execFile)(...cladaCall(...args))
          run.child.stdin?.end(documentOf(root, [write(`${at}.txt`)]))
          const { success, warnings } = JSON.parse((await run).stdout)
          said.push(`${success} ${warnings ?? ''}`)
        }
        return said
      }),
    )
    expect(new Set(results.flat())).toEqual(new Set(['true ']))
    expect(subjects(top).toSorted()).toEqual([
      ...['0', '1', '2', '3'].flatMap((at) => Array<string>(3).fill(`AI: create ${at}.txt`)),
      'first',
    ])
    expect(git(top, 'status', '--porcelain')).toBe('')
    expect(git(top, 'fsck', '--strict', '--no-dangling')).toBe('')
  })
})

describe('files that git was told to take for unchanged', () => {
  it.each(['--assume-unchanged', '--skip-worktree'])('are not committed with %s, and that is said', async (how) => {
    const root = repository(files)
    git(root, 'update-index', how, 'a.txt')
    const alone = await execute(root, 'commit', [edit])
    const said = 'a.txt is not committed: it is marked skip-worktree or assume-unchanged'
    expect(alone).toMatchObject({ success: true, warnings: [said] })
    expect(subjects(root)).toEqual(['first'])
    const both = await execute(root, 'commit', [write('a.txt', 'x'), write('b.txt', 'x')])
    expect(both).toMatchObject({ success: true, warnings: [said] })
    expect(git(root, 'show', '--format=', '--name-only')).toBe('b.txt\n')
    expect(await undoIn(root, 'commit')).toMatchObject({ success: true })
    expect(textOf(root)).toBe('ONE\n')
  })
})

describe('a directory where a file was', () => {
  it('is committed by the undo that brings it back', async () => {
    const root = repository({ 'd/e/f': 'f\n', 'b.txt': 'b\n' })
    const gone: Call[] = [
      ['file_delete', { path: 'd/e/f' }],
      ['dir_delete', { path: 'd/e' }],
    ]
    expect(await execute(root, 'off', [...gone, write('d/e')])).toMatchObject({ success: true })
    git(root, 'add', '-A', 'd')
    git(root, 'commit', '-q', '-m', 'mine')
    expect(await undoIn(root, 'commit')).toMatchObject({ success: true })
    expect(git(root, 'show', '--format=', '--name-status', '--no-renames')).toBe('D\td/e\nA\td/e/f\n')
    expect(git(root, 'status', '--porcelain')).toBe('')
  })
})

it.each(['commit', 'shadow'] as const)('with core.fileMode=false no mode is committed (%s)', async (mode) => {
  const root = repository({ 'a.txt': 'a', 'b.sh': 'b', 'c.sh': 'c' })
  git(root, 'update-index', '--chmod=+x', 'b.sh')
  git(root, 'commit', '-q', '-m', 'executable')
  git(root, 'config', 'core.fileMode', 'false')
  // As on a disk that has no such bits, or shows all files with them.
  fs.chmodSync(path.join(root, 'a.txt'), 0o755)
  fs.chmodSync(path.join(root, 'b.sh'), 0o644)
  fs.chmodSync(path.join(root, 'c.sh'), 0o755)
  const changes: Call[] = ['a.txt', 'b.sh', 'new.sh'].map((name) => ['file_write', { path: name, content: 'new' }])
  expect(await execute(root, mode, changes)).toMatchObject({ success: true })
  const saved = mode === 'commit' ? 'HEAD' : 'refs/clada/checkpoints'
  const modes = (commit: string) => git(root, 'ls-tree', commit).replaceAll(/ blob \w+\t/g, ' ')
  expect(modes(saved)).toBe('100644 a.txt\n100755 b.sh\n100644 c.sh\n100644 new.sh\n')
  expect(git(root, 'status', '--porcelain', '--', 'c.sh')).toBe('')
  expect(await undoIn(root, mode)).toMatchObject({ success: true })
  expect(modes(saved)).toBe('100644 a.txt\n100755 b.sh\n100644 c.sh\n')
})
