import { describe, expect, it } from 'vitest'
import { Clada } from '../../packages/clada/src/index.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'

/** Every file that a reply names together with code is applied, proposed, or named with a reason. */

const project = {
  'src/a.py': 'def a():\n    return 1\n\n\ndef b():\n    return 2\n',
  'src/b.py': 'import os\n\n\ndef c():\n    return 3\n\n\ndef d():\n    return 4\n',
}

async function execute(reply: string, proposals: 'ask' | 'apply' = 'ask') {
  const root = scratchDir(project)
  const clada = new Clada({ repoPath: root, gitCommit: false, matching: 'tolerant', proposals })
  const { success, proposals: proposed = [], parseErrors, notExecuted = [] } = await clada.execute(reply)
  return {
    success,
    proposed: proposed.map(({ kind, path }) => `${kind} ${path}`),
    errors: parseErrors.map(({ code, message }) => `${code}: ${message}`),
    listed: notExecuted.map(({ line, path, reason }) => `${line} ${path} ${reason}`),
    files: filesIn(root),
  }
}

const whole = '`src/a.py`:\n\n```python\ndef a():\n    return 10\n\n\ndef b():\n    return 2\n```\n'
const part = 'Update `src/b.py`:\n\n```python\ndef c():\n    return 30\n```\n'
const reply = `Two files change.\n\n${whole}\n${part}`
const done = {
  'src/a.py': project['src/a.py'].replace('1', '10'),
  'src/b.py': project['src/b.py'].replace('3', '30'),
}
const bare = (text: string): string => text.replaceAll('```python', '```')

describe('a reply that is one code block as a whole', () => {
  it.each([
    ['of four backticks', '````', '````\n'],
    ['of Markdown', '````markdown', '````\n'],
    ['of plain text', '\n````text', '````\n\n'],
    ['of tildes', '~~~~md', '~~~~'],
    ['that is not closed', '````markdown', ''],
  ])('%s is read like the reply', async (_, opener, closer) => {
    for (const own of [reply, bare(reply)]) {
      const text = `${opener}\n${own}${closer}`
      expect(await execute(text)).toEqual({
        success: false,
        proposed: ['overwrite src/a.py', 'part src/b.py'],
        errors: [],
        listed: [],
        files: project,
      })
      expect((await execute(text, 'apply')).files).toEqual(done)
    }
  })

  it('of three backticks too, if its fences say what they hold', async () => {
    expect((await execute(`\`\`\`markdown\n${reply}\`\`\`\n`)).proposed).toEqual([
      'overwrite src/a.py',
      'part src/b.py',
    ])
  })

  it('names what is cut off in it', async () => {
    const { success, errors, proposed } = await execute(`\`\`\`\`markdown\n${reply.slice(0, -5)}\n\`\`\`\`\n`, 'apply')
    expect({ success, proposed, errors }).toEqual({
      success: false,
      proposed: [],
      errors: ['truncated: The text ends inside the file'],
    })
  })

  it.each([
    ['with words above it', `A reply looks like this:\n\n\`\`\`\`markdown\n${reply}\`\`\`\`\n`],
    ['without languages', `A reply looks like this:\n\n\`\`\`\`markdown\n${bare(reply)}\`\`\`\`\n`],
    ['with words below it', `\`\`\`\`text\n${reply}\`\`\`\`\n\nThat is how.\n`],
  ])('%s, and not the whole reply, has examples', async (_, text) => {
    const { proposed, listed, files } = await execute(text, 'apply')
    expect({ proposed, files }).toEqual({ proposed: [], files: project })
    expect(listed.map((one) => one.replace(/^\d+/, ''))).toEqual([' src/a.py example', ' src/b.py example'])
  })

  it('is one file where it is named above, with its fences', async () => {
    const text = `\`README.md\`:\n\n\`\`\`\`markdown\n# Usage\n\n${whole}\`\`\`\`\n`
    expect((await execute(text)).proposed).toEqual(['create README.md'])
  })
})

