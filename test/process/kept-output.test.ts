import { expect, it } from 'vitest'
import { KeptOutput } from '../../packages/clada/src/process/kept-output.ts'

const kept = (limit: number, ...chunks: (string | Buffer)[]): string => {
  const output = new KeptOutput(limit)
  for (const chunk of chunks) output.add(Buffer.from(chunk))
  return output.text()
}

it('keeps all that fits', () => expect(kept(10, 'abc', 'def')).toBe('abcdef'))

it('keeps the first and the last half of the rest', () => {
  expect(kept(10, '0123456789abcdef')).toBe('01234\n[output truncated]\nbcdef')
  expect(kept(10, ...'0123456789abcdef')).toBe('01234\n[output truncated]\nbcdef')
})

it('cuts between characters', () => expect(kept(8, '€€€€€€')).toBe('€\n[output truncated]\n€'))

it('replaces what is no UTF-8', () => expect(kept(100, Buffer.from([0x61, 0xff, 0x62]))).toBe('a\ufffdb'))

it('joins a character that came in two pieces', () => {
  const euro = Buffer.from('€')
  expect(kept(100, euro.subarray(0, 1), euro.subarray(1))).toBe('€')
})

it('holds a flood in little memory', () => {
  const output = new KeptOutput(1000)
  const chunk = Buffer.alloc(100_000, 'x')
  for (let time = 0; time < 1000; time++) output.add(chunk)
  expect(output.text()).toHaveLength(1020)
  expect(output.truncated).toBe(true)
})
