// Counts what would be executed of texts in which nothing is meant: the Markdown of the installed packages, section by
// section, and real diffs of this repository as chats quote them. Ends with 1 when anything would.
//
//   npm run quoted -- [DIR…]     with the Markdown below DIR too
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadSource } from './source.mjs'

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')
const { becomesOf, frames } = await loadSource('test/replies/chats.ts')

const counts = new Map()
let executed = 0
for (const { kind, name, text } of turns()) {
  const { listed, refused, proposed, runs } = becomesOf(text)
  const before = counts.get(kind) ?? [0, 0, 0, 0, 0, 0]
  const own = [1, Number(listed + refused + proposed + runs.length > 0), listed, refused, proposed, runs.length]
  counts.set(
    kind,
    before.map((count, at) => count + own[at]),
  )
  executed += runs.length
  for (const run of runs.slice(0, 1)) console.error(`${name}: ${run}`)
}
console.log(
  '| texts | turns | with something like a block | listed as not executed | refused | shown as proposals | executed |',
)
console.log('|---|---|---|---|---|---|---|')
let total = 0
for (const [kind, row] of counts) {
  total += row[0]
  console.log(`| ${kind} | ${row.join(' | ')} |`)
}
console.log(`\n${executed} false executions in ${total} turns`)
process.exitCode = executed === 0 ? 0 : 1

function* turns() {
  yield* sectionsBelow(path.join(root, 'node_modules'), 'sections of Markdown')
  for (const dir of process.argv.slice(2)) yield* sectionsBelow(path.resolve(dir), `Markdown below ${dir}`)
  const shown = commits()
  for (const [index, commit] of shown.entries())
    for (const [kind, frame] of Object.entries(frames)) {
      const text = frame(commit, index)
      if (text !== undefined) yield { kind, name: `${kind} ${commit.sha.slice(0, 8)}`, text }
    }
}

/** The text of every heading with what follows it, as a person would paste it. */
function* sectionsBelow(dir, kind) {
  for (const entry of fs.readdirSync(dir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.(?:md|markdown)$/i.test(entry.name)) continue
    const full = path.join(entry.parentPath, entry.name)
    const file = path.relative(dir, full)
    const sections = fs.readFileSync(full, 'utf8').split(/^(?=#{1,6} )/m)
    for (const [index, text] of sections.entries())
      if (text.trim() !== '') yield { kind, name: `${file}#${index}`, text }
  }
}

/** The latest commits that are not too long to be pasted. */
function commits() {
  const log = execFileSync(
    'git',
    ['log', '-n', '700', '--no-merges', '--no-color', '-p', '--format=%x00%H%n%an <%ae>%n%ad%n%s'],
    {
      cwd: root,
      maxBuffer: 1e9,
      encoding: 'utf8',
    },
  )
  return log
    .split('\0')
    .slice(1)
    .map((text) => {
      const [sha = '', author = '', date = '', subject = '', ...rest] = text.split('\n')
      return { sha, author, date, subject, diff: rest.join('\n').trim() }
    })
    .filter(({ diff }) => diff.includes('\n@@ ') && !diff.includes('GIT binary') && diff.length < 12_000)
    .slice(0, 400)
}
