import { defineAction, path } from '../core/action.ts'
import { expectHash } from './common.ts'
import { onStructures, structureWarnings, targetParam } from './on-structures.ts'

export const deleteStructure = defineAction({
  name: 'delete_structure',
  description: 'Delete a whole structure.',
  effect: 'write',
  params: {
    path: path('File to change.'),
    target: targetParam,
    expect_hash: expectHash,
  },
  returns: { deleted_line_range_inclusive: ['integer: first and last'], ...structureWarnings },
  examples: [
    {
      title: 'deletes a method',
      before: {
        'cart.ts': 'class Cart {\n  add(item) {\n    this.items.push(item)\n  }\n\n  total() {\n    return 0\n  }\n}\n',
      },
      params: { path: 'cart.ts', target: 'add' },
      after: { 'cart.ts': 'class Cart {\n  total() {\n    return 0\n  }\n}\n' },
    },
  ],
  run: (args, context) =>
    onStructures(
      context,
      [args.path],
      (operations, path) => operations.delete_structure(path ?? '', args.target),
      args.expect_hash,
    ),
})
