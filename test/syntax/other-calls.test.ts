import { describe, expect, it } from 'vitest'
import type { SkippedBlock } from '@clada/reply/core/block.ts'
import { Source } from '@clada/reply/core/source.ts'
import { findBlocks } from '@clada/reply/syntax/find-blocks.ts'
import { writes } from './samples.ts'

const callsIn = (text: string, options = {}): readonly SkippedBlock[] =>
  findBlocks(new Source(text), options).notExecuted

/** As models wrote them, what of it is named, and the file. */
const calls: ReadonlyArray<readonly [text: string, named: string, path?: string]> = [
  ['<function_calls>\n<invoke name="WebSearch">', '<function_calls>'],
  ['Let me look.\n\n<ns:invoke name="browser_action">', '<ns:invoke name="browser_action">'],
  ['<tool_call>\n{"name": "search", "arguments": {"path": "a"}}\n</tool_call>', '<tool_call>'],
  ['<function=search>{"path": "a"}</function>', '<function=search>'],
  ['<|tool_call|>[{}]', '<|tool_call|>'],
  ['<｜tool▁calls▁begin｜>function', '<｜tool▁calls▁begin｜>'],
  ['[TOOL_CALLS][{"name": "write"}]', '[TOOL_CALLS]'],
  ['```tool_code\nwrite("a")\n```', '```tool_code'],
  ['{"role": "assistant", "tool_calls": []}', '"tool_calls":'],
  ['[{"type": "tool_use", "id": "1"}]', '"type": "tool_use"'],
  ['{"edits": [{"file": "src/a.ts", "original": "a", "changed": "b"}]}', '"file": "src/a.ts", "original":', 'src/a.ts'],
  ['```json\n{"name": "write",\n "parameters": {}}\n```', '"name": "write",\n "parameters"'],
  ['{"files": {"src/a.ts": "x"}}', '"files": {"src/a.ts": "', 'src/a.ts'],
  ['{"name": "a.ts", "type": "code/typescript", "content": "x"}', '"type": "code/typescript"'],
  ['canmore.update_textdoc({"updates": [])', 'canmore.update_textdoc('],
  ['<edits>\n<old_text>\na\n</old_text>\n</edits>', '<old_text>'],
  ['<antArtifact identifier="x" title="X">\na\n</antArtifact>', '<antArtifact identifier="x" title="X">'],
  ['<file>\n<path>a.ts</path>\n<content>\nx\n</content>\n</file>', '<path>a.ts</path>\n<content>', 'a.ts'],
  ['```yaml\n- file: a.ts\n  find: x\n```', 'file: a.ts\n  find:', 'a.ts'],
  ['```py\nwrite_file(path="a.ts", content="x")\n```', 'write_file(path=', 'a.ts'],
]

const block = '#!SHAM [@three-char-SHA-256: abc]\naction = "ls"\npath = "/p"\n#!END_SHAM_abc\n'

describe('a call of another tool', () => {
  it.each(calls.map(([text, named, path]) => ({ text, named, path })))('is told of: $text', ({ text, named, path }) => {
    const line = text.slice(0, text.indexOf(named)).split('\n').length
    const what = `call of another tool (${named.replace(/\s+/g, ' ')})`
    expect(callsIn(`Sure.\n${text}`)).toEqual([{ line: line + 1, endLine: line + 1, what, path, reason: 'unreadable' }])
  })

  it('is listed beside blocks, as an example in a fence, and as a quotation after >', () => {
    for (const [text] of calls) {
      const reason = text.startsWith('```') && !text.startsWith('```tool') ? 'example' : 'unreadable'
      for (const document of [`${text}\n\n${block}`, `${block}\n${text}`])
        expect(callsIn(document).map((one) => one.reason)).toEqual([reason])
      expect(callsIn(text, { nativeBefore: true }).map((one) => one.reason)).toEqual([reason])
      expect(callsIn(`So:\n\n${text.replace(/^/gm, '> ')}\n`).map((one) => one.reason)).toEqual(['quoted'])
    }
  })

  it('is not looked for beside blocks of the only syntax that is asked for', () => {
    for (const [text] of calls) expect(callsIn(`${text}\n\n${block}`, { syntaxes: ['sham'] })).toEqual([])
  })

  it.each([
    '',
    'The invoke method calls a function.',
    'a < b, and "name": "x"',
    '<input name="a">',
    '{"name": "clada"}',
  ])('is not seen in %j', (text) => expect(callsIn(text)).toEqual([]))
})

