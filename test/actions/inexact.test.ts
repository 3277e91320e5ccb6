import fs from 'node:fs'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { Clada } from '../../packages/clada/src/index.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'

type Params = Readonly<Record<string, string>>

const block = (action: string, params: Params): string =>
  [
    '#!SHAM [@three-char-SHA-256: abc]',
    `action = "${action}"`,
    ...Object.entries(params).map(([name, value]) => `${name} = <<'EOT_SHAM_abc'\n${value}\nEOT_SHAM_abc`),
    '#!END_SHAM_abc',
  ].join('\n')

async function done(files: Record<string, string>, action: string, params: Params) {
  const root = scratchDir(files)
  const clada = new Clada({ repoPath: root, git: 'off', relativePaths: true, matching: 'tolerant' })
  const { results } = await clada.execute(block(action, params))
  const [result] = results
  return {
    files: filesIn(root),
    warnings: result?.warnings ?? [],
    error: result?.error,
    data: result?.data,
    details: result?.details,
  }
}

describe('a passage by its beginning and end', () => {
  const before = 'class A {\n  f() {\n    one()\n    two()\n  }\n}\n'

  test('is found through other indentation, and the new lines are shifted', async () => {
    const { files, warnings, data } = await done({ 'a.js': before }, 'file_replace_text_range', {
      path: 'a.js',
      old_text_beginning: 'f() {\n  one()',
      old_text_end: '  two()\n}',
      new_text: 'f() {\n  three()\n}',
    })
    expect(data).toMatchObject({ replacements: 1 })
    expect(files['a.js']).toBe('class A {\n  f() {\n    three()\n  }\n}\n')
    expect(warnings.join()).toContain('[indentation]')
  })

  test('is found where both were escaped, and the new text is read in the same way', async () => {
    const { files, warnings, data } = await done(
      { 'a.js': 'if (a < b) {\n  one()\n} // a && b\n' },
      'file_replace_text_range',
      {
        path: 'a.js',
        old_text_beginning: 'if (a &lt; b) {',
        old_text_end: '} // a &amp;&amp; b',
        new_text: 'if (a &lt; c) two()',
      },
    )
    expect(files['a.js']).toBe('if (a < c) two()\n')
    expect(data).toMatchObject({ replacements: 1 })
    expect(warnings.join()).toContain('the passage')
  })

  test('is refused where its end is there twice', async () => {
    const { files, error } = await done({ 'a.js': `${before}${before}` }, 'file_replace_text_range', {
      path: 'a.js',
      old_text_beginning: 'f() {\n  one()',
      old_text_end: '  two()\n}',
      new_text: 'x',
    })
    expect(files['a.js']).toBe(`${before}${before}`)
    expect(error).toBeDefined()
  })
})

describe('a text in a structure', () => {
  const before = 'def f():\n    if a:\n        return 1\n    return 2\n\n\ndef g():\n    if a:\n        return 1\n'

  test('is found through whitespace at line ends, in that structure only', async () => {
    const { files, warnings } = await done({ 'a.py': before }, 'replace_text_in_structure', {
      path: 'a.py',
      target: 'g',
      old_text: 'if a:  \n    return 1  ',
      new_text: 'if b:\n    return 3',
    })
    expect(files['a.py']).toBe(before.replace(/if a:\n {8}return 1\n$/, 'if b:\n        return 3\n'))
    expect(warnings.join()).toContain('TEXT_INEXACT')
  })
})

describe('a path in another case', () => {
  test('is the file that is there', async () => {
    const { files, warnings } = await done({ 'Src/Cart.js': 'one\n' }, 'file_edit', {
      path: 'src/cart.js',
      old_text: 'one',
      new_text: 'two',
    })
    expect(files).toEqual({ 'Src/Cart.js': 'two\n' })
    expect(warnings).toEqual([
      "there is no 'src/cart.js'; the edit was applied to 'Src/Cart.js', whose old text matches",
    ])
  })
})

describe('a text in a part of a file that its path names', () => {
  test('is not replaced where the block was damaged on its way', async () => {
    const root = scratchDir({ 'a.py': "def f():\n    return '1'\n" })
    const clada = new Clada({ repoPath: root, git: 'off', relativePaths: true, matching: 'tolerant' })
    const params = { path: '"a.py@@f"', old_text: `"return '1'"`, new_text: `"return '2'"` }
    const lines = Object.entries({ action: '"file_replace_text"', ...params }).map(
      ([name, text]) => `${name} = ${text}`,
    )
    const sent = ['#!SHAM [@three-char-SHA-256: abc]', ...lines, '#!END_SHAM_abc', ''].join('\n')
    const { results } = await clada.execute(sent.replaceAll(/"([^"]*)"/g, '\u201c$1\u201d').replaceAll("'", '\u2019'))
    expect(results[0]?.error).toContain('the block was damaged in transit')
    expect((await clada.execute(sent)).success).toBe(true)
    expect(filesIn(root)['a.py']).toBe("def f():\n    return '2'\n")
  })
})

