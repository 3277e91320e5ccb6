import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { scratchDir } from '../support/scratch.ts'
import { documentOf, git, type Mode, repository } from './world.ts'
import { cladaCall } from '../support/cli.ts'

/** Everything below a directory: names, modes and bytes. */
const pictureOf = (dir: string): string =>
  execFileSync('bash', ['-c', 'find . -printf "%p %m %l\\n" | sort; find . -type f -exec sha256sum {} + | sort'], {
    cwd: dir,
    encoding: 'utf8',
  })

type Plant = (gitDir: string, outside: string) => void

const put = (gitDir: string, name: string, make: (at: string) => void): void => {
  const at = path.join(gitDir, name)
  fs.rmSync(at, { recursive: true, force: true })
  fs.mkdirSync(path.dirname(at), { recursive: true })
  make(at)
}
const link =
  (name: string, target: string): Plant =>
  (gitDir, outside) =>
    put(gitDir, name, (at) => fs.symlinkSync(path.join(outside, target), at))
const fifo =
  (name: string): Plant =>
  (gitDir) =>
    put(gitDir, name, (at) => execFileSync('mkfifo', [at]))

/** A directory that leads elsewhere, with everything that it held. */
const moved =
  (name: string): Plant =>
  (gitDir, outside) => {
    const [from, to] = [path.join(gitDir, name), path.join(outside, 'dir')]
    fs.mkdirSync(from, { recursive: true })
    fs.cpSync(from, to, { recursive: true })
    fs.rmSync(from, { recursive: true })
    fs.symlinkSync(to, from)
  }

/** A symbolic reference whose target leads out of the repository. */
const symbolic =
  (name: string, from: string = 'refs/heads', file = 'rc'): Plant =>
  (gitDir, outside) =>
    put(gitDir, name, (at) =>
      fs.writeFileSync(at, `ref: ${from}/${path.relative(path.join(gitDir, from), path.join(outside, file))}\n`),
    )

