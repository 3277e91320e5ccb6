import fs from 'node:fs'
import { print } from './print.ts'

export function printVersion(): number {
  // Beside the bundle in a package, above the sources in a checkout.
  const file = ['../package.json', '../../package.json']
    .map((at) => new URL(at, import.meta.url))
    .find((at) => fs.existsSync(at))
  const found: unknown = file === undefined ? {} : JSON.parse(fs.readFileSync(file, 'utf8'))
  const version = typeof found === 'object' && found !== null && 'version' in found ? String(found.version) : 'unknown'
  print(`clada ${version}`)
  return 0
}
