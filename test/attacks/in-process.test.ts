import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { attacks, needsCommandLine } from './attack.ts'
import { carryOut, hostileEnvironment } from './carry-out.ts'
import { skipWithout } from '../support/needs.ts'
import { Fixture } from './fixture.ts'

const fixture = new Fixture()

beforeAll(async () => {
  await fixture.open()
  Object.assign(process.env, hostileEnvironment, { XDG_STATE_HOME: fixture.state })
})
afterAll(() => {
  for (const name of Object.keys(hostileEnvironment)) delete process.env[name]
  process.env['XDG_STATE_HOME'] = inject('state')
  fixture.close()
})

/** Every second of the first ones, and every fourteenth of those that came later. All of them: `npm run attack`. */
const sample = attacks
  .filter((attack) => !needsCommandLine(attack))
  .filter(({ id }, index) => index % (/^(?:PATH|RUN|EXEC|PLANT)[23]-|^SECRET-/.test(id) ? 14 : 2) === 1)

describe('attacks through the library', () => {
  for (const attack of sample) {
    it(`${attack.id} ${attack.description}`, async (context) => {
      if (attack.approved !== undefined) skipWithout(context, 'sandbox')
      if (attack.action?.type === 'race') skipWithout(context, 'python3')
      const { held, how } = await carryOut(attack, fixture)
      expect(held, how).toBe(true)
    })
  }
})
