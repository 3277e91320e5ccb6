import { defineAction, path, text } from '../core/action.ts'
import { expectHash } from './common.ts'
import { structureInPath, replaceNarrowed } from './structure-in-path.ts'
import { replacedShape, outcomeOfReplacement, replaceOccurrences } from './replace-occurrences.ts'

export const fileReplaceText = defineAction({
  name: 'file_replace_text',
  aliases: ['replace_text_in_file'],
  description: 'Replace text that occurs exactly once in a file.',
  effect: 'write',
  file: 'edited',
  everyday: true,
  within: 'file_edit',
  repairs: true,
  params: {
    path: path('File to change; `file@@Class@@method` changes one structure of it.'),
    old_text: text('Text to find, copied exactly, spaces and line breaks included.'),
    new_text: text('Text to put in its place.'),
    expect_hash: expectHash,
  },
  returns: replacedShape,
  examples: [
    {
      title: 'replaces the one place',
      before: { 'greet.ts': 'say("hi")\n' },
      params: { path: 'greet.ts', old_text: '"hi"', new_text: '"hello"' },
      after: { 'greet.ts': 'say("hello")\n' },
      data: { replacements: 1 },
    },
    {
      title: 'will not guess which of two',
      before: { 'greet.ts': 'say(1)\nsay(2)\n' },
      params: { path: 'greet.ts', old_text: 'say', new_text: 'shout' },
      code: 'match_count_mismatch',
    },
    {
      title: 'keeps the line endings of the file',
      before: { 'dos.txt': 'one\r\ntwo\r\nthree\r\n' },
      params: { path: 'dos.txt', old_text: 'one\ntwo', new_text: '1\n2' },
      after: { 'dos.txt': '1\r\n2\r\nthree\r\n' },
    },
  ],
  async run(edit, context) {
    const inside = await structureInPath(context, edit.path)
    if (inside !== undefined) return replaceNarrowed(context, edit.path, inside, { ...edit, expected: 'once' })
    return outcomeOfReplacement(edit.path, await replaceOccurrences(context, edit, 'once'))
  },
})
