import type { StructureOperations } from '../structure/operations.ts'
import type { StructureResult } from '../structure/structure.ts'
import { type ActionContext, defineAction, path } from '../core/action.ts'
import type { PathArg } from '../core/files.ts'
import { expectHash } from './common.ts'
import { contentParam, onStructures, structureWarnings, targetParam, expandElisions } from './on-structures.ts'

/** The two insertions differ in the side of the structure. */
const insertion = {
  effect: 'write',
  params: {
    path: path('File to change.'),
    target: targetParam,
    content: contentParam,
    expect_hash: expectHash,
  },
  hints: { adds: true },
} as const

interface Insert {
  readonly path: PathArg
  readonly target: string
  readonly content: string
  readonly expect_hash: string | undefined
}

async function insertBeside<T extends object>(
  { path, content, expect_hash }: Insert,
  context: ActionContext,
  work: (operations: StructureOperations, at: string) => Promise<StructureResult<T>>,
) {
  const whole = await expandElisions(context, path, content)
  if ('ok' in whole) return whole
  return onStructures(context, [path], (operations, at) => work(operations, at ?? ''), expect_hash)
}

const cart = 'class Cart {\n  add(item) {\n    this.items.push(item)\n  }\n\n  total() {\n    return 0\n  }\n}\n'

export const insertBeforeStructure = defineAction({
  ...insertion,
  name: 'insert_before_structure',
  description: 'Insert text before a structure, as its neighbour.',
  returns: { inserted_at_line: 'integer', target_now_at_line: 'integer', ...structureWarnings },
  examples: [
    {
      title: 'indents it for its place',
      before: { 'cart.ts': cart },
      params: { path: 'cart.ts', target: 'total', content: 'clear() {}' },
      after: { 'cart.ts': cart.replace('  total', '  clear() {}\n\n  total') },
    },
  ],
  run: (call, context) =>
    insertBeside(call, context, (operations, at) => operations.insert_before_structure(at, call.target, call.content)),
})

export const insertAfterStructure = defineAction({
  ...insertion,
  name: 'insert_after_structure',
  description: 'Insert text after a structure, as its neighbour.',
  everyday: true,
  returns: { inserted_at_line: 'integer', ...structureWarnings },
  examples: [
    {
      title: 'indents it for its place',
      before: { 'cart.ts': cart },
      params: { path: 'cart.ts', target: 'total', content: 'clear() {}' },
      after: { 'cart.ts': cart.replace(/\}\n$/, '\n  clear() {}\n}\n') },
    },
  ],
  run: (call, context) =>
    insertBeside(call, context, (operations, at) => operations.insert_after_structure(at, call.target, call.content)),
})
