// Builds what the package holds: two bundles with shared chunks, the page, and the declarations of the public names.
//
//   node scripts/build.mjs [--out DIR]
//
// The library is an ES module, split into chunks that load when they are needed, and not minified: a stack trace in a
// bug report then names a line that can be looked up.
// What is a development dependency is taken in, with its licence (`bundled.mjs`).
// The command line is split in the same way and then turned into CommonJS, chunk by chunk, without white space: Node
// starts that a third faster than modules. Function names stay, for stack traces.
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, transform } from 'esbuild'
import { external, licencesIn, withoutUnused } from './bundled.mjs'
import { copyGrammars } from './grammars.mjs'
import { writeStart } from './stamp.mjs'
import { buildPage } from './ui.mjs'

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')
const at = process.argv.indexOf('--out')
const dist = at === -1 ? path.join(root, 'dist') : path.resolve(process.argv[at + 1] ?? 'dist')

fs.rmSync(dist, { recursive: true, force: true })
await bundle()
copyGrammars(path.join(dist, 'grammars'))
await buildPage(path.join(dist, 'ui'))
writeStart(dist)
declare(path.join(dist, 'types'))

async function bundle() {
  const common = {
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    external,
    plugins: [withoutUnused],
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'warning',
  }
  await build({
    ...common,
    entryPoints: { index: 'src/index.ts' },
    outdir: dist,
    chunkNames: 'chunks/[name]-[hash]',
    splitting: true,
    format: 'esm',
  })
  const { outputFiles, metafile } = await build({
    ...common,
    metafile: true,
    entryPoints: { 'cli/main': 'src/cli/main.ts' },
    outdir: dist,
    outExtension: { '.js': '.cjs' },
    chunkNames: 'cli/[name]-[hash]',
    splitting: true,
    format: 'esm',
    write: false,
  })
  fs.writeFileSync(path.join(dist, 'THIRD-PARTY.txt'), licencesIn(metafile.inputs, 'dist/cli'))
  const chunks = new Map()
  for (const file of outputFiles) {
    const { code } = await transform(file.text, {
      format: 'cjs',
      platform: 'node',
      target: 'node20.19',
      charset: 'utf8',
      define: { 'import.meta.url': '__cladaUrl' },
      banner: file.text.includes('import.meta')
        ? 'const __cladaUrl=require("node:url").pathToFileURL(__filename).href'
        : '',
      // A chunk that is loaded later is still ours to require.
      supported: { 'dynamic-import': false },
      minifyWhitespace: true,
      minifySyntax: true,
      lineLimit: 160,
    })
    chunks.set(path.basename(file.path), code)
  }
  const dir = path.join(dist, 'cli')
  fs.mkdirSync(dir, { recursive: true })
  for (const [name, code] of packed(chunks, metafile)) fs.writeFileSync(path.join(dir, name), code)
}

/**
 * Every command cuts the code into more chunks, and each costs a start some tenths of a millisecond. So what every start
 * needs goes into one file and what a run needs into another, chunk by chunk as it was. In the place of such a chunk
 * stands a line that gets it from there.
 */
function packed(chunks, { outputs }) {
  const byName = new Map(Object.entries(outputs).map(([file, output]) => [path.basename(file), output]))
  const chunkOf = (source) =>
    [...byName].find(([, { entryPoint }]) => entryPoint === `src/cli/${source}.ts`)?.[0] ?? source
  const atStart = new Set([...neededBy('main.cjs', byName), ...neededBy(chunkOf('version'), byName)])
  const inRun = neededBy(chunkOf('run'), byName).filter((name) => !atStart.has(name))
  const files = new Map(chunks)
  for (const [file, names] of [
    ['main.cjs', [...atStart]],
    ['run-pack.cjs', inRun],
  ]) {
    for (const name of names) files.set(name, `module.exports=require("./${file}").get("./${name}")\n`)
    files.set(file, pack(names, chunks) + (file === 'main.cjs' ? 'get("./main.cjs")\n' : ''))
  }
  return files
}

/** A chunk and everything it imports at once. */
function neededBy(name, byName, found = []) {
  if (found.includes(name)) return found
  found.push(name)
  for (const { path: to, kind, external } of byName.get(name)?.imports ?? []) {
    if (kind === 'import-statement' && !external) neededBy(path.basename(to), byName, found)
  }
  return found
}

function pack(names, chunks) {
  const parts = names.map((name) => `"./${name}"(exports,require,module){${chunks.get(name)}\n}`)
  return [
    `"use strict";const parts={${parts.join(',\n')}},made={__proto__:null};`,
    'function get(id){if(!Object.hasOwn(parts,id))return require(id);',
    'if(made[id]===undefined){const module=made[id]={exports:{}};parts[id](module.exports,get,module)}',
    'return made[id].exports}',
    'exports.get=get;',
  ].join('')
}

function declare(types) {
  const tsc = path.join(root, 'node_modules/typescript/bin/tsc')
  execFileSync(process.execPath, [tsc, '-p', path.join(root, 'tsconfig.build.json'), '--outDir', types], {
    stdio: ['ignore', 2, 2],
  })
  const needed = new Set()
  keep('index.d.ts')
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
