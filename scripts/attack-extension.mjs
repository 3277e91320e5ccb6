// Drives the browser extension in a real browser over pages of every kind, hostile ones included.
//
//   npm run attack:extension [WORD…]     only the cases with one of these words in their names
import { loadSource } from './source.mjs'
import { buildExtension } from './extension.mjs'
import { buildPage } from './ui.mjs'

const { attackExtension } = await loadSource('test/extension/report.ts')
process.exitCode = await attackExtension(process.argv.slice(2), { buildPage, buildExtension })
