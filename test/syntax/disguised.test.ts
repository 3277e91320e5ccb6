import { describe, expect, it } from 'vitest'
import type { SkippedBlock } from '@clada/reply/core/block.ts'
import { Source } from '@clada/reply/core/source.ts'
import { findBlocks } from '@clada/reply/syntax/find-blocks.ts'
import { writes } from './samples.ts'

const listed = (text: string): readonly SkippedBlock[] => {
  const { blocks, diagnostics, notExecuted } = findBlocks(new Source(text))
  expect({ blocks, diagnostics }).toEqual({ blocks: [], diagnostics: [] })
  return notExecuted
}
const each = (by: (line: string) => string) => (text: string) => text.split('\n').map(by).join('\n')

const code = 'export const a = 1\n'
const texts = {
  'a whole file': `src/a.ts\n\`\`\`ts\n${code}\`\`\``,
  'an announced file': `Here is \`src/a.ts\`:\n\n\`\`\`ts\n${code}\`\`\``,
  'a file in a tag': `<file path="src/a.ts">\n${code}</file>`,
  'a here-document': `\`\`\`bash\ncat > src/a.ts <<'EOF'\n${code}EOF\n\`\`\``,
  'labels in a fence': '```\nfile: src/a.ts\nfind:\n1\nreplace:\n2\n```',
  'search-replace': 'src/a.ts\n```\n<<<<<<< SEARCH\n1\n=======\n2\n>>>>>>> REPLACE\n```',
}
const disguises = {
  'the frame of a terminal': each((line) => `\u2502 ${line.padEnd(40)} \u2502`),
  'colours without their first character': each((line) => `[32m${line}[0m`),
  'the tags of a page': each((line) => `<p>${line.replaceAll('<', '&lt;')}</p>`),
  'the cells of a table': (text: string) =>
    text
      .split('\n')
      .map((line, at) => `<tr><td>${at + 1}</td><td>${line.replaceAll('<', '&lt;')}</td></tr>`)
      .join('\n'),
  'an invisible character': each((line) => `\u200b${line}`),
  'line separators': (text: string) => text.replaceAll('\n', '\u2028'),
  'breaks of a page': (text: string) => text.replaceAll('\n', '<br>'),
  times: each((line) => `[12:00:01] ${line}`),
  'JSON around it': (text: string) => JSON.stringify({ response: text }),
  'escapes that were printed': (text: string) => text.replaceAll('\n', '\\n'),
}

describe.each(Object.entries(texts))('%s is listed with its file', (_, text) => {
  it.each(Object.entries(disguises))('through %s', (_, by) => {
    const { blocks, notExecuted } = findBlocks(new Source(`Sure.\n\n${by(text)}\n\nDone.\n`))
    const paths = [...blocks.map(({ params }) => params['path']), ...notExecuted.map(({ path }) => path)]
    expect(paths.map((path) => path?.trim())).toContain('src/a.ts')
  })
})

describe('code is listed with its file', () => {
  it.each([
    ['fences with backslashes', '\\`\\`\\`ts', '\\`\\`\\`'],
    ['fences with entities', '&#96;&#96;&#96;ts', '&#96;&#96;&#96;'],
    ['full-width fences', '\uff40\uff40\uff40ts', '\uff40\uff40\uff40'],
    ['bold fences', '**```ts**', '**```**'],
    ['a fence after a bullet', '- ```ts', '- ```'],
    ['acute accents', '\xb4\xb4\xb4ts', '\xb4\xb4\xb4'],
    ['apostrophes', "'''ts", "'''"],
    ['two backticks', '``ts', '``'],
    ['tags of a forum', '[code]', '[/code]'],
    ['braces of a wiki', '{code:ts}', '{code}'],
    ['lines of Org', '#+begin_src ts', '#+end_src'],
    ['lines of AsciiDoc', '[source,ts]\n----', '----'],
    ['tags of a page', '<pre><code class="ts">', '</code></pre>'],
  ])('between %s', (_, open, close) => {
    for (const title of [
      'src/a.ts',
      '**`src/a.ts`**',
      'Path: src/a.ts',
      'Hier ist `src/a.ts`:',
      '`src/a.ts` \u7684\u4ee3\u7801\uff1a',
    ])
      expect(listed(`${title}\n\n${open}\n${code}${close}\n`).map(({ path }) => path)).toEqual(['src/a.ts'])
  })

  it.each(['Here is `src/a.ts`:', 'Hier ist `src/a.ts`:', '\u4ee5\u4e0b\u662f `src/a.ts`\uff1a'])(
    'indented below %s',
    (title) => {
      expect(listed(`${title}\n\n    ${code}`)).toMatchObject([{ path: 'src/a.ts', reason: 'example' }])
    },
  )
})

describe('what only shows', () => {
  it.each([
    ['is an example behind a prompt', each((line: string) => `$ ${line}`), 'example'],
    ['is an example in comments', each((line: string) => `// ${line}`), 'example'],
    ['is an example behind plus signs', each((line: string) => `+${line}`), 'example'],
  ])('%s', (_, by, reason) => {
    expect(listed(by(writes('csl', 'a.txt', 'x').trimEnd()))).toMatchObject([{ path: 'a.txt', reason }])
  })

  it.each([
    '- `src/a.ts`: adds numbers\n- `src/b.ts`: \u201cand\u201d more\n',
    '| `src/a.ts` | adds |\n|---|---|\n| `src/b.ts` | more |\n',
    '> `src/a.ts` is fine, isn\u2019t it?\n',
    '{"a": "b\\nc"}\n',
    'Use `\\n` and `\\t` in src/a.ts, then `\\n` again.\n',
  ])('nothing is listed of %j', (text) => {
    expect(listed(text)).toEqual([])
  })
})

it('a block beside it keeps its meaning', () => {
  const block = writes('csl', 'b.txt', 'x')
  const { blocks, notExecuted } = findBlocks(
    new Source(`\u2502 src/a.ts\n\u2502 \`\`\`ts\n\u2502 ${code}\u2502 \`\`\`\n\n${block}`),
  )
  expect(blocks.map(({ params }) => params['path'])).toEqual(['b.txt'])
  expect(notExecuted).toMatchObject([{ path: 'src/a.ts', reason: 'unreadable' }])
})
