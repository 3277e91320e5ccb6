// How long a run with a commit takes in a large repository, started for it and in a process that is running already, beside
// what git itself takes for the same. Writes its table into docs/benchmarks.md.
//
//   node bench/commits.mjs [rounds]
import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { cli, putSection, scratch } from './measure.mjs'

const limits = { 20000: 0.45, 50000: 0.4 }

function layOut(files) {
  const root = path.join(scratch, `commits-${files}`)
  for (let i = 0; i < files; i++) {
    const dir = path.join(root, `part-${i % 100}`, `dir-${i % 1000}`)
    if (i < 1000) fs.mkdirSync(dir, { recursive: true })
    fs.writeFileSync(path.join(dir, `file-${i}.txt`), `file ${i}\n`)
  }
  const git = (...args) => execFileSync('git', args, { cwd: root })
  git('init', '-q')
  git('config', 'gc.auto', '0')
  git('config', 'user.name', 'Bench')
  git('config', 'user.email', 'bench@example.com')
  git('add', '-A')
  git('commit', '-q', '-m', 'first')
  return root
}

/** Milliseconds of a command with everything it starts: time, and processor time. */
function measured(root, script) {
  const env = { ...process.env, XDG_STATE_HOME: path.join(scratch, 'state'), NODE_EXTRA_CA_CERTS: '' }
  const text = `TIMEFORMAT='%R %U %S'; time { ${script}; } >/dev/null 2>error || exit 1`
  const { status, stderr } = spawnSync('bash', ['-c', text], { cwd: root, env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${script} failed: ${stderr}`)
  const [wall, user, system] = stderr
    .trim()
    .split(' ')
    .map((seconds) => Number(seconds) * 1000)
  return { wall, cpu: user + system }
}

const block = (file, text) =>
  ['#!SHAM [@three-char-SHA-256: abc]', 'action = "file_write"', `path = "${file}"`, `content = "${text}"`]
    .concat('#!END_SHAM_abc', '')
    .join('\n')

/** Milliseconds of an execution of the library and of git, in a small process of its own. */
function measuredRunning(root, file, rounds) {
  const script = `
import { spawnSync } from 'node:child_process'
import { Clada } from ${JSON.stringify(new URL('../packages/clada/dist/index.js', import.meta.url).href)}
const [file, blocks] = ${JSON.stringify([file, Array.from({ length: rounds + 1 }, (_, round) => block(file, `running ${round}`))])}
const clada = new Clada({ repoPath: ${JSON.stringify(root)}, git: 'commit' })
const best = { ours: Infinity, theirs: Infinity }
async function timed(name, work) {
  const begun = performance.now()
  await work()
  best[name] = Math.min(best[name], performance.now() - begun)
}
const git = 'echo $RANDOM >"$0" && git status >/dev/null && git add -A && git commit -qm round'
for (const text of blocks) {
  await timed('ours', async () => {
    if (!(await clada.execute(text)).gitCommit) throw new Error('no commit')
  })
  await timed('theirs', () => spawnSync('bash', ['-c', git, file]))
}
console.log(JSON.stringify(best))
process.exit()
`
  const env = { ...process.env, XDG_STATE_HOME: path.join(scratch, 'state'), NODE_EXTRA_CA_CERTS: '' }
  const args = ['--input-type=module', '-e', script]
  return JSON.parse(execFileSync(process.execPath, args, { cwd: root, env, encoding: 'utf8' }))
}

export function commitsTable(rounds = 7) {
  const rows = Object.entries(limits).flatMap(([files, limit]) => {
    const root = layOut(Number(files))
    const file = path.join(root, 'part-1', 'dir-1', 'file-1.txt')
    const document = path.join(scratch, 'commit.md')
    const times = { ours: [], theirs: [] }
    for (let round = -1; round < rounds; round++) {
      fs.writeFileSync(document, block(file, `round ${round}`))
      const ours = measured(root, `'${process.execPath}' '${cli}' --root '${root}' '${document}'`)
      const theirs = measured(root, `echo ${round} >'${file}' && git add -A && git commit -qm round`)
      // The first round keeps what V8 made of the code.
      if (round < 0) continue
      times.ours.push(ours)
      times.theirs.push(theirs)
    }
    const best = (list, what) => Math.min(...list.map((each) => each[what]))
    const [wall, cpu] = ['wall', 'cpu'].map((what) => [best(times.ours, what), best(times.theirs, what)])
    const { ours, theirs } = measuredRunning(root, file, rounds)
    const ms = (pair) => pair.map((value) => value.toFixed(0)).join(' | ')
    const judged = (ratio) => `${ratio.toFixed(2)}× | ${limit}× | ${ratio <= limit ? 'yes' : '**no**'} |`
    const count = Number(files).toLocaleString('en')
    return [
      `| ${count}, started for it, beside \`git add -A && git commit\` | ${ms(wall)} | ${ms(cpu)} | ${judged(Math.min(wall[0] / wall[1], cpu[0] / cpu[1]))}`,
      `| ${count}, in a running process, beside \`git status && git add -A && git commit\` | ${ms([ours, theirs])} | – | – | ${judged(ours / theirs)}`,
    ]
  })
  return `## Commits in large repositories

Made by \`node bench/commits.mjs\`: one file is replaced and committed, by clada and by git; best of ${rounds} in milliseconds, at a
load of ${os.loadavg()[0].toFixed(0)}. A run that is started for it includes the start of Node; a running process is what the listener, the page, the
MCP server and the library are, and there git looks at its status first, as clada does. The limit is for the time or the
processor time, whichever was disturbed less.

| files | clada | git | processor, clada | processor, git | ratio | limit | kept |
|---|---|---|---|---|---|---|---|
${rows.join('\n')}

What bounds it: a run with a commit in an empty repository takes more processor time (see Start) than git takes among
20,000 files, for Node, the code of clada and the start of two git processes: one that lists the config, one that looks at
the status. What the files add is about what git takes for them: uncommitted changes of the user are committed first, so
git has to look at every tracked file and every directory, as for \`git add -A\`, here in two processes at the same time. A
running process lets git list its config meanwhile, and begins again if it is another one than before; it reads the index
meanwhile too.

No git updates the index, if only plain files were changed (at most 32, each up to 1 MB, without carriage returns and
\`$Id\`, in no other encoding, and nothing unusual in the index): clada changes their entries in a copy of it, byte for byte
as git does, and gives it a new checksum. Git is asked which new files are ignored only if all plain parts of a rule occur
in a path.

Processor time of the steps among 20,000 files, by hand, best of 12:

| step | ms |
|---|---|
| \`git config --list\` | 1 |
| \`git status\` of tracked files | 27 |
| \`git ls-files --others\`, beside it | 17 |
| reading the index and finding its entries, meanwhile | 2 |
| the new index: cached trees, checksum, writing | 3 |
| for comparison, copying the index and \`git update-index\`, which it replaces | 12 |
| for comparison, \`git status\` of the user | 41 |

Each start of git takes 1 to 2 ms of the main thread besides, because the whole process is forked.
`
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const table = commitsTable(Number(process.argv[2] ?? 7))
  console.log(table)
  putSection(table)
}
