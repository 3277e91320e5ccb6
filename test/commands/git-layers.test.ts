import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { Clada, type CladaOptions } from '../../packages/clada/src/index.ts'
import { git, repository } from '../history/world.ts'
import { needsLayers } from '../support/needs.ts'
import { ordinaryUser } from '../support/ordinary-user.ts'
import { fill, inState, scratchDir } from '../support/scratch.ts'
import { cladaCommand } from '../support/cli.ts'

needsLayers()

interface Ran {
  readonly success: boolean
  readonly code?: string | undefined
  readonly error?: string | undefined
  readonly output: string
  readonly notKept: readonly string[]
  readonly warnings: string
}

async function run(root: string, command: string, options: CladaOptions & { dir?: string } = {}): Promise<Ran> {
  const { dir, ...more } = options
  const clada = new Clada({ repoPath: root, approve: [command, `cd ${dir} && ${command}`], ...more })
  const { results } = await clada.perform('run', { command, ...(dir === undefined ? {} : { dir }) })
  const [result] = results
  const data = (result?.data ?? {}) as { output?: string; not_kept?: { path: string }[] }
  return {
    success: result?.success ?? false,
    code: result?.code,
    error: result?.error,
    output: data.output ?? '',
    notKept: data.not_kept?.map((one) => one.path) ?? [],
    warnings: result?.warnings?.join('\n') ?? '',
  }
}

/** A repository whose hook starts a script of the project, which a model may edit. */
function withHook(script: string, hook = 'pre-commit'): string {
  const root = repository({ 'a.txt': 'one\n', 'check.sh': script })
  fill(root, { [`.git/hooks/${hook}`]: '#!/bin/sh\nexec sh ./check.sh\n', 'a.txt': 'two\n' })
  fs.chmodSync(path.join(root, `.git/hooks/${hook}`), 0o755)
  return root
}

/** Without the state of the project. */
const pictureOf = (dir: string, ...without: string[]): string =>
  execFileSync(
    'bash',
    [
      '-c',
      `find . ${['clada', ...without].map((one) => `-path './${one}' -prune -o`).join(' ')} -printf '%p %y %l\\n' | sort`,
    ],
    {
      cwd: dir,
      encoding: 'utf8',
    },
  )

const todo = 'exec touch PWNED'
const planted: Readonly<Record<string, readonly [script: string, ...names: string[]]>> = {
  'a link for the log of HEAD': ['ln -sf /tmp/x .git/logs/HEAD', '.git/logs/HEAD'],
  'a link for the log of another branch': ['ln -s /etc/hostname .git/logs/refs/heads/x', '.git/logs/refs/heads/x'],
  'a link for the logs of branches': [
    'rm -r .git/logs/refs/heads; ln -s /tmp .git/logs/refs/heads',
    '.git/logs/refs/heads',
  ],
  'a link for the logs of remotes': ['ln -s /etc .git/logs/refs/remotes', '.git/logs/refs/remotes'],
  'a link for a directory of objects': [
    'mkdir -p /tmp/k .git/objects/0e; cp -r .git/objects/0e /tmp/k; rm -r .git/objects/0e; ln -s /tmp/k/0e .git/objects/0e',
    '.git/objects/0e',
  ],
  'a link for a reference': ['ln -s /etc/hostname .git/refs/heads/x', '.git/refs/heads/x'],
  'a link for ORIG_HEAD': ['ln -s /etc/hostname .git/ORIG_HEAD', '.git/ORIG_HEAD'],
  'a named pipe for FETCH_HEAD': ['mkfifo .git/FETCH_HEAD', '.git/FETCH_HEAD'],
  'an unfinished rebase': [
    `mkdir .git/rebase-merge; cd .git/rebase-merge; echo '${todo}' > git-rebase-todo; echo refs/heads/main > head-name`,
    '.git/rebase-merge',
  ],
  'an unfinished cherry-pick': [`mkdir .git/sequencer; echo '${todo}' > .git/sequencer/todo`, '.git/sequencer'],
  'an unfinished git am': ['mkdir .git/rebase-apply; echo x > .git/rebase-apply/0001', '.git/rebase-apply'],
  'an unfinished bisect': ['echo x > .git/BISECT_START', '.git/BISECT_START'],
  'a hook': [
    'printf "#!/bin/sh\\ntouch PWNED\\n" > .git/hooks/post-checkout; chmod +x .git/hooks/post-checkout',
    '.git/hooks/post-checkout',
  ],
  'a changed hook': ['echo touch PWNED >> .git/hooks/pre-commit', '.git/hooks/pre-commit'],
  'another directory for hooks': ['git config core.hooksPath x', '.git/config'],
  'a config for the worktree': ['echo "[core] hooksPath = x" > .git/config.worktree', '.git/config.worktree'],
  attributes: ['mkdir -p .git/info; echo "* filter=x" > .git/info/attributes', '.git/info/attributes'],
  grafts: ['mkdir -p .git/info; echo x > .git/info/grafts', '.git/info/grafts'],
  alternates: ['mkdir -p .git/objects/info; echo /tmp > .git/objects/info/alternates', '.git/objects/info/alternates'],
  'another common directory': ['mkdir x; echo ../x > .git/commondir', '.git/commondir'],
  'a new directory': ['mkdir .git/new; echo x > .git/new/file', '.git/new'],
  'a new empty directory': ['mkdir .git/new', '.git/new'],
  'a reference of clada': ['git update-ref refs/clada/checkpoints HEAD', '.git/refs/clada/checkpoints'],
  'a note of clada': ['echo HEAD.lock > .git/clada-lands', '.git/clada-lands'],
  'a name that no reference has': ['echo x > ".git/refs/heads/a b"', '.git/refs/heads/a b'],
  'objects that are gone': ['rm -rf .git/objects/??', '.git/objects'],
}

