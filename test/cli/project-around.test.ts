import { describe, expect, it } from 'vitest'
import { called as clada } from '../support/in-process.ts'
import { scratchDir } from '../support/scratch.ts'

const write = '<---WRITE file="a.txt"--->\nhello\n<---END--->\n'
const report = '[task-1] SUCCESS: WRITE - a.txt\n[task-1:changes] a.txt new (+1)\n'
const said = (around: string, mark: string): string =>
  `clada: using only this directory; it is inside the project ${around} (which has ${mark}). Use --root ${around} for that project, or clada init here to make this a project of its own.\n`

describe('a directory inside of a project', () => {
  it.each([
    ['.git', { '.git/HEAD': 'ref: refs/heads/main\n' }],
    ['.git', { '.git': 'gitdir: elsewhere\n' }],
    ['.clada', { '.clada/context.json': '[]' }],
    ['clada.yml', { 'clada.yml': 'version: 1\n' }],
  ])('is told apart where the one around has %s', async (mark, files) => {
    const root = scratchDir({ ...files, 'src/deep/b.txt': '' })
    expect(await clada(['--no-git'], { cwd: `${root}/src`, input: write })).toEqual({
      status: 0,
      stdout: report,
      stderr: said('..', mark),
    })
    // What was made by accident says nothing about what is meant.
    expect((await clada(['history'], { cwd: `${root}/src` })).stderr).toBe(said('..', mark))
    // The nearest counts, and that is now the one in between.
    expect((await clada(['config', 'exec'], { cwd: `${root}/src/deep` })).stderr).toBe(said('..', '.clada'))
  })

  it('says nothing in a report, nor where it is known which one is meant', async () => {
    const root = scratchDir({ '.git/HEAD': '', 'a/x': '', 'b/clada.yml': 'version: 1\n', 'c/.git/HEAD': '' })
    const run = (dir: string, ...args: string[]) =>
      clada(['--no-git', ...args], { cwd: `${root}/${dir}`, input: write })
    expect(await run('a', '--root', '.')).toMatchObject({ stdout: report, stderr: '' })
    expect(await run('a', '--quiet')).toMatchObject({ stdout: '', stderr: '' })
    expect(await run('b')).toMatchObject({ stdout: report, stderr: '' })
    expect(await run('c')).toMatchObject({ stdout: report, stderr: '' })
    expect(await run('.')).toMatchObject({ stdout: report, stderr: '' })
    const { stdout, stderr } = await run('a', '--json', '--again')
    expect(JSON.parse(stdout)).not.toHaveProperty('warnings')
    expect(stderr).toBe(said('..', '.git'))
  })

  it('goes by the root that the user names in a config file', async () => {
    const home = scratchDir({ 'work/.git/HEAD': '', 'work/src/x': '' })
    const config = scratchDir({ 'clada/config.yml': `root: ${home}/work\n` })
    const env = { HOME: home, XDG_CONFIG_HOME: config }
    expect(await clada(['config', 'root'], { cwd: `${home}/work/src`, env })).toMatchObject({ stderr: '' })
  })

  it('does not take the home directory for one', async () => {
    const home = scratchDir({ '.git/HEAD': '', '.clada/x': '', 'project/x': '' })
    const run = await clada(['--no-git'], { cwd: `${home}/project`, input: write, env: { HOME: home } })
    expect(run).toMatchObject({ stdout: report, stderr: '' })
  })
})
