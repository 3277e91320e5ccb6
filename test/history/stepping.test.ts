import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { lockFileOf } from '../../packages/clada/src/store/lock.ts'
import { Clada } from '../../packages/clada/src/index.ts'
import { ownOwner } from '../../packages/clada/src/state/own-files.ts'
import { fill, scratchDir, fillState } from '../support/scratch.ts'
import { many } from './endurance.ts'
import { execute, git, isBack, repository, treeOf } from './world.ts'
import { needs } from '../support/needs.ts'
import { commandOf } from '../support/cli.ts'

const clada = (root: string): Clada => new Clada({ repoPath: root })
const status = (root: string): string => git(root, 'status', '--porcelain', '-uall')
const put = (root: string): string => git(root, 'for-each-ref', '--format=%(refname)', 'refs/clada/kept')

function commit(root: string, message: string): string {
  git(root, 'add', '-A')
  git(root, 'commit', '-q', '-m', message)
  return git(root, 'rev-parse', 'HEAD').trim()
}

/** Two commits: a.txt is 1, then 2. */
function twoCommits(): string {
  const root = repository({ 'a.txt': '1\n' })
  fill(root, { 'a.txt': '2\n' })
  commit(root, 'second')
  return root
}

/** One commit, then another one in which something was done. */
function changedBy(files: Record<string, string>, change: (root: string) => void): string {
  const root = repository(files)
  change(root)
  commit(root, 'second')
  return root
}

