import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { type Edit, editOf } from './edit.ts'

/** Edits out of the history of a repository: one file of a commit each, with one to three places. */
export function* historyEdits(repository: string, most: number): Generator<Edit> {
  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', repository, ...args], {
      encoding: 'utf8',
      maxBuffer: 1 << 28,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  const commits = git('log', '--no-merges', '--format=%H', '-n', '400').trim().split('\n')
  let found = 0
  for (const commit of commits) {
    const files = git('diff-tree', '-r', '--no-commit-id', '--name-only', '--diff-filter=M', commit).trim().split('\n')
    for (const name of files.filter((file) => /\.(?:ts|mjs|js|py|md|css|yml)$/.test(file)).slice(0, 3)) {
      const before = git('show', `${commit}^:${name}`)
      const edit =
        before.length > 100_000 ? undefined : editOf(shortened(name), before, git('show', `${commit}:${name}`))
      if (edit === undefined) continue
      yield edit
      if (++found >= most) return
    }
  }
}

/** Edits made up in the files of packages: a word in a line, a line less, a line more, two lines for one. */
export function* packageEdits(modules: string, most: number): Generator<Edit> {
  let found = 0
  for (const file of filesIn(modules)) {
    const before = fs.readFileSync(file, 'utf8')
    const lines = before.split('\n')
    if (lines.length < 40 || lines.length > 1500 || lines.some((line) => line.length > 300)) continue
    const at = 10 + ((file.length * 7 + lines.length * 13) % (lines.length - 20))
    const line = lines[at] ?? ''
    if (line.trim().length < 6) continue
    const changes = [
      lines.with(at, line.replace(/[A-Za-z]{3,}(?!.*[A-Za-z]{3,})/, 'renamedThing')),
      lines.toSpliced(at, 1),
      lines.toSpliced(at, 0, `${/^\s*/.exec(line)?.[0]}addedCall('x', "y", a < b && c)`),
      lines.toSpliced(at, 1, `${/^\s*/.exec(line)?.[0]}if (a < b) {`, `${line}`),
    ]
    const edit = editOf(shortened(path.basename(file)), before, (changes[found % changes.length] ?? []).join('\n'))
    if (edit === undefined) continue
    yield edit
    if (++found >= most) return
  }
}

function* filesIn(dir: string): Generator<string> {
  for (const entry of fs.readdirSync(dir, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const at = path.join(dir, entry.name)
    if (entry.isDirectory() && !entry.name.startsWith('.')) yield* filesIn(at)
    else if (entry.isFile() && /(?<!\.min)\.(?:[cm]?js|d\.ts|py|css|md)$/.test(entry.name)) yield at
  }
}

/** A path that no policy has anything to say about. */
const shortened = (name: string): string => `lib/${path.basename(name).replace(/[^\w.-]/g, '_')}`
