import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

export const cli = new URL('../packages/clada/dist/cli.cjs', import.meta.url).pathname
export const page = new URL('../docs/benchmarks.md', import.meta.url)
export const scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'clada-bench-')))
process.on('exit', () => fs.rmSync(scratch, { recursive: true, force: true }))

export const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1]

/** Runs two things turn about, so that whatever else the machine does hits both, and compares their medians. */
export function compare(rounds, first, second) {
  const times = [[], []]
  for (let round = 0; round < rounds; round++) {
    for (const [index, work] of [first, second].entries()) times[index].push(work())
  }
  const [a, b] = times.map(median)
  return { ours: a, peer: b, ratio: a / b }
}

/** Milliseconds that a piece of work takes. */
export function timed(work) {
  const begun = performance.now()
  work()
  return performance.now() - begun
}

/** Milliseconds of processor time that a piece of work takes in this process. */
export function cpuTimed(work) {
  const begun = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(begun)
  return (user + system) / 1000
}

/** Writes a section of the page with the figures, in place of the one with the same heading. */
export function putSection(section) {
  const [heading] = section.split('\n')
  const text = fs.readFileSync(page, 'utf8')
  const at = text.indexOf(`${heading}\n`)
  const end = at === -1 ? text.length : text.indexOf('\n## ', at) + 1 || text.length
  const before = text.slice(0, at === -1 ? text.length : at)
  fs.writeFileSync(
    page,
    [before, section, text.slice(end)]
      .map((part) => part.trim())
      .filter(Boolean)
      .join('\n\n') + '\n',
  )
}

/** Milliseconds from start to end of a process. */
export function spawned(program, args, options = {}) {
  let status
  const took = timed(() => {
    // Reading certificates would take as long as the rest of a start.
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: '' }
    const result = spawnSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'], env, ...options })
    status = result.status
    if (status !== 0)
      throw new Error(`${program} ${args.join(' ').slice(0, 100)} ended with ${status}: ${result.stderr}`)
  })
  return took
}