describe('a reply that ends where a file should begin', () => {
  it.each([
    ['a sentence', 'Update `src/b.py`:\n', "The text ends before the content of 'src/b.py'"],
    ['its name', '`src/b.py`:', "The text ends before the content of 'src/b.py'"],
    ['its name without a colon', 'src/b.py', "The text ends before the content of 'src/b.py'"],
    ['a heading', '### `src/b.py`\n\n', "The text ends before the content of 'src/b.py'"],
    ['a line in bold', '**src/b.py**\n', "The text ends before the content of 'src/b.py'"],
    ['what to change in it', 'In `src/b.py`, change the function:\n', "The text ends before the content of 'src/b.py'"],
    ['where it is', 'In `src/b.py`:\n', "The text ends before the content of 'src/b.py'"],
    ['a mark of its fence', 'Update `src/b.py`:\n\n``', "The text ends before the content of 'src/b.py'"],
    ['the fence of a diff', 'Update `src/b.py`:\n\n```diff\n', "The text ends before the content of 'src/b.py'"],
    ['its fence', 'Update `src/b.py`:\n\n```python\n', 'The text ends inside the file'],
    ['its fence alone', 'src/b.py\n```', 'The text ends inside the file'],
  ])('names it: %s', async (_, end, message) => {
    const { success, errors, files } = await execute(`${whole}\n${end}`, 'apply')
    expect({ success, errors, files }).toEqual({
      success: false,
      errors: [`truncated: ${message}`],
      files: { ...project, 'src/a.py': done['src/a.py'] },
    })
  })

  it.each([
    ['says what was done', 'I updated `src/b.py`.\n'],
    ['lists the files', 'Files to look at:\n\n- src/a.py\n- `src/b.py`\n'],
    ['names it in parentheses', '*(`src/b.py`)*\n'],
    ['asks', 'Shall I change `src/b.py` too?\n'],
    ['shows what it has now', 'This is an example of `src/b.py`:\n'],
    ['speaks of it', 'The tests of it are in `src/b.py`:\n'],
  ])('and %s, misses nothing', async (_, end) => {
    const { success, errors, listed } = await execute(`${whole}\n${end}`, 'apply')
    expect({ success, errors, listed }).toEqual({ success: true, errors: [], listed: [] })
  })
})

describe('"In FILE:" above code', () => {
  const under = (line: string, code: string): string => `${line}\n\n\`\`\`python\n${code}\n\`\`\`\n`
  const changed = 'def c():\n    return 30'

  it.each([
    'In `src/b.py`:',
    '**In `src/b.py`:**',
    '1. In src/b.py:',
    '### In `src/b.py`',
    'Then, inside the file `src/b.py`:',
  ])('proposes the declarations as a part: %s', async (line) => {
    expect(await execute(under(line, changed))).toMatchObject({
      success: false,
      proposed: ['part src/b.py'],
      listed: [],
    })
    expect((await execute(under(line, changed), 'apply')).files).toEqual({ ...project, 'src/b.py': done['src/b.py'] })
  })

  it.each([
    ['what the file has', 'In `src/b.py`:', 'def c():\n    return 3', 'listing'],
    ['a file that is not there', 'In `src/new.py`:', changed, 'example'],
    ['statements without a place', 'In `src/b.py`:', 'print(c() + 1)', 'example'],
    ['declarations with something left out', 'In `src/b.py`:', 'def c():\n    # ...\n    return 30', 'example'],
    [
      'code that a sentence above explains',
      'The bug is in the function that is the default:\n\nIn `src/b.py`:',
      changed,
      'listing',
    ],
    ['another sentence', 'In `src/b.py` we have this:', changed, 'example'],
  ])('only lists %s', async (_, line, code, reason) => {
    const { success, proposed, listed, files } = await execute(under(line, code), 'apply')
    expect({ success, proposed, files }).toEqual({ success: true, proposed: [], files: project })
    expect(listed.map((one) => one.split(' ').at(-1))).toEqual([reason])
  })
})

describe('calls that cannot be read', () => {
  const call = (path: string): string =>
    `{"name": "write_file", "arguments": {"path": "${path}", "content": "say "x""}}`

  it.each([
    ['on lines of their own', `${call('src/a.py')}\n${call('src/b.py')}\n`],
    ['in fences', `\`\`\`json\n${call('src/a.py')}\n\`\`\`\n\n\`\`\`json\n${call('src/b.py')}\n\`\`\`\n`],
    [
      'with the file at the end',
      `${call('src/a.py')}\n{"name": "write_file", "arguments": {\n"content": "say "x"",\n"path": "src/b.py"}}\n`,
    ],
  ])('are each named with their file: %s', async (_, text) => {
    const { success, errors } = await execute(text)
    expect(success).toBe(false)
    expect(errors.map((one) => /for (\S+) that/.exec(one)?.[1])).toEqual(['src/a.py', 'src/b.py'])
  })

  it('are named with all files where they are on one line', async () => {
    const { errors } = await execute(`[${call('src/a.py')}, ${call('src/b.py')}]\n`)
    expect(errors).toEqual([
      'malformed_block: The call for src/a.py, src/b.py that begins on line 1 is not JSON from here on',
    ])
  })

  it('of tools that are not known are each listed with their file', async () => {
    const other = (path: string): string =>
      `<invoke name="deploy">\n<parameter name="path">${path}</parameter>\n</invoke>\n`
    const text = `<function_calls>\n${other('src/a.py')}${other('src/b.py')}</function_calls>\n`
    expect((await execute(text)).listed).toEqual(['1 src/a.py unreadable', '5 src/b.py unreadable'])
  })
})