const plants: Readonly<Record<string, Plant>> = {
  'HEAD that names a file outside': symbolic('HEAD', 'refs/heads', 'id'),
  'HEAD that names a file that is not there': symbolic('HEAD', 'refs/heads', 'new'),
  'HEAD whose log would be a file outside': (gitDir, outside) =>
    put(gitDir, 'HEAD', (at) =>
      fs.writeFileSync(
        at,
        `ref: refs/heads/${path.relative(path.join(gitDir, 'logs/refs/heads'), path.join(outside, 'rc'))}\n`,
      ),
    ),
  'HEAD that names a hook': (gitDir) =>
    put(gitDir, 'HEAD', (at) => fs.writeFileSync(at, 'ref: refs/heads/../../hooks/post-commit\n')),
  'HEAD with spaces after the colon': (gitDir, outside) =>
    put(gitDir, 'HEAD', (at) =>
      fs.writeFileSync(
        at,
        `ref:\t refs/heads/${path.relative(path.join(gitDir, 'refs/heads'), path.join(outside, 'id'))} \n`,
      ),
    ),
  'the branch, which names a file outside': symbolic('refs/heads/main', 'refs/heads', 'id'),
  'the checkpoints, which name a file outside': symbolic('refs/clada/checkpoints', 'refs/heads', 'id'),
  'ORIG_HEAD that names a file outside': symbolic('ORIG_HEAD', 'refs/heads', 'id'),
  'the stash, which names a file outside': symbolic('refs/stash', 'refs/heads', 'id'),
  'logs/HEAD to a file outside': link('logs/HEAD', 'rc'),
  'logs/HEAD to a file that is not there': link('logs/HEAD', 'new'),
  'logs/HEAD to a file of the project': (gitDir) => link('logs/HEAD', 'kept.txt')(gitDir, path.dirname(gitDir)),
  'the log of the branch': link('logs/refs/heads/main', 'rc'),
  'the log of the checkpoints': link('logs/refs/clada/checkpoints', 'rc'),
  'logs/refs/heads': moved('logs/refs/heads'),
  'logs/refs/clada': moved('logs/refs/clada'),
  'logs/refs': moved('logs/refs'),
  logs: moved('logs'),
  refs: moved('refs'),
  'refs/heads': moved('refs/heads'),
  'refs/clada': moved('refs/clada'),
  'the branch': (gitDir, outside) => {
    fs.copyFileSync(path.join(gitDir, 'refs/heads/main'), path.join(outside, 'ref'))
    link('refs/heads/main', 'ref')(gitDir, outside)
  },
  'every directory for objects': (gitDir, outside) => {
    for (let at = 0; at < 256; at++) {
      const name = at.toString(16).padStart(2, '0')
      if (!fs.existsSync(path.join(gitDir, 'objects', name))) link(`objects/${name}`, 'dir')(gitDir, outside)
    }
  },
  'every directory for objects, inside the project': (gitDir) => {
    fs.mkdirSync(path.join(gitDir, 'plain'))
    for (let at = 0; at < 256; at++) {
      const name = at.toString(16).padStart(2, '0')
      if (!fs.existsSync(path.join(gitDir, 'objects', name))) link(`objects/${name}`, 'plain')(gitDir, gitDir)
    }
  },
  'objects/pack': moved('objects/pack'),
  'objects/info': moved('objects/info'),
  index: (gitDir, outside) => {
    fs.copyFileSync(path.join(gitDir, 'index'), path.join(outside, 'copy'))
    link('index', 'copy')(gitDir, outside)
  },
  'index.lock to a file that is not there': link('index.lock', 'new'),
  'HEAD to a file outside': (gitDir, outside) => {
    fs.copyFileSync(path.join(gitDir, 'HEAD'), path.join(outside, 'copy'))
    link('HEAD', 'copy')(gitDir, outside)
  },
  'packed-refs': link('packed-refs', 'rc'),
  'a note of a move': (gitDir, outside) =>
    link(`clada-moves-to-${git(path.dirname(gitDir), 'rev-parse', 'HEAD').trim()}`, 'new')(gitDir, outside),
  'a pipe for logs/HEAD': fifo('logs/HEAD'),
  'a pipe for the log of the branch': fifo('logs/refs/heads/main'),
  'a pipe for index': fifo('index'),
  'a pipe for HEAD': fifo('HEAD'),
  'a pipe for packed-refs': fifo('packed-refs'),
  'a pipe for the branch': fifo('refs/heads/main'),
  'a pipe for the checkpoints': fifo('refs/clada/checkpoints'),
}

const write = (name: string): readonly [string, Record<string, string>] => [
  'file_write',
  { path: name, content: 'n\n' },
]

/** The real command line: one that hangs is ended. */
function clada(root: string, args: readonly string[], input = ''): { status: number | null; out: string } {
  const { status, stdout, stderr } = spawnSync(...cladaCall(...args), {
    cwd: root,
    input,
    encoding: 'utf8',
    timeout: 60_000,
    killSignal: 'SIGKILL',
  })
  return { status, out: stdout + stderr }
}

const run = (root: string, mode: Mode, name: string) =>
  clada(root, ['run', '--git', mode, '--timeout', '5'], documentOf(root, [write(name)]))

/** What has been done before something is planted, and what is done then. */
const steps: Readonly<
  Record<
    string,
    readonly [before: (root: string) => void, then: (root: string) => { status: number | null; out: string }]
  >
> = {
  'run, commit': [() => {}, (root) => run(root, 'commit', 'new.txt')],
  'run, shadow': [() => {}, (root) => run(root, 'shadow', 'new.txt')],
  undo: [(root) => run(root, 'commit', 'new.txt'), (root) => clada(root, ['undo', '--git', 'commit'])],
  'undo, shadow': [(root) => run(root, 'shadow', 'new.txt'), (root) => clada(root, ['undo', '--git', 'shadow'])],
  redo: [
    (root) => {
      run(root, 'commit', 'new.txt')
      clada(root, ['undo', '--git', 'commit'])
    },
    (root) => clada(root, ['redo', '--git', 'commit']),
  ],
  back: [
    (root) => {
      run(root, 'commit', 'new.txt')
      fs.writeFileSync(path.join(root, 'a.txt'), 'mine\n')
    },
    (root) => clada(root, ['back']),
  ],
  forward: [
    (root) => {
      run(root, 'commit', 'new.txt')
      fs.writeFileSync(path.join(root, 'a.txt'), 'mine\n')
      clada(root, ['back'])
    },
    (root) => clada(root, ['forward']),
  ],
  squash: [
    (root) => {
      run(root, 'commit', 'new.txt')
      run(root, 'commit', 'newer.txt')
    },
    (root) => clada(root, ['squash', '--auto']),
  ],
}

