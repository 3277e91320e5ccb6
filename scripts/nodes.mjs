// Runs the test suite on other versions of Node, whose programs come from npm and are kept for the next time.
//
//   npm run test:nodes [-- 22 24] [-- test/cli]
import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { installDependencies } from './setup.mjs'

const home = path.resolve(import.meta.dirname, '..')
const given = process.argv.slice(2).filter((word) => word !== '--')
const versions = given.filter((word) => /^\d+(?:\.\d+){0,2}$/.test(word))
const suites = given.filter((word) => !versions.includes(word))

installDependencies()
const failed = (versions.length === 0 ? ['20', '22', '24'] : versions).filter((version) => !passes(version))
if (failed.length > 0) console.log(`The tests fail on Node ${failed.join(', ')}.`)
process.exit(failed.length > 0 ? 1 : 0)

function passes(version) {
  const node = programOf(version)
  console.log(`Node ${execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()}`)
  const env = { ...process.env, PATH: `${path.dirname(node)}${path.delimiter}${process.env.PATH}` }
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--reporter=dot', '--reporter=./scripts/missing-programs.mjs']
  return spawnSync(node, [...args, ...suites], { cwd: home, env, stdio: 'inherit' }).status === 0
}

/** The packages that the package `node` would choose from, without the script that it runs for that. */
function programOf(version) {
  const system = process.platform === 'win32' ? 'win' : process.platform
  const name = `node-${system === 'darwin' && process.arch === 'arm64' ? 'bin-' : ''}${system}-${process.arch}`
  // Tests of root start it as another user too, who may not look into the home of root.
  const cache =
    process.getuid?.() === 0 ? '/var/cache' : (process.env.XDG_CACHE_HOME ?? path.join(os.homedir(), '.cache'))
  const dir = path.join(cache, 'clada-nodes', version)
  const node = path.join(dir, 'node_modules', name, 'bin', system === 'win' ? 'node.exe' : 'node')
  if (!fs.existsSync(node)) {
    fs.mkdirSync(dir, { recursive: true })
    const args = ['install', '--prefix', dir, '--no-audit', '--no-fund', '--loglevel=error', `${name}@${version}`]
    execFileSync('npm', args, { stdio: ['ignore', 'ignore', 'inherit'], shell: process.platform === 'win32' })
  }
  return node
}
