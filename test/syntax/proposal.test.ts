import { describe, expect, it } from 'vitest'
import { Source } from '@clada/reply/core/source.ts'
import { findBlocks } from '@clada/reply/syntax/find-blocks.ts'
import { placesIn } from '@clada/reply/syntax/proposal/proposal.ts'

/** Each file of a text: its path and content, or why it is not proposed. */
const filesIn = (text: string) =>
  placesIn(new Source(text)).map(({ reason, found: { params, action, findings } }) =>
    reason === undefined
      ? [action, params['path'], params['content'] ?? findings.map(({ code }) => code).join()]
      : [reason, params['path']],
  )

describe('the line above a fence', () => {
  it.each([
    'src/a.ts',
    'src/a.ts:',
    '**src/a.ts**',
    '### `src/a.ts`',
    '#### 2. **src/a.ts** (new file)',
    '`src/a.ts`',
    '**`src/a.ts`**:',
    'Updated file: `src/a.ts`',
    '**Updated file:** `src/a.ts`',
    '**File: `src/a.ts`**',
    'Filename: src/a.ts',
    '### 1. Update `src/a.ts`',
    'Here is the updated `src/a.ts`:',
    'Here is `src/a.ts`:',
    "Here's the complete code for `src/a.ts`:",
    'Create `src/a.ts` with the following content:',
    '- `src/a.ts`',
    '📄 src/a.ts',
    '<!-- src/a.ts -->',
    '[src/a.ts](src/a.ts)',
    '### src/a.ts\n\nIt exports one.',
    '**For src/a.ts:**',
    '**Updated src/a.ts** (already correct):',
    '**Step 2: Update src/a.ts**',
    '**Changes to `src/a.ts`**',
    '## For `src/a.ts`',
    '*src/a.ts*',
    '**Location:** `src/a.ts`',
    '### 2. Update `src/a.ts`\n\nIt exports one now.',
    '**src/a.ts**\n\nIt exports one now.',
  ])('names a file: %s', (title) => {
    expect(filesIn(`Sure.\n\n${title}\n\n\`\`\`ts\nexport {}\n\`\`\`\n`)).toEqual([
      ['file_write', 'src/a.ts', 'export {}\n'],
    ])
  })

  it.each(['app/[id]/page.tsx', 'blog/[...slug].astro', 'routes/($lang).tsx', 'routes/users.$id.tsx'])(
    'may have the characters of a route: %s',
    (name) => {
      for (const title of [`### ${name}`, `**${name}**`, `\`${name}\`:`])
        expect(filesIn(`${title}\n\n\`\`\`\nx\n\`\`\`\n`)).toEqual([['file_write', name, 'x\n']])
    },
  )

  it.each([
    'Replace the function with:',
    'Now change it:',
    '   - Update the method:',
    'It is wrong there. I will fix the function:',
  ])('that names none is about the file that was named above it: %s', (told) => {
    for (const above of ['Open `src/a.ts`.', '## The bug in `src/a.ts`', '1. In `src/a.ts`:'])
      expect(filesIn(`${above}\n\n${told}\n\n\`\`\`ts\nx\n\`\`\`\n`)).toEqual([['file_write', 'src/a.ts', 'x\n']])
    for (const above of ['Open `src/a.ts` and `src/b.ts`.', '## Why', '## In `src/a.ts`\n\n## Tests'])
      expect(filesIn(`${above}\n\n${told}\n\n\`\`\`ts\nx\n\`\`\`\n`)).toEqual([])
  })

  it('that speaks of the same file is about that of the fence before', () => {
    const fence = '```ts\nx\n```\n'
    const text = `In \`src/a.ts\`, change this function:\n${fence}\nThen change the other one in the same file:\n${fence}`
    expect(filesIn(text).map(([, path]) => path)).toEqual(['src/a.ts', 'src/a.ts'])
    expect(filesIn(text.replace(' in the same file', ''))).toHaveLength(1)
  })

  it.each([
    '### Node.js',
    '### 2.1',
    '`console.log`:',
    '### `/api/users`',
    'In `src/a.ts`:',
    'Here is what happens in `src/a.ts`:',
    'It is in src/a.ts, I think.',
  ])('names none: %s', (title) => expect(filesIn(`${title}\n\`\`\`ts\nexport {}\n\`\`\`\n`)).toEqual([]))

  it.each([
    ['For example, `src/a.ts`:', 'example'],
    ['`src/a.ts` (excerpt)', 'listing'],
    ['Lines 5-12 of `src/a.ts`:', 'listing'],
    ['Replace this line in `src/a.ts`:', 'listing'],
    ['Current `src/a.ts`:', 'quoted'],
  ])('says that it is not to be written: %s', (title, reason) => {
    expect(filesIn(`${title}\n\`\`\`ts\nexport {}\n\`\`\`\n`)).toEqual([[reason, expect.any(String)]])
  })
})

describe('a whole file in a tag fence, as aider teaches models', () => {
  it.each(['source', 'code', 'pre', 'codeblock', 'sourcecode'])('is read from <%s>', (tag) => {
    const text = `src/a.ts\n<${tag}>ts\nx\n\`\`\`\ny\n\`\`\`\n</${tag}>\n`
    expect(filesIn(text)).toEqual([['file_write', 'src/a.ts', 'x\n```\ny\n```\n']])
  })
})

