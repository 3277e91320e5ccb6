// Runs test suites as an ordinary user on a machine that lacks every program that clada can do without. Needs root:
// the programs are hidden in a mount namespace, which leaves the machine itself as it is.
//
//   npm run test:bare              node scripts/bare.mjs [--root] test/cli
//
// With --root they run as root, who cannot install anything here either.
import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { testPrograms } from './test-programs.mjs'

const others = ['apt-get', 'pytest-3', 'py.test-3', 'go', 'cargo', 'wl-copy', 'wl-paste', 'xdg-open', 'getfattr']
// Every Debian has these.
const kept = ['bash', 'prlimit']
const hidden = [...Object.keys(testPrograms).filter((name) => !kept.includes(name)), ...others]
const asRoot = process.argv.includes('--root')
// Only its own: a test may end every process of its user.
const user = asRoot ? '0' : '61234'
const suites = process.argv.slice(2).filter((word) => word !== '--root')

if (process.platform !== 'linux' || process.geteuid?.() !== 0) {
  console.log('bare: skipped, because only root on Linux can hide programs from a test run.')
  process.exit(0)
}

const home = fs.mkdtempSync(path.join(os.tmpdir(), 'clada-bare-'))
const project = path.join(home, 'a project')
try {
  execFileSync('cp', ['-a', path.join(import.meta.dirname, '..'), project])
  execFileSync('chown', ['-R', `${user}:${user}`, home])
  const env = {
    PATH: `${path.dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    HOME: home,
    LANG: 'C.UTF-8',
    ...(process.env.NO_COLOR === undefined ? {} : { NO_COLOR: '1' }),
  }
  const { status, error } = spawnSync('unshare', ['-m', '--', 'sh', '-c', script(), 'sh', ...suites], {
    cwd: project,
    env,
    stdio: 'inherit',
  })
  if (error !== undefined) throw error
  process.exitCode = status ?? 1
} finally {
  fs.rmSync(home, { recursive: true, force: true })
}

function script() {
  const places = ['/usr/local/bin', '/usr/bin', '/bin', '/usr/games', '/usr/lib/go/bin', '/usr/local/go/bin']
  const real = places.flatMap((dir) => hidden.map((name) => path.join(dir, name))).flatMap(realFile)
  const binds = [...new Set(real)].map((file) => `mount --bind /dev/null '${file}'`)
  const run = `exec setpriv --reuid ${user} --regid ${user} --clear-groups -- '${process.execPath}' scripts/test.mjs "$@"`
  return ['set -e', ...binds, run].join('\n')
}

/** A link and its target are one program: hiding the target hides both. */
function realFile(file) {
  try {
    return [fs.realpathSync(file)]
  } catch {
    return []
  }
}
