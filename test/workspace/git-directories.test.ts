import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { Clada, type CladaOptions } from '../../packages/clada/src/index.ts'
import { readDeciders } from '../../packages/clada/src/approvals/deciders.ts'
import { settingsOf } from '../../packages/clada/src/config/settings.ts'
import { git, repository } from '../history/world.ts'
import { skipWithout } from '../support/needs.ts'
import { fill, filesIn, scratchDir } from '../support/scratch.ts'
import { blocks } from './blocks.ts'

type Call = readonly [string, Readonly<Record<string, string>>]

const token = 'url = https://me:TOKEN-1234@example.org/x.git'

/** A git directory in a project: how it comes there, and by which paths its files are reached. */
interface Layout {
  make(root: string): void
  readonly dirs: readonly string[]
}

const layouts: Readonly<Record<string, Layout>> = {
  'a bare one with worktrees beside it': {
    make: (root) => {
      git(root, 'clone', '-q', '--bare', repository({ 'a.txt': 'a\n' }), '.bare')
      fill(root, { '.git': 'gitdir: ./.bare\n' })
      git(root, 'worktree', 'add', '-q', 'work', 'main')
    },
    dirs: ['.bare', '.bare/worktrees/work'],
  },
  'one with CRLF in the file that leads to it': {
    make: (root) => {
      fs.mkdirSync(path.join(root, 'store'))
      git(root, 'init', '-q', '--separate-git-dir', 'store/own.git')
      fill(root, { '.git': 'gitdir: store/own.git\r\n' })
    },
    dirs: ['store/own.git'],
  },
  'a separate one': {
    make: (root) => void git(root, 'init', '-q', '--separate-git-dir', 'own'),
    dirs: ['own'],
  },
  'one that a link leads to': {
    make: (root) => {
      git(root, 'init', '-q')
      fs.renameSync(path.join(root, '.git'), path.join(root, 'data'))
      fs.symlinkSync('data', path.join(root, '.git'))
    },
    dirs: ['data'],
  },
  'that of a repository further below': {
    make: (root) => {
      fs.mkdirSync(path.join(root, 'deep/er'), { recursive: true })
      git(root, 'init', '-q', '--separate-git-dir', 'deep/er/git-of-it', 'inner')
    },
    dirs: ['deep/er/git-of-it'],
  },
  'a bare one that nothing leads to': {
    make: (root) => void git(root, 'init', '-q', '--bare', 'mirror.git'),
    dirs: ['mirror.git'],
  },
  'one with its objects elsewhere': {
    make: (root) => {
      git(root, 'init', '-q')
      fill(root, { 'tree/HEAD': 'ref: refs/heads/main\n', 'tree/commondir': '../.git\n' })
    },
    dirs: ['tree'],
  },
  'one with links for its parts': {
    make: (root) => {
      git(root, 'init', '-q', '--bare', 'parts')
      fill(root, { 'linked/HEAD': 'ref: refs/heads/main\n' })
      for (const name of ['objects', 'refs']) fs.symlinkSync(`../parts/${name}`, path.join(root, 'linked', name))
    },
    dirs: ['linked', 'parts'],
  },
}

function projectWith({ make, dirs }: Layout): string {
  const root = scratchDir({ 'plain.txt': 'plain\n' })
  make(root)
  for (const dir of dirs) fs.appendFileSync(path.join(root, dir, 'config'), `[remote "o"]\n\t${token}\n`)
  return root
}

