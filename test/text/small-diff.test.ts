import { expect, test } from 'vitest'
import { renderSmallDiff } from '@clada/reply/text/shown-diff.ts'

const lines = (...numbers: (number | string)[]) => numbers.join('\n')
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

test.each([
  { name: 'one line changed', before: 'a\nb\nc', after: 'a\nx\nc', diff: ' a\n-b\n+x\n c' },
  { name: 'nothing changed', before: 'a', after: 'a', diff: ' a' },
  { name: 'line ends are no difference', before: 'a\nb', after: 'a\r\nb', diff: ' a\n b' },
  {
    name: 'lines far from the change are left out first',
    before: lines(...upTo(30)),
    after: lines(...upTo(9), 'x', ...upTo(30).slice(10)),
    diff: '… 8 lines left out\n 9\n-10\n+x\n 11\n… 19 lines left out',
  },
  {
    name: 'then the middle',
    before: lines(...upTo(8)),
    after: lines('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'),
    diff: '-1\n-2\n-3\n… 11 lines left out\n+g\n+h',
  },
])('$name', ({ before, after, diff }) => {
  expect(renderSmallDiff(before, after, 6)).toBe(diff)
})

test('long lines are cut where they part', () => {
  const same = 'x'.repeat(1000)
  const [minus = '', plus = ''] = renderSmallDiff(`${same}old${same}`, `${same}new${same}`, 12).split('\n')
  expect(minus).toMatch(/^-…x+oldx+…$/)
  expect(plus).toMatch(/^\+…x+newx+…$/)
  expect(plus.length).toBeLessThan(200)
})
