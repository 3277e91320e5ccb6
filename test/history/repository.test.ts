import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { findRepository } from '../../packages/clada/src/git/find-repository.ts'
import { git as runGit, hardenedEnv } from '../../packages/clada/src/git/git-program.ts'
import { addToIndex, isUnchanged, replaceIndex } from '../../packages/clada/src/git/index-file.ts'
import { IsolatedGit } from '../../packages/clada/src/git/isolated-git.ts'
import { dropDamaged } from '../../packages/clada/src/git/objects.ts'
import {
  headOf,
  isSameHead,
  pointHead,
  releaseRefs,
  checkRefs,
  takeLockFile,
} from '../../packages/clada/src/git/repository.ts'
import { isUnsavable, filterCommittable } from '../../packages/clada/src/git/savable.ts'
import { statesBefore, takeSnapshot } from '../../packages/clada/src/git/snapshot.ts'
import { noteProgram } from '../../packages/clada/src/history/programs.ts'
import { Journal } from '../../packages/clada/src/store/journal.ts'
import type { Inspected } from '../../packages/clada/src/core/recorder.ts'
import { Clada } from '../../packages/clada/src/index.ts'
import { fillState, scratchDir } from '../support/scratch.ts'
import { workspaceIn } from '../workspace/disk.ts'
import { git, repository } from './world.ts'

const settings = { git: 'commit', author: null, lockFile: null, lockMs: 0 } as const

describe('a file is saved by a commit', () => {
  const megabytes = (count: number) => (file: string) => {
    fs.writeFileSync(file, '')
    fs.truncateSync(file, count * 1024 * 1024)
  }
  const text = (file: string): void => fs.writeFileSync(file, 'a')
  for (const [what, name, make, expected] of [
    ['that is there', 'a', text, { changed: true, untracked: true }],
    ['that is gone', 'a', () => {}, { changed: true, untracked: true }],
    ['that is a link', 'a', (file) => fs.symlinkSync('nowhere', file), { changed: true, untracked: true }],
    ['of 10 MB', 'a', megabytes(10), { changed: true, untracked: true }],
    ['that is larger and tracked', 'a', megabytes(11), { changed: true, untracked: false }],
    ['that is a directory now', 'a', (file) => fs.mkdirSync(file), { changed: true, untracked: true }],
    [
      'that is a repository now',
      'a',
      (file) => git(path.dirname(file), 'init', '-q', file),
      { changed: false, untracked: false },
    ],
    ['that is a pipe', 'a', (file) => execFileSync('mkfifo', [file]), { changed: false, untracked: false }],
    ['that is blocked', 'secret', text, { changed: false, untracked: false }],
    [
      'that has another second name',
      'a',
      (file) => fs.linkSync(path.join(path.dirname(file), 'b'), file),
      { changed: true, untracked: true },
    ],
    ['outside the project', '../a', text, { changed: false, untracked: false }],
    ['of clada', '.clada/a', () => {}, { changed: false, untracked: false }],
  ] as const satisfies readonly (readonly [string, string, (file: string) => void, object])[])
    it(`${what}: ${JSON.stringify(expected)}`, () => {
      const top = scratchDir({ 'root/secret': 's', 'root/b': 'b' })
      const root = path.join(top, 'root')
      make(path.join(root, name))
      const place = { top: root, root, isBlocked: (relative: string) => relative === 'secret' }
      expect({
        changed: filterCommittable({ changed: [name], untracked: [] }, place).length === 1,
        untracked: filterCommittable({ changed: [], untracked: [name] }, place).length === 1,
      }).toEqual(expected)
      expect(isUnsavable(name, place.isBlocked)).toBe(['secret', '.clada/a'].includes(name))
    })
})

