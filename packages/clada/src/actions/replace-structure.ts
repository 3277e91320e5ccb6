import { defineAction, path } from '../core/action.ts'
import { expectHash } from './common.ts'
import { contentParam, onStructures, structureWarnings, targetParam, expandElisions } from './on-structures.ts'

export const replaceStructure = defineAction({
  name: 'replace_structure',
  title: 'Replace a structure',
  description: 'Replace a whole structure, with its decorators and doc comment.',
  effect: 'write',
  everyday: true,
  params: {
    path: path('File to change.'),
    target: targetParam,
    content: contentParam,
    expect_hash: expectHash,
  },
  returns: { lines: ['integer: first and last'], ...structureWarnings },
  examples: [
    {
      title: 'replaces a method',
      before: {
        'cart.ts': 'class Cart {\n  add(item) {\n    this.items.push(item)\n  }\n\n  total() {\n    return 0\n  }\n}\n',
      },
      params: { path: 'cart.ts', target: 'total', content: 'total() {\n  return this.items.length\n}' },
      after: {
        'cart.ts':
          'class Cart {\n  add(item) {\n    this.items.push(item)\n  }\n\n  total() {\n    return this.items.length\n  }\n}\n',
      },
    },
  ],
  run: async (args, context) => {
    const whole = await expandElisions(context, args.path, args.content, args.target)
    if ('ok' in whole) return whole
    const done = await onStructures(
      context,
      [args.path],
      (operations, path) => operations.replace_structure(path ?? '', args.target, whole.content),
      args.expect_hash,
    )
    return done.ok ? { ...done, warnings: [...whole.kept, ...(done.warnings ?? [])] } : done
  },
})
