import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { attacks } from './attack.ts'
import { carryOut, hostileEnvironment } from './carry-out.ts'
import { Fixture } from './fixture.ts'

const fixture = new Fixture()

beforeAll(async () => {
  await fixture.open()
  Object.assign(process.env, hostileEnvironment, { XDG_STATE_HOME: fixture.state })
})
afterAll(() => {
  for (const name of [...Object.keys(hostileEnvironment), 'XDG_STATE_HOME']) delete process.env[name]
  fixture.close()
})

describe('attacks through the library', () => {
  for (const attack of attacks) {
    it(`${attack.id} ${attack.description}`, async () => {
      const { held, how } = await carryOut(attack, fixture)
      expect(held, how).toBe(true)
    })
  }
})
