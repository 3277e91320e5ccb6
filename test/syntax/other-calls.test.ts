import { describe, expect, it } from 'vitest'
import type { PassedOver } from '../../src/core/block.ts'
import { Source } from '../../src/core/source.ts'
import { findBlocks } from '../../src/syntax/find-blocks.ts'

const callsIn = (text: string, options = {}): readonly PassedOver[] => findBlocks(new Source(text), options).notExecuted

/** As models wrote them, and what of it is named. */
const calls: ReadonlyArray<readonly [text: string, named: string]> = [
  ['<function_calls>\n<invoke name="WebSearch">', '<function_calls>'],
  ['Let me look.\n\n<ns:invoke name="browser_action">', '<ns:invoke name="browser_action">'],
  ['<tool_call>\n{"name": "search", "arguments": {"path": "a"}}\n</tool_call>', '<tool_call>'],
  ['<function=search>{"path": "a"}</function>', '<function=search>'],
  ['<|tool_call|>[{}]', '<|tool_call|>'],
  ['<｜tool▁calls▁begin｜>function', '<｜tool▁calls▁begin｜>'],
  ['[TOOL_CALLS][{"name": "write"}]', '[TOOL_CALLS]'],
  ['```tool_code\nwrite("a")\n```', '```tool_code'],
  ['{"role": "assistant", "tool_calls": []}', '"tool_calls":'],
  ['[{"type": "tool_use", "id": "1"}]', '"type": "tool_use"'],
  ['```json\n{"name": "write",\n "parameters": {}}\n```', '"name": "write",\n "parameters":'],
]

const block = '#!SHAM [@three-char-SHA-256: abc]\naction = "ls"\npath = "/p"\n#!END_SHAM_abc\n'

describe('a call of another tool', () => {
  it.each(calls)('is told of where nothing else was found: %j', (text, named) => {
    const line = text.slice(0, text.indexOf(named)).split('\n').length
    const what = `call of another tool (${named.replace(/\s+/g, ' ')})`
    expect(callsIn(`Sure.\n${text}`)).toEqual([{ line: line + 1, endLine: line + 1, what, reason: 'unreadable' }])
  })

  it('is nothing beside blocks, nor behind those that were handed out', () => {
    for (const [text] of calls) {
      expect(callsIn(`${text}\n${block}`)).toEqual([])
      expect(callsIn(text, { nativeBefore: true })).toEqual([])
    }
  })

  it.each([
    '',
    'The invoke method calls a function.',
    'a < b, and "name": "x"',
    '<input name="a">',
    '{"name": "clada"}',
  ])('is not seen in %j', (text) => expect(callsIn(text)).toEqual([]))
})
