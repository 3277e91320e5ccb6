// Prints what becomes of every form in which models write edits, in every case of test/replies; ends with 1 when one is
// dropped without a word. With --splits, runs each through a stream in two parts for every place to split it; ends with 1
// when a result differs.
//
//   npm run replies -- [--docs | --splits]
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
  const { splits, table } = await import(pathToFileURL(outfile).href)
  const {
    text,
    dropped,
    differ = 0,
  } = process.argv.includes('--splits') ? { dropped: 0, ...(await splits()) } : await table()
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
  process.exitCode = dropped + differ === 0 ? 0 : 1
} finally {
  fs.rmSync(outfile, { force: true })
}
