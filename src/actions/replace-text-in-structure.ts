import { defineAction, path, text } from '../core/action.ts'
import { expectHash } from './common-params.ts'
import { onStructures, targetParam } from './on-structures.ts'

export const replaceTextInStructure = defineAction({
  name: 'replace_text_in_structure',
  aliases: [],
  description: 'Replace text that occurs exactly once inside a structure.',
  effect: 'write',
  access: ['llm'],
  primary: 'path',
  display: 'never',
  params: {
    path: path('File to change.'),
    target: targetParam,
    old_text: text('Text to find inside the structure.'),
    new_text: text('Text to put in its place.'),
    expect_hash: expectHash,
  },
  returns: { affected_lines: '[first, last]' },
  examples: [
    {
      title: 'looks nowhere else',
      before: { 'a.py': 'def f():\n    return 1\n\n\ndef g():\n    return 1\n' },
      params: { path: 'a.py', target: 'g', old_text: '1', new_text: '2' },
      after: { 'a.py': 'def f():\n    return 1\n\n\ndef g():\n    return 2\n' },
    },
  ],
  run: (args, context) =>
    onStructures(
      context,
      [args.path],
      (operations, path) => 
        operations.replace_text_in_structure(path ?? '', args.target, args.old_text, args.new_text, context.repair),
      args.expect_hash,
    ),
})
