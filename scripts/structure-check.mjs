// Proves structure editing on real files: every structure is replaced by itself; up to N of each file are deleted and put
// back, inserted again and deleted, moved and moved back, with the syntax trees outside of them compared, and looked for
// by the targets that their headers give.
//
//   npm run structures -- [--most N] [--each N] [--only LANGUAGE] [--fetch] [--also DIR] [--workers N] [--minutes N] [--docs] [--verbose] [DIR|FILE ...]
//
// Without arguments it takes up to N files (default 40) of each language from this project, its packages, what the
// machine has of standard libraries, and the packages that --fetch has unpacked into node_modules/.cache/clada-sources.
// --docs writes the figures into docs/structures.md; --verbose also prints what came back, but not to the letter.
// Ends with 0 when nothing is wrong and no target is missed.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { build } from 'esbuild'

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')
const args = process.argv.slice(2)
const valued = ['--most', '--each', '--only', '--also', '--workers', '--minutes']
const option = (name) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined)
const most = Number(option('--most') ?? 40)
const each = Number(option('--each') ?? Infinity)
const minutes = Number(option('--minutes') ?? 0)
const workers = Number(option('--workers') ?? 2)
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
/** Public packages with sources of the languages that npm packages and most machines have few of. */
const packages = {
  npm: `react-native@0.74.0 react-native-windows@0.74.0 edge-js@23.1.1 react-native-gesture-handler@2.16.2
    react-native-paper@5.15.3 react-native-reanimated@3.10.0 @capacitor/ios@6.1.0 @capacitor/android@6.1.0
    expo-modules-core@1.12.0 expo-camera@15.0.0 expo-notifications@0.28.0 expo-image@1.12.0
    expo-file-system@17.0.0 expo-av@14.0.0 expo-location@17.0.0 react-native-screens@3.31.0
    react-native-svg@15.2.0 rxjs@7.8.1 effect@3.0.0 @tanstack/query-core@5.40.0
    @react-navigation/stack@6.3.29 @react-navigation/drawer@6.6.15 core-js@3.37.0 @wordpress/block-library@9.0.0
    bootstrap@5.3.3 bulma@1.0.0 foundation-sites@6.8.1 tree-sitter-cpp@0.23.4
    sqlite3@5.1.7 re2@1.21.0 @babel/core@7.24.0 @mui/material@5.15.0
    jillejr.newtonsoft.json-for-unity@12.0.101 electron-edge-js@44.0.0 com.cysharp.unitask@2.2.5 com.neuecc.unirx@7.1.0
    react-native-code-push@8.2.1`.split(/\s+/),
  debian: `rust-src openjdk-17-source wordpress librust-serde-dev librust-tokio-dev librust-clap-dev
    librust-syn-dev librust-regex-dev librust-serde-json-dev librust-hyper-dev librust-rayon-dev ruby-activesupport
    ruby-activerecord ruby-actionpack libboost1.74-dev phpmyadmin composer libeigen3-dev
    php-symfony-console php-twig bash-completion`.split(/\s+/),
}
const smallest = given.length > 0 ? 0 : 400
const largest = given.length > 0 ? Infinity : 14_000

const cache = path.join(root, 'node_modules', '.cache')
const fetched = path.join(cache, 'clada-sources')
fs.mkdirSync(cache, { recursive: true })
if (isMainThread) await main()
else await checkSome(workerData)

async function main() {
  if (args.includes('--fetch')) fetchSources()
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
    const { languageFor } = await import(pathToFileURL(outfile).href)
    process.exitCode = await run(outfile, languageFor, dir)
  } finally {
    fs.rmSync(dir, { recursive: true, force: true })
  }
}

/** What is there already, or cannot be had, is passed over. */
function fetchSources() {
  const of = (name) => path.join(fetched, name.replaceAll('/', '-'))
  const archive = path.join(fetched, 'archive')
  const fetch = (names, program, ...words) => {
    for (const name of names.filter((one) => !fs.existsSync(of(one)))) {
      fs.rmSync(archive, { recursive: true, force: true })
      fs.mkdirSync(archive, { recursive: true })
      spawnSync(program, [...words, name], { cwd: archive, stdio: 'ignore' })
      const [file] = fs.readdirSync(archive)
      if (file === undefined) continue
      const packed = path.join(archive, file)
      fs.mkdirSync(of(name))
      if (program === 'npm') spawnSync('tar', ['xzf', packed, '-C', of(name), '--no-same-owner'])
      else spawnSync('dpkg-deb', ['-x', packed, of(name)])
    }
  }
  fetch(packages.npm, 'npm', 'pack', '--silent')
  fetch(packages.debian, 'apt-get', 'download')
  fs.rmSync(archive, { recursive: true, force: true })
}

