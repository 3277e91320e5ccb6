import { describe, expect, it } from 'vitest'
import { Clada } from '../../packages/clada/src/index.ts'
import { written } from '../damage/edit.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'

/** A file, an edit whose lines have another indentation, and the result. */
const cases: readonly (readonly [path: string, file: string, old: string, fresh: string, after: string])[] = [
  [
    'a.go',
    'package a\n\nfunc f() {\n\tone()\n\ttwo()\n}\n',
    'one()\ntwo()',
    'one()\nq := `\nSELECT *\n  FROM t\n`\ntwo()',
    'package a\n\nfunc f() {\n\tone()\n\tq := `\nSELECT *\n  FROM t\n`\n\ttwo()\n}\n',
  ],
  [
    'a.ts',
    'function f() {\n    one()\n    two()\n}\n',
    '  one()\n  two()',
    '  const t = `a\n  b ${c}\nd`\n  two()',
    'function f() {\n    const t = `a\n  b ${c}\nd`\n    two()\n}\n',
  ],
  [
    'a.py',
    'def f():\n    one()\n    two()\n',
    'one()\ntwo()',
    's = """\nx\n  y\n"""\nif s:\n    two()',
    'def f():\n    s = """\nx\n  y\n"""\n    if s:\n        two()\n',
  ],
  [
    'a.sh',
    'f() {\n  one\n  two\n}\n',
    'one\ntwo',
    'cat <<EOF\nx\n  y\nEOF\ntwo',
    'f() {\n  cat <<EOF\nx\n  y\nEOF\n  two\n}\n',
  ],
  [
    'a.rs',
    'fn f() {\n    one();\n    two();\n}\n',
    'one();\ntwo();',
    'let s = r#"\nx\n  y"#;\ntwo();',
    'fn f() {\n    let s = r#"\nx\n  y"#;\n    two();\n}\n',
  ],
]

describe('an edit whose lines are shifted', () => {
  it.each(cases)('leaves the inside of strings as it is written: %s', async (path, file, old, fresh, after) => {
    const root = scratchDir()
    const clada = new Clada({ repoPath: root, gitCommit: false, relativePaths: true, matching: 'tolerant' })
    for (const [nth, syntax] of (['csl', 'search-replace'] as const).entries()) {
      const name = path.replace('.', `${nth}.`)
      const { success, results } = await clada.execute(
        [
          `#!SHAM [@three-char-SHA-256: abc]\naction = "file_write"\npath = "${name}"\ncontent = ${JSON.stringify(file)}\n#!END_SHAM_abc\n`,
        ].join(''),
      )
      expect([success, results.length]).toEqual([true, 1])
      const hunk = { old: old.split('\n'), fresh: fresh.split('\n'), start: 0 }
      const done = await clada.execute(written(syntax, { path: name, hunks: [hunk] }))
      expect(filesIn(root)[name]).toBe(after)
      expect(done.results[0]?.warnings?.join()).toContain('was not shifted')
    }
  })

  it('does not take what follows a string without an end for its inside', async () => {
    const root = scratchDir({ 'a.go': 'package a\n\nfunc f() {\n\tone()\n\ttwo()\n}\n' })
    const clada = new Clada({ repoPath: root, gitCommit: false, relativePaths: true, matching: 'tolerant' })
    const hunk = { old: ['one()', 'two()'], fresh: ['one()', 'x`)', '// three', 'two()'], start: 0 }
    const done = await clada.execute(written('csl', { path: 'a.go', hunks: [hunk] }))
    expect(filesIn(root)['a.go']).toBe('package a\n\nfunc f() {\n\tone()\n\tx`)\n\t// three\n\ttwo()\n}\n')
    expect(done.results[0]?.warnings?.join()).toContain('was shifted too')
  })

  it('shifts strings too where the old lines of one are shifted, and says so', async () => {
    const file = 'function f() {\n    const t = `a\n    b`\n    two()\n}\n'
    const root = scratchDir({ 'a.ts': file })
    const clada = new Clada({ repoPath: root, gitCommit: false, relativePaths: true, matching: 'tolerant' })
    const old = ['const t = `a', 'b`', 'two()']
    const fresh = ['const t = `a', 'b', 'c`', 'two()']
    const done = await clada.execute(written('csl', { path: 'a.ts', hunks: [{ old, fresh, start: 0 }] }))
    expect(filesIn(root)['a.ts']).toBe('function f() {\n    const t = `a\n    b\n    c`\n    two()\n}\n')
    expect(done.results[0]?.warnings?.join()).toContain('was shifted too: check it')
  })
})
