// Everything that must be true before a change is done: format, lint, types, unused code,
// generated files, the shape of the code (`test/layers.test.ts`, `test/shape.test.ts`), tests.
import { installDependencies, run } from './setup.mjs'

installDependencies()
const bin = (name, ...args) => run(process.execPath, [`node_modules/${name}`, ...args])
bin('oxfmt/bin/oxfmt', '--check', 'packages', 'test', 'scripts', 'bench')
bin('oxlint/bin/oxlint', '--deny-warnings')
bin('typescript/bin/tsc', '-p', '.')
bin('typescript/bin/tsc', '-p', 'packages/page')
bin('typescript/bin/tsc', '-p', 'packages/browser')
bin('typescript/bin/tsc', '-p', 'packages/vscode')
bin('knip/bin/knip.js')
run(process.execPath, ['scripts/gen.mjs', '--check'])
bin('vitest/vitest.mjs', 'run', '--config', 'test/shape.config.ts', '--reporter', 'dot')
if (!process.argv.includes('--without-tests')) run(process.execPath, ['scripts/test.mjs'])
