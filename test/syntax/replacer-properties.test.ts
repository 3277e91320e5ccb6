import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Block } from '@clada/reply/core/block.ts'
import { replacer } from '@clada/reply/syntax/replacer/replacer.ts'
import { allExplained, readWith } from './read-alone.ts'

const readReplacer = (text: string) => readWith(replacer.reader, text)
const runnable = (text: string): string[] =>
  readReplacer(text)
    .blocks.filter((block) => block.diagnostics.length === 0)
    .map(told)
const told = ({ id, action, params, startLine, endLine, explanation }: Block) =>
  JSON.stringify({ id, action, params, startLine, endLine, explanation })

const markers = ['EXPLANATION', 'FILE', 'SEARCH', 'REPLACE', 'OVERWRITE', 'END'].map((name) => `<<<${name}>>>`)
const soup = fc
  .array(
    fc.tuple(
      fc.oneof(
        fc.constantFrom(...markers),
        fc.constantFrom('<<<END>>> x', '<<<END>>', '<<<<<<< SEARCH', 'a', '', ' '),
        fc.string({ unit: fc.constantFrom('<<<', '>>>', 'END', 'FILE', ' ', '\r', 'a', '\uFEFF') }),
      ),
      fc.constantFrom('\n', '\n', '\n', '\r\n', '\r', ' \n'),
    ),
    { maxLength: 30 },
  )
  .map((lines) => lines.map(([line, end]) => line + end).join(''))

describe('any text', () => {
  test('reads without throwing, forwards, with every diagnostic inside the text', () => {
    fc.assert(
      fc.property(fc.oneof(soup, fc.string({ unit: 'binary' })), (text) => {
        const { blocks, diagnostics } = readReplacer(text)
        const lines = text.split(/\r?\n/)
        let last = 0
        for (const { startLine, endLine, raw } of blocks) {
          expect(startLine).toBeGreaterThan(last)
          last = endLine ?? startLine
          expect(text.includes(raw)).toBe(true)
        }
        for (const { line, column, length, content } of allExplained({ blocks, diagnostics })) {
          expect(content).toBe(lines[line - 1])
          expect(column).toBeGreaterThanOrEqual(1)
          expect(column - 1 + length).toBeLessThanOrEqual(content.length)
        }
      }),
      { numRuns: 1000 },
    )
  })

  test('what can run is closed, has a path, and holds no marker', () => {
    fc.assert(
      fc.property(soup, (text) => {
        for (const { endLine, diagnostics, params } of readReplacer(text).blocks) {
          if (diagnostics.length > 0) continue
          expect(endLine).not.toBeNull()
          expect(params['path']).toMatch(/\S/)
          for (const value of Object.values(params)) {
            expect(value.split('\n').filter((line) => markers.includes(line.trimEnd()))).toEqual([])
          }
        }
      }),
      { numRuns: 1000 },
    )
  })

  test('cut at the end of a line, it runs nothing that it did not run whole', () => {
    fc.assert(
      fc.property(soup, fc.nat(), (text, at) => {
        const whole = runnable(text)
        const lines = text.split('\n')
        const cut = runnable(lines.slice(0, at % (lines.length + 1)).join('\n'))
        expect(cut).toEqual(whole.slice(0, cut.length))
      }),
      { numRuns: 2000 },
    )
  })
})

const line = fc
  .string({ unit: fc.oneof(fc.constantFrom('<<<', '>>>', 'END', ' ', '\t', '\r'), fc.string()) })
  .filter((text) => !text.includes('\n') && !text.endsWith('\r') && !text.startsWith('<<<END>>>'))
  .filter((text) => !markers.includes(text.trimEnd()))
const content = fc.array(line, { maxLength: 5 }).map((lines) => lines.join('\n'))
const some = content.filter((text) => text.trim() !== '')
const path = line.map((text) => text.trim()).filter((text) => text !== '' && !markers.includes(text))
const explanation = fc.option(some, { nil: undefined })

/** A block as it is written, and what it means. */
const block = fc
  .tuple(
    explanation,
    path,
    fc.oneof(
      content.map((text) => ({
        written: `<<<OVERWRITE>>>\n${text}`,
        action: 'file_write',
        params: { content: text },
      })),
      fc.tuple(some, content).map(([old_text, text]) => ({
        written: `<<<SEARCH>>>\n${old_text}\n<<<REPLACE>>>\n${text}`,
        action: 'file_replace_text',
        params: { old_text, new_text: text.trim() === '' ? '' : text },
      })),
    ),
  )
  .map(([why, name, { written, action, params }]) => ({
    written: `${why === undefined ? '' : `<<<EXPLANATION>>>\n${why}\n`}<<<FILE>>>\n\n  ${name}\t\n${written}\n<<<END>>>\n`,
    means: { action, params: { path: name, ...params }, explanation: why?.trim() },
  }))
const document = fc.array(block, { maxLength: 5 })

describe('a text as it should be', () => {
  test('content comes back as it went in', () => {
    fc.assert(
      fc.property(document, (found) => {
        const { blocks, diagnostics } = readReplacer(found.map(({ written }) => written).join('text\n'))
        expect(diagnostics).toEqual([])
        expect(blocks.flatMap((one) => one.diagnostics)).toEqual([])
        expect(
          blocks.map(({ action, params, explanation }) => ({ action, params: { ...params }, explanation })),
        ).toEqual(found.map(({ means }) => means))
      }),
      { numRuns: 500 },
    )
  })

  test('cut anywhere, it runs nothing that it did not run whole', () => {
    fc.assert(
      fc.property(document, fc.nat(), (found, at) => {
        const text = found.map(({ written }) => written).join('text\n')
        const whole = runnable(text)
        const cut = runnable(text.slice(0, at % (text.length + 1)))
        expect(cut).toEqual(whole.slice(0, cut.length))
      }),
      { numRuns: 2000 },
    )
  })
})
