import { expect, inject, it } from 'vitest'
import { needs } from '../support/needs.ts'
import { scratchDir } from '../support/scratch.ts'
import { scenarios, trial } from './scenarios.ts'

needs('strace')

/** A sample of what `npm run powercut` tries. */
for (const [name, mode] of [
  ['single edit', 'off'],
  ['create, move, delete', 'off'],
  ['atomic, passed on', 'off'],
  ['single edit', 'commit'],
] as const) {
  it(`nothing is lost in a power cut: ${name}, ${mode}`, async () => {
    const scenario = scenarios.find((one) => one.name === name && one.mode === mode)
    if (scenario === undefined) throw new Error('no such scenario')
    const state = process.env['XDG_STATE_HOME']
    const { ops, found } = await trial(scenario, scratchDir(), inject('cli'), ['ext4', 'metadata'], { most: 8 })
    if (state !== undefined) process.env['XDG_STATE_HOME'] = state
    expect(ops).toBeGreaterThan(20)
    expect([...found.values()].flatMap(({ losses }) => losses)).toEqual([])
    expect(found.get('metadata')?.disks).toBeGreaterThan(5)
  })
}