describe('files on the way', () => {
  it('are unchanged after a step back if git committed them with mixed line endings', async () => {
    const root = changedBy({ '.gitattributes': '*.txt text eol=crlf\n', 'x.txt': 'a\r\nb\nc\r\n' }, (dir) =>
      fill(dir, { 'y.md': '1\n' }),
    )
    fill(root, { 'x.txt': 'a\r\nX\nc\r\n' })
    const tip = treeOf(root)
    expect(await clada(root).back()).toMatchObject({ success: true })
    expect(status(root)).toBe('')
    expect(await clada(root).forward()).toMatchObject({ success: true, branch: 'main' })
    expect([treeOf(root), status(root)]).toEqual([tip, ' M x.txt\n'])
  })

  it('get the line endings of the attributes that come with their commit', async () => {
    const root = changedBy({ 'x.txt': 'a\nb\n' }, (dir) =>
      fill(dir, { '.gitattributes': '*.txt text eol=crlf\n', 'x.txt': 'a\r\nb\r\nc\r\n' }),
    )
    const tip = treeOf(root)
    expect(await clada(root).back()).toMatchObject({ success: true })
    expect([treeOf(root), status(root)]).toEqual([{ 'x.txt': '644 a\nb\n' }, ''])
    expect(await clada(root).forward()).toMatchObject({ success: true, branch: 'main' })
    expect([treeOf(root), status(root)]).toEqual([tip, ''])
  })

  it.each([
    ['committed', () => {}],
    ['uncommitted', (root: string) => fill(root, { 'x.txt': 'a\r\nb\nmine\r\n', 'new.txt': 'n\r\nm\n' })],
    ['staged', (root: string) => (fill(root, { 'x.txt': 'a\nb\r\nmine\n' }), git(root, 'add', 'x.txt'))],
    ['with another mode', (root: string) => fs.chmodSync(path.join(root, 'x.txt'), 0o600)],
  ])('come back with mixed line endings under eol=crlf (%s)', async (_, change) => {
    const root = changedBy({ '.gitattributes': '*.txt text eol=crlf\n', 'x.txt': 'a\r\n' }, (dir) =>
      fill(dir, { 'x.txt': 'a\r\nb\nc\r\n' }),
    )
    change(root)
    const [tip, changed] = [treeOf(root), status(root)]
    for (let round = 0; round < 2; round++) {
      expect(await clada(root).back()).toMatchObject({ success: true })
      expect(treeOf(root)['x.txt']).toMatch(/^\d+ a\r\n$/)
      expect(await clada(root).forward()).toMatchObject({ success: true, branch: 'main' })
      expect([treeOf(root), status(root)]).toEqual([tip, changed])
    }
  })

  it('are in nobody’s way when git takes them for unchanged', async () => {
    const root = repository({ '.gitattributes': '*.c ident\n', 'a.c': '$Id$\n', 'quo"te.c': '$Id$ q\n' })
    fill(root, { 'a.c': '$Id$ more\n', 'quo"te.c': '$Id$ q more\n' })
    commit(root, 'second')
    expect(status(root)).toBe('')
    expect(await clada(root).back()).toMatchObject({ success: true })
    expect(treeOf(root)['a.c']).toMatch(/^644 \$Id: [0-9a-f]+ \$\n$/)
    expect(await clada(root).forward()).toMatchObject({ success: true })
  })

  it('stay when git ignores them at the tip and had them before', async () => {
    const root = changedBy({ conf: 'mine\n', 'a.txt': '1\n' }, (dir) => {
      git(dir, 'rm', '-q', '--cached', 'conf')
      fill(dir, { '.gitignore': 'conf\n', 'a.txt': '2\n' })
    })
    const tip = treeOf(root)
    await clada(root).back()
    expect(await clada(root).forward()).toMatchObject({ success: true, branch: 'main' })
    expect([treeOf(root), status(root)]).toEqual([tip, ''])
  })

  it('whose names are no UTF-8 are left to git', async () => {
    const root = repository({ 'a.txt': '1\n' })
    const odd = Buffer.concat([Buffer.from(`${root}/odd`), Buffer.from([0xff])])
    fs.writeFileSync(odd, 'x')
    commit(root, 'second')
    fs.rmSync(odd)
    commit(root, 'third')
    expect(await clada(root).back()).toMatchObject({
      success: false,
      error: expect.stringMatching(/not UTF-8.*git checkout/),
    })
    expect([fs.readdirSync(root).sort(), put(root), git(root, 'symbolic-ref', 'HEAD')]).toEqual([
      ['.git', 'a.txt'],
      '',
      'refs/heads/main\n',
    ])
  })

  it('are not given up for a file that takes their directory’s name', async () => {
    const root = changedBy({ d: 'file\n', '.gitignore': '*.o\n' }, (dir) => {
      fs.rmSync(path.join(dir, 'd'))
      fill(dir, { 'd/deep/x': 'x\n', 'd/deep/y.o': 'built\n' })
    })
    const tip = treeOf(root)
    expect(await clada(root).back()).toMatchObject({ success: false, conflicts: ['d/deep/y.o'] })
    expect([treeOf(root), put(root)]).toEqual([tip, ''])
    fs.rmSync(path.join(root, 'd/deep/y.o'))
    fs.mkdirSync(path.join(root, 'd/empty'))
    expect(await clada(root).back()).toMatchObject({ success: true })
    expect([treeOf(root)['d'], status(root)]).toEqual(['644 file\n', ''])
    expect(await clada(root).forward()).toMatchObject({ success: true })
    expect(treeOf(root)).toMatchObject({ 'd/deep/x': '644 x\n' })
  })

  it.each(['refuse', 'inside'] as const)('come and go where a directory was a link: symlinks %s', async (symlinks) => {
    const root = changedBy({ 'd/x': 'x\n', 'd/deep/y': 'y\n', 'e/x': 'e\n', 'e/deep/y': 'e\n' }, (dir) => {
      fs.rmSync(path.join(dir, 'd'), { recursive: true })
      fs.symlinkSync('e', path.join(dir, 'd'))
    })
    const tip = treeOf(root)
    const user = new Clada({ repoPath: root, symlinks })
    expect(await user.back()).toMatchObject({ success: true })
    expect([treeOf(root), status(root)]).toEqual([
      {
        'd/': 'directory 755',
        'd/x': '644 x\n',
        'd/deep/': 'directory 755',
        'd/deep/y': '644 y\n',
        'e/': 'directory 755',
        'e/x': '644 e\n',
        'e/deep/': 'directory 755',
        'e/deep/y': '644 e\n',
      },
      '',
    ])
    expect(await user.forward()).toMatchObject({ success: true, branch: 'main' })
    expect([treeOf(root), status(root)]).toEqual([tip, ''])
  })

  it('replace a directory again, also one that git has made, but not what others put there', async () => {
    const root = changedBy({ 'd/x': 'x\n', '.gitignore': '*.o\n' }, (dir) => fill(dir, { 'd/deep/y': 'y\n' }))
    fs.rmSync(path.join(root, 'd'), { recursive: true })
    fill(root, { d: 'mine\n' })
    const tip = [treeOf(root), status(root)]
    await clada(root).back()
    fill(root, { 'd/built.o': 'built\n' })
    expect(await clada(root).forward()).toMatchObject({ success: false, conflicts: ['d'] })
    expect(treeOf(root)).toMatchObject({ 'd/x': '644 x\n', 'd/built.o': '644 built\n' })
    fs.rmSync(path.join(root, 'd/built.o'))
    expect(await clada(root).forward()).toMatchObject({ success: true, branch: 'main' })
    expect([treeOf(root), status(root)]).toEqual(tip)
    await clada(root).back()
    git(root, 'checkout', '-q', 'main')
    expect(await clada(root).forward()).toMatchObject({ success: true, branch: 'main' })
    expect([treeOf(root), status(root), put(root)]).toEqual([...tip, ''])
  })

  it('stay deleted where the older commit has a directory of the name', async () => {
    const root = changedBy({ 'd/x': 'x\n', 'a.txt': '1\n' }, (dir) => {
      fs.rmSync(path.join(dir, 'd'), { recursive: true })
      fill(dir, { d: 'file\n' })
    })
    fs.rmSync(path.join(root, 'd'))
    fill(root, { 'a.txt': 'mine\n' })
    const tip = [treeOf(root), status(root)]
    for (const way of ['forward', 'checkout']) {
      await clada(root).back()
      expect(treeOf(root)).toMatchObject({ 'd/x': '644 x\n' })
      if (way === 'checkout') git(root, 'checkout', '-q', 'main')
      expect(await clada(root).forward()).toMatchObject({ success: true, branch: 'main' })
      expect([treeOf(root), status(root)]).toEqual(tip)
    }
  })

  it('take their directories along', async () => {
    const root = changedBy({ 'a.txt': '1\n' }, (dir) => fill(dir, { 'x/y/z': 'z\n', 'w/kept': 'k\n' }))
    fs.mkdirSync(path.join(root, 'w/empty'))
    await clada(root).back()
    expect(treeOf(root)).toEqual({ 'a.txt': '644 1\n', 'w/': 'directory 755', 'w/empty/': 'directory 755' })
  })

  it('that nobody may save are named, and nothing is left of the attempt', async () => {
    const root = changedBy({ '.env': '1\n', 'a.txt': '1\n' }, (dir) => fill(dir, { '.env': '2\n' }))
    fill(root, { '.env': '3\n', 'a.txt': 'dirty\n' })
    expect(await clada(root).back()).toEqual({
      success: false,
      code: 'concurrent_modification',
      error: 'These files would be overwritten and cannot be stashed. Move or commit them first.',
      conflicts: ['.env'],
    })
    expect([put(root), await clada(root).history()]).toEqual(['', []])
    fill(root, { '.env': '2\n' })
    await clada(root).back()
    fill(root, { '.env': 'staged\n' })
    git(root, 'add', '.env')
    expect(await clada(root).forward()).toMatchObject({ success: false, conflicts: ['.env'] })
  })

  it('may be more than a command line can name', async () => {
    const root = repository({ 'src/a': '1\n' })
    const names = Array.from({ length: 800 }, (_, at) => `far/${`${'long-name-'.repeat(20)}/`.repeat(14)}${at}`)
    for (const content of ['1\n', '2\n']) {
      const blob = execFileSync('git', ['hash-object', '-w', '--stdin'], { cwd: root, input: content })
        .toString()
        .trim()
      const input = [...names, 'src/a'].map((name) => `100644 ${blob}\t${name}\n`).join('')
      execFileSync('git', ['update-index', '--index-info'], { cwd: root, input })
      git(root, 'commit', '-q', '-m', `all ${content}`)
    }
    git(root, 'sparse-checkout', 'set', '--cone', 'src')
    git(root, 'reset', '-q', '--hard')
    expect(await clada(root).back()).toMatchObject({ success: true })
    expect([treeOf(root)['src/a'], status(root)]).toEqual(['644 1\n', ''])
    expect(await clada(root).forward()).toMatchObject({ success: true, branch: 'main' })
    expect([treeOf(root)['src/a'], status(root)]).toEqual(['644 2\n', ''])
  })
})

