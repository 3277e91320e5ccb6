import { defineAction, ok, path } from '../core/action.ts'
import { measure } from './narrow.ts'

export const contextAdd = defineAction({
  name: 'context_add',
  description:
    'Add a file to the working set, which is kept from one reply to the next; `clada context print` shows its files as one text.',
  effect: 'meta',
  access: ['llm', 'user'],
  params: { path: path('File to keep in view; `file@@Class@@method` keeps one structure of it.') },
  hints: { idempotent: true },
  returns: { path: 'string', size: 'integer: bytes', added: 'boolean: false when it was there already' },
  examples: [
    { title: 'adds a file', before: { 'a.txt': 'hello\n' }, params: { path: 'a.txt' }, data: { size: 6, added: true } },
    {
      title: 'adds one section of a file',
      before: { 'doc.md': '# A\n\n## One\n\n1\n\n## Two\n\n2\n' },
      params: { path: 'doc.md@@Two' },
      data: { size: 10, added: true },
    },
    {
      title: 'adds nothing twice',
      before: {
        'a.txt': 'hello\n',
        '.clada/context.json': '{"version":1,"entries":[{"path":"a.txt","added":"2026-01-01T00:00:00.000Z"}]}',
      },
      params: { path: 'a.txt' },
      data: { size: 6, added: false },
    },
    { title: 'fails when it does not exist', params: { path: 'a.txt' }, code: 'file_not_found' },
    { title: 'blocks secrets', before: { '.env': 'KEY=1' }, params: { path: '.env' }, code: 'path_denied' },
  ],
  async run({ path }, context) {
    const found = await measure(context, path)
    const set = await context.workingSet()
    let added = true
    await set.change((entries) => {
      added = !entries.some((entry) => entry.path === found.path)
      return added ? [...entries, { path: found.path, added: new Date().toISOString() }] : entries
    })
    return ok({ path: path.given, size: found.size, added })
  },
})
