import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { attacks } from './attack.ts'
import { carryOut } from './carry-out.ts'
import { Fixture } from './fixture.ts'

const fixture = new Fixture()
const dist = fs.mkdtempSync(path.join(os.tmpdir(), 'clada-dist-'))
const cli = path.join(dist, 'cli.cjs')

beforeAll(async () => {
  const root = path.join(import.meta.dirname, '../..')
  // A build of its own, where its packages are found, so that nobody else's build comes in between.
  execFileSync(process.execPath, [path.join(root, 'scripts/build.mjs'), '--out', dist])
  fs.symlinkSync(path.join(root, 'node_modules'), path.join(dist, 'node_modules'))
  await fixture.open()
  process.env['XDG_STATE_HOME'] = fixture.state
}, 60_000)

afterAll(() => {
  delete process.env['XDG_STATE_HOME']
  fixture.close()
  fs.rmSync(dist, { recursive: true, force: true })
})

/** Every seventh: sixty of all kinds. The whole list is for `npm run attack`. */
const chosen = attacks.filter((_, index) => index % 7 === 3)

describe('attacks through the command line', () => {
  it('are sixty at least', () => expect(chosen.length).toBeGreaterThanOrEqual(60))

  for (const attack of chosen) {
    it(`${attack.id} ${attack.description}`, async () => {
      const { held, how } = await carryOut(attack, fixture, cli)
      expect(held, how).toBe(true)
    })
  }
})
