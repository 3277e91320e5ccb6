import { readFileSync, readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { decode } from '../../packages/clada/src/actions/decode.ts'
import { registry } from '../../packages/clada/src/actions/registry.ts'
import { Source } from '@clada/reply/core/source.ts'
import { csl } from '@clada/reply/syntax/csl/csl.ts'
import type { MakeReader } from '@clada/reply/syntax/reader.ts'
import { told } from './csl-read.ts'
import { allExplained, readWith } from './read-alone.ts'

const folder = new URL('./csl/', import.meta.url)
const names = readdirSync(folder)
  .filter((name) => name.endsWith('.txt'))
  .map((name) => name.slice(0, -4))
const read = (name: string) => readFileSync(new URL(name, folder), 'utf8')
const withDelimiters =
  (start: string, end: string): MakeReader =>
  (source) =>
    csl.reader(source, { cslDelimiters: { start, end } })
const readCsl = (text: string) => readWith(csl.reader, text)

describe('cases', () => {
  test('there are enough of them', () => {
    expect(names.filter((name) => name.startsWith('err-')).length).toBeGreaterThanOrEqual(30)
  })

  test.each(names)('%s', (name) => {
    const text = read(`${name}.txt`)
    const reading = readCsl(text)
    // As text, so that the order of keys counts.
    const expected: unknown = JSON.parse(read(`${name}.json`))
    expect(JSON.stringify(told(reading), null, 2)).toBe(JSON.stringify(expected, null, 2))

    const diagnostics = allExplained(reading)
    expect(diagnostics.length > 0).toBe(name.startsWith('err-'))
    const lines = text.split(/\r?\n/)
    for (const { line, column, length, content, context } of diagnostics) {
      expect(content).toBe(lines[line - 1])
      expect(column + length - 1).toBeLessThanOrEqual(content.length)
      expect(context.split('\n').length).toBe(Math.min(5, lines.length))
    }
  })

  test.each(names)('%s: what may run is what the actions take', (name) => {
    for (const { action, params, diagnostics } of readCsl(read(`${name}.txt`)).blocks) {
      if (diagnostics.length > 0 || !registry.has(action)) continue
      const decoded = decode(action, params, registry, { root: '/tmp', relativePaths: true })
      expect(decoded).toMatchObject({ ok: true, warnings: [] })
    }
  })
})

describe('what a browser or an editor does to a text', () => {
  const text = read('tasks-group.txt')
  const plain = told(readCsl(text))

  test.each([
    ['CRLF', text.replaceAll('\n', '\r\n')],
    ['a byte order mark', `\uFEFF${text}`],
    ['a byte order mark before a marker', `\uFEFF${text.replaceAll('\n', '\r\n')}`],
    ['no last line break', text.trimEnd()],
    ['blanks behind every marker', text.replaceAll('--->\n', '---> \t\u00A0\n')],
  ])('%s', (_, damaged) => {
    expect(told(readCsl(damaged))).toEqual(plain)
  })

  test('columns count a byte order mark', () => {
    const { fatal } = readCsl('\uFEFF<---WRITE file=a--->\n<---END--->')
    expect(fatal?.range).toEqual({ line: 1, column: 17, length: 1 })
    expect(readCsl('\uFEFF<---NO--->').fatal?.range).toEqual({ line: 1, column: 6, length: 2 })
    expect(readCsl('\uFEFF<---').fatal?.range).toEqual({ line: 1, column: 2, length: 4 })
  })
})

describe('other delimiters', () => {
  const readOther = (text: string) => readWith(withDelimiters('@[[', ']]@'), text)

  test('they stand for the usual ones everywhere', () => {
    const text = read('tasks-group.txt').replaceAll('<---', '@[[').replaceAll('--->', ']]@')
    expect(told(readOther(text))).toEqual(told(readCsl(read('tasks-group.txt'))))
  })

  test('the usual ones are then text', () => {
    expect(readOther('<---END--->\n@[[WRITE file="a"]]@\n<---END--->\n@[[END]]@').blocks).toMatchObject([
      { params: { path: 'a', content: '<---END--->' }, diagnostics: [] },
    ])
  })

  test('hints are spelled with them', () => {
    const hintOf = (text: string) => allExplained(readOther(text))[0]?.hint
    expect(hintOf('@[[RUN]]@\nls')).toContain('@[[END]]@')
    expect(hintOf('@[[RUN]\nls')).toBe('Write: @[[RUN]]@')
  })

  test('letters and signs that a pattern would take for more', () => {
    const reading = readWith(withDelimiters('(.*)', '$'), '(.*)RUN dir="$"$\nls\n(.*)END$')
    expect(reading).toMatchObject({ fatal: undefined, blocks: [{ params: { command: 'ls', dir: '$' } }] })
  })
})

describe('lines that are left to other syntaxes', () => {
  const sham = '#!SHAM [@three-char-SHA-256: abc]'
  /** Whether the reader passes over the line, so that another may find it. */
  const leaves = (text: string): boolean => {
    const source = new Source(text)
    const reader = csl.reader(source)
    const wanted = text.split('\n').indexOf(sham) + 1
    for (let line = reader.seek(1); line <= wanted;) {
      const { next } = reader.read(line)
      if (next > wanted) return false
      line = reader.seek(next)
    }
    return true
  }

  test.each([
    ['below an operation', `<---RUN--->\nls\n<---END--->\n${sham}`],
    ['below an operation with a bad value', `<---WRITE append="x"--->\n<---END--->\n${sham}`],
    ['below a bad attribute', `<---WRITE file=a--->\n<---END--->\n${sham}`],
    ['below a line that is no marker', `<--- oops\n${sham}\n<---END--->`],
    ['below a word in an arrow', `<---word--->\n${sham}`],
    ['below a stray END', `<---END--->\n${sham}`],
    ['below nested TASKS', `<---TASKS--->\n<---TASKS--->\n<---END--->\n<---END--->\n${sham}`],
  ])('%s', (_, text) => {
    expect(leaves(text)).toBe(true)
  })

  test.each([
    ['content', `<---WRITE file="a"--->\n${sham}\n<---END--->`],
    ['between the operations of TASKS', `<---TASKS--->\n${sham}\n<---END--->`],
    ['content of an operation with a bad marker', `<---WRITE file="a"-->\n${sham}\n<---END--->`],
    ['content of an operation in lower case', `<---write file="a"--->\n${sham}\n<---END--->`],
    ['content of an unknown operation', `<---CREATE file="a"--->\n${sham}\n<---END--->`],
    ['content of a later operation', `<---END--->\n<---WRITE file="a"--->\n${sham}\n<---END--->`],
    ['behind an END with text, which may be content', `<---RUN--->\nls\n<---END---> x\n${sham}\n<---END--->`],
    ['below an operation that is not closed', `<---RUN--->\nls\n${sham}`],
    ['below TASKS that is not closed', `<---TASKS--->\n<---RUN--->\nls\n<---END--->\n${sham}`],
    ['in what is not replaced', `<---SEARCH file="a"--->\nx\n<---TO--->\ny\n<---END--->\n${sham}`],
  ])('not %s', (_, text) => {
    expect(leaves(text)).toBe(false)
  })
})

describe('what reports need', () => {
  test('members of one TASKS share one group', () => {
    const [, first, second] = readCsl(read('tasks-group.txt')).blocks
    expect(first?.group).toBeDefined()
    expect(first?.group).toBe(second?.group)
  })

  test('raw is the operation as it was written', () => {
    const text = 'a\r\n<---RUN---> \r\nls\r\n<---END--->\r\nb'
    expect(readCsl(text).blocks[0]?.raw).toBe('<---RUN---> \r\nls\r\n<---END--->')
  })

  test('the context is five lines as they are written', () => {
    const { fatal } = readCsl('1\r\n2\r\n3\r\n<---END--->\r\n5\r\n6\r\n7')
    expect(fatal?.range.line).toBe(4)
    expect(fatal?.excerpt.around).toBe('2\r\n3\r\n<---END--->\r\n5\r\n6\r')
  })

  test('names of parameters are those of no other object', () => {
    const [block] = readCsl('<---WRITE __proto__="x" constructor="y" file="a"--->\n<---END--->').blocks
    expect(Object.keys(block?.params ?? {})).toEqual(['path', 'content'])
    expect('constructor' in (block?.params ?? {})).toBe(false)
    expect(block?.warnings).toHaveLength(2)
  })
})
