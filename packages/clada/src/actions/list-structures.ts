import { defaulting, defineAction, flag, integer, path, rare } from '../core/action.ts'
import { outlineOutput } from './structure-output.ts'
import { onStructures } from './on-structures.ts'
import type { OutlineEntry } from '../structure/document.ts'

export const listStructures = defineAction({
  name: 'list_structures',
  description: 'List the declarations of a file, with their lines.',
  effect: 'read',
  display: 'always',
  output: outlineOutput,
  everyday: true,
  params: {
    path: path('File to look at.'),
    depth: defaulting(integer('How many levels; 2 also shows the methods of classes.'), 1),
    steps: rare(defaulting(flag('Show branches, loops and other steps inside code too.'), false)),
  },
  returns: {
    structures: [
      { header: 'string', kind: 'string', 'name?': 'string', lines: ['integer'], 'children?': ['any: the same again'] },
    ],
  },
  examples: [
    {
      title: 'lists the top level',
      before: {
        'cart.ts': 'class Cart {\n  add(item) {\n    this.items.push(item)\n  }\n\n  total() {\n    return 0\n  }\n}\n',
      },
      params: { path: 'cart.ts', depth: '1' },
    },
  ],
  async run({ path, depth, steps }, context) {
    if (steps) return onStructures(context, [path], (operations) => operations.list_structures(path.given, depth))
    const outcome = await onStructures(context, [path], (operations) => operations.list_structures(path.given))
    if (!outcome.ok) return outcome
    const { outlineView } = await import('../structure/outline-view.ts')
    return { ...outcome, data: { ...outcome.data, structures: upTo(outlineView(outcome.data.structures), depth) } }
  },
})

/** Without what is deeper. A namespace around the whole file is no level: it says nothing of what is in the file. */
function upTo(structures: readonly OutlineEntry[], depth: number): OutlineEntry[] {
  if (depth < 1) return []
  const others = structures.filter(({ kind }) => kind !== 'macro')
  const around = others.length === 1 && others[0]?.kind === 'module' ? others[0] : undefined
  return structures.map((one) => {
    const { children = [], ...own } = one
    const inside = upTo(children, one === around ? depth : depth - 1)
    return inside.length === 0 ? own : { ...own, children: inside }
  })
}
