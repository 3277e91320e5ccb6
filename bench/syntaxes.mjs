// How fast each syntax is read, beside splitting the same text into lines; and all syntaxes at once. Writes its table into
// docs/benchmarks.md.
//
//   node bench/syntaxes.mjs [rounds]
import { loadSource } from '../scripts/source.mjs'
import { cpuTimed, putSection } from './measure.mjs'

const size = 4_000_000

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

const parsers = ['packages/reply/src/syntax/find-blocks.ts', 'packages/reply/src/core/source.ts']

/** For each syntax its reader beside `split`, and all syntaxes beside the slowest way to read one, on its text. */
async function eachSyntax(rounds) {
  const { findBlocks, Source } = await loadSource(...parsers)
  const found = []
  for (const syntax of Object.keys(blocks)) {
    const text = documentIn(syntax)
    const ways = {
      split: () => text.split('\n'),
      own: () => findBlocks(new Source(text), { syntaxes: [syntax], strict: true }),
      alone: () => findBlocks(new Source(text), { syntaxes: [syntax] }),
      all: () => findBlocks(new Source(text)),
    }
    const best = Object.fromEntries(Object.keys(ways).map((name) => [name, Infinity]))
    for (let round = 0; round < rounds; round++) {
      for (const [name, work] of Object.entries(ways)) best[name] = Math.min(best[name], cpuTimed(work))
    }
    found.push({ syntax, megabytes: text.length / 1e6, ...best })
  }
  return found
}

/** What a syntax may take, as a multiple of `split`. */
const limit = 6

export async function readingTable(rounds = 15) {
  const found = await eachSyntax(rounds)
  const rows = found.map(({ syntax, megabytes, split, own }) => {
    const speed = (time) => `${((megabytes * 1000) / time).toFixed(0)} MB/s`
    const kept = own / split <= limit ? 'yes' : '**no**'
    return `| ${syntax} | ${speed(own)} | ${speed(split)} | ${(own / split).toFixed(1)}× | ${limit}× | ${kept} |`
  })
  const slowest = (way) => Math.max(...found.map((each) => each[way]))
  return `## Reading

Made by \`node bench/syntaxes.mjs\`: 4 MB of each syntax in blocks of 1 kB, with two lines of prose between them, and
\`split('\\n')\` of the same text; processor time, best of ${rounds}, so that other work on the machine does not matter.

| syntax | clada | \`split\` | ratio | limit | kept |
|---|---|---|---|---|---|
${rows.join('\n')}

Looking for all syntaxes at once takes ${(slowest('all') / slowest('alone')).toFixed(2)}× as long as looking for the slowest one alone.

What the rest is, by profile, as shares of the time of a whole reading:

| part | apply-patch | SEARCH/REPLACE | udiff |
|---|---|---|---|
| putting texts together | 20 % | 26 % | – |
| collection of garbage | 14 % | 22 % | 7 % |
| reading fences and hunks | – | 1 % | 39 % |
| signs that a block is only shown, markers outside blocks | 18 % | 13 % | 19 % |
| finding markers | 16 % | 14 % | 2 % |
| where lines begin, and with what | 13 % | 5 % | 10 % |
| looking for reports, quotations and thoughts | 8 % | 5 % | 7 % |

New files of apply-patch lose a mark on each line and edits of SEARCH/REPLACE gain one, so their texts are copies, as much
memory as the text itself, where the other syntaxes take slices. That is why memory decides: while a reading allocates less
than the young generation of V8 holds (16 MB), some readings pass without a collection. One of apply-patch allocates about
11 MB, one of SEARCH/REPLACE 16 MB, of which 8 MB are the lines and the texts they are joined to. Nothing else makes these
texts for less: \`replace\` with a plain text makes a rope with every line as a part, for the collector to move; with \`$&\` it
makes one text in twice the time; one text for the whole document, whose parts the files would be, is fast only until its
4 MB come from the system anew. A reading without one syntax in particular looks for damage, for calls of other tools and
for whole files too, which is what takes more than twice the time. CML that is written as usual needs
neither a list of its tags nor an XML parser.
`
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const table = await readingTable(Number(process.argv[2] ?? 15))
  console.log(table)
  putSection(table)
}
