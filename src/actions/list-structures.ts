import { defineAction, integer, optional, path } from '../core/action.ts'
import { onStructures } from './on-structures.ts'
import { structureOutput } from './output.ts'

export const listStructures = defineAction({
  name: 'list_structures',
  aliases: [],
  description: 'List the structures of a file: header, kind and lines of each.',
  effect: 'read',
  access: ['llm'],
  primary: 'path',
  display: 'always',
  output: structureOutput,
  everyday: true,
  params: {
    path: path('File to look at.'),
    depth: optional(integer('How many levels; all if left out.')),
  },
  returns: { structures: 'the outline' },
  examples: [
    {
      title: 'lists the top level',
      before: {
        'cart.ts': 'class Cart {\n  add(item) {\n    this.items.push(item)\n  }\n\n  total() {\n    return 0\n  }\n}\n',
      },
      params: { path: 'cart.ts', depth: '1' },
    },
  ],
  run: (args, context) =>
    onStructures(context, [args.path], (operations, path) => operations.list_structures(path ?? '', args.depth)),
})