describe('what is put aside', () => {
  it('is kept by git, staged contents as well', async () => {
    const root = twoCommits()
    fill(root, { 'a.txt': 'staged\n' })
    git(root, 'add', 'a.txt')
    fill(root, { 'a.txt': 'work\n' })
    await clada(root).back()
    git(root, 'gc', '-q', '--prune=now')
    expect(await clada(root).forward()).toMatchObject({ success: true, restored_files: ['a.txt'] })
    expect([treeOf(root)['a.txt'], git(root, 'show', ':a.txt'), status(root)]).toEqual([
      '644 work\n',
      'staged\n',
      'MM a.txt\n',
    ])
  })

  it('holds a submodule’s commit that is staged', async () => {
    const root = twoCommits()
    fill(root, { 'sub/s': '1\n' })
    const sub = path.join(root, 'sub')
    git(sub, 'init', '-q')
    commit(sub, 'one')
    commit(root, 'third')
    fill(root, { 'a.txt': '4\n' })
    commit(root, 'fourth')
    fill(sub, { s: '2\n' })
    commit(sub, 'two')
    git(root, 'add', 'sub')
    expect(await clada(root).back()).toMatchObject({ success: true, stashed_files: ['sub'] })
    expect(await clada(root).forward()).toMatchObject({ success: true, restored_files: ['sub'] })
    expect(status(root)).toBe('M  sub\n')
  })

  it('holds no secret that was staged, and the index has it again', async () => {
    const root = changedBy({ 'key.pem': 'old\n', 'a.txt': '1\n' }, (dir) => fill(dir, { 'a.txt': '2\n' }))
    fill(root, { '.env': 'SECRET\n', 'key.pem': 'SECRET\n', 'new.txt': 'n\n' })
    git(root, 'add', '-f', '.env', 'key.pem', 'new.txt')
    await clada(root).back()
    const ref = put(root).trim()
    for (const side of [ref, `${ref}^2`])
      expect([git(root, 'ls-tree', '-r', '--name-only', side), git(root, 'show', `${side}:key.pem`)]).toEqual([
        'a.txt\nkey.pem\nnew.txt\n',
        'old\n',
      ])
    await clada(root).forward()
    expect(status(root)).toBe('A  .env\nM  key.pem\nA  new.txt\n')
  })

  it('has the rights again that it had', async () => {
    const root = twoCommits()
    fill(root, { 'private.txt': 'p\n', 'run.sh': 'r\n', 'a.txt': 'dirty\n' })
    fs.chmodSync(path.join(root, 'private.txt'), 0o600)
    fs.chmodSync(path.join(root, 'run.sh'), 0o700)
    fs.chmodSync(path.join(root, 'a.txt'), 0o640)
    const tree = treeOf(root)
    await clada(root).back()
    await clada(root).forward()
    expect(treeOf(root)).toEqual(tree)
  })

  it('is everything, where nothing but the step knows of the commit', async () => {
    const works: Record<string, string>[] = [{}, { 'a.txt': 'mine\n' }]
    for (const work of works) {
      const root = twoCommits()
      git(root, 'checkout', '-q', '--detach')
      fill(root, { 'a.txt': 'on no branch\n' })
      commit(root, 'third')
      fill(root, work)
      const before = [treeOf(root), git(root, 'rev-parse', 'HEAD')]
      await clada(root).back()
      await clada(root).back()
      git(root, 'reflog', 'expire', '--expire=now', '--all')
      git(root, 'gc', '-q', '--prune=now')
      for (const _ of ['second', 'third']) expect(await clada(root).forward()).toMatchObject({ success: true })
      expect([treeOf(root), git(root, 'rev-parse', 'HEAD'), put(root)]).toEqual([...before, ''])
    }
  })

  it('is each worktree’s own', async () => {
    const root = twoCommits()
    const other = path.join(scratchDir(), 'other')
    git(root, 'worktree', 'add', '-q', '-b', 'other', other)
    fill(root, { 'a.txt': 'here\n' })
    fill(other, { 'a.txt': 'there\n' })
    await clada(root).back()
    await clada(other).back()
    expect(await clada(root).forward()).toMatchObject({ success: true, branch: 'main' })
    git(root, 'gc', '-q', '--prune=now')
    expect(await clada(other).forward()).toMatchObject({ success: true, branch: 'other' })
    expect([treeOf(root)['a.txt'], treeOf(other)['a.txt']]).toEqual(['644 here\n', '644 there\n'])
  })
})

