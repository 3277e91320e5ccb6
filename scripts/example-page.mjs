// A scratch copy of the project in examples/page, under git, with the reply that goes with it.
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

export function exampleProject() {
  const example = path.resolve(import.meta.dirname, '../examples/page')
  const scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'clada-demo-')))
  const project = path.join(scratch, 'cart')
  fs.cpSync(path.join(example, 'project'), project, { recursive: true })
  const reply = path.join(scratch, 'reply.md')
  const text = fs.readFileSync(path.join(example, 'reply.md'), 'utf8')
  fs.writeFileSync(reply, text.replaceAll('/PROJECT', project))
  const git = (...args) =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args], { cwd: project })
  git('init', '--quiet')
  git('add', '.')
  git('commit', '--quiet', '--message', 'A project')
  return { project, reply, remove: () => fs.rmSync(scratch, { recursive: true, force: true }) }
}
