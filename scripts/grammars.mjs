// Puts the grammars of structure editing into the package.
//
//   node scripts/grammars.mjs [--out DIR]     copy them, by default to dist/grammars
//   node scripts/grammars.mjs --write         write the checksums of scripts/grammars.json anew
//
// The grammars come from the development dependency `tree-sitter-wasm`; nothing binary is in git. What is copied must
// have the checksum that was looked at when the list was written.
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')
const list = path.join(root, 'scripts/grammars.json')
const source = path.dirname(fileURLToPath(import.meta.resolve('tree-sitter-wasm/manifest.json')))
const from = (name) => path.join(source, 'out', name, `tree-sitter-${name}.wasm`)
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex')

/** Copies every grammar of the list, or throws when one is not what it was. */
export function copyGrammars(out) {
  fs.mkdirSync(out, { recursive: true })
  for (const [name, expected] of Object.entries(JSON.parse(fs.readFileSync(list, 'utf8')))) {
    const bytes = fs.readFileSync(from(name))
    const actual = sha256(bytes)
    if (actual !== expected) throw new Error(`the grammar ${name} has the checksum ${actual}, not ${expected}`)
    fs.writeFileSync(path.join(out, `${name}.wasm`), bytes)
  }
}

function writeList() {
  const names = Object.keys(JSON.parse(fs.readFileSync(list, 'utf8'))).sort()
  const sums = Object.fromEntries(names.map((name) => [name, sha256(fs.readFileSync(from(name)))]))
  fs.writeFileSync(list, `${JSON.stringify(sums, null, 2)}\n`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const at = process.argv.indexOf('--out')
  if (process.argv.includes('--write')) writeList()
  else copyGrammars(at === -1 ? path.join(root, 'dist/grammars') : path.resolve(process.argv[at + 1]))
}
