import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { type Attack, attacks } from './attack.ts'
import { carryOut, type Verdict } from './carry-out.ts'
import { Fixture } from './fixture.ts'
import { cloneOf, hostile } from './hostile-commits.ts'
import { treeOf } from './oracle.ts'
import { leaveOrphans } from './orphans.ts'
import { raceWrites } from './race.ts'

/** Runs the attacks through the command line and prints a table. Answers with the exit code. */
export async function attackAll(cli: string, ids: readonly string[]): Promise<number> {
  const chosen = ids.length === 0 ? attacks : attacks.filter(({ id }) => ids.some((wanted) => id.startsWith(wanted)))
  const fixture = await new Fixture().open()
  process.env['XDG_STATE_HOME'] = fixture.state
  const verdicts: [Attack, Verdict][] = []
  try {
    for (const attack of chosen) {
      const verdict = await carryOut(attack, fixture, cli)
      verdicts.push([attack, verdict])
      const mark = verdict.held ? 'held  ' : 'BROKEN'
      console.log(
        `${mark} ${attack.id.padEnd(9)} ${attack.expected.padEnd(9)} ${attack.description.slice(0, 60).padEnd(60)} ${verdict.how.slice(0, 90)}`,
      )
    }
    const broken = verdicts.filter(([, { held }]) => !held).length
    console.log(`\n${summary(verdicts)}\n${chosen.length - broken} of ${chosen.length} held.`)
    if (ids.length > 0) return broken > 0 ? 1 : 0
    const race = await raceWrites(100_000, fixture)
    console.log(
      `Race: ${race.writes} writes against a directory that turns into a link, ${race.landed} landed, ${race.escaped} escaped.`,
    )
    const left = await leaveOrphans(200, fixture)
    console.log(`Orphans: 200 programs stopped at their limit, ${left} processes left.`)
    const commits = goBack(cli, fixture)
    for (const effect of commits.effects) console.log(`BROKEN ${effect}`)
    console.log(`Hostile commits: ${commits.tried} steps back, ${commits.effects.length} with an effect.`)
    const tried = chosen.length + commits.tried
    console.log(`${tried} attacks, ${broken + commits.effects.length} effects.`)
    return broken + commits.effects.length + race.escaped + left > 0 ? 1 : 0
  } finally {
    fixture.close()
  }
}

/** Steps back onto commits that no checkout would accept, by each way of the command line. */
function goBack(cli: string, { fx, state }: Fixture): { tried: number; effects: string[] } {
  const effects: string[] = []
  let tried = 0
  for (const [title, entries] of hostile) {
    for (const words of [['back'], ['do', 'git_step_back']]) {
      const around = fs.mkdtempSync(path.join(fx, 'commit-'))
      const root = cloneOf(entries, around)
      const look = (): string =>
        JSON.stringify([
          treeOf(around, (name) => name === 'clone'),
          treeOf(root, ownNames),
          treeOf(path.join(root, '.git'), gitNames),
        ])
      const before = look()
      const env = { ...process.env, XDG_STATE_HOME: state }
      const { status } = spawnSync(process.execPath, [cli, ...words, '--root', root], { cwd: root, env })
      tried++
      if (status === 0 || look() !== before) effects.push(`${words.join(' ')}: ${title}`)
    }
  }
  return { tried, effects }
}

const ownNames = (name: string): boolean => name === '.git' || name === '.clada'
/** What a look at a repository may change in it. */
const gitNames = (name: string): boolean => ['objects', 'index', 'info', 'logs'].includes(name)

function summary(verdicts: readonly [Attack, Verdict][]): string {
  const groups = new Map<string, boolean[]>()
  for (const [{ id }, { held }] of verdicts) {
    const name = id.replace(/-\d+$/, '')
    groups.set(name, [...(groups.get(name) ?? []), held])
  }
  return [...groups].map(([name, all]) => `${name.padEnd(8)} ${all.filter(Boolean).length} of ${all.length}`).join('\n')
}