describe('who goes another way', () => {
  it('gets back what was put aside after checking out the branch', async () => {
    const root = twoCommits()
    fill(root, { 'a.txt': 'dirty\n', 'new.txt': 'n\n' })
    git(root, 'add', 'new.txt')
    const tree = treeOf(root)
    const before = status(root)
    await clada(root).back()
    git(root, 'checkout', '-q', 'main')
    expect(await clada(root).forward()).toEqual({
      success: true,
      commit: git(root, 'rev-parse', 'main').trim(),
      branch: 'main',
      restored_files: ['a.txt', 'new.txt'],
    })
    expect([treeOf(root), status(root), put(root)]).toEqual([tree, before, ''])
    expect(await execute(root, 'off', [['file_write', { path: 'a.txt', content: 'x' }]])).toMatchObject({
      success: true,
    })
  })

  it('gets back what the older commit has as well, to the byte', async () => {
    const root = repository({
      'a.txt': '1\n',
      'mixed.txt': 'a\r\nb\n',
      'again.txt': 'x\n',
      'b.txt': '1\n',
      'run.sh': '1\n',
    })
    git(root, 'config', 'core.autocrlf', 'input')
    fs.symlinkSync('a.txt', path.join(root, 'link'))
    commit(root, 'second')
    for (const name of ['again.txt', 'link']) fs.rmSync(path.join(root, name))
    fs.symlinkSync('b.txt', path.join(root, 'link'))
    fill(root, { 'a.txt': '2\n', 'mixed.txt': 'c\n', 'gone.txt': 'g\n', 'run.sh': '2\n' })
    commit(root, 'third')
    fs.rmSync(path.join(root, 'gone.txt'))
    fs.rmSync(path.join(root, 'link'))
    fs.symlinkSync('a.txt', path.join(root, 'link'))
    fill(root, { 'a.txt': '1\n', 'mixed.txt': 'a\r\nb\n', 'again.txt': 'x\n', 'b.txt': 'mine\n', 'run.sh': '1\n' })
    fs.chmodSync(path.join(root, 'run.sh'), 0o600)
    const tree = treeOf(root)
    const before = status(root)
    await clada(root).back()
    git(root, 'checkout', '-q', 'main')
    expect(await clada(root).forward()).toMatchObject({ success: true, branch: 'main' })
    expect([treeOf(root), status(root), put(root)]).toEqual([tree, before, ''])
  })

  it('is told how to get back what was put aside elsewhere', async () => {
    const root = twoCommits()
    fill(root, { 'a.txt': '3\n' })
    commit(root, 'third')
    await clada(root).back()
    fill(root, { 'on-the-way.txt': 'w\n' })
    await clada(root).back()
    fill(root, { 'own.txt': 'o\n' })
    commit(root, 'own commit')
    for (const refusal of [await clada(root).forward(), await clada(root).back()])
      expect(refusal).toMatchObject({
        success: false,
        error: expect.stringMatching(/HEAD was moved.*git branch NAME.*git checkout main and clada forward/),
      })
    git(root, 'checkout', '-q', 'main')
    const { kept = [], ...rest } = await clada(root).forward()
    expect(rest).toEqual({ success: true, commit: git(root, 'rev-parse', 'main').trim(), branch: 'main' })
    expect(kept).toEqual([put(root).trim()])
    git(root, 'stash', 'apply', '-q', '--index', kept[0] ?? '')
    expect(treeOf(root)).toMatchObject({ 'on-the-way.txt': '644 w\n', 'a.txt': '644 3\n' })
  })

  it('is not pulled back to a branch that moved, or is checked out elsewhere, or is gone', async () => {
    const root = twoCommits()
    fill(root, { 'a.txt': 'dirty\n' })
    await clada(root).back()
    const tip = git(root, 'rev-parse', 'main').trim()
    const refusal = async (): Promise<string | undefined> => (await clada(root).forward()).error
    const other = path.join(scratchDir(), 'other')
    git(root, 'worktree', 'add', '-q', other, 'main')
    expect(await refusal()).toContain(`main is checked out in ${other}. Check out something else there first.`)
    git(root, 'worktree', 'remove', other)
    git(root, 'branch', '-q', '-D', 'main')
    expect(await refusal()).toContain(
      `main was removed since clada back. Create it again first: git branch main ${tip.slice(0, 8)}`,
    )
    git(root, 'branch', 'main', `${tip}~`)
    expect(await refusal()).toContain('main was moved since clada back. Check it out with git checkout main, then')
    git(root, 'checkout', '-q', 'main')
    expect(await clada(root).forward()).toMatchObject({ success: true, branch: 'main', kept: [put(root).trim()] })
    expect(treeOf(root)['a.txt']).toBe('644 1\n')
  })

  it('is not led by a note that the project brought along', async () => {
    const root = twoCommits()
    const outside = path.join(scratchDir({ mine: 'm\n' }), 'mine')
    const head = git(root, 'rev-parse', 'HEAD').trim()
    const target = `/../../../../${outside}`
    for (const state of [
      { branch: null, way: [target, head], saved: { [target]: head } },
      { branch: '-d', way: [head, head], saved: {} },
      { branch: null, way: [], saved: {} },
      'nothing',
    ]) {
      fillState(root, { 'back.json': JSON.stringify(state) })
      expect(await clada(root).forward()).toMatchObject({ success: false, error: expect.stringContaining('newest') })
    }
    expect(fs.readFileSync(outside, 'utf8')).toBe('m\n')
  })
})

