// Builds the command line so that it starts fast.
//
// What small commands use is in a few files (`packs.mjs`), each one scope: a module boundary costs a start some tenths of a
// millisecond, and there are two hundred. What their modules import and they do not use is in a file for each folder, and
// loaded when it is first used. Whatever else a command imports when it is called is split into chunks, which
// get the modules that are in packs from there. All of it is CommonJS without white space, which
// Node starts a third faster than modules, and ASCII, which V8 keeps in half the memory. Function names stay, for stack
// traces, except in chunks that have only code of other packages.
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { isBuiltin } from 'node:module'
import path from 'node:path'
import { build, transform } from 'esbuild'
import { adapted, external, licencesIn } from './bundled.mjs'
import { packs, usedByPack } from './packs.mjs'
import { writeStart } from './stamp.mjs'

const root = path.resolve(import.meta.dirname, '..')
const entry = 'src/cli/main.ts'
const library = 'src/index.ts'

const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  external,
  charset: 'ascii',
  legalComments: 'none',
  logLevel: 'warning',
  write: false,
  metafile: true,
}
const small = {
  define: { 'import.meta.url': '__cladaUrl', ...identity() },
  // What is loaded later is still ours to require.
  supported: { 'dynamic-import': false },
  minifyWhitespace: true,
  minifySyntax: true,
  lineLimit: 160,
}

/** Writes `cli.cjs`, `cli/`, the library in `index.js` and `index.cjs`, and the licences of what is in it into `dist`. */
export async function buildCommandLine(dist) {
  const { metafile } = await build({
    ...common,
    plugins: [adapted],
    entryPoints: [entry, library],
    outdir: dist,
    splitting: true,
    format: 'esm',
  })
  const { inputs, outputs } = metafile
  const later = [...new Set(Object.values(inputs).flatMap(({ imports }) => ours(imports, 'dynamic-import')))]
  const packages = packagesOf(Object.values(inputs).flatMap(({ imports }) => imports.filter(isPackageForLater)))
  const dir = path.join(dist, 'cli')
  const packOf = await placeInPacks(dir, inputs, packages)
  const house = { packOf, names: await exportsOf([...packOf.keys()]) }

  const alone = [library, ...later.filter((module) => !packOf.has(module))]
  const files = new Map(await chunks({ ...entriesOf(alone), ...packages }, house))
  for (const file of new Set(packOf.values())) files.set(file, await packed(file, house))
  for (const module of later.filter((each) => packOf.has(each))) {
    files.set(fileOf(module), `module.exports=require("./${packOf.get(module)}").shared[${JSON.stringify(module)}]()\n`)
  }

  for (const [name, code] of files) fs.writeFileSync(path.join(dir, name), wrapped(code))
  const names = Object.values(outputs).find(({ entryPoint }) => entryPoint === library).exports
  fs.writeFileSync(path.join(dist, 'index.cjs'), `module.exports = require('./cli/index.cjs')\n`)
  fs.writeFileSync(
    path.join(dist, 'index.js'),
    `import library from './index.cjs'\n\nexport const { ${names.join(', ')} } = library\n`,
  )
  const taken = { ...inputs, 'node_modules/tree-sitter-wasm/manifest.json': {} }
  const grammars =
    'Each grammar in dist/grammars is compiled by tree-sitter-wasm from the repository tree-sitter-NAME of its authors, under the MIT license too.'
  fs.writeFileSync(
    path.join(dist, 'THIRD-PARTY.txt'),
    `${licencesIn(taken, 'dist/cli and dist/grammars')}\n${grammars}\n`,
  )
  writeStart(dist)
}

/** The version, and the commit with a mark where files differ from it; no commit where this is not a repository. */
function identity() {
  const { version } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'))
  return { CLADA_VERSION: JSON.stringify(version), CLADA_COMMIT: JSON.stringify(commitOf(root)) }
}

