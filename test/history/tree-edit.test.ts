import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { findRepository } from '../../packages/clada/src/git/find-repository.ts'
import { headOf } from '../../packages/clada/src/git/repository.ts'
import { IsolatedGit } from '../../packages/clada/src/git/isolated-git.ts'
import type { TreeEntry } from '../../packages/clada/src/git/tree-contents.ts'
import { editTree, sidesAt } from '../../packages/clada/src/git/tree-walk.ts'
import { scratchDir } from '../support/scratch.ts'

/** A file's paths, byte for character, with which of two contents it has. */
type Files = ReadonlyMap<string, TreeEntry>

/** Git sorts `a` behind `a-b` and `a.b` when it is a directory; names need not be UTF-8. */
const name = fc.constantFrom('a', 'a-b', 'a.b', 'a0', 'b', 'Ã¤', '\xff')
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
  const [one = '', two = ''] = ['1', '2'].map((text) => git(['hash-object', '-w', '--stdin'], text).trim())
  const sides: TreeEntry[] = [
    { mode: '100644', oid: one },
    { mode: '100755', oid: one },
    { mode: '120000', oid: two },
  ]
  return { gitDir, git, sides, isolated }
}

describe.each(['sha1', 'sha256'])('a tree with some paths changed, in a repository with %s', (format) => {
  it('is the one that git would have written', async () => {
    const { gitDir, git, sides, isolated } = await world(format)
    const treeBy = (files: Files): string => {
      fs.rmSync(path.join(gitDir, 'index'), { force: true })
      const lines = [...files].map(([file, { mode, oid }]) => `${mode} ${oid}\t${file}\0`)
      git(['update-index', '-z', '--index-info'], lines.join(''))
      return git(['write-tree']).trim()
    }
    const some = fc.array(fc.tuple(somewhere, fc.constantFrom(...sides)), { maxLength: 8 }).map((pairs): Files =>
      // A later one takes the place of what is in its way.
      pairs.reduce((files, [file, side]) => {
        const apart = [...files].filter(([other]) => !isWithin(other, file) && !isWithin(file, other))
        return new Map([...apart, [file, side]])
      }, new Map<string, TreeEntry>()),
    )
    await fc.assert(
      fc.asyncProperty(some, some, async (from, to) => {
        const [base, after] = [treeBy(from), treeBy(to)]
        const changes = new Map<string, TreeEntry | undefined>(to)
        for (const file of from.keys()) if (!to.has(file)) changes.set(file, undefined)
        expect(await editTree(isolated, `${base}^{tree}`, changes)).toBe(after)
        if (to.size > 0) expect(await editTree(isolated, undefined, to)).toBe(after)
      }),
      { numRuns: 40 },
    )
    expect(git(['fsck', '--strict', '--no-dangling'])).toBe('')
  })

  it('is in order where the other one was not', async () => {
    const { git, sides, isolated } = await world(format)
    const [side] = sides
    if (side === undefined) throw new Error('no side')
    const names = ['c', 'a', 'b']
    const body = names.map((name) => `${side.mode} ${name}\0${Buffer.from(side.oid, 'hex').toString('latin1')}`)
    const odd = git(['hash-object', '--literally', '-w', '-t', 'tree', '--stdin'], body.join('')).trim()
    expect([...(await sidesAt(isolated.objects, odd, new Map([['a', 0]]))).keys()]).toEqual(['a'])
    const whole = new Map([...names, 'd'].map((name) => [name, side] as const))
    expect(await editTree(isolated, odd, new Map([['d', side]]))).toBe(await editTree(isolated, undefined, whole))
  })

  it('says which object is missing, and goes on reading', async () => {
    const { sides, isolated } = await world(format)
    const base = '1'.repeat(sides[0]?.oid.length ?? 0)
    const changes = new Map([['a', sides[0]]])
    await expect(editTree(isolated, base, changes)).rejects.toMatchObject({
      problem: { kind: 'git', reason: `an object is missing: ${base}` },
    })
    const tree = await editTree(isolated, undefined, changes)
    expect(await editTree(isolated, tree, changes)).toBe(tree)
  })
})

const isWithin = (file: string, dir: string): boolean => file === dir || file.startsWith(`${dir}/`)