function attempts(root: string, dir: string): Call[] {
  const config = path.join(root, dir, 'config')
  const hook = path.join(root, dir, 'hooks/post-commit')
  const plain = path.join(root, 'plain.txt')
  return [
    ['file_read', { path: config }],
    ['files_read', { paths: `${root}/**` }],
    ['grep', { pattern: 'TOKEN', path: root }],
    ['grep', { pattern: 'TOKEN', path: path.join(root, dir) }],
    ['dir_list', { path: path.join(root, dir) }],
    ['file_copy', { old_path: config, new_path: path.join(root, 'copy.txt') }],
    ['run', { command: `cat ${dir}/config` }],
    ['run', { command: `cp -r ${dir} copied` }],
    ['run', { command: `mv ${dir} moved` }],
    ['run', { command: `rm -r ${dir}` }],
    ['run', { command: 'grep -r TOKEN .' }],
    ['file_write', { path: config, content: '[core]\n\tfsmonitor = ./evil.sh\n' }],
    ['file_append', { path: config, content: 'x' }],
    ['file_write', { path: hook, content: '#!/bin/sh\ntouch RAN\n' }],
    ['file_create', { path: path.join(root, dir, 'refs/heads/other'), content: '0' }],
    ['file_copy', { old_path: plain, new_path: hook }],
    ['file_move', { old_path: plain, new_path: hook }],
    ['file_move', { old_path: config, new_path: path.join(root, 'moved.txt') }],
    ['file_delete', { path: path.join(root, dir, 'HEAD') }],
    ['dir_create', { path: path.join(root, dir, 'info/sub') }],
    ['run', { command: `rm ${dir}/HEAD` }],
    ['run', { command: `cp plain.txt ${dir}/config` }],
    ['run', { command: `mkdir ${dir}/hooks/x` }],
    ['run', { command: `touch ${dir}/hooks/pre-commit` }],
  ]
}

const own = (name: string): boolean => /^\.clada\/|(?:^|\/)clada\//.test(name)
const stateOf = (root: string): Record<string, string> =>
  Object.fromEntries(Object.entries(filesIn(root)).filter(([name]) => !own(name)))

describe('a git directory of the project', () => {
  for (const [what, layout] of Object.entries(layouts)) {
    for (const [how, options] of [
      ['', {}],
      [', in a group', { atomic: true }],
      [', with links followed', { symlinks: 'inside' }],
    ] as const satisfies readonly (readonly [string, CladaOptions])[])
      it(`is git's: ${what}${how}`, async () => {
        const root = projectWith(layout)
        const before = stateOf(root)
        const clada = new Clada({ repoPath: root, git: 'off', ...options })
        const done: string[] = []
        for (const dir of layout.dirs)
          for (const call of attempts(root, dir)) done.push(JSON.stringify(await clada.execute(blocks(call))))
        expect(done.filter((one) => one.includes('TOKEN-1234'))).toEqual([])
        expect(stateOf(root)).toEqual(before)
      })

    it(`is git's for programs too: ${what}`, async (context) => {
      skipWithout(context, 'sandbox')
      const root = projectWith(layout)
      const before = stateOf(root)
      const clada = new Clada({ repoPath: root, git: 'off' })
      const code = layout.dirs
        .flatMap((dir) => [
          `cat ${dir}/config`,
          `mkdir -p ${dir}/hooks; printf '#!/bin/sh\\n' > ${dir}/hooks/post-commit`,
          `echo '[core] fsmonitor = x' >> ${dir}/config`,
          `rm -rf ${dir}/objects ${dir}/HEAD`,
          `mv ${dir} away; cat away/config`,
        ])
        .join('\n')
      const { results } = await clada.execute(blocks(['exec', { lang: 'bash', code: `${code}\necho done` }]))
      expect(JSON.stringify(results)).toContain('done')
      expect(JSON.stringify(results)).not.toContain('TOKEN-1234')
      expect(stateOf(root)).toEqual(before)
    })
  }

  it('is in no commit of clada', async () => {
    const root = scratchDir({ 'a.txt': 'a\n' })
    git(root, 'init', '-q')
    git(root, 'init', '-q', '--bare', 'mirror.git')
    fill(root, { 'b.txt': 'b\n' })
    await new Clada({ repoPath: root, git: 'commit' }).execute(
      blocks(['file_write', { path: path.join(root, 'a.txt'), content: 'c\n' }]),
    )
    expect(git(root, 'ls-tree', '-r', '--name-only', 'HEAD')).toBe('a.txt\nb.txt\n')
  })

  it('decides what runs by its settings, and not by what git writes', () => {
    const root = projectWith({
      make: (dir) => void git(dir, 'init', '-q', '--separate-git-dir', 'own'),
      dirs: ['own'],
    })
    const names = (): string[] => [...readDeciders({ root, roots: [root], further: [] }).digests.keys()]
    expect(names().filter((name) => name.startsWith('own/') && !name.endsWith('.sample'))).toEqual([
      'own/config',
      'own/info/exclude',
    ])
  })
})

