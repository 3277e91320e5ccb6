// A test runner that models can call: an action of its own beside those of clada. A reply comes on stdin, the report for
// the model goes to stdout.
//
//   node test-runner.mjs PROJECT < reply.md
//   node test-runner.mjs --check-examples
import { execFile } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { actionFailed, checkExamples, createClada, defineAction, ok, param } from 'clada'

const runTests = defineAction({
  name: 'run_tests',
  description: 'Run the tests of the project with node --test. Returns how many passed and failed.',
  effect: 'exec',
  primary: 'path',
  params: { path: param.optional(param.path('A test file; all tests without it.')) },
  returns: { passed: 'integer', failed: 'integer', output: 'string' },
  examples: [
    { title: 'runs every test', before: { 'a.test.mjs': '' }, params: {}, data: { passed: 1, failed: 0 } },
    { title: 'says that there is none', params: {}, code: 'action_failed' },
  ],
  output: { by: 'program', text: ({ data }) => data && `${data.passed} passed, ${data.failed} failed\n${data.output}` },
  async run({ path }, { root, signal }) {
    const output = await nodeTest(root.absolute, path === undefined ? [] : [path.absolute], signal)
    const count = (word) => Number(new RegExp(`^# ${word} (\\d+)$`, 'm').exec(output)?.[1] ?? 0)
    if (count('tests') === 0) return actionFailed('there are no tests', 'Name test files *.test.mjs.')
    const failures = output.split('\n').filter((line) => /^\s*not ok |error:/.test(line))
    return ok({ passed: count('pass'), failed: count('fail'), output: failures.join('\n') })
  },
})

process.exitCode = (process.argv[2] === '--check-examples' ? await check() : await runReply(process.argv[2])) ? 0 : 1

async function runReply(project) {
  const clada = createClada({ repoPath: project, actions: [runTests] })
  const result = await clada.execute(await text(process.stdin))
  console.log(await clada.report(result, { for: 'model' }))
  return result.success
}

async function check() {
  const differences = await checkExamples(runTests)
  console.log(differences.join('\n') || 'The examples are right.')
  return differences.length === 0
}

function nodeTest(cwd, files, signal) {
  // Otherwise a test run inside a test run reports to that one.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  return new Promise((resolve) => {
    execFile(process.execPath, ['--test', '--test-reporter=tap', ...files], { cwd, env, signal }, (_error, stdout) =>
      resolve(stdout),
    )
  })
}
