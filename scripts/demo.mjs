// Sets everything up, lets a listener apply an example reply in a scratch project, shows what changed, and undoes it.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { installDependencies, run } from './setup.mjs'

const color = process.stdout.isTTY || process.argv.includes('--color')
const home = path.resolve(import.meta.dirname, '..')
const cli = path.join(home, 'packages/clada/dist/cli.cjs')

installDependencies()
run(process.execPath, ['scripts/build.mjs'])

const project = path.join(fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'clada-demo-'))), 'greetings')
fs.cpSync(path.join(home, 'examples/demo/project'), project, { recursive: true })
const reply = fs.readFileSync(path.join(home, 'examples/demo/reply.md'), 'utf8')
fs.writeFileSync(path.join(project, '..', 'reply.md'), reply)
const git = (...args) =>
  execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args], { cwd: project })
git('init', '--quiet')
git('add', '.')
git('commit', '--quiet', '--message', 'A project')
const before = snapshot()
const environment = {
  ...process.env,
  ...(color ? { FORCE_COLOR: '1' } : { NO_COLOR: '1' }),
  XDG_STATE_HOME: path.join(project, '..', 'state'),
}

say('A model was asked to change this project, and this is its reply:')
shell('cat ../reply.md', () => reply)
say('What would it do? Nothing is touched yet:')
clada('diff', '../reply.md')
await watched()
say('And back again, exactly:')
clada('undo')
const same = JSON.stringify(snapshot()) === JSON.stringify(before)
console.log(same ? 'Every file is as it was.' : 'Something is not as it was!')
fs.rmSync(path.dirname(project), { recursive: true, force: true })
process.exit(same ? 0 : 1)

/** The loop: the listener waits, a reply is saved into its file, the results come to the top. */
async function watched() {
  say('A listener waits for replies. Each is pasted into its file, and saved:')
  const child = spawn(process.execPath, [cli, 'watch'], { cwd: project, env: environment })
  const ended = new Promise((done) => child.on('close', done))
  let output = ''
  child.stdout.on('data', (chunk) => (output += String(chunk)))
  child.stderr.on('data', (chunk) => (output += String(chunk)))
  await until(() => output.includes('Watching'), child)
  const input = path.join(project, 'clada_input.md')
  fs.appendFileSync(input, reply)
  const top = () => /^=== CLADA RESULTS ===\n[^]*?=== END ===/.exec(fs.readFileSync(input, 'utf8'))?.[0]
  await until(top, child)
  child.kill('SIGTERM')
  await ended
  shell('clada watch', () => output.replaceAll(`${project}/`, ''))
  say('The results are at the top of the file; what the model should read is in .clada/output.md:')
  shell('head -5 clada_input.md', () => (top() ?? '').replaceAll(`${project}/`, ''))
  fs.rmSync(input)
}

async function until(condition, child) {
  for (let tries = 0; !condition(); tries++) {
    if (child.exitCode !== null || tries > 3000) throw new Error('clada watch did not do what it should')
    await new Promise((done) => setTimeout(done, 10))
  }
}

function clada(...args) {
  shell(`clada ${args.join(' ')}`, () => {
    const { stdout } = spawnSync(process.execPath, [cli, ...args], { cwd: project, encoding: 'utf8', env: environment })
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
