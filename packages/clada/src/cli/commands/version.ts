import type { Command } from '../command.ts'
import { print } from '../streams.ts'

/** Set by the build: the version of package.json, and the commit. */
declare const CLADA_VERSION: string
declare const CLADA_COMMIT: string

export const command: Command = {
  name: 'version',
  group: 'set-up',
  usage: 'clada version',
  summary: 'show the version, the commit and the runtime',
  words: [],
  flags: ['help'],
  examples: [['clada version', 'for a bug report; -v and --version do the same']],
  run: async () => {
    const commit = CLADA_COMMIT === '' ? '' : `commit ${CLADA_COMMIT}, `
    const { bun } = process.versions
    print(`clada ${ownVersion()} (${commit}${bun === undefined ? `Node ${process.version.slice(1)}` : `Bun ${bun}`})`)
    return 0
  },
}

export const ownVersion = (): string => CLADA_VERSION
