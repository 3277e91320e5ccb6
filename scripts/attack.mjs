// Attacks the built program with everything we know, and prints the results.
//
//   npm run attack [ID…]
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')
execFileSync(process.execPath, [path.join(root, 'scripts/build.mjs')], { stdio: ['ignore', 2, 2] })

// Where packages are found; the data it reads stays beside its sources.
const bundle = path.join(root, 'node_modules/.cache', `clada-attack-${process.pid}.mjs`)
try {
  await build({
    absWorkingDir: root,
    entryPoints: ['test/attacks/report.ts'],
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    define: { 'import.meta.dirname': JSON.stringify(path.join(root, 'test/attacks')) },
    outfile: bundle,
    logLevel: 'warning',
  })
  const { attackAll } = await import(pathToFileURL(bundle).href)
  process.exitCode = await attackAll(path.join(root, 'dist/cli.cjs'), process.argv.slice(2))
} finally {
  fs.rmSync(bundle, { force: true })
}
