/** How programs say that a test passed. */
const passes = new RegExp(
  [
    String.raw`^\s*(?:# )?ok \d+\b`,
    // mocha, jest, vitest, bats, PHPUnit, tap-spec
    String.raw`^\s*[✔✓√] \S`,
    String.raw`^\s*PASS\s+\S+\.\w+$`,
    // cargo
    String.raw`^\s*test \S.* \.\.\. ok$`,
    // pytest, unittest
    String.raw`^\s*\S+::\S+ PASSED\b`,
    String.raw`^\s*\w+ \(\S+\) \.\.\. ok$`,
    // Go, GoogleTest, ctest
    String.raw`^\s*--- PASS: `,
    String.raw`^\s*\[ {6} OK \] `,
    String.raw`^\s*\d+\/\d+ Test +#\d+: .+ Passed +[\d.]+ sec$`,
    // Unity, Meson, Gradle
    String.raw`^\S+:\d+:\w+:PASS$`,
    String.raw`^ *\d+\/\d+ \S.* OK +[\d.]+s$`,
    String.raw`^\S.* > \S.* PASSED$`,
    // prove, minitest
    String.raw`^\S+\.t \.{2,} ok$`,
    String.raw`^\S+#\S+ = [\d.]+ s = \.$`,
    String.raw`^\s*\.\.\. \d+ tests passed$`,
  ].join('|'),
)

export const saysPassed = (line: string): boolean => passes.test(line)

/** What TAP says about a test below its line. */
const details = /^\s*(?:---|\.\.\.|duration_ms: [\d.]+|type: '\w+')$/

/** What stands above such a line. Of TAP's comments those that count tests stay. */
const above =
  /^(?:\s*# (?!(?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms|ok)\b).*|=== (?:RUN|PAUSE|CONT|NAME) .*|\[ RUN {6}\] .*|\s+Start +\d+: .*)$/

const begins = /^\s*# Subtest: |^=== RUN |^\[ RUN|^\s+Start +\d+: /
const leastPassing = 4

/** Lines about tests that passed become one, where they are many. */
export function foldPassedTests(text: string): string {
  const lines = text.split('\n')
  const isQuiet = findQuietHeadings(lines)
  const kept: string[] = []
  let run: number[] = []
  const linesOf = (indices: readonly number[]): string[] => indices.map((at) => lines[at] ?? '')
  const endRun = (): void => {
    const names = linesOf(run)
    const count = names.filter(saysPassed).length
    const last = names.findLastIndex((line) => saysPassed(line) || details.test(line)) + 1
    const heading = names.slice(
      0,
      names.findIndex((line, at) => saysPassed(line) || begins.test(line) || isQuiet.has(run[at] ?? -1)),
    )
    // What stands above the next test belongs to that.
    kept.push(...(count < leastPassing ? names : [...heading, `... ${count} tests passed`, ...names.slice(last)]))
    run = []
  }
  for (const [at, line] of lines.entries()) {
    const isBetween = line.trim() === '' && run.some((one) => isQuiet.has(one))
    if (isBetween || isQuiet.has(at) || [passes, details, above].some((one) => one.test(line))) run.push(at)
    else {
      endRun()
      kept.push(line)
    }
  }
  endRun()
  return kept.join('\n')
}

/** Headings of suites, which are indented, below which every test passed. */
function findQuietHeadings(lines: readonly string[]): ReadonlySet<number> {
  const quiet = new Set<number>()
  // From the last line up: what is below a line and deeper, up to the next line that is not.
  const below: { readonly indent: number; readonly passed: boolean }[] = []
  for (let at = lines.length - 1; at >= 0; at--) {
    const line = lines[at] ?? ''
    if (line.trim() === '') continue
    const indent = line.search(/\S/)
    const inside = below.splice(below.findLastIndex((one) => one.indent <= indent) + 1)
    const passed = inside.length === 0 ? isMarked.test(line) : inside.every((one) => one.passed)
    if (inside.length > 0 && passed && indent > 0) quiet.add(at)
    below.push({ indent, passed })
  }
  return quiet
}

const isMarked = /^\s*[✔✓√] \S/
