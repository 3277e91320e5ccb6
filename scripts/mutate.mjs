// Changes one small thing in the sources at a time and runs the tests that should notice.
//
//   npm run mutate -- [FOLDER...] [--mutants 50] [--seed 1] [--show] [--quick]
//
// --quick runs only the first of the suites of a folder, so it finds at least the survivors.
// Works on a copy of the project. Prints one row per folder: mutants, killed, declared equivalent, survivors. The tests of
// a suite run in one process for all mutants (this file again, with --session); a mutant that hangs is killed with it.
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import readline from 'node:readline'
import { parseArgs } from 'node:util'
import { parseSync } from 'oxc-parser'
import { createVitest } from 'vitest/node'

const top = path.join(import.meta.dirname, '..')
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    mutants: { type: 'string', default: '50' },
    seed: { type: 'string', default: '1' },
    show: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    session: { type: 'string' },
  },
})

/** The suites of a folder, the quickest first: paths of tests. A folder that is not listed has the suite of its own name. */
const suites = {
  core: ['test/text', 'test/report', 'test/scenarios', 'test/library'],
  engine: ['test/scenarios', 'test/library', 'test/actions', 'test/cli'],
  api: ['test/library', 'test/cli'],
  'seed-api': ['test/library', 'test/conformance', 'test/structure'],
  journal: ['test/history'],
  git: ['test/history'],
  history: ['test/history'],
  timetravel: ['test/history', 'test/cli'],
  syntax: ['test/syntax', 'test/paste-damage', 'test/conformance', 'test/scenarios'],
  text: ['test/text', 'test/actions', 'test/scenarios'],
  policy: ['test/policy test/commands/rules.test.ts test/commands/words.test.ts', 'test/commands', 'test/attacks'],
  process: ['test/process', 'test/commands', 'test/attacks'],
  state: ['test/approvals', 'test/history', 'test/config'],
  workspace: ['test/workspace', 'test/actions'],
  watch: ['test/listener', 'test/clipboard', 'test/cli'],
}
const suitesOf = (folder) =>
  (suites[folder] ?? [`test/${folder}`])
    .slice(0, values.quick ? 1 : undefined)
    .map((paths) => paths.split(' ').filter((one) => fs.existsSync(path.join(top, one))))

const equivalentFile = path.join(import.meta.dirname, 'mutate-equivalent.json')
/** Mutants that change nothing that can be seen, each with its reason, by `file: line [before -> after]`. */
const equivalent = fs.existsSync(equivalentFile) ? JSON.parse(fs.readFileSync(equivalentFile, 'utf8')) : {}

const operators = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '+': '-',
  '-': '+',
  '&&': '||',
  '||': '&&',
  '??': '&&',
}
const methods = { some: 'every', every: 'some', startsWith: 'endsWith', endsWith: 'startsWith', at: 'indexOf' }

/** Every small change that a source allows: the range, and the text that takes its place. */
function mutantsOf(file, text) {
  const found = []
  const add = (start, end, to) => found.push({ file, start, end, to, from: text.slice(start, end) })
  const visit = (node) => {
    if (node === null || typeof node !== 'object') return
    if (Array.isArray(node)) return node.forEach(visit)
    if (typeof node.type !== 'string' || node.type.startsWith('TS') || node.type.startsWith('Import')) return
    if (node.type === 'BinaryExpression' || node.type === 'LogicalExpression') {
      const to = operators[node.operator]
      if (to !== undefined) {
        const at = text.indexOf(node.operator, node.left.end)
        add(at, at + node.operator.length, to)
      }
    }
    if (node.type === 'IfStatement' || node.type === 'ConditionalExpression') {
      add(node.test.start, node.test.end, 'true')
      add(node.test.start, node.test.end, 'false')
    }
    if (node.type === 'UnaryExpression' && node.operator === '!') add(node.start, node.start + 1, '')
    if (node.type === 'Literal' && typeof node.value === 'boolean') add(node.start, node.end, String(!node.value))
    if (node.type === 'Literal' && typeof node.value === 'number') add(node.start, node.end, String(node.value + 1))
    if (node.type === 'ExpressionStatement' && /^(Await|Call)Expression$/.test(node.expression.type))
      add(node.start, node.end, ';')
    if (node.type === 'CallExpression' && node.callee.type === 'MemberExpression') {
      const to = methods[node.callee.property.name]
      if (to !== undefined) add(node.callee.property.start, node.callee.property.end, to)
    }
    for (const [key, value] of Object.entries(node)) if (key !== 'type') visit(value)
  }
  visit(parseSync(file, text).program)
  return found
}

