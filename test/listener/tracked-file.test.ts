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
