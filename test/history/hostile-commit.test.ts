import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { Clada } from '../../packages/clada/src/index.ts'
import { cloneOf as cloneIn, type Entry, file, hostile, link } from '../attacks/hostile-commits.ts'
import { fill, scratchDir } from '../support/scratch.ts'
import { entered, request, served } from '../ui/page-server.ts'
import { git, treeOf } from './world.ts'

const cloneOf = (entries: readonly Entry[]): string => cloneIn(entries, scratchDir())

const everythingIn = (root: string): unknown => ({
  around: treeOf(path.dirname(root)),
  hooks: fs.readdirSync(path.join(root, '.git/hooks')),
  config: fs.readFileSync(path.join(root, '.git/config'), 'utf8'),
  head: git(root, 'symbolic-ref', 'HEAD'),
  status: git(root, 'status', '--porcelain'),
})

describe('a commit that no checkout would accept', () => {
  it.each(hostile)('is not gone back to: %s', async (_, entries) => {
    const root = cloneOf(entries)
    fill(root, { 'a.txt': 'uncommitted\n', 'new.txt': 'new\n' })
    const before = everythingIn(root)
    const result = await new Clada({ repoPath: root }).back()
    expect(result).toMatchObject({ success: false, code: 'git_operation_failed' })
    expect(result.error).toMatch(/^clada back: /)
    const { results } = await new Clada({ repoPath: root }).perform('git_step_back', {})
    expect(results).toMatchObject([{ success: false, code: 'git_operation_failed' }])
    fs.rmSync(path.join(root, '.git/clada'), { recursive: true, force: true })
    expect(everythingIn(root)).toEqual(before)
    expect(fs.existsSync('/tmp/clada-hostile-commit')).toBe(false)
    expect(git(root, 'for-each-ref', 'refs/clada')).toBe('')
  })

  it.each(hostile.slice(0, 3))('is not gone back to by the button of the page: %s', async (_, entries) => {
    const root = cloneOf(entries)
    const before = everythingIn(root)
    const page = await served(root)
    const { cookie, key } = await entered(page)
    const headers = {
      host: `127.0.0.1:${page.port}`,
      cookie,
      origin: page.origin,
      'x-clada': key,
      'content-type': 'application/json',
    }
    const { body } = await request(page, '/api/back', { method: 'POST', headers, body: '{}' })
    expect(JSON.parse(body)).toMatchObject({ success: false, code: 'git_operation_failed' })
    fs.rmSync(path.join(root, '.git/clada'), { recursive: true, force: true })
    expect(everythingIn(root)).toEqual(before)
  })

  it.each(hostile)('is not left by deleting its names: %s', async (_, entries) => {
    const root = cloneOf(entries)
    fill(path.dirname(root), { 'outside/exe.sh': 'mine\n', 'outside/x': 'mine\n' })
    git(root, 'update-ref', 'refs/heads/main', 'HEAD~1')
    fill(root, { 'a.txt': '1\n' })
    const outside = path.join(root, '../outside')
    const before = [treeOf(outside), treeOf(root), fs.readdirSync(path.join(root, '.git/hooks'))]
    await new Clada({ repoPath: root }).back()
    expect([treeOf(outside), treeOf(root), fs.readdirSync(path.join(root, '.git/hooks'))]).toEqual(before)
  })
})

describe('an ordinary commit', () => {
  it('comes back with its links, its blocked files and the configuration of clada', async () => {
    const root = cloneOf([
      file('.env', 'TOKEN=1\n'),
      file('.gitattributes', '* text=auto\n'),
      file('.npmrc', 'save-exact=true\n'),
      file('clada.yml', 'version: 1\n'),
      link('link', '../outside'),
    ])
    expect(await new Clada({ repoPath: root }).back()).toMatchObject({ success: true })
    expect(treeOf(root)).toMatchObject({
      '.env': '644 TOKEN=1\n',
      '.npmrc': '644 save-exact=true\n',
      'clada.yml': '644 version: 1\n',
      link: '-> ../outside',
    })
    expect(await new Clada({ repoPath: root }).forward()).toMatchObject({ success: true, branch: 'main' })
    expect(treeOf(root)).toEqual({ 'a.txt': '644 2\n' })
  })
})
