import fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync } from 'node:zlib'

/**
 * A file that the build compressed: next to the bundle, or next to the directory of its chunks. Undefined when clada runs
 * from its source. The standalone program replaces this module by one that reads from the program itself.
 */
export function packedFile(name: string): Buffer | undefined {
  for (const base of ['./', '../']) {
    const file = fileURLToPath(new URL(`${base}${name}.br`, import.meta.url))
    if (fs.existsSync(file)) return brotliDecompressSync(fs.readFileSync(file))
  }
  return undefined
}
