import fs from 'node:fs'
import path from 'node:path'
import type { Command } from './command.ts'
import { UsageError } from './flags.ts'
import { print } from './print.ts'

export const command: Command = async ({ words }) => {
  if (words.length > 0) throw new UsageError('version takes no words.')
  print(`clada ${ownVersion()}`)
  return 0
}

/** Where a file of the package is. The program lies in `dist/` of it. */
export const packageFile = (name: string): string =>
  path.join(path.dirname(fs.realpathSync(process.argv[1] ?? '.')), '..', name)

export function ownVersion(): string {
  const found: unknown = JSON.parse(fs.readFileSync(packageFile('package.json'), 'utf8'))
  return typeof found === 'object' && found !== null && 'version' in found ? String(found.version) : 'unknown'
}
