import { defineAction, path } from '../core/action.ts'
import { expectHash } from './common-params.ts'
import { contentParam, onStructures, targetParam, withoutElisions } from './on-structures.ts'

export const insertBeforeStructure = defineAction({
  name: 'insert_before_structure',
  aliases: [],
  description: 'Insert text before a structure, as its neighbour.',
  effect: 'write',
  access: ['llm'],
  primary: 'path',
  display: 'never',
  params: {
    path: path('File to change.'),
    target: targetParam,
    content: contentParam,
    expect_hash: expectHash,
  },
  hints: { adds: true },
  returns: { inserted_at_line: 'integer', target_now_at_line: 'integer' },
  examples: [
    {
      title: 'indents it for its place',
      before: {
        'cart.ts': 'class Cart {\n  add(item) {\n    this.items.push(item)\n  }\n\n  total() {\n    return 0\n  }\n}\n',
      },
      params: { path: 'cart.ts', target: 'total', content: 'clear() {}' },
      after: {
        'cart.ts':
          'class Cart {\n  add(item) {\n    this.items.push(item)\n  }\n\n  clear() {}\n\n  total() {\n    return 0\n  }\n}\n',
      },
    },
  ],
  run: async (args, context) => {
    const whole = await withoutElisions(context, args.path, args.content)
    if ('ok' in whole) return whole
    return onStructures(
      context,
      [args.path],
      (operations, path) => operations.insert_before_structure(path ?? '', args.target, args.content),
      args.expect_hash,
    )
  },
})