async function run(outfile, languageFor, dir) {
  const places =
    given.length > 0 ? given : [...homes, ...libraries, ...javaSources(dir), fetched, option('--also') ?? []].flat()
  const chosen = choose(places, languageFor)
  const totals = new Map(chosen.map(([language]) => [language, { files: 0 }]))
  const failures = []
  const remarks = []
  // One of each language after the other, so that a run that ends early has some of all.
  const files = Array.from({ length: most }, (_, at) => at).flatMap((at) =>
    chosen.flatMap(([language, some]) => (at < some.length ? [{ language, file: some[at] }] : [])),
  )
  const jobs = Array.from({ length: workers }, (_, at) => files.filter((__, index) => index % workers === at))
  let done = 0
  const take = ({ language, report }) => {
    const counts = totals.get(language)
    counts.files++
    for (const [name, count] of Object.entries(report.counts)) counts[name] = (counts[name] ?? 0) + count
    for (const failure of report.failures) process.stderr.write(`WRONG ${failure}\n`)
    failures.push(...report.failures)
    remarks.push(...report.remarks)
    if (++done % 100 === 0) process.stderr.write(`${done} of ${files.length} files\n`)
  }
  await Promise.all(
    jobs.map(
      (some) =>
        new Promise((resolve, reject) => {
          const worker = new Worker(fileURLToPath(import.meta.url), {
            argv: args,
            workerData: { outfile, files: some },
          })
          worker.on('message', take).on('error', reject).on('exit', resolve)
          if (minutes > 0) setTimeout(() => worker.terminate(), minutes * 60_000).unref()
        }),
    ),
  )
  if (args.includes('--verbose')) for (const remark of remarks) process.stderr.write(`${remark}\n`)
  const page = figures(totals)
  process.stdout.write(page)
  if (args.includes('--docs')) writeDocs(page)
  return failures.length === 0 && (minutes > 0 || done === files.length) ? 0 : 1
}

async function checkSome({ outfile, files }) {
  const { checkFile } = await import(pathToFileURL(outfile).href)
  for (const { language, file } of files) {
    // A file may be gone by now; what is left out is not counted.
    if (!fs.existsSync(file)) continue
    const report = await checkFile(path.relative(root, file), fs.readFileSync(file, 'utf8'), each)
    parentPort.postMessage({ language, report })
  }
}

/** Java keeps the sources of its library in an archive; some of them are enough. */
function javaSources(dir) {
  const archives = ['/usr/lib/jvm', path.join(fetched, 'openjdk-17-source/usr/lib/jvm')]
    .flatMap((jdks) => (fs.existsSync(jdks) ? fs.readdirSync(jdks).map((jdk) => path.join(jdks, jdk)) : []))
    .flatMap((jdk) => [path.join(jdk, 'lib/src.zip'), path.join(jdk, 'src.zip')])
    .filter((file) => fs.existsSync(file))
  const [archive] = archives
  if (archive === undefined) return []
  const to = path.join(dir, 'java')
  spawnSync('unzip', ['-q', archive, 'java.base/java/util/*', 'java.net.http/*', '-d', to])
  return fs.existsSync(to) ? [to] : []
}

/** Up to `most` files of each language, spread over all that are found. Only those that are taken are read. */
function choose(places, languageFor) {
  const found = new Map()
  for (const place of places) {
    for (const file of walk(path.resolve(root, place))) {
      const first = path.extname(file) === '' ? firstLine(file) : ''
      const language = languageFor(file, first)?.name
      if (language === undefined || (only !== undefined && language !== only)) continue
      if (!found.has(language)) found.set(language, [])
      found.get(language).push(file)
    }
  }
  for (const [language, files] of found) {
    const taken = new Set()
    // A second round takes the neighbours of those that are too large, and so on.
    const step = Math.max(1, files.length / most)
    for (let round = 0; round < step && taken.size < most; round++) {
      for (let at = round; at < files.length && taken.size < most; at += step) {
        const file = files[Math.floor(at)]
        if (readable(file)) taken.add(file)
      }
    }
    found.set(language, [...taken])
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1))
}

function firstLine(file) {
  const head = Buffer.alloc(100)
  try {
    const opened = fs.openSync(file, 'r')
    const size = fs.readSync(opened, head)
    fs.closeSync(opened)
    return head.toString('utf8', 0, size).split('\n', 1)[0]
  } catch {
    return ''
  }
}

function readable(file) {
  try {
    const { size } = fs.statSync(file)
    if (size < smallest || size > largest) return false
    const text = fs.readFileSync(file, 'utf8')
    return !(text.includes('\ufffd') || text.includes('\0') || isMinified(text))
  } catch {
    return false
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
  let left = 200_000
  for (let one = waiting.shift(); one !== undefined && left > 0; one = waiting.shift()) {
    let entries = []
    try {
      entries = fs.readdirSync(one, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
    } catch {
      continue
    }
    for (const entry of entries) {
      const full = path.join(one, entry.name)
      if (entry.isDirectory() && !entry.name.startsWith('.')) waiting.push(full)
      else if (entry.isFile() && left-- > 0) yield full
    }
  }
}

/** The figures by language, and the reasons why something did not come back to the letter. */
function figures(totals) {
  const sum = (counts, prefix) =>
    Object.entries(counts).reduce((total, [name, count]) => (name.startsWith(prefix) ? total + count : total), 0)
  const trips = ['put back', 'inserted', 'moved', 'tree']
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
    [
      ...heads,
      'put back',
      'inserted',
      'moved and back',
      'tree',
      'targets: unique',
      'among several',
      'outranked',
      'missed',
    ],
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
