import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { attacks } from './attack.ts'
import { carryOut } from './carry-out.ts'
import { Fixture } from './fixture.ts'
import { calls, type Knock, knocking, payload } from './scenarios/doors.ts'

const fixture = new Fixture()

beforeAll(async () => {
  await fixture.open()
  process.env['XDG_STATE_HOME'] = fixture.state
})

afterAll(() => {
  process.env['XDG_STATE_HOME'] = inject('state')
  fixture.close()
})

/** Without these an attack that is held might only have been sent wrongly. */
const welcome: readonly (readonly [what: string, door: 'page' | 'mcp', knock: Knock, effect: string])[] = [
  ['the owner with the token', 'page', { requests: [calls.token] }, 'told a secret (planted)'],
  ['the page itself', 'page', { entered: true, requests: [calls.document] }, 'told a secret (planted)'],
  ['an MCP client with the key', 'mcp', { requests: [calls.mcp] }, 'told a secret (planted)'],
  ['an extension with the code', 'page', { requests: [calls.pair] }, 'told a secret (planted)'],
  ['an extension that shows before it applies', 'page', { signed: [{ route: 'apply', looks: payload }] }, 'ran code'],
]

describe('the doors of clada open for', () => {
  it.each(welcome)('%s', async (description, door, knock, effect) => {
    const attack = { id: 'WELCOME', kind: 'action', expected: 'contained', why: '', description } as const
    const { how } = await carryOut({ ...attack, ...knocking(door, knock) }, fixture, inject('cli'))
    expect(how).toContain(effect)
  })
})

describe('the doors of clada stay shut for', () => {
  const chosen = attacks.filter(({ id }, index) => /^(?:STRANGER|PAGE|PANEL)-/.test(id) && index % 9 === 0)

  it.each(chosen.map((attack) => [attack.description, attack] as const))('%s', async (_, attack) => {
    const { held, how } = await carryOut(attack, fixture, inject('cli'))
    expect(held, how).toBe(true)
  })
})
