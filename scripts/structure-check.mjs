// Proves structure editing on real files: every structure is replaced by itself, deleted and put back, moved and moved
// back, and looked for by the targets that its header gives.
//
//   node scripts/structure-check.mjs [--most N] [--only LANGUAGE] [--docs] [--verbose] [DIR|FILE ...]
//
// Without arguments it takes up to N files (default 40) of each language from this project, its packages and what the
// machine has of standard libraries. --docs writes the figures into docs/structures.md.
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')
const args = process.argv.slice(2)
const option = (name, fallback) => (args.includes(name) ? Number(args[args.indexOf(name) + 1]) : fallback)
const most = option('--most', 40)
const only = args.includes('--only') ? args[args.indexOf('--only') + 1] : undefined
const given = args.filter((arg, at) => !arg.startsWith('--') && args[at - 1] !== '--most' && args[at - 1] !== '--only')
const places =
  given.length > 0
    ? given
    : [
        'src',
        'test',
        'scripts',
        'docs',
        'node_modules',
        '/usr/lib',
        '/usr/share',
        '/usr/include',
        '/usr/local',
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
  for (const [language, files] of choose(languageFor)) {
    const counts = { files: 0 }
    for (const file of files) {
      const report = await checkFile(path.relative(root, file), fs.readFileSync(file, 'utf8'))
      counts.files++
      for (const [name, count] of Object.entries(report.counts)) counts[name] = (counts[name] ?? 0) + count
      failures.push(...report.failures)
    }
    totals.set(language, counts)
    process.stderr.write(`${language}: ${JSON.stringify(counts)}\n`)
  }
  for (const failure of args.includes('--verbose') ? failures : failures.slice(0, 20))
    process.stderr.write(`${failure}\n`)
  const page = table(totals)
  process.stdout.write(page)
  if (args.includes('--docs')) writeDocs(page)
  return isGoodEnough(totals) ? 0 : 1
}

/**
 * No structure may change when it is replaced by itself, and none may be lost. Of the others a few in a thousand may
 * fail: deleting an unclosed `<p>` moves the bounds of all elements behind it.
 */
function isGoodEnough(totals) {
  const sum = (name) => [...totals.values()].reduce((total, counts) => total + (counts[name] ?? 0), 0)
  if (sum('replaced: failed') + sum('target: failed') > 0) return false
  return (sum('put back: failed') + sum('moved: failed')) * 200 < sum('structures')
}

/** Up to `most` files of each language, spread over all that are found. */
function choose(languageFor) {
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

function table(totals) {
  const heads = [
    'language',
    'files',
    'structures',
    'replaced by itself',
    'deleted and put back',
    'moved and back',
    'targets: unique',
    'among several',
    'outranked',
    'missed',
  ]
  const rows = [...totals].map(([language, counts]) => {
    const sum = (prefix, ...parts) =>
      Object.entries(counts)
        .filter(([name]) => name.startsWith(prefix) && parts.some((part) => name.slice(prefix.length).startsWith(part)))
        .reduce((total, [, count]) => total + count, 0)
    const share = (prefix, ...parts) => `${sum(prefix, ...parts)} of ${sum(prefix, '')}`
    return [
      language,
      counts.files,
      counts.structures ?? 0,
      share('replaced: ', 'exact'),
      share('put back: ', 'exact'),
      share('moved: ', 'exact'),
      counts['target: unique'] ?? 0,
      counts['target: among several'] ?? 0,
      counts['target: another ranks higher'] ?? 0,
      (counts['target: failed'] ?? 0) + (counts['target: failed in a file with syntax errors'] ?? 0),
    ]
  })
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
