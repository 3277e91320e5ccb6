import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { diffLines } from '@clada/reply/text/line-diff.ts'
import { unifiedDiff } from '@clada/reply/text/unified-diff.ts'

type Args = [oldPath: string | null, newPath: string | null, before: string | null, after: string | null]

describe('unifiedDiff', () => {
  const cases: { name: string; args: Args; diff: string }[] = [
    { name: 'nothing to tell', args: ['f', 'f', 'a\n', 'a\n'], diff: '' },
    {
      name: 'a changed line',
      args: ['f', 'f', 'a\nb\n', 'a\nc\n'],
      diff: 'diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n',
    },
    {
      name: 'created',
      args: [null, 'f', null, 'a\n'],
      diff: 'diff --git a/f b/f\nnew file mode 100644\n--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n',
    },
    {
      name: 'deleted',
      args: ['f', null, 'a', null],
      diff: 'diff --git a/f b/f\ndeleted file mode 100644\n--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n\\ No newline at end of file\n',
    },
    { name: 'created empty', args: [null, 'f', null, ''], diff: 'diff --git a/f b/f\nnew file mode 100644\n' },
    { name: 'deleted empty', args: ['f', null, '', null], diff: 'diff --git a/f b/f\ndeleted file mode 100644\n' },
    {
      name: 'a final newline added',
      args: ['f', 'f', 'a', 'a\n'],
      diff: 'diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n',
    },
    {
      name: 'CRLF is kept',
      args: ['f', 'f', 'a\r\n', 'b\r\n'],
      diff: 'diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\r\n+b\r\n',
    },
    {
      name: 'renamed',
      args: ['f', 'g', 'a\n', 'a\n'],
      diff: 'diff --git a/f b/g\nsimilarity index 100%\nrename from f\nrename to g\n',
    },
    {
      name: 'a name with a blank ends with a tab',
      args: ['a b', 'a b', '', 'x\n'],
      diff: 'diff --git a/a b b/a b\n--- a/a b\t\n+++ b/a b\t\n@@ -0,0 +1 @@\n+x\n',
    },
    {
      name: 'names are quoted as git does',
      args: ['ü"\\\n', 'ü"\\\n', '', 'x\n'],
      diff: 'diff --git "a/\\303\\274\\"\\\\\\n" "b/\\303\\274\\"\\\\\\n"\n--- "a/\\303\\274\\"\\\\\\n"\n+++ "b/\\303\\274\\"\\\\\\n"\n@@ -0,0 +1 @@\n+x\n',
    },
  ]
  test.each(cases)('$name', ({ args, diff }) => {
    expect(unifiedDiff(...args)).toBe(diff)
  })

  test('modes', () => {
    expect(unifiedDiff('f', 'f', 'a', 'a', { oldMode: '100644', newMode: '100755' })).toBe(
      'diff --git a/f b/f\nold mode 100644\nnew mode 100755\n',
    )
    expect(unifiedDiff(null, 'f', null, '', { newMode: '100755' })).toBe('diff --git a/f b/f\nnew file mode 100755\n')
  })

  test('changes near each other share a hunk, others do not', () => {
    const before = Array.from({ length: 20 }, (_, index) => `${index + 1}\n`)
    const heads = (...changed: number[]) => {
      const after = before.map((line, index) => (changed.includes(index + 1) ? 'x\n' : line))
      return unifiedDiff('f', 'f', before.join(''), after.join('')).match(/^@@.*@@$/gm)
    }
    expect(heads(4, 11)).toEqual(['@@ -1,14 +1,14 @@'])
    expect(heads(4, 12)).toEqual(['@@ -1,7 +1,7 @@', '@@ -9,7 +9,7 @@'])
    expect(heads(1, 20)).toEqual(['@@ -1,4 +1,4 @@', '@@ -17,4 +17,4 @@'])
  })
})