/** The same numbers for the same seed. */
function random(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

function sample(all, count, next) {
  const pool = [...all]
  const chosen = []
  while (chosen.length < count && pool.length > 0) chosen.push(...pool.splice(Math.floor(next() * pool.length), 1))
  return chosen
}

const filesIn = (folder) =>
  fs
    .readdirSync(path.join(top, 'src', folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => path.join('src', folder, name))
    .sort()

/** Reads mutants from standard input, one JSON per line, and answers each with a line: killed or survived. */
async function session(copy) {
  const config = { root: copy, watch: false, reporters: [{}], bail: 1, maxWorkers: 2 }
  const vitest = await createVitest('test', config, { root: copy }, {})
  const specifications = await vitest.globTestSpecifications(positionals.map((one) => path.join(copy, one)))
  const { testModules } = await vitest.runTestSpecifications(specifications)
  console.log(testModules.every((one) => one.ok()) ? 'ready' : 'the tests fail without a mutant')
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const { file, start, end, to } = JSON.parse(line)
    const full = path.join(copy, file)
    const text = fs.readFileSync(full, 'utf8')
    fs.writeFileSync(full, text.slice(0, start) + to + text.slice(end))
    vitest.invalidateFile(full)
    const run = await vitest.runTestSpecifications(specifications)
    fs.writeFileSync(full, text)
    vitest.invalidateFile(full)
    console.log(run.unhandledErrors.length === 0 && run.testModules.every((one) => one.ok()) ? 'survived' : 'killed')
  }
  await vitest.close()
}

if (values.session !== undefined) {
  await session(values.session)
  process.exit(0)
}

const copy = fs.mkdtempSync(path.join(os.tmpdir(), 'clada-mutate-'))
process.on('exit', () => fs.rmSync(copy, { recursive: true, force: true }))
process.on('SIGINT', () => process.exit(130))
fs.cpSync(top, copy, {
  recursive: true,
  verbatimSymlinks: true,
  filter: (file) => !/\/(\.git|node_modules|dist)$/.test(file),
})
fs.symlinkSync(path.join(top, 'node_modules'), path.join(copy, 'node_modules'))

/** A mutant that makes the tests take longer than this hangs. */
const longestMs = 180_000

/** Those of some mutants that a suite does not notice. */
async function survivorsOf(mutants, suite) {
  const survivors = []
  const left = [...mutants]
  while (left.length > 0) {
    const child = spawn(process.execPath, [import.meta.filename, '--session', copy, ...suite], {
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: true,
    })
    const lines = readline.createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const answer = async (ms) => {
      let timer
      const late = new Promise((resolve) => (timer = setTimeout(resolve, ms, 'late')))
      const said = await Promise.race([lines.next().then(({ value = 'ended' }) => value), late])
      clearTimeout(timer)
      return said
    }
    const first = await answer(longestMs * 5)
    if (first !== 'ready') throw new Error(`${suite.join(' ')}: ${first}`)
    let alive = true
    while (alive && left.length > 0) {
      const mutant = left.shift()
      const { file } = mutant
      const text = fs.readFileSync(path.join(copy, file), 'utf8')
      child.stdin.write(`${JSON.stringify(mutant)}\n`)
      const said = await answer(longestMs)
      if (said === 'survived') survivors.push(mutant)
      if (said === 'survived' || said === 'killed') continue
      alive = false
      process.kill(-child.pid, 'SIGKILL')
      fs.writeFileSync(path.join(copy, file), text)
    }
    child.stdin.end()
    if (alive) await new Promise((resolve) => child.on('exit', resolve))
  }
  return survivors
}

const nameOf = ({ file, start, from, to }) => {
  const line = fs.readFileSync(path.join(top, file), 'utf8').split('\n')[lineOf({ file, start }) - 1] ?? ''
  return `${file}: ${line.trim()} [${from.replace(/\s+/g, ' ').slice(0, 80)} -> ${to}]`
}
const folders =
  positionals.length > 0
    ? positionals
    : fs
        .readdirSync(path.join(top, 'src'), { withFileTypes: true })
        .flatMap((entry) => (entry.isDirectory() ? entry.name : []))

console.log('| folder | mutants | killed | equivalent | survived |\n|---|---|---|---|---|')
let failed = false
for (const folder of folders) {
  const next = random(Number(values.seed))
  const all = filesIn(folder).flatMap((file) => mutantsOf(file, fs.readFileSync(path.join(top, file), 'utf8')))
  const chosen = sample(all, Number(values.mutants), next)
  const declared = chosen.filter((mutant) => Object.hasOwn(equivalent, nameOf(mutant)))
  const tried = chosen.filter((mutant) => !declared.includes(mutant))
  let survivors = tried
  for (const suite of suitesOf(folder)) survivors = await survivorsOf(survivors, suite)
  const killed = tried.length - survivors.length
  console.log(
    `| ${folder} | ${chosen.length} | ${killed} (${Math.round((100 * killed) / Math.max(1, tried.length))} %) | ${declared.length} | ${survivors.length} |`,
  )
  if (values.show) for (const mutant of survivors) console.log(`  survived: ${nameOf(mutant)} (line ${lineOf(mutant)})`)
  if (killed < 0.9 * tried.length || declared.length > 0.1 * chosen.length) failed = true
}
process.exit(failed ? 1 : 0)

function lineOf({ file, start }) {
  return fs.readFileSync(path.join(top, file), 'utf8').slice(0, start).split('\n').length
}