describe('spaces at the ends of all lines', () => {
  test('are not kept on an empty line inside of a string', async () => {
    const { files, warnings } = await done({ 'a.sh': 'one\ntwo\n' }, 'file_replace_text', {
      path: 'a.sh',
      old_text: 'one  \ntwo  ',
      new_text: "one  \ncat >a <<'EOF'  \nx  \n  \ny  \nEOF  \ntwo  ",
    })
    expect(files['a.sh']).toBe("one\ncat >a <<'EOF'\nx\n\ny\nEOF\ntwo\n")
    expect(warnings).toHaveLength(1)
  })
})

describe('an edit that is given a second time', () => {
  const before = "test('a', () => {\n  one()\n})\n\ntest('c', () => {\n  three()\n})\n"
  const edit = {
    path: 'a.ts',
    old_text: "})\n\ntest('c', () => {",
    new_text: "})\n\ntest('b', () => {\n  two()\n})\n\ntest('c', () => {",
  }

  test('is refused although the first left its old text in the file', async () => {
    const once = await done({ 'a.ts': before }, 'file_replace_text', edit)
    expect(once.error).toBeUndefined()
    const again = await done(once.files, 'file_replace_text', edit)
    expect(again.files).toEqual(once.files)
    expect(again.error).toContain('new_text is already in the file on lines 3-9')
  })

  test.each([
    ['file_replace_text', { old_text: 's = 0', new_text: 's = 0\nn = 0' }],
    ['file_patch', { patch: '@@\n s = 0\n+n = 0' }],
  ])('is applied with a warning where its new text is short: %s', async (action, params) => {
    const { files, warnings } = await done({ 'a.py': 'a()\ns = 0\nn = 0\n' }, action, { path: 'a.py', ...params })
    expect(files['a.py']).toBe('a()\ns = 0\nn = 0\nn = 0\n')
    expect(warnings.join()).toContain('the new text was already at line 2')
    const first = await done({ 'a.py': 'a()\ns = 0\n' }, action, { path: 'a.py', ...params })
    expect(first.warnings).toEqual([])
  })

  test.each([
    ['spaces at the ends of its lines', (text: string) => text.replaceAll('\n', '  \n')],
    ['another indentation', (text: string) => text.replaceAll(/^(?=.)/gm, '    ')],
  ])('is refused through %s as well', async (_, damage) => {
    const once = await done({ 'a.ts': before }, 'file_replace_text', edit)
    const again = await done(once.files, 'file_replace_text', {
      path: 'a.ts',
      old_text: damage(edit.old_text),
      new_text: damage(edit.new_text),
    })
    expect(again.files).toEqual(once.files)
    expect(again.error).toBeDefined()
  })
})

describe('file_write over a file', () => {
  const long = Array.from({ length: 90 }, (_, at) => `line ${at}`).join('\n')

  test('reports how many lines are left of one that loses most of them', async () => {
    const { data, warnings } = await done({ 'a.txt': long }, 'file_write', { path: 'a.txt', content: 'line 1' })
    expect(data).toMatchObject({ lines_before: 90, lines_now: 1 })
    expect(warnings.join()).toContain('the file had 90 lines and now has 1')
  })

  test('keeps the lines of several elisions, each between lines of the file', async () => {
    const file = 'class A {\n  a() {\n    one()\n  }\n\n  b() {\n    two()\n  }\n\n  c() {\n    three()\n  }\n}\n'
    const { files, warnings } = await done({ 'a.js': file }, 'file_write', {
      path: 'a.js',
      content:
        'class A {\n  // ... existing code ...\n  b() {\n    TWO()\n  }\n\n  c() {\n    // ... existing code ...\n  }\n}\n',
    })
    expect(files['a.js']).toBe(file.replace('two', 'TWO'))
    expect(warnings.join()).toContain('kept')
  })

  test('refuses an elision whose lines nothing determines, with what it may stand for', async () => {
    const file = 'a\nb\nc\n'
    const { files, error } = await done({ 'a.js': file }, 'file_write', {
      path: 'a.js',
      content: 'x\n// ... existing code ...\ny\n',
    })
    expect(files['a.js']).toBe(file)
    expect(error).toContain('// ... existing code ...')
  })
})