const atCheckpoints = /clada|checkpoints|refs$|objects|pipe/

/** Of every kind one: the others differ in what git writes, not in who calls it. */
const someOf = [
  'HEAD that names a file outside',
  'the branch, which names a file outside',
  'logs/HEAD to a file outside',
  'the log of the branch',
  'refs/clada',
  'a note of a move',
  'a pipe for index',
]

for (const [step, [before, then]] of Object.entries(steps))
  describe(`${step} writes through no link and waits for no pipe`, () => {
    const isTried = (name: string): boolean =>
      step === 'run, commit' || (step === 'run, shadow' ? atCheckpoints.test(name) : someOf.includes(name))
    for (const [what, plant] of Object.entries(plants).filter(([name]) => isTried(name)))
      it(what, () => {
        const outside = scratchDir({ rc: 'alias\n', 'dir/mine': 'k\n' })
        const root = repository({ 'a.txt': 'a\n', 'kept.txt': 'kept\n' })
        before(root)
        fs.writeFileSync(path.join(outside, 'id'), git(root, 'rev-parse', 'HEAD'))
        plant(path.join(root, '.git'), outside)
        const seen = pictureOf(outside)
        const { status, out } = then(root)
        expect(pictureOf(outside), out).toBe(seen)
        expect(fs.readFileSync(path.join(root, 'kept.txt'), 'utf8')).toBe('kept\n')
        expect(status, out).not.toBe(null)
        expect(out).toMatch(
          /is a (?:link|special file|reference to a bad name), and git|is not used|there is no git repository here|cannot be read|was removed since/,
        )
      })
  })

/** It takes no room, and has 3 GB to be read. */
function sparse(at: string): void {
  fs.writeFileSync(at, 'x\n')
  fs.truncateSync(at, 3 * 1024 ** 3)
}

