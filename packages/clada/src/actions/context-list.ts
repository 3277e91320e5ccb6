import { defineAction, ok } from '../core/action.ts'
import { withSlashes } from '../core/paths.ts'
import { attempt } from './common.ts'
import { argOf, measureFile } from './structure-in-path.ts'
import { entriesOfSetOutput } from './output.ts'

export const contextList = defineAction({
  name: 'context_list',
  description: 'List the working set, with the size of each file in bytes and tokens.',
  effect: 'meta',
  access: ['llm', 'user'],
  display: 'always',
  output: entriesOfSetOutput('[the working set is empty]'),
  params: {},
  hints: { reads: true, idempotent: true },
  returns: [
    { path: 'string', 'size?': 'integer: bytes', 'tokens?': 'integer', 'problem?': 'string: why it cannot be read' },
  ],
  examples: [
    { title: 'is empty at first', params: {}, data: [] },
    {
      title: 'reports entries that cannot be read',
      before: {
        'a.txt': 'hello\n',
        '.clada/context.json':
          '{"version":1,"entries":[{"path":"a.txt","added":"2026-01-01T00:00:00.000Z"},{"path":"gone.txt","added":"2026-01-01T00:00:00.000Z"}]}',
      },
      params: {},
      data: [{ path: 'ROOT/a.txt', size: 6, tokens: 2 }, { path: 'ROOT/gone.txt' }],
    },
  ],
  async run(_, context) {
    const set = await context.workingSet()
    const listed: { path: string; size?: number; tokens?: number; problem?: string }[] = []
    for (const { path } of await set.entries()) {
      const found = await attempt(() => measureFile(context, argOf(path)))
      const shown = { path: withSlashes(path) }
      listed.push(
        'ok' in found
          ? { ...shown, problem: context.explain(found.problem) }
          : { ...shown, size: found.size, tokens: found.tokens },
      )
    }
    return ok(listed)
  },
})
