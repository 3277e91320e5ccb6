// Sets everything up and runs the whole test suite.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { installDependencies, run } from './setup.mjs'
import { installTestPrograms, portableSuites } from './test-programs.mjs'

installTestPrograms()
installDependencies()
run(process.execPath, ['scripts/build.mjs'])

const report = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'clada-report-')), 'report.json')
const { status } = spawnSync(
  process.execPath,
  [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--reporter=dot',
    '--reporter=./scripts/missing-programs.mjs',
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...(process.platform === 'win32' && process.argv.length === 2 ? portableSuites : process.argv.slice(2)),
  ],
  { cwd: new URL('..', import.meta.url), stdio: 'inherit' },
)
if (fs.existsSync(report)) {
  const {
    numPassedTests: passed,
    numFailedTests: failed,
    numPendingTests: skipped,
  } = JSON.parse(fs.readFileSync(report, 'utf8'))
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`)
}
fs.rmSync(path.dirname(report), { recursive: true, force: true })
process.exit(status ?? 1)
