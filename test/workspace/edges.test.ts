import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Inspected, PathChange, Recorder } from '../../packages/clada/src/core/recorder.ts'
import { NotedChanges } from '../../packages/clada/src/history/history.ts'
import { DiskTree } from '../../packages/clada/src/workspace/disk-tree.ts'
import { linkOrCopy, recordChanges } from '../../packages/clada/src/workspace/replacement.ts'
import { Scratch } from '../../packages/clada/src/workspace/scratch.ts'
import { StagedTree } from '../../packages/clada/src/workspace/staged-tree.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'
import { makePathJudge, pathPolicyOf } from '../../packages/clada/src/policy/paths.ts'
import { openWorkspace } from '../../packages/clada/src/workspace/open.ts'
import { settingsFor } from '../support/settings.ts'
import { diskIn, locationIn, stopOf, workspaceIn } from './disk.ts'

function recorderWith(seen: PathChange[]): Recorder {
  return {
    acting: 0,
    ofProgram: false,
    queue: async () => {},
    begin: async () => {},
    enter: async () => {},
    prepare: async () => {},
    beginChange: (changes) => {
      seen.push(...changes)
      return () => {}
    },
    passed: () => {},
    reverted: () => {},
    beforeProgram: async () => {},
    beforeGit: async () => {},
    afterGit: async () => {},
    changedByProgram: async () => new Map(),
    namesOf: () => 0,
    noting: () => () => [],
  }
}

it('what would make a repository is refused also while the other parts are on their way to the disk', async () => {
  const names = ['HEAD', 'objects/x', 'refs/x']
  for (const last of names) {
    const root = scratchDir()
    const settings = settingsFor(root)
    // As on a disk: a file gets its name later.
    const prepare = async (): Promise<void> => {
      for (let turn = 0; turn < 20; turn++) await new Promise((done) => setImmediate(done))
    }
    const recorder = { ...recorderWith([]), prepare }
    const workspace = openWorkspace(settings, makePathJudge(pathPolicyOf(settings)), 'disk', recorder)
    const files = workspace.filesFor(() => {})
    const writeFile = async (name: string): Promise<void> => {
      const file = { given: name, absolute: path.join(root, 'x', name) }
      await files.write(file, 'ref: refs/heads/main\n')
      if (name === last) await files.landed(file)
    }
    for (const name of names) if (name !== last) await writeFile(name)
    expect(await stopOf(() => writeFile(last))).toMatchObject({ kind: 'path', rule: 'path_denied' })
    await workspace.close()
    expect(fs.existsSync(path.join(root, 'x', last))).toBe(false)
  }
})

it('what a program did lands, and each part that may not is named with its reason', async () => {
  const root = scratchDir({ 'a.txt': 'old', 'full/b.txt': 'b', 'elsewhere/c.txt': 'c' })
  const layer = scratchDir({ new: 'new' })
  fs.symlinkSync('elsewhere', path.join(root, 'link'))
  const made = { change: 'create', mode: 0o755 } as const
  const { kept, notKept } = await workspaceIn(root)
    .filesFor(() => {})
    .land(
      root,
      [
        { kind: 'file', path: 'a.txt', change: 'modify', from: path.join(layer, 'new'), mode: 0o644 },
        { kind: 'directory', path: 'link/d', ...made },
        { kind: 'directory', path: '.clada/d', ...made },
        { kind: 'gone', path: 'full', type: 'directory' },
        { kind: 'gone', path: 'none.txt', type: 'other' },
      ],
      'wide',
    )
  expect(kept.map(({ path: name }) => name)).toEqual(['a.txt'])
  expect(notKept).toEqual([
    { path: 'link/d', reason: `'${path.join(root, 'link')}' is a symbolic link` },
    { path: '.clada/d', reason: "it is clada's own state" },
    { path: 'full', reason: 'what is in it stays' },
    { path: 'none.txt', reason: 'ENOENT, unlink' },
  ])
  expect(filesIn(root)).toEqual({ 'a.txt': 'new', 'full/b.txt': 'b', 'elsewhere/c.txt': 'c' })
})

