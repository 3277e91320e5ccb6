import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Block } from '@clada/reply/core/block.ts'
import { csl } from '@clada/reply/syntax/csl/csl.ts'
import { allExplained, readWith } from './read-alone.ts'

const readCsl = (text: string) => readWith(csl.reader, text)

/** Only these are ever carried out. */
function runnable(text: string): readonly Block[] {
  const { blocks, fatal } = readCsl(text)
  return fatal === undefined ? blocks.filter((block) => block.diagnostics.length === 0) : []
}

const told = ({ id, action, params, startLine, endLine }: Block) =>
  JSON.stringify({ id, action, params, startLine, endLine })

/** Lines that mean something, or nearly. */
const piece = fc.oneof(
  fc.constantFrom(
    '<---WRITE file="a"--->',
    '<---WRITE--->',
    '<---RUN--->',
    "<---RUN dir='x' ---> ",
    '<---SEARCH file="a" count="2"--->',
    '<---TASKS--->',
    '<---TASKS atomic="maybe"--->',
    '<---TO--->',
    '<---REPLACE--->',
    '<---END--->',
    '<---END---> x',
    '<---END x="1"--->',
    '<---write file="a"--->',
    '<---DELETE file="a"--->',
    '<---word--->',
    '<---WRITE file=a--->',
    '<---WRITE file="a',
    '<---',
    '#!SHAM [@three-char-SHA-256: abc]',
    '<<<END>>>',
    'text',
    '',
  ),
  fc.string({ unit: fc.constantFrom('<---', '--->', 'END', 'RUN', ' ', '=', '"', "'", '\\', '\r', 'a', '\uFEFF') }),
)
const soup = fc
  .array(fc.tuple(piece, fc.constantFrom('\n', '\n', '\n', '\r\n', '\r')), { maxLength: 30 })
  .map((lines) => lines.map(([line, end]) => line + end).join(''))

describe('any text', () => {
  test('reads without throwing, forwards, with every diagnostic inside the text', () => {
    fc.assert(
      fc.property(fc.oneof(soup, fc.string({ unit: 'binary' })), (text) => {
        const { blocks, diagnostics, fatal } = readCsl(text)
        const lines = text.split(/\r?\n/)
        let last = 0
        for (const { startLine, endLine, raw } of blocks) {
          expect(startLine).toBeGreaterThan(last)
          last = endLine ?? lines.length
          expect(text.includes(raw)).toBe(true)
        }
        const all = [...diagnostics, ...blocks.flatMap((block) => block.diagnostics)]
        const told = allExplained({ blocks, diagnostics })
        for (const { line, column, length, content } of told) {
          expect(content).toBe(lines[line - 1])
          expect(column).toBeGreaterThanOrEqual(1)
          expect(column - 1 + length).toBeLessThanOrEqual(content.length)
        }
        if (fatal !== undefined) expect(all).toContain(fatal)
        const syntax = told.filter(({ code }) => code === 'CSL_SYNTAX' || code === 'truncated')
        expect(syntax.length > 0).toBe(fatal !== undefined)
      }),
      { numRuns: 1000 },
    )
  })

  test('an operation that is not closed, or is in a TASKS that is not, cannot run', () => {
    fc.assert(
      fc.property(soup, (text) => {
        for (const { endLine, diagnostics } of readCsl(text).blocks) {
          if (endLine === null) expect(diagnostics).not.toEqual([])
        }
      }),
      { numRuns: 500 },
    )
  })

  test('members of a TASKS can run all or none', () => {
    fc.assert(
      fc.property(soup, (text) => {
        const groups = new Map<unknown, Set<boolean>>()
        for (const { group, diagnostics } of readCsl(text).blocks) {
          if (group !== undefined) groups.set(group, (groups.get(group) ?? new Set()).add(diagnostics.length === 0))
        }
        for (const found of groups.values()) expect(found.size).toBe(1)
      }),
      { numRuns: 500 },
    )
  })
})

const line = fc
  .string({ unit: fc.oneof(fc.constantFrom('<---', '--->', 'TO', 'END', ' ', '\t', '\r', '"', '\\'), fc.string()) })
  .filter((text) => !text.includes('\n') && !text.endsWith('\r') && !/^<---(?:END|TO|REPLACE)/.test(text))
