// Builds the page into one directory: scripts, styles, and the licences of everything that is in them.
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')

export async function buildPage(dir) {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { main: 'ui/main.tsx' },
    outdir: dir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: ['chrome123', 'firefox121', 'safari17.5'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    chunkNames: '[name]-[hash]',
    minify: true,
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
  })
  for (const name of ['index.html', 'icon.svg']) fs.copyFileSync(path.join(root, 'ui', name), path.join(dir, name))
  fs.writeFileSync(path.join(dir, 'THIRD-PARTY.txt'), licences(Object.keys(metafile.inputs)))
}

/** The texts of all packages that a bundle is made of. */
function licences(inputs) {
  const packages = new Set(inputs.flatMap((file) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.slice(1) ?? []))
  const texts = [...packages].sort().map((name) => {
    const home = path.join(root, 'node_modules', name)
    const { version, license } = JSON.parse(fs.readFileSync(path.join(home, 'package.json'), 'utf8'))
    const file = fs.readdirSync(home).find((one) => /^licen[cs]e/i.test(one))
    if (file === undefined) throw new Error(`${name} has no licence text, so it cannot be bundled.`)
    return `${name} ${version} (${license})\n\n${fs.readFileSync(path.join(home, file), 'utf8').trim()}\n`
  })
  return `The page of clada holds code of these packages.\n\n${texts.join(`\n${'-'.repeat(80)}\n\n`)}`
}