/** Every order of some things. */
const orders = <T>(all: readonly T[]): T[][] =>
  all.length < 2
    ? [[...all]]
    : all.flatMap((one) => orders(all.filter((other) => other !== one)).map((rest) => [one, ...rest]))

const config = '[core]\n\tbare = false\n\tworktree = ..\n\tfsmonitor = ./evil.sh\n'

describe('a repository that is made file by file', () => {
  const sets: readonly (readonly [what: string, names: readonly string[]])[] = [
    ['of its three parts', ['HEAD', 'objects/x', 'refs/heads/main']],
    ['that borrows the parts of another', ['HEAD', 'commondir']],
    ['for a file system that ignores case', ['head', 'Objects/x', 'REFS/x']],
  ]
  for (const [what, names] of sets)
    for (const order of orders(names))
      for (const [how, options] of [
        ['', {}],
        [', in a group', { atomic: true }],
        [', in commits', { git: 'commit' }],
      ] as const satisfies readonly (readonly [string, CladaOptions])[])
        it(`is refused: ${what}, as ${order.join(', ')}${how}`, async () => {
          const root = scratchDir()
          git(root, 'init', '-q')
          const file = (name: string) => path.join(root, 'x', name)
          const calls = ['config', ...order].map((name): Call => {
            const content = name === 'config' ? config : /head$/i.test(name) ? 'ref: refs/heads/main\n' : '../.git\n'
            return ['file_write', { path: file(name), content }]
          })
          const { results } = await new Clada({ repoPath: root, git: 'off', ...options }).execute(blocks(...calls))
          expect(results.at(-1)).toMatchObject({ success: false, code: 'path_denied' })
          expect(fs.existsSync(file(order.at(-1) ?? ''))).toBe(false)
        })

  const first = (root: string): void =>
    fill(root, { 'x/config': config, 'x/objects/a': '', 'x/refs/a': '', 'plain.txt': 'ref: refs/heads/main\n' })
  const headings: readonly (readonly [what: string, call: (root: string) => Call])[] = [
    ['by a move', (root) => ['file_move', { old_path: `${root}/plain.txt`, new_path: `${root}/x/HEAD` }]],
    ['by a copy', (root) => ['file_copy', { old_path: `${root}/plain.txt`, new_path: `${root}/x/HEAD` }]],
    ['by mv', () => ['run', { command: 'mv plain.txt x/HEAD' }]],
    ['by cp', () => ['run', { command: 'cp plain.txt x/HEAD' }]],
    ['by touch', () => ['run', { command: 'touch x/HEAD' }]],
    ['by code', () => ['exec', { lang: 'bash', code: 'cp plain.txt x/HEAD' }]],
    ['by a link that code makes', () => ['exec', { lang: 'bash', code: 'ln -s refs/heads/main x/HEAD' }]],
  ]
  for (const [what, call] of headings)
    it(`is refused ${what}`, async (context) => {
      if (what.includes('code')) skipWithout(context, 'sandbox')
      const root = scratchDir()
      first(root)
      const { results } = await new Clada({ repoPath: root, git: 'off' }).execute(blocks(call(root)))
      expect(JSON.stringify(results)).toContain("would take 'x' for a repository")
      expect(fs.lstatSync(path.join(root, 'x/HEAD'), { throwIfNoEntry: false })).toBe(undefined)
    })

  it('is refused as an empty directory', async () => {
    const root = scratchDir({ 'x/HEAD': 'ref: refs/heads/main\n', 'x/objects/a': '' })
    for (const call of [
      ['dir_create', { path: `${root}/x/refs` }],
      ['run', { command: 'mkdir -p x/refs/heads' }],
      ['exec', { lang: 'bash', code: 'mkdir x/refs' }],
    ] as const) {
      await new Clada({ repoPath: root, git: 'off' }).execute(blocks(call))
      expect(fs.existsSync(`${root}/x/refs`)).toBe(false)
    }
  })

  it('is refused at the root', async () => {
    const root = scratchDir({ HEAD: 'ref: refs/heads/main\n', 'objects/a': '' })
    const { results } = await new Clada({ repoPath: root, git: 'off' }).execute(
      blocks(['file_write', { path: `${root}/refs/a`, content: 'x' }]),
    )
    expect(results[0]).toMatchObject({ success: false, code: 'path_denied' })
    expect(JSON.stringify(results[0])).toContain('git would take the root for a repository')
  })

  it('is refused whole from code', async (context) => {
    skipWithout(context, 'sandbox')
    const root = scratchDir({ 'a.txt': 'a\n' })
    for (const code of [
      'git init -q --bare x; git -C x config core.fsmonitor ./evil.sh',
      'mkdir -p y/objects y/refs; echo "ref: refs/heads/main" > y/HEAD; echo > y/config',
    ]) {
      await new Clada({ repoPath: root, git: 'off' }).execute(blocks(['exec', { lang: 'bash', code }]))
    }
    for (const dir of ['x', 'y']) {
      const parts = ['HEAD', 'objects', 'refs'].filter((name) => fs.existsSync(path.join(root, dir, name)))
      expect(parts.length, dir).toBeLessThan(3)
    }
  })

  it('is refused to an undo of an action between', async () => {
    const root = scratchDir({ 'x/objects/a': '' })
    const clada = new Clada({ repoPath: root, git: 'off' })
    const head = { path: `${root}/x/HEAD`, content: 'ref: refs/heads/main\n' }
    await clada.execute(blocks(['file_write', head]))
    await clada.execute(blocks(['file_delete', { path: head.path }]))
    await clada.execute(blocks(['file_write', { path: `${root}/x/refs/a`, content: 'x' }]))
    expect(await clada.undo({ number: 2 })).toMatchObject({ success: false, code: 'path_denied' })
    expect(fs.existsSync(head.path)).toBe(false)
  })

  it('may have two of the names, and directories called head', async () => {
    const root = scratchDir()
    const names = ['src/objects/a.ts', 'src/refs/b.ts', 'src/head/c.ts', 'docs/HEAD', 'docs/refs/a', 'a/commondir']
    const { success } = await new Clada({ repoPath: root, git: 'off' }).execute(
      blocks(...names.map((name): Call => ['file_write', { path: path.join(root, name), content: 'x' }])),
    )
    expect(success).toBe(true)
    expect(Object.keys(stateOf(root)).sort()).toEqual(names.toSorted())
  })
})

