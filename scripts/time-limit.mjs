// Measures how long after its time limit a program has ended with everything that it started, and what is left of it
// then; and the same when clada itself is ended.
//
//   node scripts/time-limit.mjs        under Wine: npm run test:windows -- --time-limit
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'

const home = path.resolve(import.meta.dirname, '..')
const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'clada-limit-')))
const limit = 4
const names = ['own.pid', 'one.pid', 'two.pid']
const child = "require('fs').writeFileSync(process.argv[1], String(process.pid)); setInterval(() => {}, 1000)"
const code = `const cp = require('child_process')
require('fs').writeFileSync('own.pid', String(process.pid))
for (const name of ['one.pid', 'two.pid']) cp.spawn(process.execPath, ['-e', ${JSON.stringify(child)}, name])
setInterval(() => {}, 1000)`
const document = `#!SHAM [@three-char-SHA-256: abc]\naction = "exec"\nlang = "javascript"\ncode = <<'EOT_SHAM_abc'\n${code}\nEOT_SHAM_abc\ntimeout = "${limit}"\n#!END_SHAM_abc\n`

const { Clada } = await import(pathToFileURL(path.join(home, 'packages/clada/dist/index.js')).href)
const late = []
let [left, all] = [0, 0]
for (let round = 0; round < 5; round++) {
  clear()
  const begun = performance.now()
  const { results } = await new Clada({ repoPath: root, git: 'off', exec: 'unsandboxed' }).execute(document)
  // The first one loads everything.
  if (round > 0) late.push((performance.now() - begun) / 1000 - limit)
  if (results[0]?.code !== 'exec_timeout') throw new Error(JSON.stringify(results))
  const pids = pidsNow()
  all += pids.length
  left += pids.filter(isAlive).length
}
console.log(
  `a time limit of ${limit} s: ended ${Math.max(...late).toFixed(2)} s after it at most, ${left} of ${all} survive`,
)

// Windows has no signals: there it is ended by force, and the system ends the rest.
clear()
const args = [path.join(home, 'packages/clada/dist/cli.cjs'), '--root', root, '--no-git', '--exec', 'unsandboxed']
const clada = spawn(process.execPath, args, { stdio: ['pipe', 'ignore', 'ignore'] })
clada.stdin.end(document.replace(`timeout = "${limit}"`, 'timeout = "60"'))
while (pidsNow().length < names.length) await pause(50)
const pids = pidsNow()
const ended = new Promise((done) => clada.on('close', done))
clada.kill('SIGINT')
await ended
await pause(1000)
console.log(`clada itself ended: ${pids.filter(isAlive).length} of ${pids.length} survive`)
for (const pid of pids.filter(isAlive)) process.kill(pid, 'SIGKILL')
fs.rmSync(root, { recursive: true, force: true })

function clear() {
  for (const name of names) fs.rmSync(path.join(root, name), { force: true })
}

function pidsNow() {
  const found = names.map((name) => path.join(root, name)).filter((file) => fs.existsSync(file))
  return found.map((file) => Number(fs.readFileSync(file, 'utf8'))).filter((pid) => pid > 0)
}

function isAlive(pid) {
  try {
    // A process that has ended and was not waited for is none.
    if (fs.existsSync('/proc/self/stat')) return !/\) Z/.test(fs.readFileSync(`/proc/${pid}/stat`, 'latin1'))
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
