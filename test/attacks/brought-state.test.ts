import fs from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { Clada } from '../../src/index.ts'
import { adoptState } from '../../src/state/vouched.ts'
import { git, repository } from '../history/world.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'

/** A repository may bring a `.clada` along, whatever its .gitignore says: what lies in there is no word of ours. */
const carryOut = (root: string) =>
  new Clada({ repoPath: root, git: 'commit' }).perform('file_write', { path: path.join(root, 'b.txt'), content: 'b\n' })

it('removes nothing behind a link in the place of an execution', async () => {
  const outside = scratchDir({ 'room/keep.txt': 'mine\n', journal: 'mine\n' })
  const root = repository({ 'a.txt': 'a\n' })
  fs.mkdirSync(path.join(root, '.clada/history'), { recursive: true })
  fs.symlinkSync(outside, path.join(root, '.clada/history/7'))
  expect(await carryOut(root)).toMatchObject({ success: true })
  expect(filesIn(outside)).toEqual({ 'room/keep.txt': 'mine\n', journal: 'mine\n' })
})

it.each([
  ['a file outside', (outside: string) => path.join(outside, 'keep.txt'), 'index'],
  ['a file that would become the config of git', (_: string, root: string) => path.join(root, 'evil'), 'config'],
])('neither removes nor moves %s for an index that was never replaced', async (_, lockOf, name) => {
  const outside = scratchDir({ 'keep.txt': 'mine\n' })
  const root = repository({ 'a.txt': 'a\n', evil: '[core]\n\tfsmonitor = touch PWNED\n' })
  const config = fs.readFileSync(path.join(root, '.git/config'), 'utf8')
  const lock = lockOf(outside, root)
  for (const commit of [git(root, 'rev-parse', 'HEAD').trim(), 'none']) {
    fs.mkdirSync(path.join(root, '.clada/history/1'), { recursive: true })
    const pending = { lock, copy: lock, index: path.join(root, '.git', name), commit }
    fs.writeFileSync(path.join(root, '.clada/history/1/pending'), JSON.stringify(pending))
    await carryOut(root)
    expect(fs.existsSync(lock)).toBe(true)
    expect(fs.readFileSync(path.join(root, '.git/config'), 'utf8')).toBe(config)
    expect(filesIn(outside)).toEqual({ 'keep.txt': 'mine\n' })
    fs.rmSync(path.join(root, '.clada'), { recursive: true })
  }
})

it('writes nothing through links in a repository of its own', async () => {
  const outside = scratchDir({ 'keep.txt': 'mine\n' })
  const root = scratchDir({ 'a.txt': 'a\n' })
  const repo = path.join(root, '.clada/repo')
  for (const name of ['objects', 'refs', 'logs']) fs.mkdirSync(path.join(repo, name), { recursive: true })
  const names = Array.from({ length: 256 }, (_, at) => `objects/${at.toString(16).padStart(2, '0')}`)
  for (const name of [...names, 'objects/pack', 'objects/info', 'refs/clada', 'refs/heads', 'logs/refs'])
    fs.symlinkSync(outside, path.join(repo, name))
  const calls = { path: path.join(root, 'b.txt'), content: 'b\n' }
  expect(await new Clada({ repoPath: root, git: 'shadow' }).perform('file_write', calls)).toMatchObject({
    success: true,
  })
  expect(filesIn(outside)).toEqual({ 'keep.txt': 'mine\n' })
})

it('does not count any more when a pull has put files into it, and counts again without them', async () => {
  const root = repository({ 'a.txt': 'a\n' })
  const clada = new Clada({ repoPath: root, git: 'commit' })
  await carryOut(root)
  expect(await clada.history()).toHaveLength(1)
  const upstream = scratchDir()
  git(upstream, 'clone', '-q', root, '.')
  fs.mkdirSync(path.join(upstream, '.clada/history/9'), { recursive: true })
  fs.writeFileSync(path.join(upstream, '.clada/history/9/record.json'), '{"number":9}\r\n')
  fs.writeFileSync(path.join(upstream, '.clada/allowed-commands.json'), '{}')
  fs.writeFileSync(path.join(upstream, '.gitattributes'), '* text eol=crlf\n')
  git(upstream, 'add', '-f', '.clada', '.gitattributes')
  git(upstream, '-c', 'user.name=u', '-c', 'user.email=u@x', 'commit', '-qm', 'state')
  git(root, 'pull', '-q', upstream, 'HEAD')
  expect(fs.existsSync(path.join(root, '.clada/history/9'))).toBe(true)
  expect(await clada.history()).toEqual([])
  expect(adoptState(root)).toBe('tracked')
  const { warnings } = await clada.perform('file_write', { path: path.join(root, 'c.txt'), content: 'c\n' })
  expect(warnings?.join('')).toContain("moved to '.clada/set-aside/1'")
  expect(await clada.history()).toHaveLength(1)
  await clada.perform('file_write', { path: path.join(root, 'd.txt'), content: 'd\n' })
  expect(await clada.history()).toHaveLength(2)
})
