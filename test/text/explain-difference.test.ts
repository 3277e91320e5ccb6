import { expect, test } from 'vitest'
import { explainDifference } from '@clada/reply/text/explain-difference.ts'

test.each([
  ['a\nb\n', 'a\nb', 'old_text matches except for a final newline'],
  ['\na\nb', 'a\nb', 'old_text matches except for a newline before it'],
  ['\n\na\n\n', 'a', 'old_text matches except for the newlines around it'],
  ['a\r\nb', 'a\nb', 'old_text has CRLF line ends'],
  ['a  \nb', 'a\nb', 'only trailing spaces differ'],
  ['a\nb', 'a \nb', 'only trailing spaces differ'],
  ['  a\n  b', '    a\n    b', 'only indentation differs'],
  ['\ta\n\tb', '    a\n    b', 'only indentation differs: tabs instead of spaces'],
  ['    a\n    b', '\ta\n\tb', 'only indentation differs: spaces instead of tabs'],
  ['f(\nb', 'x = f(\n  b)', 'only indentation differs'],
  ['a\n\nb', 'a\nb', 'only blank lines differ'],
  ['a\nb', 'a\n\n\nb', 'only blank lines differ'],
  ['  a\nb', 'a\n\n b', 'only indentation and blank lines differ'],
  ['f(a,b)', 'f(a, b)', 'only spaces and line breaks differ'],
  ['f(a, b)', 'f(\n  a,\n  b)', 'only spaces and line breaks differ'],
  ['slef', 's left', undefined],
  ['say “hi”', 'say "hi"', 'typographic quotes instead of straight ones'],
  ["it's", 'it’s', 'straight quotes or hyphens instead of typographic ones'],
  ['a – b', 'a - b', 'a typographic dash instead of a hyphen'],
  ['a\u200bb c', 'ab c', 'only invisible characters differ'],
  ['a\u00a0b', 'a b', 'only no-break or wide spaces differ'],
  ['Foo bar', 'foo Bar', 'only upper and lower case differ'],
  ['12: a b\n13:   c', 'a b\n  c', 'old_text carries line numbers'],
  [' 9 | a b\n10 | c', 'a b\nc', 'old_text carries line numbers'],
  ['7\tfoo()', 'foo()', 'old_text carries line numbers'],
  ['1 apple\n2 pears', 'apple\npears', 'old_text carries line numbers'],
  ['-foo()\n+bar()', 'foo()', 'old_text carries diff marks'],
  ['@@ -1 +1 @@\n foo()\n-bar()', 'foo()\nbar()', 'old_text carries diff marks'],
  ['+foo()\n+bar()', 'foo()\nbar()', 'old_text carries diff marks'],
  ['```ts\nfoo()\n```', 'foo()', 'old_text is wrapped in a code fence'],
  ['foo()\\n\\tbar()', 'foo()\n\tbar()', 'old_text has \\n, \\" or the like written out'],
  ['say(\\"hi\\")', 'say("hi")', 'old_text has \\n, \\" or the like written out'],
  ['a &lt; b &amp;&amp; c', 'a < b && c', 'old_text has &lt;, &amp; or the like written out'],
  ['"say \\\\"hi"', '"say \\"hi"', 'old_text has \\n, \\" or the like written out'],
  ['say("hi")', 'x = "say(\\"hi\\")"', 'the quotes are escaped in the file'],
  ['start()\n// ... existing code ...\nend()', 'start()\nmiddle()\nend()', 'old_text leaves lines out'],
  ['foo()', 'bar()', undefined],
  ['foo()', 'foo()', undefined],
  ['a\nb', 'a\r\nb', undefined],
  ['', 'a', undefined],
  [' \n', 'a', undefined],
])('%j in %j: %s', (wanted, found, expected) => {
  expect(explainDifference(wanted, found)).toBe(expected)
})

test('names the parameter it is told', () => {
  expect(explainDifference('a\n', 'a', 'old_text_end')).toBe('old_text_end matches except for a final newline')
})
