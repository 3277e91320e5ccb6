import { defineAction, integer, optional, path, text } from '../core/action.ts'
import { expectHash } from './common.ts'
import { onStructures, structureWarnings, targetParam } from './on-structures.ts'

export const replaceAllTextInStructure = defineAction({
  name: 'replace_all_text_in_structure',
  description: 'Replace every occurrence of a text inside a structure.',
  effect: 'write',
  params: {
    path: path('File to change.'),
    target: targetParam,
    old_text: text('Text to find inside the structure.'),
    new_text: text('Text to put in its place.'),
    expected_count: optional(integer('How often it must occur.')),
    expect_hash: expectHash,
  },
  returns: { total_replacements: 'integer', affected_lines: ['integer: first and last'], ...structureWarnings },
  examples: [
    {
      title: 'replaces all in one function',
      before: { 'a.py': 'def f():\n    return x + x\n\n\ndef g():\n    return x\n' },
      params: { path: 'a.py', target: 'f', old_text: 'x', new_text: 'y', expected_count: '2' },
      after: { 'a.py': 'def f():\n    return y + y\n\n\ndef g():\n    return x\n' },
      data: { total_replacements: 2 },
    },
  ],
  run: (args, context) =>
    onStructures(
      context,
      [args.path],
      (operations, path) =>
        operations.replace_all_text_in_structure(
          path ?? '',
          args.target,
          args.old_text,
          args.new_text,
          args.expected_count,
        ),
      args.expect_hash,
    ),
})
