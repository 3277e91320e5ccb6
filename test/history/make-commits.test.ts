import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { findRepository } from '../../packages/clada/src/git/find-repository.ts'
import { headOf } from '../../packages/clada/src/git/repository.ts'
import { IsolatedGit } from '../../packages/clada/src/git/isolated-git.ts'
import { makeCommits, type NewContent, type NewContents } from '../../packages/clada/src/git/make-commits.ts'
import { scratchDir } from '../support/scratch.ts'

type Files = ReadonlyMap<string, NewContent>

/** Git sorts `a` behind `a-b` and `a.b` when it is a directory. */
const name = fc.constantFrom('a', 'a-b', 'a.b', 'a0', 'b', 'ä', 'A')
const somewhere = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'))

/** An empty repository, what reads and writes its objects, and three things that a path can be. */
async function world(format: string) {
  const top = scratchDir()
  const gitDir = path.join(top, '.git')
  const git = (args: readonly string[], input = ''): string =>
    execFileSync('git', args, { cwd: top, input: Buffer.from(input, 'latin1'), stdio: 'pipe' }).toString('latin1')
  git(['init', '-q', `--object-format=${format}`])
  const repository = await findRepository(top)
  if (repository === undefined) throw new Error('git has made no repository')
  const isolated = IsolatedGit.open(repository, await headOf(repository), path.join(top, 'isolated'))
  onTestFinished(() => isolated.close())
  const idOf = new Map(['1', '2'].map((text) => [text, git(['hash-object', '-w', '--stdin'], text).trim()]))
  const [one, two] = [Buffer.from('1'), Buffer.from('2')]
  const contents: NewContent[] = [
    { mode: '100644', body: one },
    { mode: '100755', body: one },
    { mode: '120000', body: two },
  ]
  /** As a line of git ls-files. */
  const lineOf = ([file, { mode, body }]: readonly [string, NewContent]): string =>
    `${mode} ${idOf.get(body.toString())}\t${file}\0`
  const commitOf = (tree: string): string =>
    git(['-c', 'user.name=u', '-c', 'user.email=u@localhost', 'commit-tree', '-m', 'x', tree]).trim()
  const treeOf = async (parents: readonly string[], changes: NewContents): Promise<string> => {
    const { commits } = await makeCommits(isolated, parents, [{ changes, message: '', identity }])
    return git(['rev-parse', `${commits[0]}^{tree}`]).trim()
  }
  return { gitDir, git, contents, lineOf, isolated, commitOf, treeOf }
}

const identity = Object.fromEntries(
  ['AUTHOR', 'COMMITTER'].flatMap((who) => [
    [`GIT_${who}_NAME`, 'u'],
    [`GIT_${who}_EMAIL`, 'u@localhost'],
    [`GIT_${who}_DATE`, '1 +0000'],
  ]),
)

describe.each(['sha1', 'sha256'])('the tree of a commit with some paths changed, in a repository with %s', (format) => {
  it('is the one that git would have written', async () => {
    const { gitDir, git, contents, lineOf, commitOf, treeOf } = await world(format)
    const treeBy = (files: Files): string => {
      fs.rmSync(path.join(gitDir, 'index'), { force: true })
      const lines = [...files].map(lineOf).join('')
      git(['update-index', '-z', '--index-info'], Buffer.from(lines).toString('latin1'))
      return git(['write-tree']).trim()
    }
    const some = fc.array(fc.tuple(somewhere, fc.constantFrom(...contents)), { maxLength: 8 }).map((pairs): Files =>
      // A later one takes the place of what is in its way.
      pairs.reduce((files, [file, side]) => {
        const apart = [...files].filter(([other]) => !isWithin(other, file) && !isWithin(file, other))
        return new Map([...apart, [file, side]])
      }, new Map<string, NewContent>()),
    )
    await fc.assert(
      fc.asyncProperty(some, some, async (from, to) => {
        const [base, after] = [treeBy(from), treeBy(to)]
        const changes = new Map<string, NewContent | undefined>(to)
        for (const file of from.keys()) if (!to.has(file)) changes.set(file, undefined)
        expect(await treeOf([commitOf(base)], changes)).toBe(after)
        if (to.size > 0) expect(await treeOf([], to)).toBe(after)
      }),
      { numRuns: 40 },
    )
    expect(git(['fsck', '--strict', '--no-dangling'])).toBe('')
  })

  it('is in order where the other one was not', async () => {
    const { git, contents, lineOf, commitOf, treeOf } = await world(format)
    const [content] = contents
    if (content === undefined) throw new Error('no content')
    const names = ['c', 'a', 'b']
    const body = names.map((name) => {
      const id = /[0-9a-f]{40,64}/.exec(lineOf([name, content]))?.[0] ?? ''
      return `${content.mode} ${name}\0${Buffer.from(id, 'hex').toString('latin1')}`
    })
    const odd = git(['hash-object', '--literally', '-w', '-t', 'tree', '--stdin'], body.join('')).trim()
    const whole = new Map([...names, 'd'].map((name) => [name, content] as const))
    expect(await treeOf([commitOf(odd)], new Map([['d', content]]))).toBe(await treeOf([], whole))
  })

  it('has contents that are given as bytes, under names with quotes and line breaks', async () => {
    const { git, isolated } = await world(format)
    const body = Buffer.from([0, 10, 255, 34])
    const names = ['"', 'a\nb', 'a\\b/"c"']
    const first = new Map(names.map((name) => [name, { mode: '100755', body }] as const))
    const then = new Map([['"', undefined]])
    const commits = [first, then].map((changes, at) => ({ changes, message: `message ${at}`, identity }))
    const made = await makeCommits(isolated, [], commits)
    const [one = '', two = ''] = made.commits
    expect(git(['ls-tree', '-r', '-z', '--name-only', one]).split('\0').filter(Boolean)).toEqual(names)
    expect(git(['cat-file', 'blob', `${one}:"`])).toBe(body.toString('latin1'))
    expect(git(['ls-tree', '-r', '-z', '--name-only', two]).split('\0').filter(Boolean)).toEqual(names.slice(1))
    expect(git(['log', '--format=%H %an %cd %s', '--date=raw', two]).split('\n').slice(0, 2)).toEqual([
      `${two} u 1 +0000 message 1`,
      `${one} u 1 +0000 message 0`,
    ])
    const all = git(['rev-list', '--objects', '--no-object-names', two]).trim().split('\n')
    expect(made.objects.toSorted()).toEqual(all.toSorted())
  })

  it('is refused where the commit before is missing', async () => {
    const { contents, treeOf } = await world(format)
    const missing = '1'.repeat(format === 'sha1' ? 40 : 64)
    const [content] = contents
    await expect(treeOf([missing], new Map([['a', content]]))).rejects.toMatchObject({ problem: { kind: 'git' } })
  })
})

const isWithin = (file: string, dir: string): boolean => file === dir || file.startsWith(`${dir}/`)
