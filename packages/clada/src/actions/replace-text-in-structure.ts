import { defineAction, path, text } from '../core/action.ts'
import { attempt, expectHash } from './common.ts'
import { onStructures, structureWarnings, targetParam } from './on-structures.ts'
import { editWithoutElisions } from './replace-occurrences.ts'
import { mayElide } from '@clada/reply/text/elision-words.ts'

export const replaceTextInStructure = defineAction({
  name: 'replace_text_in_structure',
  description: 'Replace text that occurs exactly once inside a structure.',
  effect: 'write',
  params: {
    path: path('File to change.'),
    target: targetParam,
    old_text: text('Text to find inside the structure.'),
    new_text: text('Text to put in its place.'),
    expect_hash: expectHash,
  },
  returns: { affected_lines: ['integer: first and last'], ...structureWarnings },
  examples: [
    {
      title: 'looks nowhere else',
      before: { 'a.py': 'def f():\n    return 1\n\n\ndef g():\n    return 1\n' },
      params: { path: 'a.py', target: 'g', old_text: '1', new_text: '2' },
      after: { 'a.py': 'def f():\n    return 1\n\n\ndef g():\n    return 2\n' },
    },
  ],
  run: async (args, context) => {
    const file = mayElide(args.old_text + args.new_text)
      ? await attempt(() => context.files.read(args.path))
      : undefined
    // What cannot be read is refused by the operation.
    const whole = file === undefined || 'ok' in file ? { edit: args, kept: [] } : await editWithoutElisions(file, args)
    if ('ok' in whole) return whole
    const { target, old_text, new_text } = whole.edit
    const done = await onStructures(
      context,
      [args.path],
      (operations, path) =>
        operations.replace_text_in_structure(path ?? '', target, old_text, new_text, context.repair),
      args.expect_hash,
    )
    return done.ok ? { ...done, warnings: [...whole.kept, ...(done.warnings ?? [])] } : done
  },
})
