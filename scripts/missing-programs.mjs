/** A vitest reporter: one line at the end for each program that tests were skipped for. */
export default class MissingPrograms {
  #skipped = new Map()

  onTestCaseResult(testCase) {
    const { state, note } = testCase.result()
    if (state === 'skipped' && note?.startsWith('needs ')) this.#skipped.set(note, (this.#skipped.get(note) ?? 0) + 1)
  }

  onTestRunEnd() {
    for (const [note, count] of this.#skipped) {
      const [, program, name] = /^needs (\S+) \((\S+)\)$/.exec(note) ?? []
      const tests = count === 1 ? '1 test' : `${count} tests`
      const why = program === 'sandbox' ? 'a sandbox: none works here' : `${program}: not installed`
      console.log(`skipped ${tests} for want of ${why} (Debian, Ubuntu: apt install ${name})`)
    }
  }
}
