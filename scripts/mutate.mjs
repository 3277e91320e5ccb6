// Changes one small thing in the sources at a time and runs the tests that should notice.
//
//   npm run mutate -- [FOLDER...] [--mutants 50] [--seed 1] [--show] [--tests PATH...] [--only FILE] [--out FILE] [--coverage FILE]
//   [--budget SECONDS]
//
// Works on a copy of the project in which all mutants are compiled in, each with a switch (`scripts/mutants.mjs`).
// 1. The tests run once without a mutant: which test reaches which mutant, and how long it takes.
// 2. For each mutant the tests that reach it run in the same process, the quickest first, until one fails. A failure
//    counts if the same test passes again without the mutant.
// 3. Mutants that are reached while a test file is loaded get a new process each.
// Prints one row per folder: mutants, killed, declared equivalent, survivors. `--tests` replaces the tests of the folders,
// `--only` takes the mutants named in a file, one per line, `--out` writes the survivors into one, and `--coverage` is a
// file that keeps the result of step 1.
import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { createVitest } from 'vitest/node'
import { compiledIn, mutantsOf, sampleOf } from './mutants.mjs'

const top = path.join(import.meta.dirname, '..')
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    mutants: { type: 'string', default: '50' },
    seed: { type: 'string', default: '1' },
    show: { type: 'boolean', default: false },
    tests: { type: 'string', multiple: true },
    only: { type: 'string' },
    coverage: { type: 'string' },
    out: { type: 'string' },
    budget: { type: 'string', default: '5' },
    session: { type: 'string' },
  },
})

/** The tests of a folder. A folder that is not listed has those of its own name. */
const tests = {
  actions: ['actions', 'report', 'library', 'conformance/library', 'structure/operations', 'scenarios'],
  api: ['library', 'context'],
  approvals: ['approvals', 'commands'],
  // Those that call it in their own process: what started programs reach is not seen.
  cli: [
    'cli/commands',
    'cli/keys-and-screen',
    'cli/completion',
    'cli/flags',
    'cli/config',
    'cli/doctor',
    'cli/documents',
    'cli/outline',
    'cli/project-around',
    'cli/prompt',
    'loop',
    'review/terminal',
  ],
  commands: ['commands', 'actions'],
  config: ['config', 'library/execute', 'cli/config'],
  context: ['context', 'library'],
  core: ['core', 'text', 'report', 'policy', 'library', 'actions'],
  describe: ['describe', 'library'],
  engine: [
    'library',
    'scenarios',
    'review',
    'replies/corrected',
    'replies/resend',
    'syntax/convert',
    'report/evidence',
    'cli/documents',
    'mcp/resources',
    'actions',
  ],
  git: ['history'],
  journal: ['history'],
  policy: ['policy', 'commands', 'actions'],
  // Without the families of processes: a mutant lets hundreds of them live.
  process: [
    'process/facts',
    'process/sandbox',
    'process/seccomp',
    'process/kept-output',
    'process/batch-file',
    'process/followed',
    'process/run-process',
    'commands/blocked-for-programs',
    'commands/staged-programs',
    'commands/effects',
  ],
  report: ['report', 'scenarios', 'actions'],
  'seed-api': ['library', 'conformance', 'text/replace-text.test.ts'],
  state: [
    'workspace/git-dirs',
    'workspace/state',
    'workspace/vouched',
    'workspace/patient-rename',
    'workspace/edges',
    'attacks/brought-state',
    'history/owner',
    'history/lock',
    'history/queue',
    'history/unusual-repository',
    'approvals',
  ],
  structure: ['structure', 'actions'],
  syntax: ['syntax', 'conformance', 'replies/corrected', 'replies/quoted'],
  text: ['text', 'actions'],
  timetravel: ['history'],
  ui: ['ui', 'review'],
  watch: ['listener', 'clipboard'],
  workspace: ['workspace', 'actions', 'history'],
}

/**
 * The most that the tests of one mutant may take together, by their time without it, on a machine that does nothing else,
 * and the most of one file. On a busy machine a test takes longer, and gets as much more.
 */
const longestMs = 1000 * Number(values.budget)
const mostPerFile = 400
/** A test with a mutant hangs when it takes longer than this and many times what it takes without. */
const hangMs = 10_000

if (values.session !== undefined) {
  await session(values.session)
  process.exit(0)
}