it('an index is unchanged while it is the same file, of the same size and time', () => {
  const dir = scratchDir({ index: 'abc', other: 'abc' })
  const file = path.join(dir, 'index')
  const same = (): void => fs.utimesSync(file, 1, 1)
  same()
  const { ino, size, mtimeMs } = fs.statSync(file)
  const seen = { ino, size, mtimeMs }
  expect(isUnchanged(file, seen)).toBe(true)
  fs.writeFileSync(file, 'abcd')
  same()
  expect(isUnchanged(file, seen)).toBe(false)
  fs.writeFileSync(file, 'abd')
  expect(isUnchanged(file, seen)).toBe(false)
  fs.renameSync(path.join(dir, 'other'), file)
  same()
  expect(isUnchanged(file, seen)).toBe(false)
  expect([isUnchanged(path.join(dir, 'none'), undefined), isUnchanged(file, undefined)]).toEqual([true, false])
})

it('a new index is on the disk with its name when it is there', async () => {
  const top = scratchDir({ '.git/index': 'old', new: 'new' })
  const gitDir = path.join(top, '.git')
  const index = path.join(gitDir, 'index')
  /** What a power failure after each sync would leave. */
  const seen: string[] = []
  const sync = vi.spyOn(fs, 'fsync').mockImplementation((_, done) => {
    seen.push(fs.readFileSync(index, 'utf8'))
    done(null)
  })
  onTestFinished(() => sync.mockRestore())
  await replaceIndex({ top, gitDir, commonDir: gitDir }, { copy: path.join(top, 'new'), commit: 'c' })
  expect([seen.at(-1), fs.readdirSync(gitDir)]).toEqual(['new', ['index']])
})

it('a lock that cannot be made by a link is made otherwise, and a reference below another one is refused', async () => {
  const top = scratchDir({ '.git/refs/heads/a': '' })
  const gitDir = path.join(top, '.git')
  expect(await takeLockFile(path.join(top, 'none'), path.join(top, 'lock'))).toBe('cannot link')
  const found = { top, gitDir, commonDir: gitDir }
  await expect(checkRefs(found, ['refs/heads/a/b/c'])).rejects.toMatchObject({
    problem: { kind: 'git', reason: expect.stringContaining('it is not a directory') },
  })
  await checkRefs(found, ['refs/heads/b/c'])
})

it('a HEAD is the same with the same commit and the same branch', () => {
  const head = (commit?: string, branch?: string) => ({ commit, branch })
  for (const [one, other, same] of [
    [head('a', 'm'), head('a', 'm'), true],
    [head('a', 'm'), head('b', 'm'), false],
    [head('a', 'm'), head('a', 'n'), false],
    [head('a'), head('a'), true],
  ] as const)
    expect(isSameHead(one, other)).toBe(same)
})

it('locks of references that a killed run left are removed, and no others', async () => {
  const commit = 'a'.repeat(40)
  const top = scratchDir({
    '.git/HEAD': 'ref: refs/heads/main\n',
    '.git/refs/heads/main': `${'b'.repeat(40)}\n`,
    [`.git/clada-moves-to-${commit}`]: '',
    '.git/refs/heads/main.lock': `${commit}\n`,
    '.git/refs/heads/other.lock': `${commit}\n`,
    '.git/HEAD.lock': 'ref: refs/heads/x\n',
    '.git/refs/clada/checkpoints.lock': `${'c'.repeat(40)}\n`,
  })
  const gitDir = path.join(top, '.git')
  await releaseRefs({ top, gitDir, commonDir: gitDir })
  const left = fs.readdirSync(gitDir, { recursive: true, encoding: 'utf8' })
  expect(left.filter((name) => /\.lock$|moves-to/.test(name)).sort()).toEqual([
    'refs/clada/checkpoints.lock',
    'refs/heads/other.lock',
  ])
})

