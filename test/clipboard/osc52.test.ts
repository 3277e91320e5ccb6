import { describe, expect, it } from 'vitest'
import { byTerminal, osc52, osc52Limit } from '../../packages/clada/src/watch/clipboard/open.ts'
import { fromWindows, decodeClipboard } from '../../packages/clada/src/watch/clipboard/clipboard.ts'

const sequenceOf = (text: string, env: NodeJS.ProcessEnv = {}): string => {
  const asked = osc52(text, env)
  return asked.ok ? asked.sequence : asked.why
}

describe('OSC 52', () => {
  const plain = `\x1b]52;c;${Buffer.from('grün ✓').toString('base64')}\x07`

  it('hands a terminal the text in base64', () => {
    expect(sequenceOf('grün ✓')).toBe(plain)
  })

  it('goes through tmux by either of its settings', () => {
    expect(sequenceOf('grün ✓', { TMUX: '/tmp/tmux' })).toBe(`\x1bPtmux;\x1b${plain}\x1b\\${plain}`)
  })

  it('goes through screen in pieces', () => {
    const pieces = sequenceOf('x'.repeat(3000), { STY: '1.pts' }).split('\x1b\\').slice(0, -1)
    expect(pieces.length).toBeGreaterThan(10)
    expect(pieces.every((piece) => piece.startsWith('\x1bP') && piece.length <= 252)).toBe(true)
    expect(pieces.map((piece) => piece.slice(2)).join('')).toBe(sequenceOf('x'.repeat(3000)))
  })

  it('says what is too large', () => {
    expect(sequenceOf('x'.repeat(osc52Limit))).toHaveLength(100_000)
    expect(sequenceOf('ü'.repeat(osc52Limit))).toBe(
      'Not copied by OSC 52: the text has 149988 bytes, and terminals take 74994.',
    )
  })

  it('asks nothing but a terminal', () => {
    expect(byTerminal('x')).toEqual({ why: 'Not copied by OSC 52: neither stderr nor stdout is a terminal.' })
  })
})

describe('text from a clipboard', () => {
  it.each([
    ['a\r\nb\r\n', 'a\nb\n'],
    ['a\r\nb\nc', 'a\r\nb\nc'],
    ['a\rb', 'a\rb'],
    ['\n', '\n'],
  ])('of Windows: %j is %j', (given, text) => {
    expect(fromWindows(given)).toBe(text)
  })

  it('is UTF-8 or nothing', () => {
    expect(decodeClipboard(Buffer.from('\ufeffgrün'))).toBe('\ufeffgrün')
    expect(decodeClipboard(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff]))).toBe('')
  })
})
