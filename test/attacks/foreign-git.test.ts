import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { Clada } from '../../packages/clada/src/index.ts'
import { git, repository } from '../history/world.ts'
import { scratchDir } from '../support/scratch.ts'

const write = (root: string) =>
  new Clada({ repoPath: root, git: 'commit' }).perform('file_write', {
    path: path.join(root, 'new.txt'),
    content: 'n\n',
  })
const modeOf = async (root: string) => (await new Clada({ repoPath: root }).history()).at(-1)?.mode

/** Everything below a directory, so that a change anywhere is seen. */
const pictureOf = (dir: string): string =>
  execFileSync('bash', ['-c', 'find . -type f -exec sha256sum {} + | sort; git for-each-ref 2>/dev/null'], {
    cwd: dir,
    encoding: 'utf8',
  })

/** A repository of the user's own, with a secret that only it holds. */
function victim(): string {
  const dir = repository({ 'secret.txt': 'CANARY\n' })
  git(dir, 'pack-refs', '--all')
  return dir
}

describe('a .git that leads out of the project', () => {
  const shapes: Readonly<Record<string, (root: string, other: string) => void>> = {
    'is a file': (root, other) => {
      fs.rmSync(path.join(root, '.git'), { recursive: true })
      fs.writeFileSync(path.join(root, '.git'), `gitdir: ${other}/.git\n`)
    },
    'is a link': (root, other) => {
      fs.rmSync(path.join(root, '.git'), { recursive: true })
      fs.symlinkSync(path.join(other, '.git'), path.join(root, '.git'))
    },
    'is a file that leads on through a link': (root, other) => {
      fs.rmSync(path.join(root, '.git'), { recursive: true })
      fs.symlinkSync(other, path.join(root, 'way'))
      fs.writeFileSync(path.join(root, '.git'), 'gitdir: way/.git\n')
    },
    'has a common directory outside': (root, other) =>
      fs.writeFileSync(path.join(root, '.git/commondir'), `${other}/.git\n`),
    'has alternates outside': (root, other) => {
      fs.mkdirSync(path.join(root, '.git/objects/info'), { recursive: true })
      fs.writeFileSync(path.join(root, '.git/objects/info/alternates'), `${other}/.git/objects\n`)
    },
    ...Object.fromEntries(
      ['objects', 'objects/pack', 'refs', 'refs/heads', 'packed-refs', 'logs', 'info'].map((name) => [
        `has a link for ${name}`,
        (root: string, other: string) => {
          fs.rmSync(path.join(root, '.git', name), { recursive: true, force: true })
          fs.symlinkSync(path.join(other, '.git', name), path.join(root, '.git', name))
        },
      ]),
    ),
  }

  it.each(Object.entries(shapes))('and %s counts as no repository', async (_, make) => {
    const other = victim()
    const root = repository({ 'a.txt': 'a\n' })
    make(root, other)
    const before = pictureOf(other)
    const result = await write(root)
    expect(result).toMatchObject({ success: true, warnings: [expect.stringContaining('this repository is not used')] })
    expect(await modeOf(root)).toBe('shadow')
    for (const command of ['git log -p', 'git show HEAD', 'git branch -a', 'git status'])
      expect(JSON.stringify(await new Clada({ repoPath: root }).perform('run', { command }))).not.toContain('CANARY')
    expect(await new Clada({ repoPath: root }).back()).toMatchObject({ success: false })
    expect(await new Clada({ repoPath: root }).undo()).toMatchObject({ success: true })
    expect(pictureOf(other)).toBe(before)
  })
})

describe('a .git that points back', () => {
  it('as a worktree is used', async () => {
    const main = repository({ 'a.txt': 'a\n' })
    const root = path.join(scratchDir(), 'tree')
    git(main, 'worktree', 'add', '-q', root)
    expect((await write(root)).warnings).toBeUndefined()
    expect(await modeOf(root)).toBe('commit')
  })

  it('as a submodule is used', async () => {
    const main = repository({ 'a.txt': 'a\n' })
    git(main, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', repository({ 'b.txt': 'b\n' }), 'sub')
    const root = path.join(main, 'sub')
    expect((await write(root)).warnings).toBeUndefined()
    expect(await modeOf(root)).toBe('commit')
  })

  it('to another worktree does not count', async () => {
    const main = repository({ 'a.txt': 'a\n' })
    const base = scratchDir()
    git(main, 'worktree', 'add', '-q', path.join(base, 'tree'))
    fs.cpSync(path.join(base, 'tree'), path.join(base, 'copy'), { recursive: true })
    expect((await write(path.join(base, 'copy'))).warnings).toEqual([expect.stringContaining('not used')])
  })
})

it('a clone that shares objects is used once it has its own, as the advice says', async () => {
  const root = path.join(scratchDir(), 'clone')
  const main = repository({ 'a.txt': 'a\n' })
  git(main, 'clone', '-q', '--shared', main, root)
  const alternates = path.join(root, '.git/objects/info/alternates')
  const [warning = ''] = (await write(root)).warnings ?? []
  expect(warning).toContain(`git repack -a -d, and then remove '${alternates}'`)
  git(root, 'repack', '-q', '-a', '-d')
  fs.rmSync(alternates)
  expect((await write(root)).warnings?.join()).not.toContain('not used')
  expect(await modeOf(root)).toBe('commit')
  expect(git(root, 'fsck', '--strict')).toBe('')
})
