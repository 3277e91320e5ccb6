import fs from 'node:fs'
import path from 'node:path'
import type { Command } from '../command.ts'
import { print } from '../streams.ts'

/** Set by the build: the version of package.json, and the commit. */
declare const CLADA_VERSION: string
declare const CLADA_COMMIT: string

export const command: Command = {
  name: 'version',
  group: 'set-up',
  usage: 'clada version',
  summary: 'show the version, and the commit that it was built from',
  words: [],
  flags: ['help'],
  examples: [['clada version', 'for a bug report; -v and --version do the same']],
  run: async () => {
    print(`clada ${ownVersion()}${CLADA_COMMIT === '' ? '' : ` (commit ${CLADA_COMMIT})`}`)
    return 0
  },
}

/** The path of a file of the package; the program is in its `dist/`. */
export const packageFile = (name: string): string =>
  path.join(path.dirname(fs.realpathSync(process.argv[1] ?? '.')), '..', name)

export const ownVersion = (): string => CLADA_VERSION
