import { defineAction, integer, ok, optional, path, text } from '../core/action.ts'
import { expectHash } from './common.ts'
import { structureInPath, replaceNarrowed } from './structure-in-path.ts'
import { replacedShape, outcomeOfReplacement, replaceOccurrences } from './replace-occurrences.ts'

export const fileReplaceAllText = defineAction({
  name: 'file_replace_all_text',
  aliases: ['replace_all_text_in_file'],
  description: 'Replace every occurrence of a text in a file. Say with `count` how many there are, if you know.',
  effect: 'write',
  file: 'edited',
  repairs: true,
  params: {
    path: path('File to change; `file@@Class@@method` changes one structure of it.'),
    old_text: text('Text to find, copied exactly.'),
    new_text: text('Text to put in its place.'),
    count: optional(integer('How often it must occur; nothing is changed otherwise.')),
    expect_hash: expectHash,
  },
  returns: replacedShape,
  examples: [
    {
      title: 'replaces all',
      before: { 'a.txt': 'foo bar foo\n' },
      params: { path: 'a.txt', old_text: 'foo', new_text: 'baz' },
      after: { 'a.txt': 'baz bar baz\n' },
      data: { replacements: 2 },
    },
    {
      title: 'changes nothing when the count is wrong',
      before: { 'a.txt': 'foo bar foo\n' },
      params: { path: 'a.txt', old_text: 'foo', new_text: 'baz', count: '3' },
      code: 'match_count_mismatch',
    },
  ],
  async run(edit, context) {
    const inside = await structureInPath(context, edit.path)
    if (inside !== undefined) return replaceNarrowed(context, edit.path, inside, { ...edit, expected: edit.count })
    const done = await replaceOccurrences(context, edit, edit.count ?? 'any')
    if (!done.ok || done.replacements > 0) return outcomeOfReplacement(edit.path, done)
    return ok({ path: edit.path.given, replacements: 0 }, ['old_text does not occur in the file; nothing was changed'])
  },
})
