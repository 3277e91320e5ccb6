import fs from 'node:fs'
import path from 'node:path'
import type { Command } from '../command.ts'
import { print } from '../print.ts'

export const command: Command = {
  name: 'version',
  usage: 'clada version',
  summary: 'the version of clada',
  words: [],
  flags: ['help'],
  examples: [['clada version', 'for a report about a mistake; -v and --version say the same']],
  run: async () => {
    print(`clada ${ownVersion()}`)
    return 0
  },
}

/** The path of a file of the package; the program is in its `dist/`. */
export const packageFile = (name: string): string =>
  path.join(path.dirname(fs.realpathSync(process.argv[1] ?? '.')), '..', name)

export function ownVersion(): string {
  const found: unknown = JSON.parse(fs.readFileSync(packageFile('package.json'), 'utf8'))
  return typeof found === 'object' && found !== null && 'version' in found ? String(found.version) : 'unknown'
}
