import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { ignoredLimits } from '../../packages/clada/src/git/snapshot.ts'
import { ownOwner } from '../../packages/clada/src/state/own-files.ts'
import { Clada } from '../../packages/clada/src/index.ts'
import { fill, scratchDir, inState } from '../support/scratch.ts'
import { startClada } from './kill.ts'
import { type Call, documentOf, git, type Mode, redoIn, repository, treeOf, undoIn, writeJournal } from './world.ts'

const bash = (code: string): Call => ['exec', { lang: 'bash', code }]
const files = { 'a.txt': 'a\n', 'b.txt': 'b\n', 'src/c.txt': 'c\n', '.gitignore': 'ignored/\n' }

const run = (root: string, mode: Mode, calls: readonly Call[]) =>
  new Clada({ repoPath: root, git: mode, exec: 'unsandboxed' }).execute(documentOf(root, calls))

describe('what programs change', () => {
  for (const mode of ['commit', 'shadow', 'off'] as const) {
    for (const where of ['a repository', 'no repository'] as const) {
      it(`is taken back and brought again: ${mode}, ${where}`, async () => {
        const root = where === 'a repository' ? repository(files) : scratchDir(files)
        fill(root, { 'b.txt': 'not committed\n', 'untracked.txt': 'u\n' })
        fs.chmodSync(path.join(root, 'src/c.txt'), 0o600)
        const before = treeOf(root)
        const result = await run(root, mode, [
          ['file_write', { path: 'a.txt', content: 'edited before\n' }],
          bash(
            'echo in place >> a.txt; echo more >> b.txt; rm untracked.txt; echo new > new.txt; echo x >> src/c.txt; chmod +x a.txt',
          ),
          ['file_append', { path: 'b.txt', content: 'edited after\n' }],
          bash('mv new.txt newer.txt'),
        ])
        expect(result.results.map(({ success }) => success)).toEqual([true, true, true, true])
        const after = treeOf(root)
        expect(after['b.txt']).toBe('644 not committed\nmore\nedited after\n')

        expect(await undoIn(root, mode)).toMatchObject({ success: true, conflicts: [] })
        expect(treeOf(root)).toEqual(before)
        expect(await redoIn(root, mode)).toMatchObject({ success: true })
        expect(treeOf(root)).toEqual(after)
        expect(fs.existsSync(inState(root, 'history/1/git'))).toBe(false)
        if (mode === 'commit' && where === 'a repository') expect(git(root, 'status', '--porcelain')).toBe('')
      })
    }
  }

  for (const mode of ['commit', 'off'] as const)
    it(`is as closed to others afterwards as it was before: ${mode}`, async () => {
      const root = repository({ ...files, 'private/key.txt': 'k\n', 'private/deep/x': 'x\n', 'kept.txt': 'k\n' })
      fs.chmodSync(path.join(root, 'private'), 0o700)
      fs.chmodSync(path.join(root, 'private/key.txt'), 0o600)
      fs.chmodSync(path.join(root, 'kept.txt'), 0o640)
      const before = treeOf(root)
      expect(before).toMatchObject({ 'private/': 'directory 700', 'private/key.txt': '600 k\n' })
      await run(root, mode, [bash('rm -r private; chmod 644 kept.txt')])
      const after = treeOf(root)
      expect(after['kept.txt']).toBe('644 k\n')
      expect(await undoIn(root, mode)).toMatchObject({ success: true, conflicts: [] })
      expect(treeOf(root)).toEqual(before)
      expect(await redoIn(root, mode)).toMatchObject({ success: true })
      expect(treeOf(root)).toEqual(after)
    })

  it('comes with directories, which are taken back as well', async () => {
    const root = repository({ ...files, 'gone/deep/d.txt': 'd\n', 'was-dir/x': 'x\n', 'was-file': 'f\n' })
    fs.mkdirSync(path.join(root, 'empty/deep'), { recursive: true })
    const before = treeOf(root)
    await run(root, 'commit', [
      bash('rm -r gone empty was-dir was-file; mkdir -p new/deep was-file only; echo n > new/deep/n; echo w > was-dir'),
    ])
    const after = treeOf(root)
    expect(await undoIn(root, 'commit')).toMatchObject({ success: true, conflicts: [] })
    expect(treeOf(root)).toEqual(before)
    expect(await redoIn(root, 'commit')).toMatchObject({ success: true, conflicts: [] })
    expect(treeOf(root)).toEqual(after)
    fill(root, { 'new/mine.txt': 'mine\n' })
    expect(await undoIn(root, 'commit')).toMatchObject({ success: true, conflicts: [] })
    expect(treeOf(root)).toEqual({ ...before, 'new/': 'directory 755', 'new/mine.txt': '644 mine\n' })
  })

  const mixed = {
    'crlf.txt': 'a\r\nb\r\n',
    'lf.txt': 'a\nb\n',
    'both.txt': 'a\r\nb\n',
    'x/crlf.txt': 'c\r\nd\r\ne\r\n',
  }
  for (const autocrlf of ['true', 'input', 'false']) {
    it(`is taken back byte by byte, whatever line endings git puts in: autocrlf ${autocrlf}`, async () => {
      const root = repository({})
      git(root, 'config', 'core.autocrlf', autocrlf)
      fill(root, mixed)
      git(root, 'add', '-A')
      git(root, 'commit', '-q', '-m', 'first')
      fill(root, { 'x/new.txt': 'not\r\ncommitted\r\n' })
      const before = treeOf(root)
      const result = await run(root, 'shadow', [bash('for f in *.txt x/*.txt; do echo z >> "$f"; done')])
      const lost = result.warnings?.some((warning) => warning.includes('both.txt')) ?? false
      expect(await undoIn(root, 'shadow')).toMatchObject({ success: true, conflicts: [] })
      const both = treeOf(root)['both.txt']
      // Where nobody can say which lines had which ending, the file stays, and that is told.
      expect(both).toBe(lost ? '644 a\r\nb\nz\n' : before['both.txt'])
      expect({ ...treeOf(root), 'both.txt': '' }).toEqual({ ...before, 'both.txt': '' })
      expect(lost).toBe(autocrlf !== 'false')
    })
  }

  it('is never taken for new where nobody looked: other repositories, filters, files marked as unchanged', async () => {
    const attributes = '*.rot filter=rot\n'
    const root = repository({ 'a.txt': 'a\n', 'local.txt': 'l\n', 'x.rot': 'uryyb\n', '.gitattributes': attributes })
    git(root, 'config', 'filter.rot.clean', 'tr a-z n-za-m')
    git(root, 'config', 'filter.rot.smudge', 'tr a-z n-za-m')
    git(root, 'update-index', '--assume-unchanged', 'local.txt')
    git(root, 'clone', '-q', repository({ 'of-it.txt': 'inner\n' }), 'inner')
    fill(root, { 'local.txt': 'm\n' })
    const bare = scratchDir({ 'a.txt': 'a\n' })
    git(bare, 'clone', '-q', repository({ 'of-it.txt': 'inner\n' }), 'inner')
    for (const [dir, mode, lost] of [
      [root, 'shadow', 'inner/of-it.txt, local.txt, x.rot'],
      [root, 'off', 'inner/of-it.txt'],
      [bare, 'commit', 'inner/of-it.txt'],
    ] as const) {
      const result = await run(dir, mode, [
        bash('for f in a.txt inner/of-it.txt local.txt x.rot; do echo z >> $f; done'),
      ])
      expect(result.warnings).toEqual([expect.stringContaining(`cannot revert what action 1 did to ${lost}: `)])
      const after = treeOf(dir)
      expect(await undoIn(dir, mode)).toMatchObject({ success: true, conflicts: [] })
      const kept = treeOf(dir)
      for (const name of lost.split(', ')) expect(kept[name]).toBe(after[name])
      expect(kept['a.txt']).toBe('644 a\n')
    }
  })

  it('is taken back whatever the files are called', async () => {
    const names = [
      'new\nline',
      ' blank',
      '\ttab',
      'quo"te',
      'back\\slash',
      '*',
      ':(top)x',
      'aux.c',
      'dot.',
      'ü',
      'u\u0308',
    ]
    const root = repository(Object.fromEntries(names.map((name) => [name, `${name}\n`])))
    const before = treeOf(root)
    await run(root, 'commit', [bash(`for f in ./*; do echo z >> "$f"; done; echo z > $'an\\nother'; echo z > .npmrc`)])
    const after = treeOf(root)
    expect(Object.keys(after)).toHaveLength(names.length + 2)
    expect(await undoIn(root, 'commit')).toMatchObject({ success: true, conflicts: [] })
    expect(treeOf(root)).toEqual(before)
    expect(await redoIn(root, 'commit')).toMatchObject({ success: true })
    expect(treeOf(root)).toEqual(after)
    expect(git(root, 'status', '--porcelain')).toBe('')
  })

  it('is saved without closed files', async () => {
    const root = repository(files)
    fill(root, { '.env': 'SECRET\n', 'ignored/.env': 'SECRET\n' })
    const result = await run(root, 'shadow', [bash('echo a >> a.txt; echo MORE >> ignored/.env')])
    expect(result.warnings).toEqual([
      expect.stringMatching(/^clada undo cannot revert what action 1 did to ignored\/\.env: blocked files, large ones/),
    ])
    expect(await undoIn(root, 'shadow')).toMatchObject({ success: true, restored: ['a.txt'] })
    const objects = git(root, 'cat-file', '--batch-all-objects', '--batch-check=%(objectname)').trim().split('\n')
    for (const oid of objects) expect(git(root, 'cat-file', '-p', oid)).not.toContain('SECRET')
    expect(fs.readFileSync(inState(root, 'history/1/journal'), 'utf8')).not.toContain('SECRET')
  })
})

