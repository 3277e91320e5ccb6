import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { Clada } from '../../packages/clada/src/index.ts'
import { scratchDir } from '../support/scratch.ts'

/** Edits of real chats whose place was determined and that were refused, or placed wrongly. */
async function apply(files: Readonly<Record<string, string>>, reply: string) {
  const root = scratchDir(files)
  const result = await new Clada({ repoPath: root, gitCommit: false, matching: 'tolerant' }).execute(reply)
  const read = (name: string): string | undefined => {
    const file = path.join(root, name)
    return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : undefined
  }
  return { result, read, report: JSON.stringify(result) }
}

const block = (file: string, old: string, now: string): string =>
  `${file}\n\`\`\`\n<<<<<<< SEARCH\n${old}${old === '' ? '' : '\n'}=======\n${now}${now === '' ? '' : '\n'}>>>>>>> REPLACE\n\`\`\`\n`

describe('edits by search and replace', () => {
  const two = 'a = old()\nb = 1\na = old()\nc = 2\n'

  it.each([
    ['one after another', `${block('a.py', 'a = old()', 'a = new()')}\n${block('a.py', 'a = old()', 'a = new()')}`],
    [
      'in one fence',
      'a.py\n```\n<<<<<<< SEARCH\na = old()\n=======\na = new()\n>>>>>>> REPLACE\n\n<<<<<<< SEARCH\na = old()\n=======\na = new()\n>>>>>>> REPLACE\n```\n',
    ],
    [
      'with prose between them',
      `First:\n\n${block('a.py', 'a = old()', 'a = new()')}\nAnd the second one:\n\n${block('a.py', 'a = old()', 'a = new()')}`,
    ],
  ])('as many identical blocks as places change all of them: %s', async (_, reply) => {
    const { result, read } = await apply({ 'a.py': two }, reply)
    expect(read('a.py')).toBe(two.replaceAll('old', 'new'))
    expect(result.success).toBe(true)
  })

  it.each([
    ['two for three', `${two}a = old()\n`, 2],
    ['three for two', two, 3],
    ['one for two', two, 1],
  ])('another number of them changes nothing: %s', async (_, file, count) => {
    const { result, read } = await apply({ 'a.py': file }, block('a.py', 'a = old()', 'a = new()').repeat(count))
    expect(read('a.py')).toBe(file)
    expect(result.success).toBe(false)
  })

  it('places whose change leads to the same bytes are one', async () => {
    const { result, read } = await apply({ 'a.txt': 'a\nx\nx\nb\n' }, block('a.txt', 'x', ''))
    expect(read('a.txt')).toBe('a\nx\nb\n')
    expect(result.success).toBe(true)
  })

  it('an empty SEARCH writes an empty file', async () => {
    const { result, read } = await apply({ 'a.py': '' }, block('a.py', '', 'x = 1\ny = 2'))
    expect(read('a.py')).toBe('x = 1\ny = 2\n')
    expect(result.success).toBe(true)
  })

  it('an empty SEARCH is refused where the file has text, with its last lines', async () => {
    const text = 'def f():\n    return 1\n\nif __name__ == "__main__":\n    f()\n'
    const { result, read, report } = await apply({ 'a.py': text }, block('a.py', '', 'x = 1'))
    expect(read('a.py')).toBe(text)
    expect(result.success).toBe(false)
    expect(report).toContain('__main__')
    expect(report).not.toContain('Use file_write')
  })

  it.each([
    ['SEARCH', '\ufeffusing System;', 'using System.Text;'],
    ['both', '\ufeffusing System;', '\ufeffusing System.Text;'],
    ['REPLACE', 'using System;', '\ufeffusing System.Text;'],
  ])('a byte order mark in %s is that of the file', async (_, old, now) => {
    for (const bom of ['', '\ufeff']) {
      const { result, read } = await apply({ 'a.cs': `${bom}using System;\nclass A {}\n` }, block('a.cs', old, now))
      expect(read('a.cs')).toBe(`${bom}using System.Text;\nclass A {}\n`)
      expect(result.success).toBe(true)
      expect(result.results[0]?.warnings ?? []).toEqual([])
    }
  })

  it.each([
    ['in one fence', '\n'],
    ['with prose between', '\n```\n\nThen:\n\n```\n'],
  ])('a bad block does not stop the good ones of its file: %s', async (_, between) => {
    const edit = (old: string, now: string): string => `<<<<<<< SEARCH\n${old}\n=======\n${now}\n>>>>>>> REPLACE`
    const reply = `a.py\n\`\`\`\n${[edit('one = 1', 'one = 11'), edit('nowhere = 0', 'x'), edit('two = 2', 'two = 22')].join(between)}\n\`\`\`\n`
    const { result, read, report } = await apply({ 'a.py': 'one = 1\nmiddle\ntwo = 2\n' }, reply)
    expect(read('a.py')).toBe('one = 11\nmiddle\ntwo = 22\n')
    expect(result.success).toBe(false)
    expect(report).toContain('nowhere')
  })

  it.each([
    [
      'the file has one more',
      'a();\n\nb();\nc();\nd();\n',
      'a();\nb();\nc();',
      'a();\nb2();\nc();',
      'a();\n\nb2();\nc();\nd();\n',
    ],
    [
      'the file has one less',
      'a();\nb();\nc();\nd();\n',
      'a();\n\nb();\nc();',
      'a();\n\nb2();\nc();',
      'a();\nb2();\nc();\nd();\n',
    ],
  ])('only blank lines differ: %s', async (_, file, old, now, expected) => {
    const { read, result } = await apply({ 'a.js': file }, block('a.js', old, now))
    expect(read('a.js')).toBe(expected)
    expect(result.success).toBe(true)
  })

  it('only blank lines differ, and two places fit: refused', async () => {
    const file = 'a();\n\nb();\nx\na();\n\nb();\n'
    const { read, result } = await apply({ 'a.js': file }, block('a.js', 'a();\nb();', 'a();\nc();'))
    expect(read('a.js')).toBe(file)
    expect(result.success).toBe(false)
  })

  it('only the indentation around a template literal differs', async () => {
    const file = 'function f() {\n    const q = `\n  select *\n  from t\n`;\n    return run(q);\n}\n'
    const { read, result } = await apply(
      { 'a.js': file },
      block(
        'a.js',
        '  const q = `\n  select *\n  from t\n`;\n  return run(q);',
        '  const q = `\n  select *\n  from t\n`;\n  return run(q, 1);',
      ),
    )
    expect(read('a.js')).toBe(file.replace('run(q)', 'run(q, 1)'))
    expect(result.success).toBe(true)
  })

  it('a Markdown backslash in a path is read away where that file exists', async () => {
    const name = 'app/routes/($locale)._index.tsx'
    const { read, result } = await apply({ [name]: 'a\n' }, block('app/routes/($locale).\\_index.tsx', 'a', 'b'))
    expect(read(name)).toBe('b\n')
    expect(result.success).toBe(true)
  })
})

