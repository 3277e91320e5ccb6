// Replays the recorded replies of test/models and prints the tokens of each task: prompt, replies, reports.
//
//   npm run loop-bench -- [--task NAME]      with a name, its reports too
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')
const args = process.argv.slice(2)
const only = args.includes('--task') ? args[args.indexOf('--task') + 1] : undefined
const cache = path.join(root, 'node_modules', '.cache')
fs.mkdirSync(cache, { recursive: true })
const dir = fs.mkdtempSync(path.join(cache, 'clada-loop-'))
try {
  const outfile = path.join(dir, 'loop-bench.mjs')
  const entryPoints = [path.join(root, 'scripts/loop-bench.ts')]
  await build({ entryPoints, outfile, bundle: true, format: 'esm', platform: 'node', packages: 'external' })
  const { loopBench } = await import(pathToFileURL(outfile).href)
  process.stdout.write(`${await loopBench(root, only, (report) => process.stdout.write(`${report}\n\n`))}\n`)
} finally {
  fs.rmSync(dir, { recursive: true, force: true })
}
