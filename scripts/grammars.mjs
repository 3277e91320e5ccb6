// Puts the grammars of structure editing into the package.
//
//   node scripts/grammars.mjs --write         write the checksums of scripts/grammars.json anew
//
// The grammars come from the development dependency `tree-sitter-wasm`; nothing binary is in git. What is packed must
// have the checksum that was looked at when the list was written.
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants } from 'node:zlib'

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')
const list = path.join(root, 'scripts/grammars.json')
const source = path.dirname(fileURLToPath(import.meta.resolve('tree-sitter-wasm/manifest.json')))
const from = (name) => path.join(source, 'out', name, `tree-sitter-${name}.wasm`)
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex')

/** Compresses every grammar of the list, and the program that runs them, or throws when a grammar is not what it was. */
export function packGrammars(out, quality) {
  fs.mkdirSync(out, { recursive: true })
  for (const [name, expected] of Object.entries(JSON.parse(fs.readFileSync(list, 'utf8')))) {
    const bytes = fs.readFileSync(from(name))
    const actual = sha256(bytes)
    if (actual !== expected) throw new Error(`the grammar ${name} has the checksum ${actual}, not ${expected}`)
    fs.writeFileSync(path.join(out, `${name}.wasm.br`), compressed(bytes, quality))
  }
  const runtime = fileURLToPath(import.meta.resolve('web-tree-sitter/web-tree-sitter.wasm'))
  fs.writeFileSync(path.join(out, 'tree-sitter.wasm.br'), compressed(fs.readFileSync(runtime), quality))
}

const compressed = (bytes, quality) =>
  brotliCompressSync(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: quality,
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  })

function writeList() {
  const names = Object.keys(JSON.parse(fs.readFileSync(list, 'utf8'))).sort()
  const sums = Object.fromEntries(names.map((name) => [name, sha256(fs.readFileSync(from(name)))]))
  fs.writeFileSync(list, `${JSON.stringify(sums, null, 2)}\n`)
}

if (process.argv[1] === fileURLToPath(import.meta.url) && process.argv.includes('--write')) writeList()
