// Measures clada against its peers in one run, interleaved, and writes docs/benchmarks.md. Nothing here is a test.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { commitsTable } from './commits.mjs'
import { listedCommand, overlayLarge, overlaySmall, sandboxedCode } from './commands.mjs'
import { editsIn } from './edits.mjs'
import { compare, page, scratch } from './measure.mjs'
import { forDocument } from './memory.mjs'
import { againstSplit, growthOnMalformed } from './parse.mjs'
import { rungCosts } from './rungs.mjs'
import { againstRipgrep } from './search.mjs'
import { startTable } from './start.mjs'
import { firstCheck, parseAndFind } from './structures.mjs'
import { readingTable } from './syntaxes.mjs'
import { idle, saveToResults, thousandBlocks } from './watch.mjs'

const rows = []
const ms = (value) => `${value.toFixed(1)} ms`
const mb = (value) => `${(value / 1024 / 1024).toFixed(0)} MB`

function row(what, peer, { ours, peer: theirs, ratio }, limit, unit = ms) {
  const verdict = limit === null ? '' : ratio <= limit ? 'yes' : '**no**'
  rows.push(
    `| ${what} | ${unit(ours)} | ${peer} | ${unit(theirs)} | ${ratio.toFixed(2)}× | ${limit === null ? '–' : `${limit}×`} | ${verdict} |`,
  )
  console.log(rows.at(-1))
}

/** For what costs a fixed time on top, whatever it is added to. */
function overRow(what, peer, { ours, peer: theirs, over }, limit) {
  rows.push(
    `| ${what} | ${ms(ours)} | ${peer} | ${ms(theirs)} | ${over < 0 ? '' : '+'}${ms(over)} | +${limit} ms | ${over <= limit ? 'yes' : '**no**'} |`,
  )
  console.log(rows.at(-1))
}

/** For what has a bound and no peer. */
function boundRow(what, value, limit, unit) {
  rows.push(`| ${what} | ${unit(value)} | – | – | – | ${unit(limit)} | ${value <= limit ? 'yes' : '**no**'} |`)
  console.log(rows.at(-1))
}

const start = startTable()
console.log(start)

const onDisk = editsIn(path.join(scratch, 'edits'))
const synced = () => onDisk.withBareScript('with fsync')
row('1,000 edits in 1,000 files', 'bare script with fsync', compare(9, onDisk.withClada, synced), 0.8)
if (fs.existsSync('/dev/shm')) {
  const root = fs.mkdtempSync('/dev/shm/clada-bench-')
  const inMemory = editsIn(path.join(root, 'edits'))
  try {
    const bare = compare(9, inMemory.withClada, () => inMemory.withBareScript('without fsync'))
    row('the same in memory', 'bare script without fsync', bare, 5)
    const binary = findApplyPatch()
    if (binary !== undefined) {
      const codex = compare(5, inMemory.withClada, () => inMemory.withApplyPatch(binary))
      row('the same in memory', "codex's `apply_patch`, without fsync", codex, 1.5)
    }
  } finally {
    fs.rmSync(root, { recursive: true, force: true })
  }
}

const dearest = Math.max(...rungCosts().flatMap(({ isUsual, asText, asPatch }) => (isUsual ? [asText, asPatch] : [])))
boundRow('An edit in 10,000 lines that is not there as written, the dearest rung', dearest, 20, ms)

row('Parsing 10 MB of SHAM', "`split('\\\\n')`", againstSplit(), 5)
row('100,000 broken blocks', '50,000 of them', growthOnMalformed(), 2.6)

const reading = await readingTable()
console.log(reading)
const commits = commitsTable()
console.log(commits)

row('`grep` over 20,000 files', 'ripgrep itself', await againstRipgrep(), 1.3)
row(
  'Memory for 49 MB of ASCII, over bare node, per byte',
  'bare node',
  forDocument('plain text that is only ASCII, sixty characters or so a line'),
  5,
  mb,
)
row(
  'The same with other characters',
  'bare node',
  forDocument('Zeichen wie ä, ö, ü, und auch 漢字, damit es kein ASCII mehr ist'),
  8,
  mb,
)

