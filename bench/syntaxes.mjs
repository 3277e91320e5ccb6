import { fromSource } from './from-source.mjs'
import { median, timed } from './measure.mjs'

/** Reading 10 MB of each syntax, beside splitting the same text into lines; and reading it with all syntaxes at once. */

const size = 10_000_000

/** About a thousand bytes of a file. */
const code = Array.from(
  { length: 14 },
  (_, i) => `export const value${i} = compute(${i}, "text") // line ${i} of this file`,
)
const added = code.map((line) => `+${line}`)
const kept = code.slice(0, 7).map((line) => ` ${line}`)

const blocks = {
  sham: (i) => [
    '#!SHAM [@three-char-SHA-256: a1b]',
    'action = "file_write"',
    `path = "/project/src/module-${i}.ts"`,
    "content = <<'EOT_SHAM_a1b'",
    ...code,
    'EOT_SHAM_a1b',
    '#!END_SHAM_a1b',
  ],
  csl: (i) => [`<---WRITE file="src/module-${i}.ts"--->`, ...code, '<---END--->'],
  cml: (i) => [`<write path="src/module-${i}.ts"><![CDATA[`, ...code, ']]></write>'],
  replacer: (i) => ['<<<FILE>>>', `src/module-${i}.ts`, '<<<OVERWRITE>>>', ...code, '<<<END>>>'],
  'search-replace': (i) => [
    `src/module-${i}.ts`,
    '```ts',
    '<<<<<<< SEARCH',
    ...code.slice(0, 7),
    '=======',
    ...code.slice(7),
    '>>>>>>> REPLACE',
    '```',
  ],
  'apply-patch': (i) => ['*** Begin Patch', `*** Add File: src/module-${i}.ts`, ...added, '*** End Patch'],
  udiff: (i) => [
    '```diff',
    `--- a/src/module-${i}.ts`,
    `+++ b/src/module-${i}.ts`,
    '@@ -1,7 +1,14 @@',
    ...kept,
    ...added.slice(7),
    '```',
  ],
}

function documentIn(syntax) {
  let text = ''
  for (let i = 0; text.length < size; i++) {
    text += ['', `Some prose about change ${i}, as models write it.`, '', ...blocks[syntax](i), ''].join('\n')
  }
  // One flat string, as it comes from a file.
  return Buffer.from(text).toString()
}

const parsers = `export { findBlocks } from './syntax/find-blocks.ts'
export { Source } from './core/source.ts'`

/** For each syntax its parser beside `split`, and all syntaxes beside the slowest way to read one, on its text. */
export async function eachSyntax(rounds = 7) {
  const { findBlocks, Source } = await fromSource(parsers)
  const found = []
  for (const syntax of Object.keys(blocks)) {
    const text = documentIn(syntax)
    const ways = {
      split: () => text.split('\n'),
      own: () => findBlocks(new Source(text), { syntaxes: [syntax], strict: true }),
      alone: () => findBlocks(new Source(text), { syntaxes: [syntax] }),
      all: () => findBlocks(new Source(text)),
    }
    const count = ways.all().blocks.filter((block) => block.faults.length === 0).length
    const times = Object.fromEntries(Object.keys(ways).map((name) => [name, []]))
    for (let round = 0; round < rounds; round++) {
      for (const [name, work] of Object.entries(ways)) times[name].push(timed(work))
    }
    const [split, own, alone, all] = Object.values(times).map(median)
    found.push({ syntax, count, megabytes: text.length / 1e6, split, own, alone, all })
  }
  return found
}
