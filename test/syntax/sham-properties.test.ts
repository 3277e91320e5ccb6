import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseSham } from '../../packages/clada/src/compat/parse-sham.ts'
import { CountingSource } from './counting-source.ts'
import { readSham } from './sham-read.ts'

const spellings = {
  sham: { header: '#!SHAM [@three-char-SHA-256: ', end: '#!END_SHAM_', delimiter: 'EOT_SHAM_' },
  NESL: { header: '#!NESL [@three-char-SHA-256: ', end: '#!END_NESL_', delimiter: 'EOT_NESL_' },
  nesl: { header: '#!nesl [@id: ', end: '#!end_', delimiter: 'EOT_' },
}

/** Texts made of the pieces that mean something, so that the odd corners are reached often. */
const piece = fc.constantFrom(
  ...Object.values(spellings).flatMap(({ header, end, delimiter }) => [
    `${header}abc]`,
    `${header}xy]`,
    `${end}abc`,
    `${end}xy`,
    `${delimiter}abc`,
    `k = <<'${delimiter}abc'`,
    `k = <<'${delimiter}xy'`,
  ]),
  '#!SHAM [@sham-id: abc]',
  '#!SHAM',
  'action = "file_read"',
  'k = "a',
  'k := "b"',
  'k => 1',
  '= "c"',
  'k = <<EOF',
  'EOF',
  '<<',
  "'",
  ' ',
  '\t',
  '\n',
  '\n',
  '\r\n',
  '\uFEFF',
  'prose',
)
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join('')),
  fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join('\n')),
)

describe('properties', () => {
  test('any text parses without throwing, and every position is in the text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const { blocks, errors, skipped } = parseSham(text)
        const lines = text.split(/\r?\n/).length
        for (const { line, column, length, content } of errors) {
          expect(line).toBeLessThanOrEqual(lines + 1)
          expect(column - 1 + length).toBeLessThanOrEqual(content.length + 1)
        }
        expect(errors.map(({ line }) => line)).toEqual(errors.map(({ line }) => line).sort((a, b) => a - b))
        const starts = [...blocks.map((block) => block.startLine), ...skipped.map(({ line }) => line)]
        expect(starts).toEqual([...new Set(starts)].sort((a, b) => a - b))
      }),
      { numRuns: 2000 },
    )
  })

  test('the reader gives the same blocks, and each diagnostic to its own block', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const { blocks, errors, skipped } = parseSham(text)
        const document = readSham(text)
        expect(document.blocks.length).toBe(blocks.length + skipped.length)
        const diagnostics =
          document.diagnostics.length + document.blocks.reduce((sum, block) => sum + block.diagnostics.length, 0)
        expect(diagnostics).toBe(errors.length + skipped.length)
      }),
    )
  })

  test('a value written as a heredoc comes back as it went in', () => {
    const value = fc
      .oneof(
        anyText,
        fc.array(piece).map((pieces) => pieces.join('\n')),
      )
      // Line breaks are LF inside; the two kinds of line that mean something in a heredoc are its only limits.
      .map((text) => text.replaceAll('\r', ''))
      .filter((text) => !/^\s*EOT_\w+'?\s*$|<<'EOT_\w+'\s*$/m.test(text))
    const spelling = fc.constantFrom(...Object.values(spellings))
    fc.assert(
      fc.property(value, value, spelling, (first, second, { header, end, delimiter }) => {
        const heredoc = (key: string, text: string) => `${key} = <<'${delimiter}q7'\n${text}\n${delimiter}q7\n`
        const text = `before\n${header}q7]\n${heredoc('first', first)}${heredoc('second', second)}${end}q7\nafter\n`
        const { blocks, errors } = parseSham(text)
        expect(errors).toEqual([])
        expect(blocks.map((block) => Object.entries(block.properties))).toEqual([
          [
            ['first', first],
            ['second', second],
          ],
        ])
      }),
      { numRuns: 500 },
    )
  })

  test('a value written as a quoted text comes back as it went in', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        const { blocks, errors } = parseSham(
          `#!SHAM [@three-char-SHA-256: abc]\nk = ${JSON.stringify(value)}\n#!END_SHAM_abc`,
        )
        expect(errors).toEqual([])
        expect(blocks[0]?.properties['k']).toBe(value)
      }),
    )
  })

  test('the sum of blocks and errors does not depend on what surrounds them', () => {
    // Each has an end of its own. What has none ends where the next begins, by its very definition.
    const part = fc.constantFrom<(id: string) => string>(
      () => 'prose = "nothing"\n```\n#!END_SHAM_zz',
      (id) => `#!SHAM [@three-char-SHA-256: ${id}]\nk = "v"\n#!END_SHAM_${id}`,
      (id) => `#!nesl [@x: ${id}]\nk = <<'EOT_${id}'\n#!SHAM [@three-char-SHA-256: zz]\nEOT_${id}\n#!end_${id}`,
      (id) => `#!SHAM [@three-char-SHA-256: ${id}]\nk = <<'EOT_SHAM_${id}'\nx\n#!END_SHAM_${id}`,
      (id) => `#!SHAM [@three-char-SHA-256: ${id}]\nk = v\nk := "w"\n\`\`\`\nk = "x" y\n#!END_SHAM_zz`,
      (id) =>
        `#!SHAM [@three-char-SHA-256: ${id}]\nk = <<'EOF'\n#!SHAM [@three-char-SHA-256: zz]\nEOF\n#!END_SHAM_${id}`,
      (id) => `#!SHAM [@sham-id: ${id}]\nk = <<'EOT_SHAM_${id}'\n#!SHAM [zz\nEOT_SHAM_${id}\n#!END_SHAM_${id}`,
      (id) => `#!NESL [@three-char-SHA-256: ${id}-]\nprose\n#!END_NESL_${id}-`,
    )
    const sum = (text: string) => {
      const { blocks, errors } = parseSham(text)
      return {
        blocks: blocks.map(({ id, properties }) => [id, Object.entries(properties)]),
        errors: errors.map(({ code, blockId, content }) => `${code} ${blockId} ${content}`).sort(),
      }
    }
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (makers) => {
        const parts = makers.map((make, i) => `${make(`id${i}`)}\n`)
        const alone = parts.map(sum)
        expect(sum(parts.join('some prose between\n'))).toEqual({
          blocks: alone.flatMap(({ blocks }) => blocks),
          errors: alone.flatMap(({ errors }) => errors).sort(),
        })
      }),
    )
  })
})

