import { defineAction, ok } from '../core/action.ts'

export const contextClear = defineAction({
  name: 'context_clear',
  description: 'Empty the working set. The files themselves are not deleted.',
  effect: 'meta',
  access: ['llm', 'user'],
  params: {},
  hints: { idempotent: true },
  returns: { 'kept?': 'string: where a list that could not be read was put' },
  examples: [{ title: 'empties it', before: { 'a.txt': 'hello\n' }, params: {} }],
  async run(_, { workingSet }) {
    const kept = await (await workingSet()).clear()
    if (kept === undefined) return ok({})
    return ok({ kept }, [`the list could not be read and was renamed to ${kept}`])
  },
})
