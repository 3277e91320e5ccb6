// Does what the tests of the history do, many times over, measures speed in a repository of 50,000 files, and writes
// the figures into docs/internals/reliability.md. Takes about eight minutes.
//
//   node scripts/endurance.mjs [--speed-only | --soak MINUTES | --parallel LOAD]
//
// --soak: everything at once for so long, and nothing else. --parallel: only edits at the same time, beside so many busy programs.
import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { installDependencies, run, writeSection } from './setup.mjs'
import { parallel } from './parallel.mjs'
import { soak } from './soak.mjs'

const home = path.resolve(import.meta.dirname, '..')
const scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'clada-endurance-')))
process.on('exit', () => fs.rmSync(scratch, { recursive: true, force: true }))

installDependencies()
run(process.execPath, ['scripts/build.mjs'])
const sections = []
const everything = { soak, parallel }
const [flag = '', given] = process.argv.slice(2)
if (flag.slice(2) in everything) {
  process.env.XDG_STATE_HOME = path.join(scratch, 'state')
  sections.push([flag.slice(2), await everything[flag.slice(2)](home, scratch, Number(given))])
} else {
  if (!process.argv.includes('--speed-only')) sections.push(['endurance', endurance()])
  sections.push(['speed', await speed()])
}
for (const [name, text] of sections) writeSection(name, text)

/** The tests themselves, running for longer. */
function endurance() {
  const figures = path.join(scratch, 'figures.jsonl')
  const { status } = spawnSync(
    process.execPath,
    [
      'node_modules/vitest/vitest.mjs',
      'run',
      'test/history/crash',
      'test/history/faults',
      'test/history/model',
      'test/history/saves',
    ],
    { cwd: home, stdio: 'inherit', env: { ...process.env, CLADA_ENDURANCE: figures, CLADA_SEED: 'random' } },
  )
  if (status !== 0) process.exit(status ?? 1)
  const found = fs
    .readFileSync(figures, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const kills = found.filter(({ name }) => name.startsWith('kill'))
  const sum = (list, key) => list.reduce((total, one) => total + one[key], 0)
  const model = found.find(({ name }) => name === 'model')
  const saves = found.find(({ name }) => name === 'saves')
  return [
    '| what | how often | torn or lost | |',
    '|---|---|---|---|',
    ...kills.map(
      ({ name, kills, interrupted }) =>
        `| \`kill -9\`, ${name.slice(5)} | ${kills} (${interrupted} in the middle) | 0 | every undo exact |`,
    ),
    `| \`kill -9\` together | ${sum(kills, 'kills')} | 0 | |`,
    `| one fault injected (kill, EIO, ENOSPC at the N-th call) | ${sum(
      found.filter(({ name }) => name === 'fault'),
      'points',
    )} | 0 | every undo exact |`,
    `| random sequences against a model | ${model.sequences} (${model.steps} steps) | 0 | same files after every step |`,
    `| saves of editors during ${saves.executions} executions, pauses up to 3 s | ${saves.written} by writing, ${saves.renamed} by renaming | ${saves.lost} | ${saves.apart} saved apart |`,
  ].join('\n')
}

async function speed() {
  const { Clada } = await import(path.join(home, 'packages/clada/dist/index.js'))
  const root = path.join(scratch, 'large')
  const nameOf = (i) => path.join(root, `d${i % 100}`, `e${Math.floor(i / 100) % 25}`, `f${i}.txt`)
  for (let i = 0; i < 50_000; i++) {
    if (i < 2500) fs.mkdirSync(path.dirname(nameOf(i)), { recursive: true })
    fs.writeFileSync(nameOf(i), `file ${i}\nline two\n`)
  }
  const git = (...args) =>
    execFileSync('git', ['-c', 'user.name=u', '-c', 'user.email=u@example.com', ...args], { cwd: root, stdio: 'pipe' })
  git('init', '-q')
  git('add', '-A')
  git('commit', '-q', '-m', 'first')
  let version = 0
  const edit = () =>
    `#!SHAM [@three-char-SHA-256: abc]\naction = "file_write"\npath = "${nameOf(0)}"\ncontent = "version ${version++}"\n#!END_SHAM_abc\n`
  const times = { porcelain: [], shadow: [], clean: [], undo: [], dirty: [] }
  const timed = async (name, work) => {
    const begun = performance.now()
    const result = await work()
    times[name].push(performance.now() - begun)
    if (result?.success === false) throw new Error(JSON.stringify(result))
  }
  const commit = new Clada({ repoPath: root, git: 'commit' })
  const shadow = new Clada({ repoPath: root, git: 'shadow' })
  await shadow.execute(edit())
  for (let round = 0; round < 9; round++) {
    fs.writeFileSync(nameOf(0), `typed ${version++}`)
    await timed('porcelain', async () => {
      git('status')
      git('add', '-A')
      git('commit', '-q', '-m', 'x')
    })
    await timed('shadow', () => shadow.execute(edit()))
    git('add', '-A')
    git('commit', '-q', '-m', 'x')
    await timed('clean', () => commit.execute(edit()))
    await timed('undo', () => commit.undo())
    for (let i = 1; i < 6; i++) fs.writeFileSync(nameOf(i), `typed ${version++}`)
    await timed('dirty', () => commit.execute(edit()))
  }
  const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1]
  const base = median(times.porcelain)
  const row = (what, name, limit) => {
    const ratio = median(times[name]) / base
    const kept = limit === undefined ? '' : ratio <= limit ? 'yes' : '**no**'
    return `| ${what} | ${median(times[name]).toFixed(0)} ms | ${ratio.toFixed(2)}× | ${limit === undefined ? '–' : `${limit}×`} | ${kept} |`
  }
  return [
    `Node ${process.versions.node}, git ${git('--version').toString().trim().split(' ').at(-1)}, ${os.cpus().length} cores; medians of 9, interleaved.`,
    '',
    '| one edit among 50,000 files | time | ratio | limit | kept |',
    '|---|---|---|---|---|',
    row('`git status && git add -A && git commit`', 'porcelain'),
    row('`shadow`', 'shadow', 0.15),
    row('`commit`, tree clean', 'clean', 0.55),
    row('`commit`, five files dirty', 'dirty', 1.2),
    row('`undo` in `commit` mode', 'undo', 0.5),
  ].join('\n')
}
