// Prints what becomes of every form in which models write edits, in every case of test/replies; ends with 1 when one is
// dropped without a word. With --splits, runs each through a stream in two parts for every place to split it; ends with 1
// when a result differs.
//
//   npm run replies -- [--docs | --splits]
import fs from 'node:fs'
import { loadSource } from './source.mjs'

const { splits, table } = await loadSource('test/replies/table.ts')
const {
  text,
  dropped,
  differ = 0,
} = process.argv.includes('--splits') ? { dropped: 0, ...(await splits()) } : await table()
process.stdout.write(`${text}\n`)
if (process.argv.includes('--docs')) {
  const page = new URL('../docs/replies.md', import.meta.url)
  const written = fs.readFileSync(page, 'utf8')
  const shown = written.replace(
    /(<!-- table -->\n)[^]*?(<!-- \/table -->)/,
    (_, open, close) => `${open}${text}\n${close}`,
  )
  fs.writeFileSync(page, shown)
}
process.exitCode = dropped + differ === 0 ? 0 : 1