/** The short name of the commit in `dir`, followed by `-changed` where tracked files differ from it. */
export function commitOf(dir) {
  if (!fs.existsSync(path.join(dir, '.git'))) return ''
  try {
    const args = ['describe', '--always', '--dirty=-changed', '--abbrev=12', '--exclude=*']
    return execFileSync('git', args, { cwd: dir, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return ''
  }
}

const isOurs = (module) => module.startsWith('src/')
const ours = (imports, wanted) =>
  imports.filter(({ path: to, kind, external }) => kind === wanted && !external && isOurs(to)).map(({ path: to }) => to)

/** The name of the file by which a module is loaded later. */
const fileOf = (module) => `${module.slice('src/'.length, -'.ts'.length).replaceAll('/', '-')}.cjs`
const entriesOf = (modules) =>
  Object.fromEntries(modules.map((module) => [fileOf(module).slice(0, -'.cjs'.length), module]))

/** Packages that are loaded later get a file each, or they would be part of the pack that names them. */
const isPackageForLater = ({ kind, original, external }) =>
  kind === 'dynamic-import' && !external && isPackage(original)
const isPackage = (name) => /^[@\w]/.test(name) && !isBuiltin(name) && !external.includes(name)
const nameOfPackage = (name) => `package-${name.replace(/\W/g, '-')}`
const packagesOf = (imports) => Object.fromEntries(imports.map(({ original }) => [nameOfPackage(original), original]))

/**
 * Every module in a pack, with that pack's file. What a small command uses is in the pack of that command; what its modules
 * import and it does not use is in a pack with its folder, which is loaded when one of its modules is first used.
 */
async function placeInPacks(dir, inputs, packages) {
  const modules = Object.keys(inputs).filter(isOurs)
  const files = new Map(modules.map((module) => [module, fileOf(module)]))
  fs.mkdirSync(dir, { recursive: true })
  for (const [name, code] of await chunks({ ...entriesOf(modules), ...packages }, { packOf: files }, false))
    fs.writeFileSync(path.join(dir, name), code)
  fs.writeFileSync(path.join(dir, 'start.cjs'), probeStart)
  const used = usedByPack(dir)
  fs.rmSync(dir, { recursive: true })
  fs.mkdirSync(dir)

  const packOf = new Map()
  for (const { file } of packs)
    for (const module of modules)
      if (!packOf.has(module) && used.get(file).has(fileOf(module))) packOf.set(module, file)
  const open = [...packOf.keys()]
  for (const module of open) {
    if (!packOf.has(module)) packOf.set(module, `later-${fileOf(path.posix.dirname(module) + '.ts')}`)
    open.push(...ours(inputs[module].imports, 'import-statement').filter((to) => !packOf.has(to) && !open.includes(to)))
  }
  return packOf
}

const probeStart = `process.on('exit',()=>require('node:fs').writeSync(3,Object.keys(require.cache).join('\\n')))
require('./${fileOf(entry)}').start()
`

/** What each module exports when its types are gone. */
async function exportsOf(modules) {
  const { metafile } = await build({
    ...common,
    bundle: false,
    external: undefined,
    entryPoints: modules,
    outdir: root,
    outbase: root,
    format: 'esm',
  })
  return new Map(Object.values(metafile.outputs).map(({ entryPoint, exports }) => [entryPoint, exports]))
}

/** One file with everything in it that belongs to a pack, and a way in for the others. */
async function packed(file, house) {
  const held = [...house.packOf].filter(([, at]) => at === file).map(([module]) => module)
  const lines = held.flatMap((module, at) => {
    const names = house.names.get(module)
    const list = names.map((name) => `${name} as m${at}_${name}`).join(',')
    return names.length === 0 ? [] : [`import{${list}}from"./${module}"`]
  })
  const shared = held.map((module, at) => {
    const names = house.names.get(module).map((name) => `${name}:m${at}_${name}`)
    return `${JSON.stringify(module)}:()=>({${names.join(',')}})`
  })
  const start = held.includes(entry) ? `export{start}from"./${entry}"` : ''
  const contents = `${start}\n${lines.join('\n')}\nexport const shared={${shared.join(',')}}`
  const { outputFiles } = await build({
    ...common,
    ...small,
    stdin: { contents, resolveDir: root, sourcefile: file },
    outfile: file,
    format: 'cjs',
    plugins: [adapted, throughPacks(file, house), builtinsOnce(held)],
  })
  return finished(outputFiles[0].text)
}

/**
 * Lets a pack require each part of Node once and take from it what its modules name. Left alone, esbuild copies all the
 * names of a part for every module that imports it.
 */
function builtinsOnce(modules) {
  const taken = new Map()
  for (const module of modules) {
    const text = fs.readFileSync(path.join(root, module), 'utf8')
    for (const [, list, part] of text.matchAll(/^import (?:\w+, )?\{([^}]*)\} from '(node:[\w/]+)'$/gm)) {
      const names = list.split(',').map((name) => name.trim().replace(/ as .*/, ''))
      const known = taken.get(part) ?? taken.set(part, new Set()).get(part)
      for (const name of names) if (name !== '' && !name.startsWith('type ')) known.add(name)
    }
  }
  return {
    name: 'builtins-once',
    setup(builder) {
      builder.onResolve({ filter: /^node:/ }, ({ path: part, kind }) =>
        kind === 'import-statement' ? { path: part, namespace: 'builtin' } : { path: part, external: true },
      )
      builder.onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path: part }) => ({
        // Few starts need the first, which loads the whole loader of modules, and not all need the second.
        contents:
          part === 'node:module'
            ? 'export const createRequire=(from)=>require("node:module").createRequire(from)'
            : part === 'node:os'
              ? 'export default new Proxy({},{get:(_,name)=>require("node:os")[name]})'
              : `const part=require("${part}");export default part;export const{${[...(taken.get(part) ?? [])].join(',')}}=part`,
        loader: 'js',
      }))
    },
  }
}

