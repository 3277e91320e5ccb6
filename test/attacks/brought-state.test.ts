import fs from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { Clada } from '../../packages/clada/src/index.ts'
import { adoptState } from '../../packages/clada/src/state/vouched.ts'
import { git, repository } from '../history/world.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'

const author = ['-c', 'user.name=u', '-c', 'user.email=u@x']

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

it.each([
  ['with an index of version 2', '2', '.', 'sha1'],
  ['with an index of version 4', '4', '.', 'sha1'],
  ['below the top of the repository', '2', 'packages/one', 'sha1'],
  ['below the top, with version 4', '4', 'packages/one', 'sha1'],
  ['with long hashes, with version 4', '4', '.', 'sha256'],
])(
  'does not count any more when a pull has put files into it, and counts again without them: %s',
  async (_, ...how) => {
    const [version, below, hashes] = how
    const top = scratchDir({ [`${below}/a.txt`]: 'a\n', [`${below}/.cl`]: '', [`${below}/.clad`]: '' })
    git(top, 'init', '-q', `--object-format=${hashes}`)
    git(top, 'config', 'index.version', version)
    git(top, 'add', '.')
    git(top, ...author, 'commit', '-qm', 'first')
    const root = path.join(top, below)
    const clada = new Clada({ repoPath: root, git: 'commit' })
    await carryOut(root)
    expect(await clada.history()).toHaveLength(1)
    const upstream = scratchDir()
    git(upstream, 'clone', '-q', top, '.')
    const brought = path.join(upstream, below, '.clada')
    fs.mkdirSync(path.join(brought, 'history/9'), { recursive: true })
    fs.writeFileSync(path.join(brought, 'history/9/record.json'), '{"number":9}\r\n')
    fs.writeFileSync(path.join(brought, 'allowed-commands.json'), '{}')
    fs.writeFileSync(path.join(upstream, '.gitattributes'), '* text eol=crlf\n')
    git(upstream, 'add', '-f', brought, '.gitattributes')
    git(upstream, ...author, 'commit', '-qm', 'state')
    git(top, 'pull', '-q', upstream, 'HEAD')
    expect(fs.existsSync(path.join(root, '.clada/history/9'))).toBe(true)
    expect(await clada.history()).toEqual([])
    expect(adoptState(root)).toBe('tracked')
    const { warnings } = await clada.perform('file_write', { path: path.join(root, 'c.txt'), content: 'c\n' })
    expect(warnings?.join('')).toContain("moved to '.clada/set-aside/1'")
    expect(await clada.history()).toHaveLength(1)
    await clada.perform('file_write', { path: path.join(root, 'd.txt'), content: 'd\n' })
    expect(await clada.history()).toHaveLength(2)
  },
)
