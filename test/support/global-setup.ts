import fs from 'node:fs'
import path from 'node:path'
import { build } from 'esbuild'
import type { TestProject } from 'vitest/node'
import { external, withoutUnused } from '../../scripts/bundled.mjs'
import { buildPage } from '../../scripts/ui.mjs'

/** Builds the command line once for all tests that start it, inside the project so that it finds its dependencies. */
export default async function setup(project: TestProject): Promise<() => void> {
  const dir = fs.mkdtempSync(path.join(import.meta.dirname, '../../node_modules/.clada-test-'))
  const cli = path.join(dir, 'dist', 'cli.cjs')
  // A command line that cannot be built fails the tests that start it, and no others.
  await build({
    entryPoints: [path.join(import.meta.dirname, '../../src/cli/main.ts')],
    outfile: cli,
    bundle: true,
    format: 'cjs',
    define: { 'import.meta.url': '__cladaUrl' },
    banner: { js: 'const __cladaUrl = require("node:url").pathToFileURL(__filename).href' },
    platform: 'node',
    target: 'node20.19',
    external,
    plugins: [withoutUnused],
    logLevel: 'error',
  }).catch(() => undefined)
  await buildPage(path.join(dir, 'dist', 'ui')).catch(() => undefined)
  fs.writeFileSync(path.join(dir, 'package.json'), JSON.stringify({ version: '0.0.0-test' }))
  project.provide('cli', cli)
  return () => fs.rmSync(dir, { recursive: true, force: true })
}

declare module 'vitest' {
  export interface ProvidedContext {
    /** The built command line. */
    cli: string
  }
}
