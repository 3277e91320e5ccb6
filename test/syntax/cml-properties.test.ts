import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Block } from '@clada/reply/core/block.ts'
import { readCml, runnable } from './cml-read.ts'
import { explained } from './read-alone.ts'

/** Texts made of the pieces that mean something, so that the odd corners are reached often. */
const piece = fc.constantFrom(
  '<tasks>',
  '<tasks version="1.0">',
  '</tasks>',
  '<write path="a">',
  '<write path="b" append="true">',
  '<write>',
  '</write>',
  '<edit path="a">',
  '<edit path="a" count="2">',
  '</edit>',
  '<search>',
  '</search>',
  '<search-start>',
  '</search-start>',
  '<search-end>',
  '</search-end>',
  '<replace>',
  '</replace>',
  '<run>',
  '<run dir="a">',
  '</run>',
  '<move from="a" to="b"/>',
  '<move from="a" to="b">',
  '<remove path="a"/>',
  '<remove path="a"></remove>',
  '<![CDATA[',
  ']]>',
  ']]&gt;',
  '<![CDATA[x]]>',
  '<run><![CDATA[ls]]></run>',
  '<run><![CDATA[ls]]></run>\n',
  '\n<run><![CDATA[ls]]></run>\n',
  '<search><![CDATA[x]]></search>',
  '<replace><![CDATA[y]]></replace>',
  '<write path="a"><![CDATA[x]]></write>\n',
  '<!--',
  '-->',
  '<!DOCTYPE x>',
  '<?x ?>',
  '<b>',
  '<b',
  '<',
  '>',
  '/>',
  '"',
  "'",
  ' ',
  '\n',
  '\n',
  '\n',
  '\r\n',
  '\uFEFF',
  '\u{1F600}',
  'prose',
  '&amp;',
)
const pieces = fc.oneof(
  fc.array(piece, { maxLength: 30 }).map((all) => all.join('')),
  fc.array(piece, { maxLength: 30 }).map((all) => all.join('\n')),
)
const anyText = fc.oneof(fc.string({ unit: 'binary' }), pieces)

const told = ({ id, action, params, startLine, endLine, group }: Block) =>
  JSON.stringify({ id, action, params: { ...params }, startLine, endLine, group })

describe('properties', () => {
  test('any text reads without throwing, and every position is in the text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const lines = text.split(/\r?\n/)
        const blocks = readCml(text)
        expect(blocks.map(({ id }) => id)).toEqual(blocks.map((_, i) => String(i + 1)))
        const starts = blocks.map((block) => block.startLine)
        expect(starts).toEqual(starts.toSorted((a, b) => a - b))
        for (const block of blocks) {
          const { id, startLine, endLine } = block
          expect(endLine ?? startLine).toBeGreaterThanOrEqual(startLine)
          expect(endLine ?? startLine).toBeLessThanOrEqual(lines.length)
          for (const { line, column, length, content, blockId, hint } of explained(block)) {
            expect(blockId).toBe(id)
            expect(line).toBeGreaterThanOrEqual(startLine)
            expect(content).toBe(lines[line - 1])
            expect(column - 1 + length).toBeLessThanOrEqual(content.length + 1)
            expect(hint).toBeTruthy()
          }
        }
      }),
      { numRuns: 3000 },
    )
  })

  test('content comes back as it went in', () => {
    const content = anyText.map((text) =>
      text
        .replaceAll('\r\n', '\n')
        // An opening right behind a tag is taken for an example that was not escaped.
        .replaceAll('<![CDATA[', '.<![CDATA['),
    )
    const encoded = (text: string) =>
      text.replace(/\]\](>|&gt;)/g, (_, tail) => (tail === '>' ? ']]&gt;' : ']]]]><![CDATA[&gt;'))
    fc.assert(
      fc.property(content, content, (first, second) => {
        const edit = `<edit path="a"><search><![CDATA[x${encoded(first)}]]></search>\n <replace><![CDATA[${encoded(second)}]]></replace></edit>`
        const write = `<write path="b">\n<![CDATA[${encoded(first)}]]><![CDATA[${encoded(second)}]]>\n</write>`
        const blocks = readCml(`before\n${edit}\n<tasks>\n${write}</tasks>\nafter\n`)
        expect(blocks.map(({ params, diagnostics }) => ({ params: { ...params }, diagnostics }))).toEqual([
          { params: { path: 'a', old_text: `x${first}`, new_text: second, count: '1' }, diagnostics: [] },
          { params: { path: 'b', content: first + second }, diagnostics: [] },
        ])
      }),
      { numRuns: 1000 },
    )
  })

  test('a document cut anywhere has no block to run that the whole does not have', () => {
    fc.assert(
      fc.property(pieces, (text) => {
        const whole = new Set(runnable(text).map(told))
        for (let cut = 0; cut < text.length; cut++) {
          for (const block of runnable(text.slice(0, cut))) expect(whole).toContain(told(block))
        }
      }),
      { numRuns: 1000 },
    )
  })
})