it('a HEAD that is pointed to a branch is noted in its log, where there is one', async () => {
  const top = repository({ a: 'a' })
  const found = await findRepository(top)
  if (found === undefined) throw new Error('no repository')
  const { commit = '' } = await headOf(found)
  const log = path.join(top, '.git/logs/HEAD')
  await pointHead(found, { commit, branch: 'refs/heads/main' }, 'clada: test')
  expect(fs.readFileSync(log, 'utf8')).toMatch(/\tclada: test\n$/)
  fs.rmSync(log)
  await pointHead(found, { commit, branch: 'refs/heads/main' }, 'clada: test')
  expect(fs.existsSync(log)).toBe(false)
})

it('git runs with the home of the user, and its first lines say why it failed', async () => {
  expect(hardenedEnv()['HOME']).toBe(os.homedir())
  await expect(runGit({ cwd: '/', env: {}, args: ['no-such-command'] })).rejects.toMatchObject({
    problem: { kind: 'git', reason: expect.stringMatching(/^git no-such-command: git: 'no-such-command' is not/) },
  })
})

it('a file whose directory is a link now leaves the index, whatever is at the end of the link', async () => {
  const top = repository({ 'd/a': 'a', 'e/a': 'e' })
  fs.rmSync(path.join(top, 'd'), { recursive: true })
  fs.symlinkSync('e', path.join(top, 'd'))
  const found = await findRepository(top)
  if (found === undefined) throw new Error('no repository')
  const isolated = IsolatedGit.open(found, await headOf(found), path.join(scratchDir(), 'isolated'))
  onTestFinished(() => isolated.close())
  await addToIndex(isolated, ['d', 'd/a'], { GIT_INDEX_FILE: path.join(top, '.git/index') })
  expect(git(top, 'ls-files')).toBe('d\ne/a\n')
})

it('an object that is damaged is removed, so that it is written again; a whole one stays', async () => {
  const top = repository({ a: 'a' })
  const found = await findRepository(top)
  if (found === undefined) throw new Error('no repository')
  const isolated = IsolatedGit.open(found, await headOf(found), path.join(top, 'isolated'))
  onTestFinished(() => isolated.close())
  fs.writeFileSync(path.join(top, 'text'), 'text')
  const id = git(top, 'hash-object', '-w', 'text').trim()
  const file = path.join(top, '.git/objects', id.slice(0, 2), id.slice(2))
  expect([dropDamaged(isolated, id), fs.existsSync(file)]).toEqual([false, true])
  const [other = ''] = git(top, 'rev-parse', 'HEAD:a').split('\n')
  fs.rmSync(file)
  fs.copyFileSync(path.join(top, '.git/objects', other.slice(0, 2), other.slice(2)), file)
  expect([dropDamaged(isolated, id), fs.existsSync(file)]).toEqual([true, false])
  expect(dropDamaged(isolated, id)).toBe(false)
})

/** A project before a program, which git can look at. */
async function saved(files: Readonly<Record<string, string>>, isBlocked: (relative: string) => boolean = () => false) {
  const top = repository(files)
  const dir = path.join(scratchDir(), 'git')
  const place = { root: top, stateDir: scratchDir(), settings, isBlocked, files: workspaceIn(top) }
  return { top, dir, snapshot: () => takeSnapshot({ ...place, dir }) }
}