describe('a call as JSON', () => {
  const diff = '------- SEARCH\nold\n=======\nnew\n+++++++ REPLACE\n'
  const replace = { path: 'a.ts', diff }
  const write = { path: 'a.ts', content: 'x\n' }
  const call = JSON.stringify(replace)

  it.each([
    { tool: 'replace_in_file', ...replace },
    { name: 'replace_in_file', ...replace },
    { action: 'write_file', ...write },
    { type: 'write_file', ...write },
    { command: 'write_to_file', ...write },
    { write_file: write },
    { replace_in_file: replace },
    { action: 'write_file', action_input: write },
    { tool_name: 'replace_in_file', tool_input: replace },
    { recipient_name: 'functions.write_file', parameters: write },
    { tool_uses: [{ recipient_name: 'functions.write_file', parameters: write }] },
    { tool_calls: [{ type: 'function', function: { name: 'replace_in_file', arguments: call } }] },
    [{ name: 'replace_in_file', arguments: replace }],
  ])('is one edit and nothing that is left over, on several lines: %j', (value) => {
    for (const text of [JSON.stringify(value), JSON.stringify(value, null, 2)]) {
      const { blocks, diagnostics, notExecuted } = findBlocks(new Source(`\`\`\`json\n${text}\n\`\`\`\n`))
      expect(blocks.map(({ params, diagnostics: own }) => [params['path'], own])).toEqual([['a.ts', []]])
      expect([diagnostics, notExecuted]).toEqual([[], []])
    }
  })

  it.each([
    { action: 'delete', path: 'a.ts' },
    { type: 'delete_file', path: 'a.ts' },
    { action: 'create', path: '/users', content: 'x' },
    { name: 'file_server', path: 'a.ts', content: 'x' },
  ])('is none where it may be data: %j', (value) => {
    const { blocks } = findBlocks(new Source(`\`\`\`json\n${JSON.stringify(value)}\n\`\`\`\n`))
    expect(blocks).toEqual([])
  })

  it('is listed where only a file and a diff are in it', () => {
    expect(callsIn(`${call}\n`)).toMatchObject([{ line: 1, reason: 'unreadable' }])
  })
})

describe('a wrapper around calls', () => {
  const edit = (path: string, ns = ''): string =>
    `<${ns}invoke name="Edit">\n<${ns}parameter name="file_path">${path}</${ns}parameter>\n<${ns}parameter name="old_string">a</${ns}parameter>\n<${ns}parameter name="new_string">b</${ns}parameter>\n</${ns}invoke>`
  const json = '{"name": "Edit", "arguments": {"file_path": "a.ts", "old_string": "a", "new_string": "b"}}'
  const unknown = '<invoke name="WebSearch">\n<parameter name="query">a</parameter>\n</invoke>'
  const around = (name: string, text: string, between = '\n'): string =>
    `Let me see.\n\n<${name}>${between}${text}${between}</${name}>\n`
  const oneLine = (text: string): string => text.replaceAll('\n', '')
  const outcome = (text: string): unknown => {
    const { blocks, notExecuted } = findBlocks(new Source(text))
    return {
      read: blocks.map(({ params, diagnostics }) => [
        params['path'],
        params['old_text'],
        params['new_text'],
        diagnostics.length,
      ]),
      listed: notExecuted.map(({ what }) => what),
    }
  }
  const one = ['a.ts', 'a', 'b', 0]

  it.each([
    ...['function_calls', 'tool_calls', 'function_call', 'tool_call', 'ns:function_calls'].flatMap((name) => [
      around(name, edit('a.ts')),
      around(name, `\n${edit('a.ts').replace(/^/gm, '  ')}`),
      around(name, oneLine(edit('a.ts')), ''),
      around(name, json),
      around(name, json, ''),
    ]),
    around('function_calls', edit('a.ts', 'ns:')),
    around('tool_calls', `<tool_call>\n${json}\n</tool_call>`),
    around('tool_use', '<name>Edit</name>\n<input>{"file_path": "a.ts", "old_string": "a", "new_string": "b"}</input>'),
    around(
      'function_calls',
      '<invoke>\n<tool_name>Edit</tool_name>\n<parameters>\n<path>a.ts</path>\n<old_str>a</old_str>\n<new_str>b</new_str>\n</parameters>\n</invoke>',
    ),
  ])('means nothing where they are read: %j', (text) => {
    expect(outcome(text)).toEqual({ read: [one], listed: [] })
  })

  it('means nothing beside native blocks either, where its call is a proposal', () => {
    expect(callsIn(`${around('function_calls', edit('a.ts'))}\n${block}`)).toEqual([])
  })

  it('has as many calls as it has, also on one line', () => {
    const two = [edit('a.ts'), edit('b.ts')]
    const both = { read: [one, ['b.ts', 'a', 'b', 0]], listed: [] }
    expect(outcome(around('function_calls', two.join('\n')))).toEqual(both)
    expect(outcome(around('function_calls', two.map(oneLine).join(''), ''))).toEqual(both)
  })

  it('is listed once where they are not read, and a call that is not read after one that is', () => {
    const name = 'call of another tool (<function_calls>)'
    const alone = 'call of another tool (<invoke name="WebSearch">)'
    expect(outcome(around('function_calls', unknown))).toEqual({ read: [], listed: [name] })
    expect(outcome(around('function_calls', `${unknown}\n${edit('a.ts')}`))).toEqual({ read: [one], listed: [name] })
    expect(outcome(around('function_calls', `${edit('a.ts')}\n${unknown}`))).toEqual({ read: [one], listed: [alone] })
    for (const calls of [unknown + edit('a.ts'), edit('a.ts') + unknown])
      expect(outcome(around('function_calls', oneLine(calls), ''))).toEqual({ read: [], listed: [name] })
  })
})

