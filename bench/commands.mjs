// What running programs costs over starting them directly, in a tree of 100 files.
//
//   node bench/commands.mjs
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { build } from 'esbuild'
import { Clada } from '../packages/clada/dist/index.js'
import { median, scratch } from './measure.mjs'

fs.mkdirSync(path.join(scratch, 'commands/src'), { recursive: true })
const root = fs.realpathSync(path.join(scratch, 'commands'))
for (let index = 0; index < 100; index++) fs.writeFileSync(path.join(root, 'src', `f${index}.txt`), `text ${index}\n`)

const contained = new Clada({ repoPath: root, gitCommit: false })
const bare = new Clada({ repoPath: root, gitCommit: false, exec: 'unsandboxed' })

/** How much longer one takes than the other, measured in turn. */
async function overhead(times, ours, theirs) {
  const pairs = []
  for (let time = 0; time < times; time++) pairs.push([await timed(ours), await timed(theirs)])
  const [first, second] = [0, 1].map((at) => median(pairs.map((pair) => pair[at])))
  return { ours: first, peer: second, over: first - second }
}

async function timed(work) {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

const direct = () =>
  new Promise((done) => {
    const child = spawn('/usr/bin/cat', ['src/f1.txt'], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout.resume()
    child.stderr.resume()
    child.on('close', done)
  })

const must = async (answer) => {
  const { success, results } = await answer
  if (!success) throw new Error(results[0]?.error)
}

export const listedCommand = (times = 200) =>
  overhead(times, () => must(contained.perform('run', { command: 'cat src/f1.txt' })), direct)
export const sandboxedCode = (times = 200) => {
  const call = { lang: 'bash', code: 'true' }
  return overhead(
    times,
    () => must(contained.perform('exec', call)),
    () => must(bare.perform('exec', call)),
  )
}

/** `exec` against bubblewrap itself with the same program, in a project of so many files. */
function overBubblewrap(project, times) {
  const clada = new Clada({ repoPath: project, gitCommit: false })
  const system = [
    '--unshare-all',
    '--ro-bind',
    '/',
    '/',
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    '--bind',
    project,
    project,
  ]
  const alone = () =>
    new Promise((done) => spawn('bwrap', [...system, 'bash', '-c', 'true'], { stdio: 'ignore' }).on('close', done))
  return overhead(times, () => must(clada.perform('exec', { lang: 'bash', code: 'true' })), alone)
}

export const overlaySmall = (times = 50) => overBubblewrap(root, times)

/** 50,000 files, and 40,000 of packages. */
export async function overlayLarge(times = 20) {
  const project = path.join(scratch, 'large-project')
  for (const [dirs, files, dir] of [
    [2500, 20, (at) => `src/d${at % 50}/e${at}`],
    [4000, 10, (at) => `node_modules/p${at % 800}/lib${at}`],
  ])
    for (let at = 0; at < dirs; at++) {
      fs.mkdirSync(path.join(project, dir(at)), { recursive: true })
      for (let file = 0; file < files; file++) fs.writeFileSync(path.join(project, dir(at), `f${file}.js`), `${file}\n`)
    }
  const real = fs.realpathSync(project)
  // The first start reads every directory once.
  await overBubblewrap(real, 1)
  return overBubblewrap(real, times)
}

/** What the filter of system calls costs a start of bubblewrap. */
export async function filterCost(times = 150) {
  const outfile = path.join(scratch, 'seccomp.mjs')
  await build({
    entryPoints: ['packages/clada/src/process/seccomp.ts'],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
  })
  const { seccompFilter } = await import(outfile)
  const file = path.join(scratch, 'filter')
  fs.writeFileSync(file, seccompFilter(process.arch))
  const start = (more, fd) =>
    new Promise((done) =>
      spawn('bwrap', ['--unshare-all', '--ro-bind', '/', '/', ...more, 'true'], {
        stdio: ['ignore', 'ignore', 'ignore', fd],
      }).on('close', done),
    )
  const filtered = async () => {
    const fd = fs.openSync(file, 'r')
    await start(['--seccomp', '3'], fd)
    fs.closeSync(fd)
  }
  return overhead(times, filtered, () => start([], 'ignore'))
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  console.log('filter of system calls', await filterCost())
  console.log('listed command', await listedCommand())
  console.log('sandboxed code', await sandboxedCode())
  console.log('over bubblewrap, 100 files', await overlaySmall())
  console.log('over bubblewrap, 90,000 files', await overlayLarge())
}
