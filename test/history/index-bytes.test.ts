import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { findRepository } from '../../packages/clada/src/git/find-repository.ts'
import { indexOf } from '../../packages/clada/src/git/index-bytes.ts'
import { writeIndex } from '../../packages/clada/src/git/index-commit.ts'
import { addTo, copyIndex } from '../../packages/clada/src/git/index-file.ts'
import { IsolatedGit } from '../../packages/clada/src/git/isolated-git.ts'
import { syncObjects } from '../../packages/clada/src/git/objects.ts'
import { headOf } from '../../packages/clada/src/git/repository.ts'
import { withRules } from '../../packages/clada/src/git/savable.ts'
import { fill, scratchDir } from '../support/scratch.ts'
import { git } from './world.ts'

const files = { 'a.txt': 'a\n', 'a/b.txt': 'b\n', 'a-b/c.txt': 'c\n', 'src/deep/d.txt': 'd\n', 'src/e.sh': 'e\n' }

/** A repository with these files in one commit, whose index is older than whatever comes next. */
function committed(format = 'sha1', more: Record<string, string> = {}): string {
  const root = scratchDir({ ...files, ...more })
  for (const name of Object.keys({ ...files, ...more })) fs.utimesSync(path.join(root, name), 1_700_000_000, 1.7e9)
  git(root, 'init', '-q', `--object-format=${format}`)
  git(root, 'add', '-A')
  git(root, 'commit', '-q', '-m', 'first')
  fs.utimesSync(path.join(root, '.git/index'), 1_700_000_100, 1_700_000_100)
  return root
}

async function isolatedIn(root: string): Promise<IsolatedGit> {
  const repository = await findRepository(root)
  if (repository === undefined) throw new Error('git has made no repository')
  const isolated = IsolatedGit.open(repository, await headOf(repository), path.join(scratchDir(), 'isolated'))
  onTestFinished(() => isolated.close())
  return isolated
}

/** The index as clada writes it, undefined where it leaves that to git, and as git does. */
async function written(root: string, paths: readonly string[]): Promise<[Buffer | undefined, Buffer]> {
  const isolated = await isolatedIn(root)
  const [index, own, other] = [path.join(root, '.git/index'), isolated.file('own'), isolated.file('other')]
  const entries = writeIndex(isolated, own, paths)
  await syncObjects(isolated)
  copyIndex(index, other)
  await addTo(isolated, paths, { GIT_INDEX_FILE: other })
  if (entries !== undefined) execFileSync('git', ['fsck'], { cwd: root, env: { ...process.env, GIT_INDEX_FILE: own } })
  return [entries && fs.readFileSync(own), fs.readFileSync(other)]
}

describe.each(['sha1', 'sha256'])('an index that is written without git, with %s', (format) => {
  it('is the one that git writes: for changed, new and deleted files', async () => {
    const root = committed(format)
    const cases = [
      ['a.txt'],
      ['src/deep/d.txt', 'src/e.sh', 'a-b/c.txt'],
      ['0.txt', 'a/0.txt', 'a/z.txt', 'src/new/x.txt', 'zz.txt'],
      ['src/deep/d.txt'],
      ['a/b.txt', 'zz.txt', 'src/new/x.txt', 'never.txt'],
    ]
    for (const [round, paths] of cases.entries()) {
      for (const name of paths)
        if (round >= 3) fs.rmSync(path.join(root, name), { force: true })
        else fill(root, { [name]: `round ${round} of ${name}\n` })
      if (round === 1) fs.chmodSync(path.join(root, 'src/e.sh'), 0o755)
      const [own, byGit] = await written(root, paths)
      expect(own?.equals(byGit)).toBe(true)
      git(root, 'add', '-A')
      fs.utimesSync(path.join(root, '.git/index'), Date.now() / 1000, Date.now() / 1000 + 2)
    }
  })
})

it.each<[string, (root: string) => void]>([
  ['carriage returns', (root) => fill(root, { 'a.txt': 'a\r\n' })],
  ['a keyword', (root) => fill(root, { 'a.txt': '$Id$\n' })],
  ['an encoding', (root) => fill(root, { '.gitattributes': '*.txt working-tree-encoding=UTF-16\n' })],
  ['an encoding for all', (root) => fill(root, { '.git/info/attributes': '*.txt working-tree-encoding=UTF-16\n' })],
  [
    'attributes that are in the index only',
    (root) => {
      fill(root, { '.gitattributes': '*.txt working-tree-encoding=UTF-16\n' })
      git(root, 'add', '.gitattributes')
      fs.rmSync(path.join(root, '.gitattributes'))
    },
  ],
  [
    'a link',
    (root) => {
      fs.rmSync(path.join(root, 'a.txt'))
      fs.symlinkSync('a/b.txt', path.join(root, 'a.txt'))
    },
  ],
  [
    'a directory',
    (root) => {
      fs.rmSync(path.join(root, 'a.txt'))
      fill(root, { 'a.txt/x': 'x\n' })
    },
  ],
  ['a file that git takes for unchanged', (root) => void git(root, 'update-index', '--assume-unchanged', 'a.txt')],
  ['a file outside the checkout', (root) => void git(root, 'update-index', '--skip-worktree', 'a.txt')],
  ['an index in two files', (root) => void git(root, 'update-index', '--split-index')],
  ['an index with short names', (root) => void git(root, 'update-index', '--index-version', '4')],
  ['a list of untracked files', (root) => void git(root, 'update-index', '--force-untracked-cache')],
  ['a sparse checkout', (root) => void git(root, 'config', 'core.sparseCheckout', 'true')],
  ['a file system without modes', (root) => void git(root, 'config', 'core.fileMode', 'false')],
  ['a file of attributes that only git can find', (root) => void git(root, 'config', 'core.attributesFile', 'mine')],
])('an index is left to git: %s', async (_, change) => {
  const root = committed()
  fill(root, { 'a.txt': 'other\n' })
  change(root)
  expect(writeIndex(await isolatedIn(root), path.join(root, 'copy'), ['a.txt'])).toBe(undefined)
})

