// Writes the generated pages, or with --check says which are out of date.
//
//   node scripts/gen.mjs [--check]
//
// The generator is TypeScript and reads the action definitions, so it is bundled before it runs. The bundle is below
// node_modules, where the packages it leaves out are found from.
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')
const cache = path.join(root, 'node_modules', '.cache')
fs.mkdirSync(cache, { recursive: true })
const dir = fs.mkdtempSync(path.join(cache, 'clada-gen-'))
try {
  const outfile = path.join(dir, 'gen.mjs')
  await build({
    entryPoints: [path.join(root, 'scripts/gen.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
  })
  const { generate } = await import(pathToFileURL(outfile).href)
  process.exitCode = generate(root, process.argv.includes('--check') ? 'check' : 'write')
} finally {
  fs.rmSync(dir, { recursive: true, force: true })
}