describe('what git only reads is no pipe and no device', () => {
  const names = ['config', 'config.worktree', 'commondir', 'info/exclude', 'info/attributes', 'info/grafts']
  const ways: Readonly<Record<string, (name: string) => Plant>> = {
    'a pipe': fifo,
    'a link to a device': (name) => (gitDir) => put(gitDir, name, (at) => fs.symlinkSync('/dev/zero', at)),
  }
  for (const [way, plant] of Object.entries(ways))
    it.each(names)(`${way} for %s`, (name) => {
      const root = repository({ 'a.txt': 'a\n' })
      plant(name)(path.join(root, '.git'), root)
      expect(run(root, 'commit', 'new.txt').out).toMatch(/is a special file, and git would wait for it/)
      const command: readonly [string, Record<string, string>] = ['run', { command: 'git status' }]
      const { status, out } = clada(
        root,
        ['run', '--no-git', '--timeout', '5'],
        documentOf(root, [command, write('b.txt')]),
      )
      expect(status, out).toBe(1)
      expect(fs.existsSync(path.join(root, 'b.txt'))).toBe(true)
    })

  it.each([...names, 'HEAD', 'index', 'packed-refs', 'shallow', 'objects/info/alternates'])(
    'a file with holes for %s',
    (name) => {
      const root = repository({ 'a.txt': 'a\n' })
      put(path.join(root, '.git'), name, sparse)
      expect(run(root, 'commit', 'new.txt').out).toMatch(/has 3221225472 bytes, and git would read all of them/)
      expect(run(root, 'off', 'more.txt'), 'without git').toMatchObject({ status: 0 })
    },
  )

  const includes =
    (text: string): Plant =>
    (gitDir) =>
      fs.appendFileSync(path.join(gitDir, 'config'), text)
  const endless: Readonly<Record<string, Plant>> = {
    'a pipe that the config includes': (gitDir, root) => {
      fifo('more')(gitDir, root)
      includes('[include]\n\tpath = more\n')(gitDir, root)
    },
    'a pipe that an included file includes': (gitDir, root) => {
      fifo('more')(gitDir, root)
      put(gitDir, 'some', (at) => fs.writeFileSync(at, '[includeIf "onbranch:x"]\n\tpath = "more" ; so\n'))
      includes('[include] path = some\n')(gitDir, root)
    },
    'a device that the config includes': includes('[include]\n\tpath = /dev/zero\n'),
    'files that include the next one many times': (gitDir, root) => {
      for (let at = 0; at < 9; at++)
        fs.writeFileSync(path.join(gitDir, `i${at}`), `[include]\n${`\tpath = i${at + 1}\n`.repeat(50)}`)
      includes('[include]\n\tpath = i0\n')(gitDir, root)
    },
    'a config of line ends': includes('\n'.repeat(5 * 1024 ** 2)),
    'a file of line ends that is included': (gitDir, root) => {
      put(gitDir, 'more', (at) => fs.writeFileSync(at, '\n'.repeat(5 * 1024 ** 2)))
      includes('[include]\n\tpath = more\n')(gitDir, root)
    },
  }
  it.each(Object.keys(endless))('%s', (name) => {
    const root = repository({ 'a.txt': 'a\n' })
    endless[name]?.(path.join(root, '.git'), root)
    expect(run(root, 'commit', 'new.txt').out).toMatch(/and git would (?:wait for it|read all of them)/)
    expect(fs.existsSync(path.join(root, 'new.txt'))).toBe(false)
  })

  it.each(['a config of line ends', 'a pipe that the config includes'])('approvals ask git nothing: %s', (name) => {
    const root = repository({ 'a.txt': 'a\n' })
    endless[name]?.(path.join(root, '.git'), root)
    expect(clada(root, ['approve', 'git fetch']).out).toContain("'.git' cannot be read whole")
    expect(clada(root, ['approvals']).out).toContain('approve it again')
  })

  it('settings that are included as usual stay in use', () => {
    const root = repository({ 'a.txt': 'a\n' })
    fs.writeFileSync(path.join(root, '.git/more'), '[core]\n\tautocrlf = false\n')
    includes('[include]\n\tpath = more\n\tpath = more\n\tpath = nowhere\n')(path.join(root, '.git'), root)
    run(root, 'commit', 'new.txt')
    expect(git(root, 'log', '-1', '--format=%s')).toMatch(/^AI: /)
  })

  it('a file with holes in the place of the repository', () => {
    const root = scratchDir({ 'a.txt': 'a\n' })
    sparse(path.join(root, '.git'))
    expect(run(root, 'commit', 'new.txt').out).toContain('does not say where the repository is')
  })

  it('a link of the user for the config stays in use', () => {
    const root = repository({ 'a.txt': 'a\n' })
    const config = path.join(root, '.git/config')
    fs.renameSync(config, path.join(root, 'shared'))
    fs.symlinkSync('../shared', config)
    expect(run(root, 'commit', 'new.txt')).toMatchObject({ status: 0 })
  })
})

describe('a linked worktree', () => {
  const worktrees: Readonly<Record<string, Plant>> = {
    'the log of its HEAD': link('worktrees/tree/logs/HEAD', 'rc'),
    'its index': (gitDir, outside) => {
      fs.copyFileSync(path.join(gitDir, 'worktrees/tree/index'), path.join(outside, 'copy'))
      link('worktrees/tree/index', 'copy')(gitDir, outside)
    },
    'the log of its branch': link('logs/refs/heads/tree', 'rc'),
    'a pipe for its ORIG_HEAD': fifo('worktrees/tree/ORIG_HEAD'),
  }
  for (const [what, plant] of Object.entries(worktrees))
    it(`is not written through a link or pipe: ${what}`, () => {
      const outside = scratchDir({ rc: 'alias\n' })
      const main = repository({ 'a.txt': 'a\n' })
      const root = path.join(scratchDir(), 'tree')
      git(main, 'worktree', 'add', '-q', root)
      plant(path.join(main, '.git'), outside)
      const seen = pictureOf(outside)
      const { out } = run(root, 'commit', 'new.txt')
      expect(pictureOf(outside)).toBe(seen)
      expect(out).toMatch(/is a (?:link|special file), and git|is not used/)
    })
})

