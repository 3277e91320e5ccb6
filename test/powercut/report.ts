import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Model } from './disks.ts'
import { plainGit, scenarios, trial } from './scenarios.ts'

const allModels: readonly Model[] = ['ext4', 'metadata', 'any']

/** Tries the scenarios on `most` disks for each model, and returns the table. */
export async function report(
  cli: string,
  {
    only,
    model: wanted,
    ...sample
  }: { readonly only: readonly string[]; readonly most: number; readonly seed: number; readonly model?: string },
  say: (line: string) => void,
): Promise<string> {
  const base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'clada-powercut-')))
  const models = allModels.filter((model) => wanted === undefined || model === wanted)
  const rows: string[] = []
  const sums = new Map<Model, [number, number]>(models.map((model) => [model, [0, 0]]))
  try {
    for (const scenario of [...scenarios, ...plainGit]) {
      const name = `${scenario.name}${scenario.mode === 'git' ? '' : `, ${scenario.mode}`}`
      if (only.length > 0 && !only.some((one) => name.includes(one))) continue
      const { found } = await trial(scenario, base, cli, models, sample)
      const cells = models.map((model) => {
        const { disks = 0, losses = [] } = found.get(model) ?? {}
        const sum = sums.get(model) ?? [0, 0]
        if (scenario.mode !== 'git') sums.set(model, [sum[0] + losses.length, sum[1] + disks])
        for (const loss of only.length > 0 ? losses : losses.slice(0, 3)) say(`  ${name}, ${model}: ${loss}`)
        return `${losses.length} of ${disks}`
      })
      rows.push(`| ${scenario.mode === 'git' ? `\`${name}\`` : name} | ${cells.join(' | ')} |`)
      say(rows.at(-1) ?? '')
    }
  } finally {
    fs.rmSync(base, { recursive: true, force: true })
  }
  const all = models.map((model) => (sums.get(model) ?? []).join(' of '))
  const own = rows.filter((row) => !row.startsWith('| `git'))
  return [
    '| recorded | ext4 order | metadata order | any order |',
    '|---|---|---|---|',
    ...own,
    `| **clada, together** | ${all.join(' | ')} |`,
    ...rows.filter((row) => row.startsWith('| `git')),
  ].join('\n')
}
