// Builds the page into one directory: scripts, styles, and the licences of everything that is in them.
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { licencesIn } from './bundled.mjs'

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')

export async function buildPage(dir) {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { main: 'packages/page/src/main.tsx' },
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
  for (const name of ['index.html', 'icon.svg'])
    fs.copyFileSync(path.join(root, 'packages/page/src', name), path.join(dir, name))
  fs.writeFileSync(path.join(dir, 'THIRD-PARTY.txt'), licencesIn(metafile.inputs, 'dist/ui'))
}
