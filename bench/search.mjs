import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { rgPath } from '@vscode/ripgrep'
import { Clada } from '../packages/clada/dist/index.js'
import { median, scratch, timed } from './measure.mjs'

/** Searching a large tree from a running process, against the binary itself on the same tree. */
export async function againstRipgrep() {
  const root = path.join(scratch, 'search')
  for (let i = 0; i < 20_000; i++) {
    const dir = path.join(root, `package-${i % 100}`, `part-${i % 7}`)
    fs.mkdirSync(dir, { recursive: true })
    const lines = Array.from({ length: 60 }, (_, line) => `function helper_${i}_${line}() { return ${line} }`)
    if (i % 100 === 0) lines.push('// the needle in this haystack')
    fs.writeFileSync(path.join(dir, `file-${i}.ts`), lines.join('\n'))
  }
  const clada = new Clada({ repoPath: root, gitCommit: false })
  const ours = []
  const peer = []
  for (let round = 0; round < 15; round++) {
    const begun = performance.now()
    const { results } = await clada.perform('grep', { pattern: 'needle in this', path: '.' })
    ours.push(performance.now() - begun)
    if (results[0]?.data?.length !== 200) throw new Error('grep did not find what is there')
    peer.push(timed(() => spawnSync(rgPath, ['-n', '--hidden', '-F', 'needle in this', './'], { cwd: root })))
  }
  return { ours: median(ours), peer: median(peer), ratio: median(ours) / median(peer) }
}
