import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { deflateSync } from 'node:zlib'
import { gitEnvironment } from './fixture.ts'

export type Entry = readonly [
  mode: '100644' | '100755' | '120000' | '40000',
  name: string,
  content: string | readonly Entry[],
]

/** Written as git keeps it: one process for each object took most of the time. */
function object(root: string, type: 'blob' | 'tree' | 'commit', bytes: Buffer): string {
  const whole = Buffer.concat([Buffer.from(`${type} ${bytes.length}\0`), bytes])
  const oid = createHash('sha1').update(whole).digest('hex')
  const file = path.join(root, '.git/objects', oid.slice(0, 2), oid.slice(2))
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, deflateSync(whole))
  return oid
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

/** A clone in an empty directory, whose first commit is hostile and whose tip is not. */
export function cloneOf(entries: readonly Entry[], around: string): string {
  const origin = path.join(around, 'origin')
  fs.mkdirSync(origin)
  fs.mkdirSync(path.join(around, 'outside'))
  fs.writeFileSync(path.join(around, 'outside/victim.txt'), 'mine\n')
  git(origin, 'init', '-q', '-b', 'main')
  const blob: Entry = ['100644', 'a.txt', '1\n']
  const who = 'User <user@example.com> 1700000000 +0000'
  const commit = (tree: string, ...parents: string[]): string => {
    const lines = [`tree ${tree}`, ...parents.map((parent) => `parent ${parent}`), `author ${who}`, `committer ${who}`]
    return object(origin, 'commit', Buffer.from(`${lines.join('\n')}\n\nx\n`))
  }
  const first = commit(rawTree(origin, [blob]))
  const hostile = commit(rawTree(origin, [...entries, blob].toSorted(asInTree)), first)
  const tip = commit(rawTree(origin, [['100644', 'a.txt', '2\n']]), hostile)
  fs.writeFileSync(path.join(origin, '.git/refs/heads/main'), `${tip}\n`)
  git(around, 'clone', '-q', 'origin', 'clone')
  return path.join(around, 'clone')
}

export const dir = (name: string, ...entries: Entry[]): Entry => ['40000', name, entries]
export const file = (name: string, content = 'x\n'): Entry => ['100644', name, content]
export const script = (name: string): Entry => ['100755', name, '#!/bin/sh\ntouch PWNED\n']
export const link = (name: string, target: string): Entry => ['120000', name, target]

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

export const hostile = names.map(([title, ...entries]) => [title, entries] as const)

function git(cwd: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd, encoding: 'utf8', env: gitEnvironment, stdio: ['ignore', 'pipe', 'ignore'] })
}
