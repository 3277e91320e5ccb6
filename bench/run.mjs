// Measures clada beside its peers in one run and prints a table of ratios. Nothing here is a test.
//
//   npm run bench [-- ROW ...] [-- --force] [-- --write]
//
// Each row is measured in turn with its peer, so that whatever else the machine does hits both. On a machine that is busy it
// prints nothing without --force. It first builds what it measures, as it is published. Limits are in limits.json. With --write
// the table goes into docs/internals/benchmarks.md, up to its first heading; what follows there stays.
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { executable, median } from './measure.mjs'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { force: { type: 'boolean' }, write: { type: 'boolean' } },
})
const [load] = os.loadavg()
if (load > os.cpus().length / 2 && !values.force) {
  console.error(`The machine is busy (load ${load.toFixed(1)}): figures would mean nothing. --force measures anyway.`)
  process.exit(1)
}

buildWhatIsMeasured()
const limits = JSON.parse(fs.readFileSync(new URL('limits.json', import.meta.url), 'utf8'))
const files = fs.readdirSync(new URL('rows/', import.meta.url)).sort()
const rows = (await Promise.all(files.map((file) => import(`./rows/${file}`)))).flatMap((module) => module.rows)
// Without an executable, which takes minutes to build, its rows are left out.
const isLeftOut = (id) => executable === undefined && id.startsWith('executable-')
const unknown = Object.keys(limits).filter((id) => !isLeftOut(id) && !rows.some((row) => row.id === id))
if (unknown.length > 0) throw new Error(`limits.json has limits for rows that do not exist: ${unknown.join(', ')}`)

const lines = ['| row | what | clada | beside | | ratio | limit | kept |', '|---|---|---|---|---|---|---|---|']
for (const row of rows) {
  if (positionals.length > 0 && !positionals.some((wanted) => row.id.startsWith(wanted))) continue
  lines.push(await measureRow(row))
  console.log(lines.length === 3 ? lines.join('\n') : lines.at(-1))
}
if (values.write) writePage()
// Rows leave programs running that would keep this process alive.
process.exit()

/** `measure` prepares, and returns what each of the two takes once. */
async function measureRow({ id, what, beside, rounds = 15, unit = 'ms', measure }) {
  const { ours, peer } = await measure()
  const taken = [[], []]
  for (let round = 0; round < rounds + 1; round++)
    for (const [at, once] of [ours, peer].entries()) {
      const value = await once()
      // The first round keeps what V8 made of the code, and fills the system's caches.
      if (round > 0) taken[at].push(value)
    }
  const [mine, theirs] = taken.map(median)
  const ratio = mine / theirs
  const limit = limits[id]
  const shown = (value) =>
    unit === 'MB' ? `${(value / 2 ** 20).toFixed(0)} MB` : `${value.toFixed(value < 10 ? 1 : 0)} ms`
  const judged = limit === undefined ? '– | ' : `${limit}× | ${ratio <= limit ? 'yes' : '**no**'}`
  return `| ${id} | ${what} | ${shown(mine)} | ${beside} | ${shown(theirs)} | ${ratio.toFixed(2)}× | ${judged} |`
}

/** What is in dist may be of other sources, or packed for tests: grammars are compressed less there. */
function buildWhatIsMeasured() {
  const run = (script, ...args) =>
    execFileSync(process.execPath, [path.join(import.meta.dirname, '../scripts', script), ...args], {
      stdio: ['ignore', 2, 2],
    })
  run('build.mjs', '--small')
  if (executable !== undefined) run('standalone.mjs')
}

function writePage() {
  const [cpu] = os.cpus()
  const machine = `Node ${process.versions.node}, ${os.cpus().length} × ${cpu?.model.trim()}, ${os.platform()}, load ${load.toFixed(1)}`
  const page = new URL('../docs/internals/benchmarks.md', import.meta.url)
  fs.mkdirSync(path.dirname(page.pathname), { recursive: true })
  // What bounds a row is written by hand.
  const [, explained = ''] = /^(## [^]*)$/m.exec(fs.readFileSync(page, 'utf8')) ?? []
  fs.writeFileSync(
    page,
    `# Benchmarks

\`npm run bench -- --write\` wrote this table: one run, each row in turn with its peer, medians
(${machine}). Only the ratios mean anything on another machine. A limit that is not kept says **no**.

${lines.join('\n')}

${explained}`,
  )
}
