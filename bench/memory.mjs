import fs from 'node:fs'
import path from 'node:path'
import { spawnSync } from 'node:child_process'
import { cli, scratch } from './measure.mjs'

const size = 49 * 1024 * 1024

/** Peak memory over bare node, as a multiple of the document's size. */
export function forDocument(line) {
  const document = path.join(scratch, 'large.md')
  const lines = []
  let bytes = 0
  for (let block = 0; bytes < size; block++) {
    const id = 'm1m'
    const part = [
      `#!SHAM [@three-char-SHA-256: ${id}]`,
      'action = "file_write"',
      `path = "${scratch}/memory/file-${block}.txt"`,
      `content = <<'EOT_SHAM_${id}'`,
    ]
    for (let i = 0; i < 20_000 && bytes < size; i++) {
      part.push(line)
      bytes += Buffer.byteLength(line) + 1
    }
    part.push(`EOT_SHAM_${id}`, `#!END_SHAM_${id}`)
    lines.push(part.join('\n'))
  }
  fs.writeFileSync(document, lines.join('\n'))
  fs.mkdirSync(path.join(scratch, 'memory'), { recursive: true })
  const peak = peakOf([cli, '--no-git', '--root', scratch, '--quiet', document])
  const bare = peakOf(['-e', '0'])
  return { ours: peak, peer: bare, ratio: (peak - bare) / fs.statSync(document).size }
}

function peakOf(args) {
  const hook = path.join(scratch, 'peak.cjs')
  fs.writeFileSync(
    hook,
    "process.on('exit', () => require('fs').writeSync(2, 'PEAK ' + process.resourceUsage().maxRSS + '\\n'))",
  )
  const { stderr, status } = spawnSync(process.execPath, ['--require', hook, ...args], { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return Number(/PEAK (\d+)/.exec(stderr)?.[1]) * 1024
}
