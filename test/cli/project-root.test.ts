import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { projectAround } from '../../packages/clada/src/state/project-root.ts'
import { clada as started } from '../support/cli.ts'
import { called as clada } from '../support/in-process.ts'
import { scratchDir } from '../support/scratch.ts'

const write = '<---WRITE file="a.txt"--->\nhello\n<---END--->\n'
const report = '[task-1] SUCCESS: WRITE - a.txt\n[task-1:changes] a.txt new (+1)\n'
const said = (dir: string, root: string, mark: string): string =>
  `clada: the project is ${dir} (${root}), which has ${mark}; --root . uses only this directory.\n`

describe('the project, in a directory below it,', () => {
  it.each([
    ['.git', { '.git/HEAD': 'ref: refs/heads/main\n' }],
    ['clada.yml', { 'clada.yml': 'version: 1\n' }],
  ])('is the nearest directory above with %s, which is said once', async (mark, files) => {
    const root = scratchDir({ ...files, 'src/deep/b.txt': '' })
    expect(await clada(['--no-git'], { cwd: `${root}/src/deep`, input: write })).toEqual({
      status: 0,
      stdout: report,
      stderr: said('../..', root, mark),
    })
    expect(fs.readFileSync(`${root}/a.txt`, 'utf8')).toBe('hello')
    for (const command of [['history'], ['config', 'exec'], ['approvals']])
      expect((await clada(command, { cwd: `${root}/src` })).stderr).toBe(said('..', root, mark))
  })

  it('is not searched for where it is known which one is meant', async () => {
    const root = scratchDir({ '.git/HEAD': 'ref: x\n', 'a/x': '', 'b/clada.yml': 'version: 1\n' })
    fs.mkdirSync(`${root}/c/.git`, { recursive: true })
    fs.writeFileSync(`${root}/c/.git/HEAD`, 'ref: refs/heads/main\n')
    const run = (dir: string, ...args: string[]) =>
      clada(['--no-git', ...args], { cwd: `${root}/${dir}`, input: write })
    for (const [dir, ...args] of [['a', '--root', '.'], ['b'], ['c'], ['.']] as const) {
      expect(await run(dir, ...args)).toMatchObject({ stdout: report, stderr: '' })
      expect(fs.existsSync(path.join(root, dir, 'a.txt'))).toBe(true)
    }
    expect(await run('a', '--quiet', '--again')).toMatchObject({ stdout: '', stderr: '' })
    const { stdout, stderr } = await run('a', '--json', '--again', '--root', '.')
    expect(JSON.parse(stdout)).not.toHaveProperty('warnings')
    expect(stderr).toBe('')
  })

  it('goes by the root that the user names in a config file', async () => {
    const home = scratchDir({ 'work/.git/HEAD': 'ref: x\n', 'work/src/x': '', 'other/x': '' })
    const config = scratchDir({ 'clada/config.yml': `root: ${home}/other\n` })
    const env = { HOME: home, XDG_CONFIG_HOME: config }
    const { stdout, stderr } = await clada(['config', 'root'], { cwd: `${home}/work/src`, env })
    expect({ stdout, stderr }).toEqual({ stdout: expect.stringContaining(`${home}/other`), stderr: '' })
  })

  it('is not guessed at for a path that is missing in it and present in the working directory', async () => {
    const root = scratchDir({ 'clada.yml': 'version: 1\n', 'src/a.txt': 'old\n' })
    const run = (file: string) =>
      clada(['--no-git', '--format', 'text'], { cwd: `${root}/src`, input: write.replace('a.txt', file) })
    const refused = await run('a.txt')
    expect(refused.status).toBe(1)
    expect(refused.stdout).toContain("Write 'src/a.txt' for that file, or './a.txt' for a new one.")
    expect(fs.existsSync(`${root}/a.txt`)).toBe(false)
    expect(await run('src/a.txt')).toMatchObject({ status: 0 })
    expect(await run('./a.txt')).toMatchObject({ status: 0 })
    expect(fs.readFileSync(`${root}/a.txt`, 'utf8')).toBe('hello')
  })
})

