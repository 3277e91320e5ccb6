import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const root = path.resolve(import.meta.dirname, '..')

/** Imports TypeScript files of this repository into a script; the result has the exports of all of them. */
export async function loadSource(...files) {
  const cache = path.join(root, 'node_modules/.cache')
  fs.mkdirSync(cache, { recursive: true })
  // Below node_modules, because packages are found from there.
  const dir = fs.mkdtempSync(path.join(cache, 'clada-source-'))
  process.on('exit', () => fs.rmSync(dir, { recursive: true, force: true }))
  const outfile = path.join(dir, 'source.mjs')
  await build({
    stdin: { contents: files.map((file) => `export * from './${file}'`).join('\n'), resolveDir: root, loader: 'ts' },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'warning',
    plugins: [asInSource],
  })
  return import(pathToFileURL(outfile).href)
}

/** Packages stay outside, and a file finds its data where it lies. */
const asInSource = {
  name: 'as-in-source',
  setup(builder) {
    builder.onResolve({ filter: /^[^.]/ }, ({ path: id, kind }) =>
      kind === 'entry-point' || path.isAbsolute(id) || id.startsWith('@clada/')
        ? undefined
        : { path: id, external: true },
    )
    builder.onLoad({ filter: /\.tsx?$/ }, ({ path: file }) => ({
      contents: fs
        .readFileSync(file, 'utf8')
        .replaceAll('import.meta.dirname', () => JSON.stringify(path.dirname(file)))
        .replaceAll('import.meta.url', () => JSON.stringify(pathToFileURL(file).href)),
      loader: file.endsWith('x') ? 'tsx' : 'ts',
    }))
  },
}