it('an index that is cut off anywhere is left to git', async () => {
  const root = committed()
  const repository = await findRepository(root)
  if (repository === undefined) throw new Error('git has made no repository')
  const file = path.join(root, '.git/index')
  const bytes = fs.readFileSync(file)
  const isRead = Array.from(bytes.keys(), (length) => {
    fs.writeFileSync(file, bytes.subarray(0, length))
    return indexOf({ ...repository }, 'sha1') !== undefined
  })
  // What is missing at the end of an index is after the last entry.
  expect(isRead.indexOf(true)).toBeGreaterThan(bytes.length / 2)
  fs.writeFileSync(file, Buffer.concat([bytes.subarray(0, 8), Buffer.alloc(bytes.length - 8, 255)]))
  expect(indexOf(repository, 'sha1')).toBeUndefined()
})

describe('a file that was changed in the second in which the index was written', () => {
  it.each([
    ['is looked at', 'same\n', true],
    ['is left to git if it differs', 'diff\n', false],
  ])('%s', async (_, now, isWritten) => {
    const root = committed('sha1', { 'fresh.txt': 'same\n' })
    const [index, fresh] = [path.join(root, '.git/index'), path.join(root, 'fresh.txt')]
    fs.utimesSync(fresh, 1_700_000_200, 1_700_000_200)
    git(root, 'add', 'fresh.txt')
    fs.utimesSync(index, 1_700_000_200, 1_700_000_200)
    fs.writeFileSync(fresh, now)
    fs.utimesSync(fresh, 1_700_000_200, 1_700_000_200)
    fill(root, { 'a.txt': 'other\n' })
    const isolated = await isolatedIn(root)
    expect(writeIndex(isolated, isolated.file('copy'), ['a.txt']) !== undefined).toBe(isWritten)
  })
})

it('a file that is changed while the index is written is left to git', async () => {
  const root = committed()
  fill(root, { 'a.txt': 'other\n' })
  const isolated = await isolatedIn(root)
  const { fchmodSync } = fs
  const spy = vi.spyOn(fs, 'fchmodSync').mockImplementation((fd, mode) => {
    fchmodSync(fd, mode)
    fs.writeFileSync(path.join(root, 'a.txt'), 'later\n')
  })
  onTestFinished(() => spy.mockRestore())
  expect(writeIndex(isolated, isolated.file('copy'), ['a.txt'])).toBeUndefined()
})

/** Each is the only line of a .gitignore. */
const rules =
  String.raw`*|**|?ew.ts|[n]ew.ts|new\.ts|\new.ts|NEW.TS|/new.ts|sub|sub/|sub/*|sub/**/new.ts|**/sub|!new.ts|#new.ts|\#x|new.ts \ |new.ts |new|*.ts|*.[jt]s|s*b/|su\b|x y/new.ts|other.ts|dist/|*.log|.env*|/build|a/b`
    .split('|')
    .flatMap((rule) => [rule, `\uFEFF${rule}`, `${rule}\r`, `${rule}\t`])
const tried = ['new.ts', 'New.ts', 'sub/new.ts', 'sub/deep/new.ts', 'x y/new.ts', '#x', 'nëw.ts', 'dist/new.ts']

it.each(['false', 'true'])(
  'no path that a rule matches is taken for one that none does, with ignorecase=%s',
  async (ignoreCase) => {
    const root = scratchDir()
    git(root, 'init', '-q')
    git(root, 'config', 'core.ignoreCase', ignoreCase)
    for (const [at, rule] of rules.entries()) fill(root, { [`${at}/.gitignore`]: `${rule}\n` })
    const isolated = await isolatedIn(root)
    const paths = rules.map((_, at) => tried.map((name) => `${at}/${name}`))
    // Git needs an index to say what it tracks.
    git(root, 'add', '0/.gitignore', '--force')
    const { out } = await isolated.git(['check-ignore', '-z', '--stdin'], { input: paths.flat().join('\0'), fine: [1] })
    const ignored = new Set(out.toString().split('\0'))
    const asked = paths.flatMap((some) => withRules(isolated, some))
    expect([...ignored].filter((name) => name !== '' && !asked.includes(name))).toEqual([])
    // And most others are not asked about.
    expect(asked.length).toBeLessThan(paths.flat().length * 0.6)
    fs.rmSync(path.join(root, '0/.gitignore'))
    expect(withRules(isolated, ['0/other.ts'])).toEqual(['0/other.ts'])
  },
)
