import fs from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { structureOperations } from '../../packages/clada/src/structure/operations.ts'

const sample = path.join(import.meta.dirname, '../../packages/clada/src/structure/indent.ts')

/** What the parser has of memory is in `external`. It never shrinks, so a tree that is not freed shows for good. */
const held = (): number => process.memoryUsage().external

it('trees are freed: what the first edits took is enough for all that follow', async () => {
  const whole = fs.readFileSync(sample, 'utf8')
  let text = whole
  const { move_structure_to_before, move_structure_to_after } = structureOperations({
    read: async () => text,
    write: async (_, changed) => {
      text = changed
    },
  })
  const thereAndBack = async (times: number): Promise<void> => {
    for (let time = 0; time < times; time++) {
      await move_structure_to_before('a.ts', 'shifted', 'a.ts', 'fitted')
      await move_structure_to_after('a.ts', 'shifted', 'a.ts', 'fitted')
    }
  }
  await thereAndBack(5)
  const first = held()
  await thereAndBack(50)
  expect(text).toBe(whole)
  expect(held() - first).toBeLessThan(2_000_000)
})
