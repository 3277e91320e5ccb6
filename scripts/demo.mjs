// Sets everything up, carries out an example reply in a scratch project, shows what changed, and undoes it.
import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { installDependencies, run } from './setup.mjs'

const color = process.stdout.isTTY || process.argv.includes('--color')
const home = path.resolve(import.meta.dirname, '..')
const cli = path.join(home, 'dist', 'cli.cjs')

installDependencies()
run(process.execPath, ['scripts/build.mjs'])

const project = path.join(fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'clada-demo-'))), 'greetings')
fs.cpSync(path.join(home, 'examples/demo/project'), project, { recursive: true })
const reply = fs.readFileSync(path.join(home, 'examples/demo/reply.md'), 'utf8').replaceAll('/PROJECT', project)
fs.writeFileSync(path.join(project, '..', 'reply.md'), reply)
const git = (...args) =>
  execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args], { cwd: project })
git('init', '--quiet')
git('add', '.')
git('commit', '--quiet', '--message', 'A project')
const before = snapshot()

say('A model was asked to change this project, and this is its reply:')
shell('cat ../reply.md', () => reply.replaceAll(project, '…'))
say('What would it do? Nothing is touched yet:')
clada('diff', '../reply.md')
say('Do it. Two blocks work; the third asks for text that is not there, and is told what is:')
clada('../reply.md', '--format', 'pretty')
say('The files have changed:')
shell('ls src test', () => execFileSync('ls', ['src', 'test'], { cwd: project, encoding: 'utf8' }))
say('And back again, exactly:')
clada('undo')
const same = JSON.stringify(snapshot()) === JSON.stringify(before)
console.log(same ? 'Every file is as it was.' : 'Something is not as it was!')
fs.rmSync(path.dirname(project), { recursive: true, force: true })
process.exit(same ? 0 : 1)

function clada(...args) {
  shell(`clada ${args.join(' ')}`, () => {
    const env = { ...process.env, ...(color ? { FORCE_COLOR: '1' } : { NO_COLOR: '1' }) }
    const { stdout } = spawnSync(process.execPath, [cli, ...args], { cwd: project, encoding: 'utf8', env })
    return stdout.replaceAll(`${project}/`, '')
  })
}

function shell(command, work) {
  console.log(color ? `\u001b[1m$ ${command}\u001b[0m` : `$ ${command}`)
  const output = work().trimEnd()
  if (output !== '') console.log(output)
  console.log()
}

function say(text) {
  console.log(color ? `\u001b[36m# ${text}\u001b[0m` : `# ${text}`)
}

function snapshot() {
  const entries = fs.readdirSync(project, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const files = entries
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => !/\.(clada|git)\b/.test(path.relative(project, file)))
  return Object.fromEntries(files.sort().map((file) => [path.relative(project, file), fs.readFileSync(file, 'utf8')]))
}
