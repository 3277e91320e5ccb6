import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { attacks } from './attack.ts'
import { carryOut } from './carry-out.ts'
import { skipWithout } from '../support/needs.ts'
import { Fixture } from './fixture.ts'

const fixture = new Fixture()

beforeAll(async () => {
  await fixture.open()
  process.env['XDG_STATE_HOME'] = fixture.state
})

afterAll(() => {
  process.env['XDG_STATE_HOME'] = inject('state')
  fixture.close()
})

/** Every fourteenth of all kinds, and those by config, which only the command line reads. All: `npm run attack`. */
const chosen = attacks
  .filter(({ id }) => !/^(?:OWNER|TYPED|HIDDEN)-/.test(id)) // Their own tests know which machines can do them.
  .filter(({ id }, index) => index % 14 === 5 || id.startsWith('OWNCFG-'))

describe('attacks through the command line', () => {
  it('are sixty at least', () => expect(chosen.length).toBeGreaterThanOrEqual(60))

  for (const attack of chosen) {
    it(`${attack.id} ${attack.description}`, async (context) => {
      if (attack.approved !== undefined) skipWithout(context, 'sandbox')
      if (attack.action?.type === 'race') skipWithout(context, 'python3')
      const { held, how } = await carryOut(attack, fixture, inject('cli'))
      expect(held, how).toBe(true)
    })
  }
})
