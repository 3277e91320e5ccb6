import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { Clada } from '../../packages/clada/src/index.ts'
import { lacks } from '../support/needs.ts'
import { fill, scratchDir } from '../support/scratch.ts'
import { git, repository, treeOf } from './world.ts'

const files = { 'a.txt': 'one\n', 'b.txt': 'b\n' }
const edit = { path: 'a.txt', old_text: 'one', new_text: 'ONE' }
const subjects = (root: string): string[] => git(root, 'log', '--format=%s').trim().split('\n')

describe('an undo that drops commits', () => {
  const open = (root: string) => new Clada({ repoPath: root, undoCommits: 'drop' })

  it('leaves branch and files as they were before the execution, and redo brings both back', async () => {
    const root = repository(files)
    fill(root, { 'b.txt': 'mine\n', 'c.txt': 'new\n' })
    const before = treeOf(root)
    await open(root).perform('file_replace_text', edit)
    const after = treeOf(root)
    const commits = subjects(root)
    expect(commits).toEqual(['AI: edit a.txt', expect.stringMatching(/^clada: before /), 'first'])
    const tip = git(root, 'rev-parse', 'HEAD')
    expect(await open(root).undo()).toMatchObject({
      success: true,
      warnings: [expect.stringMatching(/^its two commits are off the branch; main is at \w{8} again$/)],
    })
    expect(subjects(root)).toEqual(['first'])
    expect(treeOf(root)).toEqual(before)
    expect(git(root, 'status', '--porcelain')).toBe(' M b.txt\n?? c.txt\n')
    expect(await open(root).redo()).toMatchObject({ success: true })
    expect(treeOf(root)).toEqual(after)
    expect(git(root, 'rev-parse', 'HEAD')).toBe(tip)
    expect(git(root, 'status', '--porcelain')).toBe('')
  })

  it('leaves work that was not committed as it was, also in the file that was edited', async () => {
    const root = repository(files)
    fill(root, { 'a.txt': 'one\nmine\n' })
    await open(root).perform('file_replace_text', edit)
    expect(await open(root).undo()).toMatchObject({ success: true })
    expect(subjects(root)).toEqual(['first'])
    expect(git(root, 'diff', '--unified=0')).toContain('+mine\n')
  })

  it.each<[string, (root: string) => void]>([
    ['a commit came after them', (root) => void git(root, 'commit', '-q', '--allow-empty', '-m', 'mine')],
    ['another branch has them', (root) => void git(root, 'branch', 'other')],
    ['they are pushed', (root) => void git(root, 'update-ref', 'refs/remotes/origin/main', 'HEAD')],
    [
      'something is staged',
      (root) => {
        fs.writeFileSync(path.join(root, 'b.txt'), 'mine\n')
        git(root, 'add', 'b.txt')
      },
    ],
  ])('keeps them if %s', async (_, change) => {
    const root = repository(files)
    await open(root).perform('file_replace_text', edit)
    change(root)
    expect(await open(root).undo()).toMatchObject({ success: true })
    expect(subjects(root)).toContain('AI: edit a.txt')
    expect(fs.readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('one\n')
  })
})

it('puts trailers at the end of messages, where clada still finds its commits', async () => {
  const root = repository(files)
  const clada = new Clada({
    repoPath: root,
    commitTrailers: ['Assisted-by: a model'],
    commitMessageFormat: 'chore: {operation_summary}',
  })
  await clada.perform('file_replace_text', edit)
  await clada.perform('file_write', { path: 'b.txt', content: 'c\n' })
  expect(git(root, 'log', '-1', '--format=%(trailers:only)').trim()).toBe('Assisted-by: a model\nClada-Execution: 2')
  expect(await clada.squash({ dryRun: true })).toMatchObject({ runs: [{ commits: [{}, {}] }] })
  const wrong = new Clada({ repoPath: root, commitTrailers: ['Clada-Execution: 9'] })
  expect((await wrong.perform('file_write', { path: 'b.txt', content: 'd\n' })).fatalError).toContain(
    'A trailer of a commit',
  )
})

describe.skipIf(lacks('ssh-keygen'))('commits are signed', () => {
  const { HOME, XDG_CONFIG_HOME, GIT_CONFIG_GLOBAL } = process.env
  afterEach(() => {
    process.env['HOME'] = HOME
    if (XDG_CONFIG_HOME === undefined) delete process.env['XDG_CONFIG_HOME']
    else process.env['XDG_CONFIG_HOME'] = XDG_CONFIG_HOME
    if (GIT_CONFIG_GLOBAL === undefined) delete process.env['GIT_CONFIG_GLOBAL']
    else process.env['GIT_CONFIG_GLOBAL'] = GIT_CONFIG_GLOBAL
  })

  it('when the user’s own configuration asks for it, never because a repository does', async () => {
    const home = scratchDir()
    const key = path.join(home, 'key')
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key])
    const signing = `[commit]\n\tgpgSign = true\n[gpg]\n\tformat = ssh\n[user]\n\tsigningkey = ${key}.pub\n`
    const isSigned = (root: string): boolean => git(root, 'cat-file', 'commit', 'HEAD').includes('\ngpgsig ')
    const root = repository(files)
    fs.appendFileSync(path.join(root, '.git/config'), signing)
    process.env['HOME'] = home
    process.env['XDG_CONFIG_HOME'] = path.join(home, '.config')
    const clada = new Clada({ repoPath: root })
    expect(await clada.perform('file_replace_text', edit)).toMatchObject({ success: true })
    expect(isSigned(root)).toBe(false)
    fs.writeFileSync(path.join(home, '.gitconfig'), signing)
    fill(root, { 'c.txt': 'mine\n' })
    expect(await clada.perform('file_write', { path: 'b.txt', content: 'c\n' })).toMatchObject({ success: true })
    expect(isSigned(root)).toBe(true)
    fs.writeFileSync(path.join(home, 'signers'), `* ${fs.readFileSync(`${key}.pub`, 'utf8')}`)
    const checked = git(root, '-c', `gpg.ssh.allowedSignersFile=${home}/signers`, 'log', '-3', '--format=%G? %s')
    expect(checked.replace(/before .*/, 'before')).toBe('G AI: edit b.txt\nG clada: before\nN AI: edit a.txt\n')
    expect(await clada.undo()).toMatchObject({ success: true })
    expect(isSigned(root)).toBe(true)
    git(root, 'tag', 'here')
    git(
      root,
      'commit',
      '-q',
      '--allow-empty',
      '-m',
      'of a person',
      '--author=Zoë <zoe@example.com>',
      '--date=@1700000000 +0530',
    )
    expect(await clada.perform('file_write', { path: 'b.txt', content: 'd\n' })).toMatchObject({ success: true })
    const squashed = await clada.squash({ containing: '' })
    expect(squashed).toMatchObject({ success: true })
    expect(squashed.warnings).toBeUndefined()
    const format = '--format=%G? %an <%ae> %ad'
    const now = git(root, '-c', `gpg.ssh.allowedSignersFile=${home}/signers`, 'log', '-1', '--date=raw', format)
    expect(now).toBe('G Zoë <zoe@example.com> 1700000000 +0530\n')
  })

  it('as the file asks for it that the user’s environment names, instead of the usual ones', async () => {
    const home = scratchDir()
    const key = path.join(home, 'key')
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key])
    const signing = `[commit]\n\tgpgSign = true\n[gpg]\n\tformat = ssh\n[user]\n\tsigningkey = ${key}.pub\n`
    process.env['HOME'] = home
    process.env['XDG_CONFIG_HOME'] = path.join(home, '.config')
    /** Whether a commit is signed with each of these as the named file. */
    const isSigned = async (root: string, named: string): Promise<boolean> => {
      process.env['GIT_CONFIG_GLOBAL'] = named
      const clada = new Clada({ repoPath: root })
      expect(await clada.perform('file_replace_text', edit)).toMatchObject({ success: true })
      return git(root, 'cat-file', 'commit', 'HEAD').includes('\ngpgsig ')
    }
    const named = path.join(home, 'own-config')
    fs.writeFileSync(named, signing)
    expect(await isSigned(repository(files), named)).toBe(true)
    // A file of the project may come from a reply.
    const root = repository({ ...files, gitconfig: signing })
    expect(await isSigned(root, path.join(root, 'gitconfig'))).toBe(false)
    fs.writeFileSync(path.join(home, '.gitconfig'), signing)
    expect(await isSigned(repository(files), '/dev/null')).toBe(false)
    expect(await isSigned(repository(files), '')).toBe(false)
  })

  it.each(['a link to', 'an include of', 'a conditional include of'] as const)(
    'by no program that a reply can name, where the configuration is %s a file of the project',
    async (how) => {
      const [home, root] = [scratchDir(), repository({ ...files, gitconfig: '' })]
      process.env['HOME'] = home
      process.env['XDG_CONFIG_HOME'] = path.join(home, '.config')
      const [own, proof] = [path.join(home, '.gitconfig'), path.join(home, 'ran')]
      const section = how === 'an include of' ? 'include' : 'includeIf "gitdir:/**"'
      if (how === 'a link to') fs.symlinkSync(path.join(root, 'gitconfig'), own)
      else fs.writeFileSync(own, `[${section}]\n\tpath = ${root}/gitconfig\n`)
      const signing = '[commit]\n\tgpgSign\n[gpg]\n\tformat = ssh\n[gpg "ssh"]\n'
      const content = `${signing}\tdefaultKeyCommand = touch ${proof}\n`
      const clada = new Clada({ repoPath: root })
      for (const name of ['gitconfig', 'b.txt'])
        expect(await clada.perform('file_write', { path: name, content })).toMatchObject({ success: true })
      expect(fs.existsSync(proof)).toBe(false)
      expect(git(root, 'cat-file', 'commit', 'HEAD')).not.toContain('\ngpgsig ')
    },
  )
})