describe('a file whose name stands between other marks or labels', () => {
  const fence = '\n\n```python\ndef a():\n    return 10\n\n\ndef b():\n    return 2\n```\n'
  it.each([
    '**文件：src/a.py**',
    '文件路径：src/a.py',
    '１．src/a.py',
    '1、`src/a.py`',
    '`src/a.py`：',
    '**`src/a.py`**（完整代码）',
    '「src/a.py」',
    '« src/a.py »',
    '“src/a.py”',
    '_src/a.py_',
    'Datei: src/a.py',
    '### Neue Datei `src/a.py`',
    '**Fichier : `src/a.py`**',
    '**Archivo:** `src/a.py`',
    'Файл `src/a.py`:',
    '### ファイル: src/a.py',
    '파일: src/a.py',
    '### Schritt 1: `src/a.py`',
    '## 步骤 2：src/a.py',
    '[src/a.py]:',
    'a) src/a.py',
    '– src/a.py',
    'src/a.py ↓',
  ])('is proposed under its own name: %s', async (title) => {
    expect(await execute(`${title}${fence}`)).toEqual({
      success: false,
      proposed: ['overwrite src/a.py'],
      errors: [],
      listed: [],
      files: project,
    })
  })

  it.each([
    ['`src/a.py`（示例）', '1 src/a.py example'],
    ['Beispiel: `src/a.py`', '1 src/a.py example'],
    ['`src/a.py` (vorher)', '1 src/a.py quoted'],
    ['`src/a.py`（修改前）', '1 src/a.py quoted'],
    ['`src/a.py` (Zeilen 1-6)', '1 src/a.py listing'],
    ['Is it `src/a.py`?', '3 src/a.py example'],
    ['注意：src/a.py', '3 src/a.py example'],
  ])('is listed where the label says that it is not meant: %s', async (title, listed) => {
    expect(await execute(`${title}${fence}`, 'apply')).toEqual({
      success: true,
      proposed: [],
      errors: [],
      listed: [listed],
      files: project,
    })
  })
})

describe('a diff in a fence that does not say so', () => {
  const marked = (space: string) =>
    ` def a():\n-${space}    return 1\n+${space}    return 10\n`.replaceAll(/^ /gm, ` ${space}`)
  const fenced = (text: string, info = 'python', path = 'src/a.py') => `**${path}**\n\n\`\`\`${info}\n${text}\`\`\`\n`
  it.each(['', 'python', 'text', 'diff'])(
    'is an edit, with and without a space after its marks: ```%s',
    async (info) => {
      for (const space of ['', ' ']) {
        const { files } = await execute(fenced(marked(space), info), 'apply')
        expect(files).toEqual({ ...project, 'src/a.py': project['src/a.py'].replace('1', '10') })
      }
    },
  )

  it.each(['', 'python', 'diff'])(
    'makes a new file without the marks and the space after them: ```%s',
    async (info) => {
      for (const space of ['', ' ']) {
        const added = `+${space}def e():\n+${space}    return 5\n`
        const { files } = await execute(fenced(added, info, 'src/e.py'), 'apply')
        expect(files).toEqual({ ...project, 'src/e.py': 'def e():\n    return 5\n' })
      }
    },
  )

  it('is not what a list begins with', async () => {
    for (const text of ['- a\n- b\n', '+ a\n+ b\n', '- a\n  b\n']) {
      const { files } = await execute(fenced(text, '', 'list.md'), 'apply')
      expect(files).toEqual({ ...project, 'list.md': text })
    }
  })
})

describe('what a shell shows below the name of a file', () => {
  it('is listed, and not written into it', async () => {
    expect(await execute('**src/a.py**\n\n```\n$ cat src/a.py\ndef a():\n    return 1\n```\n', 'apply')).toEqual({
      success: true,
      proposed: [],
      errors: [],
      listed: ['3 src/a.py example'],
      files: project,
    })
  })
})