describe('what a script plants while git commits does not land', () => {
  for (const [what, [script, ...names]] of Object.entries(planted))
    it(what, async () => {
      const root = withHook(`${script}\n`)
      const before = pictureOf(path.join(root, '.git'))
      const { success, notKept, output } = await run(root, 'git commit -a -m second')
      expect({ success, output }).toMatchObject({ success: what !== 'objects that are gone' })
      expect(notKept).toEqual(expect.arrayContaining(names))
      const left = pictureOf(path.join(root, '.git'), 'objects', 'COMMIT_EDITMSG', 'clada-*')
      const then = before
        .split('\n')
        .filter((line) => !/^\.\/(?:objects|COMMIT_EDITMSG)/.test(line))
        .join('\n')
      expect(left).toBe(then)
      expect(git(root, 'fsck', '--strict', '--no-dangling')).toBe('')
      if (success) expect(git(root, 'log', '--format=%s')).toBe('second\nfirst\n')
    })
})

describe('what is not what git writes there keeps all of a command from landing', () => {
  const broken: Readonly<Record<string, readonly [script: string, says: RegExp]>> = {
    'a branch that leads out': [
      'echo "ref: ../../x" > .git/refs/heads/other',
      /'refs\/heads\/other'.* not what git writes/,
    ],
    'a branch with anything in it': ['echo anything > .git/refs/heads/other', /'refs\/heads\/other'/],
    'packed references with anything in them': ['echo "* x" > .git/packed-refs', /'packed-refs'/],
    'an object under another name': [
      'mkdir -p .git/objects/aa; git hash-object -w --stdin < a.txt > /tmp/id; cp .git/objects/$(sed "s#^..#&/#" /tmp/id) .git/objects/aa/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
      /'objects\/aa\/a+'/,
    ],
    'a pack under another name': [
      'git rev-parse HEAD | git pack-objects -q .git/objects/pack/pack > /dev/null; cd .git/objects/pack; for f in pack-*; do head -c 40 $f > pack-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.${f##*.}; done',
      /'objects\/pack\/pack-a+\.pack'/,
    ],
    'another worktree': ['git worktree add -q ../wt 2>/dev/null; git worktree add -q wt', /'worktrees\/wt\/HEAD'/],
    'a worktree of somebody else': [
      'mkdir -p .git/worktrees/x; echo x > .git/worktrees/x/gitdir',
      /'worktrees\/x\/gitdir'/,
    ],
    'a submodule': ['mkdir -p .git/modules/x; echo x > .git/modules/x/config', /'modules\/x\/config'/],
    'a repository in the project': ['git init -q sub', /'sub\/\.git'/],
  }
  for (const [what, [script, says]] of Object.entries(broken))
    it(what, async () => {
      const root = withHook(`${script}\nexit 0\n`)
      const before = pictureOf(root, '.git/clada')
      const { success, code, error, output } = await run(root, 'git commit -a -m second')
      expect({ success, code, output }).toMatchObject({ success: false, code: 'git_operation_failed' })
      expect(error).toMatch(says)
      expect(pictureOf(root, '.git/clada')).toBe(before)
      expect(git(root, 'log', '--format=%s')).toBe('first\n')
      expect(git(root, 'fsck', '--strict', '--no-dangling')).toBe('')
    })

  it.each(['../../../x', '.git/hooks', 'sub/.GIT/x', '/etc/x/y/z'])('an index that lists %s', async (name) => {
    const root = withHook('cp evil.index .git/index\n', 'post-commit')
    const placeholder = 'z'.repeat(name.length)
    fill(root, { [placeholder]: 'x\n' })
    git(root, 'add', placeholder)
    const index = fs.readFileSync(path.join(root, '.git/index'), 'latin1').replace(placeholder, name)
    git(root, 'rm', '-q', '-f', placeholder)
    const body = Buffer.from(index, 'latin1').subarray(0, -20)
    fs.writeFileSync(path.join(root, 'evil.index'), Buffer.concat([body, createHash('sha1').update(body).digest()]))
    const { success, error } = await run(root, 'git commit -a -m second')
    expect(success).toBe(false)
    expect(error).toMatch(/'index' .* not what git writes/)
    expect(git(root, 'ls-files')).toBe('a.txt\ncheck.sh\n')
  })
})

