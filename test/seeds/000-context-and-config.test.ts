import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { addPath, listPaths } from '../../packages/clada/src/compat/index.ts'
import { clada } from '../support/cli.ts'
import { scratchDir } from '../support/scratch.ts'

const text = 'one\ntwo\nthree\nfour\n'

describe('seed 000: context references with line ranges', () => {
  it('are added, listed, printed and removed', () => {
    const root = scratchDir({ 'src/k.ts': text })
    const context = (...args: string[]) => clada(['context', ...args], { cwd: root })
    expect(context('add', 'src/k.ts:2-3')).toMatchObject({ status: 0 })
    expect(context('list').stdout).toContain('src/k.ts:2-3')
    expect(context('print').stdout).toContain(`src/k.ts:2-3 ===\ntwo\nthree\n`)
    expect(context('print', '--numbered').stdout).toContain('2: two\n3: three')
    expect(context('add', 'src/k.ts:2-3').stdout).toContain('already')
    expect(context('remove', 'src/k.ts:2-3')).toMatchObject({ status: 0 })
    expect(context('list').stdout).toContain('empty')
  })

  it('are left out where the whole file is shown', () => {
    const root = scratchDir({ 'k.ts': text })
    const context = (...args: string[]) => clada(['context', ...args], { cwd: root })
    context('add', 'k.ts:4', 'k.ts')
    expect(context('print').stdout.match(/^===/gm)).toHaveLength(1)
  })

  it.each(['k.ts:4-2', 'k.ts:0-2', 'k.ts:2-9', 'gone.ts:1-2', '.env:1-1'])('%s is refused', (range) => {
    const root = scratchDir({ 'k.ts': text, '.env': 'KEY=1\n' })
    expect(clada(['context', 'add', range], { cwd: root }).status).toBe(1)
    expect(clada(['context', 'list'], { cwd: root }).stdout).toContain('empty')
  })
})

describe('seed 000: sessions', () => {
  it('have a working set each, and a new one is empty', async () => {
    const root = scratchDir({ 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' })
    const options = { repoPath: root, gitCommit: false }
    await addPath('a.txt', options)
    await addPath('b.txt', { ...options, session: 'fix' })
    await addPath('c.txt', { ...options, session: 'other' })
    const names = async (session?: string) =>
      (await listPaths({ ...options, ...(session !== undefined && { session }) })).map((one) => path.basename(one.path))
    expect([await names(), await names('fix'), await names('other'), await names('new')]).toEqual([
      ['a.txt'],
      ['b.txt'],
      ['c.txt'],
      [],
    ])
  })

  it('are named by --session', () => {
    const root = scratchDir({ 'a.txt': 'a' })
    const context = (...args: string[]) => clada(['context', ...args], { cwd: root }).stdout
    context('add', 'a.txt', '--session', 'one')
    expect(context('list', '--session', 'one')).toContain('a.txt')
    expect(context('list', '--session', 'two')).toContain('empty')
    expect(context('list')).toContain('empty')
    context('clear', '--session', 'one')
    expect(context('list', '--session', 'one')).toContain('empty')
  })
})

describe('seed 000: keys of the design', () => {
  it.each([
    ['security:\n  path_validation:\n    allowed_roots: [/tmp]\n', 'allowed_roots'],
    ['blacklist_patterns: [x]\n', 'denied_patterns'],
    ['config:\n  max_file_size: 10\n', 'limits.file_bytes'],
    ['max_file_size: 10\n', 'limits.file_bytes'],
    ['line_endings: preserve\n', 'always kept'],
    ['git_auto_push: false\n', 'nothing is ever pushed'],
    ['commit_message_format: x\n', 'git.commit_message_format'],
    ['git:\n  commit_message_format: "AI: {operation_summary}"\n  git_auto_push: false\n', 'nothing is ever pushed'],
    ['canonicalization: required\n', 'always resolved'],
  ])('%j is answered with %s', (yaml, instead) => {
    const root = scratchDir({ 'clada.yml': `version: 1\n${yaml}` })
    const { status, stderr } = clada(['config'], { cwd: root })
    expect(status).toBe(2)
    expect(stderr).toContain(instead)
  })

  it('the full name is in README and package.json', () => {
    const read = (name: string) => fs.readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')
    expect(read('README.md')).toContain('Common LLM Actions Desktop Actuator')
    expect(JSON.parse(read('packages/clada/package.json')).description).toContain('Common LLM Actions Desktop Actuator')
  })
})

describe('seed 000: many small changes to a big file', () => {
  it('are one file_edit with several pairs', () => {
    const root = scratchDir({ 'a.txt': 'a\nb\nc\n' })
    const document = `#!SHAM [@three-char-SHA-256: abc]
action = "file_edit"
path = "${root}/a.txt"
edits = <<'EOT_SHAM_abc'
<<<<<<< SEARCH
a
=======
A
>>>>>>> REPLACE
<<<<<<< SEARCH
c
=======
C
>>>>>>> REPLACE
EOT_SHAM_abc
#!END_SHAM_abc
`
    expect(clada(['run', '-', '--no-git'], { cwd: root, input: document }).status).toBe(0)
    expect(fs.readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('A\nb\nC\n')
  })
})
