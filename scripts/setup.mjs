import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'

/** Installs the dependencies when they are missing or older than the lock file. */
export function installDependencies() {
  if (!process.features.require_module) {
    console.error(`clada needs Node 20.19, 22.13 or newer; this is ${process.version}.`)
    process.exit(2)
  }
  const lock = new URL('../package-lock.json', import.meta.url)
  const installed = new URL('../node_modules/.package-lock.json', import.meta.url)
  if (fs.existsSync(installed) && fs.statSync(installed).mtimeMs >= fs.statSync(lock).mtimeMs) return
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error']
  // On Windows npm is a script, which needs a shell.
  const shell = process.platform === 'win32'
  const { status } = spawnSync('npm', ['ci', ...quiet], { cwd: new URL('..', import.meta.url), stdio: 'ignore', shell })
  // A registry that lacks a tool's packages for other systems leaves holes in the lock file, which `npm ci` refuses.
  if (status !== 0) run('npm', ['install', '--no-save', ...quiet], { shell })
}

/** Runs a program in the project and shows what it prints; ends with its exit code if that is not zero. */
export function run(program, args, options = {}) {
  try {
    execFileSync(program, args, { cwd: new URL('..', import.meta.url), stdio: 'inherit', ...options })
  } catch (error) {
    process.exit(error.status ?? 1)
  }
}

/** Replaces the text between two marks of docs/internals/reliability.md. */
export function writeSection(name, text) {
  const page = new URL('../docs/internals/reliability.md', import.meta.url)
  const [begin, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`]
  const old = fs.readFileSync(page, 'utf8')
  const [from, to] = [old.indexOf(begin), old.indexOf(end)]
  if (from === -1 || to === -1) throw new Error(`docs/internals/reliability.md has no place for ${name}`)
  fs.writeFileSync(page, `${old.slice(0, from + begin.length)}\n${text}\n${old.slice(to)}`)
}