const equivalent = JSON.parse(fs.readFileSync(path.join(import.meta.dirname, 'mutate-equivalent.json'), 'utf8'))
const only = values.only === undefined ? undefined : new Set(fs.readFileSync(values.only, 'utf8').split('\n'))
const named = new Set([...(only ?? [])].map((name) => name.split('/')[1]))
const folders =
  positionals.length > 0
    ? positionals
    : fs
        .readdirSync(path.join(top, 'src'), { withFileTypes: true })
        .flatMap((entry) => (entry.isDirectory() ? entry.name : []))

const copy = copyOfProject()
const chosen = folders.flatMap((folder) => {
  const all = filesIn(folder).flatMap((file) => mutantsOf(file, fs.readFileSync(path.join(top, file), 'utf8')))
  return sampleOf(all, Number(values.mutants), values.seed).map((mutant) => ({ ...mutant, folder }))
})
chosen.forEach((mutant, id) => Object.assign(mutant, { id }))
/** A folder without a mutant in the file of `--only` is taken whole. */
const isOpen = ({ name, folder }) => only === undefined || only.has(name) || !named.has(folder)
const tried = chosen.filter((mutant) => !Object.hasOwn(equivalent, mutant.name) && isOpen(mutant))
for (const file of new Set(tried.map((mutant) => mutant.file))) {
  const full = path.join(copy, file)
  const here = tried.filter((mutant) => mutant.file === file)
  fs.writeFileSync(
    full,
    compiledIn(fs.readFileSync(full, 'utf8'), here, path.relative(path.dirname(file), 'src/switch.ts')),
  )
}
fs.writeFileSync(path.join(copy, 'src/switch.ts'), switchFor(copy))

const since = (what) => console.error(`${what} after ${Math.round(performance.now() / 1000)} s`)
const coverage = await cover()
const killed = new Map()
/** By mutant the file of a test that failed with it, and after it. */
const unclear = new Map()
// A run that is ended early prints what it has; what was not tried counts as survived.
for (const signal of ['SIGINT', 'SIGTERM']) process.removeAllListeners(signal).on(signal, print)
since('covered')
await tryInside()
since('tried')
await tryAnew()
since('tried anew')
print()

function filesIn(folder) {
  return fs
    .readdirSync(path.join(top, 'src', folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => path.join('src', folder, name))
    .sort()
}

function copyOfProject() {
  const memory = fs.existsSync('/dev/shm') ? '/dev/shm' : os.tmpdir()
  const to = fs.mkdtempSync(path.join(memory, 'clada-mutate-'))
  // Some tests start programs as another user.
  fs.chmodSync(to, 0o755)
  process.on('exit', () => remove(to))
  process.on('SIGINT', () => process.exit(130))
  process.on('SIGTERM', () => process.exit(143))
  fs.cpSync(top, to, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (file) => !/\/(\.git|node_modules|dist)$/.test(file),
  })
  fs.mkdirSync(path.join(to, 'node_modules'))
  for (const name of fs.readdirSync(path.join(top, 'node_modules')))
    if (!name.startsWith('.clada') && !name.startsWith('.vite'))
      fs.symlinkSync(path.join(top, 'node_modules', name), path.join(to, 'node_modules', name))
  for (const name of ['tmp', 'hits']) {
    fs.mkdirSync(path.join(to, name))
    fs.chmodSync(path.join(to, name), 0o1777)
  }
  return to
}

/** The module that a changed source asks at every mutant. It must also load in a browser. */
function switchFor(dir) {
  return `
const fs = globalThis.process?.getBuiltinModule?.('fs')
const state = (globalThis.__mutants ??= { active: -1, label: 'none', hits: new Map(), most: Infinity, own: false, read: false })
if (fs !== undefined && !state.read) {
  state.read = true
  try {
    const [active, label, most] = fs.readFileSync(${JSON.stringify(path.join(dir, 'switch'))}, 'utf8').split(' ')
    Object.assign(state, { active: Number(active), label, most: Number(most) })
  } catch {}
}
globalThis.__m = (id) => {
  const count = (state.hits.get(id) ?? 0) + 1
  state.hits.set(id, count)
  if (id === state.active) {
    if (count > state.most) throw new Error('a mutant that does not end')
    return true
  }
  // Other processes than the one of the tests write down what they reach.
  if (count === 1 && !state.own && fs !== undefined && state.active === -1)
    try {
      fs.appendFileSync(${JSON.stringify(path.join(dir, 'hits'))} + '/' + state.label, id + '\\n')
    } catch {}
  return false
}
`
}

