import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { build } from 'esbuild'

/** The command line as one file, in a place of its own where its packages are found: nobody else's build comes in between. */
export async function builtCli(): Promise<{ cli: string; remove: () => void }> {
  const root = path.join(import.meta.dirname, '../..')
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'clada-cli-'))
  const cli = path.join(dir, 'cli.cjs')
  await build({
    absWorkingDir: root,
    entryPoints: ['src/cli/main.ts'],
    outfile: cli,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    packages: 'external',
    charset: 'utf8',
    logLevel: 'error',
  })
  fs.symlinkSync(path.join(root, 'node_modules'), path.join(dir, 'node_modules'))
  return { cli, remove: () => fs.rmSync(dir, { recursive: true, force: true }) }
}
