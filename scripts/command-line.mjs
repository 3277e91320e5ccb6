// Builds the command line and the library, which share their code: esbuild splits it where it is imported dynamically.
// The files are CommonJS, whose compiled code the start file can keep (packages/clada/src/cli/start.cjs); Node 20 keeps none of modules.
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { build, transform } from 'esbuild'
import { adapted, external, licencesIn } from './bundled.mjs'

const root = path.resolve(import.meta.dirname, '..')
/** The entries of the library, by the names of their files. */
const library = { index: 'packages/clada/src/index.ts', compat: 'packages/clada/src/compat/index.ts' }

/** Writes `cli.cjs`, `cli/`, the library in `index` and `compat`, each `.js` and `.cjs`, and the licences of what is in it into `dist`. */
export async function buildCommandLine(dist) {
  const main = 'packages/clada/src/cli/main.ts'
  const metafile = await writeParts(path.join(dist, 'cli'), { entries: { main, ...library }, external })

  for (const [name, entry] of Object.entries(library)) {
    const { file, names } = partOf(metafile, entry)
    fs.writeFileSync(path.join(dist, `${name}.cjs`), `module.exports = require('./cli/${file}')\n`)
    fs.writeFileSync(
      path.join(dist, `${name}.js`),
      `import library from './${name}.cjs'\n\nexport const { ${names.join(', ')} } = library\n`,
    )
  }
  const [, hash] = /-(\w+)\.cjs$/.exec(partOf(metafile, main).file)
  const start = fs
    .readFileSync(path.join(root, 'packages/clada/src/cli/start.cjs'), 'utf8')
    .replace("'unbuilt'", `'${hash}'`)
  fs.writeFileSync(path.join(dist, 'cli.cjs'), start, { mode: 0o755 })
  writeLicences(dist, metafile.inputs)
}

/**
 * Writes the program in parts that are loaded when they are used, and returns esbuild's account of them. `self` is an expression
 * for the path of a part.
 */
export async function writeParts(dir, { entries, external, self = '__filename' }) {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: entries,
    outdir: dir,
    outExtension: { '.js': '.cjs' },
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    define: defined(),
    external,
    plugins: [adapted],
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
    write: false,
  })
  fs.mkdirSync(dir, { recursive: true })
  for (const { path: file, text } of outputFiles) fs.writeFileSync(file, await asCommonJs(text, self))
  return metafile
}

/** The part of an entry: its file, and the names that it exports. */
export function partOf({ outputs }, entry) {
  const [file, { exports: names }] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === entry)
  return { file: path.basename(file), names }
}

/** A module of a bundle as Node loads it without a promise. What it imports is loaded when it is first used. */
export async function asCommonJs(text, self = '__filename') {
  const { code } = await transform(text, {
    format: 'cjs',
    platform: 'node',
    target: 'node20.19',
    // Becomes `require`: the chunks are files of this build.
    supported: { 'dynamic-import': false },
    define: { 'import.meta.url': 'cladaFileUrl' },
    minifyWhitespace: true,
    minifySyntax: true,
  })
  const own = loadedWhenUsed(exportedOnce(asAscii(code)))
  return own.includes('cladaFileUrl')
    ? `const cladaFileUrl=require("node:url").pathToFileURL(${self}).href;${own}`
    : own
}

/** esbuild leaves characters in patterns as they are, and one beyond Latin-1 doubles the memory of all the text. */
const asAscii = (code) =>
  code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** One object with getters: esbuild makes two or three, and defines every name in each of them when a chunk is loaded. */
function exportedOnce(code) {
  const getter = (pair) => pair.replace(/^(.*?):\(\)=>(.*)$/, 'get $1(){return $2}')
  return code
    .replace(
      /var (\w+)=\{\};__export\(\1,\{([^{}]*)\}\);module\.exports=__toCommonJS\(\1\);/,
      (_, name, pairs) => `module.exports={__esModule:!0,${pairs.split(',').map(getter).join(',')}};`,
    )
    .replace(/__toESM\((require\("\.\/[^"]+"\))\)/g, '$1')
}

/** Modules do nothing when they are loaded, so it does not matter when that is. Most of them are not needed by most commands. */
function loadedWhenUsed(code) {
  // esbuild copies all of a module of Node in each chunk, to add `default`.
  const plain = code
    .replace(/__toESM\((require\("node:[^"]+"\))(?:,1)?\)/g, '$1')
    .replace(/\b(import_node_\w+)\.default\b/g, '$1')
  const imported = /\b(import_\w+)=(__toESM\(require\("[^"]+"\)(?:,1)?\)|require\("[^"]+"\))/g
  const loads = new Map([...plain.matchAll(imported)].map(([, name, load]) => [name, load]))
  const lazy = plain.replace(imported, (_, name, load) => `${name}_,${name}$=()=>${name}_??=${load}`)
  return lazy.replace(/(\bnew )?\b(import_\w+)\b(?!\$)/g, (all, made, name) =>
    !loads.has(name) ? all : made ? `new(${name}$())` : `${name}$()`,
  )
}

function writeLicences(dist, inputs) {
  const taken = { ...inputs, 'node_modules/tree-sitter-wasm/manifest.json': {} }
  const grammars =
    'Each grammar in dist/grammars is compiled by tree-sitter-wasm from the repository tree-sitter-NAME of its authors, under the MIT license too.'
  fs.writeFileSync(
    path.join(dist, 'THIRD-PARTY.txt'),
    `${licencesIn(taken, 'dist/cli and dist/grammars')}\n${grammars}\n`,
  )
}

/** The version, and the commit with a mark if files differ from it; no commit if this is not a repository. */
export function defined() {
  const { version } = JSON.parse(fs.readFileSync(path.join(root, 'packages/clada/package.json'), 'utf8'))
  return { CLADA_VERSION: JSON.stringify(version), CLADA_COMMIT: JSON.stringify(describeCommit()) }
}

function describeCommit() {
  if (!fs.existsSync(path.join(root, '.git'))) return ''
  try {
    const args = ['describe', '--always', '--dirty=-changed', '--abbrev=12', '--exclude=*']
    return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return ''
  }
}
