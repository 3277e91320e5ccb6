import fs from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Clada } from '../../packages/clada/src/index.ts'
import { Fixture } from '../attacks/fixture.ts'

/** The other side of the attacks: what a model needs to see of a repository, it sees as git itself would show it. */
const fixture = new Fixture()
beforeAll(() => fixture.open())
afterAll(() => fixture.close())

async function git(command: string, dir?: string): Promise<{ output: string; code?: string }> {
  const params: Record<string, string> = dir === undefined ? { command } : { command, dir }
  const { results } = await new Clada({ repoPath: fixture.project, gitCommit: false }).perform('run', params)
  const [result] = results
  const output = (result?.data as { output?: string } | undefined)?.output ?? ''
  return result?.code === undefined ? { output } : { output, code: result.code }
}

describe('git, looked at', () => {
  const same = [
    'status',
    'status -s',
    'status --porcelain=v2 -b',
    'log --oneline',
    'log -1 --format=%h',
    'log --graph --oneline --all',
    'diff --stat',
    'diff src/a.txt',
    'diff HEAD~1 --name-only',
    'diff HEAD~1..HEAD',
    'diff HEAD~1 HEAD -- src',
    'diff --cached',
    'show --stat',
    'show HEAD~1 -- src/b.txt',
    'show -s --format=%s main',
    'branch',
    'branch -a -v',
    'branch --show-current',
    'branch --list feat*',
    'stash list',
    'stash show --stat',
    'ls-files src',
    'ls-files -o --exclude-standard src',
    'log -p -- src/b.txt',
  ]
  for (const args of same) {
    it(`git ${args}`, async () => {
      const quoted = args.replace('feat*', "'feat*'")
      expect(await git(`git ${quoted}`)).toEqual({ output: expect.any(String) })
      expect((await git(`git ${quoted}`)).output.trim()).toBe(fixture.git(...args.split(' ')))
    })
  }

  it('from a directory below', async () => {
    expect((await git('git status -s .', 'src')).output).toBe(' M a.txt\n?? u.txt\n')
  })

  it('leaves the content of closed files out, and only that', async () => {
    const { output } = await git('git show HEAD~1')
    expect(output).toContain('nested/k.txt')
    expect(output).not.toContain('CANARY')
    expect((await git('git show --stat HEAD~1')).output).toContain('src/a.txt')
  })

  it.each([
    ['a whole path', '{P}/nested'],
    ['a whole path with a star', '{P}/n*ed/*.txt'],
    ['a name with brackets', 'nested/k.t[x]t', 'k.t[x]t'],
  ])('leaves out what is closed by %s', async (_, pattern, file = 'k.txt') => {
    fs.writeFileSync(path.join(fixture.project, 'nested', file), `HIDDEN in ${file}\n`)
    fixture.git('add', '-N', 'nested')
    const deniedPatterns = [pattern.replace('{P}', fixture.project)]
    const clada = new Clada({ repoPath: fixture.project, gitCommit: false, deniedPatterns })
    for (const command of ['git diff', 'git diff HEAD', 'git log -p', 'git show HEAD~1', 'git diff -- nested']) {
      const { results } = await clada.perform('run', { command })
      expect(JSON.stringify(results), command).not.toContain(`HIDDEN in ${file}`)
    }
    expect(JSON.stringify(await clada.perform('run', { command: 'git diff' }))).toContain('src/a.txt')
  })

  it('leaves the history of further names of blocked files out', async () => {
    const { project } = fixture
    fs.writeFileSync(path.join(project, '.env.linked'), 'HARD_LINKED=1\n')
    fs.linkSync(path.join(project, '.env.linked'), path.join(project, 'src/settings.txt'))
    fs.writeFileSync(path.join(project, 'src/values [1].txt'), 'SYMBOLIC=1\n')
    fs.symlinkSync('src/values [1].txt', path.join(project, '.env.values'))
    fixture.git('add', '--', 'src/settings.txt', 'src/values [1].txt')
    fixture.git('commit', '-qm', 'further names')
    fs.appendFileSync(path.join(project, 'src/settings.txt'), 'HARD_LINKED=2\n')
    const commands = [
      'git show',
      'git log -p',
      'git log -p -- src',
      'git diff',
      'git diff HEAD~1',
      'git diff HEAD~1 HEAD',
    ]
    for (const command of commands) {
      const { output, code } = await git(command)
      expect(code, command).toBeUndefined()
      expect(output, command).not.toMatch(/HARD_LINKED|SYMBOLIC/)
    }
    for (const file of ['src/settings.txt', '"src/values [1].txt"'])
      expect((await git(`git blame ${file}`)).code).toBe('path_denied')
  })

  it('says what git says of a name that is none', async () => {
    expect(await git('git show nowhere')).toMatchObject({
      code: 'exec_failed',
      output: expect.stringContaining('nowhere'),
    })
  })
})
