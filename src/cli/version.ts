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

export function ownVersion(): string {
  // The program lies in `dist/` of the package.
  const file = path.join(path.dirname(fs.realpathSync(process.argv[1] ?? '.')), '..', 'package.json')
  const found: unknown = JSON.parse(fs.readFileSync(file, 'utf8'))
  return typeof found === 'object' && found !== null && 'version' in found ? String(found.version) : 'unknown'
}
