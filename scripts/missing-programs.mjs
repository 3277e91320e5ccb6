import fs from 'node:fs'

/**
 * A vitest reporter: at the end one line for each test that passed only at a second try, one for each program that tests
 * were skipped for, and the sums. In the file that CLADA_TEST_RESULTS names there is one line for each test as it ends, so
 * that a run that is killed has them too.
 */
export default class MissingPrograms {
  #skipped = new Map()
  #flaky = []
  #ended = { passed: 0, failed: 0, skipped: 0 }

  onTestCaseResult(testCase) {
    const { state, note } = testCase.result()
    const { fullName: name, module } = testCase
    const to = process.env.CLADA_TEST_RESULTS
    if (to) fs.appendFileSync(to, `${JSON.stringify({ file: module.relativeModuleId, name, state, note })}\n`)
    this.#ended[state]++
    if (testCase.diagnostic()?.flaky) this.#flaky.push(`${module.relativeModuleId} > ${name}`)
    if (state === 'skipped' && note?.startsWith('needs ')) this.#skipped.set(note, (this.#skipped.get(note) ?? 0) + 1)
  }

  onTestRunEnd() {
    for (const test of this.#flaky) console.log(`passed at the second try: ${test}`)
    for (const [note, count] of this.#skipped) {
      const tests = count === 1 ? '1 test' : `${count} tests`
      const [, program, name] = /^needs (\S+) \((\S+)\)$/.exec(note) ?? []
      if (program === undefined) {
        console.log(`skipped ${tests}: ${note}`)
        continue
      }
      const why = program === 'sandbox' ? 'a sandbox: none works here' : `${program}: not installed`
      console.log(`skipped ${tests} for want of ${why} (Debian, Ubuntu: apt install ${name})`)
    }
    const { passed, failed, skipped } = this.#ended
    console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`)
  }
}
