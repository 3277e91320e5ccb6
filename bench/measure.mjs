// What all rows share: where they work, how they are timed, and which peers they are compared with.
import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

const home = path.resolve(import.meta.dirname, '..')
export const cli = path.join(home, 'packages/clada/dist/cli.cjs')
export const library = new URL('../packages/clada/dist/index.js', import.meta.url).href
/** The single-file executable of this machine; undefined if it was not built. */
export const executable = [path.join(home, 'standalone', `clada-${process.platform}-${process.arch}`)].find((file) =>
  fs.existsSync(file),
)

export const scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'clada-bench-')))
process.on('exit', () => fs.rmSync(scratch, { recursive: true, force: true }))

/** Node reads these certificates at every start, which takes longer than everything else about it. */
export const env = { ...process.env, NODE_EXTRA_CA_CERTS: '', XDG_STATE_HOME: path.join(scratch, 'state') }

export const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1]

export async function timed(work) {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

/** Milliseconds of processor time in this process, which other work on the machine does not change. */
export function cpuTimed(work) {
  const begun = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(begun)
  return (user + system) / 1000
}

/** Milliseconds from start to end of a process. @throws if it fails */
export function spawned([program, ...args], options = {}) {
  const begun = performance.now()
  const result = spawnSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'], env, ...options })
  const took = performance.now() - begun
  if (result.status !== 0)
    throw new Error(`${program} ${args.join(' ').slice(0, 100)}: ${result.error ?? result.stderr}`)
  return took
}

/** The most memory that a process had, in bytes. */
export function peakMemory(command, options = {}) {
  const { status, stderr } = spawnSync('/usr/bin/time', ['-f', 'PEAK %M', ...command], {
    encoding: 'utf8',
    env,
    ...options,
  })
  if (status !== 0) throw new Error(`${command.join(' ').slice(0, 100)}: ${stderr}`)
  return Number(/PEAK (\d+)/.exec(stderr)?.[1]) * 1024
}

/** A file of a package from the registry that is only a peer, installed once, outside the project's own packages. */
export function peerFile(spec, file) {
  const dir = path.join(home, 'node_modules/.cache/clada-bench', spec.replaceAll(/[@/]/g, '+'))
  if (!fs.existsSync(path.join(dir, 'node_modules'))) {
    fs.mkdirSync(dir, { recursive: true })
    fs.writeFileSync(path.join(dir, 'package.json'), '{"private":true}')
    execFileSync('npm', ['install', '--silent', '--no-save', '--no-audit', '--no-fund', spec], {
      cwd: dir,
      stdio: 'inherit',
    })
  }
  return path.join(dir, 'node_modules', file)
}

export const block = (action, params) =>
  [
    '#!SHAM [@three-char-SHA-256: abc]',
    `action = "${action}"`,
    ...Object.entries(params).map(([name, value]) => `${name} = ${JSON.stringify(value)}`),
    '#!END_SHAM_abc',
    '',
  ].join('\n')

export function writeFiles(root, files) {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(root, name)
    fs.mkdirSync(path.dirname(file), { recursive: true })
    fs.writeFileSync(file, text)
  }
  return root
}

export function commitAll(root) {
  const git = (...args) => execFileSync('git', args, { cwd: root })
  git('init', '-q')
  git('config', 'gc.auto', '0')
  git('config', 'user.name', 'Bench')
  git('config', 'user.email', 'bench@example.com')
  git('add', '-A')
  git('commit', '-q', '--allow-empty', '-m', 'first')
}

/** `count` small files in a hundred directories of ten. */
export function manyFiles(name, count) {
  const root = path.join(scratch, name)
  for (let at = 0; at < count; at++) {
    const dir = path.join(root, `part-${at % 100}`, `dir-${at % 1000}`)
    if (at < 1000) fs.mkdirSync(dir, { recursive: true })
    fs.writeFileSync(path.join(dir, `file-${at}.txt`), `file ${at}\n`)
  }
  return root
}