describe('a path in a git directory that no file has', () => {
  const texts = {
    'a megabyte of directories': 'a/'.repeat(500_000),
    'a NUL': 'a\0b',
    'a line end': 'a\nb',
    nothing: '',
  }
  for (const [what, text] of Object.entries(texts)) {
    it(`${what} in commondir`, () => {
      const root = repository({ 'a.txt': 'a\n' })
      fs.writeFileSync(path.join(root, '.git/commondir'), text)
      expect(run(root, 'commit', 'new.txt').out).toContain('does not name a directory')
    })

    it(`${what} in the place of .git`, () => {
      const root = repository({ 'a.txt': 'a\n' })
      fs.rmSync(path.join(root, '.git'), { recursive: true })
      fs.writeFileSync(path.join(root, '.git'), `gitdir: ${text}`)
      expect(run(root, 'commit', 'new.txt').out).toContain('does not say where the repository is')
    })
  }

  it('a megabyte of directories in the list of alternates', () => {
    const root = repository({ 'a.txt': 'a\n' })
    fs.writeFileSync(path.join(root, '.git/objects/info/alternates'), 'a/'.repeat(450_000))
    expect(run(root, 'commit', 'new.txt').out).toContain("alternates' leads out of the repository")
    expect(fs.existsSync(path.join(root, 'new.txt'))).toBe(true)
  })

  it('and blanks before a path are part of it, as for git', () => {
    const root = repository({ 'a.txt': 'a\n' })
    const other = repository({ 'b.txt': 'b\n' })
    const gitDir = path.join(root, '.git')
    fs.mkdirSync(path.join(gitDir, ' in'))
    fs.symlinkSync(path.join(other, '.git'), path.join(gitDir, ' in/x'))
    fs.mkdirSync(path.join(gitDir, 'in'))
    fs.cpSync(path.join(other, '.git'), path.join(gitDir, 'in/x'), { recursive: true })
    fs.writeFileSync(path.join(gitDir, 'commondir'), ' in/x\n')
    const before = pictureOf(other)
    run(root, 'commit', 'new.txt')
    expect(pictureOf(other)).toBe(before)
  })
})

it('an execution without git does not care', () => {
  const root = repository({ 'a.txt': 'a\n' })
  fifo('index')(path.join(root, '.git'), root)
  fifo('logs/HEAD')(path.join(root, '.git'), root)
  expect(run(root, 'off', 'new.txt')).toMatchObject({ status: 0 })
  expect(clada(root, ['undo', '--no-git'])).toMatchObject({ status: 0 })
})

it('links that the user made for hooks and exclude rules stay in use', () => {
  const root = repository({ 'a.txt': 'a\n', 'tools/hooks/x': '', 'tools/exclude': '*.log\n' })
  const gitDir = path.join(root, '.git')
  fs.rmSync(path.join(gitDir, 'hooks'), { recursive: true, force: true })
  fs.symlinkSync('../tools/hooks', path.join(gitDir, 'hooks'))
  fs.rmSync(path.join(gitDir, 'info/exclude'), { force: true })
  fs.mkdirSync(path.join(gitDir, 'info'), { recursive: true })
  fs.symlinkSync('../../tools/exclude', path.join(gitDir, 'info/exclude'))
  expect(run(root, 'commit', 'new.txt')).toMatchObject({ status: 0 })
  expect(git(root, 'log', '-1', '--format=%s')).toMatch(/^AI: /)
})
