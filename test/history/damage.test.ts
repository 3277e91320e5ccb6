import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { digestOf } from '../../packages/clada/src/core/digest.ts'
import { Clada } from '../../packages/clada/src/index.ts'
import { readRecord } from '../../packages/clada/src/store/record.ts'
import { skipWithout } from '../support/needs.ts'
import { scratchDir, inState } from '../support/scratch.ts'
import {
  asKilled,
  type Call,
  damage,
  damageKept,
  execute,
  git,
  keptBy,
  repository,
  redoIn,
  treeOf,
  undoIn,
} from './world.ts'
import { cladaCommand } from '../support/cli.ts'

const write = (name: string, content: string): Call => ['file_write', { path: name, content }]
const journalOf = (root: string, number: number): string => inState(root, `history/${number}/journal`)

const zeros = (bytes: Buffer): Buffer => Buffer.alloc(bytes.length)
const flipped = (text: string) => (bytes: Buffer) => {
  const at = bytes.indexOf(text)
  expect(at).not.toBe(-1)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  return bytes
}

describe('a journal that is damaged', () => {
  for (const [what, how] of [
    ['empty', () => Buffer.alloc(0)],
    ['all zeros', zeros],
    ['damaged in its first entry', flipped('"execution":2')],
    ['damaged in the middle', flipped('"path":"a.txt"')],
  ] as const) {
    it(`${what}: is told as lost, and no older execution is undone in its place`, async () => {
      const root = scratchDir({ 'a.txt': 'a', 'b.txt': 'b' })
      await execute(root, 'off', [write('b.txt', 'B')])
      await execute(root, 'off', [write('a.txt', 'A')])
      asKilled(root, 2)
      damage(journalOf(root, 2), how)
      const before = treeOf(root)
      const refused = await undoIn(root, 'off')
      expect(refused).toMatchObject({ success: false, restored: [] })
      expect(refused.error).toContain('The record of execution 2 is lost or damaged')
      expect(await undoIn(root, 'off', { number: 2 })).toMatchObject({ success: false })
      expect(treeOf(root)).toEqual(before)
      expect(await undoIn(root, 'off', { force: true })).toMatchObject({ success: true, execution: 1 })
      expect(treeOf(root)).toEqual({ ...before, 'b.txt': '644 b' })
    })
  }

  it('is told of by the next run', async () => {
    const root = scratchDir({ 'a.txt': 'a' })
    await execute(root, 'off', [write('a.txt', 'A')])
    damage(journalOf(root, 1), zeros)
    const next = await execute(root, 'off', [write('b.txt', 'B')])
    expect(next.warnings).toEqual([expect.stringContaining('the record of execution 1 is lost or damaged')])
    expect(await undoIn(root, 'off')).toMatchObject({ success: true, execution: 2 })
  })
})

describe('a kept content that is damaged', () => {
  const large = 'x'.repeat(300 * 1024)
  for (const [what, before, how] of [
    ['one byte, small', 'the old text', flipped('the old text')],
    ['one byte, large', large, flipped('x')],
    ['zeros, large', large, zeros],
    ['gone, large', large, undefined],
  ] as const) {
    it(`(${what}) is not restored and said, and everything else is restored`, async () => {
      const root = scratchDir({ 'a.txt': before, 'b.txt': 'b' })
      await execute(root, 'off', [write('a.txt', 'A'), write('b.txt', 'B')])
      if (how === undefined) fs.rmSync(inState(root, 'objects', digestOf(before)))
      else damageKept(root, digestOf(before), how)
      expect(await undoIn(root, 'off')).toMatchObject({
        success: false,
        error:
          'a.txt cannot be restored: its saved content is missing or damaged. Everything else of execution 1 is undone.',
        restored: ['b.txt'],
        conflicts: [{ path: 'a.txt', reason: 'its saved content is missing or damaged' }],
      })
      expect(treeOf(root)).toEqual({ 'a.txt': '644 A', 'b.txt': '644 b' })
      expect(await redoIn(root, 'off')).toMatchObject({ success: true, restored: ['b.txt'] })
    })
  }
})

describe('a step forward to something damaged', () => {
  /** A step back with a staged and an uncommitted file. */
  async function gone(): Promise<{ root: string; clada: Clada; tip: object }> {
    const root = repository({ 'a.txt': 'first' })
    git(root, 'commit', '-q', '--allow-empty', '-m', 'second')
    fs.writeFileSync(path.join(root, 'b.txt'), 'staged')
    git(root, 'add', 'b.txt')
    fs.writeFileSync(path.join(root, 'a.txt'), 'uncommitted')
    const tip = { ...treeOf(root), status: git(root, 'status', '--porcelain') }
    const clada = new Clada({ repoPath: root })
    expect(await clada.back()).toMatchObject({ success: true })
    return { root, clada, tip }
  }
  const now = (root: string): object => ({ ...treeOf(root), status: git(root, 'status', '--porcelain') })
  const indexOf = (root: string): string => readRecord(inState(root, 'history'), 1)?.moved?.before.index?.digest ?? ''

  for (const [what, how] of [
    ['one byte', flipped('a.txt')],
    ['zeros', zeros],
  ] as const)
    it(`(the index, ${what}) takes what was staged from git, and says so`, async () => {
      const { root, clada, tip } = await gone()
      damageKept(root, indexOf(root), how)
      expect(await clada.forward()).toMatchObject({
        success: true,
        branch: 'main',
        warnings: [expect.stringMatching(/^the saved index is missing or damaged: it has what was staged/)],
      })
      expect(now(root)).toEqual(tip)
    })

  it('(a file) names it and where git has it, and restores everything else', async () => {
    const { root, clada, tip } = await gone()
    damageKept(root, digestOf('uncommitted'), flipped('uncommitted'))
    const { error = '', ...result } = await clada.forward()
    expect(result).toMatchObject({ success: false, branch: 'main', code: 'git_operation_failed' })
    const [, place = ''] = /^a\.txt was not restored: .* damaged\. Git has it: git show (\S+)$/.exec(error) ?? []
    expect(treeOf(root)).toEqual({ 'a.txt': '644 first', 'b.txt': '644 staged' })
    fs.writeFileSync(path.join(root, 'a.txt'), git(root, 'show', place))
    expect(now(root)).toEqual(tip)
    expect(await execute(root, 'off', [write('c.txt', 'c')])).toMatchObject({ success: true })
  })

  it('(what git has of it) needs nothing from git', async () => {
    const { root, clada, tip } = await gone()
    const stash = git(root, 'rev-parse', keptBy(root, 1)).trim()
    for (const name of [`${stash}^2^{tree}`, `${stash}:a.txt`]) {
      const id = git(root, 'rev-parse', name).trim()
      const file = path.join(root, '.git/objects', id.slice(0, 2), id.slice(2))
      fs.chmodSync(file, 0o644)
      damage(file, zeros)
    }
    expect(await clada.forward()).toMatchObject({ success: true, branch: 'main' })
    expect(now(root)).toEqual(tip)
  })
})

