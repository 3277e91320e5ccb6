import { it } from 'vitest'
import { Source } from '../src/core/source.ts'
import { findBlocks } from '../src/syntax/find-blocks.ts'
import { fragments } from './syntax/corpus.ts'
import { operationsOf } from './syntax/operations.ts'
const ops = (t: string, strict: boolean) => { const s = new Source(t); return operationsOf(() => { findBlocks(s, { strict }) }) }
it('x', { timeout: 600_000 }, () => {
  const bad: unknown[] = []
  const t0 = Date.now()
  let count = 0
  const try1 = (name: string, make: (n: number) => string, n: number) => {
    for (const strict of [true, false]) {
      count++
      const a = ops(make(n), strict), b = ops(make(2 * n), strict)
      if (b / a > 2.4) bad.push([name, strict, a, b, (b / a).toFixed(2)])
    }
  }
  for (const f of fragments) try1('1 ' + JSON.stringify(f), n => f.repeat(n), 1500)
  let seed = Number(process.env.SEED ?? 1)
  const pick = () => { seed = (seed * 1103515245 + 12345) % 2147483648; return fragments[Math.floor(seed / 65536) % fragments.length]! }
  while (Date.now() - t0 < 240_000) {
    const [a, b, c, d] = [pick(), pick(), pick(), pick()]
    try1('2 ' + JSON.stringify([a, b]), n => a.repeat(n) + b.repeat(n), 300)
    try1('3 ' + JSON.stringify([a, b, c, d]), n => a + (b + c).repeat(n) + d.repeat(n), 300)
    try1('4 ' + JSON.stringify([a, b, c, d]), n => (a + b + c + d).repeat(n), 200)
  }
  console.log(count, Date.now() - t0)
  console.log(bad.map(String).join('\n'))
})
