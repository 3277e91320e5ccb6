import { execFileSync, spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { cli, median, scratch, spawned } from './measure.mjs'

const debounceMs = 50

/** Milliseconds from a save to the results on top of the file, beyond the debounce. */
export async function saveToResults(rounds, git) {
  const root = project(`save-${git}`, git)
  const watch = await start(root, git)
  const times = []
  for (let round = 0; round < rounds; round++) times.push(await watch.save([writing(root, `b${100 + round}`)]))
  await watch.end()
  return median(times) - debounceMs
}

/** A thousand blocks, saved into a watched file, against `clada run` of the same document. */
export async function thousandBlocks(rounds) {
  const root = project('thousand', 'no-git')
  const watch = await start(root, 'no-git')
  const document = path.join(scratch, 'thousand.md')
  const [ours, theirs] = [[], []]
  for (let round = 0; round < rounds; round++) {
    const blocks = Array.from({ length: 1000 }, (_, i) => writing(root, `r${round}n${i}`))
    ours.push((await watch.save(blocks)) - debounceMs)
    fs.writeFileSync(document, blocks.join('').replaceAll(`${root}/r`, `${root}/s`))
    theirs.push(spawned(process.execPath, [cli, '--no-git', '--root', root, document]))
  }
  await watch.end()
  return { ours: median(ours), peer: median(theirs), ratio: median(ours) / median(theirs) }
}

/** What a watcher costs while nothing happens: parts of a processor, and bytes. */
export async function idle(seconds) {
  const root = project('idle', 'no-git')
  const watch = await start(root, 'no-git')
  await watch.save([writing(root, 'one')])
  await pause(3000)
  const before = cpuOf(watch.pid)
  await pause(seconds * 1000)
  const cpu = (cpuOf(watch.pid) - before) / (seconds * 1000)
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${watch.pid}/status`, 'utf8')) ?? []
  await watch.end()
  return { cpu, memory: Number(kilobytes) * 1024 }
}

function project(name, git) {
  const root = path.join(scratch, `watch-${name}`)
  fs.mkdirSync(root, { recursive: true })
  if (git === 'git') {
    const run = (...args) =>
      execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args], { cwd: root })
    fs.writeFileSync(path.join(root, 'a.txt'), 'a\n')
    run('init', '--quiet')
    run('add', '.')
    run('commit', '--quiet', '--message', 'A project')
  }
  return root
}

const writing = (root, id) =>
  `#!nesl [@three-char-SHA-256: b1k]\naction = "file_write"\npath = "${root}/${id}.txt"\ncontent = "hello"\n#!end_b1k\n`

async function start(root, git) {
  const args = [cli, 'watch', '--root', root, ...(git === 'git' ? [] : ['--no-git'])]
  const child = spawn(process.execPath, args, { env: { ...process.env, XDG_STATE_HOME: path.join(scratch, 'state') } })
  const file = path.join(root, 'clada_input.md')
  let said = ''
  child.stdout.on('data', (chunk) => (said += String(chunk)))
  while (!said.includes('Watching')) await pause(5)
  await pause(500)
  return {
    pid: child.pid,
    /** The file is replaced, as an editor does it, and looked at until the results are there. */
    async save(blocks) {
      const [, last] = /path = "(.*)"/.exec(blocks.at(-1)) ?? []
      const begun = performance.now()
      fs.writeFileSync(`${file}.swp`, blocks.join(''))
      fs.renameSync(`${file}.swp`, file)
      while (!sectionOf(file).includes(`file_write ${last}\n`)) await pause(1)
      const took = performance.now() - begun
      await pause(150)
      return took
    },
    async end() {
      child.kill('SIGTERM')
      await new Promise((done) => child.on('close', done))
    },
  }
}

function sectionOf(file) {
  const text = fs.readFileSync(file, 'utf8')
  return text.startsWith('=== CLADA RESULTS ===') ? text.slice(0, text.indexOf('\n=== END ===') + 1) : ''
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms))

/** In milliseconds, of all its threads. */
function cpuOf(pid) {
  const tasks = `/proc/${pid}/task`
  const times = fs
    .readdirSync(tasks)
    .map((task) => Number(fs.readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ')[0]))
  return times.reduce((sum, time) => sum + time, 0) / 1e6
}
