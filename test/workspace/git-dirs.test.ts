import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { commonDirAround, gitDirsAt } from '../../packages/clada/src/state/git-dirs.ts'
import { scratchDir } from '../support/scratch.ts'

const repository = (at: string) => ({ [`${at}/HEAD`]: 'ref: refs/heads/main\n' })
/** A worktree at `project`, of the repository at `main`. */
const worktree = {
  ...repository('main/.git'),
  ...repository('main/.git/worktrees/w'),
  'main/.git/worktrees/w/commondir': '../..\n',
  'main/.git/worktrees/w/gitdir': '../../../../project/.git\n',
  'project/.git': 'gitdir: ../main/.git/worktrees/w\n',
}
const submodule = {
  ...repository('modules/sub'),
  'modules/sub/config': '[core]\n\tbare = false\n\tworktree = ../../project\n[remote "o"]\n\turl = x\n',
  'project/.git': 'gitdir: ../modules/sub\n',
}
const plain = repository('project/.git')

interface Case {
  readonly files: Readonly<Record<string, string>>
  /** By its place, where a link leads. */
  readonly links?: Readonly<Record<string, string>>
  readonly found: object | undefined
}
const says = (text: string) => expect.stringContaining(text)
const cases: Readonly<Record<string, Case>> = {
  'none without .git': { files: { 'project/a': '' }, found: undefined },
  'none in a .git without HEAD': { files: { 'project/.git/config': '' }, found: undefined },
  'a plain one': { files: plain, found: { gitDir: says('project/.git'), commonDir: says('project/.git') } },
  'a worktree that is known to its repository': {
    files: worktree,
    found: { gitDir: says('main/.git/worktrees/w'), commonDir: says('main/.git') },
  },
  'a submodule that is known to its repository': {
    files: submodule,
    found: { gitDir: says('modules/sub'), commonDir: says('modules/sub') },
  },
  'a submodule whose path is quoted': {
    files: { ...submodule, 'modules/sub/config': '[core]\nworktree = "../../project"\n' },
    found: { gitDir: says('modules/sub') },
  },
  'another worktree': {
    files: { ...submodule, 'modules/sub/config': '[core]\nworktree = ../../other\n' },
    found: { foreign: says("modules/sub', which does not point back") },
  },
  'a worktree in another section': {
    files: { ...submodule, 'modules/sub/config': '[core]\n[other]\nworktree = ../../project\n' },
    found: { foreign: says('does not point back') },
  },
  'a common directory outside': {
    files: { ...plain, ...repository('main/.git'), 'project/.git/commondir': '../../main/.git\n' },
    found: { foreign: says("main/.git', which does not point back"), advice: says('git worktree repair') },
  },
  'a worktree of a repository with a link out': {
    files: { ...worktree, 'outside/refs': '' },
    links: { 'main/.git/packed-refs': '../../outside/refs' },
    found: { foreign: says("main/.git/packed-refs' leads out"), advice: says('replace it') },
  },
  'a link that stays inside': {
    files: { ...plain, 'project/refs': '' },
    links: { 'project/.git/packed-refs': '../refs' },
    found: { gitDir: says('project/.git') },
  },
  'objects elsewhere': {
    files: { ...plain, 'project/.git/objects/info/alternates': '# shared\n../../../main/.git/objects\n' },
    found: { foreign: says('alternates'), advice: says('git repack -a -d') },
  },
  'objects nowhere else': {
    files: { ...plain, 'project/.git/objects/info/alternates': '# /outside\n\n' },
    found: { gitDir: says('project/.git') },
  },
  'a .git that says nothing': { files: { 'project/.git': 'x\n' }, found: { broken: says('does not say where') } },
  'a .git that leads nowhere': {
    files: { 'project/.git': 'gitdir: ../gone\n' },
    found: { broken: says("gone', where no repository is") },
  },
}

describe.skipIf(process.platform === 'win32')('the repository of a directory', () => {
  it.each(Object.entries(cases))('%s', (_, { files, links = {}, found }) => {
    const base = scratchDir(files)
    for (const [at, target] of Object.entries(links)) fs.symlinkSync(target, path.join(base, at))
    const dirs = gitDirsAt(path.join(base, 'project'))
    if (found === undefined) expect(dirs).toBeUndefined()
    else expect(dirs).toMatchObject(found)
  })

  it.each([
    ['plain', plain, 'project/.git'],
    ['worktree', worktree, 'main/.git'],
    ['submodule', submodule, 'modules/sub'],
    ['directory without one', {}, undefined],
  ])('around a directory in a %s', (_, files, common) => {
    const base = scratchDir({ ...files, 'project/a/b/c': '' })
    const found = common === undefined ? undefined : path.join(fs.realpathSync(base), common)
    expect(commonDirAround(path.join(base, 'project/a/b'))).toBe(found)
  })
})