describe('a whole file', () => {
  const write = 'file_write'
  it.each([
    ['in the info string', '```ts src/a.ts\nx\n```', [[write, 'src/a.ts', 'x\n']]],
    ['after the language', '```ts:src/a.ts\nx\n```', [[write, 'src/a.ts', 'x\n']]],
    ['as a title', '```ts {1} title="src/a.ts" lines\nx\n```', [[write, 'src/a.ts', 'x\n']]],
    ['in the first comment', '```ts\n// src/a.ts\nx\n```', [[write, 'src/a.ts', '// src/a.ts\nx\n']]],
    ['in a comment with a label, which is left out', '```py\n# filepath: a.py\nx\n```', [[write, 'a.py', 'x\n']]],
    ['in an HTML comment', '```html\n<!-- a.html -->\nx\n```', [[write, 'a.html', '<!-- a.html -->\nx\n']]],
    [
      'in a comment that says more',
      '```ts\n// src/a.ts - counts\nx\n```',
      [[write, 'src/a.ts', '// src/a.ts - counts\nx\n']],
    ],
    [
      'in a sentence in the first comment',
      '```ts\n// In src/a.ts:\nx\n```',
      [[write, 'src/a.ts', '// In src/a.ts:\nx\n']],
    ],
    ['below #!', '```sh\n#!/bin/sh\n# run.sh\nls\n```', [[write, 'run.sh', '#!/bin/sh\n# run.sh\nls\n']]],
    ['in a tag', '<file path="a.ts">\nx\n</file>', [[write, 'a.ts', 'x\n']]],
    ['in a tag with a fence', '<file path="a.ts">\n```ts\nx\n```\n</file>', [[write, 'a.ts', 'x\n']]],
    [
      'in tags in a fence',
      '```xml\n<file path="a">\nx\n</file>\n<file path="b">\ny\n</file>\n```',
      [
        [write, 'a', 'x\n'],
        [write, 'b', 'y\n'],
      ],
    ],
    ['that holds fences', 'a.md\n```md\n# T\n```sh\nls\n```\nx\n```\n', [[write, 'a.md', '# T\n```sh\nls\n```\nx\n']]],
    ['that is empty', 'a/__init__.py\n```python\n```\n', [[write, 'a/__init__.py', '']]],
    ['that is indented', '- a.ts\n  ```ts\n  x\n    y\n  ```\n', [[write, 'a.ts', 'x\n  y\n']]],
    ['that is cut off', 'a.ts\n```ts\nx\n', [[write, 'a.ts', 'file-open']]],
    ['with numbers', 'a.ts\n```\n 9 | a\n10 | b\n```', [['listing', 'a.ts']]],
    ['of which only some lines are shown', '```12:14:a.ts\nx\n```', [['listing', 'a.ts']]],
    ['that is a command', 'package.json\n```bash\nnpm i\n```', []],
    ['by a shell', "```bash\nmkdir -p b\ncat > b/a.ts <<'EOF'\n$x\nEOF\nls\n```", [[write, 'b/a.ts', '$x\n']]],
    ['that a shell appends', '```sh\ncat <<EOF >> "a b.txt"\nx\nEOF\n```', [['file_append', 'a b.txt', 'x\n']]],
    ['through tee', "```sh\ntee a.txt << 'END' > /dev/null\nx\nEND\n```", [[write, 'a.txt', 'x\n']]],
    [
      'of several in one fence',
      '```ts\n// src/a.ts\nx\n\n// src/b.ts\ny\n```',
      [[write, 'src/a.ts', 'files-in-fence']],
    ],
    [
      'whose comments name files in its text',
      '```ts\n// src/a.ts\nx\n// see src/b.ts\ny // src/c.ts\n// src/b.ts\n```',
      [[write, 'src/a.ts', '// src/a.ts\nx\n// see src/b.ts\ny // src/c.ts\n// src/b.ts\n']],
    ],
    ['in a summary', '<details><summary>src/a.ts</summary>\n\n```ts\nx\n```\n</details>', [[write, 'src/a.ts', 'x\n']]],
    ['that a shell would change', '```sh\ncat > a.ts <<EOF\n$x\nEOF\n```', [[write, 'a.ts', 'file-by-shell']]],
  ])('%s', (_, text, files) => expect(filesIn(text)).toEqual(files))

  it('costs the same per line, however many are not closed', () => {
    const text = 'a.ts\n```ts\nx\n<file path="b">\n```sh\ncat > c <<E\n'.repeat(20_000)
    expect(findBlocks(new Source(text)).blocks.length).toBeGreaterThan(0)
  })
})

describe('an old and a new text', () => {
  it.each([
    ['In `src/a_b.ts`, change this:', 'to this:'],
    ['Change this in `src/a_b.ts`:', 'to this:'],
    ['Replace this code in the file src/a_b.ts:', 'with:'],
    ['src/a_b.ts\n\nBefore:', 'After:'],
  ])('are an edit of the file that is named: %j', (old, fresh) => {
    const text = `Sure.\n\n${old}\n\n\`\`\`ts\none()\n\`\`\`\n\n${fresh}\n\n\`\`\`ts\ntwo()\n\`\`\`\n`
    const [place, ...others] = placesIn(new Source(text))
    expect(others).toEqual([])
    expect(place?.found).toMatchObject({
      action: 'file_patch',
      params: { path: 'src/a_b.ts', patch: expect.stringMatching(/^-one\(\)\n\+two\(\)$/m) },
    })
  })
})
