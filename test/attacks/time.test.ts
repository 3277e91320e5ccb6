import { afterAll, beforeAll, expect, it } from 'vitest'
import { skipWithout } from '../support/needs.ts'
import { Fixture } from './fixture.ts'
import { leaveOrphans } from './orphans.ts'
import { raceWrites } from './race.ts'

const fixture = new Fixture()
beforeAll(() => fixture.open())
afterAll(() => fixture.close())

it('writes nothing outside while a directory turns into a link and back', async (context) => {
  skipWithout(context, 'python3')
  const { landed, escaped } = await raceWrites(5000, fixture)
  expect(escaped).toBe(0)
  // A race in which nothing ever lands proves nothing.
  expect(landed).toBeGreaterThan(100)
})

it('leaves no process behind, in the sandbox', async () => {
  expect(await leaveOrphans(20, fixture)).toBe(0)
})

it('leaves no process behind, without one', async () => {
  expect(await leaveOrphans(10, fixture, 'unsandboxed')).toBe(0)
})