it('what a program changed is recorded with what was there, and what cannot be undone is named', async () => {
  const names = ['changed.txt', 'moded.txt', 'secret.txt']
  const { top, snapshot: take } = await saved(
    { 'changed.txt': 'old\n', 'moded.txt': 'old\n' },
    (relative) => relative === 'secret.txt',
  )
  const at = (name: string): string => path.join(top, name)
  fs.writeFileSync(at('secret.txt'), 's')
  const snapshot = await take()
  const history = path.join(fillState(top, { 'history/last': '' }), 'history')
  const journal = new Journal(history, 1, top, {})
  const seen = {
    created: [],
    modes: new Map([[at('moded.txt'), 0o600]]),
    madeDirs: [at('made')],
    goneDirs: new Map([[at('gone'), 0o700]]),
  }
  const note = () => noteProgram(names.map(at), seen, { root: top, action: 3, journal, snapshot })
  const { warnings } = await note()
  expect(warnings).toEqual([expect.stringMatching(/^clada undo cannot revert what action 3 did to secret\.txt: /)])
  const paths = journal.finish((absolute): Inspected => {
    if (path.extname(absolute) === '.txt') return { type: 'file', mode: 0o640, bytes: Buffer.from('new\n') }
    return { type: absolute.endsWith('made') ? 'directory' : 'absent' }
  })
  expect(paths).toMatchObject([
    { path: 'changed.txt', before: { type: 'file', mode: 0o640 }, after: { type: 'file', mode: 0o640 } },
    { path: 'gone', before: { type: 'directory', mode: 0o700 }, after: { type: 'absent' } },
    { path: 'made', before: { type: 'absent' }, after: { type: 'directory' } },
    { path: 'moded.txt', before: { type: 'file', mode: 0o600 }, after: { type: 'file', mode: 0o640 } },
  ])
  snapshot.isolated.close()
  // A git that fails costs the undo of what the program changed, and nothing else.
  const second = await note()
  expect([second.states.size, second.warnings[0]]).toEqual([0, expect.stringContaining(`to ${names.join(', ')}: `)])
  journal.close()
})

it('what was there before a program is known, of files that git tracks, sees and ignores', async () => {
  const { top, snapshot: take } = await saved({ 'tracked.txt': 'one\n', 'same.txt': 'same\n', '.gitignore': '*.log\n' })
  fs.writeFileSync(path.join(top, 'tracked.txt'), 'two\n')
  fs.writeFileSync(path.join(top, 'new.txt'), 'new\n')
  fs.writeFileSync(path.join(top, 'a.log'), 'log\n')
  const snapshot = await take()
  onTestFinished(() => snapshot.isolated.close())
  const before = async (...names: string[]): Promise<object> => {
    const states = await statesBefore(
      snapshot,
      names.map((name) => path.join(top, name)),
    )
    return Object.fromEntries(
      [...states].map(([absolute, { state, ignored }]) => [
        path.relative(top, absolute),
        `${state.type === 'file' ? String(state.bytes) : state.type}${ignored ? ' ignored' : ''}`,
      ]),
    )
  }
  expect(await before('tracked.txt', 'same.txt', 'new.txt', 'a.log', 'b.log', 'made.txt')).toEqual({
    'tracked.txt': 'two\n',
    'same.txt': 'same\n',
    'new.txt': 'new\n',
    'a.log': 'log\n ignored',
    'b.log': 'absent ignored',
    'made.txt': 'absent',
  })
  // A program that changed the rules: the log is not ignored any more, and its content is known all the same.
  fs.writeFileSync(path.join(top, '.gitignore'), '')
  expect(await before('.gitignore', 'a.log')).toEqual({ '.gitignore': '*.log\n', 'a.log': 'log\n' })
})

it('git that fails before a program leaves nothing of its own', async () => {
  const { top, snapshot, dir } = await saved({ a: 'a' })
  fs.writeFileSync(path.join(top, '.git/index'), 'damaged')
  await expect(snapshot()).rejects.toMatchObject({ problem: { kind: 'git' } })
  expect(fs.existsSync(dir)).toBe(false)
})

it('back from a detached HEAD leads forward to the same commit, also after another checkout', async () => {
  const root = repository({ a: 'a' })
  git(root, 'commit', '-q', '--allow-empty', '-m', 'second')
  const clada = new Clada({ repoPath: root })
  git(root, 'checkout', '-q', '--detach')
  const tip = git(root, 'rev-parse', 'HEAD').trim()
  expect(await clada.back()).toMatchObject({ success: true })
  git(root, 'checkout', '-q', 'main')
  expect((await clada.forward()).reason).toContain(`git checkout ${tip.slice(0, 8)} and clada forward`)
  git(root, 'checkout', '-q', '--detach', tip)
  expect(await clada.forward()).toEqual({ success: true, commit: tip })
})
