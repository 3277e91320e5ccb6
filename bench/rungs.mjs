// What finding the place of an edit costs, by the rung that finds it, in processor time. Nothing here is a test.
//
//   node bench/rungs.mjs
import { loadSource } from '../scripts/source.mjs'

const { editTolerantly, applyHunks, parseHunks } = await loadSource(
  'packages/reply/src/text/edit-text.ts',
  'packages/reply/src/text/hunks-apply.ts',
  'packages/reply/src/text/hunks.ts',
)
const tolerant = { matching: 'tolerant', readings: 'allowed', damage: [] }

/** Functions of ten lines, no two of them alike. */
const lines = Array.from({ length: 10_000 }, (_, at) => {
  const [nth, row] = [Math.floor(at / 10), at % 10]
  if (row === 0) return `export function part${nth}(first, second) {`
  if (row === 8) return '}'
  return row === 9 ? '' : `  if (first < ${nth * 7 + row}) call${row}('value ${nth}', "${row}", second)`
})
const file = `${lines.join('\n')}\n`
const old = lines.slice(5000, 5012)
const change = (all) => all.map((line, at) => (at === 4 ? line.replace(/call\d/, 'other') : line))
const each = (write) => [old.map(write).join('\n'), change(old).map(write).join('\n')]

const same = Array.from({ length: 10_000 }, () => '  same(1)')
const block = lines.slice(0, 140)
const blocks = `${Array.from({ length: 50 }, () => block.join('\n')).join('\n')}\n`
const long = `${'const value = 1; '.repeat(60_000)}\n`

/** Old text, new text, and the file. */
const cases = {
  'trailing-space': [...each((line) => `${line}  `), file],
  indentation: [...each((line) => (line === '' ? '' : `    ${line}`)), file],
  characters: [...each((line) => line.replaceAll("'", '\u2019').replaceAll(' ', '\xa0')), file],
  'characters (entities)': [...each((line) => line.replaceAll('<', '&lt;').replaceAll('"', '&quot;')), file],
  prefix: [...each((line, at) => `${at + 5001}: ${line}`), file],
  context: [old.with(1, '  // misremembered').join('\n'), change(old.with(1, '  // misremembered')).join('\n'), file],
  'none of them': [old.map((line) => `${line}x`).join('\n'), 'x', file],
  '10,000 lines that are the same': [
    '  same(1)\n  same(1)\n  other(1)\n  same(1)\n  same(1)',
    'x',
    `${same.join('\n')}\n`,
  ],
  '500 old lines in them': [[...same.slice(0, 499), 'x'].join('\n'), 'y', `${same.join('\n')}\n`],
  '5,000 old lines in them': [[...same.slice(0, 4999), 'x'].join('\n'), 'y', `${same.join('\n')}\n`],
  'a block of 140 lines that is there 50 times': [
    block.with(70, 'x').join('\n'),
    block.with(72, 'y').join('\n'),
    blocks,
  ],
  'one line of 1 MB': ['const value = 2;\nconst value = 1;', 'x', long],
  'an old line of 1 MB': [`${long.slice(0, -2)}x\nb\nc\nd`, 'x', `${long}b\nc\nd\n`],
}

/** The least of several runs: others on the machine only add to it. */
function cost(run) {
  let least = Infinity
  for (let nth = 0; nth < 15; nth++) {
    const before = process.cpuUsage()
    run()
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, (user + system) / 1000)
  }
  return least
}

export function rungCosts() {
  return Object.entries(cases).map(([name, [from, to, text]]) => {
    const found = editTolerantly(text, from, to, 1, tolerant)
    const patch = parseHunks(
      `@@\n${from
        .split('\n')
        .map((line) => `-${line}`)
        .join('\n')}\n${to
        .split('\n')
        .map((line) => `+${line}`)
        .join('\n')}`,
    )
    const asText = cost(() => editTolerantly(text, from, to, 1, tolerant))
    const asPatch = cost(() => applyHunks(text, patch.hunks))
    return { name, isUsual: text === file, rung: found.kind === 'done' ? found.rung : found.kind, asText, asPatch }
  })
}

if (process.argv[1]?.endsWith('rungs.mjs')) {
  console.log('| found by | result | as a text | as a hunk |\n|---|---|---|---|')
  for (const { name, rung, asText, asPatch } of rungCosts())
    console.log(`| ${name} | ${rung} | ${asText.toFixed(1)} ms | ${asPatch.toFixed(1)} ms |`)
}
