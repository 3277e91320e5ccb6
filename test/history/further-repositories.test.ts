import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { Clada } from '../../packages/clada/src/index.ts'
import { clada } from '../support/cli.ts'
import { scratchDir } from '../support/scratch.ts'
import { asKilled, git, type Mode, redoIn, undoIn } from './world.ts'

/** Two repositories beside each other, with one commit each. */
function two(): { app: string; lib: string } {
  const base = scratchDir({ 'app/a.txt': 'a\n', 'lib/b.txt': 'b\n', 'lib/mine.txt': 'mine\n' })
  const [app, lib] = [path.join(base, 'app'), path.join(base, 'lib')]
  for (const root of [app, lib]) {
    git(root, 'init', '-q')
    git(root, 'add', '.')
    git(root, 'commit', '-qm', 'start')
  }
  return { app, lib }
}

const write = (file: string, content: string): string =>
  `#!SHAM [@three-char-SHA-256: abc]\naction = "file_write"\npath = "${file}"\ncontent = "${content}"\n#!END_SHAM_abc\n`

const editBoth = (app: string, lib: string, mode: Mode = 'commit') =>
  new Clada({ repoPath: app, git: mode, allowedRoots: [lib] }).execute(
    write(`${app}/a.txt`, 'A\\n') + write(`${lib}/b.txt`, 'B\\n'),
  )

const read = (...files: string[]): string[] => files.map((file) => fs.readFileSync(file, 'utf8'))
const log = (root: string): string[] => git(root, 'log', '--format=%s').trim().split('\n')
const status = (root: string): string => git(root, 'status', '--porcelain')

describe('a reply that edits two repositories', () => {
  it('makes a commit in each, about what it changed there', async () => {
    const { app, lib } = two()
    expect((await editBoth(app, lib)).success).toBe(true)
    expect([log(app), log(lib)]).toEqual([
      ['AI: edit a.txt', 'start'],
      ['AI: edit b.txt', 'start'],
    ])
    expect([status(app), status(lib)]).toEqual(['', ''])
  })

  it('saves what was not committed only in a repository that it edits', async () => {
    const { app, lib } = two()
    fs.writeFileSync(`${lib}/mine.txt`, 'changed\n')
    const options = { repoPath: app, allowedRoots: [lib] }
    await new Clada(options).execute(write(`${app}/a.txt`, 'A\\n'))
    expect([log(lib), status(lib)]).toEqual([['start'], ' M mine.txt\n'])
    const { warnings } = await new Clada(options).execute(write(`${lib}/b.txt`, 'B\\n'))
    expect(log(lib)).toEqual(['AI: edit b.txt', expect.stringMatching(/^clada: before /), 'start'])
    expect(status(lib)).toBe('')
    expect(warnings).toEqual([expect.stringContaining(`${lib}: uncommitted changes (`)])
  })

  it.each<Mode>(['commit', 'shadow', 'off'])('is undone and redone in both (%s)', async (mode) => {
    const { app, lib } = two()
    await editBoth(app, lib, mode)
    const undone = await undoIn(app, mode)
    expect(undone).toMatchObject({ success: true, execution: 1 })
    expect(read(`${app}/a.txt`, `${lib}/b.txt`)).toEqual(['a\n', 'b\n'])
    const redone = await redoIn(app, mode)
    expect(redone).toMatchObject({ success: true, execution: 1 })
    expect(read(`${app}/a.txt`, `${lib}/b.txt`)).toEqual(['A\n', 'B\n'])
    const commits = ['AI: redo execution 1', 'AI: undo execution 1']
    const expected = mode === 'commit' ? [...commits, 'AI: edit b.txt', 'start'] : ['start']
    expect(log(lib)).toEqual(expected)
    if (mode === 'commit') expect([status(app), status(lib)]).toEqual(['', ''])
  })

  it('is undone in none when a file of one has changed since', async () => {
    const { app, lib } = two()
    await editBoth(app, lib)
    fs.writeFileSync(`${lib}/b.txt`, 'other\n')
    const undone = await undoIn(app, 'commit')
    expect(undone).toMatchObject({ success: false, code: 'concurrent_modification' })
    expect(read(`${app}/a.txt`, `${lib}/b.txt`)).toEqual(['A\n', 'other\n'])
    expect([log(app)[0], log(lib)[0]]).toEqual(['AI: edit a.txt', 'AI: edit b.txt'])
  })

  it('is one execution, to which the other repository points', async () => {
    const { app, lib } = two()
    await editBoth(app, lib)
    const there = `clada undo 1 --root ${app}`
    expect(clada(['history'], { cwd: lib }).stdout).toMatch(new RegExp(`^- .* execution 1 of ${app}\n$`))
    const refused = clada(['undo'], { cwd: lib })
    expect([refused.status, refused.stdout + refused.stderr]).toEqual([1, expect.stringContaining(there)])
    expect(clada(there.split(' ').slice(1), { cwd: lib }).status).toBe(0)
    expect(read(`${app}/a.txt`, `${lib}/b.txt`)).toEqual(['a\n', 'b\n'])
    expect(clada(['undo'], { cwd: lib }).stdout).not.toContain(there)
  })

  it('has nothing of it in a repository where changes are staged', async () => {
    const { app, lib } = two()
    fs.writeFileSync(`${lib}/mine.txt`, 'staged\n')
    git(lib, 'add', '.')
    const { warnings } = await editBoth(app, lib)
    expect(log(lib)).toEqual(['start'])
    expect(git(lib, 'diff', '--cached', '--name-only')).toBe('mine.txt\n')
    expect(warnings).toEqual([expect.stringContaining(`${lib}: changes are staged`)])
    expect(await undoIn(app, 'commit')).toMatchObject({ success: true })
    expect(read(`${lib}/b.txt`, `${lib}/mine.txt`)).toEqual(['b\n', 'staged\n'])
  })

  it('edits a repository below an allowed directory', async () => {
    const { app, lib } = two()
    await new Clada({ repoPath: app, allowedRoots: [path.dirname(lib)] }).execute(write(`${lib}/new/c.txt`, 'C\\n'))
    expect([log(app), log(lib)]).toEqual([['start'], ['AI: create new/c.txt', 'start']])
    expect(await undoIn(app, 'commit')).toMatchObject({ success: true })
    expect(fs.existsSync(`${lib}/new`)).toBe(false)
  })

  it('is undone in both after it was killed before its end', async () => {
    const { app, lib } = two()
    await editBoth(app, lib, 'off')
    asKilled(app)
    expect(await undoIn(app, 'commit')).toMatchObject({ success: true, execution: 1 })
    expect(read(`${app}/a.txt`, `${lib}/b.txt`)).toEqual(['a\n', 'b\n'])
  })
})