describe('what programs do to files that git ignores', () => {
  const before = { 'ignored/x.txt': 'x\n', 'ignored/deep/gone.txt': 'gone\n', 'ignored/bin': '#!/bin/sh\n' }
  const changes = bash('cd ignored; echo new > x.txt; rm deep/gone.txt; echo made > made.txt; ln -s x.txt link')

  for (const where of ['a repository', 'no repository'] as const) {
    it(`is taken back and brought again: ${where}`, async () => {
      const root = where === 'a repository' ? repository(files) : scratchDir(files)
      fill(root, before)
      fs.chmodSync(path.join(root, 'ignored/bin'), 0o755)
      const then = treeOf(root)
      const result = await run(root, 'commit', [changes])
      expect(result.warnings).toBeUndefined()
      const after = treeOf(root)
      expect(after['ignored/made.txt']).toBe('644 made\n')
      expect(await undoIn(root, 'commit')).toMatchObject({ success: true, conflicts: [] })
      expect(treeOf(root)).toEqual(then)
      expect(await redoIn(root, 'commit')).toMatchObject({ success: true })
      expect(treeOf(root)).toEqual(after)
    })
  }

  it('is known when the program changes what is ignored', async () => {
    const root = repository(files)
    fill(root, before)
    const then = treeOf(root)
    await run(root, 'off', [
      bash('echo > .gitignore; echo new > ignored/x.txt; echo y > ignored/y.txt; echo z > z.txt'),
    ])
    expect(await undoIn(root, 'off')).toMatchObject({ success: true })
    expect(treeOf(root)).toEqual(then)
  })

  it('is never committed', async () => {
    const root = repository(files)
    fill(root, before)
    await run(root, 'commit', [changes])
    expect(git(root, 'rev-list', '--count', 'HEAD').trim()).toBe('1')
    expect(git(root, 'ls-files')).not.toContain('ignored/')
  })

  it('is in nobody’s way when it changed since', async () => {
    const root = repository(files)
    fill(root, before)
    await run(root, 'off', [bash('echo new > ignored/x.txt; echo a >> a.txt')])
    fill(root, { 'ignored/x.txt': 'newer\n' })
    expect(await undoIn(root, 'off')).toMatchObject({
      success: true,
      restored: ['a.txt'],
      warnings: ['ignored/x.txt was not restored: git ignores it, and it was changed since'],
    })
    expect(fs.readFileSync(path.join(root, 'ignored/x.txt'), 'utf8')).toBe('newer\n')
  })

  it('is said not to be kept where it is too large', async () => {
    const root = repository(files)
    fill(root, { 'ignored/large.bin': 'x'.repeat(ignoredLimits.fileBytes + 1) })
    const result = await run(root, 'off', [bash('echo more >> ignored/large.bin; echo a >> a.txt')])
    expect(result.warnings).toEqual([expect.stringContaining('what action 1 did to ignored/large.bin:')])
    expect(await undoIn(root, 'off')).toMatchObject({ success: true, restored: ['a.txt'] })
  })

  it('is said not to be kept where they are too many, and new ones are left alone', async () => {
    const root = repository(files)
    const many = Array.from({ length: ignoredLimits.files + 1 }, (_, at) => [`ignored/${at}.txt`, 'x'] as const)
    fill(root, Object.fromEntries(many))
    const result = await run(root, 'off', [bash('echo new > ignored/new.txt; echo a >> a.txt')])
    expect(result.warnings).toEqual([expect.stringContaining('what action 1 did to ignored/new.txt:')])
    expect(await undoIn(root, 'off')).toMatchObject({ success: true, restored: ['a.txt'] })
    expect(fs.existsSync(path.join(root, 'ignored/new.txt'))).toBe(true)
  })
})

