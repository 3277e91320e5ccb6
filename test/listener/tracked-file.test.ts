import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { isTrackedByGit } from '../../packages/clada/src/process/tracked-files.ts'
import { git } from '../history/world.ts'
import { fill, scratchDir } from '../support/scratch.ts'
import { append, listening, ran, traceOf, until } from './world.ts'

const name = 'clada_input.md'

/** A project with a branch whose input file has a block. */
function withBranch(...config: readonly string[]): string {
  const dir = scratchDir({ 'a.txt': 'a\n' })
  git(dir, 'init', '-q', ...config)
  git(dir, 'add', '-A')
  git(dir, 'commit', '-q', '-m', 'one')
  git(dir, 'checkout', '-q', '-b', 'other')
  fill(dir, { [name]: append(dir, 'planted') })
  git(dir, 'add', '-f', name)
  git(dir, 'commit', '-q', '-m', 'two')
  git(dir, 'checkout', '-q', 'main')
  fill(dir, { '.git/info/exclude': `${name}\ntrace.txt\n.clada\n` })
  return dir
}

describe('a watched file that git tracks', () => {
  it('is refused at the start', async () => {
    const dir = withBranch()
    git(dir, 'checkout', '-q', 'other')
    await expect(listening(undefined, { dir })).rejects.toThrow(
      `'${dir}/${name}' is tracked by git, so a checkout or pull could bring blocks that run. List it in .gitignore, and take it out of git: git rm --cached ${dir}/${name}`,
    )
  })

  it('is refused at the start in a worktree', async () => {
    const dir = withBranch()
    git(dir, 'worktree', 'add', '-q', 'work', 'other')
    await expect(listening(undefined, { dir: path.join(dir, 'work') })).rejects.toThrow(/is tracked by git/)
  })

  for (const [what, bring] of [
    ['a checkout', (dir: string) => git(dir, 'checkout', '-q', 'other')],
    ['a merge', (dir: string) => git(dir, 'merge', '-q', 'other')],
    ['a reset', (dir: string) => git(dir, 'reset', '-q', '--hard', 'other')],
    ['a pull', (dir: string) => git(dir, 'pull', '-q', '.', 'other')],
  ] as const)
    it(`runs nothing that ${what} brings, until git has let it go`, async () => {
      const dir = withBranch()
      const world = await listening(append(dir, 'mine'), { dir })
      await ran(world, 1)
      bring(dir)
      await until(() => world.events.some((event) => event.kind === 'trouble' && event.why.includes('tracked by git')))
      expect(traceOf(dir)).toEqual(['mine'])
      git(dir, 'rm', '-q', '--cached', name)
      fs.writeFileSync(world.file, append(dir, 'later'))
      await ran(world, 2)
      expect(traceOf(dir)).toEqual(['mine', 'later'])
    })

  it('runs nothing while git holds the index', async () => {
    const dir = withBranch()
    const world = await listening(append(dir, 'mine'), { dir })
    await ran(world, 1)
    fs.writeFileSync(path.join(dir, '.git/index.lock'), '')
    fs.appendFileSync(world.file, append(dir, 'planted'))
    await until(() => world.events.some((event) => event.kind === 'trouble' && event.why.includes('index.lock')))
    expect(traceOf(dir)).toEqual(['mine'])
    fs.rmSync(path.join(dir, '.git/index.lock'))
    await ran(world, 2)
    expect(traceOf(dir)).toEqual(['mine', 'planted'])
  })
})

describe('a watched file that clada makes', () => {
  const excluded = (dir: string): string => fs.readFileSync(path.join(dir, '.git/info/exclude'), 'utf8')

  it('is ignored by git, so that git add -A leaves it alone', async () => {
    const dir = scratchDir({ 'a.txt': 'a\n' })
    git(dir, 'init', '-q')
    fs.writeFileSync(path.join(dir, '.git/info/exclude'), '*.log')
    const world = await listening(undefined, { dir, name: 'in[1].md' })
    expect(excluded(dir)).toBe('*.log\n/in\\[1].md\n')
    git(dir, 'add', '-A')
    expect(git(dir, 'ls-files')).toBe('a.txt\n')
    expect(world.events[0]).toMatchObject({ kind: 'watching', excluded: path.join(dir, '.git/info/exclude') })
    fs.appendFileSync(world.file, append(dir, 'one'))
    await ran(world, 1)
  })

  it('is added once, in a directory of the repository and in a worktree too', async () => {
    const dir = scratchDir({ 'a.txt': 'a\n', 'sub/b.txt': 'b\n' })
    git(dir, 'init', '-q')
    git(dir, 'add', '-A')
    git(dir, 'commit', '-q', '-m', 'one')
    git(dir, 'worktree', 'add', '-q', '../work-of-it')
    const before = excluded(dir)
    await listening(undefined, { dir: path.join(dir, 'sub') })
    await listening(undefined, { dir: path.join(dir, '../work-of-it'), name: 'input.md' })
    expect(excluded(dir)).toBe(`${before}/sub/${name}\n/input.md\n`)
    expect(git(path.join(dir, '../work-of-it'), 'status', '--short', 'input.md')).toBe('')
  })

  it('is not added where git ignores it, where rules are a link, and outside a repository', async () => {
    const ignored = scratchDir({ '.gitignore': `${name}\n` })
    git(ignored, 'init', '-q')
    const before = excluded(ignored)
    await listening(undefined, { dir: ignored })
    expect(excluded(ignored)).toBe(before)

    const linked = scratchDir({ 'rules.txt': 'x\n' })
    git(linked, 'init', '-q')
    fs.rmSync(path.join(linked, '.git/info/exclude'))
    fs.symlinkSync('../../rules.txt', path.join(linked, '.git/info/exclude'))
    await listening(undefined, { dir: linked })
    expect(fs.readFileSync(path.join(linked, 'rules.txt'), 'utf8')).toBe('x\n')

    const world = await listening(undefined)
    expect(world.events[0]).toMatchObject({ kind: 'watching', excluded: undefined })
  })

  it('is left as it is if it was there', async () => {
    const dir = scratchDir()
    git(dir, 'init', '-q')
    const before = excluded(dir)
    await listening(append(dir, 'one'), { dir })
    expect(excluded(dir)).toBe(before)
  })
})

describe('what git tracks', () => {
  const files = Object.fromEntries(
    ['a', 'a.b', 'a/b', 'dir/a.txt', 'dir/a.txt.x', 'dir/aé.txt', 'dir/sub/a.txt', 'z'.repeat(200)].map((one) => [
      `${one}.f`,
      one,
    ]),
  )
  for (const [what, prepare, ...init] of [
    ['version 2', ['update-index', '--index-version', '2']],
    ['version 3', ['add', '-N', 'new.f']],
    ['version 4', ['update-index', '--index-version', '4']],
    ['two parts', ['update-index', '--split-index']],
    ['SHA-256', ['update-index', '--index-version', '4'], '--object-format=sha256'],
  ] as const)
    it(`is known with an index of ${what}`, () => {
      const dir = scratchDir({ ...files, 'new.f': '' })
      git(dir, 'init', '-q', ...init)
      git(dir, 'add', ...Object.keys(files))
      git(dir, ...prepare)
      const tracked = git(dir, 'ls-files', '-z')
        .split('\0')
        .filter((one) => one !== '')
      const asked = [...Object.keys(files), 'new.f', 'b.f', 'dir', 'dir/a', '.txt.f', '']
      expect(asked.filter((one) => isTrackedByGit(path.join(dir, one)))).toEqual(
        asked.filter((one) => tracked.includes(one)),
      )
    })
})
