import { expect, it } from 'vitest'
import { reindenter } from '../../src/text/reindent.ts'

it('does not scale a depth that the old lines do not have', () => {
  const reindent = reindenter([
    ['    if (x) {', '  if (x) {'],
    ['        return', '    return'],
  ])
  expect(reindent('            deeper')).toBe('      deeper')
  expect(reindent('  as the file has it')).toBeUndefined()
})
