import { describe, expect, it } from 'vitest'
import { Source } from '@clada/reply/core/source.ts'
import { findBlocks } from '@clada/reply/syntax/find-blocks.ts'
import { findProposedFiles } from '@clada/reply/syntax/proposal/proposal.ts'

/** Each file of a text: its path and content, or why it is not proposed. */
const filesIn = (text: string) =>
  findProposedFiles(new Source(text)).map(({ reason, found: { params, action, findings } }) =>
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
    '**Fix 2: Modify src/a.ts**',
    '### Change Request 1: Update `src/a.ts`',
    '**Changes to `src/a.ts`**',
    '## For `src/a.ts`',
    '*src/a.ts*',
    '**Location:** `src/a.ts`',
    'In `src/a.ts`:',
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
    'In `src/a.ts` we have this:',
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

describe('a sentence above a fence', () => {
  const toldOf = (sentence: string) =>
    findProposedFiles(new Source(`${sentence}\n\n\`\`\`js\nx\n\`\`\`\n`)).map(({ reason, found }) => [
      reason ?? 'proposed',
      found.params['path'],
      found.part?.unplaced,
    ])

  it.each([
    'And in `src/greet.js`, change the bye function:',
    'Sure! Update `src/greet.js` as follows:',
    'First, open `src/greet.js` and replace `bye` with:',
    'The `bye` function in `src/greet.js` should be:',
    'The `bye` function in `src/greet.js` should now look like this:',
    'The `bye` function in `src/greet.js` becomes:',
    'Great question. Update `src/greet.js` as follows:',
    'Okay, here we go. In `src/greet.js`, change the bye function:',
    'So in `src/greet.js`, update `bye`:',
    'But then replace `bye` in `src/greet.js` with:',
    'At the top of `src/greet.js`, add this import:',
    'Add this import at the top of `src/greet.js`:',
    'Then, in `src/greet.js`, you need to change `bye` to:',
    'In `src/greet.js` we replace the bye function with:',
    'To fix this, update the `bye` function in `src/greet.js`:',
    "I've updated the `bye` function in `src/greet.js`:",
    'I changed `bye` in `src/greet.js` to return 2:',
    "Next, let's modify `bye` in `src/greet.js`:",
    '**Step 2:** In `src/greet.js`, replace the `bye` function:',
    '2. Open `src/greet.js`, find `bye`, and change it to:',
    'Go to `src/greet.js` and update the function:',
    "Here's the updated `bye` function in `src/greet.js`:",
    "Here's how `bye` in `src/greet.js` should look:",
    'Here is how to fix `bye` in `src/greet.js`:',
    'Replace your current `bye` function in `src/greet.js` with this:',
    'Replace the existing bye function in `src/greet.js` with the following:',
    'The bye function in `src/greet.js` needs to be updated:',
    'The click handler in `src/greet.js` should look like this:',
    "Don't forget to update `src/greet.js`:",
    'Updating the `bye` function in `src/greet.js`:',
    'The fix in `src/greet.js` is:',
    '`src/greet.js` needs one more function:',
    'Your `src/greet.js` should look like this:',
    'In `src/greet.js`, inside the module, add the function:',
    'Replace `if (x)` in `src/greet.js` with:',
    'Change `bye` in `src/greet.js` so that you can pass a name:',
    'Use this version of `bye` in `src/greet.js`:',
    'Make this change in `src/greet.js`:',
    'You should also update `bye` in `src/greet.js`:',
    'In your `src/greet.js` file, add the following function:',
    'Sure thing! **In `src/greet.js`**, change `bye`:',
    'The new implementation of `bye` in `src/greet.js` should be:',
  ])('tells to change a file: %s', (sentence) => {
    for (const opening of ['', 'Sure! ', 'Okay, here we go. '])
      expect(toldOf(`${opening}${sentence}`)).toEqual([['proposed', 'src/greet.js', 'no-place']])
  })

  it.each([
    'For example, in `src/greet.js` you could write:',
    'In `src/greet.js`, you have:',
    'In `src/greet.js`, the component updates its state like this:',
    'The bug is in `src/greet.js`:',
    '`src/greet.js` contains:',
    '`src/greet.js` now looks like:',
    'The `bye` function in `src/greet.js` looks like this:',
    'The `bye` function in `src/greet.js` is:',
    'You could change `bye` in `src/greet.js` to:',
    'You can replace `bye` in `src/greet.js` with:',
    'If you want a number, change `bye` in `src/greet.js` to:',
    'Alternatively, update `bye` in `src/greet.js`:',
    'Optionally, add this to `src/greet.js`:',
    'I would change `bye` in `src/greet.js` to:',
    'You might add a function to `src/greet.js`:',
    'Change detection in `src/greet.js` works like this:',
    'Updating `src/greet.js` causes this error:',
    'The output of `bye` in `src/greet.js` should be:',
    'The response from `src/greet.js` should look like this:',
    'The output of the function in `src/greet.js` should be:',
    'The function that updates the state is in `src/greet.js`:',
    'This is how `src/greet.js` calls it:',
    'Here is what happens in `src/greet.js`:',
    'As you can see in `src/greet.js`:',
    'Consider adding a function to `src/greet.js`:',
    'Then add something like this to `src/greet.js`:',
    'Replace `bye` in `src/greet.js` when you need a number, e.g.:',
    'The state in `src/greet.js` is updated by this function:',
    'In `src/greet.js` the update handler is:',
    "Here's the relevant code from `src/greet.js`:",
    'Currently, `src/greet.js` adds the names:',
    'When you change `src/greet.js`, this runs:',
    'A new option would be to rewrite `bye` in `src/greet.js`:',
    'The old version of `bye` in `src/greet.js` was:',
    'Use `src/greet.js` like this:',
    'Look at `bye` in `src/greet.js`:',
    "Don't change `bye` in `src/greet.js`:",
    'It adds the names in `src/greet.js`:',
    'The change you made in `src/greet.js` broke this:',
    'In `src/greet.js`, `bye` is called with:',
    'Perhaps change `bye` in `src/greet.js` to:',
    '`bye` in `src/greet.js` returns this:',
    'The tests in `src/greet.js` check this:',
    'In `src/greet.js`, I see:',
    'Note that `src/greet.js` exports:',
    'First, look at `src/greet.js`:',
    'After the change, `src/greet.js` will look like this:',
    'Your `src/greet.js` probably has this:',
    'The key part of `src/greet.js` is:',
    'So in `src/greet.js` we have:',
  ])('only explains: %s', (sentence) => {
    for (const opening of ['', 'Sure! ']) expect(toldOf(`${opening}${sentence}`)).toEqual([])
  })

  it.each([
    '### Request 1: Update `src/greet.js`',
    '### Phase 2: Modify `bye` in `src/greet.js`',
    '### Backend: Add a function to `src/greet.js`',
    '## 2. Update the bye function in `src/greet.js`',
    '### 1. Names – change `src/greet.js`',
    '**Solution: Update `bye` in `src/greet.js`**',
    '### `src/greet.js` – add a function',
    '**`src/greet.js` changes:**',
    '1. **`src/greet.js`** – add a function:',
    '1. **Update `bye` in `src/greet.js`**: return 2',
    '- In `src/greet.js`: add a function',
    '- Change `bye` in `src/greet.js` to return 2',
  ])('tells it as a heading or an item of a list, without a stop: %s', (line) => {
    expect(toldOf(line)).toEqual([['proposed', 'src/greet.js', 'no-place']])
  })

  it.each([
    'Ersetzen Sie in `src/greet.js` die Funktion durch:',
    'Gerne! Ersetze die Funktion `bye` in `src/greet.js` durch:',
    'Fügen Sie in `src/greet.js` diese Funktion hinzu:',
    'In der Datei `src/greet.js` ändern Sie `bye`:',
    'Remplacez la fonction dans `src/greet.js` par :',
    'Ensuite, dans `src/greet.js`, ajoutez cette fonction :',
    'Reemplace la función en `src/greet.js` por:',
    'En `src/greet.js`, sustituya `bye` por:',
    'Substitua a função em `src/greet.js` por:',
    'Em `src/greet.js`, adicione esta função:',
    'Замените функцию в `src/greet.js` на:',
    'Отлично! В файле `src/greet.js` добавьте функцию:',
    '将 `src/greet.js` 中的函数替换为：',
    '然后，在 `src/greet.js` 中添加以下函数：',
    '好的。请修改 `src/greet.js` 如下：',
    '`src/greet.js` の関数を次のように置き換えてください：',
    '`src/greet.js` に次の関数を追加してください。',
  ])('tells it in another language: %s', (sentence) => {
    expect(toldOf(sentence)).toEqual([['proposed', 'src/greet.js', 'no-place']])
  })

  it.each([
    'Erstellen Sie `src/greet.js` mit folgendem Inhalt:',
    'Créez le fichier `src/greet.js` :',
    'Cree el archivo `src/greet.js`:',
    'Crie o arquivo `src/greet.js`:',
    'Создайте файл `src/greet.js`:',
    '创建文件 `src/greet.js`，内容如下：',
    '`src/greet.js` を作成してください：',
  ])('tells to create a file in another language: %s', (sentence) => {
    expect(toldOf(sentence)).toEqual([['proposed', 'src/greet.js', undefined]])
  })

  it.each([
    'Sie können in `src/greet.js` die Funktion ersetzen:',
    'Ersetzen Sie `bye` in `src/greet.js` zum Beispiel durch:',
    'Falls nötig, ersetzen Sie `bye` in `src/greet.js` durch:',
    'Ersetzen Sie `bye` in `src/greet.js` nicht durch:',
    'In `src/greet.js` steht diese Funktion:',
    'Vous pouvez remplacer `bye` dans `src/greet.js` par :',
    'Ne remplacez pas `bye` dans `src/greet.js` par :',
    'La fonction dans `src/greet.js` modifie la liste :',
    'Actualiza la lista en `src/greet.js`:',
    'Si quiere, reemplace `bye` en `src/greet.js` por:',
    'A função em `src/greet.js` faz isto:',
    'В `src/greet.js` есть функция:',
    '您可以将 `src/greet.js` 中的函数替换为：',
    '`src/greet.js` 中的函数更新列表：',
    '`src/greet.js` の関数はリストを更新します：',
    'もし必要なら、`src/greet.js` に次の関数を追加してください：',
  ])('only explains in another language: %s', (sentence) => {
    expect(toldOf(sentence)).toEqual([])
  })

  it.each(['Например, замените функцию в `src/greet.js` на:', '例如，在 `src/greet.js` 中添加以下函数：'])(
    'says in another language that it is an example: %s',
    (sentence) => expect(toldOf(sentence).map(([reason]) => reason)).toEqual(['example']),
  )

  it('tells it as a heading with a sentence below, unless that only explains', () => {
    const heading = '### Request 1: Update `bye` in `src/greet.js`'
    expect(toldOf(`${heading}\nIt needs one more name.`)).toEqual([['proposed', 'src/greet.js', 'no-place']])
    expect(toldOf(`${heading}\nThese are the names that it knows:`)).toEqual([['proposed', 'src/greet.js', 'listing']])
  })

  it.each([
    '### Problem: update of `src/greet.js` fails',
    '### Issue 2: change in `src/greet.js`',
    '### Common mistakes: editing `src/greet.js` directly',
    '### Option 2: Update `src/greet.js`',
    '### Alternative: Update `bye` in `src/greet.js`',
    '### Optional: Update `bye` in `src/greet.js`',
    '### Why update `src/greet.js`?',
    '### How to update `bye` in `src/greet.js`',
    '### What to change in `src/greet.js`',
    '### When to update `bye` in `src/greet.js`',
    "### Don't change `bye` in `src/greet.js`",
    '### How `bye` in `src/greet.js` works',
    '### The update in `src/greet.js` was wrong',
    '### Testing: change `bye` in `src/greet.js` and run',
    '- **`src/greet.js`**: adds the names',
    '- In `src/greet.js`, the function is exported',
    '1. Update of `src/greet.js` is needed when',
    'Update `bye` in `src/greet.js`',
  ])('only explains as a heading or an item of a list: %s', (line) => expect(toldOf(line)).toEqual([]))

  it('may name another file than the heading of its section', () => {
    expect(toldOf('### `src/other.js`\n\nIn `src/greet.js`, change `bye`:')[0]?.[1]).toBe('src/greet.js')
    expect(toldOf('### `src/other.js`\n\nIt is like `bye` in `src/greet.js`:')[0]?.[1]).toBe('src/other.js')
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
    const [place, ...others] = findProposedFiles(new Source(text))
    expect(others).toEqual([])
    expect(place?.found).toMatchObject({
      action: 'file_patch',
      params: { path: 'src/a_b.ts', patch: expect.stringMatching(/^-one\(\)\n\+two\(\)$/m) },
    })
  })
})

describe('what a program printed about a file', () => {
  it.each([
    'Traceback (most recent call last):\n  File "src/a.py", line 2, in a\n    return 1 / 0\nZeroDivisionError: division by zero',
    '  File "src/a.py", line 2\n    def a(\n         ^\nSyntaxError: \'(\' was never closed',
    'src/a.py:3: error: Incompatible types\nFound 1 error in 1 file',
    'src/a.ts(3,5): error TS2322: Type x\n\n3   const a = 1\n    ~~~~~',
    'src/a.ts:3:5 - error TS2322: Type x',
    'src/a.c:3:5: warning: unused variable\n    3 |   int a;\n      |       ^',
    'src/a.py:1:def a():\nsrc/a.py:5:def b():',
    'error[E0308]: mismatched types\n --> src/a.rs:3:5\n  |\n3 |     1\n',
    "TypeError: Cannot read properties of undefined (reading 'x')\n    at a (src/a.js:3:5)",
    'Exception in thread "main" java.lang.NullPointerException\n\tat A.main(A.java:3)',
    'panic: runtime error: index out of range\n\ngoroutine 1 [running]:',
  ])('is no text of it: %j', (printed) => {
    for (const title of ['`src/a.py`', '**src/a.py**:', 'Update `src/a.py`:', '### 1. Update `src/a.py`'])
      for (const fence of ['```', '```python', '```text'])
        expect(filesIn(`${title}\n\n${fence}\n${printed}\n\`\`\`\n`)).toEqual([['quoted', 'src/a.py']])
  })

  it.each([
    ['src/a.py', 'import traceback\n\nHEAD = "Traceback (most recent call last):"'],
    ['src/a.ts', 'export class ParseError extends Error {}'],
    ['test/expected.txt', 'Traceback (most recent call last):\n  File "a.py", line 2, in a'],
    ['.pgpass', 'db.example.com:5432:main:user:word'],
    ['hosts.yml', 'db.example.com:5432: main'],
    ['src/a.js', 'error: while (true) {\n  break error\n}'],
  ])('is told from the text of %s', (path, content) => {
    expect(filesIn(`\`${path}\`\n\n\`\`\`\n${content}\n\`\`\`\n`)).toEqual([['file_write', path, `${content}\n`]])
  })
})

describe('a heading of a deleted or renamed file in a fence', () => {
  const deleted = '### Deleted file: `src/a.ts`'
  const renamed = '### Renamed file: `src/a.ts` (old) `src/b.ts` (new)'

  it.each([
    ['```', deleted, [['file_delete', 'src/a.ts', '']]],
    ['```markdown', `${deleted}\n`, [['file_delete', 'src/a.ts', '']]],
    ['```', renamed, [['file_move', 'src/a.ts', 'src/b.ts']]],
    [
      '```text',
      `${renamed}\n\n${deleted}`,
      [
        ['file_move', 'src/a.ts', 'src/b.ts'],
        ['file_delete', 'src/a.ts', ''],
      ],
    ],
  ])('is what it says, and no content: %s %j', (fence, heading, found) => {
    const files = findProposedFiles(new Source(`Sure.\n\n${fence}\n${heading}\n\`\`\`\n`))
    const said = files.map(({ found: { action, params } }) => [
      action,
      params['path'] ?? params['old_path'],
      params['new_path'] ?? '',
    ])
    expect(said).toEqual(found)
  })

  it('is content next to other lines', () => {
    expect(filesIn(`docs/a.md\n\n\`\`\`md\n${deleted}\n\nText.\n\`\`\`\n`)).toEqual([
      ['file_write', 'docs/a.md', `${deleted}\n\nText.\n`],
    ])
  })
})
