// Writes the generated pages, or with --check says which are out of date.
//
//   node scripts/gen.mjs [--check]
import path from 'node:path'
import { loadSource } from './source.mjs'

const { generate } = await loadSource('scripts/gen.ts')
const root = path.resolve(import.meta.dirname, '..')
process.exitCode = generate(root, process.argv.includes('--check') ? 'check' : 'write')
