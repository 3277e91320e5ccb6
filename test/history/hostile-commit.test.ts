import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { Clada } from '../../src/index.ts'
import { fill, scratchDir } from '../support/scratch.ts'
import { git, treeOf } from './world.ts'

type Entry = readonly [mode: '100644' | '100755' | '120000' | '40000', name: string, content: string | readonly Entry[]]

function object(root: string, type: 'blob' | 'tree', bytes: Buffer): string {
  const args = ['hash-object', '-w', '--literally', '-t', type, '--stdin']
  return execFileSync('git', args, { cwd: root, input: bytes, encoding: 'utf8' }).trim()
}

/** A tree with names that git itself would not add. */
function rawTree(root: string, entries: readonly Entry[]): string {
  const parts = entries.map(([mode, name, content]) => {
    const oid = typeof content === 'string' ? object(root, 'blob', Buffer.from(content)) : rawTree(root, content)
    return Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(oid, 'hex')])
  })
  return object(root, 'tree', Buffer.concat(parts))
}

const asInTree = ([, a]: Entry, [, b]: Entry): number => (a < b ? -1 : 1)

/** A clone whose first commit is hostile and whose tip is not. */
function cloneOf(entries: readonly Entry[]): string {
  const around = scratchDir()
  const origin = path.join(around, 'origin')
  fs.mkdirSync(origin)
  fill(around, { 'outside/victim.txt': 'mine\n' })
  git(origin, 'init', '-q', '-b', 'main')
  const blob: Entry = ['100644', 'a.txt', '1\n']
  const commit = (tree: string, ...parents: string[]): string =>
    git(origin, 'commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-m', 'x').trim()
  const first = commit(rawTree(origin, [blob]))
  const hostile = commit(rawTree(origin, [...entries, blob].toSorted(asInTree)), first)
  const tip = commit(rawTree(origin, [['100644', 'a.txt', '2\n']]), hostile)
  git(origin, 'update-ref', 'refs/heads/main', tip)
  git(around, 'clone', '-q', 'origin', 'clone')
  return path.join(around, 'clone')
}

const dir = (name: string, ...entries: Entry[]): Entry => ['40000', name, entries]
const file = (name: string, content = 'x\n'): Entry => ['100644', name, content]
const script = (name: string): Entry => ['100755', name, '#!/bin/sh\ntouch PWNED\n']
const link = (name: string, target: string): Entry => ['120000', name, target]

const names: readonly (readonly [title: string, ...entries: Entry[]])[] = [
  ['..', dir('..', dir('outside', script('exe.sh')))],
  ['.git', dir('.git', dir('hooks', script('post-commit')))],
  ['.GIT', dir('.GIT', dir('hooks', script('post-commit')))],
  ['git~1', dir('git~1', file('config'))],
  ['GIT~2', dir('GIT~2', file('config'))],
  ['.git with a dot after it', dir('.git.', file('config'))],
  ['.git with a space after it', dir('.git ', file('config'))],
  ['.git as a stream', dir('.git::$INDEX_ALLOCATION', file('config'))],
  ['.git with an ignorable code point', dir('.g\u200cit', file('config'))],
  ['.git of a directory further down', dir('sub', dir('.git', file('config')))],
  ["clada's state in capitals", dir('.CLADA', file('back.json', '{}\n'))],
  ['a way up inside one name', file('a/../../outside/x')],
  ['an absolute name', file('/tmp/clada-hostile-commit')],
  ['an absolute name of a directory', dir('/tmp', file('clada-hostile-commit'))],
  ['.', dir('.', file('x'))],
  ['an empty name', dir('', file('x'))],
  ['a link with files below it', link('link', '../outside'), dir('link', script('exe.sh'))],
  ['a link of the same name as a file', link('twice', '../outside/victim.txt'), file('twice')],
]

const hostile = names.map(([title, ...entries]) => [title, entries] as const)

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
    fs.rmSync(path.join(root, '.clada'), { recursive: true, force: true })
    expect(everythingIn(root)).toEqual(before)
    expect(fs.existsSync('/tmp/clada-hostile-commit')).toBe(false)
    expect(git(root, 'for-each-ref', 'refs/clada')).toBe('')
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
