// Proves structure editing on real files: every structure is replaced by itself, deleted and put back, moved and moved
// back, and looked for by the targets that its header gives.
//
//   node scripts/structure-check.mjs [--most N] [--each N] [--only LANGUAGE] [--also DIR] [--docs] [--verbose] [DIR|FILE ...]
//
// Without arguments it takes up to N files (default 40) of each language from this project, its packages and what the
// machine has of standard libraries, and from DIR, and with --each that many structures of each file. --docs writes the figures into docs/structures.md; --verbose also
// reports what came back, but not to the letter. Ends with 0 when nothing is wrong and no target is missed.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')
const args = process.argv.slice(2)
const valued = ['--most', '--each', '--only', '--also']
const option = (name) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined)
const most = Number(option('--most') ?? 40)
const each = Number(option('--each') ?? Infinity)
const only = option('--only')
const given = args.filter((arg, at) => !arg.startsWith('--') && !valued.includes(args[at - 1]))
const homes = ['src', 'test', 'scripts', 'docs', 'node_modules']
const libraries = [
  '/usr/lib',
  '/usr/share',
  '/usr/include',
  '/usr/local',
  '/usr/src',
  '/usr/share/go/src',
  '/usr/lib/rustlib/src',
  path.join(os.homedir(), '.cargo/registry/src'),
  '/etc',
  '/opt',
]
const smallest = given.length > 0 ? 0 : 400
const largest = given.length > 0 ? Infinity : 14_000

const cache = path.join(root, 'node_modules', '.cache')
fs.mkdirSync(cache, { recursive: true })
const dir = fs.mkdtempSync(path.join(cache, 'clada-structure-check-'))
try {
  const outfile = path.join(dir, 'check.mjs')
  await build({
    stdin: {
      contents: `export * from './scripts/structure-check.ts'; export { languageFor } from './src/structure/languages.ts'`,
      resolveDir: root,
      loader: 'ts',
    },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
  })
  const { checkFile, languageFor } = await import(pathToFileURL(outfile).href)
  process.exitCode = await run(checkFile, languageFor)
} finally {
  fs.rmSync(dir, { recursive: true, force: true })
}

async function run(checkFile, languageFor) {
  const totals = new Map()
  const failures = []
  const remarks = []
  const places = given.length > 0 ? given : [...homes, ...libraries, ...javaSources(), option('--also') ?? []].flat()
  for (const [language, files] of choose(places, languageFor)) {
    const counts = { files: 0 }
    for (const file of files) {
      const report = await checkFile(path.relative(root, file), fs.readFileSync(file, 'utf8'), each)
      counts.files++
      for (const [name, count] of Object.entries(report.counts)) counts[name] = (counts[name] ?? 0) + count
      failures.push(...report.failures)
      remarks.push(...report.remarks)
    }
    totals.set(language, counts)
    process.stderr.write(`${language}: ${counts.files} files, ${counts.structures ?? 0} structures\n`)
  }
  if (args.includes('--verbose')) for (const remark of remarks) process.stderr.write(`${remark}\n`)
  for (const failure of failures) process.stderr.write(`WRONG ${failure}\n`)
  const page = figures(totals)
  process.stdout.write(page)
  if (args.includes('--docs')) writeDocs(page)
  return failures.length === 0 ? 0 : 1
}

/** Java keeps the sources of its library in an archive; some of them are enough. */
function javaSources() {
  const jdks = '/usr/lib/jvm'
  const archives = (fs.existsSync(jdks) ? fs.readdirSync(jdks) : [])
    .map((jdk) => path.join(jdks, jdk, 'lib/src.zip'))
    .filter((file) => fs.existsSync(file))
  const [archive] = archives
  if (archive === undefined) return []
  const to = path.join(dir, 'java')
  spawnSync('unzip', ['-q', archive, 'java.base/java/util/*', 'java.net.http/*', '-d', to])
  return fs.existsSync(to) ? [to] : []
}