describe('hunks of a diff', () => {
  const diff = (body: string): string => `\`\`\`diff\n--- a/a.js\n+++ b/a.js\n${body}\n\`\`\`\n`

  it.each(['@@ ... @@', '@@'])('a trailing %s with nothing after it is ignored', async (tail) => {
    const { read, result, report } = await apply({ 'a.js': 'a\nb\nc\n' }, diff(`@@ ... @@\n a\n-b\n+B\n c\n${tail}`))
    expect(read('a.js')).toBe('a\nB\nc\n')
    expect(result.success).toBe(true)
    expect(report).toContain('nothing follows')
  })

  it('whitespace inside lines of context differs', async () => {
    const file = 'const a   = 1;\nconst bb  = 2;\nconst ccc = 3;\ncall(a,  bb);\n'
    const { read, result } = await apply(
      { 'a.js': file },
      diff('@@ ... @@\n const a = 1;\n const bb = 2;\n-const ccc = 3;\n+const ccc = 4;\n call(a, bb);'),
    )
    expect(read('a.js')).toBe(file.replace('ccc = 3', 'ccc = 4'))
    expect(result.success).toBe(true)
  })

  it('by context, with lines missing in the middle and two places: refused, both shown', async () => {
    const part = (name: string): string =>
      `  ${name}: {\n    kind: 'x',\n    size: 10,\n    extra: '${name}',\n    color: 'red',\n    open: true,\n  },\n`
    const file = `const all = {\n${part('first')}${part('second')}}\n`
    const { read, result } = await apply(
      { 'a.js': file },
      diff(
        "@@ ... @@\n     kind: 'x',\n     size: 10,\n-    color: 'red',\n+    color: 'blue',\n     open: true,\n   },",
      ),
    )
    expect(read('a.js')).toBe(file)
    expect(result.success).toBe(false)
    expect(JSON.stringify(result.results[0]?.details)).toMatch(/"line":[2-4]\b.*"line":(?:9|10|11)\b/)
  })

  it('by context, with lines missing in the middle that repeat the one before the change: refused, both shown', async () => {
    const file = [
      'const Card = ({ name, size }) => (',
      '  <div className="card">',
      '    <p>Name: {name}</p>',
      '    <ul className="list">',
      '      <li>Size: {size}</li>',
      '    </ul>',
      '    <h4>More</h4>',
      '    <ul className="list">',
      '      <li>Nothing</li>',
      '    </ul>',
      '  </div>',
      ')',
      '',
    ].join('\n')
    const { read, result } = await apply(
      { 'a.js': file },
      diff(
        '@@ ... @@\n const Card = ({ name, size }) => (\n   <div className="card">\n     <p>Name: {name}</p>\n     <ul className="list">\n       <li>Size: {size}</li>\n     </ul>\n+    <hr />\n   </div>\n )',
      ),
    )
    expect(read('a.js')).toBe(file)
    expect(result.success).toBe(false)
    expect(JSON.stringify(result.results[0]?.details)).toMatch(/"line":1\b.*"line":6\b/)
  })

  it('only blank lines differ where lines are added: directly above the next line with content, as in the edit', async () => {
    const file = 'function f() {\n  one()\n\n\n  \n  two()\n  three()\n}\n'
    const { read, result } = await apply(
      { 'a.js': file },
      diff('@@ ... @@\n function f() {\n   one()\n \n+  // Twice.\n+  two()\n   two()\n   three()\n }'),
    )
    expect(read('a.js')).toBe(file.replace('  two()', '  // Twice.\n  two()\n  two()'))
    expect(result.success).toBe(true)
  })

  it('only blank lines differ where lines are added below a line with content: refused', async () => {
    const file = 'function f() {\n  one()\n\n\n  two()\n  three()\n}\n'
    const { read, result } = await apply(
      { 'a.js': file },
      diff('@@ ... @@\n function f() {\n   one()\n+  once()\n   two()\n   three()\n }'),
    )
    expect(read('a.js')).toBe(file)
    expect(result.success).toBe(false)
  })

  it('one bad hunk keeps the others of its patch back, and the message names the flag', async () => {
    const file = 'a\nb\nc\nd\ne\nf\ng\nh\n'
    const { read, report } = await apply({ 'a.js': file }, diff('@@\n a\n-b\n+B\n@@\n-nowhere\n+x'))
    expect(read('a.js')).toBe(file)
    expect(report).toContain('--patches good')
  })
})
