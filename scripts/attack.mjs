// Attacks the built program with everything we know, and prints the results.
//
//   npm run attack [ID…]
import path from 'node:path'
import { run } from './setup.mjs'
import { loadSource } from './source.mjs'

run(process.execPath, ['scripts/build.mjs'], { stdio: ['ignore', 2, 2] })
const { attackAll } = await loadSource('test/attacks/report.ts')
process.exitCode = await attackAll(
  path.join(import.meta.dirname, '../packages/clada/dist/cli.cjs'),
  process.argv.slice(2),
)
