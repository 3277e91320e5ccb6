// Measures what grows: the size of the history of a large file, the time of commands after many executions, an edit
// among many files in one directory, and what the syncs of one edit cost. Writes the figures into docs/internals/reliability.md.
//
//   npm run growth [-- --executions N] [--files N] [--only large|executions|directory|syncs]
import childProcess, { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { installDependencies, run, writeSection } from './setup.mjs'

const { values } = parseArgs({
  options: {
    executions: { type: 'string', default: '10000' },
    files: { type: 'string', default: '100000' },
    only: { type: 'string' },
  },
})
const home = path.resolve(import.meta.dirname, '..')
const scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'clada-growth-')))
process.on('exit', () => fs.rmSync(scratch, { recursive: true, force: true }))
process.env.XDG_STATE_HOME = path.join(scratch, 'state')

installDependencies()
run(process.execPath, ['scripts/build.mjs'])
const { Clada } = await import(path.join(home, 'packages/clada/dist/index.js'))
const parts = { large: largeFile, executions: manyExecutions, directory: largeDirectory, syncs: costOfSyncs }
const rows = []
for (const [name, part] of Object.entries(parts)) {
  if (values.only !== undefined && values.only !== name) continue
  for (const row of await part()) {
    console.log(row)
    rows.push(row)
  }
}
if (values.only === undefined)
  writeSection('growth', ['| what | before | after | |', '|---|---|---|---|', ...rows].join('\n'))

function project(name, files) {
  const root = path.join(scratch, name)
  fs.mkdirSync(root)
  for (const [file, text] of Object.entries(files)) fs.writeFileSync(path.join(root, file), text)
  const git = (...args) =>
    execFileSync('git', ['-c', 'user.name=u', '-c', 'user.email=u@example.com', ...args], { cwd: root, stdio: 'pipe' })
  git('init', '-q')
  git('add', '-A')
  git('commit', '-q', '-m', 'first')
  return { root, git }
}

function write(file, content) {
  return `#!SHAM [@three-char-SHA-256: abc]\naction = "file_write"\npath = "${file}"\ncontent = "${content}"\n#!END_SHAM_abc\n`
}

async function done(promise) {
  const result = await promise
  if (!result.success) throw new Error(JSON.stringify(result).slice(0, 500))
}

function sizeOf(dir) {
  return fs
    .readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + fs.statSync(path.join(entry.parentPath, entry.name)).size, 0)
}

