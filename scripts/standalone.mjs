// Builds a single-file executable of clada, which needs no Node: Bun's runtime with the program, the grammars, the page and
// ripgrep inside.
//
//   npm run standalone [-- TARGET ...] [-- --all] [-- --out DIR]
//   npm run test:standalone [-- TEST ...]
//
// A target is linux-x64, linux-arm64, darwin-x64, darwin-arm64 or windows-x64; without one it is this machine. Runtimes and
// ripgrep come from the npm registry, which checks what it delivers against the versions' digests. `SHA256SUMS` has the digests
// of what was built. The second runs the test suite with the executable of this machine as the command line; what it builds is
// compressed less, which is quicker.
import { execFileSync, spawnSync } from 'node:child_process'
import crypto from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import zlib from 'node:zlib'
import { external as installed } from './bundled.mjs'
import { partOf, writeParts } from './command-line.mjs'
import { packGrammars } from './grammars.mjs'
import { buildPage } from './ui.mjs'

const root = path.resolve(import.meta.dirname, '..')
const bunVersion = '1.4.4'

/** Bun's runtime for each, and what the packages with compiled code call it. */
const targets = {
  'linux-x64': { runtime: 'bun-linux-x64', node: 'linux-x64', oxc: 'linux-x64-gnu' },
  'linux-arm64': { runtime: 'bun-linux-aarch64', node: 'linux-arm64', oxc: 'linux-arm64-gnu' },
  'darwin-x64': { runtime: 'bun-darwin-x64', node: 'darwin-x64', oxc: 'darwin-x64' },
  'darwin-arm64': { runtime: 'bun-darwin-aarch64', node: 'darwin-arm64', oxc: 'darwin-arm64' },
  'windows-x64': { runtime: 'bun-windows-x64', node: 'win32-x64', oxc: 'win32-x64-msvc' },
}
const own = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`

/**
 * How names of variables begin by which a compiled program becomes Bun itself, runs a file before its own code, listens for a
 * debugger, or writes over a file. A directory's `.env` cannot set them, but whoever can set a variable would run code inside
 * clada; other names are not known to do that.
 */
const renamedVariables = ['BUN_BE_BUN', 'BUN_OPTIONS', 'BUN_INSPECT', 'BUN_BYTECODE_']

/** Where the program begins, and what tells it which files are inside. */
const entries = { main: 'packages/clada/src/cli/main.ts', installation: 'packages/clada/src/core/installation.ts' }

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    all: { type: 'boolean' },
    test: { type: 'boolean' },
    out: { type: 'string', default: path.join(root, 'standalone') },
  },
})
const out = path.resolve(values.out)
const wanted = values.all ? Object.keys(targets) : values.test || positionals.length === 0 ? [own] : positionals
for (const name of wanted)
  if (!Object.hasOwn(targets, name))
    throw new Error(`There is no target ${name}. Targets: ${Object.keys(targets).join(', ')}`)

const work = fs.mkdtempSync(path.join(root, 'node_modules/.clada-standalone-'))
try {
  packGrammars(path.join(work, 'grammars'), values.test ? 5 : 11)
  await buildPage(path.join(work, 'ui'))
  // Packages with compiled code stay outside: what the entry has is used instead.
  const outside = [...installed.filter((name) => name !== 'clipboardy'), '*.node']
  const parts = await writeParts(path.join(work, 'cli'), { entries, external: outside, self: 'Bun.main' })
  fs.mkdirSync(out, { recursive: true })
  for (const name of wanted) buildFor(name, parts)
  writeSums()
} finally {
  fs.rmSync(work, { recursive: true, force: true })
}
if (values.test) process.exitCode = testExecutable()

function testExecutable() {
  const { status } = spawnSync(process.execPath, [path.join(root, 'scripts/test.mjs'), ...positionals], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, CLADA_TEST_BINARY: fileFor(own) },
  })
  return status ?? 1
}

function fileFor(name) {
  return path.join(out, `clada-${name}${name.startsWith('windows') ? '.exe' : ''}`)
}

function buildFor(name, parts) {
  const { runtime } = targets[name]
  const suffix = name.startsWith('windows') ? '.exe' : ''
  const file = fileFor(name)
  const entry = path.join(work, `${name}.js`)
  fs.writeFileSync(entry, entryOf(name, parts))
  const compiler = path.join(
    packageDir(`@oven/${targets[own].runtime}@${bunVersion}`),
    'bin',
    process.platform === 'win32' ? 'bun.exe' : 'bun',
  )
  const base = path.join(work, `runtime-${name}${suffix}`)
  fs.writeFileSync(
    base,
    withoutVariables(fs.readFileSync(path.join(packageDir(`@oven/${runtime}@${bunVersion}`), 'bin', `bun${suffix}`))),
    { mode: 0o755 },
  )
  execFileSync(
    compiler,
    [
      'build',
      '--compile',
      '--bytecode',
      '--format=esm',
      // At first code runs ten times as often as otherwise before the runtime compiles it: a small command ends before that pays.
      '--compile-jit-policy=10',
      `--target=bun-${name}`,
      `--compile-executable-path=${base}`,
      // A directory must not be able to change the program that is started in it.
      ...['dotenv', 'bunfig', 'tsconfig', 'package-json'].map((what) => `--no-compile-autoload-${what}`),
      ...installed.map((name) => `--external=${name}`),
      '--minify-whitespace',
      '--minify-syntax',
      entry,
      `--outfile=${file}`,
    ],
    { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] },
  )
  console.log(`${path.relative(process.cwd(), file)}: ${(fs.statSync(file).size / 1e6).toFixed(0)} MB`)
}

/** The names become others of the same length, which nobody sets. */
function withoutVariables(bytes) {
  for (const name of renamedVariables) {
    const other = Buffer.from(name.replace(/^BUN/, 'X\x01X'))
    let found = 0
    for (let at = bytes.indexOf(name); at !== -1; at = bytes.indexOf(name, at)) {
      other.copy(bytes, at)
      found++
    }
    if (found === 0) throw new Error(`Bun ${bunVersion} does not contain ${name}: look what it reads instead.`)
  }
  return bytes
}

/** The program that is compiled: it says which files are inside, and starts the command line. */
function entryOf(name, parts) {
  const { node, oxc } = targets[name]
  const files = new Map()
  for (const dir of ['grammars', 'ui'])
    for (const file of fs.readdirSync(path.join(work, dir))) files.set(`${dir}/${file}`, path.join(work, dir, file))
  const rg = path.join(
    packageDir(`@vscode/ripgrep-${node}@${versionOf('@vscode/ripgrep')}`),
    'bin',
    name.startsWith('windows') ? 'rg.exe' : 'rg',
  )
  const digest = crypto.createHash('sha256').update(fs.readFileSync(rg)).digest('hex').slice(0, 16)
  const packed = path.join(work, `rg-${name}.br`)
  fs.writeFileSync(packed, zlib.brotliCompressSync(fs.readFileSync(rg)))
  files.set(`bin/rg-${digest}${path.extname(rg)}.br`, packed)
  const inside = [...files]
  const part = (entry) => JSON.stringify(`./cli/${partOf(parts, entry).file}`)
  const native = `fs-native-extensions/prebuilds/${node}/fs-native-extensions.node`
  return `
