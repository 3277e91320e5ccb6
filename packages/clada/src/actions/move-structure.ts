import { defineAction, path } from '../core/action.ts'
import { onStructures, structureWarnings, targetParam } from './on-structures.ts'

/** The four moves differ in the place that a structure goes to. */
const move = {
  effect: 'write',
  primary: 'source_path',
  returns: {
    source_original_line_range: ['integer: first and last'],
    destination_final_line_range: ['integer: first and last'],
    ...structureWarnings,
  },
} as const

const fromAndTo = {
  source_path: path('File that contains the structure.'),
  source_target: targetParam,
  dest_path: path('File it goes to; may be the same.'),
}

const moveBeside = (side: 'before' | 'after', after: string) =>
  defineAction({
    ...move,
    name: `move_structure_to_${side}`,
    description: `Move a structure ${side} another one, in the same file or in another.`,
    params: { ...fromAndTo, dest_target: targetParam },
    examples: [
      {
        title: 'moves a function to another file',
        before: { 'a.py': 'def f():\n    return 1\n', 'b.py': 'def g():\n    return 2\n' },
        params: { source_path: 'a.py', source_target: 'f', dest_path: 'b.py', dest_target: 'g' },
        after: { 'a.py': '', 'b.py': after },
      },
    ],
    run: (args, context) =>
      onStructures(context, [args.source_path, args.dest_path], (operations, from, to) =>
        operations[`move_structure_to_${side}`](from ?? '', args.source_target, to ?? '', args.dest_target),
      ),
  })

export const moveStructureToBefore = moveBeside('before', 'def f():\n    return 1\n\n\ndef g():\n    return 2\n')
export const moveStructureToAfter = moveBeside('after', 'def g():\n    return 2\n\n\ndef f():\n    return 1\n')

const intoFile = (end: 'start' | 'end') =>
  defineAction({
    ...move,
    name: `move_structure_to_file_${end}`,
    description: `Move a structure to the ${end} of a file, which is created if it is missing.`,
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
        operations[`move_structure_to_file_${end}`](from ?? '', args.source_target, to ?? ''),
      ),
  })

export const moveStructureToFileStart = intoFile('start')
export const moveStructureToFileEnd = intoFile('end')
