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
  const paths = new Set<string>()
  for (const commit of commits) {
    const files = git('diff-tree', '-r', '--no-commit-id', '--name-only', '--diff-filter=M', commit).trim().split('\n')
    for (const name of files.filter((file) => /\.(?:ts|mjs|js|py|md|css|yml)$/.test(file)).slice(0, 3)) {
      const before = git('show', `${commit}^:${name}`)
      const edit =
        before.length > 100_000 ? undefined : editOf(shortened(name), before, git('show', `${commit}:${name}`))
      if (edit === undefined || paths.has(edit.path)) continue
      paths.add(edit.path)
      yield edit
      if (paths.size >= most) return
    }
  }
}

/** Edits made up in the files of packages: a word in a line, a line less, a line more, two lines for one. */
export function* packageEdits(modules: string, most: number): Generator<Edit> {
  const paths = new Set<string>()
  for (const { file, before } of textsIn(modules)) {
    const lines = before.split('\n')
    const at = 10 + ((file.length * 7 + lines.length * 13) % (lines.length - 20))
    const line = lines[at] ?? ''
    if (line.trim().length < 6) continue
    const changes = [
      lines.with(at, line.replace(/[A-Za-z]{3,}(?!.*[A-Za-z]{3,})/, 'renamedThing')),
      lines.toSpliced(at, 1),
      lines.toSpliced(at, 0, `${/^\s*/.exec(line)?.[0]}addedCall('x', "y", a < b && c)`),
      lines.toSpliced(at, 1, `${/^\s*/.exec(line)?.[0]}if (a < b) {`, `${line}`),
    ]
    const edit = editOf(shortened(path.basename(file)), before, (changes[paths.size % changes.length] ?? []).join('\n'))
    if (edit === undefined || paths.has(edit.path)) continue
    paths.add(edit.path)
    yield edit
    if (paths.size >= most) return
  }
}

/**
 * Edits made up in any files, other ones for every seed: lines of the same file with a word changed are put in, taken
 * out or put in the place of others, at one to three places, the first and the last line included.
 */
export function* otherEdits(dir: string, most: number, seed: number): Generator<Edit> {
  let state = seed * 7919 + 1
  const below = (limit: number): number => {
    state = (state * 48271) % 2147483647
    return state % Math.max(1, limit)
  }
  const texts = [...textsIn(dir)]
  for (let tries = 0, found = 0; found < most && tries < most * 20 && texts.length > 0; tries++) {
    const { file, before } = texts[below(texts.length)] ?? { file: '', before: '' }
    const lines = before.split('\n').slice(0, -1)
    let after = lines
    for (let place = 1 + below(3); place > 0; place--) {
      const at = below(10) === 0 ? 0 : below(10) === 0 ? after.length - 1 : below(after.length)
      const from = below(lines.length)
      const other = lines.slice(from, from + below(6)).map((line) => line.replace(/[A-Za-z]{3,}/, 'altered'))
      after = after.toSpliced(at, below(4), ...other)
    }
    const edit = editOf(shortened(path.basename(file)), before, `${after.join('\n')}\n`)
    if (edit === undefined) continue
    yield edit
    found++
  }
}

/** Files that a person could edit. */
function* textsIn(dir: string): Generator<{ file: string; before: string }> {
  for (const file of filesIn(dir)) {
    const before = fs.readFileSync(file, 'utf8')
    const lines = before.split('\n')
    if (lines.length < 40 || lines.length > 1500 || lines.some((line) => line.length > 300)) continue
    if (before.includes('\ufffd') || before.includes('\0') || before.includes('\r')) continue
    yield { file, before }
  }
}

function* filesIn(dir: string): Generator<string> {
  for (const entry of fs.readdirSync(dir, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const at = path.join(dir, entry.name)
    if (entry.isDirectory() && !entry.name.startsWith('.')) yield* filesIn(at)
    else if (entry.isFile() && written.test(entry.name)) yield at
  }
}

const written =
  /(?<!\.min)\.(?:[cm]?js|d\.ts|py|css|md|go|rs|rb|php|sh|pl|[ch]|java|kt|swift|sql|ya?ml|toml|html)$|^Makefile$/

/** A path that no policy has anything to say about. */
const shortened = (name: string): string => `lib/${path.basename(name).replace(/[^\w.-]/g, '_')}`
