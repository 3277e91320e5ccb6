import { describe, expect, it } from 'vitest'
import type { Document } from '@clada/reply/core/block.ts'
import { Source } from '@clada/reply/core/source.ts'
import { findBlocks } from '@clada/reply/syntax/find-blocks.ts'
import { blockNames, writes } from './samples.ts'
import { documentOf, throughStream } from './streamed.ts'

const find = (text: string): Document => findBlocks(new Source(text))
const said = ({ blocks, notExecuted }: Document): unknown[] => [
  ...blocks.map(({ params }) => params['path']),
  ...notExecuted.map(({ reason }) => reason),
]

describe.each(blockNames)('what a tool has answered, in %s', (syntax) => {
  const block = writes(syntax, '/p/a.txt', 'x\ny')

  it.each([
    ['tool_result', `<tool_result>\n${block}</tool_result>\n`],
    ['function_results around a result', `<function_results>\n<result>\n${block}</result>\n</function_results>\n`],
    ['a tag with a namespace and attributes', `<ns:tool_response id="1">\n${block}</ns:tool_response>\n`],
    ['stdout', `  <stdout>\n${block}\n  </stdout>\n`],
    ['a reminder', `<system-reminder>\n\n${block}\n</system-reminder>\n`],
    ['one in another', `<tool_output>\n<tool_output>\n</tool_output>\n${block}</tool_output>\n`],
    ['what is struck out', `<del>\n\n${block}\n</del>\n`],
  ])('is a quotation: %s', (_, text) => {
    expect(said(find(`Look:\n\n${text}\nFine.\n`))).toEqual(['quoted'])
  })

  it.each([
    ['tags around an answer', `<output>\n${block}</output>\n<answer>\n${block}</answer>\n`, 2],
    ['a tag that nothing closes', `<tool_result>\n\n${block}`, 1],
    ['a tag in a sentence', `Read <tool_result> and </tool_result>.\n\n${block}`, 1],
    ['what follows it', `<tool_result>\nok\n</tool_result>\n\n${block}`, 1],
  ])('is not: %s', (_, text, count) => {
    expect(find(text).blocks).toHaveLength(count)
  })

  it('is the same when it comes in pieces', () => {
    const text = `<tool_result>\n${block}</tool_result>\n\n${block}\n`
    const whole = documentOf(find(text))
    for (let at = 1; at < text.length; at += 3) expect(documentOf(throughStream(text, [at]))).toEqual(whole)
  })
})
