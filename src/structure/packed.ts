import fs from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync } from 'node:zlib'

/**
 * A grammar, or `tree-sitter` for the program that runs them. The build compressed it next to the bundle or next to the
 * directory of its chunks; from source it comes from the package that has it.
 */
export function grammarFile(name: string): Buffer {
  for (const base of ['./', '../']) {
    const file = fileURLToPath(new URL(`${base}grammars/${name}.wasm.br`, import.meta.url))
    if (fs.existsSync(file)) return brotliDecompressSync(fs.readFileSync(file))
  }
  const { resolve } = createRequire(import.meta.url)
  return fs.readFileSync(
    name === 'tree-sitter'
      ? resolve('web-tree-sitter/web-tree-sitter.wasm')
      : resolve('tree-sitter-wasm/manifest.json').replace(/manifest\.json$/, `out/${name}/tree-sitter-${name}.wasm`),
  )
}