const conflicting = (): string => {
  const root = repository({ 'a.txt': 'one\n', 'b.txt': 'b\n' })
  git(root, 'checkout', '-q', '-b', 'topic')
  fill(root, { 'a.txt': 'topic\n' })
  git(root, 'commit', '-q', '-a', '-m', 'topic one')
  fill(root, { 'b.txt': 'topic\n', 'new.txt': 'n\n' })
  git(root, 'add', '-A')
  git(root, 'commit', '-q', '-m', 'topic two')
  git(root, 'checkout', '-q', 'main')
  fill(root, { 'a.txt': 'main\n' })
  git(root, 'commit', '-q', '-a', '-m', 'main one')
  return root
}
const text = (root: string, name: string): string => fs.readFileSync(path.join(root, name), 'utf8')
const clean = (root: string): void => {
  expect(git(root, 'fsck', '--strict', '--no-dangling')).toBe('')
  expect(fs.readdirSync(path.join(root, '.git')).filter((name) => /\.lock$|^clada-lands/.test(name))).toEqual([])
}

describe('git commands work on layers as they do without', () => {
  it('a merge without conflicts', async () => {
    const root = conflicting()
    git(root, 'checkout', '-q', '-b', 'other', 'HEAD~1')
    expect(await run(root, 'git merge --no-edit topic')).toMatchObject({ success: true, notKept: [] })
    expect(text(root, 'new.txt')).toBe('n\n')
    expect(git(root, 'log', '-1', '--format=%s')).toBe('topic two\n')
    expect(git(root, 'status', '--porcelain', '-uno')).toBe('')
    clean(root)
  })

  it('a merge with conflicts, which the user resolves and commits', async () => {
    const root = conflicting()
    const { success, output, notKept } = await run(root, 'git merge --no-edit topic')
    expect({ success, notKept }).toEqual({ success: false, notKept: [] })
    expect(output).toContain('CONFLICT (content): Merge conflict in a.txt')
    expect(text(root, 'a.txt')).toContain('<<<<<<< HEAD')
    expect(git(root, 'status', '--porcelain', '-uno')).toBe('UU a.txt\nM  b.txt\nA  new.txt\n')
    expect(text(root, '.git/MERGE_HEAD').trim()).toBe(git(root, 'rev-parse', 'topic').trim())
    fill(root, { 'a.txt': 'both\n' })
    git(root, 'add', 'a.txt')
    git(root, 'commit', '-q', '--no-edit')
    expect(git(root, 'log', '-1', '--format=%s %p').trim()).toMatch(/^Merge branch 'topic' \w+ \w+$/)
    clean(root)
  })

  it('a merge with conflicts, which approved commands finish or abort', async () => {
    const root = conflicting()
    await run(root, 'git merge --no-edit topic')
    const aborted = await run(root, 'git merge --abort')
    expect(aborted, aborted.output + aborted.error).toMatchObject({ success: true, notKept: [] })
    expect(fs.existsSync(path.join(root, '.git/MERGE_HEAD'))).toBe(false)
    expect(git(root, 'status', '--porcelain', '-uno')).toBe('')
    await run(root, 'git merge --no-edit topic')
    fill(root, { 'a.txt': 'both\n' })
    expect(await run(root, 'git add a.txt')).toMatchObject({ success: true })
    expect(await run(root, 'git commit --no-edit')).toMatchObject({ success: true, notKept: [] })
    expect(git(root, 'rev-list', '--count', '--merges', 'HEAD').trim()).toBe('1')
    clean(root)
  })

  it('a rebase', async () => {
    const root = conflicting()
    git(root, 'checkout', '-q', '-b', 'other', 'topic')
    git(root, 'reset', '-q', '--hard', 'HEAD~1')
    fill(root, { 'c.txt': 'c\n' })
    git(root, 'add', '-A')
    git(root, 'commit', '-q', '-m', 'other')
    expect(await run(root, 'git rebase topic')).toMatchObject({ success: true, notKept: [] })
    expect(git(root, 'log', '-2', '--format=%s')).toBe('other\ntopic two\n')
    expect(git(root, 'branch', '--show-current')).toBe('other\n')
    clean(root)
  })

  it('a rebase with conflicts, which is finished later', async () => {
    const root = conflicting()
    git(root, 'checkout', '-q', 'topic')
    const { success, notKept, warnings, output } = await run(root, 'git rebase main')
    expect({ success, notKept }, output).toEqual({ success: false, notKept: [] })
    expect(warnings).toContain('a rebase is in progress')
    expect(git(root, 'status')).toContain('rebase in progress')
    fill(root, { 'a.txt': 'both\n' })
    expect(await run(root, 'git add a.txt')).toMatchObject({ success: true })
    expect(await run(root, 'git rebase --continue')).toMatchObject({ success: true, notKept: [] })
    expect(git(root, 'log', '--format=%s')).toBe('topic two\ntopic one\nmain one\nfirst\n')
    expect(fs.existsSync(path.join(root, '.git/rebase-merge'))).toBe(false)
    clean(root)
  })

  it('several commits that are picked, with conflicts', async () => {
    const root = conflicting()
    expect(await run(root, 'git cherry-pick topic~1 topic')).toMatchObject({
      success: false,
      notKept: [],
    })
    expect(fs.existsSync(path.join(root, '.git/sequencer/todo'))).toBe(true)
    expect(await run(root, 'git cherry-pick --abort')).toMatchObject({ success: true, notKept: [] })
    expect(fs.existsSync(path.join(root, '.git/sequencer'))).toBe(false)
    expect(git(root, 'status', '--porcelain', '-uno')).toBe('')
    clean(root)
  })

  it('patches by mail, with conflicts', async () => {
    const root = conflicting()
    git(root, 'format-patch', '-q', '-2', 'topic')
    expect(await run(root, 'git am 0001-topic-one.patch 0002-topic-two.patch')).toMatchObject({
      success: false,
      notKept: [],
    })
    expect(await run(root, 'git am --skip')).toMatchObject({ success: true, notKept: [] })
    expect(git(root, 'log', '-1', '--format=%s')).toBe('topic two\n')
    clean(root)
  })

  it('branches, tags and the stash, also where references are packed', async () => {
    const root = conflicting()
    git(root, 'branch', 'a/b')
    git(root, 'pack-refs', '--all')
    for (const command of [
      'git branch -D a/b',
      'git branch a',
      'git tag -a v1 -m one',
      'git branch -m topic feature/x',
    ])
      expect(await run(root, command), command).toMatchObject({ success: true, notKept: [] })
    expect(git(root, 'for-each-ref', '--format=%(refname)', 'refs/heads', 'refs/tags')).toBe(
      'refs/heads/a\nrefs/heads/feature/x\nrefs/heads/main\nrefs/tags/v1\n',
    )
    fill(root, { 'b.txt': 'mine\n' })
    expect(await run(root, 'git stash')).toMatchObject({ success: true, notKept: [] })
    expect([text(root, 'b.txt'), git(root, 'stash', 'list').split('\n').length]).toEqual(['b\n', 2])
    expect(await run(root, 'git stash pop')).toMatchObject({ success: true, notKept: [] })
    expect([text(root, 'b.txt'), git(root, 'stash', 'list')]).toEqual(['mine\n', ''])
    clean(root)
  })

  it('and name the references that changed besides the branch', async () => {
    const root = withHook('git branch planted; git update-ref refs/remotes/origin/main HEAD; git branch -q -D old\n')
    git(root, 'branch', 'old')
    const { warnings } = await run(root, 'git commit -a -m second')
    expect(warnings).toContain(
      'other references changed: refs/heads/old (deleted), refs/heads/planted (new), refs/remotes/origin/main (new)',
    )
  })

  it('a checkout that removes and adds files', async () => {
    const root = conflicting()
    git(root, 'checkout', '-q', '--orphan', 'empty')
    git(root, 'rm', '-rfq', '.')
    fill(root, { 'dir/only.txt': 'o\n' })
    git(root, 'add', '-A')
    git(root, 'commit', '-q', '-m', 'only')
    git(root, 'checkout', '-q', 'main')
    expect(await run(root, 'git checkout empty')).toMatchObject({ success: true, notKept: [] })
    expect(git(root, 'status', '--porcelain', '-uno')).toBe('')
    expect(git(root, 'ls-files')).toBe('dir/only.txt\n')
    expect(await new Clada({ repoPath: root }).undo()).toMatchObject({ success: true })
    expect([git(root, 'branch', '--show-current'), text(root, 'a.txt')]).toEqual(['main\n', 'main\n'])
    expect(git(root, 'status', '--porcelain', '-uno')).toBe('')
    clean(root)
  })

  it('git gc, which keeps what it would remove', async () => {
    const root = conflicting()
    const { success, notKept } = await run(root, 'git gc')
    expect({ success, notKept }).toEqual({ success: true, notKept: ['.git/objects'] })
    expect(git(root, 'count-objects', '-v')).toMatch(/packs: 1/)
    clean(root)
  })

  it('git init, which makes a repository without hooks', async () => {
    const root = scratchDir({ 'a.txt': 'a\n' })
    expect(await run(root, 'git init -b trunk')).toMatchObject({ success: true })
    expect(fs.existsSync(path.join(root, '.git/hooks'))).toBe(false)
    for (const command of ['git add a.txt', 'git -m x'].slice(0, 1))
      expect(await run(root, command)).toMatchObject({ success: true })
    git(root, 'commit', '-q', '-m', 'first')
    expect(git(root, 'branch', '--show-current')).toBe('trunk\n')
    clean(root)
  })

  it('does not commit the end of files that it may not see', async () => {
    const root = repository({
      'a.txt': 'one\n',
      '.clada/allowed-commands.json': '{"commands":[],"added":{}}\n',
      'notes/reply.md': 'r\n',
    })
    fill(root, { 'a.txt': 'two\n' })
    const reserved = [path.join(root, 'notes/reply.md')]
    await run(root, 'git commit -a -m second', { reserved })
    expect(git(root, 'ls-files', 'notes', '.clada')).toBe('.clada/allowed-commands.json\nnotes/reply.md\n')
    for (const command of ['git add a.txt', 'git commit -m second'])
      expect(await run(root, command, { reserved })).toMatchObject({ success: true })
    expect(git(root, 'show', '--format=', '--name-status')).toBe('M\ta.txt\n')
  })
})