row('A function found in 1 MB of TypeScript', 'parsing it', await parseAndFind(), 2)
overRow('Edit of a small file with the syntax check, slowest language', 'without it', firstCheck(), 30)

overRow('`run` of a listed command', 'starting it directly', await listedCommand(), 4)
overRow('`exec` in the sandbox', '`exec` without one', await sandboxedCode(), 15)
overRow('`exec` of code in a project of 100 files', 'bubblewrap itself', await overlaySmall(), 15)
overRow('the same with 90,000 files, 40,000 in `node_modules`', 'bubblewrap itself', await overlayLarge(), 150)

boundRow('`clada watch`: from save to results, one block, over the debounce', await saveToResults(15, 'no-git'), 40, ms)
boundRow('the same with a commit in git', await saveToResults(9, 'git'), 200, ms)
row('`clada watch`: 1,000 blocks in one save', '`clada run` of them', await thousandBlocks(5), 1.5)
const quiet = await idle(40)
boundRow('`clada watch` while nothing happens: processor', quiet.cpu * 100, 0.2, (value) => `${value.toFixed(2)} %`)
boundRow('the same: memory', quiet.memory, 90 * 1024 * 1024, mb)

const [cpu] = os.cpus()
fs.writeFileSync(
  page,
  `# Benchmarks

Made by \`npm run bench\`: one run, interleaved, medians. Ratios are what counts; the times are those of one machine
(Node ${process.versions.node}, ${os.cpus().length} × ${cpu?.model.trim()}, ${os.platform()}).

| what | clada | peer | | ratio | limit | kept |
|---|---|---|---|---|---|---|
${rows.join('\n')}

The peer in the first row reads, replaces, and writes by temporary file, fsync and rename, one file after another.
clada does the same and also walks to each file without following links, keeps the owner and the mode, and looks
whether another program wrote in the meantime; it keeps both texts in its journal, parses each changed file, and reports each
edit. Sixteen files are synced at the same time, so that the file system brings them to the disk together. Files that are
ready take their names sixteen at a time, by one question to perl, and the next ones are prepared while perl works; many
changed files are parsed by another thread meanwhile. What bounds it is the main thread, whose profile is flat:

| part, in memory | of the time |
|---|---|
| writing the new files and the journal | 18 % |
| taking the names, of which a third is waiting for perl | 11 % |
| collection of garbage | 11 % |
| comparing both texts, reports | 9 % |
| finding the blocks | 9 % |
| reading the files | 8 % |
| handing the changed files to the thread that parses them | 7 % |
| rules of paths, when a file is read and when it is written | 4 % |
| start, tasks, promises, the record at the end | 23 % |

There are 24 calls of the system for each file, 9 of them by perl; a bare script needs 8. A process that makes a thousand
edits is cold: V8 optimizes its code meanwhile, which takes another 40 % of the processor time in four threads, and none of
the flags of V8 that were tried helped. Time limits without tracking of promises would save 2 %. On a disk, to wake a thread
for each sync takes the main thread 90 µs, where the sync itself takes 150 µs. Perl could sync the files of one question
before it exchanges their names, but then its answer could not be waited for without an event loop, as it is now: on a slow
disk it takes too long.

Codex's \`apply_patch\` is measured once \`npm run damage -- --peers\` has fetched it.

${reading}
${commits}
${start}`,
)

function findApplyPatch() {
  const base = new URL('../node_modules/.cache/clada-codex/package/', import.meta.url)
  if (!fs.existsSync(base)) return undefined
  const found = fs.readdirSync(base, { recursive: true, withFileTypes: true })
  const binary = found.find((entry) => entry.isFile() && entry.name === 'codex' && entry.parentPath.includes('vendor'))
  return binary === undefined ? undefined : path.join(binary.parentPath, binary.name)
}
