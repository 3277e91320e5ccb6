// Prints what becomes of every form in which models write edits, in every case of test/replies; ends with 1 when one is
// dropped without a word.
//
//   npm run replies -- [--docs]
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')
const cache = path.join(root, 'node_modules', '.cache')
fs.mkdirSync(cache, { recursive: true })
const outfile = path.join(cache, `clada-replies-${process.pid}.mjs`)
try {
  const entryPoints = [path.join(root, 'test/replies/table.ts')]
  await build({ entryPoints, outfile, bundle: true, format: 'esm', platform: 'node', packages: 'external' })
  const { text, dropped } = await (await import(pathToFileURL(outfile).href)).table()
  process.stdout.write(`${text}\n`)
  if (process.argv.includes('--docs')) {
    const page = path.join(root, 'docs/replies.md')
    const written = fs.readFileSync(page, 'utf8')
    const shown = written.replace(
      /(<!-- table -->\n)[^]*?(<!-- \/table -->)/,
      (_, open, close) => `${open}${text}\n${close}`,
    )
    fs.writeFileSync(page, shown)
  }
  process.exitCode = dropped === 0 ? 0 : 1
} finally {
  fs.rmSync(outfile, { force: true })
}
