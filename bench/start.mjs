// How long small commands take over a bare Node. Writes its table into docs/benchmarks.md.
//
//   node bench/start.mjs [rounds]
import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { cli, median, putSection, scratch } from './measure.mjs'

const clientInfo = { name: 'bench', version: '1' }
const requests = [
  { id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } },
  { method: 'notifications/initialized' },
  { id: 2, method: 'tools/list' },
].map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

const block = (file, text) =>
  `#!SHAM [@three-char-SHA-256: abc]\naction = "file_write"\npath = "${file}"\ncontent = "${text}"\n#!END_SHAM_abc\n`

/** The commands, each with the milliseconds that it may take longer than the first. */
function commands() {
  const dir = path.join(scratch, 'start')
  const repository = path.join(dir, 'repository')
  fs.mkdirSync(repository, { recursive: true })
  for (const args of [
    ['init', '-q'],
    ['-c', 'user.name=Bench', '-c', 'user.email=bench@example.com', 'commit', '-q', '--allow-empty', '-m', 'first'],
  ])
    execFileSync('git', args, { cwd: repository })
  const write = (name, text) => {
    fs.writeFileSync(path.join(dir, name), text)
    return path.join(dir, name)
  }
  const structure = path.join(dir, 'decode.ts')
  fs.copyFileSync(new URL('../packages/clada/src/actions/decode.ts', import.meta.url), structure)
  const fresh = path.join(dir, 'fresh.txt')
  const written = path.join(dir, 'written.txt')
  const committed = path.join(repository, 'a.txt')
  const freshBlock = write('fresh.md', block(fresh, 'x'))
  const writtenBlock = write('written.md', block(written, 'x'))
  const committedBlock = write('committed.md', block(committed, 'x'))
  const listing = write('requests.jsonl', requests.join(''))
  const run = (...args) => [process.execPath, cli, ...args]
  return [
    { what: '`node -e 0`', args: [process.execPath, '-e', '0'] },
    { what: '`clada version`', args: run('version') },
    {
      what: 'one block that makes a file, without git',
      args: run('--no-git', '--root', dir, freshBlock),
      before: ['rm', '-f', fresh],
      limit: 14,
    },
    { what: 'one block that replaces a file, without git', args: run('--no-git', '--root', dir, writtenBlock) },
    {
      what: 'one block with a commit',
      args: run('--root', repository, committedBlock),
      before: ['rm', '-f', committed],
    },
    { what: '`clada check` of one block', args: run('check', '--root', dir, writtenBlock) },
    { what: '`clada diff` of one block', args: run('diff', '--root', dir, writtenBlock), limit: 18 },
    { what: '`clada mcp` until the list of tools', args: run('mcp', '--root', dir), input: listing, limit: 25 },
    {
      what: 'the first structure read',
      args: run('do', 'read_structure', `path=${structure}`, 'target=decodeOne', '--no-git', '--root', dir),
      limit: 60,
    },
  ]
}

/**
 * A shell starts them, because it stays small: to start a program from a large process copies the tables of its memory.
 * They take turns, so that other work on the machine affects all of them alike.
 */
function measured(list, rounds) {
  const quoted = (words) => words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')
  const once = list.map(({ args, before, input = '/dev/null' }, at) => {
    const first = before === undefined ? '' : `${quoted(before)}; `
    return `${first}{ time ${quoted(args)} <${quoted([input])} >/dev/null 2>error || exit 1; } 2>>times-${at}`
  })
  // Two rounds before it counts: the first keeps what V8 made of the code.
  const script = ["TIMEFORMAT='%R %U %S'", `for ((i = -2; i < ${rounds}; i++)); do`, ...once, 'done'].join('\n')
  const cwd = path.join(scratch, 'start')
  // Node reads these certificates at every start, which takes twice as long as all the rest.
  const { NODE_EXTRA_CA_CERTS: _, ...env } = { ...process.env, XDG_STATE_HOME: path.join(scratch, 'state') }
  const { status } = spawnSync('bash', ['-c', script], { cwd, env, stdio: 'inherit' })
  if (status !== 0) throw new Error(fs.readFileSync(path.join(cwd, 'error'), 'utf8'))
  return list.map((_command, at) => {
    const lines = fs
      .readFileSync(path.join(cwd, `times-${at}`), 'utf8')
      .trim()
      .split('\n')
      .slice(2)
    const times = lines.map((line) => line.split(' ').map((seconds) => Number(seconds) * 1000))
    const of = (values) => ({ best: Math.min(...values), median: median(values) })
    return { wall: of(times.map(([wall]) => wall)), cpu: of(times.map(([, user, system]) => user + system)) }
  })
}