it('a refused path comes with the advice for it', async () => {
  const root = scratchDir()
  const files = workspaceIn(root).filesFor(() => {})
  const given = '../a.txt'
  const problem = await stopOf(() => files.read({ given, absolute: path.join(root, given) }))
  const advice = { model: expect.stringContaining('--allow'), user: expect.stringContaining('--allow') }
  expect(problem).toMatchObject({ kind: 'path', rule: 'path_escape', path: given, advice })
})

describe('the layers below actions', () => {
  it('set the time of a file, and of a link itself', () => {
    const root = scratchDir({ 'a.txt': 'a' })
    fs.symlinkSync('a.txt', path.join(root, 'link'))
    const time = new Date('2001-02-03T04:05:06Z')
    diskIn(root).setTime(locationIn(root, 'link'), time)
    expect(fs.lstatSync(path.join(root, 'link')).mtime).toEqual(time)
    expect(fs.statSync(path.join(root, 'a.txt')).mtime).not.toEqual(time)
  })

  it('record each change with its action', async () => {
    const root = scratchDir({ 'a.txt': 'a', 'b.txt': 'b' })
    const seen: PathChange[] = []
    const recorder = recorderWith(seen)
    const scratch = new Scratch(root)
    const disk = new DiskTree(scratch, recorder)
    onTestFinished(async () => {
      await disk.finish()
      await scratch.finish()
    })
    recorder.acting = 3
    disk.remove(locationIn(root, 'a.txt'))
    recorder.acting = 4
    disk.rename(locationIn(root, 'b.txt'), locationIn(root, 'c.txt'))
    expect(seen.map(({ absolute, by }) => [path.basename(absolute), by])).toEqual([
      ['a.txt', 3],
      ['b.txt', 4],
      ['c.txt', 4],
    ])
  })

  it('announce files of directories that are not there yet, with all others at once', async () => {
    const root = scratchDir({ 'a.txt': 'a', file: '' })
    const announced: PathChange[] = []
    const scratch = new Scratch(root)
    const prepare = async (changes: readonly PathChange[]): Promise<void> => void announced.push(...changes)
    const disk = new DiskTree(scratch, { ...recorderWith([]), prepare })
    onTestFinished(() => scratch.finish())
    const becomes = { type: 'file', mode: 0o644 } as const
    await disk.announce([
      ...['a.txt', 'new/b.txt', 'new/deep/c.txt', 'file/d.txt'].map((name) => ({
        at: locationIn(root, name),
        becomes,
      })),
      { at: locationIn(root, 'gone/e.txt'), becomes: { type: 'absent' } },
    ])
    expect(announced.map(({ absolute, was }) => [path.relative(root, absolute), was])).toEqual([
      ['a.txt', undefined],
      ['new/b.txt', 'absent'],
      ['new/deep/c.txt', 'absent'],
      ['file/d.txt', 'absent'],
    ])
  })

  it('note how a file was before the first change and is after the last', () => {
    const noted = new NotedChanges(() => ({ type: 'absent' }))
    const report = noted.noting(2)
    const absolute = '/a.txt'
    const texts = ['one', 'two', 'three'].map((text) => Buffer.from(text))
    for (const [at, bytes] of texts.entries()) {
      const before = texts[at - 1]
      const was = before === undefined ? 'absent' : { mode: 0o644, bytes: before }
      for (const by of [2, 3])
        recordChanges(
          noted,
          [{ absolute, safePath: absolute, by, was, becomes: { type: 'file', mode: 0o644, bytes } }],
          () => {},
        )
    }
    expect(report()).toEqual([{ absolute, before: null, after: { mode: 0o644, bytes: Buffer.from('three') } }])
    expect(noted.noting(2)()).toEqual([])
  })

  it('look at a file themselves where nothing says how it was', () => {
    const noted = new NotedChanges(() => ({ type: 'absent' }))
    const report = noted.noting(1)
    const absolute = path.join(scratchDir(), 'new.txt')
    recordChanges(noted, [{ absolute, safePath: absolute, by: 1, becomes: { type: 'file', mode: 0o644 } }], () =>
      fs.writeFileSync(absolute, 'new'),
    )
    expect(report()).toMatchObject([{ absolute, before: null, after: { bytes: Buffer.from('new') } }])
  })

  it('note what a program changed, but no directory', () => {
    const file = (text: string) => ({ type: 'file', mode: 0o644, bytes: Buffer.from(text) }) as const
    const noted = new NotedChanges(() => file('new'))
    const report = noted.noting(1)
    noted.changedByProgram(
      1,
      new Map<string, Inspected>([
        ['/a', file('old')],
        ['/b', { type: 'absent' }],
        ['/c', { type: 'directory' }],
      ]),
    )
    expect(
      report().map(({ absolute, before, after }) => [absolute, String(before?.bytes), String(after?.bytes)]),
    ).toEqual([
      ['/a', 'old', 'new'],
      ['/b', 'undefined', 'new'],
    ])
  })

  it('link a file, or copy it to another device, and never over another', () => {
    const root = scratchDir({ 'there.txt': 'theirs' })
    const copy = path.join(root, 'copy.txt')
    linkOrCopy(import.meta.filename, copy)
    expect(fs.readFileSync(copy)).toEqual(fs.readFileSync(import.meta.filename))
    expect(() => linkOrCopy(import.meta.filename, path.join(root, 'there.txt'))).toThrow('EEXIST')
    expect(() => linkOrCopy(path.join(root, 'gone'), path.join(root, 'new'))).toThrow(
      "ENOENT: no such file or directory, link '",
    )
  })

  it('take the file of a program into a stage, but not over a directory', async () => {
    const root = scratchDir({ 'dir/a.txt': 'a', 'b.txt': 'old', 'made.txt': 'new' })
    fs.symlinkSync('b.txt', path.join(root, 'link'))
    const stage = new StagedTree(diskIn(root))
    const from = path.join(root, 'made.txt')
    for (const name of ['b.txt', 'link', 'new/c.txt']) {
      stage.adopt(locationIn(root, name), { from, mode: 0o644 })
      expect(stage.read(locationIn(root, name), Infinity).bytes.toString()).toBe('new')
    }
    expect(await stopOf(() => stage.adopt(locationIn(root, 'dir'), { from, mode: 0o644 }))).toMatchObject({
      kind: 'os',
      code: 'EISDIR',
    })
    expect(fs.readFileSync(path.join(root, 'b.txt'), 'utf8')).toBe('old')
  })

  it('take only so much of programs into memory, from all stages together', async () => {
    const root = scratchDir({ 'huge.bin': '', 'a.txt': 'a' })
    const from = path.join(root, 'huge.bin')
    fs.truncateSync(from, 250 * 1024 * 1024)
    fs.symlinkSync('a.txt', path.join(root, 'link'))
    const group = new StagedTree(diskIn(root))
    const take = (name: string) => {
      const stage = new StagedTree(group)
      stage.adopt(locationIn(root, name), { from, mode: 0o644 })
      group.take(stage)
    }
    take('1')
    take('2')
    expect(await stopOf(() => take('link'))).toMatchObject({ kind: 'too-large' })
    expect(await stopOf(() => group.adopt(locationIn(root, 'link'), { from, mode: 0o644 }))).toMatchObject({
      kind: 'too-large',
    })
    expect(group.look(locationIn(root, 'link'))?.type).toBe('symlink')
    expect(group.adoptedBytes).toBe(500 * 1024 * 1024)
  })

  it('keep a link of another stage as a link', async () => {
    const root = scratchDir({ 'a.txt': 'a' })
    const stage = new StagedTree(diskIn(root))
    const at = locationIn(root, 'link')
    await stage.keep([{ change: { at, before: null, after: { mode: 0o120000, bytes: Buffer.from('a.txt') } } }])
    expect(stage.look(at)?.type).toBe('symlink')
    await stage.keep([
      { change: { at: locationIn(root, 'n.txt'), before: null, after: { mode: 0o100644, bytes: Buffer.from('n') } } },
    ])
    expect(stage.look(locationIn(root, 'n.txt'))?.type).toBe('file')
  })
})
