import { type Attack, attacks } from './attack.ts'
import { carryOut, type Verdict } from './carry-out.ts'
import { Fixture } from './fixture.ts'
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
    return broken > 0 || race.escaped > 0 || left > 0 ? 1 : 0
  } finally {
    fixture.close()
  }
}

function summary(verdicts: readonly [Attack, Verdict][]): string {
  const groups = new Map<string, boolean[]>()
  for (const [{ id }, { held }] of verdicts) {
    const name = id.replace(/-\d+$/, '')
    groups.set(name, [...(groups.get(name) ?? []), held])
  }
  return [...groups].map(([name, all]) => `${name.padEnd(8)} ${all.filter(Boolean).length} of ${all.length}`).join('\n')
}