describe('an elision in the content for a structure', () => {
  const file = 'class A {\n  a() {\n    one()\n  }\n\n  b() {\n    two()\n  }\n}\n'

  test('stands for the lines of the structure that is replaced', async () => {
    const { files, warnings } = await done({ 'a.js': file }, 'replace_structure', {
      path: 'a.js',
      target: 'A',
      content: 'class A {\n  // ... existing code ...\n  b() {\n    TWO()\n  }\n}',
    })
    expect(files['a.js']).toBe(file.replace('two', 'TWO'))
    expect(warnings.join()).toContain('kept')
  })

  test.each(['insert_after_structure', 'insert_before_structure'])('is refused by %s', async (action) => {
    const { files, error } = await done({ 'a.js': file }, action, {
      path: 'a.js',
      target: 'b',
      content: 'c() {\n  // ... existing code ...\n}',
    })
    expect(files['a.js']).toBe(file)
    expect(error).toContain('// ... existing code ...')
  })

  test('is never written by replace_text_in_structure', async () => {
    const { files, error } = await done({ 'a.js': file }, 'replace_text_in_structure', {
      path: 'a.js',
      target: 'b',
      old_text: 'two()',
      new_text: '// ... existing code ...\nthree()',
    })
    expect(files['a.js']).toBe(file)
    expect(error).toContain('// ... existing code ...')
  })
})

describe('lines that a patch only adds', () => {
  const patch = '*** Begin Patch\n*** Update File: a.txt\n@@\n+two\n*** End Patch\n'

  test.each([
    ['one\n', 'one\ntwo\n'],
    ['one', 'one\ntwo\n'],
    ['one\r\n', 'one\r\ntwo\r\n'],
    ['', 'two\n'],
  ])('are put at the end of %j', async (before, after) => {
    const root = scratchDir({ 'a.txt': before })
    const clada = new Clada({ repoPath: root, git: 'off' })
    await clada.execute(patch)
    expect(filesIn(root)).toEqual({ 'a.txt': after })
    await clada.execute(patch.replace('+two', '-two\n+three'))
    expect(filesIn(root)).toEqual({ 'a.txt': after.replace('two', 'three') })
  })
})

describe('a file that is written', () => {
  test.each([
    [50, 1, []],
    [51, 17, []],
    [51, 16, ['the file had 51 lines and now has 16; if the other lines should stay, clada undo restores them']],
  ])('with %i lines before and %i now is warned about when it lost most of them', async (had, has, warned) => {
    const params = { path: 'a.txt', content: `${'x\n'.repeat(has)}` }
    const { warnings } = await done({ 'a.txt': 'y\n'.repeat(had) }, 'file_write', params)
    expect(warnings).toEqual(warned)
  })

  test('by its lines keeps dots that leave nothing out', async () => {
    const params = { path: 'a.js', lines: '2', new_content: '  // ...\n  f(...rest)' }
    const { files } = await done({ 'a.js': 'a\n  // ...\nc\n' }, 'file_replace_lines', params)
    expect(files['a.js']).toBe('a\n  // ...\n  f(...rest)\nc\n')
  })
})

describe('the map of a project', () => {
  const map = async (files: Record<string, string>): Promise<string> => {
    const { data } = await done(files, 'project_map', {})
    return String(Object(data).map)
  }

  test('has no line for a directory without files', async () => {
    expect(await map({ 'src/a/x.txt': '', 'src/b/y.txt': '' })).toBe('src/\n  a/  x.txt\n  b/  y.txt\n')
  })

  test('has what no ignore file of another directory leaves out', async () => {
    const files = { 'x.txt': '', 'sub/.gitignore': 'y.txt\n', 'sub/y.txt': '', 'sub/z.txt': '' }
    expect(await map(files)).toBe('x.txt\nsub/  z.txt\n')
  })

  test('counts what is too much for a line', async () => {
    const names = Array.from({ length: 201 }, (_, at) => [`d/${at}`, ''])
    expect(await map(Object.fromEntries(names))).toMatch(/^d\/ {2}0 {2}1 {2}.* \+ 1 file\n$/)
  })
})

test('a passage whose end is elsewhere names the lines that are like it', async () => {
  const text = Array.from({ length: 20 }, (_, at) => `line number ${at + 1} of the text\n`).join('')
  const { details } = await done({ 'a.txt': text }, 'file_replace_text_range', {
    path: 'a.txt',
    old_text_beginning: 'line number 10 of the text',
    old_text_end: 'line number 15 of the next\nline number 16 of the next',
    new_text: 'x',
  })
  expect(Object(details).nearest[0]).toMatchObject({ line: 15, endLine: 16 })
})

test.each(['EACCES', 'EPERM', 'EROFS'])(
  'a structure in a file that the system refuses says whom to ask: %s',
  async (code) => {
    const { openSync } = fs
    const open = vi.spyOn(fs, 'openSync').mockImplementation((file, ...how) => {
      if (String(file).endsWith('a.py')) throw Object.assign(new Error(code), { code })
      return openSync(file, ...how)
    })
    onTestFinished(() => open.mockRestore())
    const { error } = await done({ 'a.py': 'x = 1\n' }, 'read_structure', { path: 'a.py', target: 'x' })
    expect(error).toContain(`a.py may not be read (${code}). Ask the user to change the permissions.`)
  },
)
