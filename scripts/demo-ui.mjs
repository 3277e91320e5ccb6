// Sets everything up and opens the page on an example project, with the reply of a model to look at: `npm run demo:ui`.
import { spawn } from 'node:child_process'
import path from 'node:path'
import { exampleProject } from './example-page.mjs'
import { installDependencies, run } from './setup.mjs'

installDependencies()
run(process.execPath, ['scripts/build.mjs'])
const { project, reply, remove } = exampleProject()
const cli = path.resolve(import.meta.dirname, '../packages/clada/dist/cli.cjs')
const child = spawn(process.execPath, [cli, 'ui', reply, ...process.argv.slice(2)], { cwd: project, stdio: 'inherit' })
// Ctrl-C reaches the child as well, which ends by itself.
process.on('SIGINT', () => {})
child.on('exit', (code) => {
  remove()
  process.exit(code ?? 1)
})
