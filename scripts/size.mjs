// Packs the package, installs it as users do, uses it, and says how large both are; fails above the limits.
//
//   npm run size
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { installDependencies } from './setup.mjs'

const limits = { tarball: 3, installed: 30 }
const root = path.resolve(import.meta.dirname, '..')
const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'clada-size-'))
installDependencies()
try {
  npm(['pack', '--silent', '--pack-destination', dir])
  const [name] = fs.readdirSync(dir)
  const tarball = path.join(dir, name)
  npm([
    'install',
    '--global',
    '--prefix',
    path.join(dir, 'prefix'),
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
    '--silent',
    tarball,
  ])
  const modules = ['prefix/lib/node_modules/clada', 'prefix/node_modules/clada'].map((each) => path.join(dir, each))
  const installed = modules.find((each) => fs.existsSync(each))

  const version = execFileSync(process.execPath, [path.join(installed, 'dist/cli.cjs'), 'version'], {
    encoding: 'utf8',
  })
  const args = ['exec', '--yes', '--offline', '--prefix', dir, `--package=${tarball}`, '--', 'clada', 'version']
  const byNpx = execFileSync('npm', args, { cwd: dir, encoding: 'utf8', shell: process.platform === 'win32' })
  if (byNpx !== version) throw new Error(`npx says '${byNpx}', the installed command '${version}'`)
  console.log(`installed, and started by npx: ${version.trim()}`)

  const parts = packagesIn(installed).map((each) => [path.relative(installed, each) || 'clada itself', sizeOf(each)])
  for (const [part, bytes] of parts.sort((a, b) => b[1] - a[1]).slice(0, 12))
    console.log(`${inMb(bytes).padStart(9)}  ${part}`)
  const sizes = { tarball: fs.statSync(tarball).size, installed: parts.reduce((sum, [, bytes]) => sum + bytes, 0) }
  for (const [what, bytes] of Object.entries(sizes)) {
    console.log(`${what}: ${inMb(bytes)} (at most ${limits[what]} MB)`)
    if (bytes > limits[what] * 1e6) process.exitCode = 1
  }
  console.log(`packages: ${parts.length}`)
} finally {
  fs.rmSync(dir, { recursive: true, force: true })
}

function npm(args) {
  execFileSync('npm', args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'], shell: process.platform === 'win32' })
}

/** A package, and those that were installed for it. */
function packagesIn(dir) {
  const modules = path.join(dir, 'node_modules')
  const names = fs.existsSync(modules) ? fs.readdirSync(modules).filter((name) => !name.startsWith('.')) : []
  const inside = names.flatMap((name) =>
    name.startsWith('@') ? fs.readdirSync(path.join(modules, name)).map((each) => path.join(name, each)) : [name],
  )
  return [dir, ...inside.flatMap((name) => packagesIn(path.join(modules, name)))]
}

/** In whole blocks, as a disk has it, and without the packages below. */
function sizeOf(dir) {
  return fs.readdirSync(dir, { withFileTypes: true }).reduce((sum, entry) => {
    if (entry.isDirectory()) return entry.name === 'node_modules' ? sum : sum + sizeOf(path.join(dir, entry.name))
    return sum + Math.ceil(fs.statSync(path.join(dir, entry.name)).size / 4096) * 4096
  }, 0)
}

function inMb(bytes) {
  return `${(bytes / 1e6).toFixed(2)} MB`
}
