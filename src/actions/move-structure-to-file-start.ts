import { defineAction, path } from '../core/action.ts'
import { onStructures, targetParam } from './on-structures.ts'

export const moveStructureToFileStart = defineAction({
  name: 'move_structure_to_file_start',
  aliases: [],
  description: 'Move a structure to the start of a file, which is made if it is missing.',
  effect: 'write',
  access: ['llm'],
  primary: 'source_path',
  display: 'never',
  params: {
    source_path: path('File that contains the structure.'),
    source_target: targetParam,
    dest_path: path('File it goes to; may be the same.'),
  },
  returns: { source_original_line_range: '[first, last]', destination_final_line_range: '[first, last]' },
  examples: [
    {
      title: 'makes the file',
      before: { 'a.py': 'def f():\n    return 1\n\n\ndef g():\n    return 2\n' },
      params: { source_path: 'a.py', source_target: 'f', dest_path: 'b.py' },
      after: { 'a.py': 'def g():\n    return 2\n', 'b.py': 'def f():\n    return 1\n' },
    },
  ],
  run: (args, context) =>
    onStructures(context, [args.source_path, args.dest_path], (operations, from, to) =>
      operations.move_structure_to_file_start(from ?? '', args.source_target, to ?? ''),
    ),
})