describe('two at once', () => {
  it('go back one after the other', async () => {
    const root = twoCommits()
    fill(root, { 'a.txt': '3\n' })
    commit(root, 'third')
    const results = await Promise.all([clada(root).back(), clada(root).back()])
    expect(results).toMatchObject([{ success: true }, { success: true }])
    expect(treeOf(root)['a.txt']).toBe('644 1\n')
  })

  it('leave everything as it is while git holds the index', async () => {
    const root = twoCommits()
    fs.writeFileSync(path.join(root, '.git/index.lock'), '')
    expect(await clada(root).back()).toMatchObject({ success: false, error: expect.stringContaining('index.lock') })
    fs.rmSync(path.join(root, '.git/index.lock'))
    expect([treeOf(root)['a.txt'], git(root, 'symbolic-ref', 'HEAD')]).toEqual(['644 2\n', 'refs/heads/main\n'])
    expect(await clada(root).back()).toMatchObject({ success: true })
  })

  it('leave everything as it is while git holds HEAD', async () => {
    const root = twoCommits()
    fs.writeFileSync(path.join(root, '.git/HEAD.lock'), 'of another git')
    expect(await clada(root).back()).toMatchObject({ success: false, error: expect.stringContaining('HEAD.lock') })
    fs.rmSync(path.join(root, '.git/HEAD.lock'))
    expect([treeOf(root)['a.txt'], status(root), await clada(root).history()]).toEqual(['644 2\n', '', []])
    expect(await clada(root).back()).toMatchObject({ success: true })
  })

  it.each([
    ['a lock file that the user names', 'named'],
    ['the lock of the repository', 'own'],
  ])('wait for %s', async (_, which) => {
    const root = twoCommits()
    const lockFile = which === 'named' ? path.join(scratchDir(), 'lock') : undefined
    fs.writeFileSync(lockFile ?? lockFileOf(root) ?? '', JSON.stringify({ ...ownOwner(), nonce: 'held' }))
    const result = await new Clada({ repoPath: root, ...(lockFile && { lockFile }), lockTimeout: 0 }).back()
    expect(result).toMatchObject({ success: false, code: 'locked' })
    expect([treeOf(root)['a.txt'], git(root, 'symbolic-ref', 'HEAD')]).toEqual(['644 2\n', 'refs/heads/main\n'])
  })
})

