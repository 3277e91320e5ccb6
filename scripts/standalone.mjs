// Makes one program that needs no Node: Node itself with clada, its code cache and its files inside. For the platform that
// this runs on.
//
//   npm run standalone [-- --check] [--named]     writes standalone/clada
//
// With --check it applies the documents of test/scenarios and compares with the command line, and says how fast it starts.
// With --named the file has the platform in its name.
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { installDependencies, run } from './setup.mjs'

const root = path.resolve(import.meta.dirname, '..')
const postject = 'postject@1.0.0-alpha.6'
const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'
const named = process.argv.includes('--named') ? `-${process.platform}-${process.arch}` : ''
const program = path.join(root, 'standalone', `clada${named}${process.platform === 'win32' ? '.exe' : ''}`)
const work = fs.mkdtempSync(path.join(os.tmpdir(), 'clada-standalone-'))

/** Pieces one after another, each found again by its offset and length. */
class Parts {
  #pieces = []
  #length = 0

  add(bytes) {
    const at = this.#length
    // V8 wants its cache where a word begins.
    const padding = Buffer.alloc((8 - (bytes.length % 8)) % 8)
    this.#pieces.push(bytes, padding)
    this.#length += bytes.length + padding.length
    return [at, bytes.length]
  }

  bytes() {
    return Buffer.concat(this.#pieces)
  }
}

installDependencies()
try {
  run(process.execPath, ['scripts/build.mjs'])
  const stage = path.join(work, 'stage')
  const files = await filesOf(stage)
  const caches = path.join(work, 'caches')
  fs.mkdirSync(caches)
  // Once without caches, to make them by running what users run; then with them.
  make(files, caches)
  warmUp(caches)
  make(files, caches)
  console.log(`${path.relative(root, program)}: ${(fs.statSync(program).size / 1e6).toFixed(0)} MB`)
  if (process.argv.includes('--check')) check()
} finally {
  fs.rmSync(work, { recursive: true, force: true })
}

/** Everything that must be a file: the package without its code, and what it depends on. */
async function filesOf(stage) {
  const dist = path.join(root, 'dist')
  const copy = (from, to) => fs.cpSync(from, path.join(stage, to), { recursive: true, dereference: true })
  for (const name of ['ui', 'grammars', 'cli.cjs']) copy(path.join(dist, name), `dist/${name}`)
  for (const name of ['package.json', 'schema', 'LICENSE']) copy(path.join(root, name), name)
  copy(path.join(dist, 'THIRD-PARTY.txt'), 'THIRD-PARTY.txt')
  const { packages } = JSON.parse(fs.readFileSync(path.join(root, 'package-lock.json'), 'utf8'))
  for (const [at, { dev }] of Object.entries(packages)) {
    const from = path.join(root, at)
    if (at !== '' && !dev && fs.existsSync(from)) copy(from, at)
  }
  return fs
    .readdirSync(stage, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.(?:d\.[cm]?ts|map|md)$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort()
    .map((file) => ({
      name: path.relative(stage, file).split(path.sep).join('/'),
      bytes: fs.readFileSync(file),
      mode: fs.statSync(file).mode & 0o700,
    }))
}

function make(files, caches) {
  const code = new Parts()
  const index = {}
  const dir = path.join(root, 'dist/cli')
  for (const name of fs.readdirSync(dir).sort()) {
    const cache = path.join(caches, name)
    index[name] = { text: code.add(fs.readFileSync(path.join(dir, name))) }
    if (fs.existsSync(cache)) index[name].cache = code.add(fs.readFileSync(cache))
  }
  const unpacked = new Parts()
  const list = Object.fromEntries(files.map(({ name, bytes, mode }) => [name, [...unpacked.add(bytes), mode]]))
  const write = (name, data) => {
    fs.writeFileSync(path.join(work, name), data)
    return path.join(work, name)
  }
  const assets = {
    code: write('code', code.bytes()),
    index: write('index', JSON.stringify(index)),
    files: write('files', unpacked.bytes()),
    list: write('list', JSON.stringify(list)),
  }
  const build = createHash('sha256').update(unpacked.bytes()).update(JSON.stringify(list)).digest('hex').slice(0, 16)
  const start = fs.readFileSync(path.join(root, 'src/cli/standalone.cjs'), 'utf8').replace("'unbuilt'", `'${build}'`)
  const main = write('start.cjs', start)
  const blob = path.join(work, 'blob')
  const config = { main, output: blob, disableExperimentalSEAWarning: true, useCodeCache: true, assets }
  execFileSync(process.execPath, ['--experimental-sea-config', write('config.json', JSON.stringify(config))], {
    stdio: 'ignore',
  })
  inject(blob)
}

function inject(blob) {
  fs.mkdirSync(path.dirname(program), { recursive: true })
  fs.rmSync(program, { force: true })
  fs.copyFileSync(process.execPath, program)
  fs.chmodSync(program, 0o755)
  const mac = process.platform === 'darwin'
  if (mac) execFileSync('codesign', ['--remove-signature', program])
  const args = [
    program,
    'NODE_SEA_BLOB',
    blob,
    '--sentinel-fuse',
    fuse,
    ...(mac ? ['--macho-segment-name', 'NODE_SEA'] : []),
  ]
  // It warns about sections without a name, of which Node has some.
  execFileSync(process.execPath, [injector(), ...args], { stdio: 'ignore' })
  if (mac) execFileSync('codesign', ['--sign', '-', program])
}

/** The program that puts the parts into Node, from npm, kept for the next time. */
function injector() {
  const cache = process.env.XDG_CACHE_HOME ?? path.join(os.homedir(), '.cache')
  const dir = path.join(cache, 'clada-standalone')
  const file = path.join(dir, 'node_modules/postject/dist/cli.js')
  if (!fs.existsSync(file)) {
    fs.mkdirSync(dir, { recursive: true })
    execFileSync('npm', ['install', '--prefix', dir, '--no-audit', '--no-fund', '--loglevel=error', postject], {
      stdio: ['ignore', 'ignore', 'inherit'],
      shell: process.platform === 'win32',
    })
  }
  return file
}

/** Runs everyday commands, each of which keeps what V8 compiled for it. */
function warmUp(caches) {
  const project = path.join(work, 'project')
  const env = { CLADA_RECORD_CODE: caches }
  fs.mkdirSync(project)
  fs.writeFileSync(path.join(project, 'a.ts'), 'export function one() {\n  return 1\n}\n')
  const edit = block(project, 'file_replace_text', { old_text: 'return 1', new_text: 'return 2' })
  clada(['outline', 'a.ts'], { cwd: project, env })
  clada(['mcp'], { cwd: project, env })
  clada(['diff'], { cwd: project, env, input: edit })
  clada(['--no-git'], { cwd: project, env, input: edit })
  clada(['version'], { cwd: project, env })
}

function block(project, action, params) {
  const lines = Object.entries(params).map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
  return [
    '#!SHAM [@three-char-SHA-256: abc]',
    `action = "${action}"`,
    `path = "${project}/a.ts"`,
    ...lines,
    '#!END_SHAM_abc',
    '',
  ].join('\n')
}

function clada(args, { cwd, env = {}, input = '', by = [program] }) {
  const [file, ...first] = by
  const { status, stdout, stderr, error } = spawnSync(file, [...first, ...args], {
    cwd,
    input,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1', XDG_STATE_HOME: path.join(work, 'state'), ...env },
  })
  if (error !== undefined) throw error
  return { status, stdout, stderr }
}

/** Every scenario: the files afterwards, and the same report and exit code as the command line. */
function check() {
  const scenarios = path.join(root, 'test/scenarios')
  const names = fs.readdirSync(scenarios, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const failed = names.map(({ name }) => name).filter((name) => !agrees(path.join(scenarios, name)))
  for (const name of failed) console.error(`standalone: ${name} differs from the command line`)
  console.log(`scenarios: ${names.length - failed.length} of ${names.length} as on the command line`)
  const version = clada(['version'], { cwd: work }).stdout
  if (failed.length > 0 || !version.startsWith('clada ')) process.exitCode = 1

  const [bare, own] = quickest([process.execPath, '-e', '0'], [program, 'version'])
  console.log(`start: ${own.toFixed(1)} ms, ${(own / bare).toFixed(2)} times node -e 0 (${bare.toFixed(1)} ms)`)
}

function agrees(folder) {
  const input = fs.readFileSync(path.join(folder, 'input.md'), 'utf8')
  const [one, other] = [[program], [process.execPath, path.join(root, 'dist/cli.cjs')]].map((by, at) => {
    const project = path.join(work, `scenario-${at}`)
    fs.rmSync(project, { recursive: true, force: true })
    fs.mkdirSync(project)
    const before = path.join(folder, 'before')
    if (fs.existsSync(before)) fs.cpSync(before, project, { recursive: true })
    const { status, stdout, stderr } = clada(['--no-git'], {
      cwd: project,
      by,
      input: input.replaceAll('/ROOT', project),
    })
    const plain = (text) => text.replaceAll(project, '/ROOT').replace(/\d+(?:\.\d+)? ms/g, 'some ms')
    return JSON.stringify([status, plain(stdout), plain(stderr), bytesIn(project)])
  })
  return one === other
}

function bytesIn(dir) {
  const entries = fs.readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const names = entries
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => !file.includes('.clada'))
  return Object.fromEntries(names.sort().map((file) => [path.relative(dir, file), fs.readFileSync(file, 'latin1')]))
}

/** The shortest time of each command, in turns: a busy machine slows both down alike. */
function quickest(...commands) {
  const env = { ...process.env, XDG_STATE_HOME: path.join(work, 'state') }
  const times = commands.map(() => Infinity)
  for (let round = 0; round < 30; round++) {
    for (const [at, [file, ...args]] of commands.entries()) {
      const begun = performance.now()
      spawnSync(file, args, { env, stdio: 'ignore' })
      times[at] = Math.min(times[at], performance.now() - begun)
    }
  }
  return times
}