describe('a step back to something that cannot be read', () => {
  const fileOf = (root: string, name: string): string => {
    const id = git(root, 'rev-parse', name).trim()
    return path.join(root, '.git/objects', id.slice(0, 2), id.slice(2))
  }
  const oneByte = (bytes: Buffer): Buffer => {
    bytes[bytes.length - 6] = (bytes[bytes.length - 6] ?? 0) ^ 1
    return bytes
  }
  /** Uncommitted, staged and untracked work, and a commit before it. */
  const atWork = (): string => {
    const root = repository({ 'a.txt': 'first', 'd/b.txt': 'b' })
    fs.writeFileSync(path.join(root, 'a.txt'), 'second')
    fs.writeFileSync(path.join(root, 'd/b.txt'), 'B')
    git(root, 'commit', '-q', '-a', '-m', 'second')
    fs.writeFileSync(path.join(root, 'c.txt'), 'staged')
    git(root, 'add', 'c.txt')
    fs.writeFileSync(path.join(root, 'a.txt'), 'uncommitted')
    fs.writeFileSync(path.join(root, 'new.txt'), 'untracked')
    return root
  }
  const seen = (root: string) => ({
    ...treeOf(root),
    status: git(root, 'status'),
    head: git(root, 'rev-parse', 'HEAD'),
  })

  for (const [name, what, how] of [
    ['HEAD^:a.txt', 'one byte', oneByte],
    ['HEAD^:a.txt', 'gone', undefined],
    ['HEAD^:d', 'zeros', zeros],
    ['HEAD^^{tree}', 'empty', () => Buffer.alloc(0)],
  ] as const) {
    it(`(${name}, ${what}) is refused, and nothing is written`, async () => {
      const root = atWork()
      const now = seen(root)
      const file = fileOf(root, name)
      fs.chmodSync(file, 0o644)
      if (how === undefined) fs.rmSync(file)
      else damage(file, how)
      const clada = new Clada({ repoPath: root })
      const result = await clada.back()
      expect(result).toMatchObject({ success: false })
      expect(result.error).toMatch(/clada back.*(?:object|loose|missing|corrupt|inflate|tree)/is)
      expect(seen(root)).toEqual(now)
      expect(git(root, 'for-each-ref', 'refs/clada/kept')).toBe('')
      // Whoever goes on is not stopped by it.
      expect(await execute(root, 'shadow', [write('e.txt', 'e')])).toMatchObject({ success: true })
    })
  }

  it('(EIO) is refused, and nothing is written', async (context) => {
    skipWithout(context, 'strace')
    const root = atWork()
    const before = seen(root)
    const fault = ['-P', fileOf(root, 'HEAD^:a.txt'), '-e', 'trace=openat', '-e', 'inject=openat:error=EIO']
    const args = ['-f', '-qq', '-o', '/dev/null', ...fault, ...cladaCommand(), 'back', '--root', root]
    const { status, stderr, stdout } = spawnSync('strace', args, { encoding: 'utf8' })
    expect(status).not.toBe(0)
    expect(stdout + stderr).toContain('clada back')
    expect(stdout + stderr).not.toMatch(/\n\s+at /)
    expect(seen(root)).toEqual(before)
    const clada = new Clada({ repoPath: root })
    expect([await clada.back(), await clada.forward()]).toMatchObject([{ success: true }, { success: true }])
    expect(seen(root)).toEqual(before)
  })
})

it('an object that a power cut has emptied is written again', async () => {
  for (const mode of ['commit', 'shadow'] as const) {
    const root = repository({ 'd/a.txt': 'a' })
    await execute(root, mode, [write('d/a.txt', 'A')])
    await undoIn(root, mode)
    const commit = readRecord(inState(root, 'history'), 1)?.commits?.after ?? ''
    for (const name of [`${commit}:d/a.txt`, `${commit}:d`, `${commit}^{tree}`]) {
      const id = git(root, 'rev-parse', name).trim()
      const file = path.join(root, '.git/objects', id.slice(0, 2), id.slice(2))
      fs.chmodSync(file, 0o644)
      fs.truncateSync(file, 0)
    }
    expect(await execute(root, mode, [write('d/a.txt', 'A')])).toMatchObject({ success: true })
    expect(git(root, 'fsck', '--strict', '--no-dangling')).toBe('')
  }
})
