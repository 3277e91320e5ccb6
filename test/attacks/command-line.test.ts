import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { attacks } from './attack.ts'
import { builtCli } from './built-cli.ts'
import { carryOut } from './carry-out.ts'
import { Fixture } from './fixture.ts'

const fixture = new Fixture()
let program: Awaited<ReturnType<typeof builtCli>> | undefined

beforeAll(async () => {
  program = await builtCli()
  await fixture.open()
  process.env['XDG_STATE_HOME'] = fixture.state
}, 60_000)

afterAll(() => {
  process.env['XDG_STATE_HOME'] = inject('state')
  fixture.close()
  program?.remove()
})

/** Every fourteenth of all kinds, and those by config, which only the command line reads. All: `npm run attack`. */
const chosen = attacks.filter(({ id }, index) => index % 14 === 5 || id.startsWith('OWNCFG-'))

describe('attacks through the command line', () => {
  it('are sixty at least', () => expect(chosen.length).toBeGreaterThanOrEqual(60))

  for (const attack of chosen) {
    it(`${attack.id} ${attack.description}`, async () => {
      const { held, how } = await carryOut(attack, fixture, program?.cli)
      expect(held, how).toBe(true)
    })
  }
})
