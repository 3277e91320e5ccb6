import { expect, it } from 'vitest'
import { makeReindenter } from '@clada/reply/text/reindent.ts'

it('does not scale a depth that the old lines do not have', () => {
  const reindent = makeReindenter([
    ['    if (x) {', '  if (x) {'],
    ['        return', '    return'],
  ])
  expect(reindent('            deeper')).toBe('      deeper')
  expect(reindent('  as the file has it')).toBeUndefined()
})

it('does not guess how a line is aligned in a file that aligns with spaces after tabs', () => {
  const old = ['    if (x(a,', '            b))', '        return']
  const fresh = ['                        altered', '            deeper', '    as before']
  const pairs = old.map((line) => [line, line.replace(/^ +/, (space) => '\t'.repeat(space.length / 4))] as const)
  const reindent = makeReindenter(pairs, [...old, ...fresh])
  expect(fresh.map(reindent)).toEqual([undefined, '\t\t\tdeeper', '\tas before'])
  expect(makeReindenter(pairs)(fresh[0] ?? '')).toBe('\t\t\t\t\t\taltered')
})
