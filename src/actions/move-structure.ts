import { defineAction, path } from '../core/action.ts'
import { onStructures, targetParam } from './on-structures.ts'

/** The four moves differ in the place that a structure goes to. */
const move = {
  aliases: [],
  effect: 'write',
  access: ['llm'],
  primary: 'source_path',
  display: 'never',
  returns: { source_original_line_range: '[first, last]', destination_final_line_range: '[first, last]' },
} as const

const fromAndTo = {
  source_path: path('File that contains the structure.'),
  source_target: targetParam,
  dest_path: path('File it goes to; may be the same.'),
}

const neighbours = { 'a.py': 'def f():\n    return 1\n', 'b.py': 'def g():\n    return 2\n' }

export const moveStructureToBefore = defineAction({
  ...move,
  name: 'move_structure_to_before',
  description: 'Move a structure before another one, in the same file or in another.',
  params: { ...fromAndTo, dest_target: targetParam },
  examples: [
    {
      title: 'moves a function to another file',
      before: neighbours,
      params: { source_path: 'a.py', source_target: 'f', dest_path: 'b.py', dest_target: 'g' },
      after: { 'a.py': '', 'b.py': 'def f():\n    return 1\n\n\ndef g():\n    return 2\n' },
    },
  ],
  run: (args, context) =>
    onStructures(context, [args.source_path, args.dest_path], (operations, from, to) =>
      operations.move_structure_to_before(from ?? '', args.source_target, to ?? '', args.dest_target),
    ),
})

export const moveStructureToAfter = defineAction({
  ...move,
  name: 'move_structure_to_after',
  description: 'Move a structure after another one, in the same file or in another.',
  params: { ...fromAndTo, dest_target: targetParam },
  examples: [
    {
      title: 'moves a function to another file',
      before: neighbours,
      params: { source_path: 'a.py', source_target: 'f', dest_path: 'b.py', dest_target: 'g' },
      after: { 'a.py': '', 'b.py': 'def g():\n    return 2\n\n\ndef f():\n    return 1\n' },
    },
  ],
  run: (args, context) =>
    onStructures(context, [args.source_path, args.dest_path], (operations, from, to) =>
      operations.move_structure_to_after(from ?? '', args.source_target, to ?? '', args.dest_target),
    ),
})

export const moveStructureToFileStart = defineAction({
  ...move,
  name: 'move_structure_to_file_start',
  description: 'Move a structure to the start of a file, which is made if it is missing.',
  params: fromAndTo,
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

export const moveStructureToFileEnd = defineAction({
  ...move,
  name: 'move_structure_to_file_end',
  description: 'Move a structure to the end of a file, which is made if it is missing.',
  params: fromAndTo,
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
      operations.move_structure_to_file_end(from ?? '', args.source_target, to ?? ''),
    ),
})
