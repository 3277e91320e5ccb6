import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { Clada } from '../../packages/clada/src/index.ts'
import { scratchDir } from '../support/scratch.ts'

/** One edit whose markers are clean: what the file holds, what is looked for, what comes of it. */
async function edited(
  file: string,
  old_text: string,
  new_text: string,
  more: Record<string, string> = {},
  strict = false,
) {
  const root = scratchDir({ 'f.txt': file })
  const action = more['action'] ?? 'file_replace_text'
  const params = { ...more, path: 'f.txt', old_text, new_text }
  const lines = Object.entries(params).map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
  const text = ['#!nesl [@x: ab]', ...(more['action'] ? [] : [`action = "${action}"`]), ...lines, '#!end_ab'].join('\n')
  const { results } = await new Clada({ repoPath: root, gitCommit: false, relativePaths: true, strict }).execute(text)
  const [result] = results
  return {
    file: fs.readFileSync(path.join(root, 'f.txt'), 'utf8'),
    said: result?.error ?? result?.warnings?.join('; ') ?? '',
  }
}

const absent = 'file_replace_text: old_text not found in file'
const through = (words: string): string =>
  `old_text matched only after undoing paste damage (${words}) [characters]; the same repair was applied to new_text`

test.each([
  ['entities', 'if (a < b) {}\n', 'a &lt; b', 'a &lt; c &amp;&amp; d', 'if (a < c && d) {}\n', 'HTML entities'],
  ['backslashes', 'a_b = 1\n', 'a\\_b', 'c\\_d', 'c_d = 1\n', 'backslashes of markdown'],
  ['curly quotes', 'say("x")\n', 'say(\u201cx\u201d)', 'say(\u201cy\u201d)', 'say("y")\n', 'typographic punctuation'],
  ['a dash', 'a -- b\n', 'a \u2014 b', 'c \u2014 d', 'c -- d\n', 'typographic punctuation'],
  ['no-break spaces', 'a b\n', 'a\xa0b', 'a\xa0c', 'a c\n', 'no-break spaces'],
  ['zero-width characters', 'ab\n', 'a\u200bb', 'x', 'x\n', 'invisible characters'],
  ['two kinds', 'say("x y")\n', 'say(\u201cx\xa0y\u201d)', 'z', 'z\n', 'typographic punctuation and no-break spaces'],
])('a text that is there but for %s is replaced, with a word about it', async (_, file, old, changed, after, words) => {
  expect(await edited(file, old, changed)).toEqual({ file: after, said: through(words) })
  expect(await edited(file, old, changed, {}, true)).toEqual({ file, said: absent })
})

test.each([
  ['it is there twice', 'a < b\na < b\n', 'a &lt; b', 'x'],
  ['two readings are there', 'a -- b\na - b\n', 'a \u2014 b', 'x'],
  ['the new text has what the file has too', 'say("x") \u201c\n', 'say(\u201cx\u201d)', '\u201cy\u201d'],
  ['the new text is escaped in another way', 'a_b\n', 'a\\_b', 'a\\_b\\.c'],
  ['the new text shows other damage', 'a < b\n', 'a &lt; b', '\u201cc\u201d'],
  ['only the quotes would change', 'say "x"\n', 'say \u201cx\u201d', 'say \u201cx\u201c'],
])('it stays an error when %s', async (_, file, old, changed) => {
  expect(await edited(file, old, changed)).toEqual({ file, said: absent })
})

test('what is there as it stands is never read in another way', async () => {
  expect(await edited('&lt; <\n', '&lt;', '&gt;')).toEqual({ file: '&gt; <\n', said: '' })
})

test('a count is the count of the reading', async () => {
  const edit = { action: 'file_edit', count: '2' }
  expect(await edited('a < b, a < b\n', 'a &lt; b', 'x', edit)).toEqual({
    file: 'x, x\n',
    said: through('HTML entities'),
  })
  expect((await edited('a < b\n', 'a &lt; b', 'x', edit)).file).toBe('a < b\n')
})

test('an action that knows nothing of damage gets no text that is in doubt', async () => {
  const root = scratchDir({ 'f.py': 'def f():\n    return "a &lt; b"\n' })
  const text = `#!SHAM [@three-char-SHA-256: ab]
action = "replace_text_in_structure"
path = "f.py"
target = "f"
old_text = &lt;&lt;'EOT_SHAM_ab'
a &lt; b
EOT_SHAM_ab
new_text = "x"
#!END_SHAM_ab`
  const { results } = await new Clada({ repoPath: root, gitCommit: false, relativePaths: true }).execute(text)
  expect(results.map(({ success, error }) => [success, error])).toEqual([
    [false, expect.stringContaining('was damaged in transit (HTML entities)')],
  ])
})