describe('a git command in', () => {
  it('a linked worktree', async () => {
    const main = repository({ 'a.txt': 'one\n' })
    const root = path.join(scratchDir(), 'tree')
    git(main, 'worktree', 'add', '-q', root)
    fill(root, { 'a.txt': 'two\n' })
    const ran = await run(root, 'git commit -a -m second')
    expect(ran, ran.error).toMatchObject({ success: true, notKept: [] })
    expect(git(root, 'log', '--format=%s')).toBe('second\nfirst\n')
    expect(git(main, 'log', '--format=%s')).toBe('first\n')
    expect(git(root, 'status', '--porcelain', '-uno')).toBe('')
    expect(await new Clada({ repoPath: root }).undo()).toMatchObject({ success: true })
    expect(git(root, 'log', '--format=%s')).toBe('first\n')
    clean(main)
  })

  it('a linked worktree changes nothing of the main one', async () => {
    const main = repository({ 'a.txt': 'one\n', 'check.sh': '' })
    const root = path.join(scratchDir(), 'tree')
    git(main, 'worktree', 'add', '-q', root)
    fill(main, { '.git/hooks/pre-commit': `#!/bin/sh\necho ref: refs/heads/tree > ${main}/.git/HEAD\n` })
    fs.chmodSync(path.join(main, '.git/hooks/pre-commit'), 0o755)
    fill(root, { 'a.txt': 'two\n' })
    expect(await run(root, 'git commit -a -m second')).toMatchObject({ success: false, code: 'git_operation_failed' })
    expect(text(main, '.git/HEAD')).toBe('ref: refs/heads/main\n')
    expect(git(root, 'log', '--format=%s')).toBe('first\n')
  })

  const withSubmodule = (): string => {
    const root = repository({ 'a.txt': 'a\n' })
    git(root, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', repository({ 'b.txt': 'b\n' }), 'sub')
    git(root, 'commit', '-q', '-m', 'sub')
    git(path.join(root, 'sub'), 'config', 'user.name', 'User')
    git(path.join(root, 'sub'), 'config', 'user.email', 'user@example.com')
    fill(root, { 'sub/b.txt': 'two\n' })
    return root
  }

  it('a submodule', async () => {
    const root = path.join(withSubmodule(), 'sub')
    expect(await run(root, 'git commit -a -m second')).toMatchObject({ success: true, notKept: [] })
    expect(git(root, 'log', '--format=%s')).toBe('second\nfirst\n')
    clean(path.dirname(root))
  })

  it('the directory of a submodule of the project', async () => {
    const root = withSubmodule()
    expect(await run(root, 'git commit -a -m second', { dir: 'sub' })).toMatchObject({ success: true, notKept: [] })
    expect(git(path.join(root, 'sub'), 'log', '--format=%s')).toBe('second\nfirst\n')
    expect(git(root, 'log', '--format=%s')).toBe('sub\nfirst\n')
    expect(git(root, 'status', '--porcelain', '-uno')).toBe(' M sub\n')
  })

  it('the directory of another repository in the project', async () => {
    const root = repository({ 'a.txt': 'a\n' })
    git(root, 'clone', '-q', repository({ 'b.txt': 'b\n' }), 'inner')
    git(path.join(root, 'inner'), 'config', 'user.name', 'User')
    git(path.join(root, 'inner'), 'config', 'user.email', 'user@example.com')
    fill(root, { 'inner/b.txt': 'two\n' })
    expect(await run(root, 'git commit -a -m second', { dir: 'inner' })).toMatchObject({ success: true, notKept: [] })
    expect(git(path.join(root, 'inner'), 'log', '--format=%s')).toBe('second\nfirst\n')
  })
})

describe('a git command that is not the only one', () => {
  /** The process of a program that is in the middle of it, which goes on when this one is ended. */
  const sleeping = (seconds: string): number | undefined =>
    fs
      .readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .find((pid) => commandOf(pid) === `sleep\0${seconds}\0`)
  const commandOf = (pid: number): string => {
    try {
      return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    } catch {
      return ''
    }
  }

  for (const [what, act] of [
    ['commits', (root: string) => git(root, 'commit', '-q', '--no-verify', '--allow-empty', '-m', 'mine')],
    ['stages something', (root: string) => git(root, 'add', 'mine.txt')],
  ] as const)
    it(`is refused as a whole when the user ${what} meanwhile`, async () => {
      const seconds = `${what.length}${process.pid}`
      const root = withHook(`sleep ${seconds}; exit 0\n`)
      fill(root, { 'mine.txt': 'mine\n' })
      const running = run(root, 'git commit -a -m second')
      await expect.poll(() => sleeping(seconds)).toBeDefined()
      act(root)
      const then = [git(root, 'log', '--format=%s'), git(root, 'ls-files')]
      process.kill(sleeping(seconds) ?? 0)
      const { success, code, error } = await running
      expect({ success, code }).toEqual({ success: false, code: 'git_operation_failed' })
      expect(error).toContain('another program changed')
      expect([git(root, 'log', '--format=%s'), git(root, 'ls-files')]).toEqual(then)
      clean(root)
    })

  it('does not mind an editor that looks at the repository meanwhile', async () => {
    const seconds = `7${process.pid}`
    const root = withHook(`sleep ${seconds}; exit 0\n`)
    const running = run(root, 'git commit -a -m second')
    await expect.poll(() => sleeping(seconds)).toBeDefined()
    fs.utimesSync(path.join(root, 'check.sh'), 1, 1)
    const before = fs.statSync(path.join(root, '.git/index')).ino
    git(root, 'status')
    expect(fs.statSync(path.join(root, '.git/index')).ino).not.toBe(before)
    process.kill(sleeping(seconds) ?? 0)
    expect(await running).toMatchObject({ success: true })
    clean(root)
  })

  it('leaves the repository as it was when its time is over', async () => {
    const root = withHook('git update-ref refs/heads/other HEAD; sleep 60\n')
    const before = pictureOf(root, '.git/clada')
    const { code } = await run(root, 'git commit -a -m second', { limits: { actionMs: 1500 } })
    expect(code).toBe('exec_timeout')
    expect(pictureOf(root, '.git/clada')).toBe(before)
  })
})

describe('a git command of an ordinary user', () => {
  it('lands, whatever permissions its files have', () => {
    const root = withHook(
      'git branch other; chmod 0 .git/refs/heads/other; echo x > .git/SQUASH_MSG; chmod 7 .git/SQUASH_MSG\n',
    )
    const clada = ordinaryUser(root)
    const ran = clada(
      ['run', '--approve', 'git commit -a -m second'],
      '<---RUN--->\ngit commit -a -m second\n<---END--->\n',
    )
    expect(ran.status, ran.stdout + ran.stderr).toBe(0)
    const safe = ['-c', `safe.directory=${root}`]
    expect(git(root, ...safe, 'log', '--format=%s', 'main')).toBe('second\nfirst\n')
    expect(git(root, ...safe, 'rev-parse', 'other')).toBe(git(root, ...safe, 'rev-parse', 'main~1'))
  })
})

describe('locks of a landing that was killed', () => {
  it('are removed by the next run', async () => {
    const root = repository({ 'a.txt': 'a\n' })
    fill(root, {
      '.git/clada-lands': 'refs/heads/main.lock\nHEAD.lock\nindex.lock\n../outside.lock\n/tmp/x.lock\na/b.lock\n',
      '.git/refs/heads/main.lock': '',
      '.git/HEAD.lock': '',
      '.git/index.lock': '',
      'outside.lock': '',
    })
    const { success } = await new Clada({ repoPath: root }).perform('file_write', {
      path: path.join(root, 'b.txt'),
      content: 'b',
    })
    expect(success).toBe(true)
    clean(root)
    expect(fs.existsSync(path.join(root, 'outside.lock'))).toBe(true)
  })

  it.each(['foo/x', 'hooks/x', 'info/x', 'objects/aa/x', 'foo', 'worktrees/x/y', 'rebase-merge/..', 'refs/../foo/x'])(
    'are not looked for behind %s',
    async (dir) => {
      const outside = scratchDir({ 'yarn.lock': 'mine\n', 'HEAD.lock': 'mine\n', 'done.lock': 'mine\n' })
      const root = repository({ 'a.txt': 'a\n' })
      const at = path.join(root, '.git', dir)
      fs.mkdirSync(path.join(root, '.git/rebase-merge'))
      fs.mkdirSync(path.dirname(at), { recursive: true })
      if (!fs.existsSync(at)) fs.symlinkSync(outside, at)
      const names = ['yarn.lock', 'HEAD.lock', 'done.lock']
      if (dir.startsWith('rebase')) for (const name of names) fs.writeFileSync(path.join(root, '.git', name), 'mine\n')
      const there = (): string[] => fs.readdirSync(dir.startsWith('rebase') ? path.join(root, '.git') : outside)
      const before = there()
      fs.writeFileSync(path.join(root, '.git/clada-lands'), names.map((name) => `${dir}/${name}\n`).join(''))
      await new Clada({ repoPath: root }).perform('file_write', { path: path.join(root, 'b.txt'), content: 'b' })
      expect(there()).toEqual(expect.arrayContaining(before))
      expect(before).toEqual(expect.arrayContaining(names))
    },
  )

  it.each(['clada-lands', `clada-moves-to-${'a'.repeat(40)}`, `clada-index-${'a'.repeat(40)}-${'b'.repeat(40)}`])(
    'do not hold up a run where %s is a directory',
    async (name) => {
      const root = repository({ 'a.txt': 'a\n' })
      fs.mkdirSync(path.join(root, '.git', name))
      const { success } = await new Clada({ repoPath: root }).perform('file_write', {
        path: path.join(root, 'b.txt'),
        content: 'b',
      })
      expect(success).toBe(true)
    },
  )
})

describe('a file that is listened to', () => {
  it('is not deleted behind a link that a branch brings', async () => {
    const outside = scratchDir({ 'reply.md': 'mine\n' })
    const root = repository({ 'a.txt': 'a\n', 'notes/x.md': 'x\n' })
    git(root, 'checkout', '-q', '-b', 'linked')
    git(root, 'rm', '-q', '-r', 'notes')
    fs.symlinkSync(outside, path.join(root, 'notes'))
    git(root, 'add', '-A')
    git(root, 'commit', '-q', '-m', 'link')
    git(root, 'checkout', '-q', 'main')
    const reserved = [path.join(root, 'notes/reply.md')]
    await run(root, 'git checkout linked', { reserved })
    expect(fs.readFileSync(path.join(outside, 'reply.md'), 'utf8')).toBe('mine\n')
    expect(git(root, 'branch', '--show-current')).toBe('linked\n')
  })

  it('is not made by a checkout', async () => {
    const root = repository({ 'a.txt': 'a\n' })
    git(root, 'checkout', '-q', '-b', 'other')
    fill(root, { 'notes/reply.md': 'run this\n' })
    git(root, 'add', '-A')
    git(root, 'commit', '-q', '-m', 'reply')
    git(root, 'checkout', '-q', 'main')
    const reserved = [path.join(root, 'notes/reply.md')]
    expect((await run(root, 'git checkout other', { reserved })).notKept).toEqual(['notes/reply.md'])
    expect(fs.existsSync(path.join(root, 'notes/reply.md'))).toBe(false)
  })
})

describe.skipIf(process.getuid?.() !== 0)('where another file system in the project makes layers impossible', () => {
  /** The real command line, with something mounted at `data`. */
  function cladaOn(root: string, command: string): string {
    const config = scratchDir({ 'clada/config.yml': 'listener:\n  input_file: notes/reply.md\n' })
    const call = [...cladaCommand(), 'do', 'run', `command=${command}`, '--approve', command, '--json']
    const script = 'mount -t tmpfs none data && exec "$@"'
    const { stdout, stderr } = spawnSync('unshare', ['-m', 'sh', '-c', script, 'sh', ...call], {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, XDG_CONFIG_HOME: config },
    })
    return stdout + stderr
  }

  it.each([
    [
      'an unfinished rebase',
      `mkdir .git/rebase-merge; echo '${todo}' > .git/rebase-merge/git-rebase-todo`,
      'rebase-merge',
    ],
    ['another common directory', 'mkdir x; echo ../x > .git/commondir', 'commondir'],
    ['a config for the worktree', 'echo x > .git/config.worktree', 'config.worktree'],
    ['a new directory', 'mkdir -p .git/new/deep; echo x > .git/new/deep/file', 'new'],
  ])('%s is removed after a commit', (_, script, name) => {
    const root = withHook(`${script}\nexit 0\n`)
    fill(root, { 'data/x': '' })
    expect(cladaOn(root, 'git commit -a -m second')).toContain(`.git/${name}' was made by a program of the repository`)
    expect(fs.existsSync(path.join(root, '.git', name))).toBe(false)
    expect(git(root, 'log', '--format=%s')).toBe('second\nfirst\n')
  })

  it('a file that is listened to is not deleted behind a link that a branch brings', () => {
    const outside = scratchDir({ 'reply.md': 'mine\n' })
    const root = repository({ 'a.txt': 'a\n', 'notes/x.md': 'x\n', 'data/x': '' })
    git(root, 'checkout', '-q', '-b', 'linked')
    git(root, 'rm', '-q', '-r', 'notes')
    fs.symlinkSync(outside, path.join(root, 'notes'))
    git(root, 'add', '-A')
    git(root, 'commit', '-q', '-m', 'link')
    git(root, 'checkout', '-q', 'main')
    cladaOn(root, 'git checkout linked')
    expect(git(root, 'branch', '--show-current')).toBe('linked\n')
    expect(fs.readFileSync(path.join(outside, 'reply.md'), 'utf8')).toBe('mine\n')
  })
})

