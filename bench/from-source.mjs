import fs from 'node:fs'
import { build } from 'esbuild'

/** What the package does not export, bundled for the occasion: `contents` says what, with paths from `src/`. */
export async function fromSource(contents) {
  const base = new URL('../', import.meta.url).pathname
  const dir = fs.mkdtempSync(`${base}node_modules/.clada-bench-`)
  process.on('exit', () => fs.rmSync(dir, { recursive: true, force: true }))
  const outfile = `${dir}/parts.mjs`
  await build({
    stdin: { contents, resolveDir: `${base}src`, loader: 'ts' },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    logLevel: 'error',
  })
  return import(outfile)
}
