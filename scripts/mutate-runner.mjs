// Runs the tests for `scripts/mutate.mjs`: without a mutant, or each with the mutants of its plan.
import fs from 'node:fs'
import path from 'node:path'
import { TestRunner } from 'vitest'

const dir = path.join(import.meta.dirname, '..')
const plan = JSON.parse(fs.readFileSync(path.join(dir, 'plan.json'), 'utf8'))
const planned = new Map((plan.tests ?? []).map((test) => [test.id, test]))
const killed = new Set(plan.killed)
const skip = new Set(plan.skip)
const state = (globalThis.__mutants ??= {
  active: -1,
  label: 'none',
  hits: new Map(),
  most: Infinity,
  own: true,
  read: plan.mode !== 'anew',
})
let labels = 0

const log = (line) => fs.appendFileSync(path.join(dir, 'log'), `${JSON.stringify(line)}\n`)

/** From now on, here and in every process that starts. */
function activate(active, most = Infinity) {
  labels += 1
  Object.assign(state, { active, label: `${process.pid}-${labels}`, most })
  state.hits.clear()
  fs.writeFileSync(path.join(dir, 'switch'), `${active} ${state.label} ${most}`)
}

/** How often each mutant was reached since the last call, here and elsewhere. */
function reached() {
  const hits = Object.fromEntries(state.hits)
  const elsewhere = path.join(dir, 'hits', state.label)
  if (fs.existsSync(elsewhere))
    for (const id of fs.readFileSync(elsewhere, 'utf8').trimEnd().split('\n')) hits[id] ??= 1
  return hits
}

const nameOf = (test) => (test.suite?.name ? `${nameOf(test.suite)} > ${test.name}` : test.name)

let failure
process.on('unhandledRejection', (error) => (failure ??= error))

export default class extends TestRunner {
  #files = new Map()
  #from = 0
  /** The mutants that the test has not been run with yet, and the one it runs with; the one that needs a second look. */
  #open = []
  #now = undefined
  #suspect = undefined

  onCollectStart(file) {
    super.onCollectStart(file)
    if (plan.mode !== 'cover') return
    this.#outside(file)
    activate(-1)
  }

  /** What was reached outside the tests belongs to the file. */
  #outside(file) {
    const name = path.relative(dir, file.filepath)
    const hits = { ...this.#files.get(name), ...reached() }
    this.#files.set(name, hits)
    state.hits.clear()
    return { type: 'file', file: name, hits }
  }

  async onAfterRunSuite(suite) {
    await super.onAfterRunSuite(suite)
    if (plan.mode === 'cover' && 'filepath' in suite) log(this.#outside(suite))
  }

  async onBeforeRunTask(test) {
    await super.onBeforeRunTask(test)
    if (skip.has(test.id)) test.mode = 'skip'
    if (plan.mode === 'anew' || test.mode === 'skip') return
    if (plan.mode === 'cover') {
      this.#outside(test.file)
      activate(-1)
      this.#from = performance.now()
      return
    }
    this.#open = (planned.get(test.id)?.mutants ?? []).filter((id) => !killed.has(id))
    if (this.#open.length === 0) {
      test.mode = 'skip'
      return
    }
    this.#now = -1
    this.#suspect = undefined
    // First without a mutant, then with each, and once more without it when the test failed.
    test.repeats = 2 * this.#open.length
  }

  onBeforeTryTask(test) {
    super.onBeforeTryTask(test)
    if (plan.mode !== 'try') return
    if (this.#from === test) this.#judge(test)
    this.#from = test
    test.result.errors = undefined
    test.result.state = 'run'
    failure = undefined
    if (this.#suspect !== undefined) this.#now = -1
    else if (this.#now === undefined) this.#now = this.#open.shift()
    if (this.#now === undefined) return
    if (this.#now !== -1) log({ type: 'try', test: test.id, mutant: this.#now })
    activate(this.#now, 100_000 + 100 * (planned.get(test.id)?.hits[this.#now] ?? 1))
  }

  async runTask(test) {
    const fn = TestRunner.getTestFn(test)
    if (plan.mode !== 'try' || !planned.has(test.id)) return await fn()
    if (this.#now === undefined) return
    let timer
    const limit = 5000 + 10 * planned.get(test.id).ms
    const late = new Promise((_, fail) => (timer = setTimeout(() => fail(new Error('does not end')), limit)))
    try {
      await Promise.race([fn(), late])
    } finally {
      clearTimeout(timer)
    }
  }

  /** After a run of the test with a mutant, or without. */
  #judge(test) {
    if (this.#now === undefined) return
    const error = test.result.errors?.[0] ?? failure
    const mutant = this.#now
    this.#now = undefined
    activate(-1)
    const end = (fields) => log({ type: 'end', test: test.id, name: nameOf(test), ...fields })
    if (mutant !== -1 && error === undefined) return end({ mutant, killed: false })
    if (mutant !== -1) {
      this.#suspect = { mutant, by: `${nameOf(test)}: ${String(error?.message ?? error).slice(0, 200)}` }
      return
    }
    if (this.#suspect !== undefined && error === undefined) {
      killed.add(this.#suspect.mutant)
      end({ ...this.#suspect, killed: true })
      this.#suspect = undefined
      return
    }
    if (error === undefined) return
    // It fails without a mutant too: what another one has left behind, or a test that cannot run twice.
    log({
      type: 'unclear',
      test: test.id,
      mutant: this.#suspect?.mutant,
      name: nameOf(test),
      by: String(error.message),
    })
    process.kill(process.pid, 'SIGKILL')
  }

  onAfterRunTask(test) {
    super.onAfterRunTask(test)
    if (plan.mode === 'try' && this.#from === test) this.#judge(test)
    if (plan.mode !== 'cover') return
    const ok = test.result.state === 'pass'
    const ms = performance.now() - this.#from
    log({
      type: 'test',
      id: test.id,
      name: nameOf(test),
      file: path.relative(dir, test.file.filepath),
      ok,
      ms,
      hits: reached(),
    })
    activate(-1)
  }
}