const cli = inject('cli')

/** Runs a command that dies, or fails, at its n-th call of a kind; says whether it got that far. */
function withFault(root: string, command: string, calls: string, fault: string, when: number): boolean {
  const trace = ['-qq', '-e', `trace=${calls}`, '-e', `inject=${calls}:${fault}:when=${when}`]
  const args = [...trace, ...commandOf(cli), command, '--root', root]
  const { status: code, signal, stderr } = spawnSync('strace', args, { encoding: 'utf8', timeout: 110_000 })
  return code !== 0 || signal !== null || stderr.includes('INJECTED')
}

describe('a step that dies', () => {
  needs('strace')

  const files = (text: string): Record<string, string> => ({ 'a.txt': text, 'd/b.txt': text, [`only-${text}`]: text })

  /** Two commits with files that change, come and go, and uncommitted work of every kind. */
  function busy(): string {
    const root = repository(files('1'))
    fs.rmSync(path.join(root, 'only-1'))
    fill(root, files('2'))
    commit(root, 'second')
    fill(root, { 'a.txt': 'staged' })
    git(root, 'add', 'a.txt')
    fill(root, { 'a.txt': 'dirty', 'new/n.txt': 'new' })
    return root
  }

  const all = Array.from({ length: 16 }, (_, at) => at + 1)
  const points = [
    ['rename,renameat,renameat2', many ? all : [2, 4, 5]],
    ['link,linkat', many ? all : [2, 4, 5]],
    ['unlink,unlinkat,rmdir', many ? all : [2, 6, 10]],
  ] as const

  for (const [calls, when] of points)
    it(`is finished by the next one: ${calls.split(',')[0]}`, { timeout: 120_000 }, async () => {
      for (const at of when) {
        const root = busy()
        const tree = treeOf(root)
        const before = [status(root), git(root, 'show', ':a.txt')]
        withFault(root, 'back', calls, 'signal=KILL', at)
        if (await isBack(root)) withFault(root, 'forward', calls, 'signal=KILL', at)
        // It may have died before it began, or after it had ended.
        const result = await clada(root).forward()
        expect([at, result.success || result.error?.includes('newest commit')]).toEqual([at, true])
        expect([at, treeOf(root), status(root), git(root, 'show', ':a.txt')]).toEqual([at, tree, ...before])
        expect(git(root, 'symbolic-ref', 'HEAD')).toBe('refs/heads/main\n')
        expect(await clada(root).back()).toMatchObject({ success: true })
        expect(treeOf(root)).toMatchObject({ 'a.txt': '644 1', 'only-1': '644 1' })
      }
    })

  it('is finished where the user had gone to its end', { timeout: 60_000 }, async () => {
    for (const at of many ? all : [2, 3]) {
      const root = busy()
      const tree = treeOf(root)
      const before = status(root)
      await clada(root).back()
      git(root, 'checkout', '-q', 'main')
      withFault(root, 'forward', 'rename,renameat,renameat2', 'signal=KILL', at)
      const result = await clada(root).forward()
      expect([at, result.success || result.error?.includes('newest commit')]).toEqual([at, true])
      expect([at, treeOf(root), status(root)]).toEqual([at, tree, before])
    }
  })

  it('takes nothing back that it has not done, when the disk is full', { timeout: 60_000 }, async () => {
    for (const at of [3, 4, 5]) {
      const root = busy()
      const tree = treeOf(root)
      withFault(root, 'back', 'link,linkat', 'error=ENOSPC', at)
      if (await isBack(root)) await clada(root).forward()
      expect([at, treeOf(root), git(root, 'symbolic-ref', 'HEAD')]).toEqual([at, tree, 'refs/heads/main\n'])
    }
  })
})