describe('a program that runs when clada is killed', () => {
  for (const mode of ['commit', 'shadow', 'off'] as const) {
    it(`is told of, with what it may have changed, and can be taken back: ${mode}`, async () => {
      const root = repository(files)
      fill(root, { 'b.txt': 'not committed\n' })
      const before = treeOf(root)
      const pid = path.join(scratchDir(), 'pid')
      const calls: Call[] = [
        ['file_write', { path: 'src/c.txt', content: 'by clada\n' }],
        bash(
          `echo more >> b.txt; echo more >> src/c.txt; echo new > new.txt; rm a.txt; echo $$ > ${pid}; exec sleep 60`,
        ),
      ]
      const how = mode === 'off' ? ['--no-git'] : ['--git', mode]
      const child = startClada(inject('cli'), root, calls, '--exec', 'unsandboxed', ...how)
      const ended = once(child, 'close')
      while (!fs.existsSync(pid) || fs.readFileSync(pid, 'utf8') === '')
        await new Promise((done) => setTimeout(done, 5))
      child.kill('SIGKILL')
      await ended
      process.kill(Number(fs.readFileSync(pid, 'utf8')))

      const next = await run(root, mode, [['file_write', { path: 'd.txt', content: 'd' }]])
      expect(next.warnings).toEqual([
        'execution 1 was interrupted: clada was stopped before it was complete. Action 1 is complete; all others ' +
          'are missing or partial. It changed src/c.txt, a.txt, b.txt, new.txt. To revert it: clada undo 1. To ' +
          'continue instead: run the missing actions again.',
        'action 2 of execution 1 was running a program at that moment. Changed since, by that program or by another ' +
          'process: src/c.txt, a.txt, b.txt, new.txt. Files that git ignores were not checked.',
        ...(mode === 'commit' ? [expect.stringMatching(/^uncommitted changes .* were committed first/)] : []),
      ])
      expect(await undoIn(root, mode)).toMatchObject({ success: true })
      expect(await undoIn(root, mode)).toMatchObject({ success: true, execution: 1, conflicts: [] })
      expect(treeOf(root)).toEqual(before)
    })
  }

  it('is told of when it changed nothing', async () => {
    const root = scratchDir(files)
    const dead = { ...ownOwner(), pid: spawnSync('true').pid, started: '1', execution: 1, kind: 'run' }
    writeJournal(root, 1, [dead, { program: 1 }])
    const next = await run(root, 'off', [['file_write', { path: 'd.txt', content: 'd' }]])
    expect(next.warnings).toEqual([
      'execution 1 was interrupted: clada was stopped before it was complete. No action is known to be complete.',
      'action 1 of execution 1 was running a program at that moment. The changes of that program are unknown, and ' +
        'clada undo cannot revert them: check the files yourself.',
    ])
  })
})
