// Records what commands do to the disk, rebuilds every disk that a power cut may leave, and tries to go on from there.
// Writes the table into docs/reliability.md unless scenarios are named.
//
//   npm run powercut [NAME…]
import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { installDependencies, run } from './setup.mjs'

const home = path.resolve(import.meta.dirname, '..')
installDependencies()
run(process.execPath, ['scripts/build.mjs'])
const bundle = path.join(home, 'node_modules/.cache', `clada-powercut-${process.pid}.mjs`)
try {
  await build({
    absWorkingDir: home,
    entryPoints: ['test/powercut/report.ts'],
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    define: { 'import.meta.dirname': JSON.stringify(path.join(home, 'test/powercut')) },
    outfile: bundle,
    logLevel: 'warning',
  })
  const { report } = await import(pathToFileURL(bundle).href)
  const only = process.argv.slice(2)
  const table = await report(path.join(home, 'dist/cli.cjs'), only, (line) => console.log(line))
  if (only.length === 0) writeTable(table)
} finally {
  fs.rmSync(bundle, { force: true })
}

function writeTable(table) {
  const page = path.join(home, 'docs/reliability.md')
  const text = fs.readFileSync(page, 'utf8')
  const section = /(<!-- powercut -->\n)[^]*?(\n<!-- end of powercut -->)/
  fs.writeFileSync(
    page,
    text.replace(section, (_, open, close) => open + table + close),
  )
}