export function startTable(rounds = 30) {
  const list = commands()
  const times = measured(list, rounds)
  const [{ wall: bareWall, cpu: bareCpu }] = times
  const over = (value) => `+${value.toFixed(0)}`
  const rows = times.map(({ wall, cpu }, at) => {
    const { what, limit } = list[at]
    const more = [wall.best - bareWall.best, cpu.best - bareCpu.best]
    const judged = limit === undefined ? '– | ' : `+${limit} | ${Math.min(...more) <= limit ? 'yes' : '**no**'}`
    const added = at === 0 ? '| ' : `${over(more[0])} | ${over(more[1])}`
    const ms = [wall.best, wall.median, cpu.best, cpu.median].map((value) => value.toFixed(0)).join(' | ')
    return `| ${what} | ${ms} | ${added} | ${judged} |`
  })
  return `## Start

Made by \`node bench/start.mjs\`: ${rounds} rounds, started in turn by a shell, in milliseconds, at a load of ${os.loadavg()[0].toFixed(0)}. Processor time is user and
system of all threads and programs. The limit is for what the best run takes over the best bare Node, in time or in
processor time, whichever was disturbed less.

| what | best | median | processor, best | processor, median | over Node | processor | limit | kept |
|---|---|---|---|---|---|---|---|---|
${rows.join('\n')}

Where the processor time goes:

| what | ms |
|---|---|
| **one block that makes a file**: reading its code and what V8 kept of it (1.1 MB, three files) | 6 |
| the top level of their modules | 3 |
| two collections of garbage | 2 |
| the run itself: functions that run once, so in the interpreter; 140 functions of Node, compiled each time; 250 calls of the system for locks and journal | 11 |
| **a commit**, in addition: what Node loads to start programs | 3 |
| the first git (config), and the other one (status), of which git itself takes 1.5 | 9, 4 |
| **a structure read**, in addition: its own code and that of tree-sitter | 3 |
| reading tree-sitter and the grammar, which an earlier start unpacked (7 more without) | 3 |
| compiling both, in other threads, while this one loads the rest of the code | 8 |
| the flag that keeps V8 from optimising them, for which Node loads its streams | 3 |
| starting tree-sitter, loading the grammar | 6 |
| parsing, in WebAssembly that only the baseline compiler has compiled | 11 |
| finding the nodes by their types, and the structure among them; a query of tree-sitter took 14 more, for Ruby 500, because it goes through all states of the grammar | 9 |

Replacing a file starts perl, which exchanges names. Half of \`clada mcp\` is the same loading, the rest its own code and what
Node loads for streams. Files hold only modules that small commands were seen to use (\`scripts/packs.mjs\`). The memory of
tree-sitter begins with 8 MiB instead of 32, which V8 would take for memory that is worth a collection of garbage of 10 ms.
Work that awaits is not followed by an AsyncLocalStorage while there is only one piece of it: Node would call a function for
every promise, which took 1.5 ms of a diff and 2.5 ms of a run. Tried without gain: other flags for WebAssembly (lazy
validation, no lazy compilation, compilation in the same thread), short names of variables, keeping the code of a second
run, and a larger space for new objects. Leaving at once instead of letting Node take its heap apart would save 1 ms, but it
could lose what is still being written. V8 gives no compiled WebAssembly to keep, and takes a start-up snapshot only by a flag of Node:
an empty one starts 3 ms later than bare Node, the shell that would give the flag takes 1.5 ms more, and on Windows npm would not start it.
`
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const table = startTable(Number(process.argv[2] ?? 30))
  console.log(table)
  putSection(table)
}