const content = fc.array(line, { maxLength: 5 }).map((lines) => lines.join('\n'))
const some = content.filter((text) => text !== '')
const value = fc
  .string({ unit: fc.oneof(fc.constantFrom('"', "'", '\\', '--->', '<---', '=', ' '), fc.string()) })
  .filter((text) => text !== '' && !/[\r\n]/.test(text))
const quoted = fc.tuple(value, fc.constantFrom('"', "'")).map(([text, quote]) => ({
  text,
  written: quote + text.replace(/[\\"']/g, '\\$&') + quote,
}))

/** An operation as it is written, and what it means. */
const operation = fc.oneof(
  fc.tuple(quoted, content).map(([file, text]) => ({
    written: `<---WRITE file=${file.written}--->\n${text}\n<---END--->\n`,
    means: { action: 'file_write', params: { path: file.text, content: text } },
  })),
  fc.tuple(quoted, some).map(([dir, command]) => ({
    written: `<---RUN dir = ${dir.written} --->\n${command}\n<---END--->\n`,
    means: { action: 'run', params: { command, dir: dir.text } },
  })),
  fc.tuple(quoted, some, content).map(([file, old_text, new_text]) => ({
    written: `<---SEARCH file=${file.written}--->\n${old_text}\n<---REPLACE--->\n${new_text}\n<---END--->\n`,
    means: { action: 'file_edit', params: { path: file.text, old_text, new_text, count: '1' } },
  })),
  fc.tuple(quoted, some, some, content).map(([file, beginning, end, new_text]) => ({
    written: `<---SEARCH count="all" file=${file.written}--->\n${beginning}\n<---TO--->\n${end}\n<---REPLACE--->\n${new_text}\n<---END--->\n`,
    means: {
      action: 'file_replace_text_range',
      params: { path: file.text, old_text_beginning: beginning, old_text_end: end, new_text, count: 'all' },
    },
  })),
)
const operations = fc.array(operation, { minLength: 1, maxLength: 4 })
const part = fc.oneof(
  operations.map((found) => ({
    written: found.map((one) => one.written).join(''),
    means: found.map((one) => one.means),
  })),
  operations.map((found) => ({
    written: `<---TASKS--->\n${found.map((one) => one.written).join('text\n')}<---END--->\n`,
    means: found.map((one) => one.means),
  })),
  fc.constantFrom('text\n', ' <---END--->\n', '\n').map((written) => ({ written, means: [] })),
)
const document = fc.array(part, { maxLength: 4 })

describe('a text as it should be', () => {
  test('content comes back as it went in', () => {
    fc.assert(
      fc.property(document, (parts) => {
        const { blocks, diagnostics, fatal } = readCsl(parts.map(({ written }) => written).join(''))
        expect({ diagnostics, fatal }).toEqual({ diagnostics: [], fatal: undefined })
        expect(blocks.map(({ action, params }) => ({ action, params: { ...params } }))).toEqual(
          parts.flatMap(({ means }) => means),
        )
      }),
      { numRuns: 500 },
    )
  })

  test('cut anywhere, it runs nothing that it did not run whole', () => {
    fc.assert(
      fc.property(document, fc.nat(), (parts, at) => {
        const text = parts.map(({ written }) => written).join('')
        const whole = runnable(text).map(told)
        const cut = runnable(text.slice(0, at % (text.length + 1))).map(told)
        expect(cut).toEqual(whole.slice(0, cut.length))
      }),
      { numRuns: 2000 },
    )
  })
})

test('any text, cut at the end of a line, reads no good operation that it did not read whole', () => {
  const good = (text: string) =>
    readCsl(text)
      .blocks.filter((block) => block.diagnostics.length === 0)
      .map(told)
  fc.assert(
    fc.property(soup, fc.nat(), (text, at) => {
      const whole = good(text)
      const lines = text.split('\n')
      const cut = good(lines.slice(0, at % (lines.length + 1)).join('\n'))
      expect(cut).toEqual(whole.slice(0, cut.length))
    }),
    { numRuns: 2000 },
  )
})
