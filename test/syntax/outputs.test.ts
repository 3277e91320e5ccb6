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
    ['a conversation', `<conversation>\n<user>\nHi\n</user>\n${block}</conversation>\n`],
    ['a user', `<user>\n${block}\n</user>\n`],
    ['the history of a chat', `<chat_history>\n${block}\n</chat_history>\n`],
    ['a comment', `<!-- Old:\n\n${block}\n-->\n`],
    ['a comment with another line of one', `<!--\n<!-- a -->\n${block}\n  end -->\n`],
    ['a transcript', `Human: change it\n\nAssistant: Done:\n\n${block}\n`],
    ['a transcript in bold', `**User:** change it\n\n**Assistant**: Done:\n\n${block}\n`],
    ['a transcript with headings', `### User\n\nChange it.\n\n### Assistant\n\n${block}\n`],
    ['a transcript with tokens', `<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n${block}\n<|im_end|>\n`],
    ['the words of a user before an answer', `User:\n\n${block}\n\nAssistant: No.\n`],
    ['a transcript that the answer begins', `Assistant:\n\n${block}\n\nUser: Thanks.\n`],
  ])('is a quotation: %s', (_, text) => {
    expect(said(find(`Look:\n\n${text}\nFine.\n`))).toEqual(['quoted'])
  })

  it.each([
    ['tags around an answer', `<output>\n${block}</output>\n<answer>\n${block}</answer>\n`, 2],
    ['a tag that nothing closes', `<tool_result>\n\n${block}`, 1],
    ['a tag in a sentence', `Read <tool_result> and </tool_result>.\n\n${block}`, 1],
    ['what follows it', `<tool_result>\nok\n</tool_result>\n\n${block}`, 1],
    ['what follows a comment', `<!--\nok\n-->\n\n${block}`, 1],
    ['a comment that nothing ends', `<!-- ok\n\n${block}`, 1],
    ['a comment in a line', `<!-- ok -->\n\n${block}\n<!-- ok -->\n`, 1],
    ['one speaker', `User: alice\n\n${block}\n\nUser: bob\n`, 1],
    ['speakers in a fence', `\`\`\`\nUser: a\nAssistant: b\n\`\`\`\n\n${block}`, 1],
  ])('is not: %s', (_, text, count) => {
    expect(find(text).blocks).toHaveLength(count)
  })

  it('is the reply where a text begins with the name of the model', () => {
    expect(said(find(`Assistant:\n\n${block}\n\nUser: Again.\n\nAssistant:\n\n${block}\n`))).toHaveLength(2)
    expect(find(`Assistant:\n\n${block}\n\nUser: Again.\n\nAssistant:\n\n${block}\n`).blocks).toHaveLength(1)
  })

  it.each([
    ['a transcript', `User: a\n\n${block}\n\nAssistant: b\n\n${block}\n`],
    ['a comment', `<!--\n\n${block}\n-->\n\n${block}\n`],
  ])('is the same when it comes in pieces: %s', (_, text) => {
    const whole = documentOf(find(text))
    for (let at = 1; at < text.length; at += 3) expect(documentOf(throughStream(text, [at]))).toEqual(whole)
  })

  it('is the same when it comes in pieces', () => {
    const text = `<tool_result>\n${block}</tool_result>\n\n${block}\n`
    const whole = documentOf(find(text))
    for (let at = 1; at < text.length; at += 3) expect(documentOf(throughStream(text, [at]))).toEqual(whole)
  })
})

it.each([
  ['a result of a tool', '<tool_result>', '</tool_result>', 'quoted'],
  ['a comment', '<!--', '-->', 'quoted'],
  ['a transcript', 'User: a\n\nAssistant:', '', 'quoted'],
  ['a thought', '<think>', '</think>', 'thought'],
])('lists the whole files in %s', (_, begin, end, reason) => {
  const text = `${begin}\n\`src/a.js\`:\n\n\`\`\`js\na()\n\`\`\`\n\n\`\`\`js\n// src/b.js\nb()\n\`\`\`\n${end}\n\nFine.\n`
  const { blocks, notExecuted } = find(text)
  expect(blocks).toEqual([])
  expect(notExecuted.map(({ path, what, reason: why }) => [path, what, why])).toEqual([
    ['src/a.js', 'whole file', reason],
    ['src/b.js', 'whole file', reason],
  ])
})
