import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { commonDirAround, gitDirsAt, keepWithoutState, writtenByGit } from '../../packages/clada/src/state/git-dirs.ts'
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

interface Index {
  readonly version: 2 | 3 | 4
  readonly hash: 20 | 32
  readonly names: readonly string[]
}

/** An index as git writes it (gitformat-index), in which each file is noted as it is on the disk. */
function indexOf(top: string, { version, hash, names }: Index): Buffer {
  const head = Buffer.from('DIRC\0\0\0\0\0\0\0\0')
  head.writeUInt32BE(version, 4)
  head.writeUInt32BE(names.length, 8)
  const entries = names.map((name, at) => {
    const stat = fs.statSync(path.join(top, name), { bigint: true })
    const fixed = Buffer.alloc(40 + hash + (version === 3 ? 4 : 2), 0xff)
    fixed.writeUInt32BE(Number(stat.mtimeNs / 1_000_000_000n), 8)
    fixed.writeUInt32BE(Number(stat.mtimeNs % 1_000_000_000n), 12)
    fixed.writeUInt32BE(Number(stat.ino % 2n ** 32n), 20)
    fixed.writeUInt16BE(version === 3 ? 0x4000 + name.length : name.length, 40 + hash)
    if (version !== 4) {
      const size = fixed.length + name.length
      return Buffer.concat([fixed, Buffer.from(name), Buffer.alloc(8 - (size % 8))])
    }
    const before = names[at - 1] ?? ''
    let same = 0
    while (same < before.length && before[same] === name[same]) same++
    const dropped = before.length - same
    const count = dropped < 128 ? [dropped] : [127 + (dropped >> 7), dropped & 127]
    return Buffer.concat([fixed, Buffer.from(count), Buffer.from(`${name.slice(same)}\0`)])
  })
  return Buffer.concat([head, ...entries, Buffer.alloc(hash)])
}

describe('files that git wrote', () => {
  const long = `.b${'x'.repeat(200)}`
  const names = [long, 'project/.clada/back.json', 'project/.clada/history/1', 'project/a']
  it.each([
    { version: 2, hash: 20 },
    { version: 2, hash: 32 },
    { version: 3, hash: 20 },
    { version: 4, hash: 20 },
    { version: 4, hash: 32 },
  ] as const)('are found in an index of version $version with hashes of $hash bytes', ({ version, hash }) => {
    const top = scratchDir({
      ...repository('.git'),
      ...Object.fromEntries(names.map((name) => [name, name])),
      '.git/config': hash === 32 ? '[extensions]\n\tobjectformat = sha256\n' : '',
      'project/.clada/own': '',
    })
    const state = path.join(top, 'project/.clada')
    const write = (bytes: Buffer) => fs.writeFileSync(path.join(top, '.git/index'), bytes)
    for (const name of names) fs.utimesSync(path.join(top, name), 1_700_000_000.25, 1_700_000_000.25)
    expect(writtenByGit(state)).toEqual([])
    const bytes = indexOf(top, { version, hash, names })
    write(bytes)
    expect(writtenByGit(state)).toEqual(['back.json', 'history/1'])
    fs.utimesSync(path.join(state, 'back.json'), 1_700_000_000.25, 1_700_000_001.25)
    expect(writtenByGit(state)).toEqual(['history/1'])
    fs.utimesSync(path.join(state, 'history/1'), 1_700_000_000.25, 1_700_000_000.5)
    expect(writtenByGit(state)).toEqual([])
    fs.renameSync(path.join(state, 'own'), path.join(state, 'back.json'))
    fs.utimesSync(path.join(state, 'back.json'), 1_700_000_000.25, 1_700_000_000.25)
    expect(writtenByGit(state)).toEqual([])
    write(indexOf(top, { version, hash, names: ['project/a'] }))
    expect(writtenByGit(state)).toEqual([])
    expect(writtenByGit(state)).toEqual([])
    write(indexOf(top, { version, hash, names: ['project/.clada/back.json'] }))
    expect(writtenByGit(state)).toEqual(['back.json'])
    // A commit of clada's own adds no such name, so its index is not read again; that of another process is.
    const index = path.join(top, '.git/index')
    const replace = (): bigint => {
      fs.writeFileSync(`${index}.new`, indexOf(top, { version, hash, names: ['project/.clada/back.json'] }))
      fs.renameSync(`${index}.new`, index)
      return fs.statSync(index, { bigint: true }).ino
    }
    for (const [isOwn, found] of [
      [true, []],
      [false, ['back.json']],
    ] as const) {
      write(indexOf(top, { version, hash, names: ['project/a'] }))
      expect(writtenByGit(state)).toEqual([])
      const keep = keepWithoutState(index)
      keep(replace() + (isOwn ? 0n : 1n))
      expect(writtenByGit(state)).toEqual(found)
    }
    keepWithoutState(index)(replace())
    expect(writtenByGit(state)).toEqual(['back.json'])
  })

  it('are none outside of a repository', () => {
    expect(writtenByGit(path.join(scratchDir(), '.clada'))).toEqual([])
  })
})
