import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { Clada } from '../../packages/clada/src/index.ts'
import { fillState, inState, scratchDir } from '../support/scratch.ts'
import earlier from './earlier-steps.json' with { type: 'json' }
import { execute, git, isBack, keptBy, treeOf } from './world.ts'

const clada = (root: string): Clada => new Clada({ repoPath: root })

type Left = keyof typeof earlier

/** A project as the last version left it whose steps back were not in the log, with every file that it wrote. */
function left(name: Left): string {
  const root = scratchDir()
  fs.mkdirSync(path.join(root, '.git/objects'), { recursive: true })
  const put = (file: string, { mode, base64 }: { mode: string; base64: string }): void => {
    fs.mkdirSync(path.dirname(file), { recursive: true })
    fs.writeFileSync(file, Buffer.from(base64, 'base64'), { mode: 0o600 })
    fs.chmodSync(file, Number.parseInt(mode, 8))
  }
  const files = Object.entries(earlier[name])
  for (const [file, content] of files) if (!file.startsWith('STATE/')) put(path.join(root, file), content)
  const stateDir = fillState(root)
  for (const [file, content] of files)
    if (file.startsWith('STATE/')) put(path.join(stateDir, file.slice('STATE/'.length)), content)
  return root
}

const tip = {
  '.gitattributes': '644 *.txt text eol=crlf\n',
  'a.txt': '644 staged\r\nand more\n',
  'e/': 'directory 755',
  'e/new.md': '644 newer\n',
  'mixed.txt': '644 a\r\nb\nc\r\n',
  'untracked.txt': '600 n\r\nm\n',
}

describe('steps back that an earlier version noted in a file', () => {
  for (const name of ['a step back that was killed', 'a step forward that was killed'] as const) expectHome(name, 1)
  expectHome('a step forward that was killed between HEAD and the index', 1)
  expectHome('two steps back', 2)

  function expectHome(name: Left, steps: number): void {
    it(`are reverted: ${name}`, async () => {
      const root = left(name)
      const { fatalError } = await execute(root, 'off', [['file_write', { path: 'later.md', content: 'x' }]])
      expect(fatalError).toMatch(/clada back/)
      expect(fs.existsSync(inState(root, 'back.json'))).toBe(false)
      for (let step = 1; step < steps; step++) expect(await clada(root).forward()).toMatchObject({ success: true })
      expect(await clada(root).forward()).toMatchObject({
        success: true,
        branch: 'main',
        restored_files: ['a.txt', 'untracked.txt'],
      })
      expect([treeOf(root), git(root, 'status', '--porcelain'), git(root, 'show', ':a.txt')]).toEqual([
        tip,
        'MM a.txt\n?? untracked.txt\n',
        'staged\n',
      ])
      expect([await isBack(root), git(root, 'for-each-ref', 'refs/clada')]).toEqual([false, ''])
      expect(fs.readdirSync(inState(root)).filter((one) => one.startsWith('back'))).toEqual([])
      expect(await execute(root, 'off', [['file_write', { path: 'later.md', content: 'x' }]])).toMatchObject({
        success: true,
      })
    })
  }

  it('are taken over anew where that was killed', async () => {
    const root = left('two steps back')
    // Killed after the first of two.
    const noted = JSON.parse(fs.readFileSync(inState(root, 'back.json'), 'utf8'))
    await execute(root, 'off', [['file_write', { path: 'later.md', content: 'x' }]])
    const kept = git(root, 'for-each-ref', '--format=%(refname)', 'refs/clada/kept')
    fs.rmSync(inState(root, 'history/2/journal'))
    fillState(root, { 'back.json': JSON.stringify({ ...noted, first: 1 }) })
    expect(await clada(root).forward()).toMatchObject({ success: true })
    expect(await clada(root).forward()).toMatchObject({ success: true, branch: 'main' })
    expect(kept).toBe([1, 2].map((number) => `${keptBy(root, number)}\n`).join(''))
    expect((await clada(root).history()).map(({ kind }) => kind)).toEqual(['back', 'back', 'forward', 'forward'])
  })

  it('are told of where git cannot read what was put aside', async () => {
    const root = left('two steps back')
    const [id = ''] = git(root, 'for-each-ref', '--format=%(objectname)', 'refs/clada/back').split('\n')
    fs.rmSync(path.join(root, '.git/objects', id.slice(0, 2), id.slice(2)))
    expect(await clada(root).forward()).toMatchObject({
      success: false,
      error: expect.stringMatching(/an earlier version cannot be reverted: .* remove '.*back\.json'\.$/),
    })
    expect(fs.existsSync(inState(root, 'back.json'))).toBe(true)
  })

  it('may have passed commits where something was put aside: that is left to git', async () => {
    const root = left('two steps back')
    const noted = JSON.parse(fs.readFileSync(inState(root, 'back.json'), 'utf8'))
    const [commit, saved] = Object.entries<string>(noted.saved)[0] ?? []
    fillState(root, { 'back.json': JSON.stringify({ ...noted, way: noted.way.slice(1) }) })
    const { warnings } = await clada(root).forward()
    expect(warnings).toEqual([
      `what clada back put aside at ${commit?.slice(0, 8)} is kept: git stash apply --index refs/clada/back/${saved}`,
    ])
    expect(git(root, 'for-each-ref', '--format=%(refname)', 'refs/clada/back')).toBe(`refs/clada/back/${saved}\n`)
  })
})
