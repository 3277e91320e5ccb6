// Builds what the package holds: the command line and the library, which share their code, the page, the grammars, and the
// declarations of the public names.
//
//   node scripts/build.mjs [--out DIR] [--small] [--with-pages]
//
// With --small the grammars are compressed as far as they go, which takes a minute. With --with-pages the README, the licence
// and the docs are copied beside the package's manifest, where `npm pack` takes them. What is a development dependency is
// taken in, with its licence (`bundled.mjs`).
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildCommandLine } from './command-line.mjs'
import { packGrammars } from './grammars.mjs'
import { buildPage } from './ui.mjs'

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')
const at = process.argv.indexOf('--out')
const dist = at === -1 ? path.join(root, 'packages/clada/dist') : path.resolve(process.argv[at + 1] ?? 'dist')

fs.rmSync(dist, { recursive: true, force: true })
// First, because the build of the command line tries out small commands.
packGrammars(path.join(dist, 'grammars'), process.argv.includes('--small') ? 11 : 5)
await buildCommandLine(dist)
await buildPage(path.join(dist, 'ui'))
declare(path.join(dist, 'types'))
if (process.argv.includes('--with-pages')) {
  for (const page of ['README.md', 'LICENSE', 'CHANGELOG.md', 'CONTRIBUTING.md', 'docs'])
    fs.cpSync(path.join(root, page), path.join(root, 'packages/clada', page), { recursive: true })
}

function declare(types) {
  const tsc = path.join(root, 'node_modules/typescript/bin/tsc')
  execFileSync(process.execPath, [tsc, '-p', path.join(root, 'tsconfig.build.json'), '--outDir', types], {
    stdio: ['ignore', 2, 2],
  })
  const needed = new Set()
  // tsc lays out both packages below the output; the entries of the library come first.
  keep('clada/src/index.d.ts')
  keep('clada/src/compat/index.d.ts')
  for (const file of fs.readdirSync(types, { recursive: true, withFileTypes: true })) {
    const full = path.join(file.parentPath, file.name)
    if (file.isFile() && !needed.has(full)) fs.rmSync(full)
  }
  removeEmptyDirs(types)

  /** tsc leaves `.ts` in the imports of declarations, where only `.js` is sure to lead to a `.d.ts`. */
  function keep(name) {
    const full = path.join(types, name)
    if (needed.has(full)) return
    needed.add(full)
    const found = []
    const text = fs
      .readFileSync(full, 'utf8')
      .replace(/(?<=(?:from |import\()['"])@clada\/reply\/(?=[^'"]*['"])/g, () => {
        const to = path.posix.relative(path.posix.dirname(name), 'reply/src')
        return `${to}/`
      })
      .replace(/((?:from |import\()['"])(\.[^'"]*)\.ts(?=['"])/g, (_, lead, to) => {
        found.push(to)
        return `${lead}${to}.js`
      })
    fs.writeFileSync(full, text)
    for (const to of found) keep(path.join(path.dirname(name), `${to}.d.ts`))
  }
}

function removeEmptyDirs(dir) {
  for (const entry of fs.readdirSync(dir, { withFileTypes: true })) {
    if (entry.isDirectory()) removeEmptyDirs(path.join(dir, entry.name))
  }
  if (fs.readdirSync(dir).length === 0) fs.rmdirSync(dir)
}
