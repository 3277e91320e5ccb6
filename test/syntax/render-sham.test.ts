import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { writeSham } from '@clada/reply/syntax/sham/sham.ts'
import { parseSham } from '../../packages/clada/src/index.ts'

describe('a block from parameters', () => {
  it('quotes one line and gives several a heredoc', () => {
    expect(
      writeSham('file_write', { path: '/a "b"', content: 'one\ntwo\n', count: 3 }, { keyword: 'SHAM', id: 'k7m' }),
    ).toBe(
      [
        '#!SHAM [@three-char-SHA-256: k7m]',
        'action = "file_write"',
        'path = "/a \\"b\\""',
        "content = <<'EOT_SHAM_k7m'",
        'one',
        'two',
        '',
        'EOT_SHAM_k7m',
        'count = "3"',
        '#!END_SHAM_k7m',
      ].join('\n'),
    )
  })

  it('quotes what its own delimiter would cut', () => {
    const content = "a\n  EOT_SHAM_k7m'\nb = <<'EOT_SHAM_k7m'\n"
    expect(writeSham('file_write', { content }, { keyword: 'SHAM', id: 'k7m' })).toContain(
      `content = ${JSON.stringify(content)}`,
    )
  })

  it('reads back as it went in, whatever the texts are', () => {
    const piece = fc.constantFrom(
      '\n',
      '\r\n',
      '\r',
      ' ',
      "'",
      'EOT_SHAM_a1b',
      "k = <<'EOT_SHAM_a1b'",
      '#!END_SHAM_a1b',
      '#!SHAM [@three-char-SHA-256: a1b]',
      'x',
      '"',
      '\\',
      ':=',
      '\uFEFF',
    )
    const anyText = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(piece).map((pieces) => pieces.join('')),
    )
    fc.assert(
      fc.property(anyText, anyText, (path, content) => {
        const { blocks, errors } = parseSham(writeSham('file_write', { path, content }, { keyword: 'SHAM', id: 'a1b' }))
        expect(errors).toEqual([])
        expect(blocks.map(({ properties }) => ({ ...properties }))).toEqual([{ action: 'file_write', path, content }])
      }),
    )
  })
})
