import { count, defineAction, type Param, path, text } from '../core/action.ts'
import { expectHash } from './common.ts'
import { replacedIn, replaceOccurrences } from './replace-occurrences.ts'

const once: Param<number | 'all'> = {
  ...count('How often old_text must occur, or `all` for at least once. All of them are replaced.'),
  required: false,
  default: 1,
}

export const fileEdit = defineAction({
  name: 'file_edit',
  description: 'Replace a text that occurs exactly `count` times in a file.',
  effect: 'write',
  past: (target) => `edited ${target}`,
  everyday: true,
  repairs: true,
  params: {
    path: path('File to change.'),
    old_text: text('Text to find, copied exactly.'),
    new_text: text('Text to put in its place. Empty deletes.'),
    count: once,
    expect_hash: expectHash,
  },
  returns: { path: 'string', replacements: 'integer' },
  examples: [
    {
      title: 'replaces one by default',
      before: { 'a.txt': 'one two\n' },
      params: { path: 'a.txt', old_text: 'two', new_text: '2' },
      after: { 'a.txt': 'one 2\n' },
    },
    {
      title: 'replaces as many as were announced',
      before: { 'a.txt': 'x x x\n' },
      params: { path: 'a.txt', old_text: 'x', new_text: 'y', count: '3' },
      after: { 'a.txt': 'y y y\n' },
      data: { replacements: 3 },
    },
    {
      title: 'all requires at least one',
      before: { 'a.txt': 'none\n' },
      params: { path: 'a.txt', old_text: 'x', new_text: 'y', count: 'all' },
      code: 'match_count_mismatch',
    },
  ],
  run: async (edit, context) => replacedIn(edit.path, await replaceOccurrences(context, edit, edit.count)),
})
