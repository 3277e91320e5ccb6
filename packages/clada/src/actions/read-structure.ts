import { defineAction, path } from '../core/action.ts'
import { onStructures, targetParam } from './on-structures.ts'
import { structureOutput } from './structure-output.ts'

export const readStructure = defineAction({
  name: 'read_structure',
  title: 'Read a structure',
  description: 'Read a class, function, section or other structure by its name. Returns every match.',
  effect: 'read',
  display: 'always',
  output: structureOutput,
  everyday: true,
  params: {
    path: path('File to look at.'),
    target: targetParam,
  },
  returns: {
    matches: [{ text: 'string', line_range_inclusive: ['integer'] }],
  },
  examples: [
    {
      title: 'reads a method',
      before: {
        'cart.ts': 'class Cart {\n  add(item) {\n    this.items.push(item)\n  }\n\n  total() {\n    return 0\n  }\n}\n',
      },
      params: { path: 'cart.ts', target: 'Cart\ntotal' },
      data: { matches: [{ text: 'total() {\n  return 0\n}\n', line_range_inclusive: [6, 8] }] },
    },
    {
      title: 'fails without a match, with suggestions',
      before: {
        'cart.ts': 'class Cart {\n  add(item) {\n    this.items.push(item)\n  }\n\n  total() {\n    return 0\n  }\n}\n',
      },
      params: { path: 'cart.ts', target: 'totals' },
      code: 'TARGET_NOT_FOUND',
    },
  ],
  run: (args, context) =>
    onStructures(context, [args.path], (operations, path) => operations.read_structure(path ?? '', args.target)),
})