describe('the state of a project', () => {
  const look = 'cd "$(git rev-parse --git-common-dir)"; find . | grep -c "/clada\\(/\\|$\\)"; exit 0'
  const seen = async (root: string, looked: string): Promise<string> => {
    await new Clada({ repoPath: root, git: 'off' }).perform('file_write', { path: 'b.txt', content: 'SECRET\n' })
    expect(inState(root)).toContain('/clada/')
    return (await run(root, looked)).output
  }

  it('is hidden from a hook of an approved git command', async () => {
    const root = withHook(look)
    expect(await seen(root, 'git commit -q -a -m second')).toMatch(/^0\n/)
    expect(git(root, 'log', '--format=%s', '-1')).toBe('second\n')
    expect(fs.existsSync(inState(root, 'history/1/journal'))).toBe(true)
  })

  it('is hidden from it in a linked worktree too, with that of the other worktrees', async () => {
    const main = withHook(look)
    const root = path.join(scratchDir(), 'tree')
    git(main, 'worktree', 'add', '-q', root)
    await new Clada({ repoPath: main, git: 'off' }).perform('file_write', { path: 'b.txt', content: 'b\n' })
    fill(root, { 'a.txt': 'three\n' })
    expect(await seen(root, 'git commit -q -a -m second')).toMatch(/^0\n/)
    expect(git(root, 'log', '--format=%s', '-1')).toBe('second\n')
    for (const one of [main, root]) expect(fs.existsSync(inState(one, 'history/1/journal'))).toBe(true)
  })

  it('is hidden from code, below the project and in a directory that code may read', async () => {
    const other = repository({ 'x.txt': 'x\n' })
    const root = repository({ 'a.txt': 'a\n' })
    for (const one of [other, root])
      await new Clada({ repoPath: one, git: 'off' }).perform('file_write', { path: 'b.txt', content: 'SECRET\n' })
    const code = `find .git ${other}/.git -path '*clada/*' | wc -l; grep -rl SECRET .git ${other}/.git | wc -l`
    const clada = new Clada({ repoPath: root, git: 'off', allowedRoots: [other] })
    const { results } = await clada.perform('exec', { lang: 'bash', code })
    expect(results[0]?.data).toMatchObject({ stdout: '0\n0\n' })
  })

  it('is blocked for the actions of a reply', async () => {
    const root = repository({ 'a.txt': 'a\n' })
    await new Clada({ repoPath: root, git: 'off' }).perform('file_write', { path: 'b.txt', content: 'b\n' })
    const file = inState(root, 'history/1/journal')
    for (const [action, params] of [
      ['file_read', { path: file }],
      ['file_write', { path: file, content: '' }],
      ['file_read', { path: path.join(process.env['XDG_STATE_HOME'] ?? '', 'clada/key') }],
    ] as const) {
      const { results } = await new Clada({ repoPath: root, allowedRoots: ['/tmp'] }).perform(action, params)
      expect(results[0]).toMatchObject({ success: false, code: 'path_denied' })
    }
  })
})