describe('what seems to be an edit, where nothing else was found', () => {
  const conflict = (name: string): string => `<<<<<<< ${name}\nold\n=======\nnew\n>>>>>>> end\n`

  it.each([
    [conflict('src/a.ts'), [1, 5, 'conflict markers (<<<<<<< src/a.ts)', 'unreadable']],
    [conflict('main'), [1, 5, 'conflict markers (<<<<<<< main)', 'quoted']],
    [
      '<rewrite path="src/a.ts">\nnew text\n</rewrite>',
      [1, 3, 'element of another tool (<rewrite path="src/a.ts">)', 'unreadable', 'src/a.ts'],
    ],
    [
      '<boltAction type="shell">npm install left-pad</boltAction>',
      [1, 1, 'command of another tool (<boltAction type="shell">npm install left-pad)', 'unreadable'],
    ],
    [
      '<dyad-add-dependency packages="left-pad"></dyad-add-dependency>',
      [1, 1, 'command of another tool (<dyad-add-dependency packages="left-pad">)', 'unreadable'],
    ],
    ['=== src/a.ts ===\nnew text', [1, 1, 'file between lines of marks', 'unreadable']],
    ['```sh\nsed -i s/a/b/ src/a.ts\n```', [2, 2, 'shell command that writes a file', 'example']],
    ['1c1\n< a\n---\n> b', [1, 1, 'diff that names no file', 'quoted']],
    ['In src/a.ts replace `a` with `b`.', [1, 1, 'sentence about an edit', 'example', 'src/a.ts']],
    ['| File | Old | New |\n|---|---|---|\n| `a.ts` | `a` | `b` |', [1, 1, 'table of changes', 'example']],
    ['The method in `src/a.py`:\n\n```python\n    x = 1\n```', [3, 5, 'code', 'example', 'src/a.py']],
    ['### The bug in `src/a.py`\n\n```python\nx\n```', [3, 5, 'code', 'example', 'src/a.py']],
    ['In `app/[id]/a.tsx` it is\nlike this:\n```ts\nx\n```', [3, 5, 'code', 'example', 'app/[id]/a.tsx']],
    ['| `src/a.py` | counts |\n\n```python\nx\n```', [3, 5, 'code', 'example', 'src/a.py']],
    ['```python\nx\n```\nPut this into `src/a.py`.', [1, 3, 'code', 'example', 'src/a.py']],
    ['```python\nx\n```\n\n*(in `src/a.py`)*', [1, 3, 'code', 'example', 'src/a.py']],
  ])('is listed: %j', (text, [line, endLine, what, reason, path]) => {
    expect(callsIn(text)).toEqual([{ line, endLine, what, reason, ...(path === undefined ? {} : { path }) }])
  })

  it.each(['', 'text', 'diff', 'plaintext', 'ts'])('is each file that the line above a fence names: ```%s', (info) => {
    const text = `Delete \`src/old.ts\`, then create \`src/a.ts\`:\n\n\`\`\`${info}\nx\n\`\`\``
    const code = { line: 3, endLine: 5, what: 'code', reason: 'example' }
    expect(callsIn(text)).toEqual([
      { ...code, path: 'src/old.ts' },
      { ...code, path: 'src/a.ts' },
    ])
  })

  it.each([
    'src/a.ts:\n\n    export const a = 1\n    export const b = 1',
    'src/a.ts\n\nts\nCopy code\nconsole.log(1)',
    '**src/a.ts**\n\ntypescript\n\nCopy\nEdit\nx',
    'src/a.ts:\n\nexport const a = 1',
    '### `src/a.ts`\nimport b from "b"\nb()',
    '<h3>src/a.ts</h3>\n<pre><code class="language-ts">export const a = 1\n</code></pre>',
    'src/a.ts\n[code]\nexport const a = 1\n[/code]',
  ])('is code without a fence below its file: %j', (text) => {
    const endLine = text.split('\n').length
    const code = { line: 1, endLine, what: 'code without a fence', path: 'src/a.ts' }
    expect(callsIn(text)).toEqual([{ ...code, reason: 'unreadable' }])
    const beside = findBlocks(new Source(`${writes('csl', 'b.txt', 'x')}\n${text}`))
    expect(beside.notExecuted.map(({ path, reason }) => [path, reason])).toEqual([['src/a.ts', 'example']])
  })

  it('is a fence whose file is named below it', () => {
    const code = { line: 1, endLine: 3, what: 'code', path: 'src/a.ts', reason: 'example' }
    expect(callsIn('```ts\nx\n```\n*src/a.ts*')).toEqual([code])
  })

  it.each([
    'Changed files:\n\nsrc/a.ts\nsrc/b.ts\n\nAll tests pass.',
    '- src/a.ts\n    - adds a cache\n- src/b.ts',
    'See src/a.ts.\n\nImport it where you need it.',
    'src/a.ts:\n\nThis class does two things.',
    '`src/a.ts`\n\nLet me know.',
  ])('is not: names of files in a text %j', (text) => {
    expect(callsIn(text)).toEqual([])
  })

  it('is a script below its name, and no other commands', () => {
    const fence = '\n\n```bash\nx\n```\n'
    expect(callsIn(`Your \`run.sh\` says${fence}`).map(({ path }) => path)).toEqual(['run.sh'])
    expect(callsIn(`Try \`src/a.py\` with${fence}`)).toEqual([])
  })

  it('is each fence below a heading that names a file, beside one that is proposed', () => {
    const fence = '```ts\nx\n```\n'
    const { blocks, notExecuted } = findBlocks(new Source(`### \`src/a.ts\`\n\n${fence}\nand\n\n${fence}`))
    expect(blocks.map(({ params }) => params['path'])).toEqual(['src/a.ts'])
    expect(notExecuted).toMatchObject([{ line: 9, what: 'code', path: 'src/a.ts', reason: 'example' }])
  })

  it('is each command beside files that are proposed', () => {
    const { blocks, notExecuted } = findBlocks(
      new Source(
        '<boltArtifact id="x">\n<boltAction type="file" filePath="src/new.ts">\nx\n</boltAction>\n<boltAction type="shell">npm install\n</boltAction>\n<boltAction type="start">\nnpm run dev\n</boltAction>\n</boltArtifact>\n',
      ),
    )
    expect(blocks.map(({ params }) => params['path'])).toEqual(['src/new.ts'])
    expect(notExecuted.map(({ line, what }) => [line, what])).toEqual([
      [5, 'command of another tool (<boltAction type="shell">npm install)'],
      [7, 'command of another tool (<boltAction type="start"> npm run dev)'],
    ])
  })

  it('is an artifact on one line, and a command after the end of a file', () => {
    const file = '<boltArtifact id="x"><boltAction type="file" filePath="b.txt">hi'
    const command = '<boltAction type="shell">npm i</boltAction></boltArtifact>\n'
    const [artifact] = callsIn(`${file}</boltAction>${command}`)
    expect(artifact?.what).toBe(
      'element of another tool (<boltArtifact id="x"><boltAction type="file" filePath="b.txt">)',
    )
    expect(callsIn(`${file}\n</boltAction>\nThen:\n<b></b>${command}`).map(({ line }) => line)).toEqual([1, 4])
  })

  it('is each element up to its own end', () => {
    const two =
      '<rewrite path="a.ts">\na\n</rewrite>\n</rewrite>\n<rewrite path="b.ts">\nb\n</rewrite>\n<rewrite path="c.ts">'
    expect(callsIn(two).map(({ line, endLine, path }) => [line, endLine, path])).toEqual([
      [1, 3, 'a.ts'],
      [5, 7, 'b.ts'],
      [8, 8, 'c.ts'],
    ])
  })

  it.each([
    '```tsx\n<Route path="src/a.ts">\n</Route>\n```',
    '<Route path="/users">\n</Route>',
    'Look at `src/a.py`.\n\n```sh\ncat src/a.py\n```',
    'Look at `src/a.py`.\n\n## Elsewhere\n\n```python\nx\n```',
    '======= \n<<<<<<< not closed',
  ])('is not: %j', (text) => {
    expect(callsIn(text)).toEqual([])
  })
})
