import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { clada as startedClada } from '../support/cli.ts'
import { scratchDir } from '../support/scratch.ts'
import { documentOf, git, repository } from './world.ts'

const nobody = '65534:65534'
const write = (root: string) => documentOf(root, [['file_write', { path: 'new.txt', content: 'n\n' }]])
const run = (root: string, command: string) => documentOf(root, [['run', { command }]])

/** The command line of a user whose own git config is this. */
function userOf(
  config = '',
): (root: string, args: readonly string[], input?: string) => { status: number | null; out: string } {
  const home = scratchDir({ '.gitconfig': config })
  return (root, args, input = '') => {
    const env = { HOME: home, XDG_CONFIG_HOME: path.join(home, '.config') }
    const { status, stdout, stderr } = startedClada(args, { cwd: root, input, env })
    return { status, out: stdout + stderr }
  }
}

function given(...names: string[]): string {
  const root = repository({ 'a.txt': 'a\n' })
  for (const name of names) execFileSync('chown', ['-R', nobody, path.join(root, name)])
  return root
}

const refused = /belongs to another user \(dubious ownership\)/

describe.skipIf(process.getuid?.() !== 0)('a repository of another user', () => {
  for (const [what, names] of [
    ['all of it', ['.']],
    ['its git directory', ['.git']],
  ] as const)
    it(`is refused as git refuses it: ${what}`, () => {
      const root = given(...names)
      const user = userOf()
      const before = git(root, '-c', 'safe.directory=*', 'for-each-ref')
      for (const mode of ['commit', 'shadow']) {
        const { status, out } = user(root, ['run', '--git', mode], write(root))
        expect(status, out).toBe(1)
        expect(out).toMatch(refused)
        expect(out).toContain(`git config --global --add safe.directory ${root}`)
        expect(out).toContain('--no-git')
        expect(fs.existsSync(path.join(root, 'new.txt'))).toBe(false)
      }
      expect(user(root, ['back']).out).toMatch(refused)
      expect(user(root, ['squash', '--auto']).out).toMatch(refused)
      expect(git(root, '-c', 'safe.directory=*', 'for-each-ref')).toBe(before)
    })

  it('is refused where only the directory belongs to somebody else', () => {
    const root = given()
    fs.chownSync(root, 65_534, 65_534)
    expect(userOf()(root, ['run'], write(root)).out).toMatch(refused)
  })

  it('is not shown to a model, and no approved command works on it', () => {
    const root = given('.')
    const user = userOf()
    for (const command of ['git log', 'git status', 'git diff'])
      expect(user(root, ['run'], run(root, command)).out, command).toMatch(refused)
    for (const command of ['git commit --allow-empty -m x', 'git add a.txt'])
      expect(user(root, ['run', '--approve', command], run(root, command)).out, command).toMatch(refused)
  })

  it('is named by doctor, with what to do', () => {
    const root = given('.')
    const { out } = userOf()(root, ['doctor'])
    expect(out).toMatch(refused)
    expect(out).toContain(`git config --global --add safe.directory ${root}`)
  })

  it('is worked in without git', () => {
    const root = given('.')
    const user = userOf()
    expect(user(root, ['run', '--no-git'], write(root))).toMatchObject({ status: 0 })
    expect(user(root, ['undo', '--no-git'])).toMatchObject({ status: 0 })
    expect(user(root, ['run'], documentOf(root, [['file_read', { path: 'a.txt' }]]))).toMatchObject({ status: 0 })
  })

  it.each([
    ['its path', (root: string) => root, true],
    ['all', () => '*', true],
    ['another path', (root: string) => `${root}-other`, false],
    ['a directory above', (root: string) => path.dirname(root), false],
  ])('is used when the user’s config says so: %s', (_, value, isUsed) => {
    const root = given('.')
    const { status, out } = userOf(`[safe]\n\tdirectory = ${value(root)}\n`)(root, ['run'], write(root))
    expect(status, out).toBe(isUsed ? 0 : 1)
    if (isUsed) expect(git(root, '-c', 'safe.directory=*', 'log', '-1', '--format=%s')).toMatch(/^AI: /)
    else expect(out).toMatch(refused)
  })

  it('is refused when an empty value of the user’s config takes back what was before it', () => {
    const root = given('.')
    const user = userOf(`[safe]\n\tdirectory = *\n\tdirectory =\n`)
    expect(user(root, ['run'], write(root)).out).toMatch(refused)
    const later = userOf(`[safe]\n\tdirectory =\n\tdirectory = ${root}\n`)
    expect(later(root, ['run'], write(root))).toMatchObject({ status: 0 })
  })

  it('cannot allow itself', () => {
    const root = given()
    fs.appendFileSync(path.join(root, '.git/config'), '[safe]\n\tdirectory = *\n')
    execFileSync('chown', ['-R', nobody, root])
    expect(userOf()(root, ['run'], write(root)).out).toMatch(refused)
  })

  it('is refused around the project too, and as a worktree', () => {
    const root = given()
    fs.mkdirSync(path.join(root, 'sub'))
    execFileSync('chown', ['-R', nobody, path.join(root, '.git')])
    expect(
      userOf()(path.join(root, 'sub'), ['run', '--root', path.join(root, 'sub')], write(path.join(root, 'sub'))).out,
    ).toMatch(refused)
    const main = given()
    const tree = path.join(scratchDir(), 'tree')
    git(main, 'worktree', 'add', '-q', tree)
    execFileSync('chown', ['-R', nobody, path.join(main, '.git/worktrees/tree')])
    expect(userOf()(tree, ['run', '--root', tree], write(tree)).out).toMatch(refused)
  })

  it('is used by sudo for the user who called it', () => {
    const root = given('.')
    const home = scratchDir()
    const env = { HOME: home, SUDO_UID: '65534' }
    expect(startedClada(['run'], { cwd: root, input: write(root), env })).toMatchObject({ status: 0 })
  })
})