/** 15 edits of a file of 9 MB. */
async function largeFile() {
  const lines = Array.from(
    { length: 208_000 },
    (_, at) => `line ${at} of a file, with ${(at * 7919) % 10_007} in it: old`,
  )
  const { root } = project('large', { 'a.txt': `${lines.join('\n')}\n` })
  const clada = new Clada({ repoPath: root, git: 'off' })
  const file = path.join(root, 'a.txt')
  for (let at = 0; at < 15; at++) {
    const [old, now] = [lines[at * 9000], lines[at * 9000].replace('old', 'new')]
    await done(
      clada.execute(
        `#!SHAM [@three-char-SHA-256: abc]\naction = "file_replace_text"\npath = "${file}"\nold_text = "${old}"\nnew_text = "${now}"\n#!END_SHAM_abc\n`,
      ),
    )
  }
  const mega = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`
  const [size, history] = [fs.statSync(file).size, sizeOf(path.join(root, '.git/clada'))]
  return [
    `| a file, and the history of 15 edits of it with git off | ${mega(size)} | ${mega(history)} | ${(history / 15 / size).toFixed(2)}× the file for each edit |`,
  ]
}

/** The same commands after 10 executions and after many. */
async function manyExecutions() {
  const { root } = project('executions', { 'a.txt': 'a\n', 'b.txt': 'b\n' })
  const file = path.join(root, 'a.txt')
  const times = []
  let version = 0
  const clada = new Clada({ repoPath: root, git: 'commit' })
  const commands = {
    'a run': (at) => clada.execute(write(file, `run ${at}`)),
    undo: () => clada.undo(),
    history: () => clada.history({ limit: 10 }).then(() => ({ success: true })),
  }
  for (const until of [10, Number(values.executions)]) {
    while (version < until) await done(clada.execute(write(file, `version ${version++}`)))
    const best = Object.fromEntries(Object.keys(commands).map((name) => [name, Infinity]))
    const cpu = { ...best }
    for (let round = 0; round < 15; round++)
      for (const [name, command] of Object.entries(commands)) {
        const [begun, used] = [performance.now(), process.cpuUsage()]
        await done(command(`${until}-${round}`))
        best[name] = Math.min(best[name], performance.now() - begun)
        const { user, system } = process.cpuUsage(used)
        cpu[name] = Math.min(cpu[name], (user + system) / 1000)
      }
    times.push({ best, cpu })
  }
  const [few, many] = times
  return Object.keys(commands)
    .map((name) => {
      const ratio = many.best[name] / few.best[name]
      return `| ${name} after 10 and ${values.executions} executions | ${few.best[name].toFixed(1)} ms | ${many.best[name].toFixed(1)} ms | ${ratio.toFixed(2)}× (CPU ${(many.cpu[name] / few.cpu[name]).toFixed(2)}×) |`
    })
    .concat(
      `| .git and the history in it after ${values.executions} executions | | ${(sizeOf(path.join(root, '.git')) / 1e6).toFixed(1)} and ${(sizeOf(path.join(root, '.git/clada')) / 1e6).toFixed(1)} MB | ${execFileSync('git', ['count-objects'], { cwd: root }).toString().trim()} |`,
    )
}

/** One edit in commit mode, compared with git status. */
async function largeDirectory() {
  const count = Number(values.files)
  const { root, git } = project(
    'directory',
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}.txt`, `file ${at}\n`])),
  )
  const clada = new Clada({ repoPath: root, git: 'commit' })
  const file = path.join(root, 'f7.txt')
  const work = { status: () => git('status'), edit: (round) => done(clada.execute(write(file, `round ${round}`))) }
  const best = { status: [Infinity, Infinity], edit: [Infinity, Infinity] }
  await done(clada.execute(write(file, 'first')))
  for (let round = 0; round < 7; round++)
    for (const [name, one] of Object.entries(work)) {
      const [begun, used] = [performance.now(), usedByAll()]
      await one(round)
      const now = [performance.now() - begun, usedByAll() - used]
      best[name] = best[name].map((least, at) => Math.min(least, now[at]))
    }
  const { status, edit } = best
  return ['time', 'processor'].map((what, at) => {
    const ratio = (edit[at] / status[at]).toFixed(2)
    return `| \`git status\` and an edit, ${count} files in one directory, ${what} | ${status[at].toFixed(0)} ms | ${edit[at].toFixed(0)} ms | ${ratio}× |`
  })
}

/** One edit with and without the syncs, its own and git's, in turns. */
async function costOfSyncs() {
  const { fdatasyncSync, fsyncSync, fsync, fdatasync } = fs
  const { spawn } = childProcess
  const later = (_, done) => setImmediate(done, null)
  const set = (on) => {
    Object.assign(
      fs,
      on
        ? { fdatasyncSync, fsyncSync, fsync, fdatasync }
        : { fdatasyncSync() {}, fsyncSync() {}, fsync: later, fdatasync: later },
    )
    // Git has this variable for its own tests.
    childProcess.spawn = on
      ? spawn
      : (program, args, options) => spawn(program, args, { ...options, env: { ...options.env, GIT_TEST_FSYNC: '0' } })
  }
  const rows = []
  for (const mode of ['off', 'shadow', 'commit']) {
    const { root } = project(`syncs-${mode}`, { 'a.txt': 'a\n' })
    const clada = new Clada({ repoPath: root, git: mode })
    const times = { with: [], without: [] }
    for (let round = 0; round < 42; round++) {
      const how = round % 2 === 0 ? 'with' : 'without'
      set(how === 'with')
      const begun = performance.now()
      await done(clada.execute(write(path.join(root, 'a.txt'), `round ${round}`)))
      if (round > 1) times[how].push(performance.now() - begun)
    }
    set(true)
    const [plain, synced] = [times.without, times.with].map((all) => all.sort((a, b) => a - b)[all.length >> 1])
    rows.push(
      `| one edit without and with syncs, ${mode} | ${plain.toFixed(1)} ms | ${synced.toFixed(1)} ms | ${(synced / plain).toFixed(2)}× |`,
    )
  }
  return rows
}

/** Processor time in milliseconds, with the processes that have ended; zero where the system does not say. */
function usedByAll() {
  if (!fs.existsSync('/proc/self/stat')) return 0
  const fields = fs.readFileSync('/proc/self/stat', 'latin1').split(') ').at(-1).split(' ')
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * 10, 0)
}