describe('cost is linear', () => {
  const name = (i: number) => i.toString(36).padStart(5, '0')
  const header = (i: number) => `#!SHAM [@three-char-SHA-256: ${name(i)}]\n`
  const repeat = (n: number, make: (i: number) => string) => Array.from({ length: n }, (_, i) => make(i)).join('')

  const documents: Record<string, (n: number) => string> = {
    'good blocks': (n) =>
      repeat(n, (i) => `${header(i)}k = <<'EOT_SHAM_${name(i)}'\nx\nEOT_SHAM_${name(i)}\n#!END_SHAM_${name(i)}\n`),
    'one id again and again': (n) =>
      repeat(n, () => `${header(0)}k = <<'EOT_SHAM_00000'\nx\nEOT_SHAM_00000\n#!END_SHAM_00000\n`),
    'unclosed heredocs': (n) => repeat(n, (i) => `${header(i)}k = <<'EOT_SHAM_${name(i)}'\nx\n`),
    'unclosed heredocs with an end': (n) =>
      repeat(n, (i) => `${header(i)}k = <<'EOT_SHAM_${name(i)}'\nx\n#!END_SHAM_${name(i)}\n`),
    'unclosed heredocs of one id': (n) => repeat(n, () => `${header(0)}k = <<'EOT_SHAM_00000'\nx\n#!END_SHAM_00000\n`),
    'wrong delimiters': (n) => repeat(n, (i) => `${header(i)}k = <<'X${i}'\nx\n#!END_SHAM_${name(i)}\n`),
    'headers without ends': (n) => repeat(n, header),
    'bad headers': (n) => repeat(n, (i) => `#!SHAM [@sham-id: ${name(i)}]\nprose\n`),
    'bad lines': (n) => `${header(0)}${repeat(n, (i) => `bad line ${i}\n`)}#!END_SHAM_00000`,
    'bad lines without an end': (n) => `${header(0)}${repeat(n, (i) => `bad line ${i}\n`)}`,
  }

  test.each(Object.entries(documents))('%s', (_, make) => {
    const cost = (n: number) => {
      const source = new CountingSource(make(n))
      readSham(source)
      return { asked: source.asked / n, characters: source.characters / n }
    }
    const small = cost(500)
    const large = cost(4000)
    // A little more for each block is the longer ids and the rounding; a quadratic cost would be eight times as much.
    expect(large.asked).toBeLessThan(small.asked * 1.5 + 1)
    expect(large.characters).toBeLessThan(small.characters * 1.5 + 1)
  })
})
