import { readFileSync, readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { Source } from '@clada/reply/core/source.ts'
import { parseSham } from '../../packages/clada/src/compat/parse-sham.ts'
import { sham, shamContentOf, shamContentOfDiagnostic } from '@clada/reply/syntax/sham/sham.ts'
import { allExplained, positionIn } from './read-alone.ts'
import { readSham } from './sham-read.ts'

const folder = new URL('./sham/', import.meta.url)
const names = readdirSync(folder)
  .filter((name) => name.endsWith('.txt'))
  .map((name) => name.slice(0, -4))
const read = (name: string) => readFileSync(new URL(name, folder), 'utf8')

describe('cases', () => {
  test('there are enough of them', () => {
    expect(names.filter((name) => name.startsWith('err-')).length).toBeGreaterThanOrEqual(30)
  })

  test.each(names)('%s', (name) => {
    const text = read(`${name}.txt`)
    const { blocks, errors, skipped } = parseSham(text)
    const found = { blocks, errors: errors.map(positionIn), ...(skipped.length > 0 && { skipped }) }
    // As text, so that the order of keys and a key like __proto__ count.
    expect(JSON.stringify(found, null, 2)).toBe(JSON.stringify(JSON.parse(read(`${name}.json`)), null, 2))
    expect(errors.length > 0).toBe(name.startsWith('err-'))

    const lines = text.split('\n')
    for (const { line, content, context } of errors) {
      expect(content).toBe(lines[line - 1] ?? '')
      const first = Math.max(0, Math.min(line - 3, lines.length - 5))
      expect(context).toBe(lines.slice(first, first + 5).join('\n'))
    }
  })

  test.each(names)('%s: the reader tells the same as parseSham', (name) => {
    const text = read(`${name}.txt`)
    const { blocks, errors, skipped } = parseSham(text)
    const document = readSham(text)
    const own = document.blocks.filter((block) => block.diagnostics[0]?.code !== 'sham-follows')
    expect(own.map(({ id, startLine, endLine }) => ({ id, startLine, endLine }))).toEqual(
      blocks.map(({ id, startLine, endLine }) => ({ id, startLine, endLine })),
    )
    for (const [i, block] of own.entries()) {
      const { action = '', ...params } = blocks[i]?.properties ?? {}
      expect(block.action).toBe(action)
      expect(Object.entries(block.params)).toEqual(Object.entries(params))
    }
    const all = allExplained({ ...document, blocks: own }).sort((a, b) => a.line - b.line)
    // The text of a broken block is only for its correction.
    const told = (one: object): object => ({ ...one, raw: undefined })
    expect(all.map(told)).toEqual(errors.map(told))
    expect(document.blocks.length - own.length).toBe(skipped.length)
  })
})

describe('what a browser or an editor does to a text', () => {
  const text = read('three-spellings.txt')
  const plain = parseSham(text)

  test.each([
    ['CRLF', text.replaceAll('\n', '\r\n')],
    ['a byte order mark', `\uFEFF${text}`],
    ['both', `\uFEFF${text.replaceAll('\n', '\r\n')}`],
    ['no last line break', text.trimEnd()],
    ['blanks at every line end', text.replaceAll('\n', ' \t\n').replace(/^(one|two|three) \t$/gm, '$1')],
  ])('%s', (_, damaged) => {
    expect(parseSham(damaged)).toEqual(plain)
  })

  test('the context of an error keeps its line breaks', () => {
    const [error] = parseSham('#!SHAM [@three-char-SHA-256: abc]\r\nkey\r\n#!END_SHAM_abc\r\n').errors
    expect(error).toMatchObject({
      code: 'MALFORMED_ASSIGNMENT',
      line: 2,
      length: 3,
      content: 'key',
      context: '#!SHAM [@three-char-SHA-256: abc]\r\nkey\r\n#!END_SHAM_abc\r\n',
    })
  })
})

describe('a block with the name of another in it', () => {
  test('an unclosed block does not swallow what other syntaxes write below it', () => {
    const source = new Source('#!SHAM [@three-char-SHA-256: abc]\nkey = "a"\n\n<---RUN--->\nls\n<---END--->\n')
    expect(sham.reader(source).read(1).next).toBe(3)
  })

  test('a stray header does not either', () => {
    const source = new Source('#!SHAM blocks are fine:\n\n<---WRITE file="x"--->\nx\n<---END--->\n')
    expect(sham.reader(source).read(1).next).toBe(3)
  })

  test('a bad header takes what it was meant to start with it', () => {
    const source = new Source('#!SHAM [@id: abc]\nkey = "a"\n<---RUN--->\nls\n<---END--->\n#!END_SHAM_abc\n')
    expect(sham.reader(source).read(1)).toMatchObject({ blocks: [], next: 7 })
  })
})

describe('what reports show of a block', () => {
  const blockOf = (text: string) => {
    const [block] = readSham(text).blocks
    if (block === undefined) throw new Error('no block')
    return block
  }

  test('a block written anew, in its own spelling and order', () => {
    const text = [
      'prose',
      '  #!nesl [@id: abc]  ',
      'path = "/tmp/a\\tb"',
      '',
      'action="write_file"',
      "content = <<'EOT_abc'",
      'one',
      'two',
      'EOT_abc',
      "line = <<'EOT_abc'",
      'only one',
      'EOT_abc',
      'tricky = "a\\nEOT_abc"',
      '#!end_abc',
    ].join('\n')
    expect(shamContentOf(blockOf(text))).toBe(
      [
        '#!nesl [@id: abc]',
        'path = "/tmp/a\\tb"',
        'action = "write_file"',
        "content = <<'EOT_abc'",
        'one',
        'two',
        'EOT_abc',
        'line = "only one"',
        'tricky = "a\\nEOT_abc"',
        '#!end_abc',
      ].join('\n'),
    )
  })

  test('a diagnostic: its block once, or of a long one the header and the lines around the diagnostic', () => {
    const text = `${read('err-key-twice.txt')}\n\n`
    const block = blockOf(text)
    const [diagnostic] = block.diagnostics
    if (diagnostic === undefined) throw new Error('no diagnostic')
    expect(shamContentOfDiagnostic(block, diagnostic)).toBe(block.raw)
    const lines = Array.from({ length: 400 }, (_, at) => `k${at} = "v"`)
    const head = '#!SHAM [@three-char-SHA-256: abc]'
    const contentOf = (bad: number): string => {
      const given = lines.map((line, at) => (at === bad ? 'bad' : line))
      const long = readSham([head, ...given, '#!END_SHAM_abc', '#!SHAM [@three-char-SHA-256: def]'].join('\n'))
      const [first] = long.blocks
      const [wrong] = first?.diagnostics ?? []
      return wrong === undefined ? '' : shamContentOfDiagnostic(first, wrong)
    }
    expect(contentOf(0)).toBe([head, 'bad', 'k1 = "v"', 'k2 = "v"', 'k3 = "v"'].join('\n'))
    expect(contentOf(200)).toBe([head, 'k198 = "v"', 'k199 = "v"', 'bad', 'k201 = "v"', 'k202 = "v"'].join('\n'))
    expect(contentOf(399)).toBe([head, 'k397 = "v"', 'k398 = "v"', 'bad', '#!END_SHAM_abc'].join('\n'))
    expect(shamContentOfDiagnostic(block, { ...diagnostic, excerpt: { line: '', around: '' } })).toBe(
      shamContentOf(block),
    )
    expect(shamContentOfDiagnostic(undefined, { ...diagnostic, excerpt: { line: '', around: 'a\nb\n\n' } })).toBe(
      'a\nb',
    )
  })

  test('a key that is not written is not there', () => {
    const { params } = blockOf('#!SHAM [@three-char-SHA-256: abc]\n#!END_SHAM_abc')
    const { blocks } = parseSham('#!SHAM [@three-char-SHA-256: abc]\n#!END_SHAM_abc')
    for (const texts of [params, blocks[0]?.properties ?? {}]) {
      for (const name of ['__proto__', 'constructor', 'toString', 'action']) expect(name in texts).toBe(false)
    }
  })

  test('raw is the block as it was written', () => {
    const text = read('err-same-id-first-bad.txt')
    expect(readSham(text).blocks.map((block) => block.raw)).toEqual([
      '#!SHAM [@three-char-SHA-256: abc]\nn = 1\n#!END_SHAM_abc',
      '#!SHAM [@three-char-SHA-256: abc]\nn = "2"\n#!END_SHAM_abc',
    ])
  })
})