import { useEmbeddedFiles } from ${part(entries.installation)}
import { start } from ${part(entries.main)}
${inside.map(([, file], at) => `import file${at} from ${JSON.stringify(file)} with { type: 'file' }`).join('\n')}
useEmbeddedFiles({
  files: { ${inside.map(([key], at) => `${JSON.stringify(key)}: file${at}`).join(', ')} },
  addons: {
    ${JSON.stringify(native)}: () => require(${JSON.stringify(path.join(root, 'node_modules', native))}),
    'oxc-parser/src-js/bindings.js': () => require(${JSON.stringify(oxcParser(oxc))}),
  },
})
// What runs longer is compiled as usual.
setTimeout(() => Bun.unsafe.setJITPolicy(1), 100).unref()
// Bun waits for a read from a terminal that was given up after Ctrl-C.
void start().then(() => process.exit())
`
}

/** The compiled parser of one platform; its package only wraps it. */
function oxcParser(suffix) {
  const dir = packageDir(`@oxc-parser/binding-${suffix}@${versionOf('oxc-parser')}`)
  return path.join(dir, `parser.${suffix}.node`)
}

/** A package from the registry, unpacked once. */
function packageDir(spec) {
  const dir = path.join(root, 'node_modules/.cache/clada-standalone', spec.replaceAll(/[@/]/g, '+'))
  if (!fs.existsSync(dir)) {
    const temp = `${dir}.new`
    fs.rmSync(temp, { recursive: true, force: true })
    fs.mkdirSync(temp, { recursive: true })
    const [tarball] = execFileSync('npm', ['pack', '--silent', '--pack-destination', temp, spec], {
      encoding: 'utf8',
      shell: process.platform === 'win32',
    })
      .trim()
      .split('\n')
      .slice(-1)
    execFileSync('tar', ['-xzf', tarball, '--strip-components=1'], { cwd: temp })
    fs.rmSync(path.join(temp, tarball))
    fs.renameSync(temp, dir)
  }
  return dir
}

function versionOf(name) {
  return JSON.parse(fs.readFileSync(path.join(root, 'node_modules', name, 'package.json'), 'utf8')).version
}

function writeSums() {
  const names = fs
    .readdirSync(out)
    .filter((name) => name.startsWith('clada-'))
    .sort()
  const lines = names.map(
    (name) =>
      `${crypto
        .createHash('sha256')
        .update(fs.readFileSync(path.join(out, name)))
        .digest('hex')}  ${name}\n`,
  )
  fs.writeFileSync(path.join(out, 'SHA256SUMS'), lines.join(''))
}
