// What it costs to find a structure in a large file, beside parsing it.
//
//   node bench/structures.mjs
import fs from 'node:fs'
import path from 'node:path'
import { fromSource } from './from-source.mjs'
import { median } from './measure.mjs'

const engine = `export { readIn } from './structure/read.ts'
export { grammarFor } from './structure/grammar.ts'
export { languageFor } from './structure/languages.ts'`

const sources = new URL('../src/', import.meta.url).pathname

/** Real code: clada's own, one file after the other. */
function typescript(length) {
  let text = ''
  const names = fs.readdirSync(sources, { recursive: true }).filter((name) => name.endsWith('.ts'))
  for (const name of names.sort()) {
    if (text.length < length) text += `${fs.readFileSync(path.join(sources, name), 'utf8')}\n`
  }
  return text
}

/** Parsing 1 MB of TypeScript and finding a function in it, beside parsing alone. */
export async function parseAndFind(rounds = 15) {
  const { grammarFor, languageFor, readIn } = await fromSource(engine)
  const text = typescript(1_000_000)
  const language = languageFor('large.ts', text)
  const grammar = await grammarFor(language, language.parser)
  const times = { ours: [], peer: [] }
  const timed = async (list, work) => {
    const begun = performance.now()
    await work()
    list.push(performance.now() - begun)
  }
  for (let round = 0; round < rounds; round++) {
    await timed(times.ours, async () => {
      const { matches } = await readIn({ path: 'large.ts', text }, 'decodeOne')
      if (matches.length !== 1) throw new Error('not found')
    })
    await timed(times.peer, () => grammar.parse(text).delete())
  }
  const [ours, peer] = [median(times.ours), median(times.peer)]
  return { ours, peer, ratio: ours / peer }
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  console.log('parse and find', await parseAndFind())
}