/** Starts a session, and ends it when nothing has been written to its log for too long. */
async function runSession(plan, { onLine, limitMs }) {
  fs.writeFileSync(path.join(copy, 'plan.json'), JSON.stringify(plan))
  const log = path.join(copy, 'log')
  fs.writeFileSync(log, '')
  fs.chmodSync(log, 0o666)
  const child = spawn(process.execPath, [import.meta.filename, '--session', copy], {
    stdio: ['ignore', 'ignore', process.env.MUTATE_DEBUG ? 'inherit' : 'ignore'],
    detached: true,
    env: { ...process.env, TMPDIR: path.join(copy, 'tmp'), CI: '1' },
  })
  let ended = false
  child.on('exit', () => (ended = true))
  const stop = () => {
    try {
      process.kill(-child.pid, 'SIGKILL')
    } catch {}
  }
  process.prependOnceListener('exit', stop)
  let at = 0
  let since = Date.now()
  while (true) {
    const last = ended
    const text = fs.readFileSync(log, 'utf8')
    const end = text.lastIndexOf('\n') + 1
    if (end > at) {
      for (const line of text.slice(at, end).trimEnd().split('\n')) onLine(JSON.parse(line))
      at = end
      since = Date.now()
    }
    if (last) break
    if (Date.now() - since > limitMs()) break
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  stop()
  process.off('exit', stop)
  for (const name of fs.readdirSync(path.join(copy, 'tmp'))) remove(path.join(copy, 'tmp', name))
  for (const name of fs.readdirSync(path.join(copy, 'node_modules')))
    if (name.startsWith('.clada-test-')) remove(path.join(copy, 'node_modules', name))
}

/** A test that was ended may leave directories so deep that Node cannot name what is in them, and `rm` can. */
function remove(dir) {
  try {
    fs.rmSync(dir, { recursive: true, force: true, maxRetries: 9 })
  } catch {
    spawnSync('rm', ['-rf', dir])
  }
}

/** By test its file, its time and the mutants it reaches; by file the mutants that are reached outside its tests. */
async function cover() {
  const paths = values.tests ?? [
    ...new Set(folders.flatMap((folder) => tests[folder] ?? [folder]).map((name) => `test/${name}`)),
  ]
  const found = { tests: [], files: new Map(), failing: [], busy: 1 }
  if (values.coverage !== undefined && fs.existsSync(values.coverage)) {
    const { names, ...known } = JSON.parse(fs.readFileSync(values.coverage, 'utf8'))
    const idOf = new Map(chosen.map(({ name, id }) => [name, id]))
    const renumbered = (one) => ({
      ...one,
      hits: Object.fromEntries(
        Object.entries(one.hits).flatMap(([id, n]) => (idOf.has(names[id]) ? [[idOf.get(names[id]), n]] : [])),
      ),
    })
    return {
      tests: known.tests.map(renumbered),
      failing: known.failing,
      busy: known.busy,
      files: new Map(known.files.map(([name, one]) => [name, renumbered(one)])),
    }
  }
  const files = paths.flatMap((one) => [one, `${one}.test.ts`].filter((name) => fs.existsSync(path.join(top, name))))
  await runSession(
    { mode: 'cover', files },
    {
      limitMs: () => 300_000,
      onLine: (line) => {
        found.busy = Math.max(found.busy, os.loadavg()[0] / os.availableParallelism())
        if (line.type === 'test') (line.ok ? found.tests : found.failing).push(line)
        if (line.type === 'file') found.files.set(line.file, line)
      },
    },
  )
  console.error(
    `${found.tests.length} tests in ${found.files.size} files, load ${found.busy.toFixed(1)} per core, ${found.failing.length} fail without a mutant${found.failing.map(({ name }) => `\n  ${name}`).join('')}`,
  )
  if (values.coverage !== undefined)
    fs.writeFileSync(
      values.coverage,
      JSON.stringify({ ...found, files: [...found.files], names: chosen.map(({ name }) => name) }),
    )
  return found
}

/** The tests of the folder itself come first. */
function rankIn(folder, file) {
  const at = (tests[folder] ?? [folder]).findIndex((name) => file.startsWith(`test/${name}`))
  return at === -1 ? 99 : at
}

/** In the process of the tests, many mutants after each other. */
async function tryInside() {
  const byTest = new Map()
  for (const { id, folder } of tried) {
    const perFile = new Map()
    let ms = 0
    const own = coverage.tests.filter(({ hits }) => id in hits).map((test) => [rankIn(folder, test.file), test])
    for (const [, test] of own.sort(([a, one], [b, other]) => a - b || one.ms - other.ms)) {
      const count = (perFile.get(test.file) ?? 0) + 1
      perFile.set(test.file, count)
      if (count > mostPerFile || (ms > 0 && ms + test.ms > longestMs * coverage.busy)) continue
      ms += test.ms
      byTest.set(test.id, [...(byTest.get(test.id) ?? []), id])
    }
  }
  const known = new Map(coverage.tests.map((test) => [test.id, test]))
  const rankOf = (file) => Math.min(...folders.map((folder) => rankIn(folder, file)))
  const costOf = (file) => {
    const here = coverage.tests.filter((test) => test.file === file)
    return here.reduce((sum, { ms }) => sum + ms, 0) / here.length
  }
  const done = new Set()
  while (true) {
    const open = [...byTest].flatMap(([id, mutants]) => {
      const left = mutants.filter((mutant) => !killed.has(mutant) && !done.has(`${id} ${mutant}`))
      return left.length === 0 ? [] : [{ ...known.get(id), mutants: left }]
    })
    if (open.length === 0) return
    const files = [...new Set(open.map(({ file }) => file))].sort(
      (a, b) => rankOf(a) - rankOf(b) || costOf(a) - costOf(b),
    )
    let current
    let seen = false
    await runSession(
      { mode: 'try', files, skip: coverage.failing.map(({ id }) => id), killed: [...killed.keys()], tests: open },
      {
        limitMs: () => (current === undefined ? 240_000 : hangMs + 20 * (known.get(current.test)?.ms ?? 0)),
        onLine: (line) => {
          seen = true
          if (line.type === 'try') current = line
          if (line.type === 'end') {
            current = undefined
            done.add(`${line.test} ${line.mutant}`)
            if (line.killed) killed.set(line.mutant, line.by)
          }
          if (line.type === 'unclear') {
            current = undefined
            console.error(`unclear: ${line.name}: ${line.mutant} ${line.by?.slice(0, 200)}`)
            if (line.mutant === undefined) byTest.delete(line.test)
            else {
              done.add(`${line.test} ${line.mutant}`)
              unclear.set(line.mutant, known.get(line.test).file)
            }
          }
        },
      },
    )
    if (current !== undefined) {
      done.add(`${current.test} ${current.mutant}`)
      killed.set(current.mutant, 'does not end')
    } else if (!seen) {
      console.error('no test ran')
      return
    }
  }
}

/** For mutants that are reached while a file is loaded: a process each. */
async function tryAnew() {
  const sourceOf = new Map(tried.map((mutant) => [mutant.id, mutant.file]))
  const jobs = tried.flatMap(({ id, file }) => {
    if (killed.has(id)) return []
    const scores = new Map()
    const add = (name, points) => scores.set(name, (scores.get(name) ?? 0) + points)
    let loaded = unclear.has(id)
    if (loaded) add(unclear.get(id), 1000)
    for (const [name, { hits }] of coverage.files)
      if (id in hits) {
        loaded = true
        add(name, 50)
      }
    if (!loaded) return []
    // Only the first test file that needs a source is seen loading it: another one may be that of its tests.
    for (const name of coverage.files.keys())
      if (fs.readFileSync(path.join(top, name), 'utf8').includes(`/${file}'`)) add(name, 100)
    for (const test of coverage.tests)
      if (Object.keys(test.hits).some((hit) => sourceOf.get(Number(hit)) === file)) add(test.file, 1)
    const msOf = (name) => coverage.tests.filter((test) => test.file === name).reduce((sum, { ms }) => sum + ms, 0)
    const files = [...scores.keys()]
      .map((name) => ({ name, ms: msOf(name), score: scores.get(name) / (300 + msOf(name)) }))
      .sort((a, b) => b.score - a.score)
    let ms = 0
    const taken = []
    for (const one of files)
      if (taken.length === 0 || (taken.length < 6 && ms + one.ms <= longestMs * coverage.busy)) {
        ms += one.ms
        taken.push(one)
      }
    return [{ mutant: id, files: taken.map(({ name }) => name), ms }]
  })
  const left = [...jobs]
  while (left.length > 0) {
    let ready = false
    await runSession(
      { mode: 'anew', files: [], skip: coverage.failing.map(({ id }) => id), jobs: left },
      {
        limitMs: () => (ready ? 60_000 + 5 * (left[0]?.ms ?? 0) : 240_000),
        onLine: (line) => {
          ready = true
          if (line.type !== 'end') return
          left.shift()
          if (line.killed) killed.set(line.mutant, line.by)
        },
      },
    )
    const hung = left.shift()
    if (hung !== undefined) killed.set(hung.mutant, 'does not end')
  }
}

function print() {
  console.log('| folder | mutants | killed | equivalent | survived |\n|---|---|---|---|---|')
  let failed = false
  for (const folder of folders) {
    const all = chosen.filter((mutant) => mutant.folder === folder)
    const here = tried.filter((mutant) => mutant.folder === folder)
    const survivors = here.filter(({ id }) => !killed.has(id))
    const declared = all.filter(({ name }) => Object.hasOwn(equivalent, name))
    const count = here.length - survivors.length
    console.log(
      `| ${folder} | ${all.length} | ${count} (${Math.round((100 * count) / Math.max(1, here.length))} %) | ${declared.length} | ${survivors.length} |`,
    )
    const reached = (id) =>
      coverage.tests.some(({ hits }) => id in hits) || [...coverage.files.values()].some(({ hits }) => id in hits)
    if (values.show)
      for (const { name, line, id } of survivors)
        console.log(`  ${reached(id) ? 'survived' : 'not reached'}: ${name} (line ${line})`)
    if (count < 0.9 * here.length || declared.length > 0.1 * all.length) failed = true
  }
  if (values.out !== undefined)
    fs.writeFileSync(
      values.out,
      tried
        .filter(({ id }) => !killed.has(id))
        .map(({ name }) => `${name}\n`)
        .join(''),
    )
  if (process.env.MUTATE_DEBUG) for (const [id, by] of killed) console.error(`${chosen[id].name}\n    by ${by}`)
  process.exit(failed ? 1 : 0)
}

/** One run of vitest over the copy, as its plan says. The tests write the log themselves (`mutate-runner.mjs`). */
async function session(dir) {
  const plan = JSON.parse(fs.readFileSync(path.join(dir, 'plan.json'), 'utf8'))
  const log = (line) => fs.appendFileSync(path.join(dir, 'log'), `${JSON.stringify(line)}\n`)
  const set = (active, label, most) => fs.writeFileSync(path.join(dir, 'switch'), `${active} ${label} ${most}`)
  set(-1, 'start', Infinity)
  const config = {
    root: dir,
    watch: false,
    reporters: [{}],
    bail: plan.mode === 'anew' ? 1 : 0,
    maxWorkers: 1,
    execArgv: ['--max-old-space-size=2000'],
    runner: path.join(dir, 'scripts/mutate-runner.mjs'),
  }
  const vitest = await createVitest('test', config, { root: dir }, {})
  const of = (files) => vitest.globTestSpecifications(files.map((one) => path.join(dir, one)))
  if (plan.mode === 'anew')
    for (const { mutant, files } of plan.jobs) {
      set(mutant, 'anew', 10_000_000)
      log({ type: 'start', mutant })
      const { testModules, unhandledErrors } = await vitest.runTestSpecifications(await of(files))
      const failed = testModules.find((one) => !one.ok())
      log({
        type: 'end',
        mutant,
        killed: failed !== undefined || unhandledErrors.length > 0,
        by: failed?.moduleId ?? 'an error',
      })
    }
  else {
    const all = await of(plan.files)
    const order = new Map(plan.files.map((file, at) => [path.join(dir, file), at]))
    const sorted = plan.mode === 'try' ? all.sort((a, b) => order.get(a.moduleId) - order.get(b.moduleId)) : all
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications(sorted)
    for (const error of [...unhandledErrors, ...testModules.flatMap((one) => one.errors())]) console.error(error)
  }
  await vitest.close()
}