describe('a directory above the working directory', () => {
  const modes: string[] = []
  afterEach(() => {
    for (const dir of modes.splice(0)) fs.chmodSync(dir, 0o755)
  })

  const project = (): string => scratchDir({ 'clada.yml': 'version: 1\n', 'src/deep/b.txt': '' })

  it('is not used if others can write there, which is said', async () => {
    const root = project()
    fs.chmodSync(root, 0o777)
    modes.push(root)
    const { stderr } = await clada(['--no-git'], { cwd: `${root}/src`, input: write })
    expect(stderr).toBe(
      `clada: using only this directory: .. has clada.yml, but others can write to '${path.basename(root)}'. Use --root .. if you trust that project.\n`,
    )
    expect(fs.existsSync(`${root}/src/a.txt`)).toBe(true)
  })

  it.each([
    ['its clada.yml can be written by others', 'clada.yml', 0o666],
    ['its clada.yml can be written by a group', 'clada.yml', 0o664],
  ])('is refused where %s', (_, name, mode) => {
    const root = project()
    const file = path.join(root, name)
    fs.chmodSync(file, mode)
    const own = fs.statSync(file)
    if (own.gid === own.uid && mode === 0o664) {
      // The group of the same number is the user's own.
      expect(projectAround(`${root}/src`)?.refused).toBeUndefined()
      if (own.uid !== 0) return
      fs.chownSync(file, 0, 12)
    }
    expect(projectAround(`${root}/src`)?.refused).toBe("others can write to 'clada.yml'")
  })

  it.runIf(process.getuid?.() === 0).each(['clada.yml', '.git', ''])(
    'is refused where another user owns %s',
    (name) => {
      const root = scratchDir({ 'clada.yml': 'version: 1\n', '.git/HEAD': 'ref: refs/heads/main\n', 'src/x': '' })
      fs.chownSync(path.join(root, name), 65534, 65534)
      expect(projectAround(`${root}/src`)?.refused).toMatch(/belongs to another user$/)
    },
  )

  it('is not found above a ceiling, the home directory, or in a temporary directory', () => {
    const root = project()
    const cwd = `${root}/src/deep`
    expect(projectAround(cwd, {})).toMatchObject({ root, mark: 'clada.yml' })
    expect(projectAround(cwd, { GIT_CEILING_DIRECTORIES: `/nowhere:${root}` })).toBeUndefined()
    expect(projectAround(cwd, { GIT_CEILING_DIRECTORIES: `${root}/src` })).toBeUndefined()
    expect(projectAround(cwd, { GIT_CEILING_DIRECTORIES: path.dirname(root) })).toMatchObject({ root })
    expect(projectAround(os.tmpdir(), {})).toBeUndefined()
  })

  it('is not found if it is the home directory', async () => {
    const home = scratchDir({ '.git/HEAD': 'ref: x\n', 'clada.yml': 'version: 1\n', 'project/x': '' })
    const run = await clada(['--no-git'], { cwd: `${home}/project`, input: write, env: { HOME: home } })
    expect(run).toMatchObject({ stdout: report, stderr: '' })
  })

  it('is not found because of a directory called .git that is no repository', () => {
    const root = scratchDir({ '.git/notes': '', 'src/x': '' })
    expect(projectAround(`${root}/src`)).toBeUndefined()
  })
})

describe('a name that the user types', () => {
  it('is relative to the working directory', async () => {
    const root = scratchDir({ 'clada.yml': 'version: 1\n', 'src/a.js': 'function here() {}\n', 'b.js': 'let b\n' })
    const run = (...args: string[]) => clada([...args, '--quiet'], { cwd: `${root}/src` })
    expect((await run('outline', 'a.js')).stdout).toContain('function here()')
    expect((await run('outline', '../b.js')).stdout).toContain('let b')
    expect((await run('outline', 'src/a.js', '--root', '..')).stdout).toContain('function here()')
    await run('context', 'add', 'a.js')
    expect((await clada(['context', 'list'], { cwd: root })).stdout).toContain('src/a.js')
  })
})

describe('an MCP server', () => {
  it('stays in the directory that it was started in', async () => {
    const root = scratchDir({ 'clada.yml': 'version: 1\n', 'src/a.txt': 'here\n', 'secret.txt': 'above\n' })
    const call = (id: number, file: string) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: 'file_read_numbered', arguments: { path: file } },
    })
    const hello = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    }
    const input = [
      { jsonrpc: '2.0', id: 1, method: 'initialize', params: hello },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      call(2, 'a.txt'),
      call(3, '../secret.txt'),
    ]
      .map((message) => `${JSON.stringify(message)}\n`)
      .join('')
    const { stdout } = started(['mcp'], { cwd: `${root}/src`, input })
    expect(stdout).toContain('here')
    expect(stdout).not.toContain('above')
  })
})
