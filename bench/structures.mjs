// What it costs to find a structure in a large file, beside parsing it, and to check the syntax of a first file.
//
//   node bench/structures.mjs
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { loadSource } from '../scripts/source.mjs'
import { cli, median, scratch, timed } from './measure.mjs'

const engine = [
  'packages/clada/src/structure/document.ts',
  'packages/clada/src/structure/grammar.ts',
  'packages/clada/src/structure/languages.ts',
]

const sources = new URL('../packages/clada/src/', import.meta.url).pathname

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
  const { grammarFor, languageFor, readIn } = await loadSource(...engine)
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

/** A small file of each kind of grammar: the smallest, common ones, and the largest. */
const small = {
  'a.json': '{"a": "one"}\n',
  'a.py': 'def f(a):\n    return a + one\n',
  'a.ts': 'export function f(a: number) {\n  return a + one\n}\n',
  'a.go': 'package a\n\nfunc F(a int) int {\n\treturn a + one\n}\n',
  'a.rb': 'def f(a)\n  a + one\nend\n',
  'a.cpp': 'int f(int a) { return a + one; }\n',
  'a.swift': 'func f(a: Int) -> Int { return a + one }\n',
}

/** An edit by a process of its own with the syntax check and without it: the language where the difference is largest. */
export function firstCheck(rounds = 15) {
  const found = Object.entries(small).map(([name, text]) => {
    const [ours, peer] = ['auto', 'off'].map((mode) => {
      const cwd = path.join(scratch, `check-${mode}`)
      fs.mkdirSync(cwd, { recursive: true })
      fs.writeFileSync(path.join(cwd, 'clada.yml'), `report:\n  syntax_check: ${mode}\n`)
      return () => {
        fs.writeFileSync(path.join(cwd, name), text)
        const input = `<---SEARCH file="${name}"--->\none\n<---REPLACE--->\ntwo\n<---END--->\n`
        const { status } = spawnSync(process.execPath, [cli, 'run', '--no-git'], { cwd, input })
        if (status !== 0) throw new Error(`the edit of ${name} failed`)
      }
    })
    const times = Array.from({ length: rounds }, () => [timed(ours), timed(peer)])
    const [checked, plain] = [0, 1].map((at) => median(times.map((pair) => pair[at])))
    return { name, ours: checked, peer: plain, over: checked - plain }
  })
  return found.reduce((worst, one) => (one.over > worst.over ? one : worst))
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  console.log('parse and find', await parseAndFind())
  console.log('first syntax check', firstCheck())
}
