import { expect, it } from 'vitest'
import { KeptOutput } from '../../packages/clada/src/process/kept-output.ts'

const kept = (limit: number, ...chunks: (string | Buffer)[]): string => {
  const output = new KeptOutput(limit)
  for (const chunk of chunks) output.add(Buffer.from(chunk))
  return output.text()
}

it('keeps all that fits', () => expect(kept(10, 'abc', 'def')).toBe('abcdef'))

it('keeps the first and the last half of the rest', () => {
  expect(kept(10, '0123456789abcdef')).toBe('01234\n[output truncated] lines 1-1 of 1 not shown\nbcdef')
  expect(kept(10, ...'0123456789abcdef')).toBe('01234\n[output truncated] lines 1-1 of 1 not shown\nbcdef')
})

it('leaves out whole lines, and says which', () => {
  const mark = (range: string): string => `\n[output truncated] lines ${range} not shown\n`
  for (const cut of [(text: string) => [text], (text: string) => [...text]]) {
    expect(kept(8, ...cut('a\nb\nc\nd\ne\nf\n'))).toBe(`a\nb${mark('3-4 of 6')}e\nf\n`)
    expect(kept(8, ...cut('a\nbbbbb\nc\nddddd\ne\n'))).toBe(`a\nbb${mark('2-4 of 5')}e\n`)
    expect(kept(12, ...cut('aaaa\nbbbbb\nccccc\nd\nee'))).toBe(`aaaa${mark('2-3 of 5')}d\nee`)
    expect(kept(12, ...cut('aaaaaaaaaaaa\nbbbbbbbbbbbbbbb'))).toBe(`aaaaaa${mark('1-2 of 2')}bbbbbb`)
  }
})

it('cuts between characters', () => expect(kept(8, '€€€€€€')).toBe('€\n[output truncated] lines 1-1 of 1 not shown\n€'))

it('replaces what is no UTF-8', () => expect(kept(100, Buffer.from([0x61, 0xff, 0x62]))).toBe('a\ufffdb'))

it('joins a character that came in two pieces', () => {
  const euro = Buffer.from('€')
  expect(kept(100, euro.subarray(0, 1), euro.subarray(1))).toBe('€')
})

it('holds a flood in little memory', () => {
  const output = new KeptOutput(1000)
  const chunk = Buffer.alloc(100_000, 'x')
  for (let time = 0; time < 1000; time++) output.add(chunk)
  expect(output.text()).toHaveLength(1000 + '\n[output truncated] lines 1-1 of 1 not shown\n'.length)
  expect(output.truncated).toBe(true)
})