/** A project that tracks a bare repository, as those that test programs for git do. */
function withFixture(): string {
  const root = scratchDir({ 'a.txt': 'a\n' })
  git(root, 'init', '-q')
  git(root, 'clone', '-q', '--bare', '--no-hardlinks', repository({ 'f.txt': 'f\n' }), 'test/fixtures/one.git')
  git(root, 'add', '-A')
  git(root, 'commit', '-q', '-m', 'first')
  return root
}

describe('a repository that the project tracks as files', () => {
  it('is read, listed and searched, and not written', async (context) => {
    const root = withFixture()
    const clada = new Clada({ repoPath: root, git: 'off' })
    const file = path.join(root, 'test/fixtures/one.git/config')
    const { results } = await clada.execute(
      blocks(
        ['file_read', { path: file }],
        ['grep', { pattern: 'bare = true', path: root }],
        ['file_write', { path: file, content: config }],
      ),
    )
    expect(results.map(({ success }) => success)).toEqual([true, true, false])
    expect(JSON.stringify(results[1])).toContain('one.git/config')
    skipWithout(context, 'sandbox')
    const code = 'cat test/fixtures/one.git/config; git clone -q test/fixtures/one.git /tmp/c && cat /tmp/c/f.txt'
    const ran = await clada.execute(blocks(['exec', { lang: 'bash', code }]))
    expect(JSON.stringify(ran.results)).toMatch(/bare = true.*f\\n/)
  })

  it('comes and goes with the commits that have it', async () => {
    const root = withFixture()
    const before = stateOf(root)
    git(root, 'rm', '-rq', 'test')
    git(root, 'commit', '-q', '-m', 'second')
    const clada = new Clada({ repoPath: root, git: 'commit' })
    expect(await clada.back()).toMatchObject({ success: true })
    const names = (all: Record<string, string>) =>
      Object.keys(all)
        .filter((name) => name.startsWith('test/'))
        .sort()
    expect(names(stateOf(root))).toEqual(names(before))
    expect(await clada.forward()).toMatchObject({ success: true })
    expect(names(stateOf(root))).toEqual([])
  })
})

