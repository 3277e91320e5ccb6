// Names a build by what is in it. The start file keys V8's code by that name: V8 itself compares no more of a source
// than its length, and every file of a package that npm unpacked has the same time.
//
//   node scripts/stamp.mjs DIST
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const own = fileURLToPath(import.meta.url)
const source = path.resolve(path.dirname(own), '../src/cli/start.cjs')

if (process.argv[1] === own) writeStart(path.resolve(process.argv[2] ?? 'dist'))

/** Writes the start file of the command line beside the chunks in `dist/cli`, with their name in it. */
export function writeStart(dist) {
  const start = path.join(dist, 'cli.cjs')
  fs.writeFileSync(start, fs.readFileSync(source, 'utf8').replace(/(?<=^const BUILD = ')\w+(?='$)/m, nameOf(dist)))
  fs.chmodSync(start, 0o755)
}

function nameOf(dist) {
  const dir = path.join(dist, 'cli')
  const hash = createHash('sha256')
  for (const name of fs.readdirSync(dir).sort()) {
    hash.update(`${name}\0`)
    hash.update(
      createHash('sha256')
        .update(fs.readFileSync(path.join(dir, name)))
        .digest(),
    )
  }
  return hash.digest('hex').slice(0, 16)
}
