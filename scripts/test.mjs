// Sets everything up and runs the whole test suite.
import { spawnSync } from 'node:child_process'
import { installDependencies, run } from './setup.mjs'
import { installTestPrograms, portableSuites } from './test-programs.mjs'

installTestPrograms()
installDependencies()
run(process.execPath, ['scripts/build.mjs'])

const { status } = spawnSync(
  process.execPath,
  [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--reporter=dot',
    '--reporter=./scripts/missing-programs.mjs',
    ...(process.platform === 'win32' && process.argv.length === 2 ? portableSuites : process.argv.slice(2)),
  ],
  { cwd: new URL('..', import.meta.url), stdio: 'inherit' },
)
process.exit(status ?? 1)