async function chunks(entryPoints, house, splitting = true) {
  const { outputFiles, metafile } = await build({
    ...common,
    entryPoints,
    outdir: path.join(root, 'cli'),
    outExtension: { '.js': '.cjs' },
    chunkNames: 'chunk-[hash]',
    splitting,
    format: 'esm',
    plugins: [adapted, throughPacks(undefined, house)],
  })
  return Promise.all(
    outputFiles.map(async ({ path: file, text }) => {
      const name = path.basename(file)
      const { inputs } = metafile.outputs[inProject(file)]
      const isOthers = Object.keys(inputs).every((input) => input.includes('node_modules/'))
      const { code } = await transform(text, {
        ...small,
        minifyIdentifiers: isOthers,
        charset: 'ascii',
        platform: 'node',
        target: 'node20.19',
        format: 'cjs',
      })
      return [name, finished(name.startsWith('package-') ? `${code}${asRequired}` : code, !splitting)]
    }),
  )
}

/** As esbuild names files, on Windows too. */
const inProject = (file) => path.relative(root, file).split(path.sep).join('/')

/** What a package exports by default is what `require` gives, as the packs expect of any package. */
const asRequired =
  'if(typeof module.exports.default==="function")module.exports=Object.assign(module.exports.default,module.exports)\n'

/**
 * What leads to a module in a pack: an object that stands in for it, loads the pack when something of the module is first
 * used, and has its exports from then on. In the probe every module is a file. The address of the file, where it is needed
 * and not at every start; not by `require`, which in some packages is another one. And only ASCII: esbuild leaves other
 * characters in regular expressions, and the start file reads Latin-1.
 */
function finished(code, isProbe = false) {
  const text = code
    .replace(/require\("(\.\/[\w-]+\.cjs)\?([^"]+)"\)/g, '__later("$1","$2")')
    .replaceAll('__cladaUrl', 'process.getBuiltinModule("node:url").pathToFileURL(__filename).href')
    .replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  if (!text.includes('__later(')) return text
  const exported = isProbe ? 'require(file)' : 'require(file).shared[module]()'
  return [
    'var __places=new Map',
    `__stub=Object.create(new Proxy({},{get(_,name,self){var[file,module]=__places.get(self);return Object.assign(self,${exported})[name]}}))`,
    `__later=(file,module)=>{var self=Object.create(__stub);__places.set(self,[file,module]);return self};${text}`,
  ].join()
}

/**
 * The function that a module is, which the start file calls: to put it together at every start would copy all of the text.
 * Where Node loads the file for the library, it calls itself.
 */
const wrapped = (code) =>
  `(typeof module=="undefined"?f=>f:f=>f(${parameters}))((function(${parameters}){${code}\n}))\n`
const parameters = 'exports,require,module,__filename,__dirname'

/** Leads an import of a module in another pack there, and one for later to the file that will be loaded. */
function throughPacks(file, { packOf, names }) {
  const moduleAt = (resolveDir, to) => inProject(path.resolve(resolveDir, to))
  return {
    name: 'through-packs',
    setup(builder) {
      builder.onResolve({ filter: /^\.{1,2}\/.*\.ts$/ }, ({ path: to, resolveDir, kind }) => {
        if (kind === 'entry-point') return undefined
        const module = moduleAt(resolveDir, to)
        if (kind === 'dynamic-import') return { path: `./${fileOf(module)}`, external: true }
        const at = packOf.get(module)
        if (at === undefined || at === file) return undefined
        // Every start has loaded main.cjs. In a chunk it stays a call of `require` even so: esbuild would make a chunk of each.
        const isLoaded = file !== undefined && at === packs[0].file
        return isLoaded ? { path: module, namespace: 'pack' } : { path: `./${at}?${module}`, external: true }
      })
      builder.onResolve({ filter: /^[@\w]/ }, ({ path: to, kind }) =>
        kind === 'dynamic-import' && isPackage(to) ? { path: `./${nameOfPackage(to)}.cjs`, external: true } : undefined,
      )
      builder.onResolve({ filter: /^\.\/[\w-]+\.cjs$/, namespace: 'pack' }, ({ path: to }) => ({
        path: to,
        external: true,
      }))
      builder.onLoad({ filter: /.*/, namespace: 'pack' }, ({ path: module }) => ({
        contents: `import{shared}from"./${packOf.get(module)}";export const{${names.get(module).join(',')}}=shared[${JSON.stringify(module)}]()`,
        loader: 'js',
      }))
    },
  }
}
