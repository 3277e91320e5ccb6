// Reading replies: each syntax beside splitting the text into lines, and how the time grows with the text.
import { loadSource } from '../../scripts/source.mjs'
import { cpuTimed } from '../measure.mjs'

const { findBlocks, Source } = await loadSource(
  'packages/reply/src/syntax/find-blocks.ts',
  'packages/reply/src/core/source.ts',
)

/** About a thousand bytes of a file. */
const code = Array.from(
  { length: 14 },
  (_, at) => `export const value${at} = compute(${at}, "text") // line ${at} of this file`,
)
const added = code.map((line) => `+${line}`)
const kept = code.slice(0, 7).map((line) => ` ${line}`)

const blocks = {
  sham: (at) => [
    '#!SHAM [@three-char-SHA-256: a1b]',
    'action = "file_write"',
    `path = "src/module-${at}.ts"`,
    "content = <<'EOT_SHAM_a1b'",
    ...code,
    'EOT_SHAM_a1b',
    '#!END_SHAM_a1b',
  ],
  csl: (at) => [`<---WRITE file="src/module-${at}.ts"--->`, ...code, '<---END--->'],
  cml: (at) => [`<write path="src/module-${at}.ts"><![CDATA[`, ...code, ']]></write>'],
  replacer: (at) => ['<<<FILE>>>', `src/module-${at}.ts`, '<<<OVERWRITE>>>', ...code, '<<<END>>>'],
  'search-replace': (at) => [
    `src/module-${at}.ts`,
    '```ts',
    '<<<<<<< SEARCH',
    ...code.slice(0, 7),
    '=======',
    ...code.slice(7),
    '>>>>>>> REPLACE',
    '```',
  ],
  'apply-patch': (at) => ['*** Begin Patch', `*** Add File: src/module-${at}.ts`, ...added, '*** End Patch'],
  udiff: (at) => [
    '```diff',
    `--- a/src/module-${at}.ts`,
    `+++ b/src/module-${at}.ts`,
    '@@ -1,7 +1,14 @@',
    ...kept,
    ...added.slice(7),
    '```',
  ],
}

function replyIn(syntax, bytes) {
  let text = ''
  for (let at = 0; text.length < bytes; at++)
    text += ['', `Some prose about change ${at}, as models write it.`, '', ...blocks[syntax](at), ''].join('\n')
  // One flat string, as it comes from a file.
  return Buffer.from(text).toString()
}

const read = (text, options) => () => cpuTimed(() => findBlocks(new Source(text), options))
const broken = (count) =>
  '#!SHAM [@three-char-SHA-256: bad]\nkey = unquoted\nno assignment\n#!END_SHAM_bad\n'.repeat(count)

export const rows = [
  ...Object.keys(blocks).map((syntax) => ({
    id: `reading-${syntax}`,
    what: `4 MB of ${syntax}`,
    beside: "`split('\\n')`",
    measure() {
      const text = replyIn(syntax, 4e6)
      return { ours: read(text, { syntaxes: [syntax], strict: true }), peer: () => cpuTimed(() => text.split('\n')) }
    },
  })),
  {
    id: 'reading-10mb',
    what: '10 MB of SHAM, looking for every syntax',
    beside: '1 MB of it',
    measure: () => ({ ours: read(replyIn('sham', 1e7)), peer: read(replyIn('sham', 1e6)) }),
  },
  {
    id: 'reading-broken',
    what: '100,000 broken blocks',
    beside: '50,000 of them',
    rounds: 5,
    measure: () => ({ ours: read(broken(100_000)), peer: read(broken(50_000)) }),
  },
]
