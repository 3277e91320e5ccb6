// Structures: finding one in a large file, and the map of a project.
import fs from 'node:fs'
import path from 'node:path'
import { loadSource } from '../../scripts/source.mjs'
import { cli, peerFile, scratch, spawned, timed } from '../measure.mjs'

const sources = path.resolve(import.meta.dirname, '../../packages/clada/src')

/** Real code: clada's own, one file after the other. */
function typescript(length) {
  let text = ''
  const names = fs.readdirSync(sources, { recursive: true }).filter((name) => name.endsWith('.ts'))
  for (const name of names.sort())
    if (text.length < length) text += `${fs.readFileSync(path.join(sources, name), 'utf8')}\n`
  return text
}

export const rows = [
  {
    id: 'structures-find',
    what: 'a function found in 1 MB of TypeScript',
    beside: 'parsing it',
    async measure() {
      const { loadGrammar, languageFor, readIn } = await loadSource(
        'packages/clada/src/structure/document.ts',
        'packages/clada/src/structure/grammar.ts',
        'packages/clada/src/structure/languages.ts',
      )
      const text = typescript(1e6)
      const language = languageFor('large.ts', text)
      const grammar = await loadGrammar(language, language.parser)
      return {
        ours: () =>
          timed(async () => {
            const { matches } = await readIn({ path: 'large.ts', text }, 'decodeOne')
            if (matches.length !== 1) throw new Error('decodeOne was not found')
          }),
        peer: () => timed(() => grammar.parse(text).delete()),
      }
    },
  },
  {
    id: 'structures-map',
    what: '`project_map` of this program',
    beside: '`repomix --compress`',
    rounds: 3,
    measure() {
      const root = path.join(scratch, 'map')
      fs.cpSync(sources, root, { recursive: true })
      const repomix = peerFile('repomix@1.14.0', 'repomix/bin/repomix.cjs')
      return {
        ours: () => spawned([process.execPath, cli, 'do', 'project_map', '--no-git', '--root', root]),
        peer: () =>
          spawned([
            process.execPath,
            repomix,
            '--compress',
            '--quiet',
            '--output',
            path.join(scratch, 'map.xml'),
            root,
          ]),
      }
    },
  },
]
