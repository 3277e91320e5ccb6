import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'

/** Programs that some tests want and a machine may lack, with the Debian package that brings each. */
export const testPrograms = {
  bwrap: 'bubblewrap',
  bash: 'bash',
  python3: 'python3',
  pytest: 'python3-pytest',
  ruby: 'ruby',
  tree: 'tree',
  file: 'file',
  xxd: 'xxd',
  make: 'make',
  pgrep: 'procps',
  prlimit: 'util-linux',
  strace: 'strace',
  Xvfb: 'xvfb',
  xclip: 'xclip',
  xsel: 'xsel',
  chromium: 'chromium',
}

/** The tests that need no Unix program, which Windows runs. */
export const portableSuites =
  'test/actions test/approvals test/config test/conformance test/context test/damage test/describe test/history/bounded.test.ts test/history/changed-kind.test.ts test/history/damage.test.ts test/history/line-endings.test.ts test/history/lock.test.ts test/history/pack.test.ts test/history/shown.test.ts test/history/squash.test.ts test/history/undo.test.ts test/hooks test/library test/models test/paste-damage test/policy test/process test/replies test/report test/review test/scenarios test/structure test/syntax test/text test/workspace test/attacks/windows.test.ts'.split(
    ' ',
  )

const isThere = (program) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0

/**
 * Installs them where that is safe: on a build server, whose user may be root or use sudo without a password, or for root
 * inside a container. Elsewhere their tests are skipped.
 */
export function installTestPrograms() {
  const isRoot = process.geteuid?.() === 0
  if (process.platform !== 'linux' || !(process.env.CI || (isRoot && inContainer()))) return
  const missing = Object.entries(testPrograms).flatMap(([program, name]) => (isThere(program) ? [] : [name]))
  if (missing.length === 0 || !isThere('apt-get')) return
  console.log(`Installing what the tests want: ${missing.join(' ')}`)
  const apt = (...args) => {
    const command = ['env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '-qq', ...args]
    const [program, ...rest] = isRoot ? command : ['sudo', '-n', ...command]
    execFileSync(program, rest, { stdio: ['ignore', 'ignore', 'inherit'] })
  }
  try {
    apt('update')
    apt('install', '-y', '--no-install-recommends', ...missing)
  } catch {
    console.log('That failed; tests that need what is missing are skipped.')
  }
}

const inContainer = () =>
  process.env.container !== undefined || fs.existsSync('/.dockerenv') || fs.existsSync('/run/.containerenv')