describe('git takes the diff', () => {
  let root = ''
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'clada-diff-'))
  })
  afterAll(() => {
    rmSync(root, { recursive: true, force: true })
  })

  const git = (cwd: string, args: string[], input: string) =>
    execFileSync('git', args, {
      cwd,
      input,
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', GIT_CEILING_DIRECTORIES: root },
    })
  const state = (dir: string, names: readonly string[]) =>
    names.map((name) => (existsSync(join(dir, name)) ? readFileSync(join(dir, name), 'utf8') : null))
  const write = (dir: string, name: string, text: string | null) => {
    if (text === null) return
    mkdirSync(dirname(join(dir, name)), { recursive: true })
    writeFileSync(join(dir, name), text)
  }
  let count = 0
  const newDir = () => {
    const dir = join(root, String(count++))
    mkdirSync(dir)
    return dir
  }

  const line = fc.constantFrom(
    'a',
    'b',
    'c',
    '',
    ' ',
    '\t',
    'ü€😀',
    '+',
    '-',
    '--- a/x',
    '@@ -1 +1 @@',
    '\\ No newline',
    'x\ry',
  )
  const end = fc.oneof({ weight: 4, arbitrary: fc.constant('\n') }, { weight: 2, arbitrary: fc.constant('\r\n') })
  const text = fc
    .tuple(fc.array(fc.tuple(line, end), { maxLength: 30 }), fc.constantFrom('', '', 'end', 'end\r'))
    .map(([lines, rest]) => lines.map((parts) => parts.join('')).join('') + rest)
  const related = fc.tuple(text, fc.array(fc.tuple(fc.nat(30), line), { maxLength: 4 })).map(([before, edits]) => {
    const lines = before.split('\n')
    for (const [at, insert] of edits) lines.splice(at, at % 3, insert)
    return { before, after: lines.join('\n') }
  })
  const unrelated = fc.record({
    before: fc.option(text, { freq: 5 }),
    after: fc.option(text, { freq: 5 }),
  })
  const pairs = fc.array(fc.oneof(related, unrelated), { minLength: 20, maxLength: 20 })

  test('forwards and backwards, byte for byte', () => {
    fc.assert(
      fc.property(pairs, fc.constantFrom(0, 1, 3), (cases, context) => {
        const dir = newDir()
        const names = cases.map((_, index) => `f${index}`)
        const patch = cases.map(({ before, after }, index) => {
          write(dir, `f${index}`, before)
          return unifiedDiff(`f${index}`, `f${index}`, before, after, { context })
        })
        if (patch.every((diff) => diff === '')) return
        const options = context === 0 ? ['--unidiff-zero'] : []
        git(dir, ['apply', ...options], patch.join(''))
        expect(state(dir, names)).toEqual(cases.map(({ after }) => after))
        git(dir, ['apply', '-R', ...options], patch.join(''))
        expect(state(dir, names)).toEqual(cases.map(({ before }) => before))
      }),
      { numRuns: 15 },
    )
  })

  test('whatever the file is called', () => {
    const dir = newDir()
    const names = [
      'a b',
      'dir/ü',
      'q"uote',
      'back\\slash',
      'tab\there',
      'new\nline',
      ' lead',
      'trail ',
      '-dash',
      'bell\x07',
      '日本',
      "it's",
    ]
    for (const name of names) write(dir, name, 'old\n')
    const patch = names.map((name) => unifiedDiff(name, name, 'old\n', 'new\n')).join('')
    git(dir, ['apply'], patch)
    expect(state(dir, names)).toEqual(names.map(() => 'new\n'))

    const created = newDir()
    git(created, ['apply'], names.map((name) => unifiedDiff(null, name, null, 'x')).join(''))
    expect(state(created, names)).toEqual(names.map(() => 'x'))
  })

  test('renames and modes', () => {
    const dir = newDir()
    write(dir, 'a b', 'one\ntwo\n')
    write(dir, 'run', '#!/bin/sh\n')
    chmodSync(join(dir, 'run'), 0o644)
    const patch =
      unifiedDiff('a b', 'sub/ü', 'one\ntwo\n', 'one\n2\n') +
      unifiedDiff('run', 'run', '#!/bin/sh\n', '#!/bin/bash\n', { oldMode: '100644', newMode: '100755' })
    git(dir, ['apply'], patch)
    expect(state(dir, ['a b', 'sub/ü', 'run'])).toEqual([null, 'one\n2\n', '#!/bin/bash\n'])
    if (process.platform !== 'win32') expect(statSync(join(dir, 'run')).mode & 0o100).toBe(0o100)
    git(dir, ['apply', '-R'], patch)
    expect(state(dir, ['a b', 'sub/ü', 'run'])).toEqual(['one\ntwo\n', null, '#!/bin/sh\n'])
  })

  test('git says the same itself', () => {
    const dir = newDir()
    const before = 'a\nb\nc\nd\ne\nf\ng\nh\ni'
    const after = 'a\nB\nc\nd\ne\nf\ng\nh\ni\n'
    for (const [name, text] of [
      ['a b', before],
      ['ü', before],
      ['gone', before],
    ] as const)
      write(dir, name, text)
    git(dir, ['init', '-q'], '')
    git(dir, ['add', '.'], '')
    for (const name of ['a b', 'ü']) write(dir, name, after)
    rmSync(join(dir, 'gone'))
    const said = git(dir, ['diff', '--no-ext-diff'], '')
      .toString()
      .replace(/^index .*\n/gm, '')
      .replace(/^(@@ .* @@).*$/gm, '$1')
    expect(
      unifiedDiff('a b', 'a b', before, after) +
        unifiedDiff('gone', null, before, null) +
        unifiedDiff('ü', 'ü', before, after),
    ).toBe(said)
  })
})

describe('diffLines', () => {
  const side = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 20 })

  test('its runs give both sides', () => {
    fc.assert(
      fc.property(side, side, (before, after) => {
        const rebuilt: [string[], string[]] = [[], []]
        for (const { kind, count } of diffLines(before, after)) {
          const [olds, news] = rebuilt
          const same = before.slice(olds.length, olds.length + count)
          if (kind === 'same') expect(after.slice(news.length, news.length + count)).toEqual(same)
          const added = after.slice(news.length, news.length + count)
          if (kind !== 'new') olds.push(...same)
          if (kind !== 'old') news.push(...added)
        }
        expect(rebuilt).toEqual([before, after])
      }),
    )
  })

  test('gives up on a short diff rather than on time', () => {
    const before = Array.from({ length: 4000 }, (_, index) => String(index))
    expect(diffLines(before, before.toReversed())).toEqual([
      { kind: 'old', count: 4000 },
      { kind: 'new', count: 4000 },
    ])
  })
})