describe('work beside a git directory', () => {
  it('goes on in worktrees of a bare one', async (context) => {
    const root = projectWith(layouts['a bare one with worktrees beside it'] as Layout)
    const done = await new Clada({ repoPath: root, git: 'off' }).execute(
      blocks(
        ['file_write', { path: `${root}/work/a.txt`, content: 'b\n' }],
        ['file_write', { path: `${root}/work/new.txt`, content: 'n\n' }],
      ),
    )
    expect(done).toMatchObject({ success: true })
    const work = new Clada({ repoPath: `${root}/work`, git: 'commit' })
    expect(await work.execute(blocks(['file_write', { path: `${root}/work/a.txt`, content: 'c\n' }]))).toMatchObject({
      success: true,
    })
    expect(git(`${root}/work`, 'status', '--porcelain')).toBe('')
    expect(await work.undo()).toMatchObject({ success: true })
    skipWithout(context, 'sandbox')
    expect(
      await new Clada({ repoPath: root, git: 'off' }).execute(
        blocks(['exec', { lang: 'bash', code: 'echo x > work/x.txt; mkdir -p made; echo y > made/y.txt' }]),
      ),
    ).toMatchObject({ success: true })
    expect(fs.readFileSync(`${root}/work/x.txt`, 'utf8')).toBe('x\n')
    expect(fs.readFileSync(`${root}/made/y.txt`, 'utf8')).toBe('y\n')
  })

  it('goes on in a worktree inside a bare one, which is no project itself', async () => {
    const outer = scratchDir()
    git(outer, 'clone', '-q', '--bare', repository({ 'a.txt': 'a\n' }), 'p.git')
    git(`${outer}/p.git`, 'worktree', 'add', '-q', 'work', 'main')
    const root = `${outer}/p.git/work`
    expect(
      await new Clada({ repoPath: root, git: 'commit' }).execute(
        blocks(['file_write', { path: `${root}/a.txt`, content: 'b\n' }]),
      ),
    ).toMatchObject({ success: true })
    expect(git(root, 'log', '--format=%s', '-n', '1')).toContain('a.txt')
  })
})

describe('a root in a git directory', () => {
  for (const [what, dir] of [
    ['.git itself', '.git'],
    ['a directory in .git', '.git/hooks'],
    ['the git directory of a submodule', '.git/modules/sub'],
    ['a bare repository', 'x/mirror.git'],
    ['a directory in a bare repository', 'x/mirror.git/hooks'],
  ] as const)
    it(`is refused: ${what}`, () => {
      const root = scratchDir()
      git(root, 'init', '-q')
      git(root, 'init', '-q', '--bare', 'x/mirror.git')
      fs.cpSync(`${root}/x/mirror.git`, `${root}/.git/modules/sub`, { recursive: true })
      fs.mkdirSync(`${root}/.git/hooks`, { recursive: true })
      fs.mkdirSync(`${root}/x/mirror.git/hooks`, { recursive: true })
      expect(() => settingsOf({ repoPath: path.join(root, dir) })).toThrow(
        /is a git directory, whose files belong to git/,
      )
      expect(() => settingsOf({ repoPath: root, allowedRoots: [path.join(root, dir)] })).toThrow(/is a git directory/)
    })

  it('is not one for what lies beside it', () => {
    const root = scratchDir({ 'x/a.txt': '' })
    git(root, 'init', '-q', '--bare', 'mirror.git')
    execFileSync('git', ['init', '-q'], { cwd: `${root}/x` })
    for (const dir of [root, `${root}/x`]) expect(settingsOf({ repoPath: dir }).root).toBe(dir)
  })
})
