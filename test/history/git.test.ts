import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { deflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { copyIndex, isUnchanged } from '../../packages/clada/src/git/index-file.ts'
import { Clada } from '../../packages/clada/src/index.ts'
import { numbersIn, readRecord } from '../../packages/clada/src/store/record.ts'
import { ordinaryUser } from '../support/ordinary-user.ts'
import { skipWithout } from '../support/needs.ts'
import { cladaCommand } from '../support/cli.ts'
import { called } from '../support/in-process.ts'
import { fill, scratchDir, inState } from '../support/scratch.ts'
import {
  type Call,
  documentOf,
  execute,
  git,
  keptBy,
  type Mode,
  redoIn,
  repository,
  treeOf,
  undoIn,
  continueJournal,
} from './world.ts'

const edit: Call = ['file_replace_text', { path: 'a.txt', old_text: 'one', new_text: 'ONE' }]
const create: Call = ['file_write', { path: 'src/new.txt', content: 'new\n' }]
const files = { 'a.txt': 'one\n', 'b.txt': 'b\n', 'src/c.txt': 'c\n' }
const subjects = (root: string): string[] => git(root, 'log', '--format=%s').trim().split('\n')
const status = (root: string): string[] =>
  git(root, 'status', '--porcelain', '-uall')
    .split('\n')
    .filter((line) => line !== '')
const checkpoints = 'refs/clada/checkpoints'

describe('commit mode', () => {
  it('commits what was done, lists the actions, and leaves a clean tree', async () => {
    const root = repository(files)
    const result = await execute(root, 'commit', [
      edit,
      create,
      ['file_delete', { path: 'b.txt' }],
      ['file_delete', { path: 'nowhere' }],
    ])
    expect(result.gitCommit).toBe(git(root, 'rev-parse', 'HEAD').trim())
    expect(subjects(root)).toEqual(['AI: edit a.txt, delete b.txt, create src/new.txt', 'first'])
    expect(git(root, 'log', '-1', '--format=%an <%ae>|%cn')).toBe('clada <clada@localhost>|clada\n')
    expect(git(root, 'log', '-1', '--format=%b').replaceAll(root, '/R')).toBe(
      "1. ok: file_replace_text /R/a.txt\n2. ok: file_write /R/src/new.txt\n3. ok: file_delete /R/b.txt\n4. failed: file_delete /R/nowhere\n   There is no file '/R/nowhere'\n\nClada-Execution: 1\n\n",
    )
    expect(git(root, 'show', '--format=', '--name-status')).toBe('M\ta.txt\nD\tb.txt\nA\tsrc/new.txt\n')
    expect(status(root)).toEqual([])
    expect(git(root, 'fsck', '--strict')).toBe('')
  })

  it('is named as the replacer explains it', async () => {
    const root = repository(files)
    const replace = (file: string, from: string, to: string, said: string): string =>
      `<<<EXPLANATION>>>\n${said}\n<<<FILE>>>\n${file}\n<<<SEARCH>>>\n${from}\n<<<REPLACE>>>\n${to}\n<<<END>>>\n`
    const text = replace('a.txt', 'one', 'two', 'Count on') + replace('b.txt', 'b', 'c', 'Go on\nin the alphabet')
    expect(await new Clada({ repoPath: root }).execute(text)).toMatchObject({ success: true })
    expect(git(root, 'log', '-1', '--format=%B').trimEnd()).toBe(
      'AI: Count on\n\nGo on\nin the alphabet\n\n1. ok: file_replace_text a.txt\n2. ok: file_replace_text b.txt\n\nClada-Execution: 1',
    )
    expect(await new Clada({ repoPath: root }).history()).toMatchObject([{ summary: 'Count on' }])
  })

  it('says that a file moved, by a move or by a patch that renames it', async () => {
    const root = repository({ ...files, 'c.txt': 'c\n' })
    await execute(root, 'commit', [['file_move', { old_path: 'b.txt', new_path: 'src/b.txt' }], edit])
    const patch = { path: 'c.txt', new_path: 'd.txt', patch: '@@\n-c\n+d' }
    await execute(root, 'commit', [['file_patch', patch]])
    await execute(root, 'commit', [
      ['file_move', { old_path: 'd.txt', new_path: 'e.txt' }],
      ['file_move', { old_path: 'src/b.txt', new_path: 'b.txt' }],
      ['file_delete', { path: 'a.txt' }],
      ['file_write', { path: 'f.txt', content: 'f' }],
    ])
    expect(subjects(root)).toEqual([
      'AI: move 2 files, delete a.txt, create f.txt',
      'AI: move c.txt to d.txt',
      'AI: move b.txt to src/b.txt, edit a.txt',
      'first',
    ])
  })

  it('tells that it committed what was not committed, and does so once', async () => {
    const root = repository(files)
    fill(root, { 'b.txt': 'mine\n', 'c.txt': 'mine\n', 'notes.txt': 'mine too\n' })
    const { warnings = [] } = await execute(root, 'commit', [edit])
    const before = git(root, 'rev-parse', '--short=8', 'HEAD~').trim()
    expect(warnings).toEqual([`uncommitted changes (b.txt, c.txt, notes.txt) were committed first, as ${before}`])
    expect((await execute(root, 'commit', [create])).warnings).toBeUndefined()
  })

  it('commits no conflict that the user must settle first', async () => {
    const root = repository(files)
    await execute(root, 'commit', [edit, create])
    fill(root, { 'a.txt': 'ONE of mine\n' })
    git(root, 'commit', '-qam', 'mine')
    const { conflicts } = await undoIn(root, 'commit', { force: true })
    expect(conflicts.map(({ path }) => path)).toEqual(['a.txt'])
    expect(fs.readFileSync(path.join(root, 'a.txt'), 'utf8')).toContain('<<<<<<<')
    expect(git(root, 'show', 'HEAD:a.txt')).toBe('ONE of mine\n')
    expect(git(root, 'ls-tree', '-r', '--name-only', 'HEAD')).not.toContain('src/new.txt')
  })

  it('saves what was not committed first, and only then', async () => {
    const root = repository({ ...files, '.gitignore': '*.log\n' })
    fill(root, {
      'b.txt': 'mine\n',
      'untracked.txt': 'u\n',
      'x.log': 'ignored\n',
      '.env': 'SECRET=1\n',
      'key.pem': 'k\n',
    })
    fs.writeFileSync(path.join(root, 'huge.bin'), Buffer.alloc(10 * 1024 * 1024 + 1))
    fs.rmSync(path.join(root, 'src/c.txt'))
    await execute(root, 'commit', [edit])
    expect(subjects(root)).toEqual([
      'AI: edit a.txt',
      expect.stringMatching(/^clada: before \d{4}-\d\d-\d\dT.*Z$/),
      'first',
    ])
    expect(git(root, 'show', '--format=', '--name-status', 'HEAD~1')).toBe('M\tb.txt\nD\tsrc/c.txt\nA\tuntracked.txt\n')
    expect(git(root, 'show', '--format=', '--name-status', 'HEAD')).toBe('M\ta.txt\n')
    expect(status(root)).toEqual(['?? .env', '?? huge.bin', '?? key.pem'])
  })

  it('commits no reply that was saved into the project to be applied', async () => {
    const root = repository(files)
    fill(root, { 'reply.md': documentOf(root, [edit]), 'notes.txt': 'n\n' })
    const done = await called(['reply.md'], { cwd: root })
    expect(done.stdout).toContain('uncommitted changes (notes.txt) were committed first')
    expect(git(root, 'log', '--all', '--format=', '--name-only')).not.toContain('reply.md')
    expect(status(root)).toEqual(['?? reply.md'])
  })

  it('commits no reply of an earlier execution either, and no file that an editor keeps beside another', async () => {
    const root = repository(files)
    const beside = ['.notes.txt.swp', '#notes.txt#', 'notes.txt~']
    fill(root, { 'one.md': documentOf(root, [edit]), 'notes.txt': 'n\n' })
    for (const name of beside) fs.writeFileSync(path.join(root, name), 'x\n')
    await called(['one.md'], { cwd: root })
    await called(['undo'], { cwd: root })
    fill(root, { 'two.md': documentOf(root, [edit]), 'more.txt': 'm\n' })
    const done = await called(['two.md'], { cwd: root })
    expect(done.stdout).toContain('uncommitted changes (more.txt) were committed first')
    expect(status(root)).toEqual([...beside, 'one.md', 'two.md'].sort().map((name) => `?? ${name}`))
  })

  it('commits no file that the shell made for its report', (context) => {
    skipWithout(context, 'posix')
    const root = repository({ ...files, 'reply.md': '<write path="a.txt"><![CDATA[two]]></write>\n' })
    const words = ['-c', '"$@" > report.txt', 'sh', ...cladaCommand(), 'reply.md']
    spawnSync('sh', words, { cwd: root, env: { ...process.env, HOME: scratchDir() } })
    expect(status(root)).toEqual(['?? report.txt'])
  })

  it('commits a reply that git tracks like any other file', async () => {
    const root = repository({ ...files, 'reply.md': 'first\n' })
    fill(root, { 'reply.md': documentOf(root, [edit]) })
    await called(['reply.md'], { cwd: root })
    expect(git(root, 'show', '--format=', '--name-only', 'HEAD~')).toBe('reply.md\n')
  })

  it('saves a change of a tracked file first, however large it is', async () => {
    const root = repository({ ...files, 'huge.bin': 'small\n' })
    fs.writeFileSync(path.join(root, 'huge.bin'), Buffer.alloc(10 * 1024 * 1024 + 1))
    await execute(root, 'commit', [edit])
    expect(git(root, 'show', '--format=', '--name-only', 'HEAD~')).toBe('huge.bin\n')
    expect(status(root)).toEqual([])
  })

  it('leaves out what was changed meanwhile, and files whose names are no UTF-8', async () => {
    const top = repository({ 'x/a.txt': 'one\n', 'x/b.txt': 'b\n' })
    const root = path.join(top, 'x')
    const odd = Buffer.concat([Buffer.from(`${root}/odd`), Buffer.from([0xff])])
    fs.writeFileSync(odd, 'odd\n')
    const write: Call = ['file_write', { path: 'b.txt', content: 'B\n' }]
    const onAction = ({ seq }: { seq: number }): void => {
      if (seq === 2) fill(root, { 'a.txt': 'of an editor\n' })
    }
    const result = await new Clada({ repoPath: root }).execute(documentOf(root, [edit, write]), { onAction })
    expect(result.warnings).toEqual(['a.txt was changed in the meantime and is not committed'])
    expect(git(top, 'show', '--format=', '--name-only')).toBe('x/b.txt\n')
    expect(git(top, 'status', '--porcelain')).toBe(' M x/a.txt\n?? "x/odd\\377"\n')
    expect(fs.readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('of an editor\n')
  })

  it('does not touch what the user stages meanwhile', async () => {
    const root = repository(files)
    let index: Buffer | undefined
    const onAction = (): void => {
      fill(root, { 'b.txt': 'staged\n' })
      git(root, 'add', 'b.txt')
      index = fs.readFileSync(path.join(root, '.git/index'))
    }
    const result = await new Clada({ repoPath: root }).execute(documentOf(root, [edit]), { onAction })
    expect(result.warnings).toEqual([
      expect.stringMatching(/^the repository was changed in the meantime, so .* refs\/clada/),
    ])
    expect(subjects(root)).toEqual(['first'])
    expect(fs.readFileSync(path.join(root, '.git/index'))).toEqual(index)
    expect(git(root, 'show', '--format=', '--name-only', checkpoints)).toBe('a.txt\n')
  })

  it('goes on from what the user commits meanwhile', async () => {
    const root = repository(files)
    const onAction = (): void => {
      fill(root, { 'b.txt': 'mine\n' })
      git(root, 'commit', '-q', '-m', 'mine', 'b.txt')
    }
    const result = await new Clada({ repoPath: root }).execute(documentOf(root, [edit]), { onAction })
    expect(result).toMatchObject({ success: true })
    expect(subjects(root)).toEqual(['AI: edit a.txt', 'mine', 'first'])
    expect(git(root, 'show', '--format=', '--name-only')).toBe('a.txt\n')
    expect(status(root)).toEqual([])
  })

  it('takes another author', async () => {
    const root = repository(files)
    await execute(root, 'commit', [edit], { gitAuthor: 'Ann Other <ann@example.com>' })
    expect(git(root, 'log', '-1', '--format=%an <%ae>')).toBe('Ann Other <ann@example.com>\n')
  })

  it('makes no commit for reads and failures', async () => {
    const root = repository(files)
    await execute(root, 'commit', [
      ['file_read', { path: 'a.txt' }],
      ['file_delete', { path: 'nowhere' }],
    ])
    expect(subjects(root)).toEqual(['first'])
    expect(fs.existsSync(inState(root))).toBe(false)
  })

  it('uses shadow for this once when anything is staged, and says so', async () => {
    const root = repository(files)
    fill(root, { 'b.txt': 'staged\n' })
    git(root, 'add', 'b.txt')
    fill(root, { 'b.txt': 'staged and more\n' })
    const index = fs.readFileSync(path.join(root, '.git/index'))
    const result = await execute(root, 'commit', [edit])
    expect(result.success).toBe(true)
    expect(result.warnings).toEqual([expect.stringContaining('staged')])
    expect(subjects(root)).toEqual(['first'])
    expect(fs.readFileSync(path.join(root, '.git/index')).equals(index)).toBe(true)
    expect(git(root, 'show', '--format=', '--name-only', checkpoints)).toBe('a.txt\n')
  })

  it('commits in a repository without a commit', async () => {
    const root = repository({})
    fill(root, { 'a.txt': 'one\n' })
    await execute(root, 'commit', [edit])
    expect(subjects(root)).toEqual(['AI: edit a.txt', expect.stringMatching(/^clada: before/)])
    expect(git(root, 'symbolic-ref', 'HEAD')).toBe('refs/heads/main\n')
    expect(status(root)).toEqual([])
  })

  it('commits on a detached HEAD', async () => {
    const root = repository(files)
    git(root, 'checkout', '-q', '--detach')
    const result = await execute(root, 'commit', [edit])
    expect(result.gitCommit).toBe(git(root, 'rev-parse', 'HEAD').trim())
    expect(git(root, 'log', '--format=%s', 'main')).toBe('first\n')
  })

  it('commits on the branch of a worktree, and on no other', async () => {
    const root = repository(files)
    const tree = path.join(scratchDir(), 'tree')
    git(root, 'worktree', 'add', '-q', '-b', 'other', tree)
    const result = await execute(tree, 'commit', [edit, create])
    expect(result.gitCommit).toBe(git(root, 'rev-parse', 'other').trim())
    expect(subjects(root)).toEqual(['first'])
    expect(status(root)).toEqual([])
    expect(status(tree)).toEqual([])
  })

  it('commits in a repository with SHA-256', async () => {
    const root = repository(files, '--object-format=sha256')
    const result = await execute(root, 'commit', [edit])
    expect(result.gitCommit).toMatch(/^[0-9a-f]{64}$/)
    expect(status(root)).toEqual([])
  })

  it('leaves submodules alone', async () => {
    const inner = repository({ 'in.txt': 'in\n' })
    const root = repository(files)
    git(root, '-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', inner, 'sub')
    git(root, 'commit', '-q', '-m', 'sub')
    fill(root, { 'sub/dirty.txt': 'x' })
    const before = treeOf(root)
    const result = await execute(root, 'commit', [edit, ['file_write', { path: 'sub/in.txt', content: 'x' }]])
    expect(result.success).toBe(true)
    expect(git(root, 'show', '--format=', '--name-only')).toBe('a.txt\n')
    expect(git(root, 'ls-files', '-s', 'sub')).toMatch(/^160000/)
    expect(await undoIn(root, 'commit')).toMatchObject({ success: true })
    expect(treeOf(root)).toEqual(before)
  })

  it('counts the commit of a submodule as staged when it is, and only then', async () => {
    const inner = repository({ 'in.txt': 'in\n' })
    const root = repository(files)
    git(root, '-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', inner, 'sub')
    git(root, 'commit', '-q', '-m', 'sub')
    fill(root, { 'sub/in.txt': 'next\n' })
    git(path.join(root, 'sub'), 'commit', '-q', '-a', '-m', 'next')
    expect((await execute(root, 'commit', [edit])).warnings).toBeUndefined()
    expect(git(root, 'show', '--format=', '--name-only')).toBe('a.txt\n')
    git(root, 'add', 'sub')
    const index = fs.readFileSync(path.join(root, '.git/index'))
    const result = await execute(root, 'commit', [create])
    expect(result.warnings).toEqual([expect.stringContaining('staged')])
    expect(subjects(root)).toEqual(['AI: edit a.txt', 'sub', 'first'])
    expect(await undoIn(root, 'commit')).toMatchObject({ success: true })
    expect(fs.readFileSync(path.join(root, '.git/index')).equals(index)).toBe(true)
  })

  it('leaves objects as open as the repository is, for others who share it', async () => {
    const root = repository(files, '--shared=0660')
    const objects = path.join(root, '.git/objects')
    const before = new Set(fs.readdirSync(objects, { recursive: true }).map(String))
    await execute(root, 'commit', [edit, create])
    const made = fs
      .readdirSync(objects, { recursive: true })
      .map(String)
      .filter((name) => !before.has(name))
    const modeOf = (name: string): string => (fs.statSync(path.join(objects, name)).mode & 0o777).toString(8)
    expect(new Set(made.filter((name) => name.includes(path.sep)).map(modeOf))).toEqual(new Set(['440']))
    expect(new Set(made.filter((name) => !name.includes(path.sep)).map(modeOf))).toEqual(new Set(['770']))
  })

  it('leaves a submodule alone that is not checked out', async () => {
    const inner = repository({ 'in.txt': 'in\n' })
    const first = repository(files)
    git(first, '-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', inner, 'sub')
    git(first, 'commit', '-q', '-m', 'sub')
    const root = path.join(scratchDir(), 'clone')
    git(first, 'clone', '-q', first, root)
    await execute(root, 'commit', [edit, ['file_write', { path: 'sub/in.txt', content: 'x' }]])
    expect(git(root, 'ls-files', '-s', 'sub')).toMatch(/^160000/)
    expect(git(root, 'show', '--format=', '--name-only')).toBe('a.txt\n')
  })

  it('works in a sparse checkout, also outside of it', async () => {
    const root = repository({ ...files, 'far/d.txt': 'd\n', 'far/e.txt': 'e\n' })
    git(root, 'sparse-checkout', 'set', '--cone', 'src')
    expect(fs.existsSync(path.join(root, 'far'))).toBe(false)
    await execute(root, 'commit', [edit, ['file_write', { path: 'far/d.txt', content: 'new\n' }]])
    expect(git(root, 'show', '--format=', '--name-status')).toBe('M\ta.txt\nM\tfar/d.txt\n')
    expect(git(root, 'ls-tree', '-r', '--name-only', 'HEAD')).toContain('far/e.txt')
    expect(status(root)).toEqual([])
  })

  it('works in a sparse checkout with more changes than a command line can name', async () => {
    const deep = `${'n'.repeat(200)}/`.repeat(14)
    const names = Array.from({ length: 800 }, (_, at) => `src/${deep}${at}.txt`)
    const all = (text: string) => Object.fromEntries(names.map((name) => [name, text]))
    const root = repository({ ...files, 'far/d.txt': 'd\n', ...all('') })
    git(root, 'sparse-checkout', 'set', '--cone', 'src')
    fill(root, all('x'))
    expect(await execute(root, 'commit', [edit])).toMatchObject({ success: true })
    expect(git(root, 'diff', '--shortstat', 'HEAD~2', 'HEAD~')).toContain('800 files changed')
    expect(status(root)).toEqual([])
  })

  it('leaves out of a sparse checkout again what an undo takes off the disk, and deletes it nowhere', async () => {
    const root = repository({ ...files, 'far/d.txt': 'd\n' })
    git(root, 'sparse-checkout', 'set', '--cone', 'src')
    const before = treeOf(root)
    const write: Call = ['file_write', { path: 'far/d.txt', content: 'D\n' }]
    const another: Call = ['file_write', { path: 'far/new.txt', content: 'n\n' }]
    await execute(root, 'commit', [write, another])
    const after = treeOf(root)
    await undoIn(root, 'commit')
    expect(treeOf(root)).toEqual(before)
    expect(git(root, 'diff', '--stat', 'HEAD~2', 'HEAD')).toBe('')
    expect(git(root, 'ls-files', '-t', 'far')).toBe('S far/d.txt\n')
    expect(status(root)).toEqual([])
    await redoIn(root, 'commit')
    expect(treeOf(root)).toEqual(after)
    expect(status(root)).toEqual([])
    await undoIn(root, 'commit')
    expect(git(root, 'show', 'HEAD:far/d.txt')).toBe('d\n')
  })

  it('works in a partial clone, whose objects outside of a sparse checkout are not there', async (context) => {
    skipWithout(context, 'bash')
    const first = repository({ ...files, 'far/d.txt': 'd\n' })
    fill(first, { 'a.txt': 'one\n\n', 'far/d.txt': 'd2\n' })
    git(first, 'commit', '-q', '-am', 'second')
    git(first, 'config', 'uploadpack.allowFilter', 'true')
    const root = path.join(scratchDir(), 'clone')
    git(first, 'clone', '-q', '--filter=blob:none', '--sparse', `file://${first}`, root)
    const before = treeOf(root)
    await execute(root, 'commit', [edit, ['file_write', { path: 'far/d.txt', content: 'new\n' }]])
    expect(await undoIn(root, 'commit')).toMatchObject({ success: true, conflicts: [] })
    expect(treeOf(root)).toEqual(before)
    expect(git(root, 'diff', '--raw', 'HEAD~2', 'HEAD')).toBe('')
    // Of what the first commit has, nothing is here yet but what git fetches for this.
    git(root, 'cat-file', '-e', 'HEAD~3:a.txt')
    for (const _ of [1, 2, 3]) expect(await new Clada({ repoPath: root }).back()).toMatchObject({ success: true })
    for (const _ of [1, 2, 3]) expect(await new Clada({ repoPath: root }).forward()).toMatchObject({ success: true })
    expect(treeOf(root)).toEqual(before)
    expect(status(root)).toEqual([])
  })

  it('keeps line endings as the repository has them', async () => {
    const root = repository({ '.gitattributes': '* text=auto eol=crlf\n', 'a.txt': 'one\r\ntwo\r\n' })
    await execute(root, 'commit', [edit])
    expect(fs.readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('ONE\r\ntwo\r\n')
    expect(git(root, 'show', 'HEAD:a.txt')).toBe('ONE\ntwo\n')
    expect(status(root)).toEqual([])
  })

  it('follows the ignore list of the user, and saves ignored files for undo apart', async () => {
    const root = repository({ ...files, '.gitignore': 'dist/\n' })
    fill(root, { 'dist/out.js': 'old\n' })
    await execute(root, 'commit', [edit, ['file_write', { path: 'dist/out.js', content: 'new\n' }]])
    expect(git(root, 'show', '--format=', '--name-only')).toBe('a.txt\n')
    for (const oid of objectsOf(root)) expect(git(root, 'cat-file', '-p', oid)).not.toBe('new\n')
    expect(await undoIn(root, 'commit')).toMatchObject({ success: true, restored: ['a.txt', 'dist/out.js'] })
    expect(fs.readFileSync(path.join(root, 'dist/out.js'), 'utf8')).toBe('old\n')
  })

  it('follows an ignore list that is configured', async () => {
    const root = repository(files)
    git(root, 'config', 'core.excludesFile', path.join(scratchDir({ list: '*.log\n' }), 'list'))
    fill(root, { 'before.log': 'x\n' })
    await execute(root, 'commit', [edit, ['file_write', { path: 'after.log', content: 'y\n' }]])
    expect(subjects(root)).toEqual(['AI: edit a.txt, create after.log', 'first'])
    expect(git(root, 'show', '--format=', '--name-only')).toBe('a.txt\n')
  })

  it('commits only what lies below the root', async () => {
    const top = repository({ 'x/a.txt': 'one\n', 'y/b.txt': 'b\n' })
    fill(top, { 'y/b.txt': 'mine\n', 'x/new.txt': 'new\n' })
    const root = path.join(top, 'x')
    const { warnings = [] } = await execute(root, 'commit', [edit])
    // Told as the project has it, like everything else.
    expect(warnings).toEqual([expect.stringContaining('(new.txt) were committed first')])
    expect(git(top, 'show', '--format=', '--name-only')).toBe('x/a.txt\n')
    expect(status(top)).toEqual([' M y/b.txt'])
  })

  it('follows the executable bit and links', async () => {
    const root = repository({ ...files, 'run.sh': 'x\n' })
    fs.chmodSync(path.join(root, 'run.sh'), 0o755)
    fs.symlinkSync('a.txt', path.join(root, 'link'))
    git(root, 'add', '-A')
    git(root, 'commit', '-q', '-m', 'second')
    await execute(root, 'commit', [
      ['file_write', { path: 'run.sh', content: 'y\n' }],
      ['file_move', { old_path: 'link', new_path: 'src/link' }],
      ['file_copy', { old_path: 'run.sh', new_path: 'src/run.sh' }],
    ])
    expect(
      git(root, 'ls-tree', '-r', 'HEAD')
        .replace(/ [0-9a-f]{40}/g, '')
        .trim()
        .split('\n'),
    ).toEqual([
      '100644 blob\ta.txt',
      '100644 blob\tb.txt',
      '100755 blob\trun.sh',
      '100644 blob\tsrc/c.txt',
      '120000 blob\tsrc/link',
      '100755 blob\tsrc/run.sh',
    ])
    expect(status(root)).toEqual([])
  })

  for (const [what, begin] of [
    ['a merge', (root: string) => expect(() => git(root, 'merge', 'other')).toThrow()],
    ['a rebase', (root: string) => expect(() => git(root, 'rebase', 'other')).toThrow()],
    ['a cherry-pick', (root: string) => expect(() => git(root, 'cherry-pick', 'other')).toThrow()],
    [
      'a cherry-pick or revert',
      (root: string) => {
        expect(() => git(root, 'cherry-pick', 'other', 'main')).toThrow()
        git(root, 'checkout', '-q', '--theirs', '.')
        git(root, 'commit', '-q', '-am', 'settled')
      },
    ],
    [
      'git am',
      (root: string) => {
        fill(root, { 'the.patch': git(root, 'format-patch', '-1', '--stdout', 'other') })
        expect(() => git(root, 'am', 'the.patch')).toThrow()
      },
    ],
    ['a revert', (root: string) => git(root, 'revert', '--no-commit', 'HEAD')],
    ['a bisect', (root: string) => git(root, 'bisect', 'start', 'HEAD', 'HEAD~1')],
  ] as const) {
    it(`refuses in the middle of ${what}, with nothing executed`, async () => {
      const root = repository(files)
      git(root, 'checkout', '-q', '-b', 'other')
      fill(root, { 'b.txt': 'other\n' })
      git(root, 'commit', '-q', '-am', 'other')
      git(root, 'checkout', '-q', 'main')
      fill(root, { 'b.txt': 'main\n' })
      git(root, 'commit', '-q', '-am', 'main')
      begin(root)
      const before = treeOf(root)
      const result = await execute(root, 'commit', [edit, create])
      expect(result).toMatchObject({
        success: false,
        fatalCode: 'git_operation_failed',
        fatalError: expect.stringContaining(`${what} is in progress`),
        results: [
          { details: { advice: 'Finish or abort it first. Or run with --no-git.' } },
          { error: expect.stringMatching(new RegExp(`skipped: ${what} is in progress$`)) },
        ],
      })
      expect(result.results.map(({ code }) => code)).toEqual(['git_operation_failed', 'skipped'])
      expect([treeOf(root), numbersIn(inState(root, 'history'))]).toEqual([before, []])
    })
  }

  it('stops before anything when git cannot work', async () => {
    const root = repository(files)
    fs.writeFileSync(path.join(root, '.git/HEAD'), 'nonsense')
    const result = await execute(root, 'commit', [edit])
    expect(result).toMatchObject({ success: false, fatalCode: 'git_operation_failed' })
    expect(fs.readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('one\n')
  })

  it('stops before anything when an index.lock was left behind, and says what to do', async () => {
    const root = repository(files)
    const lock = path.join(root, '.git/index.lock')
    fs.writeFileSync(lock, '')
    expect(await execute(root, 'commit', [edit])).toMatchObject({
      success: false,
      fatalCode: 'git_operation_failed',
      results: [{ details: { advice: expect.stringContaining('remove that file') } }],
    })
    expect(fs.readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('one\n')
    fs.rmSync(lock)
    expect(await execute(root, 'commit', [edit])).toMatchObject({ success: true })
  })

  it.each(['commit', 'shadow'] as const)('stops before anything where git may not write: %s', (mode) => {
    const root = repository(files)
    const clada = ordinaryUser(root)
    fs.chmodSync(path.join(root, '.git/objects'), 0o555)
    const { status, stdout } = clada(['--git', mode, '--json'], documentOf(root, [edit]))
    fs.chmodSync(path.join(root, '.git/objects'), 0o755)
    expect(status).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({ success: false, fatalCode: 'git_operation_failed' })
    expect(fs.readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('one\n')
  })

  it('leaves out what may not be read, and commits the rest', () => {
    const root = repository(files)
    fill(root, { 'b.txt': 'mine\n', 'left/by-a-container': 'x' })
    const clada = ordinaryUser(root)
    fs.chmodSync(path.join(root, 'left/by-a-container'), 0)
    const { status, stdout } = clada(['--git', 'commit'], documentOf(root, [edit]))
    expect([status, stdout]).toEqual([0, expect.stringContaining('(b.txt) were committed first')])
    expect(git(root, '-c', `safe.directory=${root}`, 'log', '--format=%s', '--name-only')).toMatch(
      /^AI: edit a.txt\n\na.txt\nclada: before .*\n\nb.txt\nfirst\n/,
    )
  })

  it('waits for a git that is at work', async () => {
    const root = repository(files)
    const lock = path.join(root, '.git/index.lock')
    fs.writeFileSync(lock, '')
    setTimeout(() => fs.rmSync(lock), 200)
    expect(await execute(root, 'commit', [edit])).toMatchObject({ success: true })
    expect(status(root)).toEqual([])
  })

  it('says so when git fails at the end; the changes stay and can be undone', async () => {
    const root = repository(files)
    const onAction = (): void => fs.writeFileSync(path.join(root, '.git/index.lock'), '')
    const result = await new Clada({ repoPath: root }).execute(documentOf(root, [edit]), { onAction })
    expect(result).toMatchObject({
      success: false,
      executedActions: 1,
      fatalCode: 'git_operation_failed',
      results: [{ success: true }],
    })
    expect(fs.readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('ONE\n')
    expect(await undoIn(root, 'commit')).toMatchObject({ success: true })
    expect(fs.readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('one\n')
  })

  it('says so when git fails at the end of an undo, which has restored the files', async () => {
    const root = repository(files)
    await execute(root, 'commit', [edit])
    fs.writeFileSync(path.join(root, '.git/refs/heads/main.lock'), 'of another git')
    expect(await undoIn(root, 'commit')).toMatchObject({
      success: false,
      error: expect.stringContaining('The files are restored; the commit is missing.'),
    })
    expect(fs.readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('one\n')
  })

  it('moves a branch back that a program of the execution had moved', async () => {
    const root = repository(files)
    await execute(root, 'commit', [edit])
    const history = inState(root, 'history')
    const before = { commit: git(root, 'rev-parse', 'HEAD').trim(), branch: 'refs/heads/main' }
    git(root, 'checkout', '-q', '-b', 'other')
    git(root, 'commit', '-q', '--allow-empty', '-m', 'by a program')
    const after = { commit: git(root, 'rev-parse', 'HEAD').trim(), branch: 'refs/heads/other' }
    const log = continueJournal(root)
    log.addRecord({ ...readRecord(history, 1), moved: { before, after } })
    log.flush()
    log.close()
    expect((await undoIn(root, 'off')).warnings).toEqual([expect.stringMatching(/^main is at [0-9a-f]{8} again; /)])
    expect([git(root, 'symbolic-ref', 'HEAD'), git(root, 'rev-parse', keptBy(root, 2)).trim()]).toEqual([
      'refs/heads/main\n',
      after.commit,
    ])
    expect(fs.readdirSync(inState(root)).filter((name) => name.startsWith('git'))).toEqual([])
  })

  it('packs loose objects now and then', async () => {
    const root = repository(files)
    await execute(root, 'commit', [edit])
    const history = inState(root, 'history')
    fs.renameSync(path.join(history, '1'), path.join(history, '31'))
    // By the number of those in this directory git estimates how many there are.
    const loose = path.join(root, '.git/objects/17')
    fs.mkdirSync(loose, { recursive: true })
    for (let at = 0; fs.readdirSync(loose).length < 8; at++) {
      const body = Buffer.from(`blob ${`text ${at}`.length}\0text ${at}`)
      const id = createHash('sha1').update(body).digest('hex')
      if (id.startsWith('17')) fs.writeFileSync(path.join(loose, id.slice(2)), deflateSync(body))
    }
    await execute(root, 'commit', [create])
    expect(git(root, 'count-objects')).toMatch(/^0 objects/)
  })

  it('adds a commit for an undo; what the user committed in between stays', async () => {
    const root = repository(files)
    await execute(root, 'commit', [edit])
    fill(root, { 'mine.txt': 'mine\n' })
    git(root, 'add', 'mine.txt')
    git(root, 'commit', '-q', '-m', 'mine')
    const result = await undoIn(root, 'commit')
    expect(result).toMatchObject({ success: true, restored: ['a.txt'] })
    expect(subjects(root)).toEqual(['AI: undo execution 1', 'mine', 'AI: edit a.txt', 'first'])
    expect(git(root, 'diff', 'HEAD~3', 'HEAD', '--name-only')).toBe('mine.txt\n')
    await redoIn(root, 'commit')
    expect(subjects(root)[0]).toBe('AI: redo execution 1')
    expect(status(root)).toEqual([])
  })

  it('leaves the rest of the index as it is', async () => {
    const root = repository(files)
    git(root, 'update-index', '--assume-unchanged', 'b.txt')
    git(root, 'update-index', '--chmod=+x', 'src/c.txt')
    git(root, 'commit', '-q', '-m', 'x')
    fs.chmodSync(path.join(root, 'src/c.txt'), 0o755)
    const others = (): string => git(root, 'ls-files', '-v', '-s', '--', 'b.txt', 'src/c.txt')
    const before = others()
    await execute(root, 'commit', [edit])
    expect(others()).toBe(before)
    expect(subjects(root)[0]).toBe('AI: edit a.txt')
  })
})

describe('shadow mode', () => {
  it('saves before and after under refs/clada, and touches nothing else', async () => {
    const root = repository({ ...files, 'run.sh': 'x\n' })
    fill(root, { 'b.txt': 'mine\n' })
    git(root, 'stash', 'push', '-q')
    fill(root, { 'b.txt': 'dirty\n', 'u.txt': 'u\n' })
    const seen = (): string[] => [
      fs.readFileSync(path.join(root, '.git/index'), 'latin1'),
      git(root, 'rev-parse', 'HEAD', 'main', 'stash@{0}'),
      git(root, 'reflog'),
    ]
    const before = seen()
    const result = await execute(root, 'shadow', [edit, create])
    expect(result.gitCommit).toBeUndefined()
    expect(seen()).toEqual(before)
    expect(git(root, 'show', '--format=%s', '--name-status', checkpoints)).toBe(
      'AI: edit a.txt, create src/new.txt\n\nM\ta.txt\nA\tsrc/new.txt\n',
    )
    expect(git(root, 'diff', '--name-only', 'HEAD', `${checkpoints}~1`)).toBe('')
    await execute(root, 'shadow', [['file_delete', { path: 'a.txt' }]])
    expect(git(root, 'log', '--format=%s', '--first-parent', `${checkpoints}`)).toContain('clada: before execution 2')
    expect(git(root, 'log', '--format=%s', checkpoints)).toContain('AI: edit a.txt')
    expect(git(root, 'diff', '--name-only', 'HEAD', `${checkpoints}~1`)).toBe('a.txt\n')
    expect(await undoIn(root, 'shadow')).toMatchObject({ success: true })
    expect(await undoIn(root, 'shadow')).toMatchObject({ success: true })
    expect(fs.readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('one\n')
    expect(git(root, 'fsck', '--strict')).toBe('')
    expect(fs.existsSync(inState(root, 'history/1/git'))).toBe(false)
  })

  it('saves nothing where only a file that git ignores is changed', async () => {
    const root = repository({ ...files, '.gitignore': '*.log\n' })
    expect(await execute(root, 'shadow', [['file_write', { path: 'x.log', content: 'x' }]])).toMatchObject({
      success: true,
    })
    expect(git(root, 'for-each-ref', 'refs/clada')).toBe('')
  })

  it('works in the middle of a merge', async () => {
    const root = repository(files)
    fs.writeFileSync(path.join(root, '.git/MERGE_HEAD'), git(root, 'rev-parse', 'HEAD'))
    expect(await execute(root, 'shadow', [edit])).toMatchObject({ success: true })
  })
})

describe('without a repository', () => {
  it('keeps checkpoints in one of its own', async () => {
    const root = scratchDir(files)
    await execute(root, 'commit', [edit])
    await execute(root, 'commit', [create])
    const log = git(root, '--git-dir', inState(root, 'repo'), 'log', '--format=%s', checkpoints).trim().split('\n')
    expect(log).toEqual([
      'AI: create src/new.txt',
      'clada: before execution 2',
      'AI: edit a.txt',
      'clada: before execution 1',
    ])
    expect(git(root, '--git-dir', inState(root, 'repo'), 'show', `${checkpoints}:a.txt`)).toBe('ONE\n')
    expect(await undoIn(root, 'commit')).toMatchObject({ success: true })
  })

  it('needs no git at all', async () => {
    const root = scratchDir(files)
    const { PATH } = process.env
    process.env['PATH'] = '/nonexistent'
    try {
      expect(await execute(root, 'commit', [edit])).toMatchObject({ success: true })
      expect(await undoIn(root, 'commit')).toMatchObject({ success: true })
    } finally {
      process.env['PATH'] = PATH
    }
    expect(fs.readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('one\n')
  })
})

describe('staged work and secrets', () => {
  for (const mode of ['commit', 'shadow', 'off'] as const satisfies readonly Mode[]) {
    for (const layout of ['repository', 'detached', 'empty'] as const) {
      it(`are in no object, and the index stays as it is: ${mode}, ${layout}`, async () => {
        const root = repository(layout === 'empty' ? {} : files)
        if (layout === 'empty') fill(root, files)
        if (layout === 'detached') git(root, 'checkout', '-q', '--detach')
        fill(root, { 'b.txt': 'STAGED-HUNK\n' })
        git(root, 'add', 'b.txt')
        const staged = new Set(objectsOf(root))
        fill(root, { 'b.txt': 'UNSTAGED-HUNK\n', '.env': 'SECRET-ENV\n', 'config/id_rsa': 'SECRET-KEY\n' })
        const index = fs.readFileSync(path.join(root, '.git/index'))
        const result = await execute(root, mode, [edit, create, ['file_write', { path: '.env', content: 'x' }]])
        expect(result.results.map(({ success }) => success)).toEqual([true, true, false])
        await undoIn(root, mode)
        await redoIn(root, mode)
        expect(fs.readFileSync(path.join(root, '.git/index')).equals(index)).toBe(true)
        for (const oid of objectsOf(root)) {
          if (staged.has(oid)) continue
          expect(git(root, 'cat-file', '-p', oid)).not.toMatch(/STAGED-HUNK|SECRET/)
        }
        if (mode === 'off') expect(objectsOf(root)).toEqual([...staged])
        expect(kept(root)).not.toMatch(/STAGED-HUNK|SECRET/)
      })
    }
  }
})

const objectsOf = (root: string): string[] =>
  git(root, 'cat-file', '--batch-all-objects', '--batch-check=%(objectname)')
    .split('\n')
    .filter((line) => line !== '')

/** Everything below clada's own corner as one text. */
function kept(root: string): string {
  const entries = fs.readdirSync(inState(root), { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => fs.readFileSync(path.join(entry.parentPath, entry.name), 'latin1'))
    .join('\n')
}

describe('code of the repository', () => {
  const hooks = [
    'pre-commit',
    'prepare-commit-msg',
    'commit-msg',
    'post-commit',
    'post-index-change',
    'reference-transaction',
    'post-checkout',
    'post-rewrite',
    'pre-auto-gc',
    'fsmonitor-watchman',
    'update',
    'post-update',
    'push-to-checkout',
  ]

  for (const mode of ['commit', 'shadow'] as const) {
    it(`never runs: ${mode}`, async () => {
      const root = repository({
        ...files,
        '.gitattributes': '*.txt filter=evil diff=evil merge=evil\nsrc/*.txt -filter\n',
      })
      const pwned = path.join(root, '.git/PWNED')
      const script = path.join(root, '.git/evil.sh')
      fs.writeFileSync(script, `#!/bin/sh\necho "$0 $*" >> '${pwned}'\ncat\n`, { mode: 0o755 })
      for (const hook of hooks) fs.copyFileSync(script, path.join(root, '.git/hooks', hook))
      for (const [key, value] of Object.entries({
        'filter.evil.clean': script,
        'filter.evil.smudge': script,
        'filter.evil.process': script,
        'filter.evil.required': 'true',
        'core.fsmonitor': script,
        'core.pager': script,
        'core.editor': script,
        'core.sshCommand': script,
        'core.alternateRefsCommand': script,
        'diff.external': script,
        'diff.evil.textconv': script,
        'diff.evil.command': script,
        'merge.evil.driver': script,
        'gpg.program': script,
        'commit.gpgSign': 'true',
        'log.showSignature': 'true',
        'credential.helper': script,
        'alias.status': `!${script}`,
        'alias.update-index': `!${script}`,
        'uploadpack.packObjectsHook': script,
      }))
        fs.appendFileSync(
          path.join(root, '.git/config'),
          `[${key
            .split('.')
            .slice(0, -1)
            .join('.')
            .replace(
              /^(filter|diff|merge)\.evil$/,
              '$1 "evil"',
            )}]\n\t${key.split('.').at(-1)} = ${JSON.stringify(value)}\n`,
        )
      fill(root, { 'b.txt': 'dirty\n', 'src/c.txt': 'dirty\n' })
      const result = await execute(root, mode, [edit, create])
      expect(result.success).toBe(true)
      expect(result.warnings?.join('\n')).toContain("a.txt is not committed: its filter 'evil' would run a program")
      await undoIn(root, mode)
      await redoIn(root, mode)
      expect(fs.existsSync(pwned)).toBe(false)
    })
  }
})

describe('a copy of the index', () => {
  it('leaves the index as it is, though the last copy became the index and is the same file', () => {
    const root = scratchDir({ copy: 'content' })
    const [index, copy] = [path.join(root, 'index'), path.join(root, 'copy')]
    fs.utimesSync(copy, 1_000_000_000, 1_000_000_000.5004)
    fs.linkSync(copy, index)
    const before = fs.statSync(index, { bigint: true }).mtimeNs
    expect(isUnchanged(index, copyIndex(index, copy))).toBe(true)
    expect(fs.statSync(index, { bigint: true }).mtimeNs).toBe(before)
    expect([fs.readFileSync(copy, 'utf8'), fs.statSync(copy).ino === fs.statSync(index).ino]).toEqual([
      'content',
      false,
    ])
  })
})