/** Up to `most` files of each language, spread over all that are found. */
function choose(places, languageFor) {
  const found = new Map()
  for (const place of places) {
    const base = path.resolve(root, place)
    for (const file of walk(base)) {
      const text = readable(file)
      if (text === undefined) continue
      const language = languageFor(file, text)?.name
      if (language === undefined || (only !== undefined && language !== only)) continue
      if (!found.has(language)) found.set(language, [])
      found.get(language).push(file)
    }
  }
  for (const [language, files] of found) {
    const step = Math.max(1, files.length / most)
    found.set(
      language,
      Array.from({ length: Math.min(most, files.length) }, (_, at) => files[Math.floor(at * step)]),
    )
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1))
}

function readable(file) {
  try {
    const { size } = fs.statSync(file)
    if (size < smallest || size > largest) return undefined
    const text = fs.readFileSync(file, 'utf8')
    return text.includes('\ufffd') || text.includes('\0') || isMinified(text) ? undefined : text
  } catch {
    return undefined
  }
}

function isMinified(text) {
  return text.split('\n').some((line) => line.length > 2000)
}

function* walk(at) {
  const stat = fs.statSync(at, { throwIfNoEntry: false })
  if (stat?.isFile()) yield at
  if (!stat?.isDirectory()) return
  const waiting = [at]
  // Enough to choose from; a machine may have millions.
  let left = 60_000
  for (let one = waiting.shift(); one !== undefined && left > 0; one = waiting.shift()) {
    let entries = []
    try {
      entries = fs.readdirSync(one, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
    } catch {
      continue
    }
    for (const entry of entries) {
      const full = path.join(one, entry.name)
      if (entry.isDirectory() && entry.name !== '.cache' && entry.name !== '.git') waiting.push(full)
      else if (entry.isFile() && left-- > 0) yield full
    }
  }
}

/** The figures by language, and the reasons why something did not come back to the letter. */
function figures(totals) {
  const sum = (counts, prefix) =>
    Object.entries(counts).reduce((total, [name, count]) => (name.startsWith(prefix) ? total + count : total), 0)
  const trips = ['put back', 'moved']
  const verdicts = ['exact', 'blank lines', 'by nature', 'wrong']
  const heads = ['language', 'files', 'structures', 'replaced by itself']
  const rows = [...totals].map(([language, counts]) => [
    language,
    counts.files,
    counts.structures ?? 0,
    `${sum(counts, 'replaced: exact')} of ${sum(counts, 'replaced: ')}`,
    ...trips.map((trip) => verdicts.map((verdict) => sum(counts, `${trip}: ${verdict}`)).join(' / ')),
    counts['target: exact: unique'] ?? 0,
    counts['target: exact: among several'] ?? 0,
    sum(counts, 'target: by nature'),
    sum(counts, 'target: wrong'),
  ])
  const byLanguage = [
    [...heads, 'put back', 'moved and back', 'targets: unique', 'among several', 'outranked', 'missed'],
    ...rows,
  ]
  const reasons = new Map()
  for (const counts of totals.values()) {
    for (const [name, count] of Object.entries(counts)) {
      if (trips.some((trip) => name.startsWith(trip))) reasons.set(name, (reasons.get(name) ?? 0) + count)
    }
  }
  const order = ([name]) => {
    const [trip, verdict] = name.split(': ')
    return trips.indexOf(trip) * 10 + verdicts.indexOf(verdict)
  }
  const ways = [...reasons]
    .sort((a, b) => order(a) - order(b) || b[1] - a[1])
    .map(([name, count]) => [...name.split(': '), count])
  return `${table(byLanguage)}\n${table([['what', 'outcome', 'how, or why', 'structures'], ...ways])}`
}

function table([heads, ...rows]) {
  const line = (cells) => `| ${cells.join(' | ')} |\n`
  return line(heads) + line(heads.map(() => '---')) + rows.map(line).join('')
}

function writeDocs(page) {
  const file = path.join(root, 'docs/structures.md')
  const text = fs.readFileSync(file, 'utf8')
  fs.writeFileSync(
    file,
    text.replace(/(<!-- figures -->\n)[^]*(<!-- \/figures -->)/, (_, open, close) => open + page + close),
  )
}
